// Making a frame, and telling two of them apart.

import type { Frame } from "./frame";
import type { Fonts } from "./measure";
import { currentNode } from "./scene";
import type { Session } from "./session";

/** What is to be drawn now; `selected` is the node that the learner chose. */
export function frameOf(session: Session, selected: string | null, fonts: Fonts): Frame {
  const state = session.moment();
  return {
    scene: session.scene,
    catalogue: session.catalogue,
    fonts,
    state,
    first: session.first(),
    position: session.position,
    event: session.event,
    breaks: session.breaks,
    count: session.count,
    total: session.total(),
    done: session.done,
    selected,
    shown: selected ?? currentNode(session.scene, state),
    near: null,
    ran: session.ran(),
  };
}

/** Is `frame` one step or one event further on than `before`? */
export function isAhead(before: Frame, frame: Frame): boolean {
  if (frame.position === before.position + 1) return true;
  return (
    frame.position === before.position && before.event >= 0 && (frame.event < 0 || frame.event > before.event)
  );
}

/** Does the picture of `frame` differ from that of `before`? */
export function looksOther(before: Frame | null, frame: Frame): boolean {
  return (
    before?.position !== frame.position ||
    before.event !== frame.event ||
    before.breaks !== frame.breaks ||
    Object.keys(before.state.predicted).join() !== Object.keys(frame.state.predicted).join() ||
    before.selected !== frame.selected ||
    before.count !== frame.count
  );
}
