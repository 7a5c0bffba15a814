// Big graphs: the pass in groups that can be read, one of them open. The kernel makes them (`trace/groups.py`); this is
// the list of them with a breadcrumb and a search. The picture beside it is the open group's.

import type { Catalogue } from "./catalogue";
import { code, h, set, shorten, visible } from "./dom";
import type { Frame } from "./frame";
import { GroupRows } from "./group_rows";
import { icon, STATUS_ICON } from "./icons";
import type { GroupPart, State } from "./record";
import type { Scene } from "./scene";
import type { Session } from "./session";

export const LARGEST_WHOLE = 60;
const MOST_FOUND = 12;

/** A row of the list, and what it says now. */
interface Row {
  group: GroupPart;
  button: HTMLButtonElement;
  said: string;
}

export class Groups {
  readonly element = h("div", { class: "groups", hidden: true });
  private readonly crumbs = h("nav", { class: "crumbs" });
  private readonly search = h("input", { type: "search", autocomplete: "off" });
  private readonly found = h("div", { class: "found" });
  private readonly list = h("div", { class: "group-list", role: "group" });
  private readonly rows = new GroupRows((node) => this.onSelect(node));
  private tree = new Tree([]);
  private open: GroupPart | null = null;
  private followed: GroupPart | null = null;
  private entries: Row[] = [];
  private scene: Scene | null = null;
  private drawnScene: { of: Scene; layout: unknown; scene: Scene } | null = null;
  private frame: Frame | null = null;
  /** What the list was last built for. */
  private drawn: unknown[] = [];

  constructor(
    private readonly session: Session,
    private readonly onSelect: (node: string) => void,
    private readonly onChange: () => void,
  ) {
    this.search.addEventListener("input", () => this.drawFound());
    const line = h("div", { class: "line" }, this.search);
    set(this.element, this.crumbs, line, this.found, this.list, this.rows.element);
  }

  /** Too many nodes for one picture? */
  static needed(frame: Frame): boolean {
    return frame.scene.head.nodes.length > LARGEST_WHOLE;
  }

  find(): void {
    this.search.focus();
  }

  /** Is there a picture of the open group? */
  get hasPicture(): boolean {
    return this.open !== null && Boolean(this.session.layoutOf(this.open.id));
  }

  /** The frame of the picture: of a small graph the whole, else the open group. */
  picture(frame: Frame): Frame {
    this.element.hidden = !Groups.needed(frame);
    if (this.element.hidden) return frame;
    this.update(frame);
    const layout = this.open && this.session.layoutOf(this.open.id);
    if (!layout) return frame;
    if (this.drawnScene?.of !== frame.scene || this.drawnScene.layout !== layout)
      this.drawnScene = { of: frame.scene, layout, scene: frame.scene.part(layout) };
    return { ...frame, scene: this.drawnScene.scene };
  }

  /** Ids of the nodes of the open group; null: the graph is small, or no group of nodes is open. */
  near(frame: Frame): Set<string> | null {
    if (!Groups.needed(frame) || !this.open?.nodes.length) return null;
    const leaves = this.open.nodes.flatMap((id) => frame.scene.edgesFrom.get(id) ?? []);
    return new Set([...this.open.nodes, ...leaves.map((edge) => edge.to)]);
  }

  private update(frame: Frame): void {
    this.frame = frame;
    if (this.scene !== frame.scene) {
      this.scene = frame.scene;
      this.tree = new Tree(frame.scene.head.groups ?? []);
      this.open = this.followed = null;
    }
    this.follow(frame);
    const level = this.tree.level(this.open);
    const drawn = [this.tree, this.open, frame.catalogue];
    if (drawn.some((each, k) => each !== this.drawn[k])) this.build(level, frame);
    this.drawn = drawn;
    for (const row of this.entries) this.say(row, frame);
    this.rows.element.hidden = this.hasPicture || !this.open?.nodes.length;
    if (!this.rows.element.hidden) this.rows.update(this.open!.nodes, frame);
  }

  /** The group that the shown node is in opens when the pass, or the learner, comes into it. */
  private follow(frame: Frame): void {
    const now = this.tree.groupOf(frame.shown);
    if (now === this.followed) return;
    this.followed = now;
    this.show(now);
  }

  private show(group: GroupPart | null): void {
    this.open = group;
    if (group?.nodes.length) this.session.askLayout(group.id);
  }

  /** Breadcrumb and list anew: another level is shown, or another language spoken. */
  private build(level: GroupPart | null, frame: Frame): void {
    const { catalogue } = frame;
    const at = this.element.querySelector<HTMLElement>(":focus")?.dataset.at;
    const label = catalogue.text("ui.groups.find");
    this.search.setAttribute("aria-label", label);
    this.search.setAttribute("placeholder", label);
    this.crumbs.setAttribute("aria-label", catalogue.text("ui.groups.way"));
    this.list.setAttribute("aria-label", catalogue.text("ui.groups"));
    const way = [null, ...this.tree.way(this.open)];
    set(this.crumbs, h("ol", {}, ...way.map((each, k) => this.crumb(each, k === way.length - 1, catalogue))));
    this.entries = this.tree.inside(level).map((group) => this.row(group, frame));
    set(this.list, ...this.entries.map((row) => row.button));
    if (at) this.element.querySelector<HTMLElement>(`[data-at="${at}"]`)?.focus();
    this.reveal();
  }

