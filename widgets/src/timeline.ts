// The time line: one place of equal width for each step, its events after it. Nothing moves when stepping.

import type { Frame } from "./frame";
import type { RecordEvent } from "./record";
import { code, h, set, shorten, visible } from "./dom";
import { EVENT_ICON, icon, STATUS_ICON } from "./icons";
import { fineStatus, runningOrder } from "./scene";
import { TimeParts } from "./timeline_parts";

const MOST_NAMED = 12;
const MOST_DOTS = 90;
const EVENT_WIDTH = 18;

export class TimeLine {
  readonly element = h("div", { class: "time" });
  private readonly parts = new TimeParts();

  constructor(
    private readonly events: (position: number) => RecordEvent[],
    private readonly onJump: (position: number) => void,
  ) {}

  update(frame: Frame): void {
    const order = runningOrder(frame.scene, frame.ran).filter((id) => frame.first.status[id] !== "skipped");
    this.element.classList.toggle("dots", order.length > MOST_NAMED); // the tour may have lit it
    const room = (this.element.clientWidth || 868) - 32;
    const parts = order.length > MOST_NAMED ? this.parts.row(frame, order.length, room) : null;
    if (order.length > MOST_DOTS) return set(this.element, this.bar(frame, order.length), parts);
    const list = h(
      "ol",
      { "aria-label": frame.catalogue.text("ui.time") },
      ...order.map((id, k) => this.place(frame, id, k, order.length)),
    );
    set(this.element, list, parts);
  }

  private place(frame: Frame, id: string, k: number, length: number): HTMLElement {
    const status = fineStatus(frame.state, id);
    const past = k < frame.position && status !== "failed";
    const inside = !!frame.state.part && k === frame.position - 1;
    const now = inside || (k === frame.position && frame.state.next === id && !frame.state.part);
    const events = past && length <= MOST_NAMED ? this.eventIcons(frame, k + 1, length, inside) : null;
    const kind = inside ? "past now" : past ? "past" : now || status === "failed" ? "now" : "todo";
    return h("li", { class: kind }, this.button(frame, id, k, length, now), events);
  }

  /** The mouse's way to a step; the keyboard has the arrows, Home and End. */
  private button(frame: Frame, id: string, k: number, length: number, now: boolean): HTMLElement {
    const status = fineStatus(frame.state, id);
    const [name, tone] = STATUS_ICON[status]!;
    const state = frame.catalogue.text(`status.${status === "partly" ? "waiting" : status}`);
    const who = shorten(frame.scene.name(id), 80);
    const label = frame.catalogue.text("ui.time.step", { n: k + 1, who, state });
    const dots = length > MOST_NAMED;
    const hidden = { "aria-hidden": "true" };
    const button = h(
      "button",
      {
        type: "button",
        tabindex: -1,
        "aria-label": label,
        title: label,
        "aria-current": now ? "step" : null,
      },
      dots ? h("span", { class: "dot", ...hidden }) : icon(name, status === "done" ? "c-grad" : tone),
      dots && !now ? null : h("span", { class: "word", ...hidden }, `${k + 1} `, code(frame.scene.name(id))),
    );
    button.setAttribute("aria-disabled", String(k >= frame.count));
    button.addEventListener("click", () => k < frame.count && this.onJump(k));
    return button;
  }

  /** The events of a step; where they do not fit, one of each kind with its number. */
  private eventIcons(frame: Frame, position: number, length: number, inside: boolean): HTMLElement | null {
    const room = Math.max(1, Math.floor(((this.element.clientWidth || 868) - 32) / length / EVENT_WIDTH) - 2);
    if (inside) return insideIcons(frame, this.events(position), room);
    const events = this.events(position).filter(
      (event) => event.kind in EVENT_ICON && event.kind !== "error",
    );
    const kinds = joinFrees(events);
    if (kinds.length === 0) return null;
    const shown = kinds.length <= room ? kinds : [...new Set(kinds)].slice(0, room);
    const words = kinds.map((kind) => frame.catalogue.text(`ui.event.${kind}`)).join(", ");
    const icons = shown.map((kind) => icon(EVENT_ICON[kind]![0], EVENT_ICON[kind]![1]));
    return h(
      "span",
      { class: "events", role: "img", "aria-label": visible(words), title: visible(words) },
      ...icons,
    );
  }

  private bar(frame: Frame, length: number): HTMLElement {
    const part = (100 * frame.position) / length;
    const now = frame.state.next ? code(frame.scene.name(frame.state.next), 30) : null;
    return h(
      "div",
      { class: "progress" },
      h("div", { class: "track", "aria-hidden": "true" }, h("div", { style: `width:${part.toFixed(2)}%` })),
      h("span", {}, `${Math.min(frame.position + 1, length)} `, now),
    );
  }
}

/** Inside a step every event has its sign: those that have happened, the last of them marked, those to come. */
function insideIcons(frame: Frame, events: RecordEvent[], room: number): HTMLElement {
  const done = frame.state.part!.done;
  const from = Math.max(0, Math.min(done - Math.ceil(room / 2), events.length - room));
  const icons = events.slice(from, from + room).map((event, k) => {
    const [name, tone] = EVENT_ICON[event.kind]!;
    const place = from + k + 1;
    const sign = icon(name, place > done ? "c-2" : tone);
    if (place === done) sign.classList.add("is-now");
    else if (place > done) sign.classList.add("is-later");
    return sign;
  });
  return h("span", { class: "events inside", "aria-hidden": "true" }, ...icons);
}

/** Freeing is one event to the eye, however many entries go. */
function joinFrees(events: RecordEvent[]): string[] {
  return events
    .map((event) => event.kind)
    .filter((kind, k, all) => !(kind === "free" && all[k - 1] === "free"));
}
