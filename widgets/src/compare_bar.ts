// The bar over runs side by side: reset, back, Step, Run, the count, and the text form.

import type { Catalogue } from "./catalogue";
import { type Child, h, set } from "./dom";
import { icon, type IconName } from "./icons";
import { disable } from "./toolbar";

export interface BarActions {
  reset(): void;
  back(): void;
  step(): void;
  run(): void;
  text(): void;
}

export class CompareBar {
  readonly element: HTMLElement;
  private readonly buttons: Record<keyof BarActions, HTMLButtonElement>;
  private readonly count = h("span", { class: "count num" });

  constructor(catalogue: Catalogue, actions: BarActions) {
    const button = (kind: string, action: () => void, label: string | null, ...children: Child[]) => {
      const made = h(
        "button",
        { type: "button", class: `btn ${kind}`, "aria-label": label, title: label },
        ...children,
      );
      made.addEventListener("click", () => made.getAttribute("aria-disabled") !== "true" && action());
      return made;
    };
    const sign = (name: IconName, action: () => void) =>
      button("icon", action, catalogue.text(`ui.button.${name}`), icon(name));
    const arrow = h("kbd", { "aria-hidden": "true" }, "→");
    this.buttons = {
      reset: sign("reset", actions.reset),
      back: sign("back", actions.back),
      step: button("main", actions.step, null, catalogue.text("ui.step"), " ", arrow),
      run: sign("run", actions.run),
      text: sign("text", actions.text),
    };
    const { reset, back, step, run, text } = this.buttons;
    const gap = h("span", { class: "gap" });
    this.element = h(
      "div",
      { class: "bar", role: "toolbar", "aria-label": catalogue.text("ui.toolbar") },
      reset,
      back,
      step,
      run,
      gap,
      this.count,
      text,
    );
  }

  /** Puts further buttons at the end of the bar. */
  add(...buttons: HTMLElement[]): void {
    this.element.append(...buttons);
  }

  update(
    catalogue: Catalogue,
    now: { start: boolean; end: boolean; running: boolean; text: boolean; count: string },
  ): void {
    const { reset, back, step, run, text } = this.buttons;
    disable(reset, now.start);
    disable(back, now.start);
    disable(step, now.end);
    disable(run, now.end);
    step.classList.toggle("main", !now.end);
    step.classList.toggle("line", now.end);
    set(run, icon(now.running ? "pause" : "run"), catalogue.text(now.running ? "ui.pause" : "ui.run"));
    run.setAttribute("aria-label", catalogue.text(now.running ? "ui.pause" : "ui.run"));
    text.setAttribute("aria-pressed", String(now.text));
    this.count.textContent = now.count;
  }
}
