// Every sign of the picture with its word; rare ones only in records where they occur.

import type { Frame } from "./frame";
import { h, set } from "./dom";
import { EVENT_ICON, icon, type IconName, SAVED_ICON, STATUS_ICON } from "./icons";

const STATES: [string, string][] = [
  ["done", "status.done"],
  ["next", "status.next"],
  ["ready", "status.ready"],
  ["partly", "status.waiting"],
];
const EVENTS = ["unpack", "send", "accumulate", "hook"];

export class Legend {
  readonly element = h("div", { class: "legend", role: "note" });

  /** @param seen words that occur somewhere in the record: states of nodes and of saved tensors, kinds of events */
  update(frame: Frame, seen: Set<string>): void {
    const { catalogue } = frame;
    const entry = ([name, tone]: [IconName, string], word: string) =>
      h("span", {}, icon(name, tone), catalogue.text(word));
    const own = frame.scene.head.engine === "own";
    const states = [
      ...STATES,
      ...(["failed", "skipped"] as const)
        .filter((each) => seen.has(each))
        .map((each): [string, string] => [each, `status.${each}`]),
    ];
    const saved = ["kept", "freed", "stale", "packed", "absent"].filter(
      (each) => seen.has(each) || (!own && (each === "kept" || each === "freed")),
    );
    const events = EVENTS.filter((each) => seen.has(each) || (each !== "hook" && !own));
    const summed = frame.scene.head.nodes.some((node) => node.rules.some((rule) => rule.over));
    this.element.setAttribute("aria-label", catalogue.text("ui.legend"));
    set(
      this.element,
      ...states.map(([state, word]) => entry(STATUS_ICON[state]!, word)),
      ...saved.map((each) => entry(SAVED_ICON[each]!, `saved.${each}`)),
      h("span", { class: "gap" }),
      ...events.map((each) => entry(EVENT_ICON[each]!, `ui.event.${each}`)),
      summed && h("span", {}, h("b", { class: "sum-sign" }, "Σ"), catalogue.text("ui.over.legend")),
    );
  }
}
