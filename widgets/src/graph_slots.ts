// The slots at a box's lower edge: a place for each gradient that will arrive, then their sum.

import type { Box, Contribution, Rect, SlotPlace, Summary } from "./record";
import { s } from "./dom";
import { width } from "./measure";
import { shortNumber } from "./scene";
import { allNumbers } from "./values";
import { valueText } from "./text_words";
import type { Frame } from "./frame";

type Cell = Rect & { edge: string | null };

/** A cell with its words; the tooltip says the same in full. */
function cellParts(rect: Rect, kind: string, text: string, tone: string, title: string): SVGElement[] {
  const place = { x: rect.x, y: rect.y, width: rect.w, height: rect.h, rx: 3 };
  const body = s("rect", { class: `slot ${kind}`, ...place }, s("title", {}, title));
  if (text === "") return [body];
  return [
    body,
    s("text", { class: `n ${tone}`, x: rect.x + rect.w / 2, y: rect.y + rect.h / 2 + 4.5 }, text),
  ];
}

function numberIn(value: Summary, room: number, frame: Frame): string {
  const all = allNumbers(value, 12);
  if (all !== null && width(all, frame.fonts.chip) <= room - 4) return all;
  return shortNumber(value.text, Math.max(2, Math.floor((room - 4) / (width("0", frame.fonts.chip) || 8))));
}

function sender(edge: string | null, frame: Frame): string {
  if (edge === null) return frame.catalogue.text("text.start");
  return frame.scene.name(frame.scene.edges.get(edge)?.from ?? null);
}

/** Nothing has arrived here; or, of an output that nobody used, the None that stands in for it. */
function emptyCell(box: Box, expected: number, cell: Cell, frame: Frame): SVGElement[] {
  const none = frame.catalogue.text("value.none");
  const runs = ["next", "done", "failed"].includes(frame.state.status[box.node] ?? "");
  if (cell.edge === null && expected === 0 && runs) {
    return cellParts(cell, "ghost", none, "nil", frame.catalogue.text("ui.slot.unused"));
  }
  const who = sender(cell.edge, frame);
  return cellParts(cell, "empty", "", "", frame.catalogue.text("ui.slot.empty", { who }));
}

/** One contribution: solid where this box's own use delivered it, pale where another use did. */
function arrivedCell(box: Box, cell: Cell, here: Contribution, frame: Frame): SVGElement[] {
  const { catalogue } = frame;
  const args = { value: valueText(here.value, 60, catalogue), who: sender(here.edge, frame) };
  const title = catalogue.text("text.receives_from", args);
  if (here.value === null) return cellParts(cell, "ghost", catalogue.text("value.none"), "nil", title);
  const own = cell.edge === null || (frame.scene.boxOf.get(cell.edge) ?? box.id) === box.id;
  return cellParts(cell, own ? "full" : "ghost", numberIn(here.value, cell.w, frame), own ? "on" : "", title);
}

/** Many contributions: one cell counts them. */
function countingCell(cell: Cell, got: number, expected: number, frame: Frame): SVGElement[] {
  const title = frame.catalogue.text("text.of_received", { got, of: expected });
  const text = frame.catalogue.text("text.of", { got, of: expected });
  return cellParts(cell, got ? "ghost" : "empty", text, "", title);
}

/** One slot: a cell for each contribution expected, and the sum once two have met. */
export function drawSlot(box: Box, place: SlotPlace, frame: Frame): SVGElement[] {
  const got = frame.state.received[box.node]?.[place.slot] ?? [];
  const total = frame.state.total[box.node]?.[place.slot] ?? null;
  const expected = frame.scene.nodes.get(box.node)?.outputs[place.slot]?.expected ?? 0;
  const parts = place.cells.flatMap((cell) => {
    if (place.folded) return countingCell(cell, got.length, expected, frame);
    const here = got.find((each) => each.edge === cell.edge);
    return here ? arrivedCell(box, cell, here, frame) : emptyCell(box, expected, cell, frame);
  });
  if (!place.sum || !total || (got.length < 2 && !place.folded)) return parts;
  const text = `= ${numberIn(total, place.sum.w - 16, frame)}`;
  const room = { ...place.sum, w: Math.max(place.sum.w, width(text, frame.fonts.chip) + 12) };
  const title = `${frame.catalogue.text("ui.sum")}: ${valueText(total, 60, frame.catalogue)}`;
  return [...parts, ...cellParts(room, "sum", text, "", title)];
}
