// The menu behind the three dots: the switches of the pass, and the keys.

import type { Frame } from "./frame";
import { h, set } from "./dom";
import { disable } from "./toolbar";

type Option = "retain_graph" | "create_graph";
const OPTIONS: Option[] = ["retain_graph", "create_graph"];
const KEYS = ["right", "left", "space", "reset", "ends", "mode", "break", "text", "nodes", "zoom", "escape"];

export class Menu {
  readonly element = h("div", { class: "menu", hidden: true });

  constructor(
    private readonly onOption: (name: Option, value: boolean) => void,
    private readonly prefix: string,
  ) {}

  get open(): boolean {
    return !this.element.hidden;
  }

  show(open: boolean, frame: Frame): void {
    this.element.hidden = !open;
    if (open) this.update(frame);
    if (open) this.element.querySelector<HTMLElement>("[role=switch]")?.focus();
  }

  update(frame: Frame): void {
    if (!this.open) return;
    const focused = this.element.querySelector<HTMLElement>("[role=switch]:focus")?.dataset.option;
    set(
      this.element,
      h("h4", {}, frame.catalogue.text("ui.menu.pass")),
      ...(frame.scene.head.engine === "own" ? [] : OPTIONS).map((name) => this.option(name, frame)),
      this.why(frame),
      ...keyList(frame),
    );
    if (focused) this.element.querySelector<HTMLElement>(`[data-option=${focused}]`)?.focus();
  }

  private option(name: Option, frame: Frame): HTMLElement {
    const on = frame.scene.head.options[name];
    const late = frame.count > 1;
    const button = h(
      "button",
      {
        class: "switch",
        type: "button",
        role: "switch",
        "aria-checked": String(on),
        "aria-describedby": `${this.prefix}why`,
        "data-option": name,
      },
      h("span", { class: "knob", "aria-hidden": "true" }),
      h("span", { class: "code" }, `${name}=${on ? "True" : "False"}`),
      h("span", { class: "quiet small" }, frame.catalogue.text(`ui.option.${name}`)),
    );
    disable(button, late);
    button.addEventListener("click", () => !late && this.onOption(name, !on));
    return button;
  }

  /** When the switches act, or why they no longer do; whether this is the real pass. */
  private why(frame: Frame): HTMLElement {
    const { catalogue, scene } = frame;
    if (scene.head.engine === "own")
      return h("p", { class: "quiet small", id: `${this.prefix}why` }, catalogue.text("ui.own"));
    const when = catalogue.text(frame.count > 1 ? "ui.option.late" : "ui.option.early");
    return h(
      "p",
      { class: "quiet small", id: `${this.prefix}why` },
      when,
      " ",
      catalogue.text(scene.head.options.live ? "ui.live" : "ui.copy"),
    );
  }
}

function keyList(frame: Frame): HTMLElement[] {
  const { catalogue } = frame;
  const row = (name: HTMLElement, does: string) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, catalogue.text(does)));
  const rows = KEYS.map((key) => row(h("kbd", {}, catalogue.text(`ui.key.${key}`)), `ui.key.${key}.does`));
  rows.push(row(h("span", {}, catalogue.text("ui.mouse")), "ui.mouse.does"));
  return [h("h4", {}, catalogue.text("ui.menu.keys")), h("dl", {}, ...rows)];
}
