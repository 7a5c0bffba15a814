// The inspector's middle part: what the node saved in forward, and whether it is still there.

import type { Frame } from "./frame";
import type { RecordNode, SavedEntry, SavedState } from "./record";
import { code, h, visible } from "./dom";
import { icon, SAVED_ICON } from "./icons";
import { packedWords, savedWord } from "./saved_count";
import { shapeText } from "./scene";
import { heatMap, statistics, valuePieces, valueTable } from "./values";

interface Row {
  entries: SavedEntry[];
  status: SavedState;
}

const UNKNOWN: SavedState = { state: "none", expected: null, actual: null };

/** Entries that share storage, variable and state become one row: "self and other". */
function rows(node: RecordNode, frame: Frame): Row[] {
  const found = new Map<string, Row>();
  for (const entry of node.saved) {
    const status = frame.state.saved[entry.key] ?? UNKNOWN;
    const same =
      entry.storage === null
        ? entry.key
        : JSON.stringify([entry.storage, entry.var, entry.role, entry.shape, status.state]);
    const row = found.get(same);
    if (row) row.entries.push(entry);
    else found.set(same, { entries: [entry], status });
  }
  return [...found.values()];
}

/** What an entry is called: the learner's variable, a plain value's own text, else the formula's name. */
function entryTitle(entry: SavedEntry): string {
  return entry.var ?? (entry.value && entry.role === "scalar" ? entry.value.text : entry.name);
}

/** The heat map is the button that opens the table of values. */
function heatButton(entry: SavedEntry, isOpen: boolean, frame: Frame, toggle: () => void): HTMLElement {
  const name = visible(entryTitle(entry)).slice(0, 80);
  const button = h(
    "button",
    {
      class: "heat-button",
      type: "button",
      "aria-expanded": String(isOpen),
      disabled: !entry.value,
      "aria-label": frame.catalogue.text("ui.show_values", { name }),
    },
    heatMap(entry.value, 22),
  );
  button.addEventListener("click", toggle);
  return button;
}

function openedValues(entry: SavedEntry, frame: Frame): HTMLElement | null {
  if (!entry.value) return null;
  return h(
    "div",
    { class: "opened" },
    valueTable(entry.value, entryTitle(entry), frame.catalogue) ?? heatMap(entry.value, 160),
    statistics(entry.value, frame.catalogue),
  );
}

function savedRow(row: Row, frame: Frame, open: Set<string>, redraw: () => void): HTMLElement {
  const { catalogue } = frame;
  const { state } = row.status;
  const entry = row.entries[0]!;
  const names = row.entries.map((each) => visible(each.name)).join(catalogue.text("ui.and"));
  const role = catalogue.text(`role.${entry.role}`);
  const about = h("small", {}, names === visible(entryTitle(entry)) ? role : `${names}, ${role}`);
  const isOpen = open.has(entry.key) && !!entry.value;
  const toggle = () => {
    if (!open.delete(entry.key)) open.add(entry.key);
    redraw();
  };
  const stale = state === "stale";
  const absent = row.status.packed?.place === "absent";
  const sign = icon(...SAVED_ICON[absent && state === "packed" ? "freed" : state]!);
  return h(
    "div",
    {
      class: `row saved is-${state}`,
      "data-key": entry.key,
      "data-keys": row.entries.map((each) => each.key).join(" "),
    },
    heatButton(entry, isOpen, frame, toggle),
    h("span", { class: "name" }, code(entryTitle(entry), 24), about),
    h("span", { class: stale ? "state bad" : "state" }, sign, savedWord(row.status, catalogue)),
    row.status.packed && !row.status.packed.place
      ? packedFacts(row.status, frame)
      : facts(entry, row.status, frame, state === "freed"),
    stale && h("span", { class: "two bad" }, catalogue.text("ui.version_stale", versions(row.status))),
    isOpen && openedValues(entry, frame),
  );
}

function facts(entry: SavedEntry, status: SavedState, frame: Frame, gone: boolean): HTMLElement {
  const value = entry.value
    ? h("b", { class: gone ? "num gone" : "num" }, ...valuePieces(entry.value, frame.catalogue))
    : null;
  const version =
    status.expected === null || status.state === "stale"
      ? null
      : h("span", {}, frame.catalogue.text("text.version", versions(status)));
  return h(
    "span",
    { class: "two" },
    value,
    h("span", {}, shapeText(entry.shape)),
    h("span", {}, entry.dtype ?? "-"),
    entry.bytes !== null && h("span", {}, `${entry.bytes} B`),
    version,
  );
}

/** What a pack hook has made of the tensor; nobody compares versions then. */
function packedFacts(status: SavedState, frame: Frame): HTMLElement {
  return h(
    "span",
    { class: "two" },
    h("span", { class: "whole" }, packedWords(status, frame.catalogue)),
    h("span", {}, frame.catalogue.text("text.version_off")),
  );
}

function versions(status: SavedState): { expected: string; actual: string } {
  return { expected: String(status.expected ?? "-"), actual: String(status.actual ?? "-") };
}

/** "2 tensors, 16 B", each storage counted once. */
function amount(node: RecordNode, frame: Frame): string {
  const storages = new Map(
    node.saved.filter((entry) => entry.storage !== null).map((entry) => [entry.storage!, entry.bytes ?? 0]),
  );
  const bytes = [...storages].reduce((sum, [id, own]) => sum + (frame.scene.storageBytes.get(id) ?? own), 0);
  const n = node.saved.filter((entry) => (frame.state.saved[entry.key] ?? UNKNOWN).state !== "none").length;
  const id = n > 1 && storages.size === 1 ? "ui.saved.shared" : "ui.saved.amount";
  return n === 0 ? "" : frame.catalogue.text(id, { n, bytes: `${bytes} B` });
}

export function savedSection(
  node: RecordNode,
  frame: Frame,
  open: Set<string>,
  redraw: () => void,
): HTMLElement {
  const title = h("h4", {}, frame.catalogue.text("ui.saved"), h("small", {}, amount(node, frame)));
  const body = node.saved.length
    ? rows(node, frame).map((row) => savedRow(row, frame, open, redraw))
    : [h("p", { class: "quiet small" }, frame.catalogue.text("ui.saved.none"))];
  return h("section", { class: "saved-part" }, title, ...body);
}
