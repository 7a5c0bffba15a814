// The clinic: what is wrong with a program, the rule, its lines with their marks, and repairs to be tried.

import { code, h, set, visible } from "./dom";
import type { Frame } from "./frame";
import { icon, type IconName } from "./icons";
import type { Case, Listing, Mark, Sentence } from "./record";
import type { Session } from "./session";

const SIGNS: Record<Mark["kind"], [IconName, string] | null> = {
  stop: ["failed", "c-bad"],
  guilty: ["stale", "c-bad"],
  save: ["kept", "c-1"],
  note: null,
};
const ORDER: Mark["kind"][] = ["stop", "guilty", "save", "note"];

export class Clinic {
  /** Above the body: what is the matter, and the rule. */
  readonly words = h("div");
  /** Beside the picture: the program. */
  readonly listing = h("div", { class: "listing", hidden: true });
  /** Under the picture: repairs. */
  readonly repairs = h("div");
  private shown = "[]"; // what is drawn, as text: an element that has the focus is not drawn anew
  private language: unknown = null;

  constructor(private readonly session: Session) {}

  update(frame: Frame): void {
    const found = frame.state.clinic;
    const key = JSON.stringify([found, frame.state.silent]);
    if (key === this.shown && frame.catalogue === this.language) return;
    this.shown = key;
    this.language = frame.catalogue;
    set(this.words, ...(found ? this.said(found, frame) : earlier(frame)));
    this.listing.hidden = !found?.listing;
    // beside the picture where both have room, else below it
    const needs = Math.min(frame.scene.head.layout?.width ?? 300, 460);
    this.listing.parentElement?.style.setProperty("--ad-needs", `${needs}px`);
    set(this.listing, found?.listing ? lines(found.listing, frame) : null);
    set(this.repairs, found && found.repairs.length > 0 ? this.cards(found.repairs, frame) : null);
  }

  private said(found: Case, frame: Frame): (HTMLElement | null)[] {
    const { catalogue } = frame;
    const silent = found.kind === "silent";
    const words = [
      h("strong", {}, ...catalogue.sentences(found.say)),
      silent ? ` ${catalogue.text("clinic.silent")}` : null,
    ];
    const [name, tone]: [IconName, string] =
      found.kind === "healthy" ? ["done", "c-2"] : silent ? ["stale", "c-warn"] : ["failed", "c-bad"];
    const kind = found.kind === "healthy" ? " calm" : silent ? " warn" : "";
    const notice =
      found.say.length > 0 &&
      h("div", { class: `notice${kind}`, role: "status" }, icon(name, tone), h("p", {}, ...words));
    return [this.repaired(found, frame), notice || null, rule(found, frame)];
  }

  /** The program is a repaired one: which repair, and the way back. */
  private repaired(found: Case, frame: Frame): HTMLElement | null {
    if (!found.repaired) return null;
    const { catalogue } = frame;
    const back = h("button", { class: "btn line", type: "button" }, catalogue.text("ui.clinic.back"));
    back.addEventListener("click", () => this.session.undo());
    const words = catalogue.pieces(found.repaired.id, found.repaired.args ?? {});
    return h(
      "div",
      { class: "notice calm", role: "status" },
      icon("edit", "c-2"),
      h("p", {}, h("strong", {}, catalogue.text("ui.clinic.repaired"), " "), ...words),
      back,
    );
  }

  private cards(repairs: Sentence[], frame: Frame): HTMLElement {
    const cards = repairs.map((each, k) => this.card(each, k + 1, frame));
    return h(
      "section",
      { class: "repairs all" },
      h("h4", {}, frame.catalogue.text("ui.clinic.repairs")),
      h("div", { class: "cards" }, ...cards),
    );
  }

  private card(repair: Sentence, number: number, frame: Frame): HTMLElement {
    const { catalogue } = frame;
    const { line, old, new: fresh, who } = repair.args ?? {};
    const kind = repair.id.replace("repair.", "");
    const title = catalogue.text(`ui.repair.${kind}`, { who: who ?? null });
    const place = (text: string) => h("span", { class: "num quiet" }, text);
    const attempt = h(
      "button",
      { class: "btn line", type: "button", "aria-label": `${catalogue.text("ui.clinic.try")}: ${title}` },
      catalogue.text("ui.clinic.try"),
    );
    attempt.addEventListener("click", () => this.session.retry(number));
    const later = kind === "later";
    return h(
      "div",
      {},
      h("h5", {}, title),
      h("p", { class: "old" }, place(String(line)), h("s", {}, code(String(old), 60))),
      h(
        "p",
        { class: "new" },
        place(later ? "↓" : String(line)),
        code(String(fresh), 60),
        later && h("span", { class: "quiet small" }, ` # ${catalogue.text("ui.repair.below")}`),
      ),
      h("p", { class: "try" }, attempt),
    );
  }
}

/** What has gone wrong in earlier steps without an exception. */
function earlier({ state, scene, catalogue }: Frame): HTMLElement[] {
  return Object.entries(state.silent ?? {}).map(([node, said]) => {
    const where = h("strong", {}, catalogue.text("text.silent", { who: scene.name(node) }), " ");
    const words = h("p", {}, where, ...catalogue.pieces(said.id, said.args ?? {}));
    return h("div", { class: "notice warn", role: "status" }, icon("stale", "c-warn"), words);
  });
}

/** The rule that was broken, and the lesson that tells of it. */
function rule(found: Case, { catalogue }: Frame): HTMLElement | null {
  if (!found.rule) return null;
  const words = catalogue.pieces(found.rule.id, found.rule.args ?? {});
  const lesson =
    found.lesson &&
    h(
      "a",
      { href: `${encodeURIComponent(found.lesson)}.ipynb`, target: "_blank", rel: "noopener" },
      catalogue.text("clinic.lesson", { lesson: lessonNumber(found.lesson) }),
    );
  return h("p", { class: "rule-said" }, ...words, " ", lesson);
}

export function lessonNumber(lesson: string): string {
  return lesson.split("-")[0]!;
}

/** The strongest of a line's marks. */
export function strongest(marks: Mark[]): Mark["kind"] | null {
  return ORDER.find((kind) => marks.some((mark) => mark.kind === kind)) ?? null;
}

/** Program text as it stands, its indent kept, characters that would not show spelled out. */
export function programText(text: string): string {
  const indent = /^ */.exec(text)![0];
  return indent + visible(text.slice(indent.length));
}

function lines(listing: Listing, frame: Frame): HTMLElement {
  const label = frame.catalogue.text("ui.clinic.program");
  const rows = listing.lines.map((text, k) => {
    const number = listing.first + k;
    const marks = listing.marks.filter((mark) => mark.line === number);
    return row(number, text, marks, frame);
  });
  return h("ol", { tabindex: 0, "aria-label": label }, ...rows);
}

function row(number: number, text: string, marks: Mark[], { catalogue }: Frame): HTMLElement {
  const kind = strongest(marks);
  const sign = kind && SIGNS[kind];
  const said = marks.flatMap(({ say }) => (say ? [say] : []));
  return h(
    "li",
    { class: kind ? `is-${kind}` : "" },
    h("span", { class: "num quiet" }, number),
    h("span", { class: "sign" }, sign && icon(sign[0], sign[1])),
    h("code", {}, programText(text)),
    ...said.map((each) => h("span", { class: "told" }, ...catalogue.pieces(each.id, each.args ?? {}))),
  );
}
