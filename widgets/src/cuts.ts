// Where a second derivative gets cut: gradients of a custom Function that lost their graph, and a warning on demand.

import type { Catalogue } from "./catalogue";
import { h, s, set } from "./dom";
import type { Frame } from "./frame";
import { icon } from "./icons";
import type { Lane, State } from "./record";
import type { Scene } from "./scene";
import type { Session } from "./session";

/** sent by, to, its graph, why: a row for each gradient that lost something. */
export function cutRows(scene: Scene, state: State, catalogue: Catalogue): string[][] {
  return Object.entries(state.cuts ?? {}).flatMap(([key, cut]) => {
    const edge = scene.edges.get(key);
    if (!edge) return [];
    const why = catalogue.text(cut.why.id, cut.why.args ?? {});
    return [[scene.name(edge.from), scene.name(edge.to), catalogue.text(`cut.${cut.kind}`), why]];
  });
}

/** Whether a once_differentiable backward has cut a graph where nothing else will say so. */
export function silentlyOnce(state: State): boolean {
  if (state.clinic?.rule?.id === "rule.once") return false;
  return Object.values(state.cuts ?? {}).some(({ kind, why }) => why.id === "cut.once" && kind !== "error");
}

/** What a learner who asks for it is warned of. */
export function warnings(scene: Scene, state: State, catalogue: Catalogue): string[] {
  const names = Object.entries(state.cuts ?? {})
    .filter(([, cut]) => cut.kind !== "error")
    .map(([key]) => scene.name(scene.edges.get(key)?.from ?? null));
  return [...new Set(names)].map((who) => catalogue.text("cut.warning", { who }));
}

/** Two strokes across the lane of a gradient whose graph is cut, and a word. */
export function cutMarks(lanes: Lane[], frame: Frame): SVGElement[] {
  const { cuts } = frame.state;
  if (!cuts) return [];
  return lanes
    .filter((lane) => cuts[lane.edge])
    .flatMap((lane) => {
      const x = lane.dock[0];
      const y = (lane.dock[1] + lane.chip[1]) / 2 + 4;
      return [
        s("path", {
          class: "cut-mark",
          d: `M${x - 9} ${y + 5}L${x + 5} ${y - 5}M${x - 5} ${y + 9}L${x + 9} ${y - 1}`,
        }),
        s("text", { class: "cap cut-word", x: x + 14, y: y + 6 }, frame.catalogue.text("ui.cuts.mark")),
      ];
    });
}

/** The table under the picture, and its switch. */
export class CutPanel {
  readonly element = h("div", { class: "leaves families cuts", hidden: true });
  /** Stands above the body: the warning, where it is switched on. */
  readonly badge = h("div");
  private drawn = "";

  constructor(private readonly session: Session) {}

  update(frame: Frame): void {
    const { catalogue, scene, state } = frame;
    const rows = cutRows(scene, state, catalogue);
    const key = JSON.stringify([rows, this.session.warns, catalogue.text("ui.cuts")]);
    if (key === this.drawn) return;
    this.drawn = key;
    const focused = this.element.contains(document.activeElement);
    this.element.hidden = rows.length === 0;
    const rule = silentlyOnce(state) && h("p", { class: "rule-said" }, ...catalogue.pieces("rule.once", {}));
    set(this.element, ...(rows.length ? [this.table(rows, catalogue), rule, this.toggle(catalogue)] : []));
    if (focused) this.element.querySelector<HTMLElement>("button")?.focus();
    const words = this.session.warns ? warnings(scene, state, catalogue) : [];
    const notice = h(
      "div",
      { class: "notice warn", role: "status" },
      icon("stale", "c-warn"),
      h("p", {}, words.join(" ")),
    );
    set(this.badge, words.length > 0 && notice);
  }

  private table(rows: string[][], catalogue: Catalogue): HTMLElement {
    const titles = ["sent_by", "sent_to", "its_graph", "why"].map((id) =>
      h("th", { scope: "col" }, catalogue.text(`text.${id}`)),
    );
    const body = rows.map(([by, to, graph, why]) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, h("b", { class: "code" }, by)),
        h("td", {}, h("b", { class: "code" }, to)),
        h("td", {}, icon("stale", "c-warn"), " ", graph),
        h("td", {}, why),
      ),
    );
    const caption = h("caption", {}, catalogue.text("ui.cuts"));
    return h("table", {}, caption, h("thead", {}, h("tr", {}, ...titles)), h("tbody", {}, ...body));
  }

  private toggle(catalogue: Catalogue): HTMLElement {
    const { warns } = this.session;
    const button = h(
      "button",
      { type: "button", class: "btn line", "aria-pressed": String(warns) },
      icon("stale", "c-warn"),
      catalogue.text("ui.cuts.warn"),
    );
    button.addEventListener("click", () => this.session.warn(!warns));
    return h("div", { class: "cut-switch" }, button);
  }
}
