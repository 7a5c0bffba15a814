// Moments inside a step: in event mode, forward and back go event by event over the record.

import type { Frame } from "./frame";
import type { Child } from "./dom";
import { eventParts } from "./text_events";
import { TextView } from "./textform";

/** A place in the record: a step, and how many of its events are shown; -1: all of them, the whole step. */
export interface Moment {
  position: number;
  event: number;
}

/** The moment after `at`; null where the record has no more. `events(k)` is the number of events of step k. */
export function momentAfter(at: Moment, count: number, events: (k: number) => number): Moment | null {
  if (at.event >= 0)
    return { position: at.position, event: at.event + 1 >= events(at.position) ? -1 : at.event + 1 };
  if (at.position >= count - 1) return null;
  return firstMoment(at.position + 1, events);
}

/** Where event mode enters a step: its first event has happened. */
export function firstMoment(position: number, events: (k: number) => number): Moment {
  return { position, event: events(position) > 1 ? 1 : -1 };
}

/** The moment before `at`; null at the start. */
export function momentBefore(at: Moment, events: (k: number) => number): Moment | null {
  if (at.event > 1) return { position: at.position, event: at.event - 1 };
  if (at.event >= 0) return { position: at.position - 1, event: -1 };
  if (at.position === 0) return null;
  const last = events(at.position) - 1;
  return last >= 1 ? { position: at.position, event: last } : { position: at.position - 1, event: -1 };
}

/** What the last event of a moment was, as a sentence; empty where a whole step is shown. */
export function momentSentence(frame: Frame, before: Frame["state"]): Child[] {
  const { scene, catalogue, state, first } = frame;
  const last = state.events[state.events.length - 1];
  if (!state.part || !last) return [];
  const view = new TextView(scene, catalogue, state, before, first);
  const counts = new Map<string, number>();
  const parts = state.events.map((event) => eventParts(view, event, counts));
  return parts[parts.length - 1]!.flatMap(([id, args], k) => [k > 0 && " ", ...catalogue.pieces(id, args)]);
}

/** Marks the saved tensor that the last event was about. */
export function markMoment(root: Element, frame: Frame): void {
  const last = frame.state.part ? frame.state.events[frame.state.events.length - 1] : undefined;
  for (const row of root.querySelectorAll(".row.saved"))
    row.classList.toggle(
      "is-now",
      !!last?.key && row.getAttribute("data-keys")?.split(" ").includes(last.key) === true,
    );
}
