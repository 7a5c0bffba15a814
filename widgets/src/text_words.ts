// Words and columns of the text form, the same as in `autodidact/trace/plain.py`.

import type { Catalogue } from "./catalogue";
import type { RecordNode, SavedEntry, State, Strides, Summary } from "./record";
import { visible } from "./dom";
import { shapeText, who } from "./scene";
import { allNumbers } from "./values";

// East Asian wide and full-width characters, and emoji.
const WIDE = new RegExp(
  "[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\u33ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua000-\\ua4cf\\uac00-\\ud7a3" +
    "\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6\\u{1f300}-\\u{1f64f}\\u{1f900}-\\u{1f9ff}\\u{20000}-\\u{3fffd}]",
  "u",
);

/** Columns in a fixed-width face: wide characters count two, combining ones none. */
export function columns(text: string): number {
  let sum = 0;
  for (const character of text) sum += /\p{Mn}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return sum;
}

/** At most `room` columns; an ellipsis stands for the rest. */
export function cutTo(text: string, room: number): string {
  if (columns(text) <= room) return text;
  let out = "";
  let used = 1;
  for (const character of text) {
    used += columns(character);
    if (used > room) break;
    out += character;
  }
  return out.trimEnd() + "…";
}

/** Rows of cells as lines with straight columns. */
export function aligned(rows: string[][], gap = 3): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, columns(cell))));
  return rows.map((row) =>
    row
      .map((cell, i) => cell + " ".repeat(widths[i]! - columns(cell)))
      .join(" ".repeat(gap))
      .trimEnd(),
  );
}

/** The learner's functions that a node was made in: "in block, attend". */
export function callsText(node: RecordNode, catalogue: Catalogue): string {
  const names = (node.calls ?? []).map(([, name]) => visible(name));
  return names.length > 0 ? catalogue.text("text.in_calls", { what: names.join(", ") }) : "";
}

export function headline(node: RecordNode): string {
  return node.kind === "leaf" ? who(node) : visible(node.source || node.var || "-");
}

export function place(node: Pick<RecordNode, "where">, catalogue: Catalogue): string {
  if (!node.where) return "";
  const { cell, line, file } = node.where;
  if (cell !== null) return catalogue.text("text.place.cell", { cell: String(cell), line: String(line) });
  return catalogue.text("text.place.file", { file: file ?? "-", line: String(line) });
}

/** The number; all values where they fit into `most` columns; else norm and shape. */
export function valueText(value: Summary | null | undefined, most: number, catalogue: Catalogue): string {
  if (!value) return catalogue.text("value.none");
  if (value.label === "value") return visible(value.text);
  return (
    allNumbers(value, most) ??
    `${catalogue.text("text.norm", { value: value.text })} ${shapeText(value.shape)}`
  );
}

/** "sum over rows": what happens to a gradient whose input was repeated; null where it was not. */
export function overText(node: RecordNode, edge: string, catalogue: Catalogue): string | null {
  const over = node.rules.find((each) => each.edge === edge)?.over ?? [];
  const axes = node.outputs[0]?.shape?.length ?? 0;
  if (over.length === 0) return null;
  if (over.length === axes) return catalogue.text("ui.over.all");
  if (axes === 2) return catalogue.text(over[0] === 0 ? "ui.over.rows" : "ui.over.columns");
  return catalogue.text("ui.over.dims", { dims: over.join(", ") });
}

/** Whether a `.grad` lies in memory as its leaf does. */
export function stridesText({ own, leaf }: Strides, catalogue: Catalogue): string {
  const args = { own: shapeText(own), leaf: shapeText(leaf) };
  return catalogue.text(args.own === args.leaf ? "grad.strides.same" : "grad.strides.own", args);
}

export function savedName(entry: SavedEntry): string {
  const name = visible(entry.name);
  return entry.var && entry.var !== name ? `${name} ${visible(entry.var)}` : name;
}

/** A node's saved entries in two: tensors, and plain values such as numbers and shapes. */
export function plainValues(node: RecordNode, state: State): [SavedEntry[], SavedEntry[]] {
  const isPlain = (entry: SavedEntry) => state.saved[entry.key]?.state === "none";
  return [node.saved.filter((entry) => !isPlain(entry)), node.saved.filter(isPlain)];
}

/** Of a value that forward mode has moved: both, in a sentence. */
export function tangentText(node: RecordNode, catalogue: Catalogue): string {
  const [value, tangent] = [node.value, node.tangent].map((each) => valueText(each, 28, catalogue));
  return catalogue.text("ui.tangent", { value: value ?? "-", tangent: tangent ?? "-" });
}
