// The graph pane: built once per record from the layout's coordinates, afterwards only restyled. It is never laid out again.

import type { Layout, Summary } from "./record";
import { h, s, set, shorten, visible } from "./dom";
import { cutMarks } from "./cuts";
import { endMarks } from "./ends";
import { icon, type IconName } from "./icons";
import { chip, chipText, type LaneView, makeLane, markers } from "./graph_lane";
import { type BoxView, makeBox } from "./graph_box";
import { PanZoom } from "./panzoom";
import { SecondGraph, secondHeight, wholeWidth } from "./second_graph";
import { reducedMotion, Ride, type Rider } from "./motion";
import { valueText } from "./text_words";
import type { Frame } from "./frame";

const TALLEST = 620;
const PADDING = 10;
const ROOM = 540; // beside the inspector

export class GraphPane {
  readonly element = h("div", { class: "picture" });
  /** Buttons for the picture's size; they stand in the line above it. */
  readonly zoom = h("div", { class: "zoom", role: "group" });
  private boxes: BoxView[] = [];
  private lanes: LaneView[] = [];
  private captions = s("g", { "aria-hidden": "true" });
  private riders = s("g", { "aria-hidden": "true" });
  private view: PanZoom | null = null;
  private ride: Ride | null = null;
  private last: Frame | null = null;
  private layout: Layout | null = null;
  private second: SecondGraph | null = null;

  constructor(
    private readonly prefix: string,
    private readonly onSelect: (node: string | null) => void,
  ) {
    this.element.addEventListener("focusin", (event) => this.focused(event.target as Element));
  }

  /** Draws a record's graph from scratch. */
  build(frame: Frame): void {
    this.ride?.finish();
    const layout = (this.layout = frame.scene.head.layout);
    if (!layout) {
      this.element.replaceChildren(h("p", { class: "quiet" }, frame.catalogue.text("ui.graph.too_large")));
      return;
    }
    this.lanes = layout.lanes.map((lane) => makeLane(lane, this.prefix));
    const isLeaf = (id: string) => frame.scene.nodes.get(id)?.kind === "leaf";
    this.boxes = layout.boxes
      .filter((box) => frame.scene.nodes.has(box.node))
      .map((box) => makeBox(box, layout.slots[box.id] ?? [], isLeaf(box.node)));
    this.second = new SecondGraph(layout, this.prefix);
    const layer = this.layers(layout, frame);
    const size = {
      width: wholeWidth(layout, frame),
      height: layout.height,
      first: layout.width,
      above: Math.max(0, secondHeight(frame) - layout.height),
    };
    this.element.classList.toggle("is-wide", size.width > layout.width && size.width > ROOM);
    const svg = s(
      "svg",
      {
        class: "g",
        height: Math.min(TALLEST, size.height + size.above + 2 * PADDING),
        role: "group",
        "aria-label": frame.catalogue.text("text.picture"),
      },
      markers(this.prefix),
      layer,
    );
    layer.addEventListener("click", (event) => this.clicked(event.target as Element));
    this.element.replaceChildren(svg);
    set(this.zoom, ...this.zoomButtons(frame));
    this.view = new PanZoom(svg, layer, size);
    this.view.home();
  }

  /** From back to front: lanes, bodies, words and slots, captions, standing chips, riding chips. */
  private layers(layout: Layout, frame: Frame): SVGGElement {
    const hidden = { class: "labels", "aria-hidden": "true" };
    const list = {
      role: "listbox",
      "aria-label": frame.catalogue.text("ui.graph.nodes"),
      "aria-orientation": "vertical",
    };
    this.riders = s("g", hidden);
    return s(
      "g",
      {},
      this.still(layout),
      this.second!.element,
      s("g", list, ...this.inOrder(frame)),
      s("g", hidden, ...this.boxes.map((box) => box.words)),
      this.captions,
      s("g", hidden, ...this.lanes.map((lane) => lane.chip)),
      this.riders,
    );
  }

