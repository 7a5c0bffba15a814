// The time line: one place of equal width for each step, its events after it. Nothing moves when stepping.

import type { Frame } from "./frame";
import type { RecordEvent } from "./record";
import { code, h, set, visible } from "./dom";
import { EVENT_ICON, icon, STATUS_ICON } from "./icons";
import { fineStatus, runningOrder } from "./scene";

const MOST_NAMED = 12;
const MOST_DOTS = 90;
const EVENT_WIDTH = 18;

export class TimeLine {
  readonly element = h("div", { class: "time" });

  constructor(
    private readonly events: (position: number) => RecordEvent[],
    private readonly onJump: (position: number) => void,
  ) {}

  update(frame: Frame): void {
    const order = runningOrder(frame.scene, frame.ran).filter((id) => frame.first.status[id] !== "skipped");
    this.element.setAttribute("class", order.length > MOST_NAMED ? "time dots" : "time");
    if (order.length > MOST_DOTS) return set(this.element, this.bar(frame, order.length));
    const list = h("ol", { "aria-label": frame.catalogue.text("ui.time") }, ...order.map((id, k) => this.place(frame, id, k, order.length)));
    set(this.element, list);
  }

  private place(frame: Frame, id: string, k: number, length: number): HTMLElement {
    const status = fineStatus(frame.state, id);
    const past = k < frame.position && status !== "failed";
    const now = k === frame.position && frame.state.next === id;
    const recorded = k < frame.count;
    const [name, tone] = STATUS_ICON[status]!;
    const label = frame.catalogue.text("ui.time.step", { n: k + 1, who: frame.scene.name(id), state: frame.catalogue.text(`status.${status === "partly" ? "waiting" : status}`) });
    const sign = length > MOST_NAMED ? h("span", { class: "dot", "aria-hidden": "true" }) : icon(name, status === "done" ? "c-grad" : tone);
    const word = length > MOST_NAMED && !now ? null : h("span", { class: "word", "aria-hidden": "true" }, `${k + 1} `, code(frame.scene.name(id), 14));
    const button = h("button", { type: "button", tabindex: -1, "aria-label": label, title: label, "aria-current": now ? "step" : null, "aria-disabled": String(!recorded) }, sign, word);
    button.addEventListener("click", () => recorded && this.onJump(k));
    return h("li", { class: past ? "past" : now || status === "failed" ? "now" : "todo" }, button, past && length <= MOST_NAMED ? this.eventIcons(frame, k + 1, length) : null);
  }

  /** The events of a step; where they do not fit, one of each kind with its number. */
  private eventIcons(frame: Frame, position: number, length: number): HTMLElement | null {
    const events = this.events(position).filter((event) => event.kind in EVENT_ICON && event.kind !== "error");
    const kinds = joinFrees(events);
    if (kinds.length === 0) return null;
    const room = Math.max(1, Math.floor(((this.element.clientWidth || 868) - 32) / length / EVENT_WIDTH) - 2);
    const shown = kinds.length <= room ? kinds : [...new Set(kinds)].slice(0, room);
    const words = kinds.map((kind) => frame.catalogue.text(`ui.event.${kind}`)).join(", ");
    const icons = shown.map((kind) => icon(EVENT_ICON[kind]![0], EVENT_ICON[kind]![1]));
    return h("span", { class: "events", role: "img", "aria-label": visible(words), title: visible(words) }, ...icons);
  }

  private bar(frame: Frame, length: number): HTMLElement {
    const part = (100 * frame.position) / length;
    const now = frame.state.next ? code(frame.scene.name(frame.state.next), 30) : null;
    return h("div", { class: "progress" }, h("div", { class: "track", "aria-hidden": "true" }, h("div", { style: `width:${part.toFixed(2)}%` })), h("span", {}, `${Math.min(frame.position + 1, length)} `, now));
  }
}

/** Freeing is one event to the eye, however many entries go. */
function joinFrees(events: RecordEvent[]): string[] {
  return events.map((event) => event.kind).filter((kind, k, all) => !(kind === "free" && all[k - 1] === "free"));
}
