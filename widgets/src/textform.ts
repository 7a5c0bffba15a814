// The text form of a state: line for line what `Record.text()` prints in Python (`autodidact/trace/text.py`).

import { engineLines } from "./text_engine";
import type { Args, Edge, RecordNode, SavedEntry, SavedState, State, Summary } from "./record";
import type { Catalogue } from "./catalogue";
import { visible } from "./dom";
import { packedWords, savedWord } from "./saved_count";
import { arrived, type Scene, shapeText, who } from "./scene";
import {
  aligned,
  callsText,
  columns,
  cutTo,
  headline,
  place,
  plainValues,
  savedName,
  stridesText,
  valueText,
} from "./text_words";
import { eventLines } from "./text_events";
import { sceneParts } from "./text_scenes";
import { caseLines, silentLines } from "./clinic_text";

const TITLE_COLUMN = 53;
const MOST_SOURCE = 40;
const MOST_PARTS = 4;

/** Lines of one state. `before` is the state one step earlier, `first` the state before the pass. */
export function textForm(
  scene: Scene,
  catalogue: Catalogue,
  state: State,
  before: State,
  first: State,
): string {
  const view = new TextView(scene, catalogue, state, before, first);
  const parts = [
    view.title(),
    view.table(),
    view.current(),
    view.leaves(),
    ...sceneParts(view),
    eventLines(view),
    view.error(),
    state.clinic ? caseLines(state.clinic, catalogue) : silentLines(view),
    view.notes(),
  ];
  return (
    parts
      .filter((part) => part.length > 0)
      .map((part) => part.join("\n"))
      .join("\n\n") + "\n"
  );
}

export class TextView {
  constructor(
    readonly scene: Scene,
    readonly catalogue: Catalogue,
    readonly state: State,
    readonly before: State,
    readonly first: State,
  ) {}

  say(id: string, args: Args = {}): string {
    return this.catalogue.text(id, args);
  }

  value(value: Summary | null | undefined, most = 28): string {
    return valueText(value, most, this.catalogue);
  }

  who(id: string): string {
    const node = this.scene.nodes.get(id);
    return node ? who(node) : "-";
  }

  title(): string[] {
    const { options, root } = this.scene.head;
    const what: string[] = (["retain_graph", "create_graph"] as const)
      .filter((name) => options[name])
      .map((name) => `${name}=True`);
    if (options.directions !== undefined) what.push(this.say("text.directions", { n: options.directions }));
    if (options.inputs) {
      const asked = options.returns ? "text.returned" : "text.asked";
      what.push(this.say(asked, { what: options.inputs.map(visible) }));
    }
    const name = visible(root || this.say("title.output"));
    const left = what.length
      ? this.say("title.options", { root: name, what })
      : this.say("title.pass", { root: name });
    return [left + " ".repeat(Math.max(3, TITLE_COLUMN - columns(left))) + this.progress()];
  }

  private progress(): string {
    const total = Object.values(this.state.status).filter((status) => status !== "skipped").length;
    const { end, step, part } = this.state;
    if (part) return this.say("title.event", { step, total, done: part.done, of: part.of });
    const id = end === null ? "title.paused" : end === "ok" ? "title.ended" : `title.${end}`;
    return this.say(id, { done: step, total: end === "ok" ? step : total });
  }

  table(): string[] {
    const saved = this.scene.head.engine === "own" ? [] : ["saved"];
    const titles = ["node", "", "receives", "state", ...saved].map((title) =>
      title ? this.say(`text.${title}`) : "",
    );
    const rows = this.scene.head.nodes.map((node, k) => {
      const status = this.state.status[node.id] ?? "waiting";
      const mark = status === "next" ? "> " : status === "failed" ? "! " : "  ";
      const word =
        this.say(
          `status.${status === "next" && this.state.part ? "running" : this.scene.status(this.state, node.id)}`,
        ) + (status === "waiting" ? ` ${arrived(this.state, node.id)}/${this.scene.expected(node.id)}` : "");
      return [
        mark + (status === "skipped" ? "-" : String(k + 1)),
        cutTo(headline(node), MOST_SOURCE),
        this.named(node),
        this.receives(node, status),
        word,
        ...this.saved(node),
      ];
    });
    return aligned([["  " + this.say("text.order"), ...titles], ...rows]);
  }

