// Parts of the text form that only some passes have, as in `autodidact/trace/text_scenes.py`.

import { cutRows, silentlyOnce } from "./cuts";
import { visible } from "./dom";
import { endRows } from "./ends";
import { stretches } from "./timeline_parts";
import { aligned, cutTo, headline } from "./text_words";
import { familyRows, writeOf } from "./views";
import type { TextView } from "./textform";

const MOST_SOURCE = 40;

export function sceneParts(view: TextView): string[][] {
  return [
    parts(view),
    tangents(view),
    writes(view),
    families(view),
    ends(view),
    secondGraph(view),
    lost(view),
    madeBefore(view),
  ];
}

/** Lines of a table under a title; nothing where it has no rows. */
function table(view: TextView, title: string, titles: string[], rows: string[][]): string[] {
  if (rows.length === 0) return [];
  const words = titles.map((each) => (each ? view.say(`text.${each}`) : ""));
  return [view.say(title), ...aligned([words, ...rows].map(([first, ...rest]) => ["  " + first, ...rest]))];
}

/** Of a long pass: which module, or which function, its steps are in. */
function parts(view: TextView): string[] {
  const skipped = (id: string) => view.first.status[id] === "skipped";
  const rows = stretches(view.scene, skipped).map(({ path, start, length }) => [
    path,
    view.say("text.from_to", { first: start + 1, last: start + length }),
  ]);
  return table(view, "text.parts", ["part", "steps"], rows);
}

/** Of values that forward mode has moved: each beside its tangent. */
function tangents(view: TextView): string[] {
  const rows = view.scene.head.nodes.flatMap((node) =>
    node.tangent
      ? [[cutTo(headline(node), MOST_SOURCE), view.value(node.value), view.value(node.tangent)]]
      : [],
  );
  return table(view, "text.tangents", ["node", "value", "tangent"], rows);
}

/** Writes through a view: what was replaced, what the base was before, what goes in now. */
function writes(view: TextView): string[] {
  const rows = view.scene.head.nodes.flatMap((node) => {
    const told = writeOf(node, view.scene, view.catalogue);
    if (!told) return [];
    const before = told.before ?? view.say("text.no_node");
    return [[cutTo(headline(node), MOST_SOURCE), told.elements, before, told.inputs.join(", ")]];
  });
  return table(view, "text.writes", ["node", "written", "base_before", "inputs_now"], rows);
}

/** Tensors in one memory and their version counters; nothing while all of these are 0. */
function families(view: TextView): string[] {
  const rows = familyRows(view.scene, view.state, view.catalogue);
  return table(view, "text.families", ["name", "kind", "counter", "version_now"], rows);
}

/** Under create_graph: every node made so far, who made it, and where it will send to. */
function secondGraph(view: TextView): string[] {
  const rows = Object.values(view.state.second ?? {}).map((each) => [
    visible(each.text),
    visible(each.name),
    view.who(each.by),
    each.value ? view.value(each.value) : "-",
    each.to.map((key) => goal(view, key)).join(", ") || "-",
  ]);
  return table(view, "text.second", ["node", "", "made_by", "value", "sends"], rows);
}

/** Inputs that have lost their graph: by what, and in which line. */
function ends(view: TextView): string[] {
  const rows = endRows(view.scene, view.catalogue, MOST_SOURCE);
  return table(view, "text.ends", ["node", "input", "ended_by", "program", ""], rows);
}

/** Gradients that lost their graph, or a part of it, on the way out of a custom Function. */
function lost(view: TextView): string[] {
  const rows = cutRows(view.scene, view.state, view.catalogue);
  const lines = table(view, "text.cuts", ["sent_by", "sent_to", "its_graph", "why"], rows);
  return silentlyOnce(view.state) ? [...lines, view.say("rule.once")] : lines;
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
