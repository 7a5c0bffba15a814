// The common time line: a column for each step, a row for each run; the first difference is framed.

import type { CompareSession } from "./compare_session";
import { code, h, set, shorten } from "./dom";
import { icon, SAVED_ICON, STATUS_ICON } from "./icons";

const MOST_COLUMNS = 14;

export class Tracks {
  readonly element = h("div", { class: "tracks" });

  constructor(private readonly onJump: (position: number) => void) {}

  update(session: CompareSession): void {
    const { places, position } = session;
    const first = places.find((place) => place.rows.length > 0)?.step;
    const steps = places.map((_, k) => k).filter((k) => !places[k]!.heads);
    const coming = Math.max(0, places[places.length - 1]!.total - steps.length);
    const length = steps.length + Math.min(coming, MOST_COLUMNS);
    const at = Math.max(0, steps.filter((k) => k <= position).length - 1);
    const from = Math.max(0, Math.min(at - MOST_COLUMNS + 4, length - MOST_COLUMNS));
    // only what is seen is made: a step costs the same however many came before it
    const seen = steps.slice(from, from + MOST_COLUMNS);
    const columns = seen.map((k) => this.column(session, k, k === first, k === position));
    const start = Math.max(0, from - steps.length);
    columns.push(...this.future(session, start, Math.min(length - from, MOST_COLUMNS) - seen.length));
    const names = h("div", { class: "names" }, ...session.labels.map((label) => code(label, 18)));
    const list = h("ol", { "aria-label": session.catalogue.text("ui.time") }, ...columns);
    set(this.element, names, list);
  }

  private column(session: CompareSession, k: number, first: boolean, now: boolean): HTMLElement {
    const { catalogue, places } = session;
    const begins = places[k - 1]?.heads;
    const name = this.name(session, k);
    const told = session.labels.map((each, run) => `${each}: ${this.words(session, run, k)}`);
    const label = shorten([name, ...told].join(", "), 200);
    const button = h(
      "button",
      {
        type: "button",
        tabindex: -1,
        "aria-label": label,
        title: label,
        "aria-current": now ? "step" : null,
      },
      ...session.labels.map((_, run) => this.cell(session, run, k)),
      h("span", { class: "word", "aria-hidden": "true" }, code(name)),
    );
    button.addEventListener("click", () => this.onJump(k));
    const over = h(
      "span",
      { class: "over" },
      begins ? h("small", {}, catalogue.text("compare.pass", { n: places[k]!.pass + 1 })) : null,
      first ? h("small", { class: "first" }, catalogue.text("compare.first_short")) : null,
    );
    const kind = [
      k <= session.position ? "past" : "todo",
      now && "now",
      first && "is-first",
      begins && "begins",
    ];
    return h("li", { class: kind.filter(Boolean).join(" ") }, over, button);
  }

  /** Steps that are still to come; in the running pass their nodes are known. */
  private future(session: CompareSession, start: number, count: number): HTMLElement[] {
    if (count <= 0) return [];
    const { pass, index } = session.here(0, session.places.length - 1);
    const first = pass.folder.raw(0)?.status ?? {};
    const nodes = pass.scene.head.nodes.filter((each) => first[each.id] !== "skipped");
    return Array.from({ length: count }, (_, k) => {
      const node = nodes[index + start + k];
      const cells = session.labels.map(() => h("span", { class: "track-cell" }, icon("wait0", "c-2")));
      const word = h("span", { class: "word" }, node ? code(pass.scene.name(node.id)) : "\u00a0");
      const over = h("span", { class: "over" });
      return h("li", { class: "todo", "aria-hidden": "true" }, over, h("div", {}, ...cells, word));
    });
  }

  private cell(session: CompareSession, run: number, k: number): HTMLElement {
    const here = session.here(run, k);
    if (!here.moved) return h("span", { class: "track-cell held" }, icon("skipped", "c-2"));
    const { failed, saved } = session.told[k]![run]!;
    return h(
      "span",
      { class: "track-cell" },
      failed ? icon(...STATUS_ICON.failed!) : icon("done", "c-grad"),
      saved && icon(...SAVED_ICON[saved]!),
    );
  }

  private words(session: CompareSession, run: number, k: number): string {
    if (!session.here(run, k).moved) return "-";
    return session.places[k]!.line.slice(2 + 3 * run, 4 + 3 * run).join(" ");
  }

  private name(session: CompareSession, k: number): string {
    for (let run = 0; run < session.labels.length; run++) {
      const { pass, moved } = session.here(run, k);
      if (moved) return pass.scene.name(session.told[k]![run]!.ran);
    }
    return "-";
  }
}
