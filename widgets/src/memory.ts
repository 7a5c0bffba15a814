// The memory view: the curve of bytes kept, and under it the life of every storage, on the same time axis.

import { code, h, s, set } from "./dom";
import type { Frame } from "./frame";
import { icon, SAVED_ICON } from "./icons";
import { type Life, MemoryModel, type Size, storageName } from "./memory_model";
import { shapeText } from "./scene";
import type { Session } from "./session";

const MOST_NAMED = 30;

export class MemoryPanel {
  readonly element = h("div", { class: "memory", hidden: true });

  constructor(
    private readonly session: Session,
    private readonly onJump: (position: number) => void,
  ) {}

  update(frame: Frame): void {
    if (this.element.hidden) return;
    const model = new MemoryModel(frame.scene, this.session);
    const axis = new Axis(model, frame);
    const lines = model.lives.map((life) => this.row(life, model, axis, frame));
    set(
      this.element,
      h("p", { class: "say" }, ...frame.catalogue.sentences(frame.state.error?.say ?? frame.state.say)),
      h(
        "div",
        { class: "mem-grid" },
        this.words(frame),
        this.plot(model, axis, frame),
        ...this.titles(frame),
        ...lines,
        ...this.sum(model, frame),
      ),
    );
  }

  private words(frame: Frame): HTMLElement {
    const { catalogue } = frame;
    return h(
      "div",
      { class: "mem-words" },
      h("h4", {}, catalogue.text("ui.memory.title")),
      h("p", { class: "quiet small" }, catalogue.text("ui.memory.about")),
    );
  }

  /** The curve; what is still to come is dashed. */
  private plot(model: MemoryModel, axis: Axis, frame: Frame): HTMLElement {
    const { catalogue } = frame;
    const up = model.forward();
    const down = Array.from({ length: axis.steps + 1 }, (_, k) => model.at(k));
    const peak = Math.max(1, ...[...up, ...down].map((each) => each.bytes));
    const now = down[frame.position]!;
    const sizes = { peak: `${peak} B`, bytes: `${now.bytes} B`, parameters: `${now.parameters} B` };
    const at = `left:${axis.percent(axis.now)}%`;
    const said = h(
      "span",
      { class: `mem-said${axis.percent(axis.now) > 70 ? " left" : ""}`, style: at },
      h("b", {}, catalogue.text("ui.memory.now", sizes)),
      now.parameters > 0 && h("span", { class: "quiet" }, " ", catalogue.text("ui.memory.parameters", sizes)),
    );
    const box = h(
      "div",
      { class: "mem-box", role: "img", "aria-label": catalogue.text("ui.memory.label", sizes) },
      this.curve([...up, ...down.slice(1)], axis, peak),
      h("span", { class: "mem-y", style: "top:0" }, sizes.peak),
      h("span", { class: "mem-y", style: "top:100%" }, "0"),
      h("span", { class: "mem-now", style: at, "aria-hidden": "true" }),
      said,
    );
    return h("div", { class: "mem-plot" }, this.sides(axis, frame), box, this.names(model, axis, frame));
  }

  /** Which part of the axis is forward, which is the pass. */
  private sides(axis: Axis, { catalogue }: Frame): HTMLElement {
    return h(
      "div",
      { class: "mem-sides quiet small" },
      h(
        "span",
        { style: `width:${axis.percent(axis.forward)}%` },
        catalogue.text("ui.memory.forward", { n: axis.forward }),
      ),
      h("span", {}, catalogue.text("ui.memory.backward", { n: axis.steps })),
    );
  }

  private curve(sizes: Size[], axis: Axis, peak: number): SVGElement {
    const bytes = sizes.map((each) => each.bytes);
    const past = axis.stairs(bytes, 0, axis.now, peak);
    const parameters = sizes.map((each) => each.parameters);
    return s(
      "svg",
      {
        class: "mem-curve",
        viewBox: `0 0 ${axis.length} 100`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
      },
      s("path", { class: "grid", d: `M0 0H${axis.length}M0 50H${axis.length}M0 100H${axis.length}` }),
      s("path", { class: "area", d: `${past}V100H0Z` }),
      s("path", { class: "parameters", d: `${axis.stairs(parameters, 0, axis.now, peak)}V100H0Z` }),
      s("path", { class: "past", d: past }),
      s("path", { class: "coming", d: axis.stairs(bytes, axis.now, axis.length, peak) }),
    );
  }

  /** The steps by name; a click on one of the pass goes there. */
  private names(model: MemoryModel, axis: Axis, frame: Frame): HTMLElement | null {
    if (axis.length > MOST_NAMED) return null;
    const name = (id: string, k: number, attributes: Record<string, string | null>) =>
      h("li", { style: `left:${axis.percent(k + 0.5)}%`, ...attributes }, code(frame.scene.name(id), 14));
    const up = model.forwardOrder.map((node, k) => name(node.id, k, { class: "up" }));
    const down = axis.order.map((id, k) => {
      const item = name(id, axis.forward + k, {
        class: k === frame.position ? "now" : k < frame.position ? "past" : "todo",
      });
      item.addEventListener("click", () => k < frame.count && this.onJump(k));
      return item;
    });
    return h("ol", { class: "mem-names", "aria-hidden": "true" }, ...up, ...down);
  }

