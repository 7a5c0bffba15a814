// A custom Function's backward in the inspector: its lines, the one that runs now, and its variables.

import type { Arg, RecordNode } from "./record";
import { code, h, visible } from "./dom";
import { icon } from "./icons";
import type { Frame } from "./frame";

/** The section for a node of a custom Function; null for other nodes, and where its text is not known. */
export function programSection(node: RecordNode, frame: Frame, onInto: () => void): HTMLElement | null {
  const program = node.program;
  if (!program) return null;
  const { catalogue, state } = frame;
  const events = state.ran === node.id ? state.events : [];
  const lines = events.filter((event) => event.kind === "line");
  const now = state.part || state.error ? lines[lines.length - 1]?.args?.line : undefined;
  const ran = new Set(lines.map((event) => event.args?.line));
  const rows = program.lines.map((text, k) => row(program.first + k, text, now, ran, frame));
  const waits = state.next === node.id && !state.part;
  const into = h(
    "button",
    { class: "btn line follow", type: "button" },
    icon("into"),
    catalogue.text("ui.program.into"),
  );
  into.addEventListener("click", onInto);
  return h(
    "section",
    { class: "program" },
    h("h4", {}, catalogue.text("ui.program"), waits ? into : h("small")),
    h("ol", { tabindex: 0, "aria-label": catalogue.text("ui.program") }, ...rows),
    ...pairs("ui.program.context", node.context ?? [], frame),
    ...pairs("ui.program.names", latest(lines.map((event) => event.args?.set)), frame),
  );
}

function row(number: number, text: string, now: unknown, ran: Set<unknown>, frame: Frame): HTMLElement {
  const current = number === now;
  const stopped = current && frame.state.error !== null;
  const words = current
    ? h("span", { class: "unseen" }, ` (${frame.catalogue.text("ui.program.now")})`)
    : null;
  return h(
    "li",
    {
      class: stopped ? "now stop" : current ? "now" : ran.has(number) ? "ran" : "",
      "aria-current": current ? "step" : null,
    },
    h("span", { class: "num quiet" }, number),
    h("code", {}, text.replace(/\t/g, "    ") === "" ? " " : keepIndent(text)),
    words,
  );
}

/** The text as it stands, its indent kept, characters that would not show spelled out. */
function keepIndent(text: string): string {
  const indent = /^[ \t]*/.exec(text)![0].replace(/\t/g, "    ");
  return indent + visible(text.trimStart());
}

/** The last text of every variable, in the order in which they came to be. */
function latest(sets: (Arg | undefined)[]): Arg[][] {
  const found = new Map<string, Arg>();
  for (const set of sets)
    if (Array.isArray(set))
      for (const each of set) if (Array.isArray(each)) found.set(String(each[0]), each[1] ?? null);
  return [...found];
}

function pairs(title: string, list: Arg[][], frame: Frame): HTMLElement[] {
  if (list.length === 0) return [];
  const { catalogue } = frame;
  return [
    h("p", { class: "quiet small" }, catalogue.text(title)),
    ...list.map(([name, value]) =>
      h(
        "div",
        { class: "gets" },
        h("span", {}, code(String(name), 24)),
        h("b", { class: "num" }, catalogue.text("event.line.set.value", { value: value ?? null })),
      ),
    ),
  ];
}
