// Runs side by side: the table of .grad, and the table of what differs.

import type { CompareSession, Difference } from "./compare_session";
import { leafRows } from "./compare_text";
import { code, h, set } from "./dom";
import { icon, SAVED_ICON } from "./icons";
import type { Sentence } from "./record";

const MOST_ROWS = 12;
const MOST_LEAVES = 20;
const MOST_LOOKED = 100; // steps back

/** A row of titles: what the table is about, then the runs. */
function titles(session: CompareSession, id: string): HTMLElement {
  const runs = session.labels.map((label) => h("th", { scope: "col" }, code(label, 30)));
  return h("thead", {}, h("tr", {}, h("th", { scope: "col" }, session.catalogue.text(id)), ...runs));
}

/** Every leaf's .grad in each run, of many those that were written last; those that differ are marked. */
export function drawGrads(element: HTMLElement, session: CompareSession): void {
  const late = latest(session);
  const rows = leafRows(session, late).map(([name, grads]) =>
    h(
      "tr",
      { class: new Set(grads).size > 1 ? "differs" : null },
      h("th", { scope: "row" }, code(`${name}.grad`, 24)),
      ...grads.map((grad) => h("td", {}, grad)),
    ),
  );
  const caption = h("caption", { class: "unseen" }, session.catalogue.text("ui.leaves"));
  set(
    element,
    rows.length > 0 && h("table", {}, caption, titles(session, "ui.leaf"), h("tbody", {}, ...rows)),
    late && h("p", { class: "quiet small" }, session.catalogue.text("ui.compare.leaves", { n: MOST_LEAVES })),
  );
}

/** Where there are many leaves: those, of each run, whose .grad was written last. Else null: all are shown. */
function latest(session: CompareSession): Set<string>[] | null {
  const leaf = (run: number, id: string | null) =>
    session.here(run).pass.scene.nodes.get(id ?? "")?.kind === "leaf";
  const count = session.here(0).pass.scene.leaves;
  if (count <= MOST_LEAVES) return null;
  const found = session.labels.map(() => new Set<string>());
  const { position } = session;
  const { pass } = session.places[position]!;
  for (let k = position; k > position - MOST_LOOKED && session.places[k]?.pass === pass; k--) {
    session.told[k]!.forEach(({ ran }, run) => {
      if (found[run]!.size < MOST_LEAVES && leaf(run, ran)) found[run]!.add(ran!);
    });
  }
  return found;
}

export function drawDifferences(element: HTMLElement, session: CompareSession, rows: Difference[]): void {
  const { catalogue } = session;
  if (rows.length === 0) return set(element);
  const body = rows.slice(0, MOST_ROWS).map((row, k) => differenceRow(session, row, k === 0));
  const caption = h("caption", { class: "unseen" }, catalogue.text("ui.compare.differences"));
  const more = rows.length - MOST_ROWS;
  set(
    element,
    h("table", {}, caption, titles(session, "ui.compare.differences"), h("tbody", {}, ...body)),
    more > 0 && h("p", { class: "quiet small" }, catalogue.text("compare.more", { n: more })),
  );
}

function differenceRow(session: CompareSession, row: Difference, first: boolean): HTMLElement {
  const { catalogue, position } = session;
  const words = (each: Sentence) => catalogue.pieces(each.id, each.args ?? {});
  const kind = [first && "is-first", row.place === position && "is-here"].filter(Boolean).join(" ");
  return h(
    "tr",
    { class: kind || null },
    h(
      "th",
      { scope: "row" },
      first && h("b", {}, catalogue.text("compare.first_short"), ", "),
      ...words(row.at),
    ),
    ...row.cells.map((cell) =>
      h("td", { class: cell.id === "compare.stopped" ? "bad" : null }, sign(cell), ...words(cell)),
    ),
  );
}

/** The sign of a saved state before its words. */
function sign(cell: Sentence): Element | null {
  const states = cell.id === "compare.saved" ? cell.args?.state : null;
  const id = Array.isArray(states) && states.length === 1 ? (states[0] as Sentence).id : undefined;
  const found = id ? SAVED_ICON[id.replace("saved.", "")] : undefined;
  return found ? h("span", { class: "sign" }, icon(...found)) : null;
}
