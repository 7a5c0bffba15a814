// What must not be missed: the pass stopped, a request was refused, something was changed outside.

import type { Frame } from "./frame";
import type { Sentence } from "./record";
import { type Child, h, set, visible } from "./dom";
import { repairsPanel } from "./repairs";
import { icon } from "./icons";

export class Notices {
  readonly element = h("div");
  private open = false;
  private key = "";
  private words: unknown = null; // the catalogue: another language, another text

  /** @param onTry try a repair on a copy */
  constructor(private readonly onTry: () => void = () => {}) {}

  update(frame: Frame, refused: Sentence[], halt: Sentence[] = []): void {
    const key = `${frame.position} ${JSON.stringify([refused, halt, frame.state.error, frame.state.outside, this.open])}`;
    if (key === this.key && frame.catalogue === this.words) return;
    this.key = key;
    this.words = frame.catalogue;
    set(
      this.element,
      this.error(frame, refused, halt),
      repairsPanel(frame, this.onTry),
      refused.length > 0 && warning(frame.catalogue.sentences(refused)),
      this.outside(frame),
      halt.length > 0 && stopped(frame.catalogue.sentences(halt)),
    );
  }

  /** Cause first, consequence second; the exception class is one click away. */
  private error(frame: Frame, refused: Sentence[], halt: Sentence[]): HTMLElement | null {
    const error = frame.state.error;
    if (!error) return null;
    const { catalogue } = frame;
    const [cause, ...rest] = error.say;
    const button = h(
      "button",
      { class: "btn line", type: "button", "aria-expanded": String(this.open) },
      visible(error.class).slice(0, 60),
    );
    button.addEventListener("click", () => {
      this.open = !this.open;
      this.update(frame, refused, halt);
      this.element.querySelector<HTMLElement>("button")?.focus();
    });
    const first = cause ? catalogue.pieces(cause.id, cause.args ?? {}) : [visible(error.message)];
    const text = h("p", {}, h("strong", {}, ...first), " ", ...catalogue.sentences(rest));
    return h(
      "div",
      { class: "notice", role: "alert" },
      icon("failed", "c-bad"),
      text,
      button,
      this.open && h("pre", {}, visible(`${error.class}: ${error.message}`)),
    );
  }

  private outside(frame: Frame): HTMLElement | null {
    const names = frame.state.outside;
    if (names.length === 0) return null;
    return warning(frame.catalogue.pieces("step.outside", { what: names }));
  }
}

/** A breakpoint has stopped the run. */
function stopped(pieces: Child[]): HTMLElement {
  return h("div", { class: "notice calm", role: "status" }, icon("point", "c-bad"), h("p", {}, ...pieces));
}

function warning(pieces: (Node | string | number | null | undefined | false)[]): HTMLElement {
  return h("div", { class: "notice warn", role: "status" }, icon("stale", "c-warn"), h("p", {}, ...pieces));
}
