// What if: a number changed in flight. The editor (E), and the banner over a pass that runs on such a copy.

import type { Catalogue } from "./catalogue";
import { h, set } from "./dom";
import type { Frame } from "./frame";
import { icon } from "./icons";
import type { Edit, RecordNode } from "./record";
import type { Session } from "./session";
import { valueText } from "./text_words";

const FACTORS = [10, 0.1, 0, -1];

/** What is changed: a sum that has arrived, or a saved value. */
interface Place {
  slot: number | null;
  key: string | null;
  words: string;
}

export class WhatIf {
  readonly element = h("div");
  private open = false;
  private chosen = 0;

  constructor(
    private readonly session: Session,
    private readonly onChange: () => void,
    private readonly prefix: string,
  ) {}

  get editing(): boolean {
    return this.open;
  }

  toggle(): void {
    this.open = !this.open;
    this.chosen = 0;
    this.onChange();
    if (this.open) this.element.querySelector<HTMLElement>("select, button, input")?.focus();
  }

  update(frame: Frame): void {
    if (this.open && this.element.contains(document.activeElement) && this.element.dataset.at === at(frame))
      return;
    this.element.dataset.at = at(frame);
    set(this.element, this.banner(frame), this.open && this.editor(frame));
  }

  /** Every edit of this copy in a sentence, and the way back. */
  private banner(frame: Frame): HTMLElement | null {
    const edits = frame.scene.head.edits ?? [];
    if (edits.length === 0) return null;
    const undo = h("button", { type: "button", class: "btn line" }, frame.catalogue.text("ui.whatif.undo"));
    undo.addEventListener("click", () => this.session.undo());
    const said = new Set(edits.map((edit) => sentence(edit, frame)));
    const words = [...said].flatMap((each) => [each, ". "]);
    const text = h(
      "p",
      {},
      h("strong", {}, frame.catalogue.text("ui.whatif.title"), " "),
      ...words,
      frame.catalogue.text("ui.whatif.copy"),
    );
    return h("div", { class: "notice warn", role: "status" }, icon("edit", "c-warn"), text, undo);
  }

  private editor(frame: Frame): HTMLElement {
    const { catalogue } = frame;
    const node = frame.shown === null ? undefined : frame.scene.nodes.get(frame.shown);
    const places = node && frame.position === frame.count - 1 && !frame.done ? this.places(node, frame) : [];
    const title = h(
      "h4",
      {},
      catalogue.text("ui.whatif.edit", { who: node ? frame.scene.name(node.id) : "-" }),
    );
    if (!node || places.length === 0)
      return h(
        "div",
        { class: "panel whatif" },
        title,
        h("p", { class: "quiet" }, catalogue.text("ui.whatif.nothing")),
      );
    const place = places[Math.min(this.chosen, places.length - 1)]!;
    const what = h("select", { "aria-label": catalogue.text("ui.whatif.place") });
    places.forEach((each, k) =>
      what.append(h("option", { value: k, selected: k === this.chosen }, each.words)),
    );
    what.addEventListener("change", () => {
      this.chosen = Number(what.value);
      set(this.element, this.banner(frame), this.editor(frame));
      this.element.querySelector<HTMLElement>("select")?.focus();
    });
    const warning =
      place.key !== null &&
      h("p", { class: "warn-text" }, icon("stale", "c-warn"), " ", catalogue.text("ui.whatif.warning"));
    return h(
      "div",
      { class: "panel whatif" },
      title,
      h("div", { class: "line" }, what, ...this.controls(node, place, catalogue)),
      warning,
    );
  }

  /** Times a factor, or a number of one's own. */
  private controls(node: RecordNode, place: Place, catalogue: Catalogue): HTMLElement[] {
    const send = (how: "times" | "value", value: number) => {
      this.open = false;
      this.session.edit({ node: node.id, slot: place.slot, key: place.key, how, value });
    };
    const factors = FACTORS.map((factor) => {
      const button = h(
        "button",
        { type: "button", class: "btn line" },
        catalogue.text("ui.whatif.times", { n: factor }),
      );
      button.addEventListener("click", () => send("times", factor));
      return button;
    });
    const id = `${this.prefix}number`;
    const input = h("input", { id, type: "text", inputmode: "decimal", size: 8, autocomplete: "off" });
    const go = h("button", { type: "submit", class: "btn line" }, catalogue.text("ui.whatif.set"));
    const form = h("form", {}, h("label", { for: id }, catalogue.text("ui.whatif.number")), input, go);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const value = Number(input.value.trim().replace(",", "."));
      const good = input.value.trim() !== "" && Number.isFinite(value);
      input.setAttribute("aria-invalid", String(!good));
      if (good) send("value", value);
    });
    return [...factors, form];
  }

  /** What of a node can be changed: sums that it holds, and what it has saved and still keeps. */
  private places(node: RecordNode, frame: Frame): Place[] {
    const { state, catalogue } = frame;
    if (state.status[node.id] === "done" || state.status[node.id] === "failed") return [];
    const sums = (state.total[node.id] ?? []).flatMap((total, slot): Place[] => {
      if (total === null) return [];
      const value = valueText(total, 24, catalogue);
      return [{ slot, key: null, words: catalogue.text("ui.whatif.received", { value }) }];
    });
    const saved = node.saved.flatMap((entry): Place[] => {
      if (state.saved[entry.key]?.state !== "kept" || entry.role === "scalar") return [];
      const value = valueText(entry.value, 24, catalogue);
      return [
        {
          slot: null,
          key: entry.key,
          words: catalogue.text("ui.whatif.saved", { name: entry.var ?? entry.name, value }),
        },
      ];
    });
    return [...sums, ...saved];
  }
}

function at(frame: Frame): string {
  return `${frame.position}/${frame.count} ${frame.shown} ${frame.scene.head.edits?.length ?? 0}`;
}

/** "y receives 30 instead of 3". */
function sentence(edit: Edit, frame: Frame): string {
  const { catalogue } = frame;
  return catalogue.text(
    edit.repair ? "text.repaired" : edit.key === null ? "text.edited" : "text.edited_saved",
    {
      step: edit.step,
      who: frame.scene.name(edit.node),
      before: valueText(edit.before, 28, catalogue),
      after: valueText(edit.after, 28, catalogue),
    },
  );
}

/** The edits that a state shows. */
export function editsSoFar(frame: Frame): Edit[] {
  return (frame.scene.head.edits ?? []).filter((edit) => edit.step <= frame.state.step);
}
