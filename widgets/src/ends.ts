// Inputs that have lost their graph before the pass: a mark at the node that uses them, and a table of what ended the way.

import type { Catalogue } from "./catalogue";
import { h, s, set, shorten, visible } from "./dom";
import type { Frame } from "./frame";
import type { Layout } from "./record";
import type { Scene } from "./scene";
import { cutTo, headline, place } from "./text_words";

/** node, input, ended by, program, place: a row for each input whose way back ends. */
export function endRows(scene: Scene, catalogue: Catalogue, most: number): string[][] {
  return scene.head.nodes.flatMap((node) =>
    (node.ends ?? []).map((end) => [
      cutTo(headline(node), most),
      visible(end.var ?? "-"),
      catalogue.text(`end.${end.how}`),
      cutTo(visible(end.source ?? "-"), most),
      place(end, catalogue),
    ]),
  );
}

/** Two strokes and a word below each box that uses such an input: at the right, at a root (captioned there) left. */
export function endMarks(layout: Layout, frame: Frame): SVGElement[] {
  const captions = new Set(layout.texts.map((text) => text.node));
  return layout.boxes.flatMap((box) => {
    const ends = frame.scene.nodes.get(box.node)?.ends;
    if (!ends) return [];
    const names = [...new Set(ends.map((end) => end.var ?? frame.catalogue.text("text.input")))];
    const words = frame.catalogue.text("ui.ends.mark", { var: shorten(visible(names.join(", ")), 12) });
    const left = captions.has(box.node);
    const x = box.x + (left ? 72 : box.w - 14);
    const y = box.y + box.h + 9;
    return [
      s("path", {
        class: "end-mark",
        d: `M${x - 7} ${y + 3}L${x + 5} ${y - 5}M${x - 4} ${y + 7}L${x + 8} ${y - 1}`,
      }),
      s("text", { class: `cap end-word${left ? " end" : ""}`, x: x + (left ? -12 : 12), y: y + 6 }, words),
    ];
  });
}

/** The table under the picture. */
export class EndPanel {
  readonly element = h("div", { class: "leaves families ends", hidden: true });
  private drawn = "";

  update({ scene, catalogue }: Frame): void {
    const rows = endRows(scene, catalogue, 60);
    const key = JSON.stringify([rows, catalogue.text("ui.ends")]);
    if (key === this.drawn) return;
    this.drawn = key;
    this.element.hidden = rows.length === 0;
    set(this.element, ...(rows.length ? [this.table(rows, catalogue)] : []));
  }

  private table(rows: string[][], catalogue: Catalogue): HTMLElement {
    const titles = ["node", "input", "ended_by", "program"].map((id) =>
      h("th", { scope: "col" }, catalogue.text(`text.${id}`)),
    );
    const body = rows.map(([node, input, how, source, line]) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, h("b", { class: "code" }, node)),
        h("td", {}, h("b", { class: "code" }, input)),
        h("td", {}, how),
        h("td", {}, h("code", {}, source), " ", h("span", { class: "quiet" }, line)),
      ),
    );
    const caption = h("caption", {}, catalogue.text("ui.ends"));
    return h("table", {}, caption, h("thead", {}, h("tr", {}, ...titles)), h("tbody", {}, ...body));
  }
}
