// Big graphs: nodes in groups (by module, else by the line of the program that made them), opened and closed by hand,
// and found by name. It stands in place of the picture where that would be too large to be read.

import { code, h, set, visible } from "./dom";
import type { Frame } from "./frame";
import { icon, STATUS_ICON } from "./icons";
import type { RecordNode } from "./record";
import { arrived, fineStatus, type Scene } from "./scene";
import { savedCount } from "./saved_count";
import { valueText } from "./text_words";

export const LARGEST_WHOLE = 60;
const MOST_ROWS = 40;
const MOST_FOUND = 12;

interface Group {
  key: string;
  name: string;
  nodes: RecordNode[];
}

/** Runs of neighbouring nodes that come from one module, or from one line; leaves go with the node that uses them. */
export function groupsOf(scene: Scene): Group[] {
  const groups: Group[] = [];
  const inOrder = scene.head.nodes.filter((node) => node.kind !== "leaf");
  const group = new Map<string, Group>();
  for (const node of inOrder) {
    const key = groupKey(node);
    const last = groups[groups.length - 1];
    if (last?.key === key) last.nodes.push(node);
    else groups.push({ key, name: "", nodes: [node] });
    group.set(node.id, groups[groups.length - 1]!);
  }
  for (const each of groups) each.name = groupName(each.nodes);
  for (const leaf of scene.head.nodes.filter((node) => node.kind === "leaf")) {
    const user = scene.edgesTo.get(leaf.id)?.[0]?.from;
    (group.get(user ?? "") ?? groups[0])?.nodes.push(leaf);
  }
  return groups;
}

/** What nodes of one group share: the module, else the line of the program. */
function groupKey(node: RecordNode): string {
  if (node.module) return `module ${node.module}`;
  const { cell, file, line } = node.where ?? { cell: null, file: null, line: null };
  return line === null ? `node ${node.source ?? node.name}` : `line ${cell} ${file} ${line}`;
}

/** What a group is called: its module, or the longest piece of its line. */
function groupName(nodes: RecordNode[]): string {
  const first = nodes[0]!;
  if (first.module) return visible(first.module);
  const pieces = nodes.map((node) => node.source ?? "").sort((a, b) => b.length - a.length);
  return visible(pieces[0] || first.name);
}

export class Groups {
  readonly element = h("div", { class: "groups", hidden: true });
  private readonly search = h("input", { type: "search", autocomplete: "off" });
  private readonly found = h("div", { class: "found" });
  private readonly list = h("div", { class: "group-list" });
  private readonly open = new Set<Group>();
  private groups: Group[] = [];
  private scene: Scene | null = null;
  private frame: Frame | null = null;
  private followed: Group | null = null;

  constructor(private readonly onSelect: (node: string) => void) {
    this.search.addEventListener("input", () => this.drawFound());
    set(this.element, h("div", { class: "line" }, this.search), this.found, this.list);
  }

  /** Too many nodes for one picture? */
  static needed(frame: Frame): boolean {
    return frame.scene.head.nodes.length > LARGEST_WHOLE;
  }

  find(): void {
    this.search.focus();
  }

  update(frame: Frame): void {
    this.frame = frame;
    if (this.scene !== frame.scene) {
      this.scene = frame.scene;
      this.groups = groupsOf(frame.scene);
      this.open.clear();
      this.followed = null;
    }
    const label = frame.catalogue.text("ui.groups.find");
    this.search.setAttribute("aria-label", label);
    this.search.setAttribute("placeholder", label);
    this.follow(frame);
    const focused = this.list.querySelector<HTMLElement>(":focus")?.dataset.at;
    set(this.list, ...this.groups.map((group, k) => this.group(group, k, frame)));
    if (focused) this.list.querySelector<HTMLElement>(`[data-at="${focused}"]`)?.focus();
  }

  /** The group of the shown node opens by itself, and closes by itself when the pass has left it. */
  private follow(frame: Frame): void {
    const now = this.groups.find((group) => group.nodes.some((node) => node.id === frame.shown)) ?? null;
    if (now === this.followed) return;
    if (this.followed) this.open.delete(this.followed);
    this.followed = now && !this.open.has(now) ? now : null;
    if (now) this.open.add(now);
  }

