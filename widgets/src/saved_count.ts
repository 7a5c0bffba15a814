// "2 kept", "1 freed", "saves none": a node's saved tensors in a word.

import type { Catalogue } from "./catalogue";
import type { RecordNode, State } from "./record";

const LOUDEST = ["stale", "kept", "packed", "freed"] as const;

export function savedCount(
  node: RecordNode,
  state: State,
  catalogue: Catalogue,
): { state: (typeof LOUDEST)[number] | null; text: string } {
  const states = node.saved.map((entry) => state.saved[entry.key]?.state ?? "none");
  const loudest = LOUDEST.find((each) => states.includes(each));
  if (!loudest) return { state: null, text: catalogue.text("text.saves_none") };
  return {
    state: loudest,
    text: catalogue.text(`count.${loudest}`, { n: states.filter((each) => each === loudest).length }),
  };
}
