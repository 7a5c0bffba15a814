// What the text form says of PyTorch's engine: which it is, and what it does not let anybody see.

import { visible } from "./dom";
import type { TextView } from "./textform";

export function engineLines(view: TextView, engine: string): string[] {
  const functions = view.scene.head.nodes.filter((node) => node.kind === "function");
  const what = [...new Set(functions.map((node) => visible(node.name)))];
  const lines = [view.say(`text.engine.${engine}`)];
  if (what.length) lines.push(view.say("text.hidden_inside", { what }));
  if (Object.keys(view.state.second ?? {}).length > 0) lines.push(view.say("text.hidden_second"));
  return lines;
}