  /** The width has changed. */
  resize(): void {
    this.view?.home();
    if (this.last) this.look(this.last);
  }

  update(frame: Frame): void {
    this.last = frame;
    for (const lane of this.lanes) lane.update(frame);
    for (const box of this.boxes) box.update(frame);
    this.second?.update(frame);
    this.updateTabStop(frame);
    this.drawCaptions(frame);
    this.look(frame);
  }

  /** At the start the root's end is seen; later the shown node. */
  private look(frame: Frame): void {
    if (frame.state.step > 0 || frame.selected !== null) this.revealShown(frame);
  }

  /** Brings the shown node into view, with the boxes it sends to where both fit. */
  private revealShown(frame: Frame): void {
    const boxes = this.layout?.boxes ?? [];
    const shown = boxes.find((box) => box.node === frame.shown);
    if (!shown) return;
    const edges = new Set(frame.scene.edgesFrom.get(shown.node)?.map((edge) => edge.id));
    const targets = new Set(
      this.lanes.filter(({ lane }) => edges.has(lane.edge)).map(({ lane }) => lane.box),
    );
    this.view?.reveal(shown, ...boxes.filter((box) => targets.has(box.id)));
  }

  /** Lets the gradients of a step ride from the state before it to the state after it, then shows the latter. */
  play(before: Frame, after: Frame): void {
    this.finish();
    const sent = new Set(Object.keys(after.state.sent).filter((edge) => !(edge in before.state.sent)));
    const lanes = this.lanes.filter((lane) => sent.has(lane.lane.edge));
    if (lanes.length === 0 || reducedMotion()) return this.update(after);
    const ran = after.state.ran ?? "";
    const status = { ...before.state.status, [ran]: after.state.status[ran] ?? "done" };
    this.update({
      ...before,
      shown: after.shown,
      state: { ...before.state, status, sent: after.state.sent, next: null },
    });
    const riders: Rider[] = lanes.map((lane) => {
      const text = chipText(after.state.sent[lane.lane.edge] ?? null, lane.lane.room, after);
      const element = s("g", { class: "rides" }, ...chip(0, 0, text, "full", after));
      this.riders.append(element);
      return { lane, element };
    });
    this.ride = new Ride(riders, () => {
      this.ride = null;
      this.update(after);
    });
  }

  /** Ends a ride at once (the learner stepped again). */
  finish(): void {
    this.ride?.finish();
  }

  /** Arrow keys in the picture: the node that runs earlier (-1) or later (+1). False when focus is not on a node. */
  moveFocus(by: number): boolean {
    const at = this.boxes.findIndex((box) => box.element === this.element.querySelector(".box:focus"));
    if (at < 0) return false;
    const to = this.boxes[Math.max(0, Math.min(this.boxes.length - 1, at + by))]!;
    to.element.focus();
    return true;
  }

  zoomKey(key: string): boolean {
    if (key === "+" || key === "=") this.view?.zoom(1.2);
    else if (key === "-") this.view?.zoom(1 / 1.2);
    else if (key === "0") this.view?.home(true);
    else return false;
    return true;
  }

  private inOrder(frame: Frame): SVGGElement[] {
    const rank = new Map(frame.scene.head.nodes.map((node, k) => [node.id, k]));
    this.boxes.sort((a, b) => (rank.get(a.box.node) ?? 0) - (rank.get(b.box.node) ?? 0));
    return this.boxes.map((box) => box.element);
  }

  private still(layout: Layout): SVGGElement {
    const seeds = Object.entries(layout.seed).map(([, d]) =>
      s("path", { class: "back sent", d, "marker-end": `url(#${this.prefix}back)` }),
    );
    const ties = layout.ties.map((d) => s("path", { class: "tie", d }));
    return s("g", { "aria-hidden": "true" }, ...this.lanes.map((lane) => lane.lines), ...seeds, ...ties);
  }

