// The bar: reset, back, Step (the one filled button), Run with its speed, the count, and the three switches on the right.

import type { Catalogue } from "./catalogue";
import type { Frame } from "./frame";
import { type Child, h, set } from "./dom";
import { ModeSwitch } from "./mode_switch";
import { icon, type IconName } from "./icons";

export interface Actions {
  step(): void;
  back(): void;
  reset(): void;
  run(): void;
  mode(events: boolean): void;
  speed(perSecond: number): void;
  breaks(): void;
  text(): void;
  tour(): void;
  menu(): void;
}

/** Steps a second; 0: all at once. */
export const SPEEDS = [1, 2, 4, 8, 0];

export class Toolbar {
  readonly element: HTMLElement;
  readonly menuButton: HTMLButtonElement;
  readonly breaksButton: HTMLButtonElement;
  private readonly reset: HTMLButtonElement;
  private readonly back: HTMLButtonElement;
  private readonly step: HTMLButtonElement;
  private readonly run: HTMLButtonElement;
  private readonly count = h("span", { class: "count num" });
  private readonly modeSwitch: ModeSwitch;
  private readonly textButton: HTMLButtonElement;
  private readonly tourButton: HTMLButtonElement;

  constructor(catalogue: Catalogue, actions: Actions, speed: number) {
    const iconButton = (name: IconName, action: () => void) => {
      const label = catalogue.text(`ui.button.${name}`);
      return button({ class: "btn icon", "aria-label": label, title: label }, action, icon(name));
    };
    const arrow = h("kbd", { "aria-hidden": "true" }, "→");
    this.reset = iconButton("reset", actions.reset);
    this.back = iconButton("back", actions.back);
    this.step = button({ class: "btn main" }, actions.step, catalogue.text("ui.step"), " ", arrow);
    this.run = iconButton("run", actions.run);
    this.tourButton = iconButton("ask", actions.tour);
    this.breaksButton = iconButton("breaks", actions.breaks);
    this.textButton = iconButton("text", actions.text);
    this.menuButton = iconButton("more", actions.menu);
    this.modeSwitch = new ModeSwitch(catalogue, actions.mode);
    this.element = h(
      "div",
      { class: "bar", role: "toolbar", "aria-label": catalogue.text("ui.toolbar") },
      this.reset,
      this.back,
      this.step,
      this.run,
      speedChoice(catalogue, actions, speed),
      this.modeSwitch.element,
      h("span", { class: "gap" }),
      this.count,
      this.breaksButton,
      this.tourButton,
      this.textButton,
      this.menuButton,
    );
  }

  /** Buttons of further views, before those that every bar has. */
  add(...buttons: HTMLElement[]): void {
    this.tourButton.before(...buttons);
  }

  focusStep(): void {
    this.step.focus();
  }

  update(
    frame: Frame,
    how: {
      running: boolean;
      events: boolean;
      breaks: boolean;
      asked: boolean;
      tally: string;
      text: boolean;
      tour: boolean;
      menu: boolean;
    },
  ): void {
    const atEnd = frame.done && frame.position >= frame.count - 1 && frame.event < 0;
    disable(this.reset, frame.position === 0);
    disable(this.back, frame.position === 0);
    disable(this.step, atEnd || how.asked);
    disable(this.run, atEnd || how.asked);
    this.step.classList.toggle("main", !atEnd && !how.asked);
    this.step.classList.toggle("line", atEnd || how.asked);
    const name = frame.catalogue.text(how.running ? "ui.pause" : "ui.run");
    set(this.run, icon(how.running ? "pause" : "run"), name);
    this.run.setAttribute("aria-label", name);
    this.textButton.setAttribute("aria-pressed", String(how.text));
    this.tourButton.setAttribute("aria-pressed", String(how.tour));
    this.breaksButton.setAttribute("aria-expanded", String(how.breaks));
    this.menuButton.setAttribute("aria-expanded", String(how.menu));
    this.modeSwitch.update(how.events);
    this.count.textContent = [how.tally, countText(frame)].filter(Boolean).join(", ");
  }
}

/** A button that does nothing while it is greyed out. */
function button(
  attributes: Record<string, string>,
  action: () => void,
  ...children: Child[]
): HTMLButtonElement {
  const element = h("button", { type: "button", ...attributes }, ...children);
  element.addEventListener("click", () => element.getAttribute("aria-disabled") !== "true" && action());
  return element;
}

/** "2 of 5 steps"; with "looking back" where the pass itself is further on. */
function countText(frame: Frame): string {
  const { catalogue, position, total, count } = frame;
  const { part } = frame.state;
  if (part) return catalogue.text("ui.count.event", { step: position, total, done: part.done, of: part.of });
  if (frame.state.end === "error") return catalogue.text("title.error", { done: position, total });
  const text = catalogue.text("ui.count", { done: position, total });
  return position < count - 1 ? `${text}, ${catalogue.text("ui.count.ahead", { at: count - 1 })}` : text;
}

function speedChoice(catalogue: Catalogue, actions: Actions, speed: number): HTMLElement {
  const choice = h("select", {
    class: "speed",
    "aria-label": catalogue.text("ui.speed"),
    title: catalogue.text("ui.speed"),
  });
  for (const each of SPEEDS) {
    const text = each === 0 ? catalogue.text("ui.speed.all") : catalogue.text("ui.speed.each", { n: each });
    choice.append(h("option", { value: each, selected: each === speed }, text));
  }
  choice.addEventListener("change", () => actions.speed(Number(choice.value)));
  return choice;
}

/** Greys a button out but lets it keep the focus, so that the keyboard stays where it is. */
export function disable(button: HTMLElement, off: boolean): void {
  button.setAttribute("aria-disabled", String(off));
}
