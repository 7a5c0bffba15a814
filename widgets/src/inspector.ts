// The inspector: one node, in the order of its data: what it is, what it receives, what it saved, what it sends.

import type { Frame } from "./frame";
import type { RecordNode } from "./record";
import { code, type Child, h, set, shorten, visible } from "./dom";
import { hooksSection } from "./hooks";
import { icon, STATUS_ICON } from "./icons";
import { programSection } from "./program";
import { receivesSection, sendsSection } from "./sends";
import { savedSection } from "./saved";
import { fineStatus, shapeText } from "./scene";
import { callsText, tangentText } from "./text_words";
import { heatMap, statistics, valuePieces, valueTable } from "./values";
import { writesSection } from "./views";

export class Inspector {
  readonly element = h("div", { class: "insp", role: "group" });
  /** Keys of the saved entries whose table of values is open; kept from step to step. */
  private readonly open = new Set<string>();

  constructor(
    private readonly onFollow: () => void,
    private readonly onInto: () => void,
  ) {}

  update(frame: Frame): void {
    this.element.setAttribute("aria-label", frame.catalogue.text("ui.inspector"));
    const node = frame.shown === null ? undefined : frame.scene.nodes.get(frame.shown);
    if (!node) return set(this.element);
    const focused = this.element
      .querySelector(".row.saved :focus")
      ?.closest("[data-key]")
      ?.getAttribute("data-key");
    const redraw = () => this.update(frame);
    const middle =
      node.kind === "leaf" || frame.scene.head.engine === "own"
        ? this.valueSection(node, frame)
        : savedSection(node, frame, this.open, redraw);
    set(
      this.element,
      ...this.title(node, frame),
      receivesSection(node, frame),
      hooksSection(node, frame),
      programSection(node, frame, this.onInto),
      writesSection(node, frame),
      middle,
      sendsSection(node, frame),
    );
    const back = [...this.element.querySelectorAll("[data-key]")].find(
      (row) => focused && row.getAttribute("data-key") === focused,
    );
    back?.querySelector<HTMLElement>("button")?.focus();
  }

  private title(node: RecordNode, frame: Frame): Child[] {
    const { catalogue, scene, state } = frame;
    const [name, tone] = STATUS_ICON[fineStatus(state, node.id)]!;
    const where =
      node.where &&
      (node.where.cell !== null
        ? catalogue.text("text.place.cell", { cell: node.where.cell, line: node.where.line })
        : catalogue.text("text.place.file", { file: node.where.file ?? "-", line: node.where.line }));
    const words = [
      shorten(scene.className(node), 80),
      where,
      node.module && shorten(visible(node.module), 80),
      shorten(callsText(node, catalogue), 80),
      node.made_by &&
        catalogue.text("ui.second.made_by", {
          who: visible(node.made_by.who),
          root: visible(node.made_by.root ?? catalogue.text("title.output")),
        }),
      catalogue.text(
        `ui.status.${state.part && state.ran === node.id ? "running" : scene.status(state, node.id)}`,
      ),
    ]
      .filter(Boolean)
      .join(", ");
    const follow =
      frame.selected !== null &&
      h("button", { class: "btn line follow", type: "button" }, catalogue.text("ui.follow"));
    if (follow) follow.addEventListener("click", () => this.onFollow());
    const note = noteOf(node, frame);
    return [
      h("h3", {}, icon(name, tone), code(scene.title(node.id), 40)),
      h("div", { class: "sub" }, h("span", {}, words), follow),
      note && h("p", { class: "sub" }, catalogue.text(note)),
      node.tangent && h("p", { class: "sub" }, tangentText(node, catalogue)),
    ];
  }

  /** A leaf saves nothing; its own value stands in the middle instead. */
  private valueSection(node: RecordNode, frame: Frame): HTMLElement {
    const { catalogue } = frame;
    const title = h(
      "h4",
      {},
      catalogue.text(node.kind === "leaf" ? "ui.leaf.value" : "ui.own.value"),
      h("small"),
    );
    if (!node.value) return h("section", {}, title, h("p", { class: "quiet small" }, "-"));
    const row = h(
      "div",
      { class: "gets" },
      heatMap(node.value, 22),
      h("span", { class: "quiet small" }, `${shapeText(node.value.shape)} ${node.value.dtype}`),
      h("b", { class: "num" }, ...valuePieces(node.value, catalogue)),
    );
    const many = node.value.label === "norm";
    return h(
      "section",
      {},
      title,
      row,
      many && (valueTable(node.value, frame.scene.name(node.id), catalogue) ?? null),
      many && statistics(node.value, catalogue),
    );
  }
}

/** Why a node does not run, or by which rule of the engine it is next; a learner's own engine has its own. */
function noteOf(node: RecordNode, { scene, state }: Frame): string | null {
  const status = state.status[node.id];
  if (status === "skipped") return scene.isResult(node.id) ? "ui.skipped.result" : "ui.skipped.why";
  if (state.part || status !== "next" || scene.head.engine === "own") return null;
  if (node.kind === "leaf") return "ui.why.leaf";
  return Object.values(state.status).includes("ready") ? "ui.why.newest" : "ui.why.only";
}
