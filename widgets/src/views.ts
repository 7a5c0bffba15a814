// Views and writes: which tensors share memory and a version counter, and what a write through a view rewired.

import type { Catalogue } from "./catalogue";
import { h, s, set, visible } from "./dom";
import type { Frame } from "./frame";
import { fit } from "./measure";
import type { RecordNode, State } from "./record";
import type { Scene } from "./scene";

const CARD = { w: 128, h: 24 };
const CELL = 18;
const MOST_CELLS = 12;

/** name, what it is, counter, version: a row for each tensor of a family that has been written to. */
export function familyRows(scene: Scene, state: State, catalogue: Catalogue): string[][] {
  const versions = state.versions ?? {};
  return (scene.head.families ?? [])
    .filter(({ members }) => members.some((each) => (versions[each.counter] ?? 0) > 0))
    .flatMap(({ members }) =>
      members.map((each) => {
        const others = members.filter((other) => other !== each && other.counter === each.counter);
        const hidden = each.kind === "alias"; // nobody says which counter it has
        const what = others.map((other) => visible(other.name));
        const counter = hidden
          ? catalogue.text("text.hidden_counter")
          : what.length
            ? catalogue.text("text.counter.shared", { what })
            : catalogue.text("text.counter.own");
        const kind = catalogue.text(`kind.${each.kind}`);
        return [visible(each.name), kind, counter, String(versions[each.counter] ?? 0)];
      }),
    );
}

/** The table of families under the picture. */
export class FamilyPanel {
  readonly element = h("div", { class: "leaves families", hidden: true });

  update(frame: Frame): void {
    const { catalogue } = frame;
    const rows = familyRows(frame.scene, frame.state, catalogue);
    this.element.hidden = rows.length === 0;
    const titles = ["name", "kind", "counter", "version_now"].map((id, k) =>
      h("th", { scope: "col", class: k === 3 ? "num" : null }, catalogue.text(`text.${id}`)),
    );
    const body = rows.map(([name, kind, counter, version]) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, h("b", { class: "code" }, name)),
        h("td", {}, kind),
        h("td", {}, counter),
        h("td", { class: "num" }, version),
      ),
    );
    const caption = h("caption", {}, catalogue.text("ui.families"));
    set(
      this.element,
      h("table", {}, caption, h("thead", {}, h("tr", {}, ...titles)), h("tbody", {}, ...body)),
    );
  }
}

interface Write {
  base: string;
  /** The node that the base had before; null: none. */
  before: string | null;
  inputs: string[];
  elements: string;
}

/** What a write through a view did; null for other nodes. */
export function writeOf(node: RecordNode, scene: Scene, catalogue: Catalogue): Write | null {
  if (!node.writes) return null;
  const to = new Map((scene.edgesFrom.get(node.id) ?? []).map((edge) => [edge.position, edge.to]));
  const base = visible(node.var ?? catalogue.text("text.base"));
  const inputs = node.inputs
    .slice(1)
    .map(({ position }) => (to.has(position) ? scene.name(to.get(position)!) : "-"));
  const { cells, count, size } = node.writes;
  const marks = (cells ?? []).map((cell) => (cell ? "■" : "·")).join("");
  return {
    base,
    before: to.has(0) ? scene.name(to.get(0)!) : null,
    inputs: [catalogue.text("text.as_it_was", { who: base }), ...inputs],
    elements: count === null ? "-" : `${catalogue.text("text.elements", { count, size })} ${marks}`.trim(),
  };
}

/** The inspector's picture of a write: the base before it, and CopySlices with its inputs after it. */
export function writesSection(node: RecordNode, frame: Frame): HTMLElement | null {
  const { catalogue } = frame;
  const told = writeOf(node, frame.scene, catalogue);
  if (!told) return null;
  const none = catalogue.text("ui.writes.no_node");
  const label = catalogue.text("ui.writes.label", {
    base: told.base,
    before: told.before ?? none,
    what: told.inputs,
    elements: told.elements,
  });
  const half = (title: string, drawing: SVGElement[], height: number) =>
    h(
      "div",
      {},
      h("p", { class: "quiet small" }, title),
      s("svg", { class: "g mini", viewBox: `0 0 ${CARD.w} ${height}`, width: CARD.w, height }, ...drawing),
    );
  const height = CARD.h * 3 + 60 + (told.inputs.length - 2) * (CARD.h + 4);
  return h(
    "section",
    { class: "writes" },
    h("h4", {}, catalogue.text("ui.writes"), h("small", {}, told.elements)),
    h(
      "div",
      { class: "write-halves", role: "img", "aria-label": label },
      half(catalogue.text("ui.writes.before"), before(told, none, node, frame), height),
      half(catalogue.text("ui.writes.after"), after(told, node, frame), height),
    ),
  );
}

function before(told: Write, none: string, node: RecordNode, frame: Frame): SVGElement[] {
  const low = CARD.h + 18;
  return [
    ...card(0, 0, told.before ?? none, frame, told.before === null),
    ...(told.before === null ? [] : [arrow(CARD.w / 2, CARD.h, low)]),
    ...card(0, low, told.base, frame),
    ...cells(node, low + CARD.h + 8, false),
  ];
}

function after(told: Write, node: RecordNode, frame: Frame): SVGElement[] {
  const { inputs } = told;
  const low = inputs.length * (CARD.h + 4) + 14;
  return [
    ...inputs.flatMap((each, k) => card(0, k * (CARD.h + 4), each, frame, k === 0 && told.before === null)),
    arrow(CARD.w / 2, low - 16, low),
    ...card(0, low, "CopySlices", frame),
    ...cells(node, low + CARD.h + 8, true),
  ];
}

function card(x: number, y: number, words: string, frame: Frame, faint = false): SVGElement[] {
  const rect = { x: x + 0.5, y: y + 0.5, width: CARD.w - 1, height: CARD.h - 1, rx: 4 };
  return [
    s("rect", { class: faint ? "mini-card is-faint" : "mini-card", ...rect }),
    s("text", { class: "mid", x: x + CARD.w / 2, y: y + 16 }, fit(words, frame.fonts.sub, CARD.w - 12)),
  ];
}

function arrow(x: number, from: number, to: number): SVGElement {
  return s("path", { class: "fwd", d: `M${x} ${from}V${to - 1}M${x - 3} ${to - 5}L${x} ${to - 1}l3 -4` });
}

/** The elements of the base, the written ones filled. */
function cells(node: RecordNode, y: number, written: boolean): SVGElement[] {
  const list = node.writes?.cells ?? [];
  if (list.length === 0 || list.length > MOST_CELLS) return [];
  const size = Math.min(CELL, CARD.w / list.length);
  const start = (CARD.w - size * list.length) / 2;
  return list.map((cell, k) =>
    s("rect", {
      class: written && cell ? "mini-cell is-written" : "mini-cell",
      x: start + k * size + 1,
      y: y + 0.5,
      width: size - 2,
      height: 12,
    }),
  );
}
