// The second graph beside the first: what the backward of each node has made, rising as the pass rises. A card for each
// made node stands next to its maker, in the order of making; nothing that stands there moves when another one comes.

import type { Box, Layout, MadeNode, Rect } from "./record";
import { s, visible } from "./dom";
import type { Frame } from "./frame";
import { fit, width } from "./measure";
import { shapeText, shortNumber } from "./scene";

const CARD = { w: 176, h: 38 };
const GAP = 12;
const AWAY = 64; // from the first graph's right edge: room for the links
const LABEL = 24; // for what is written at the right of a box
const TITLE = 60;
const OUT = 40; // for edges that pass other cards by

interface Place extends Rect {
  key: string;
  made: MadeNode;
}

/** Where the second graph begins: beside the boxes of the first; the room there for long labels may be used. */
function besideX(layout: Layout): number {
  const boxes = Math.max(...layout.boxes.map((box) => box.x + box.w));
  return Math.min(layout.width, boxes + LABEL) + AWAY;
}

/** How wide a picture is, with the room for a second graph. */
export function wholeWidth(layout: Layout, frame: Frame): number {
  if (!frame.scene.head.options.create_graph) return layout.width;
  return Math.max(layout.width, besideX(layout) + CARD.w + OUT);
}

/** How high the second graph will be, where all of it is known; else as high as three nodes for each operation. */
export function secondHeight(frame: Frame): number {
  if (!frame.scene.head.options.create_graph) return 0;
  const known = Object.keys(frame.state.second ?? {}).length;
  const operations = frame.scene.head.nodes.filter((node) => node.kind !== "leaf").length;
  return Math.max(known, frame.done ? 0 : 3 * operations) * (CARD.h + GAP) + TITLE;
}

export class SecondGraph {
  readonly element = s("g", { class: "second" });
  private drawn: unknown = null;

  constructor(
    private readonly layout: Layout,
    private readonly prefix: string,
  ) {}

  update(frame: Frame): void {
    const { second } = frame.state;
    const key = `${Object.keys(second ?? {}).length} ${frame.state.ran} ${frame.shown}`;
    if (this.drawn === key) return;
    this.drawn = key;
    const places = this.places(frame);
    if (places.length === 0) {
      this.element.replaceChildren();
      return;
    }
    const label = frame.catalogue.text("ui.second");
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", label);
    const top = Math.min(...places.map((place) => place.y));
    const title = s("text", { class: "cap", x: places[0]!.x, y: top - 10, "aria-hidden": "true" }, label);
    this.element.replaceChildren(
      title,
      ...places.map((place) => this.link(place)),
      ...places.flatMap((place) => this.edges(place, places)),
      ...places.map((place) => this.card(place, frame)),
    );
  }

  /** From below upwards, each maker's cards beside it or above those that are there. */
  private places(frame: Frame): Place[] {
    const x = besideX(this.layout);
    const places: Place[] = [];
    let floor = Infinity;
    let maker = "";
    for (const [key, made] of Object.entries(frame.state.second ?? {})) {
      const box = this.box(made.by);
      const beside = box && made.by !== maker ? box.y + box.h : Infinity;
      floor = Math.min(floor, beside, this.layout.height);
      maker = made.by;
      places.push({ key, made, x, y: floor - CARD.h, ...CARD });
      floor -= CARD.h + GAP;
    }
    return places;
  }

  private box(node: string): Box | undefined {
    return this.layout.boxes.find((box) => box.node === node);
  }

  /** A dotted tie from a made node to the node whose backward made it. */
  private link(place: Place): SVGElement {
    const box = this.box(place.made.by);
    if (!box) return s("path");
    const right = box.x + box.w;
    const to = { x: place.x - 2, y: place.y + place.h / 2 };
    const free = this.layout.boxes.every(
      (each) => each.x <= box.x || each.y > box.y + box.h || each.y + each.h < box.y,
    );
    // past the boxes of the same row: over their heads
    const [start, x, y] = free
      ? [`M${right + 2} ${box.y + box.h / 2}`, right + 2, box.y + box.h / 2]
      : [`M${right - 10} ${box.y}q0 -14 14 -14`, besideX(this.layout) - AWAY, box.y - 14];
    const middle = (x + to.x) / 2;
    const d = `${start}L${x} ${y}C${middle} ${y} ${middle} ${to.y} ${to.x} ${to.y}`;
    return s("path", { class: "tie", d, "aria-hidden": "true" });
  }

  /** Forward lines from what a made node takes, where that is a made node, too. */
  private edges(place: Place, places: Place[]): SVGElement[] {
    return place.made.to.flatMap((key) => {
      const from = places.find((each) => each.key === key);
      return from ? [this.edge(from, place)] : [];
    });
  }

  private edge(from: Place, to: Place): SVGElement {
    const steps = Math.round((from.y - to.y) / (CARD.h + GAP));
    const middle = from.x + CARD.w / 2;
    const out = from.x + CARD.w + Math.min(OUT - 6, 8 + 6 * steps);
    const side = from.x + CARD.w;
    const d =
      steps === 1
        ? `M${middle} ${from.y}V${to.y + CARD.h + 2}`
        : `M${side} ${from.y + 12}C${out} ${from.y + 12} ${out} ${to.y + 26} ${side + 2} ${to.y + 26}`;
    return s("path", { class: "fwd", d, "marker-end": `url(#${this.prefix}fwd)`, "aria-hidden": "true" });
  }

  private card(place: Place, frame: Frame): SVGElement {
    const { made, x, y } = place;
    const { fonts, catalogue, state, scene } = frame;
    const value = made.value
      ? made.value.label === "value"
        ? shortNumber(made.value.text, 7)
        : shapeText(made.value.shape)
      : "-";
    const room = CARD.w - 20 - width(value, fonts.value) - 8;
    const words = catalogue.text("ui.second.node", {
      text: visible(made.text),
      name: visible(made.name),
      who: scene.name(made.by),
      value,
    });
    const fresh = made.by === state.ran ? " is-fresh" : "";
    const lit = made.by === frame.shown ? " is-mine" : "";
    return s(
      "g",
      { class: `made${fresh}${lit}`, role: "img", "aria-label": words, "data-words": made.by },
      s("title", {}, words),
      s("rect", { class: "body", x, y, width: CARD.w, height: CARD.h, rx: 4 }),
      s("text", { class: "src", x: x + 10, y: y + 16 }, fit(visible(made.text), fonts.source, room)),
      s("text", { class: "val", x: x + CARD.w - 10, y: y + 16 }, value),
      s("text", { class: "sub", x: x + 10, y: y + 31 }, fit(visible(made.name), fonts.sub, CARD.w - 20)),
    );
  }
}
