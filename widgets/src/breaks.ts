// Breakpoints: the list, a form to add one, and the sentence that says why a run has stopped.

import type { Args, Head, Sentence } from "./record";
import { h, s, set } from "./dom";
import { icon } from "./icons";
import type { Box } from "./record";
import type { Frame } from "./frame";

/** What a run may stop at; the vocabulary is closed (`autodidact/trace/breakpoints.py`). */
export interface Breakpoint {
  kind: "node" | "op" | "leaf" | "line" | "norm" | "nan";
  value: string | number | null;
  say?: Sentence;
}

const KINDS = ["op", "leaf", "line", "norm", "nan"] as const;
type Kind = (typeof KINDS)[number];

export interface BreakActions {
  toggle(point: Breakpoint): void;
  remove(index: number): void;
}

/** Values that a kind can have in this graph; null: a number to be typed in. */
function choices(kind: Kind, head: Head): (string | number)[] | null {
  const nodes = head.nodes;
  const all =
    kind === "op"
      ? nodes.filter((node) => node.kind !== "leaf").map((node) => node.name)
      : kind === "leaf"
        ? nodes.filter((node) => node.kind === "leaf").map((node) => node.var ?? "")
        : kind === "line"
          ? nodes.map((node) => node.where?.line ?? 0).sort((a, b) => a - b)
          : null;
  return all && [...new Set<string | number>(all)].filter((each) => each !== "" && each !== 0);
}

export class BreakPanel {
  readonly element = h("div", { class: "breaks", hidden: true });
  private kind: Kind = "op";
  private key = "";

  constructor(private readonly actions: BreakActions) {}

  get open(): boolean {
    return !this.element.hidden;
  }

  show(open: boolean, frame: Frame, points: Breakpoint[]): void {
    this.element.hidden = !open;
    this.key = "";
    this.update(frame, points);
    if (open) this.element.querySelector<HTMLElement>("select")?.focus();
  }

  update(frame: Frame, points: Breakpoint[]): void {
    const key = JSON.stringify([points, this.kind, frame.scene.head.root, frame.scene.head.nodes.length]);
    if (!this.open || key === this.key) return;
    this.key = key;
    const { catalogue } = frame;
    const held = this.element.contains(this.element.ownerDocument.activeElement);
    set(
      this.element,
      h("h4", {}, catalogue.text("ui.breaks")),
      points.length
        ? h("ul", {}, ...points.map((point, k) => this.item(point, k, frame)))
        : h("p", { class: "quiet small" }, catalogue.text("ui.breaks.none")),
      this.form(frame, points),
    );
    if (held) this.element.querySelector<HTMLElement>("select")?.focus();
  }

  private item(point: Breakpoint, k: number, frame: Frame): HTMLElement {
    const { catalogue } = frame;
    const what = point.say ? catalogue.text(point.say.id, point.say.args ?? {}) : point.kind;
    const label = catalogue.text("ui.breaks.remove", { what });
    const button = h(
      "button",
      { class: "btn icon small", type: "button", "aria-label": label, title: label },
      icon("minus"),
    );
    button.addEventListener("click", () => this.actions.remove(k));
    return h("li", {}, icon("point", "c-bad"), h("span", {}, what), button);
  }

  /** Kind, value, Add. */
  private form(frame: Frame, points: Breakpoint[]): HTMLElement {
    const { catalogue, scene } = frame;
    const kinds = h("select", { class: "speed", "aria-label": catalogue.text("ui.breaks.kind") });
    for (const kind of KINDS)
      kinds.append(
        h("option", { value: kind, selected: kind === this.kind }, catalogue.text(`ui.breaks.kind.${kind}`)),
      );
    kinds.addEventListener("change", () => {
      this.kind = kinds.value as Kind;
      this.key = "";
      this.update(frame, points);
    });
    const value = this.valueField(scene.head, catalogue.text("ui.breaks.value"));
    const add = h("button", { class: "btn line", type: "submit" }, catalogue.text("ui.breaks.add"));
    const form = h("form", {}, kinds, value, add);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.actions.toggle({ kind: this.kind, value: this.read(value?.value ?? "") });
    });
    return form;
  }

  private valueField(head: Head, label: string): HTMLInputElement | HTMLSelectElement | null {
    if (this.kind === "nan") return null;
    const found = choices(this.kind, head);
    if (found === null)
      return h("input", {
        type: "number",
        class: "speed",
        step: "any",
        value: 100,
        required: true,
        "aria-label": label,
      });
    const field = h("select", { class: "speed code", "aria-label": label });
    for (const each of found) field.append(h("option", { value: each }, String(each).slice(0, 60)));
    return field;
  }

  private read(text: string): string | number | null {
    if (this.kind === "nan") return null;
    return this.kind === "line" || this.kind === "norm" ? Number(text) : text;
  }
}

/** The breakpoints and the reason for this stop, as lines of the text form. */
export function breakLines(frame: Frame, points: Breakpoint[], halted: Sentence[]): string {
  if (points.length === 0) return "";
  const say = (id: string, args: Args) => frame.catalogue.text(id, args);
  const what = points.map((point) => point.say ?? point.kind);
  const lines = [say("break.list", { what }), ...halted.map((each) => say(each.id, each.args ?? {}))];
  return ["", ...lines, ""].join("\n");
}

/** Ids of the nodes that a run stops before. */
export function stopsBefore(frame: Frame): Set<string> {
  const meant = frame.scene.head.nodes.filter((node) => frame.breaks.some((point) => meets(point, node)));
  return new Set(meant.map((node) => node.id));
}

function meets({ kind, value }: Breakpoint, node: Head["nodes"][number]): boolean {
  if (kind === "node") return node.id === value;
  if (kind === "leaf") return node.kind === "leaf" && node.var === value;
  if (kind === "line") return node.where?.line === value;
  return (
    kind === "op" && node.kind !== "leaf" && (value === node.name || value === node.name.replace(/\d+$/, ""))
  );
}

/** A filled dot outside the box's left edge. */
export function breakMark(box: Box, frame: Frame): SVGElement[] {
  if (!stopsBefore(frame).has(box.node)) return [];
  return [s("circle", { class: "break-mark", cx: box.x - 9, cy: box.y + box.h / 2, r: 5 })];
}
