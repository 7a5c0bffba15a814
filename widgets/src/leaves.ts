// The leaves: what each has received, and its .grad before the pass and now.

import type { Frame } from "./frame";
import type { Grad, RecordNode, Summary } from "./record";
import { code, type Child, h, reachableWhenWide, set, visible } from "./dom";
import { icon } from "./icons";
import { wrongText } from "./saved_count";
import { arrived } from "./scene";
import { stridesText } from "./text_words";
import { allNumbers, valuePieces } from "./values";

const MOST_CELLS = 4;

export class Leaves {
  readonly element = h("div", { class: "leaves" });
  private readonly named = reachableWhenWide(this.element);

  update(frame: Frame): void {
    const { catalogue, scene, state } = frame;
    const { nodes } = scene.head;
    const own = nodes.filter((node) => node.kind === "leaf");
    // then the results inside the graph that retain their gradient
    const all = [...own, ...nodes.filter((node) => node.kind !== "leaf" && node.id in state.grads)];
    const leaves = all.filter((node) => !frame.near || frame.near.has(node.id));
    if (leaves.length === 0) return set(this.element);
    const head = (id: string, number = false) =>
      h("th", { scope: "col", class: number ? "num" : null }, catalogue.text(id));
    const titles = h(
      "tr",
      {},
      head("ui.leaf"),
      head("ui.value", true),
      head("ui.received"),
      head("ui.grad_before", true),
      h("td"),
      head("ui.grad_now"),
    );
    const table = h(
      "table",
      {},
      h("caption", { class: "unseen" }, catalogue.text("ui.leaves")),
      h("thead", {}, titles),
      h("tbody", {}, ...leaves.map((leaf) => row(leaf, frame))),
    );
    set(this.element, table);
    this.named(catalogue.text("ui.leaves"));
  }
}

function row(leaf: RecordNode, frame: Frame): HTMLElement {
  const before = frame.first.grads[leaf.id];
  const now = frame.state.grads[leaf.id];
  return h(
    "tr",
    { class: frame.shown === leaf.id ? "is-shown" : null },
    h("th", { scope: "row" }, code(frame.scene.name(leaf.id), 24)),
    h("td", { class: "num" }, ...(leaf.value ? valuePieces(leaf.value, frame.catalogue) : ["-"])),
    h("td", {}, received(leaf, frame)),
    h("td", { class: "num" }, ...valuePieces(before?.value ?? null, frame.catalogue)),
    h("td", { class: "quiet", "aria-hidden": "true" }, "→"),
    h(
      "td",
      {},
      ...valuePieces(now?.value ?? null, frame.catalogue),
      ...object(before, now, frame),
      ...wrong(leaf, frame),
    ),
  );
}

/** The mark of a wrong number: "16 instead of 64". */
function wrong(leaf: RecordNode, frame: Frame): Child[] {
  const text = wrongText(frame.state, leaf.id, frame.catalogue);
  return text ? [" ", icon("stale", "c-bad"), h("span", { class: "bad small whole" }, ` ${text}`)] : [];
}

/** A cell for each contribution expected; above four, the number and the sum. */
function received(leaf: RecordNode, frame: Frame): HTMLElement {
  const { catalogue, state, scene } = frame;
  const got = (state.received[leaf.id] ?? []).flat();
  const expected = scene.expected(leaf.id);
  const count = h(
    "span",
    { class: "quiet small" },
    catalogue.text("text.of", { got: arrived(state, leaf.id), of: expected }),
  );
  const total = state.total[leaf.id]?.[0] ?? null;
  if (expected > MOST_CELLS)
    return h("span", { class: "slots" }, total && h("span", { class: "cell1" }, numbers(total)), count);
  const cells: Child[] = [];
  for (let k = 0; k < Math.max(expected, got.length); k++) {
    const each = got[k];
    if (k > 0) cells.push(h("span", { class: "quiet" }, "+"));
    if (each === undefined) cells.push(h("span", { class: "cell0" }, "\u00a0"));
    else if (each.value === null) cells.push(h("span", { class: "cell1 nil" }, catalogue.text("value.none")));
    else cells.push(h("span", { class: "cell1" }, numbers(each.value)));
  }
  return h(
    "span",
    { class: "slots" },
    ...cells,
    got.length > 1 && got.length >= expected && total
      ? h("span", { class: "cell1 sum" }, `= ${numbers(total)}`)
      : null,
    count,
  );
}

/** What a cell has room for: the numbers of a small array, else its norm. */
function numbers(value: Summary): string {
  return allNumbers(value, 12) ?? value.text;
}

/** Is it the tensor that was there, or another one? */
function object(before: Grad | undefined, now: Grad | undefined, frame: Frame): Child[] {
  if (!now?.value) return [];
  const words: string[] = [];
  if (before?.object && now.object)
    words.push(frame.catalogue.text(before.object === now.object ? "ui.same_object" : "ui.new_object"));
  else if (now.new) words.push(frame.catalogue.text("ui.new_object"));
  if (now.shares) words.push(frame.catalogue.text("ui.shares", { who: visible(now.shares) }));
  if (now.strides) words.push(stridesText(now.strides, frame.catalogue));
  return words.length ? [" ", h("span", { class: "quiet small whole" }, words.join(", "))] : [];
}
