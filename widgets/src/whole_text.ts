// All that the text form shows: the state (or the view that is open instead), breakpoints, open questions.

import { askLines } from "./ask";
import { breakLines } from "./breaks";
import { warnings } from "./cuts";
import type { Extras } from "./extras";
import type { Frame } from "./frame";
import type { Session } from "./session";
import { textForm } from "./textform";

export function wholeText(frame: Frame, session: Session, extras: Extras): string {
  const before = frame.position > 0 ? session.stateBefore() : frame.first;
  const form = extras.text(frame) ?? textForm(frame.scene, frame.catalogue, frame.state, before, frame.first);
  const { asking, openQuestions } = session;
  const asked = asking.open ? askLines(asking, openQuestions, frame.scene, frame.catalogue) : "";
  const lost = session.warns ? warnings(frame.scene, frame.state, frame.catalogue) : [];
  const warned = lost.map((line) => `${line}\n`).join("");
  return form + warned + breakLines(frame, frame.breaks, session.halt) + asked;
}
