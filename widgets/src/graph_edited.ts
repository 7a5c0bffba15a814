// The word "edited" over a node in whose pass a number was changed; dotted, as nothing else is.

import { s } from "./dom";
import type { Frame } from "./frame";
import type { Box } from "./record";
import { editsSoFar } from "./whatif";

export function isEdited(box: Box, frame: Frame): boolean {
  return editsSoFar(frame).some((edit) => edit.node === box.node);
}

export function editedMark(box: Box, frame: Frame): SVGElement[] {
  if (!isEdited(box, frame)) return [];
  const word = frame.catalogue.text("ui.whatif.edited");
  return [s("text", { class: "edited-word end", x: box.x + box.w - 4, y: box.y - 5 }, word)];
}
