// What is wrong with a program, as text: the same lines as `autodidact/trace/text_case.py`.

import type { Catalogue } from "./catalogue";
import { lessonNumber, programText, strongest } from "./clinic";
import type { Case, Listing, Sentence } from "./record";
import { aligned } from "./text_words";
import type { TextView } from "./textform";

const SIGNS = { note: ".", save: "#", guilty: "!", stop: "x" };

export function caseLines(found: Case, catalogue: Catalogue): string[] {
  const say = (each: Sentence) => catalogue.text(each.id, each.args ?? {});
  const lines: string[] = [];
  if (found.say.length > 0) lines.push(found.say.map(say).join(" "));
  if (found.kind === "silent") lines.push(catalogue.text("clinic.silent"));
  if (found.repaired) lines.push(say(found.repaired));
  if (found.rule) {
    const lesson = found.lesson
      ? ` ${catalogue.text("clinic.lesson", { lesson: lessonNumber(found.lesson) })}`
      : "";
    lines.push(say(found.rule) + lesson);
  }
  if (found.listing) lines.push(...listingLines(found.listing, say));
  if (found.repairs.length > 0) {
    lines.push(catalogue.text("clinic.repairs"));
    lines.push(...found.repairs.map((each, k) => `  ${k + 1}  ${say(each)}`));
  }
  return lines;
}

/** What has gone wrong in earlier steps without an exception. */
export function silentLines(view: TextView): string[] {
  return Object.entries(view.state.silent ?? {}).map(
    ([node, told]) =>
      `${view.say("text.silent", { who: view.who(node) })} ${view.catalogue.text(told.id, told.args ?? {})}`,
  );
}

function listingLines(listing: Listing, say: (each: Sentence) => string): string[] {
  const rows = listing.lines.map((text, k) => {
    const number = listing.first + k;
    const marks = listing.marks.filter((mark) => mark.line === number);
    const kind = strongest(marks);
    const told = marks.flatMap((mark) => (mark.say ? [say(mark.say)] : []));
    return [`${kind ? SIGNS[kind] : " "} ${number}`, programText(text), told.join("; ")];
  });
  return aligned(rows);
}
