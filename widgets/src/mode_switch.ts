// Node or Event: how far one press of Step goes.

import type { Catalogue } from "./catalogue";
import { h } from "./dom";

export class ModeSwitch {
  readonly element: HTMLElement;
  private readonly node: HTMLButtonElement;
  private readonly event: HTMLButtonElement;

  constructor(catalogue: Catalogue, onChoose: (events: boolean) => void) {
    const half = (name: string, events: boolean) => {
      const title = catalogue.text(`ui.mode.${name}.is`);
      const button = h(
        "button",
        { type: "button", class: "mode-half", title },
        catalogue.text(`ui.mode.${name}`),
      );
      button.addEventListener("click", () => onChoose(events));
      return button;
    };
    this.node = half("node", false);
    this.event = half("event", true);
    const label = catalogue.text("ui.mode");
    this.element = h("span", { class: "modes", role: "group", "aria-label": label }, this.node, this.event);
  }

  update(events: boolean): void {
    this.node.setAttribute("aria-pressed", String(!events));
    this.event.setAttribute("aria-pressed", String(events));
  }
}
