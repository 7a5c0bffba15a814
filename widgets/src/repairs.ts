// How the program could be mended after an error, and a way to try it on a copy.

import type { Sentence } from "./record";
import { code, h } from "./dom";
import type { Frame } from "./frame";

/** Cards for the repairs of the error that is shown; null where none is known. */
export function repairsPanel(frame: Frame, onTry: () => void): HTMLElement | null {
  const found = frame.state.error?.repairs ?? [];
  if (found.length === 0) return null;
  const { catalogue } = frame;
  const button = h("button", { class: "btn line", type: "button" }, catalogue.text("ui.repair.try"));
  button.addEventListener("click", onTry);
  return h(
    "section",
    { class: "repairs" },
    h("h4", {}, catalogue.text("ui.repair.title"), button),
    h("div", { class: "cards" }, ...found.map((each) => card(each, frame))),
  );
}

function card(repair: Sentence, frame: Frame): HTMLElement {
  const { catalogue } = frame;
  const { line, old, new: fresh, who } = repair.args ?? {};
  const kind = repair.id.replace("repair.", "");
  const later = kind === "later";
  const number = (text: string) => h("span", { class: "num quiet" }, text);
  return h(
    "div",
    {},
    h("h5", {}, ...catalogue.pieces(`ui.repair.${kind}`, { who: who ?? null })),
    h("p", { class: "old" }, number(String(line)), h("s", {}, code(String(old), 60))),
    h(
      "p",
      { class: "new" },
      number(later ? "↓" : String(line)),
      code(String(fresh), 60),
      later && h("span", { class: "quiet small" }, ` # ${catalogue.text("ui.repair.below")}`),
    ),
  );
}
