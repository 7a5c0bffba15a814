// Under the bar while a cell waits for this pass: that it does, and the two ways out besides stepping.

import type { Catalogue } from "./catalogue";
import { h, set } from "./dom";
import { icon } from "./icons";

export class GateBar {
  readonly element = h("div", { class: "gate", role: "status", hidden: true });
  private built: Catalogue | null = null;

  constructor(private readonly tell: (what: "run_on" | "stop") => void) {}

  update(catalogue: Catalogue, waiting: boolean): void {
    this.element.hidden = !waiting;
    if (!waiting || this.built === catalogue) return;
    this.built = catalogue;
    set(
      this.element,
      icon("pause", "c-grad"),
      h("p", {}, catalogue.text("ui.gate.waits")),
      this.button(catalogue.text("ui.gate.run_on"), "run_on"),
      this.button(catalogue.text("ui.gate.stop"), "stop"),
    );
  }

  private button(name: string, what: "run_on" | "stop"): HTMLElement {
    const button = h("button", { class: "btn line", type: "button" }, name);
    button.addEventListener("click", () => this.tell(what));
    return button;
  }
}
