// The learner's hooks on a node: a diamond at its edge, and in the inspector what each did in this step.

import type { Args, Box, RecordNode, Sentence } from "./record";
import { h, s } from "./dom";
import { icon, iconGroup } from "./icons";
import type { Frame } from "./frame";

/** A change of this length stands beside the hook's name; a longer one below it. */
const SHORT = 20;

function hooksOf(frame: Frame, id: string): Sentence[] {
  return frame.state.hooks?.[id] ?? [];
}

/** "tensor hook clip, node hook log"; empty where there is none. */
export function hookWords(frame: Frame, id: string): string {
  return hooksOf(frame, id)
    .map((hook) => frame.catalogue.text(hook.id, hook.args ?? {}))
    .join(", ");
}

/** The sign on the right edge of a card or pill. */
export function hookMark(box: Box, frame: Frame): SVGElement[] {
  if (hooksOf(frame, box.node).length === 0) return [];
  const x = box.x + box.w - 7;
  const y = box.y + (box.h - 14) / 2;
  const ground = s("path", { class: "hook-ground", d: `M${x + 7} ${y}l7 7l-7 7l-7 -7z` });
  return [ground, iconGroup("hook", x, y, 14, "c-ink")];
}

/** The hooks of the node that the inspector shows, old and new where one has just changed something. */
export function hooksSection(node: RecordNode, frame: Frame): HTMLElement | null {
  const hooks = hooksOf(frame, node.id);
  if (hooks.length === 0) return null;
  const { catalogue, state } = frame;
  const ran = state.ran === node.id ? state.events.filter((event) => event.kind === "hook") : [];
  const rows = hooks.map((hook) => {
    const at = ran.findIndex((event) => JSON.stringify(event.args?.hook) === JSON.stringify(hook));
    const args: Args | undefined = at < 0 ? undefined : ran.splice(at, 1)[0]!.args;
    const did =
      args && "after" in args
        ? catalogue.text("ui.hook.changed", args)
        : args && catalogue.text("ui.hook.ran");
    return h(
      "div",
      { class: did && did.length > SHORT ? "gets long" : "gets" },
      icon("hook"),
      h("span", {}, ...catalogue.pieces(hook.id, hook.args ?? {})),
      h("b", { class: "num" }, did ?? ""),
    );
  });
  return h("section", {}, h("h4", {}, catalogue.text("ui.hooks"), h("small")), ...rows);
}