  /** The node's name, and its device where not all is in the CPU's memory. */
  private named(node: RecordNode): string {
    const name = visible(node.name);
    return node.device ? this.say("text.on", { who: name, device: visible(node.device) }) : name;
  }

  private receives(node: RecordNode, status: string): string {
    if (status === "skipped" && !arrived(this.state, node.id)) return "";
    const slots = node.outputs.map((output, k) =>
      this.slot(
        output.expected,
        this.state.received[node.id]?.[k]?.map((each) => each.value) ?? [],
        this.state.total[node.id]?.[k] ?? null,
      ),
    );
    return slots.length === 1 ? slots[0]! : slots.map((slot, k) => `[${k}] ${slot}`).join("; ");
  }

  private slot(expected: number, parts: (Summary | null)[], total: Summary | null): string {
    if (expected === 0 && parts.length === 0) return this.say("value.none");
    if (expected > MOST_PARTS) {
      const count = this.say("text.of", { got: parts.length, of: expected });
      return parts.length ? `${count} = ${this.value(total)}` : count;
    }
    const words = parts.map((part) => this.value(part));
    const text = (parts.length < expected ? [...words, "..."] : words).join(" + ");
    return parts.length >= Math.max(expected, 2) ? `${text} = ${this.value(total)}` : text;
  }

  private saved(node: RecordNode): string[] {
    if (node.kind === "leaf" || this.scene.head.engine === "own") return [];
    const [entries] = plainValues(node, this.state);
    if (entries.length === 0) return [this.say("text.nothing")];
    const words = entries.map((entry) => this.entryState(entry.key));
    const names = entries.map((entry) => cutTo(savedName(entry), MOST_SOURCE));
    if (new Set(words).size === 1) return [names.join(", "), words[0]!];
    return [names.map((name, k) => `${name} ${words[k]}`).join(", ")];
  }

  private entryState(key: string): string {
    const status = this.state.saved[key];
    return status ? savedWord(status, this.catalogue) : "-";
  }

  /** The node that runs next, or the one that failed: what it saved, what it will send. */
  current(): string[] {
    const failed = this.state.error?.node ?? null;
    const node = this.scene.nodes.get(this.state.next ?? failed ?? "");
    if (!node) return [];
    const { part, events } = this.state;
    const now = failed ? "text.failed" : part ? "text.running" : "text.next";
    const title = this.say(now, { who: headline(node) });
    const about = [
      this.scene.className(node),
      place(node, this.catalogue),
      node.module ?? "",
      callsText(node, this.catalogue),
    ]
      .map(visible)
      .filter(Boolean)
      .join(", ");
    const rows = [
      ...this.labelled("receives", this.contributions(node)),
      ...this.labelled("saved", this.entries(node)),
      ...this.labelled(
        "context",
        node.context?.length ? [[this.say("text.pairs", { what: node.context })]] : [],
      ),
      ...this.labelled(failed ? "would_send" : "sends", this.sends(node)),
    ];
    const added = part && events.some((event) => event.kind === "accumulate");
    if (node.kind === "leaf" && !failed && !added) rows.push(...this.labelled("adds", [this.adds(node)]));
    return [`${title}   ${about}`, ...aligned(rows, 4)];
  }

  private labelled(title: string, rows: string[][]): string[][] {
    return rows.map((row, k) => ["  " + (k === 0 ? this.say(`text.${title}`) : ""), ...row]);
  }

