// Parts of the text form that only some passes have, as in `autodidact/trace/text_scenes.py`.

import { visible } from "./dom";
import { aligned } from "./text_words";
import type { TextView } from "./textform";

export function sceneParts(view: TextView): string[][] {
  return [secondGraph(view), madeBefore(view)];
}

/** Under create_graph: every node made so far, who made it, and where it will send to. */
function secondGraph(view: TextView): string[] {
  const made = Object.values(view.state.second ?? {});
  if (made.length === 0) return [];
  const titles = ["node", "", "made_by", "value", "sends"].map((title) =>
    title ? view.say(`text.${title}`) : "",
  );
  const rows = made.map((each) => [
    "  " + visible(each.text),
    visible(each.name),
    view.who(each.by),
    view.value(each.value),
    each.to.map((key) => goal(view, key)).join(", ") || "-",
  ]);
  return [view.say("text.second"), ...aligned([["  " + titles[0], ...titles.slice(1)], ...rows])];
}

/** A node of either graph in a word: its number, or what the pass calls it. */
function goal(view: TextView, key: string): string {
  return view.state.second?.[key]?.text.split(" ")[0] ?? view.who(key);
}

/** Of a second pass: which node of the first made which of its nodes. */
function madeBefore(view: TextView): string[] {
  const makers = new Map<string, { root: string | null; who: string; what: string[] }>();
  for (const node of view.scene.head.nodes) {
    if (!node.made_by) continue;
    const key = JSON.stringify([node.made_by.root, node.made_by.who]);
    const found = makers.get(key) ?? { ...node.made_by, what: [] };
    found.what.push(view.who(node.id));
    makers.set(key, found);
  }
  return [...makers.values()].map(({ root, who, what }) =>
    view.say("text.made_before", {
      root: visible(root ?? view.say("title.output")),
      who: visible(who),
      what,
    }),
  );
}
