// Predict mode: the question before a step, the answer, the tally, and its file.

import type { Catalogue } from "./catalogue";
import type { Sentence, State } from "./record";
import { h, set } from "./dom";
import { icon } from "./icons";
import { aligned } from "./text_words";
import { who, type Scene } from "./scene";

export interface Question {
  node: string;
  to: string;
  edges: string[];
  all: boolean;
  rule: string | null;
}

export interface Answer {
  step: number;
  asked: Sentence;
  said: number | null;
  was: number;
  right: boolean;
  rule: string | null;
}

/** What the kernel knows of it; empty where nobody asks. */
export interface Asking {
  open?: Question[];
  answers?: Answer[];
  tolerance?: number;
}

/** The state without the numbers that are asked for. */
export function withoutAsked(state: State, open: Question[]): State {
  if (open.length === 0) return state;
  const asked = new Set(open.flatMap((each) => each.edges));
  const known = Object.entries(state.predicted).filter(([edge]) => !asked.has(edge));
  return { ...state, predicted: Object.fromEntries(known) };
}

/** "1 of 2 right"; empty before the first answer. */
export function tally(asking: Asking, catalogue: Catalogue): string {
  const given = asking.answers ?? [];
  const right = given.filter((each) => each.right).length;
  return given.length ? catalogue.text("ask.tally", { right, asked: given.length }) : "";
}

/** A number as Python's `.6g` writes it, near enough for a table. */
function short(value: number | null): string {
  return value === null ? "-" : String(Number(value.toPrecision(6)));
}

function result(given: Answer, catalogue: Catalogue): string {
  if (given.right) return catalogue.text("ask.right");
  const rule = given.rule ? ` ${catalogue.text("ask.rule", { rule: given.rule })}` : "";
  if (given.said === null) return catalogue.text("ask.shown") + rule;
  return catalogue.text("ask.off", { by: short(Math.abs(given.said - given.was)) }) + rule;
}

function sentence(question: Question, scene: Scene): Sentence {
  const name = (id: string) => who(scene.nodes.get(id)!);
  const id = question.all ? "ask.question_all" : "ask.question";
  return { id, args: { who: name(question.node), to: name(question.to) } };
}

/** The open question and the tally, as lines of the text form. */
export function askLines(asking: Asking, open: Question[], scene: Scene, catalogue: Catalogue): string {
  const say = ({ id, args }: Sentence) => catalogue.text(id, args ?? {});
  const lines = open.slice(0, 1).map((each) => say(sentence(each, scene)));
  const given = asking.answers ?? [];
  if (given.length > 0) {
    lines.push(tally(asking, catalogue));
    const rows = given.map((each) => [
      `  ${say(each.asked)}`,
      short(each.said),
      short(each.was),
      result(each, catalogue),
    ]);
    lines.push(...aligned(rows));
  }
  return lines.length ? ["", ...lines, ""].join("\n") : "";
}

/** The switch of predict mode, for the bar. */
export function askButton(catalogue: Catalogue, onClick: () => void): HTMLButtonElement {
  const label = catalogue.text("ui.ask");
  const names = { "aria-label": label, title: label, "aria-pressed": "false" };
  const button = h("button", { type: "button", class: "btn icon", ...names }, icon("guess"));
  button.addEventListener("click", onClick);
  return button;
}

export interface AskActions {
  answer(text: string): void;
  reveal(): void;
  forget(): void;
}

export class AskPanel {
  readonly element = h("section", { class: "asking", hidden: true });
  private key = "";

  constructor(private readonly actions: AskActions) {}

  focus(): void {
    this.element.querySelector<HTMLElement>("input")?.focus();
  }

  update(asking: Asking, open: Question[], scene: Scene, catalogue: Catalogue): void {
    this.element.hidden = asking.open === undefined;
    const key = JSON.stringify([asking, open]) + catalogue.text("ui.ask");
    if (this.element.hidden || key === this.key) return;
    this.key = key;
    const held = this.element.contains(this.element.ownerDocument.activeElement);
    this.element.setAttribute("aria-label", catalogue.text("ui.ask"));
    const asked = open[0];
    set(
      this.element,
      asked
        ? this.form(asked, asking, scene, catalogue)
        : h("p", { class: "quiet small" }, catalogue.text("ui.ask.free")),
      this.table(asking, catalogue),
    );
    if (held && asked) this.focus();
  }

  private form(asked: Question, asking: Asking, scene: Scene, catalogue: Catalogue): HTMLElement {
    const { id, args } = sentence(asked, scene);
    const input = h("input", {
      class: "speed num",
      inputmode: "decimal",
      autocomplete: "off",
      maxlength: 40,
      required: true,
      "aria-label": catalogue.text("ui.ask.answer"),
    });
    const check = h(
      "button",
      { class: "btn main", type: "submit" },
      catalogue.text("ui.ask.check"),
      " ",
      h("kbd", { "aria-hidden": "true" }, "↵"),
    );
    const show = h("button", { class: "btn line", type: "button" }, catalogue.text("ui.ask.show"));
    show.addEventListener("click", () => this.actions.reveal());
    const percent = String(100 * (asking.tolerance ?? 0));
    const words = h(
      "p",
      { "aria-live": "polite" },
      ...catalogue.pieces(id, args ?? {}),
      h("span", { class: "quiet small rule" }, catalogue.text("ui.ask.rule", { percent })),
    );
    const form = h("form", {}, icon("guess", "c-grad"), words, input, check, show);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.actions.answer(input.value);
    });
    return form;
  }

  private table(asking: Asking, catalogue: Catalogue): HTMLElement | null {
    const given = asking.answers ?? [];
    if (given.length === 0) return null;
    const head = (name: string, number = false) =>
      h("th", { scope: "col", class: number ? "num" : null }, catalogue.text(`ui.ask.${name}`));
    const rows = given.map((each) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, ...catalogue.pieces(each.asked.id, each.asked.args ?? {})),
        h("td", { class: "num" }, short(each.said)),
        h("td", { class: "num" }, short(each.was)),
        h("td", {}, icon(each.right ? "done" : "skipped", "c-2"), ` ${result(each, catalogue)}`),
      ),
    );
    const titles = h("tr", {}, head("asked"), head("said", true), head("was", true), head("result"));
    const button = (name: string, action: () => void) => {
      const made = h("button", { class: "btn line", type: "button" }, catalogue.text(`ui.ask.${name}`));
      made.addEventListener("click", action);
      return made;
    };
    return h(
      "div",
      { class: "answers" },
      h("table", {}, h("thead", {}, titles), h("tbody", {}, ...rows)),
      h(
        "p",
        {},
        h("b", {}, tally(asking, catalogue)),
        h("span", { class: "gap" }),
        button("forget", () => this.actions.forget()),
        button("save", () => save(asking)),
      ),
    );
  }
}

/** The answers as a file of the learner's own; nothing is sent anywhere. */
function save(asking: Asking): void {
  const given = asking.answers ?? [];
  const right = given.filter((each) => each.right).length;
  const data = { format: 1, tolerance: asking.tolerance, asked: given.length, right, answers: given };
  const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 1)], { type: "application/json" }));
  const link = h("a", { href: url, download: "answers.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
