// The tour: each part of the view in turn, lit up, with its name and one sentence.

import type { Catalogue } from "./catalogue";
import { h, set } from "./dom";
import { icon } from "./icons";

/** Part of the view (a selector) and its name in the catalogue: `ui.tour.<name>` and `ui.tour.<name>.is`. */
export const PARTS: [string, string][] = [
  [".bar .step-group, .bar", "bar"],
  [".time", "time"],
  [".say", "say"],
  [".picture", "picture"],
  [".box.is-next, .box.is-failed, .box", "node"],
  [".lane", "lane"],
  [".slot", "slot"],
  [".box[data-leaf]", "leaf"],
  [".strip", "bytes"],
  [".insp", "inspector"],
  [".leaves", "leaves"],
  [".legend", "legend"],
];

export class Tour {
  readonly element = h("div", { class: "tour", hidden: true, role: "region" });
  private at = 0;
  private lit: Element | null = null;

  constructor(
    private readonly root: Element,
    private readonly onClose: () => void,
  ) {}

  get open(): boolean {
    return !this.element.hidden;
  }

  show(open: boolean, catalogue: Catalogue): void {
    this.element.hidden = !open;
    this.at = 0;
    if (open) this.draw(catalogue, true);
    else this.light(null);
  }

  /** Panels redraw themselves; the lit part may be a new element. */
  update(catalogue: Catalogue): void {
    if (this.open) this.draw(catalogue, false);
  }

  move(by: number, catalogue: Catalogue): void {
    this.at = (this.at + by + PARTS.length) % PARTS.length;
    this.draw(catalogue, true);
  }

  private draw(catalogue: Catalogue, focus: boolean): void {
    const [selector, name] = PARTS[this.at]!;
    const button = (label: string, sign: "back" | "shut" | "minus", action: () => void) => {
      const element = h(
        "button",
        { class: "btn line", type: "button" },
        sign !== "minus" && icon(sign),
        catalogue.text(label),
      );
      element.addEventListener("click", action);
      return element;
    };
    const had = this.element.contains(document.activeElement);
    const next = button("ui.tour.next", "shut", () => this.move(1, catalogue));
    const text = h(
      "p",
      { "aria-live": "polite" },
      h("strong", {}, catalogue.text(`ui.tour.${name}`)),
      " ",
      catalogue.text(`ui.tour.${name}.is`),
    );
    const count = h(
      "span",
      { class: "quiet small num" },
      catalogue.text("text.of", { got: this.at + 1, of: PARTS.length }),
    );
    if (focus || !this.element.hasChildNodes()) {
      set(
        this.element,
        text,
        count,
        button("ui.tour.previous", "back", () => this.move(-1, catalogue)),
        next,
        button("ui.tour.close", "minus", this.onClose),
      );
      if (had || focus) next.focus();
    }
    this.element.setAttribute("aria-label", catalogue.text("ui.tour"));
    this.light(this.root.querySelector(selector));
  }

  private light(part: Element | null): void {
    this.lit?.classList.remove("is-lit");
    part?.classList.add("is-lit");
    this.lit = part;
  }
}

/** The same list for the text form. */
export function tourText(catalogue: Catalogue): string {
  return PARTS.map(
    ([, name]) => `${catalogue.text(`ui.tour.${name}`)} ${catalogue.text(`ui.tour.${name}.is`)}`,
  ).join("\n");
}