  private contributions(node: RecordNode): string[][] {
    const several = node.outputs.length > 1;
    return (this.state.received[node.id] ?? []).flatMap((parts, slot) =>
      parts.map((part) => {
        const edge = part.edge === null ? undefined : this.scene.edges.get(part.edge);
        const sender = edge ? this.who(edge.from) : this.say("text.start");
        return [
          (several ? `[${slot}] ` : "") +
            this.say("text.receives_from", { value: this.value(part.value, 60), who: sender }),
        ];
      }),
    );
  }

  private entries(node: RecordNode): string[][] {
    const [tensors, values] = plainValues(node, this.state);
    const rows = tensors.map((entry) => {
      const status = this.state.saved[entry.key];
      if (status?.packed && !status.packed.place) return this.packed(node, entry, status);
      const value = entry.value ? this.value(entry.value, 40) : "-";
      return [
        this.entryName(node, entry),
        entry.var ? `${visible(entry.var)} = ${value}` : value,
        shapeText(entry.shape),
        visible(entry.dtype ?? "None"),
        `${entry.bytes} B`,
        this.version(status),
        this.entryState(entry.key),
      ];
    });
    const plain = values.map((entry) => [
      visible(entry.name),
      entry.value ? this.value(entry.value, 40) : "-",
      "",
      "",
      "",
      "",
      this.say("saved.none"),
    ]);
    return aligned([...rows, ...plain], 2).map((line) => [line]);
  }

  private entryName(node: RecordNode, entry: SavedEntry): string {
    return visible(entry.name) + (node.kind === "function" ? ` ${this.say(`role.${entry.role}`)}` : "");
  }

  private packed(node: RecordNode, entry: SavedEntry, status: SavedState): string[] {
    const what = packedWords(status, this.catalogue);
    const off = ["", "", "", this.say("text.version_off")];
    return [this.entryName(node, entry), what, ...off, this.entryState(entry.key)];
  }

  private version(status: SavedState | undefined): string {
    if (!status || status.expected === null) return "";
    return this.say("text.version", {
      expected: String(status.expected),
      actual: String(status.actual ?? "-"),
    });
  }

  private sends(node: RecordNode): string[][] {
    const held = new Map<string, { got: number; total: Summary | null }>();
    const rows = (this.scene.edgesFrom.get(node.id) ?? []).map((edge) => {
      const rule = node.rules.find((each) => each.edge === edge.id)?.text;
      const predicted = this.state.predicted[edge.id];
      const steps = [
        rule && visible(rule),
        predicted?.numbers && visible(predicted.numbers),
        predicted || edge.id in this.state.sent
          ? this.value(predicted ? predicted.value : this.state.sent[edge.id], 60)
          : this.say("text.unknown"),
      ];
      return [
        this.say("text.to", { who: this.who(edge.to) }),
        steps.filter(Boolean).join(" = "),
        `  ${this.then(edge, held)}`,
      ];
    });
    return aligned(rows, 2).map((line) => [line]);
  }

  /** What the receiver will hold: running sum + this = new sum. `held` remembers earlier edges of this node. */
  private then(edge: Edge, held: Map<string, { got: number; total: Summary | null }>): string {
    const predicted = this.state.predicted[edge.id];
    if (!predicted || predicted.then === null) return "";
    const key = `${edge.to} ${edge.slot}`;
    const { got, total } = held.get(key) ?? {
      got: arrived(this.state, edge.to),
      total: this.state.total[edge.to]?.[edge.slot] ?? null,
    };
    held.set(key, { got: got + 1, total: predicted.then });
    let value = this.value(predicted.then);
    if (total?.label === "value" && predicted.value !== null)
      value = `${this.value(total)} + ${this.value(predicted.value)} = ${value}`;
    return this.say("text.then", {
      who: this.who(edge.to),
      value,
      got: got + 1,
      of: this.scene.expected(edge.to),
    });
  }

  private adds(node: RecordNode): string[] {
    const total = this.state.total[node.id]?.[0] ?? null;
    return [
      this.say("text.adds_to", {
        value: this.value(total, 60),
        who: who(node),
        before: this.grad(node.id, this.state),
      }),
    ];
  }

