// The nodes of a group as a list: where there is no picture of it (a page of a very big graph).

import { code, h, set, visible } from "./dom";
import type { Frame } from "./frame";
import { icon, STATUS_ICON } from "./icons";
import type { RecordNode } from "./record";
import { savedCount } from "./saved_count";
import { arrived, fineStatus } from "./scene";
import { valueText } from "./text_words";

export class GroupRows {
  readonly element = h("ol", { class: "group-rows", hidden: true });

  constructor(private readonly onSelect: (node: string) => void) {}

  update(ids: string[], frame: Frame): void {
    const nodes = ids.map((id) => frame.scene.nodes.get(id)).filter((node) => node !== undefined);
    const focused = this.element.querySelector<HTMLElement>(":focus")?.dataset.at;
    set(this.element, ...nodes.map((node) => this.row(node, frame)));
    if (focused) this.element.querySelector<HTMLElement>(`[data-at="${focused}"]`)?.focus();
  }

  private row(node: RecordNode, frame: Frame): HTMLElement {
    const { state, catalogue, scene } = frame;
    const total = state.total[node.id]?.[0] ?? null;
    const received = arrived(state, node.id) > 0 ? valueText(total, 20, catalogue) : "";
    const button = h(
      "button",
      { type: "button", class: `group-row${node.id === frame.shown ? " is-shown" : ""}`, "data-at": node.id },
      icon(...STATUS_ICON[fineStatus(state, node.id)]!),
      code(scene.name(node.id), 28),
      h("span", { class: "quiet small" }, visible(node.name)),
      h("span", { class: "gap" }),
      received && h("span", { class: "chip" }, received),
      node.kind !== "leaf" &&
        h("span", { class: "quiet small" }, savedCount(node, state, catalogue, scene.head).text),
    );
    button.addEventListener("click", () => this.onSelect(node.id));
    return h("li", {}, button);
  }
}