  /** Scrolls the list, and only the list, to the open group. */
  private reveal(): void {
    const button = this.entries.find((row) => row.group === this.open)?.button;
    if (!button) return;
    const { offsetTop, offsetHeight } = button;
    const { scrollTop, clientHeight } = this.element;
    const top = offsetTop - this.element.offsetTop;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + offsetHeight > scrollTop + clientHeight)
      this.element.scrollTop = top + offsetHeight - clientHeight;
  }

  private crumb(group: GroupPart | null, last: boolean, catalogue: Catalogue): HTMLElement {
    const name = group ? nameOf(group, catalogue) : catalogue.text("ui.groups.all");
    const attributes = {
      type: "button",
      "data-at": `c${group?.id}`,
      "aria-current": last ? "true" : null,
      title: name,
    };
    const button = h("button", attributes, group?.stretch ? name : code(name, 24));
    button.addEventListener("click", () => this.enter(group, `c${group?.id}`));
    return h("li", {}, button);
  }

  private row(group: GroupPart, frame: Frame): Row {
    const isOpen = group === this.open;
    const attributes = {
      type: "button",
      class: `group-head${isOpen ? " is-here" : ""}`,
      "data-at": group.id,
      "aria-current": isOpen ? "true" : null,
      title: nameOf(group, frame.catalogue),
    };
    const button = h("button", attributes);
    button.addEventListener("click", () => this.enter(group, group.id));
    return { group, button, said: "" };
  }

  /** What a row says of its group's state; drawn only where that has changed. */
  private say(row: Row, frame: Frame): void {
    const { catalogue, state } = frame;
    const nodes = this.tree.nodesIn(row.group);
    const done = nodes.filter((id) => state.status[id] === "done").length;
    const status = statusOf(nodes, done, state);
    const said = `${status} ${done}`;
    if (said === row.said) return;
    row.said = said;
    const word = catalogue.text(`status.${status === "partly" ? "waiting" : status}`);
    const name = nameOf(row.group, catalogue);
    const [sign, tone] = STATUS_ICON[status]!;
    const count = catalogue.text("ui.groups.done", { done, of: nodes.length });
    set(
      row.button,
      icon(sign, tone),
      h("span", { class: "unseen" }, `${word} `),
      row.group.stretch ? h("span", {}, name) : code(name, 28),
      h("span", { class: "gap" }),
      h("span", { class: "quiet small num", "aria-hidden": "true" }, `${done}/${nodes.length}`),
      h("span", { class: "unseen" }, ` ${count}`),
      !row.group.nodes.length && icon("shut", "c-2"),
    );
  }

  /** Opens a group by hand; the list stays where it is, or goes one level down. */
  private enter(group: GroupPart | null, at: string): void {
    this.show(group);
    this.onChange();
    const there = this.element.querySelector<HTMLElement>(`[data-at="${at}"]`) ?? this.entries[0]?.button;
    there?.focus();
  }

  private drawFound(): void {
    const frame = this.frame;
    const words = this.search.value.trim().toLowerCase();
    if (!frame || words === "") return set(this.found);
    const hits = frame.scene.head.nodes.filter((node) =>
      [
        frame.scene.name(node.id),
        node.source,
        node.name,
        node.module,
        ...(node.calls ?? []).map(([, name]) => name),
      ].some((each) => each?.toLowerCase().includes(words)),
    );
    const buttons = hits.slice(0, MOST_FOUND).map((node) => {
      const button = h("button", { type: "button", class: "btn line" }, code(frame.scene.name(node.id), 30));
      button.addEventListener("click", () => this.onSelect(node.id));
      return button;
    });
    const count = frame.catalogue.text("ui.groups.found", { n: hits.length });
    set(this.found, h("span", { class: "quiet small", role: "status" }, count), ...buttons);
  }
}

/** The groups as a tree. */
class Tree {
  private readonly byId = new Map<string, GroupPart>();
  private readonly children = new Map<string | null, GroupPart[]>();
  private readonly ofNode = new Map<string, GroupPart>();
  private readonly all = new Map<string, string[]>();

  constructor(groups: GroupPart[]) {
    for (const group of groups) {
      this.byId.set(group.id, group);
      this.children.set(group.parent, [...(this.children.get(group.parent) ?? []), group]);
      for (const node of group.nodes) this.ofNode.set(node, group);
    }
    for (const group of [...groups].reverse())
      this.all.set(group.id, [...group.nodes, ...this.inside(group).flatMap((each) => this.nodesIn(each))]);
  }

  /** The groups in a group; of null those of the first level. */
  inside(group: GroupPart | null): GroupPart[] {
    return this.children.get(group?.id ?? null) ?? [];
  }

  /** All nodes of a group and of those in it. */
  nodesIn(group: GroupPart): string[] {
    return this.all.get(group.id) ?? [];
  }

  groupOf(node: string | null): GroupPart | null {
    return (node !== null && this.ofNode.get(node)) || null;
  }

  /** The groups from the first level down to this one. */
  way(group: GroupPart | null): GroupPart[] {
    const way: GroupPart[] = [];
    for (let at = group; at; at = this.byId.get(at.parent ?? "") ?? null) way.unshift(at);
    return way;
  }

  /** The group whose inside is listed: a group of groups itself, else the one it lies in. */
  level(open: GroupPart | null): GroupPart | null {
    return open?.nodes.length ? (this.byId.get(open.parent ?? "") ?? null) : open;
  }
}

function nameOf(group: GroupPart, catalogue: Catalogue): string {
  if (!group.stretch) return shorten(visible(group.name), 60);
  const [from, to] = group.stretch;
  return catalogue.text("ui.groups.stretch", { from, to });
}

function statusOf(nodes: string[], done: number, state: State): string {
  const some = (status: string) => nodes.some((id) => state.status[id] === status);
  if (some("failed")) return "failed";
  if (some("next")) return "next";
  if (done === nodes.length) return "done";
  return done ? "partly" : "waiting";
}