  private group(group: Group, k: number, frame: Frame): HTMLElement {
    const { state, catalogue } = frame;
    const done = group.nodes.filter((node) => state.status[node.id] === "done").length;
    const here = group.nodes.some((node) => node.id === frame.shown);
    const failed = group.nodes.some((node) => state.status[node.id] === "failed");
    const next = group.nodes.some((node) => state.status[node.id] === "next");
    const status = failed
      ? "failed"
      : next
        ? "next"
        : done === group.nodes.length
          ? "done"
          : done
            ? "partly"
            : "waiting";
    const isOpen = this.open.has(group);
    const word = catalogue.text(`status.${status === "partly" ? "waiting" : status}`);
    const head = h(
      "button",
      {
        type: "button",
        class: `group-head${here ? " is-here" : ""}`,
        "aria-expanded": String(isOpen),
        "data-at": `g${k}`,
      },
      icon(isOpen ? "open" : "shut", "c-2"),
      icon(...STATUS_ICON[status]!),
      h("span", { class: "unseen" }, word),
      code(group.name, 60),
      h("span", { class: "gap" }),
      h(
        "span",
        { class: "quiet small num" },
        catalogue.text("ui.groups.done", { done, of: group.nodes.length }),
      ),
    );
    head.addEventListener("click", () => this.toggle(group, k));
    return h("div", { class: "group" }, head, isOpen && this.rows(group, frame));
  }

  private toggle(group: Group, k: number): void {
    if (!this.open.delete(group)) this.open.add(group);
    if (group === this.followed) this.followed = null;
    if (this.frame) this.update(this.frame);
    this.list.querySelector<HTMLElement>(`[data-at="g${k}"]`)?.focus();
  }

  /** The nodes of a group; of a long one those around the shown node. */
  private rows(group: Group, frame: Frame): HTMLElement {
    const at = Math.max(
      0,
      group.nodes.findIndex((node) => node.id === frame.shown),
    );
    const from = Math.max(0, Math.min(at - MOST_ROWS / 2, group.nodes.length - MOST_ROWS));
    const shown = group.nodes.slice(from, from + MOST_ROWS);
    const more = (n: number) =>
      n > 0 ? h("li", { class: "quiet small" }, frame.catalogue.text("compare.more", { n })) : null;
    return h(
      "ol",
      {},
      more(from),
      ...shown.map((node) => this.row(node, frame)),
      more(group.nodes.length - from - shown.length),
    );
  }

  private row(node: RecordNode, frame: Frame): HTMLElement {
    const { state, catalogue, scene } = frame;
    const total = state.total[node.id]?.[0] ?? null;
    const received = arrived(state, node.id) > 0 ? valueText(total, 20, catalogue) : "";
    const button = h(
      "button",
      { type: "button", class: `group-row${node.id === frame.shown ? " is-shown" : ""}`, "data-at": node.id },
      icon(...STATUS_ICON[fineStatus(state, node.id)]!),
      code(scene.name(node.id), 28),
      h("span", { class: "quiet small" }, visible(node.name)),
      h("span", { class: "gap" }),
      received && h("span", { class: "chip" }, received),
      node.kind !== "leaf" &&
        h("span", { class: "quiet small" }, savedCount(node, state, catalogue, scene.head).text),
    );
    button.addEventListener("click", () => this.onSelect(node.id));
    return h("li", {}, button);
  }

  private drawFound(): void {
    const frame = this.frame;
    const words = this.search.value.trim().toLowerCase();
    if (!frame || words === "") return set(this.found);
    const hits = frame.scene.head.nodes.filter((node) =>
      [frame.scene.name(node.id), node.source, node.name, node.module].some((each) =>
        each?.toLowerCase().includes(words),
      ),
    );
    const buttons = hits.slice(0, MOST_FOUND).map((node) => {
      const button = h("button", { type: "button", class: "btn line" }, code(frame.scene.name(node.id), 30));
      button.addEventListener("click", () => this.onSelect(node.id));
      return button;
    });
    set(
      this.found,
      h(
        "span",
        { class: "quiet small", role: "status" },
        frame.catalogue.text("ui.groups.found", { n: hits.length }),
      ),
      ...buttons,
    );
  }
}
