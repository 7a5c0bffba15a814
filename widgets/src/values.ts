// Values of tensors: in a few words, as a heat map, and, when opened, as a table of numbers.

import type { Catalogue } from "./catalogue";
import type { Summary } from "./record";
import { type Child, h, s, visible } from "./dom";
import { general, shapeText } from "./scene";

// Of an array all numbers are shown where they take no more columns than this.
export const MOST_COLUMNS = 20;

/** One element: the number. A small array: its numbers. A larger one: its norm, said to be one. Nothing: the word None. */
export function valuePieces(value: Summary | null, catalogue: Catalogue): Child[] {
  if (value === null) return [h("span", { class: "none" }, catalogue.text("value.none"))];
  if (value.label === "value") return [visible(value.text)];
  const all = allNumbers(value, MOST_COLUMNS);
  if (all !== null) return [all];
  return [h("span", { class: "quiet small" }, `${catalogue.text("ui.norm")} `), visible(value.text)];
}

/** A number as the chips show it: six significant digits, no needless zeros. */
export function numberText(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string")
    return { NaN: "nan", Infinity: "inf", "-Infinity": "-inf" }[value] ?? visible(value);
  if (typeof value !== "number") return "-";
  return Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value) : general(value, 6);
}

/** "[[1, 0], [0, 1]]"; null where that takes more than `most` columns, or the record holds no numbers. */
export function allNumbers(value: Summary, most: number): string | null {
  if (value.label === "value" || !Array.isArray(value.values)) return null;
  const text = listText(value.values);
  return text.length <= most ? text : null;
}

function listText(values: unknown): string {
  return Array.isArray(values) ? `[${values.map(listText).join(", ")}]` : numberText(values);
}

/** Orange below zero, blue above; opacity is size over the largest. What is not finite is crossed out. */
export function heatMap(value: Summary | null, size: number): SVGElement {
  const rows = value?.heat ?? [];
  const height = rows.length || 1;
  const width = Math.max(1, ...rows.map((row) => row.length));
  const largest = Math.max(
    ...rows.flat().map((each) => (typeof each === "number" ? Math.abs(each) : 0)),
    1e-300,
  );
  const cells = rows.flatMap((row, y) =>
    row.map((each, x) => {
      if (typeof each !== "number") return s("path", { class: "not-finite", d: `M${x} ${y}l1 1m0 -1l-1 1` });
      const opacity = Math.max(
        each === 0 ? 0 : 0.08,
        (Math.abs(each) / largest) * (rows.flat().length === 1 ? 0.75 : 1),
      );
      return s("rect", {
        x,
        y,
        width: 1,
        height: 1,
        class: each < 0 ? "below" : "above",
        "fill-opacity": opacity.toFixed(3),
      });
    }),
  );
  return s(
    "svg",
    {
      class: "heat",
      width: size,
      height: size,
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
      "shape-rendering": "crispEdges",
      "aria-hidden": "true",
    },
    ...cells,
  );
}

/** The last two axes as rows and columns; higher axes one block after the other. Null when the record holds no values. */
export function valueTable(value: Summary, name: string, catalogue: Catalogue): HTMLElement | null {
  if (value.values === null || value.values === undefined) return null;
  const blocks = matrices(value.values, value.shape.length);
  const tables = blocks.map((rows) =>
    h(
      "table",
      {},
      h(
        "tbody",
        {},
        ...rows.map((row) => h("tr", {}, ...row.map((each) => h("td", { class: "num" }, numberText(each))))),
      ),
    ),
  );
  const label = catalogue.text("ui.values_of", {
    name: visible(name).slice(0, 80),
    shape: shapeText(value.shape),
  });
  return h("div", { class: "values", role: "group", tabindex: 0, "aria-label": label }, ...tables);
}

function matrices(values: unknown, depth: number): unknown[][][] {
  if (depth === 0 || !Array.isArray(values)) return [[[values]]];
  if (depth === 1) return [[values]];
  let blocks: unknown[] = [values];
  for (let k = depth; k > 2; k--) blocks = blocks.flatMap((block) => (Array.isArray(block) ? block : []));
  return blocks as unknown[][][];
}

/** Smallest, largest, mean and norm in words. */
export function statistics(value: Summary, catalogue: Catalogue): HTMLElement {
  const facts = { "ui.min": value.min, "ui.max": value.max, "ui.mean": value.mean, "ui.norm": value.norm };
  const known = Object.entries(facts).filter(([, number]) => number !== null);
  const words = known.map(([word, number]) => `${catalogue.text(word)} ${numberText(number)}`);
  return h("p", { class: "quiet small" }, words.join(", "));
}