  private titles(frame: Frame): HTMLElement[] {
    const word = (id: string, kind = "") =>
      h("span", { class: `mem-head ${kind}` }, frame.catalogue.text(id));
    return [
      word("ui.memory.storage"),
      word("ui.memory.kept_by"),
      word("ui.memory.shape"),
      word("ui.memory.bytes", "num"),
      h("span", { class: "mem-head" }),
    ];
  }

  /** One storage: its name, who keeps it as what, and its life as bars, one for each entry. */
  private row(life: Life, model: MemoryModel, axis: Axis, frame: Frame): HTMLElement {
    const { catalogue, position } = frame;
    const alive = model.isAlive(life, position);
    const mine = life.uses.some((use) => use.node.id === frame.shown);
    const users = [
      ...new Set(
        life.uses.map(
          (use) => `${frame.scene.name(use.node.id)} ${catalogue.text(`role.${use.entry.role}`)}`,
        ),
      ),
    ];
    const entry = life.uses[0]!.entry;
    const [sign, tone] = SAVED_ICON[alive ? "kept" : "freed"]!;
    const word = catalogue.text(alive ? "saved.kept" : "saved.freed");
    const state = life.parameter ? catalogue.text("memory.parameter", { state: word }) : word;
    const kind = `mem-row${mine ? " is-mine" : ""}${alive ? "" : " is-gone"}${life.parameter ? " is-parameter" : ""}`;
    return h(
      "div",
      {
        class: kind,
        role: "group",
        "aria-label": `${storageName(life)}, ${users.join(", ")}, ${life.bytes} B, ${state}`,
      },
      h("span", {}, code(storageName(life), 24)),
      h("span", { class: "quiet small" }, users.join(", ")),
      h("span", { class: "quiet small" }, `${shapeText(entry.shape)} ${entry.dtype ?? ""}`),
      h(
        "span",
        { class: "num" },
        h("b", {}, String(life.bytes)),
        " ",
        icon(sign, tone),
        h("span", { class: "unseen" }, state),
      ),
      this.bars(life, model, axis),
    );
  }

  private bars(life: Life, model: MemoryModel, axis: Axis): HTMLElement {
    const height = life.uses.length > 1 ? 7 : 10;
    const bars = life.uses.slice(0, 3).flatMap((use, k) => {
      const start = use.from - 0.5;
      const end = Math.min(axis.length, axis.forward + model.end(use) - 0.5);
      const now = Math.min(end, Math.max(start, axis.now));
      const place = (from: number, to: number) =>
        `left:${axis.percent(from)}%;width:${axis.percent(to) - axis.percent(from)}%;height:${height}px;top:${7 + k * (height + 2)}px`;
      const past = h("span", { class: end <= axis.now ? "bar-gone" : "bar-kept", style: place(start, now) });
      return [past, end > axis.now ? h("span", { class: "bar-coming", style: place(now, end) }) : null];
    });
    const line = h("span", { class: "mem-now", style: `left:${axis.percent(axis.now)}%` });
    return h("span", { class: "mem-bars", "aria-hidden": "true" }, ...bars, line);
  }

  private sum(model: MemoryModel, frame: Frame): HTMLElement[] {
    const { catalogue, position } = frame;
    const alive = model.lives.filter((life) => model.isAlive(life, position));
    const size = model.at(position);
    const parts = alive.map((life) => life.bytes).join(" + ");
    return [
      h("b", { class: "mem-sum" }, catalogue.text("ui.memory.sum", { n: alive.length })),
      h("b", { class: "mem-sum num" }, String(size.bytes)),
      h("span", { class: "mem-sum quiet small" }, alive.length > 1 ? `${parts} = ${size.bytes}` : ""),
    ];
  }
}

/** The common time axis: the operations of forward, then the steps of the pass. */
class Axis {
  readonly forward: number;
  readonly steps: number;
  readonly now: number;
  readonly order: string[];

  constructor(model: MemoryModel, frame: Frame) {
    this.forward = model.forwardOrder.length;
    this.steps = Math.max(frame.total, frame.count - 1);
    this.now = this.forward + frame.position;
    const asked = frame.scene.head.nodes
      .map((node) => node.id)
      .filter((id) => frame.first.status[id] !== "skipped");
    const seen = new Set(frame.ran);
    this.order = [...frame.ran, ...asked.filter((id) => !seen.has(id))];
  }

  get length(): number {
    return Math.max(1, this.forward + this.steps);
  }

  percent(x: number): number {
    return Math.round((10000 * x) / this.length) / 100;
  }

  /** A stair of values, each beginning in the middle of its place; from x to x, in units of 0 (top) to 100. */
  stairs(values: number[], from: number, to: number, peak: number): string {
    const y = (value: number) => Math.round(1000 - (1000 * value) / peak) / 10;
    const at = (x: number) => values[Math.ceil(x - 0.5) - 1] ?? 0;
    let path = `M${from} ${y(at(from))}`;
    for (let k = 0; k < values.length; k++) {
      const x = k + 0.5;
      if (x > from && x <= to) path += `H${x}V${y(values[k]!)}`;
    }
    return `${path}H${to}`;
  }
}