  private drawCaptions(frame: Frame): void {
    const texts = (this.layout?.texts ?? []).map((text) => {
      const seed = frame.state.received[text.node ?? ""]?.flat().find((each) => each.edge === null);
      if (text.node !== null && text.id === "text.starts" && !seed?.value) return null;
      const root = frame.scene.head.roots.length === 1 ? frame.scene.head.root : frame.scene.name(text.node);
      const args = {
        n: frame.scene.head.options.directions ?? 0,
        root: shorten(visible(root ?? frame.catalogue.text("title.output")), 8),
        value: seed?.value ? valueText(seed.value, 20, frame.catalogue) : "-",
        who: text.edges ? this.others(text.id, text.edges, frame) : "-",
      };
      return s(
        "text",
        { class: "cap", x: text.x, y: text.y },
        frame.catalogue.text(captionId(text.id, seed?.value, frame), args).slice(0, 60),
      );
    });
    const captions = texts.filter((text): text is SVGTextElement => text !== null);
    const cut = this.lanes.filter((lane) => lane.back.classList.contains("cut"));
    const last = cut.reduce<LaneView | null>(
      (best, lane) => (!best || lane.lane.dock[0] > best.lane.dock[0] ? lane : best),
      null,
    );
    if (last)
      captions.push(
        s(
          "text",
          { class: "cap", x: last.lane.dock[0] + 14, y: (last.lane.dock[1] + last.lane.chip[1]) / 2 + 6 },
          frame.catalogue.text("text.nothing_sent"),
        ),
      );
    const marks = cutMarks(
      this.lanes.map((each) => each.lane),
      frame,
    );
    const ends = this.layout ? endMarks(this.layout, frame) : [];
    this.captions.replaceChildren(...captions, ...marks, ...ends);
  }

  /** At the border of a part: who sends to it, and to whom it sends. */
  private others(id: string, edges: string[], frame: Frame): string {
    const end = id === "text.part.from" ? "from" : "to";
    const names = edges.map((edge) => frame.scene.name(frame.scene.edges.get(edge)?.[end] ?? null));
    return shorten([...new Set(names)].join(", "), 28);
  }

  /** One tab stop for the whole picture: the node that is shown. */
  private updateTabStop(frame: Frame): void {
    const stop =
      this.boxes.find((box) => box.element.matches(":focus")) ??
      this.boxes.find((box) => box.box.node === frame.shown) ??
      this.boxes[0];
    for (const box of this.boxes) box.element.setAttribute("tabindex", box === stop ? "0" : "-1");
  }

  private focused(target: Element): void {
    const box = this.boxes.find((each) => each.element === target);
    if (!box || !target.matches(":focus-visible")) return;
    this.view?.reveal(box.box);
    this.onSelect(box.box.node);
  }

  private clicked(target: Element): void {
    const part = target.closest("[data-node], [data-words]");
    const node = part?.getAttribute("data-node") ?? part?.getAttribute("data-words") ?? null;
    if (node) this.onSelect(node);
  }

  private zoomButtons(frame: Frame): HTMLElement[] {
    this.zoom.setAttribute("aria-label", frame.catalogue.text("ui.zoom"));
    const button = (name: IconName, action: () => void) => {
      const label = frame.catalogue.text(`ui.zoom.${name}`);
      const element = h(
        "button",
        { class: "btn icon small", type: "button", "aria-label": label, title: label },
        icon(name),
      );
      element.addEventListener("click", action);
      return element;
    };
    return [
      button("minus", () => this.view?.zoom(1 / 1.2)),
      button("plus", () => this.view?.zoom(1.2)),
      button("fit", () => this.view?.fit()),
    ];
  }
}

/** Which words stand where the pass starts: a derivative that is 1, given weights, or many directions. */
function captionId(id: string, seed: Summary | null | undefined, frame: Frame): string {
  if (id !== "text.starts") return id;
  if (frame.scene.head.options.directions !== undefined) return "text.starts_directions";
  return seed?.label === "norm" ? "text.starts_many" : id;
}