  leaves(): string[] {
    const ids = this.scene.head.nodes.filter((node) => node.kind === "leaf").map((node) => node.id);
    ids.push(...Object.keys(this.state.grads).filter((id) => this.scene.nodes.has(id) && !ids.includes(id)));
    if (ids.length === 0) return [];
    const titles = ["leaf", "value", "received", "grad_before", "grad_now"].map((title) =>
      this.say(`text.${title}`),
    );
    const rows = ids.map((id) => {
      const node = this.scene.nodes.get(id)!;
      return [
        who(node),
        node.value ? this.value(node.value) : "-",
        this.received(node),
        this.grad(id, this.first),
        this.gradNow(id),
      ];
    });
    return aligned([titles, ...rows]);
  }

  private received(node: RecordNode): string {
    const got = arrived(this.state, node.id);
    const count = `${got}/${this.scene.expected(node.id)}`;
    return got ? `${this.value(this.state.total[node.id]?.[0])}, ${count}` : count;
  }

  grad(id: string, state: State): string {
    return this.value(state.grads[id]?.value);
  }

  private gradNow(id: string): string {
    const old = this.first.grads[id];
    const now = this.state.grads[id];
    let text = this.grad(id, this.state);
    if (old?.value && now?.value && this.state.status[id] === "done")
      text = this.say(old.object === now.object ? "text.same_tensor" : "text.new_tensor", { value: text });
    if (now?.shares) text = this.say("text.shares", { value: text, who: visible(now.shares) });
    return now?.value && now.strides ? `${text}, ${stridesText(now.strides, this.catalogue)}` : text;
  }

  error(): string[] {
    const error = this.state.error;
    if (!error) return [];
    const cause = error.say.map((each) => this.say(each.id, each.args ?? {})).join(" ");
    const found = error.repairs ?? [];
    const repairs = found.map((each) => `  ${this.say(each.id, each.args ?? {})}`);
    const title = found.length ? [this.say("repair.title")] : [];
    return [cause, `${visible(error.class)}: ${visible(error.message)}`, ...title, ...repairs].filter(
      Boolean,
    );
  }

  notes(): string[] {
    const lines = Object.entries(this.state.wrong ?? {}).map(([id, mark]) => {
      const value = { got: this.value(mark.got), expected: this.value(mark.expected) };
      return this.say("text.wrong", { who: this.who(id), value: this.say("text.instead", value) });
    });
    if (this.scene.head.nodes.some((node) => node.saved.length > 0))
      lines.push(this.say("text.bytes", { bytes: `${this.state.bytes} B` }));
    for (const [id, hooks] of Object.entries(this.state.hooks ?? {}))
      if (hooks.length > 0) lines.push(this.say("text.hooks", { who: this.who(id), what: hooks }));
    if (this.state.outside.length)
      lines.push(this.say("text.outside", { what: this.state.outside.map(visible) }));
    for (const edit of this.scene.head.edits ?? []) {
      if (edit.step > this.state.step) continue;
      const args = { before: this.value(edit.before), after: this.value(edit.after) };
      const id = edit.repair ? "text.repaired" : edit.key === null ? "text.edited" : "text.edited_saved";
      lines.push(this.say(id, { step: edit.step, who: this.who(edit.node), ...args }));
    }
    const { directions } = this.scene.head.options;
    if (directions !== undefined) lines.push(this.say("text.directions.rows", { n: directions }));
    const simulated = this.scene.head.simulated ?? [];
    if (simulated.length) lines.push(this.say("text.simulated", { what: simulated.map(visible) }));
    const { engine, recorded } = this.scene.head;
    if (engine === "torch" || engine === "torch_by_hand") lines.push(...engineLines(this, engine));
    else if (!recorded) lines.push(this.say("text.unrecorded"));
    return [...new Set(lines)];
  }
}
