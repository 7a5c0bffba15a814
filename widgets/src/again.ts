// A checkpoint's second run of forward, under the picture: its operations as they are computed again.

import { h, set, visible } from "./dom";
import type { Frame } from "./frame";
import type { Sentence } from "./record";

export class AgainPanel {
  readonly element = h("div", { class: "leaves families again", hidden: true });

  update(frame: Frame): void {
    const { catalogue, state } = frame;
    const begins = state.events.find((event) => event.kind === "again");
    this.element.hidden = begins === undefined;
    if (!begins) return set(this.element);
    const { runs, random } = begins.args ?? {};
    const said = random as Sentence;
    const title = catalogue.text("ui.again", {
      runs: runs ?? "-",
      random: catalogue.text(said?.id ?? "again.unknown"),
    });
    const operations = state.events.filter((event) => event.kind === "forward");
    const rows = operations.map((event, k) => {
      const value = catalogue.text("event.line.set.value", { value: event.args?.value ?? null });
      const latest = state.part !== undefined && k === operations.length - 1;
      return h(
        "tr",
        { class: latest ? "is-shown" : null },
        h("th", { scope: "row" }, h("b", { class: "code" }, visible(String(event.args?.text ?? "-")))),
        h("td", { class: "num" }, value),
      );
    });
    set(this.element, h("table", {}, h("caption", {}, title), h("tbody", {}, ...rows)));
  }
}
