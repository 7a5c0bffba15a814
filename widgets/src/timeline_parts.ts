// Brackets under a long time line: which module (or which of the learner's functions) each stretch of the pass is in.

import { h, visible } from "./dom";
import type { Frame } from "./frame";
import { width } from "./measure";
import type { RecordNode } from "./record";
import type { Scene } from "./scene";

const MOST = 30; // brackets; where there would be more, those of the modules around them
const DEEPEST = 12;
const SHORT = 12; // steps, each of which has its name on the time line

/** Neighbouring steps of one module: the first, how many, the module's name and its whole path. */
export interface Stretch {
  start: number;
  length: number;
  name: string;
  path: string;
}

/** The names of the modules that a node is in, outermost first; of functions where no module is known. */
function pathOf(node: RecordNode, byFunction: boolean): [string, string][] {
  if (byFunction) return (node.calls ?? []).map(([call, name]) => [`${name} ${call}`, name]);
  return (node.module ? node.module.split(".") : []).map((name) => [name, name]);
}

/** The stretches of a pass in its planned order, as deep inside as there is room for; none: nothing is known. */
export function stretches(scene: Scene, skipped: (id: string) => boolean): Stretch[] {
  const { nodes, grouped } = scene.head;
  const known = nodes.some((node) => node.module);
  const byFunction = (grouped ?? (known ? "module" : "function")) === "function";
  const paths = nodes
    .filter((node) => !skipped(node.id))
    .map((node) => {
      // a leaf is in the module that sends to it
      const sender = node.kind === "leaf" ? scene.edgesTo.get(node.id)?.[0]?.from : undefined;
      return pathOf(scene.nodes.get(sender ?? node.id)!, byFunction);
    });
  if (paths.length <= SHORT) return [];
  const deepest = Math.min(DEEPEST, Math.max(0, ...paths.map((path) => path.length)));
  for (let depth = deepest; depth > 0; depth--) {
    const found = runs(paths, depth);
    if (found.length <= MOST) return found.filter((each) => each.name !== "");
  }
  return [];
}

/** Neighbours whose paths are the same down to some depth. */
function runs(paths: [string, string][][], depth: number): Stretch[] {
  const out: Stretch[] = [];
  let last: string | null = null;
  paths.forEach((path, start) => {
    const cut = path.slice(0, depth);
    const key = cut.map(([each]) => each).join(".");
    if (key === last) out[out.length - 1]!.length += 1;
    else {
      const names = cut.map(([, name]) => visible(name));
      out.push({ start, length: 1, name: names[names.length - 1] ?? "", path: names.join(".") });
    }
    last = key;
  });
  return out;
}

export class TimeParts {
  private known: { scene: Scene; found: Stretch[] } | null = null;

  /** The row of brackets; null where no module is known. `room` is the time line's width. */
  row(frame: Frame, length: number, room: number): HTMLElement | null {
    if (this.known?.scene !== frame.scene) {
      const skipped = (id: string) => frame.first.status[id] === "skipped";
      this.known = { scene: frame.scene, found: stretches(frame.scene, skipped) };
    }
    const { found } = this.known;
    if (found.length === 0) return null;
    let end = 0;
    const parts = found.flatMap((each) => {
      const gap = each.start > end ? [h("span", { style: `flex:${each.start - end}` })] : [];
      end = each.start + each.length;
      return [...gap, this.bracket(each, frame, (room * each.length) / length)];
    });
    if (end < length) parts.push(h("span", { style: `flex:${length - end}` }));
    const label = frame.catalogue.text("ui.time.parts");
    return h("div", { class: "parts", role: "list", "aria-label": label }, ...parts);
  }

  private bracket({ start, length, name, path }: Stretch, frame: Frame, room: number): HTMLElement {
    const { catalogue, fonts, position } = frame;
    const words = catalogue.text("ui.time.part", { who: path, from: start + 1, to: start + length });
    const here = position >= start && position < start + length;
    const fits = width(name, fonts.sub) + 6 <= room;
    return h(
      "span",
      {
        class: here ? "part is-here" : "part",
        role: "listitem",
        style: `flex:${length}`,
        title: words,
      },
      h("span", { class: "unseen" }, words),
      h("span", { "aria-hidden": "true" }, fits || here ? name : "\u00a0"),
    );
  }
}
