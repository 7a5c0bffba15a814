// Runs side by side as text: line for line what `Comparison.text()` prints in Python (`autodidact/trace/compare_text.py`).

import { type CompareSession, differenceWords } from "./compare_session";
import { visible } from "./dom";
import { who } from "./scene";
import { aligned, columns, cutTo, valueText } from "./text_words";

const TITLE_COLUMN = 53;
const MOST_LABEL = 40;
const MOST_ROWS = 24;

export function compareText(session: CompareSession): string {
  const { catalogue, position } = session;
  const labels = session.labels.map((label) => cutTo(visible(label), MOST_LABEL));
  const place = session.places[position]!;
  const told = session.rows().map((row) => differenceWords(row, catalogue));
  const left = catalogue.text("compare.title", { runs: labels.join(" | ") });
  const count = catalogue.text("ui.count", { done: place.steps, total: place.total });
  const parts = [
    [left + " ".repeat(Math.max(3, TITLE_COLUMN - columns(left))) + count, firstLine(session, told)],
    table(session, labels),
    leaves(session, labels),
    differences(session, told),
  ];
  return (
    parts
      .filter((part) => part.length)
      .map((part) => part.join("\n"))
      .join("\n\n") + "\n"
  );
}

function firstLine({ catalogue }: CompareSession, told: string[][]): string {
  if (told.length === 0) return catalogue.text("compare.alike");
  const [where, ...cells] = told[0]!;
  return catalogue.text("compare.first", { where: where!, what: cells.join(" | ") });
}

function table(session: CompareSession, labels: string[]): string[] {
  const { catalogue, position } = session;
  const lines = session.places.slice(0, position + 1).map((place) => place.line);
  const step = ["  " + catalogue.text("compare.step"), ...lines.map((line) => line[0]!)];
  const nodes = lines.map((line) => [...new Set(labels.map((_, run) => line[1 + 3 * run]!))].filter(Boolean));
  const together = nodes.every((names) => names.length < 2);
  const cells = [step];
  if (together) cells.push([catalogue.text("text.node"), ...nodes.map((names) => names.join(""))]);
  labels.forEach((label, run) => {
    const own = lines.map((line) => line.slice(1 + 3 * run + (together ? 1 : 0), 4 + 3 * run));
    cells.push([label, ...aligned(own)]);
  });
  return aligned(step.map((_, k) => cells.map((column) => column[k]!)));
}

function leaves(session: CompareSession, labels: string[]): string[] {
  const { catalogue } = session;
  const rows = leafRows(session).map(([name, grads]) => [`${name}.grad`, ...grads]);
  return rows.length ? aligned([[catalogue.text("text.leaf"), ...labels], ...rows]) : [];
}

/** Every leaf (or those asked for) with its .grad in each run; "-" where a run has no such leaf. */
export function leafRows(session: CompareSession, only: Set<string>[] | null = null): [string, string[]][] {
  const found = new Map<string, string[]>();
  session.labels.forEach((_, run) => {
    const { pass } = session.here(run);
    const state = session.state(run);
    const asked = only && [...only[run]!].map((id) => pass.scene.nodes.get(id)!);
    for (const node of asked ?? pass.scene.head.nodes) {
      if (node.kind !== "leaf") continue;
      if (!found.has(who(node)))
        found.set(
          who(node),
          session.labels.map(() => "-"),
        );
      found.get(who(node))![run] = valueText(state.grads[node.id]?.value, 28, session.catalogue);
    }
  });
  return [...found];
}

function differences({ catalogue }: CompareSession, told: string[][]): string[] {
  if (told.length === 0) return [];
  const more = told.length - MOST_ROWS;
  return [
    catalogue.text("compare.differences"),
    ...aligned(told.slice(0, MOST_ROWS).map(([where, ...cells]) => ["  " + where, ...cells])),
    ...(more > 0 ? ["  " + catalogue.text("compare.more", { n: more })] : []),
  ];
}
