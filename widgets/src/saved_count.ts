// "2 kept", "1 freed", "saves none": a node's saved tensors in a word.

import type { Catalogue } from "./catalogue";
import { visible } from "./dom";
import type { Head, RecordNode, SavedState, State } from "./record";

/** kept, freed, stale, packed; of a packed one, how often it has been read. */
export function savedWord(status: SavedState, catalogue: Catalogue): string {
  const place = status.packed?.place;
  if (place && status.state !== "freed") return catalogue.text(`saved.${place}`);
  const n = status.packed?.reads ?? 0;
  return n > 0
    ? catalogue.text(`saved.${status.state}_read`, { n })
    : catalogue.text(`saved.${status.state}`);
}

/** "packed: str 'drawer 1', given back by unpack". */
export function packedWords(status: SavedState, catalogue: Catalogue): string {
  const { what, hook } = status.packed!;
  return catalogue.text("text.packed", { what: visible(what), hook: visible(hook) });
}

/** "0 instead of 16"; empty where nothing is known to be wrong. */
export function wrongText(state: State, id: string, catalogue: Catalogue): string {
  const mark = state.wrong?.[id];
  if (!mark) return "";
  return catalogue.text("text.instead", {
    got: mark.got?.text ?? null,
    expected: mark.expected?.text ?? null,
  });
}

const LOUDEST = ["stale", "kept", "packed", "freed"] as const;

export function savedCount(
  node: RecordNode,
  state: State,
  catalogue: Catalogue,
  head: Head,
): { state: (typeof LOUDEST)[number] | null; text: string } {
  if (head.engine === "own") return { state: null, text: wrongText(state, node.id, catalogue) };
  const states = node.saved.map((entry) => state.saved[entry.key]?.state ?? "none");
  const loudest = LOUDEST.find((each) => states.includes(each));
  if (!loudest) return { state: null, text: catalogue.text("text.saves_none") };
  const absent = node.saved.filter((entry) => state.saved[entry.key]?.packed?.place === "absent").length;
  if (loudest === "packed" && absent > 0)
    return { state: "freed", text: catalogue.text("count.absent", { n: absent }) };
  return {
    state: loudest,
    text: catalogue.text(`count.${loudest}`, { n: states.filter((each) => each === loudest).length }),
  };
}
