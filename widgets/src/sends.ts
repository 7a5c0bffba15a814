// The inspector's ends: what the node receives, and what it sends: rule, numbers, result, and what the receiver then holds.

import type { Frame } from "./frame";
import type { Edge, RecordNode, Summary } from "./record";
import { code, type Child, h, quietCode, visible } from "./dom";
import { formula, partial } from "./mathml";
import { icon } from "./icons";
import { wrongText } from "./saved_count";
import { overText } from "./text_words";
import { arrived, isScalar, shapeText } from "./scene";
import { allNumbers, MOST_COLUMNS, valuePieces } from "./values";

type Tense = "will" | "sent" | "would" | "later" | "never";

function chip(value: Summary | null, frame: Frame, kind = ""): HTMLElement {
  if (value === null) return h("span", { class: `chip nil ${kind}` }, frame.catalogue.text("value.none"));
  const all = allNumbers(value, MOST_COLUMNS);
  const norm = value.label === "norm" && all === null;
  return h(
    "span",
    { class: `chip ${kind}` },
    ...(norm ? [h("small", {}, frame.catalogue.text("ui.norm"), " ")] : []),
    all ?? visible(value.text),
  );
}

/** The sign for the gradient that arrives here, where the node has a name. */
function gradientSign(node: RecordNode, frame: Frame): Element | null {
  const root = frame.scene.head.root;
  return root && node.var && node.var.length <= 12 && root.length <= 12 ? partial(root, node.var) : null;
}

export function receivesSection(node: RecordNode, frame: Frame): HTMLElement {
  const { catalogue, state, scene } = frame;
  const got = arrived(state, node.id);
  const title = h(
    "h4",
    {},
    catalogue.text(state.status[node.id] === "done" ? "ui.received_title" : "ui.receives"),
    h("small", {}, catalogue.text("text.of", { got, of: scene.expected(node.id) })),
  );
  const slots = node.outputs
    .map((_, slot) => receivedSlot(node, slot, frame))
    .filter((each): each is HTMLElement => each !== null);
  const wrong = wrongText(state, node.id, catalogue);
  const { directions } = scene.head.options;
  return h(
    "section",
    {},
    title,
    wrong && h("p", { class: "bad small" }, icon("stale", "c-bad"), ` ${wrong}`),
    directions !== undefined &&
      slots.length > 0 &&
      h("p", { class: "quiet small" }, catalogue.text("text.directions.rows", { n: directions })),
    ...(slots.length ? slots : [h("p", { class: "quiet small" }, catalogue.text("ui.receives.nothing"))]),
  );
}

function receivedSlot(node: RecordNode, slot: number, frame: Frame): HTMLElement | null {
  const { catalogue, state, scene } = frame;
  const list = state.received[node.id]?.[slot] ?? [];
  if (list.length === 0) return null;
  const total = state.total[node.id]?.[slot] ?? null;
  const output =
    node.outputs.length > 1 ? [h("span", {}, catalogue.text("ui.output", { n: slot })), " "] : [];
  const lines = list.map((each, k) => {
    const from = each.edge === null ? null : (scene.edges.get(each.edge)?.from ?? null);
    const about =
      from === null
        ? [catalogue.text("ui.from_start")]
        : [
            catalogue.text("ui.from"),
            " ",
            quietCode(scene.title(from) === "-" ? scene.name(from) : scene.title(from), 28),
          ];
    const facts = each.value ? `${shapeText(each.value.shape)} ${each.value.dtype}, ` : "";
    return h(
      "div",
      { class: "gets" },
      h("span", {}, k === 0 ? gradientSign(node, frame) : null),
      h("span", { class: "quiet small" }, ...output, facts, ...about),
      chip(each.value, frame),
    );
  });
  const sum =
    list.length > 1
      ? h(
          "div",
          { class: "gets sum" },
          h("span"),
          h("span", { class: "quiet small" }, catalogue.text("ui.sum")),
          chip(total, frame, "sum"),
        )
      : null;
  return h("div", {}, ...lines, sum);
}

function tense(node: RecordNode, frame: Frame): Tense {
  const status = frame.state.status[node.id];
  if (status === "skipped") return "never";
  if (status === "done") return "sent";
  if (status === "failed") return "would";
  return status === "next" ? "will" : "later";
}

export function sendsSection(node: RecordNode, frame: Frame): HTMLElement {
  const { catalogue, scene } = frame;
  const when = tense(node, frame);
  const title = h(
    "h4",
    {},
    catalogue.text(`ui.sends.${when}`),
    h("small", {}, catalogue.text("ui.sends.parts")),
  );
  if (node.kind === "leaf") return accumulates(node, frame);
  const held = new Map<string, Held>();
  const rows = (scene.edgesFrom.get(node.id) ?? []).map((edge) => sendRow(node, edge, when, held, frame));
  return h(
    "section",
    { class: "right" },
    title,
    ...(rows.length ? rows : [h("p", { class: "quiet small" }, catalogue.text("ui.sends.nothing"))]),
  );
}

interface Held {
  total: Summary | null;
  got: number;
}

function sendRow(
  node: RecordNode,
  edge: Edge,
  when: Tense,
  held: Map<string, Held>,
  frame: Frame,
): HTMLElement {
  const { catalogue, state, scene } = frame;
  const rule = node.rules.find((each) => each.edge === edge.id);
  const predicted = state.predicted[edge.id];
  const sent = edge.id in state.sent;
  const result = sent
    ? chip(state.sent[edge.id] ?? null, frame)
    : predicted
      ? chip(predicted.value, frame, "next")
      : h("span", { class: "chip next unknown" }, catalogue.text("text.unknown"));
  const sign =
    formula(rule?.mathml ?? null) ??
    (rule?.text
      ? quietCode(rule.text, 60)
      : h(
          "span",
          { class: "quiet small" },
          catalogue.text(scene.head.engine === "own" ? "ui.own.rule" : "ui.rule.unknown"),
        ));
  const over = overText(node, edge.id, catalogue);
  const numbers =
    predicted?.numbers && !sent && predicted.numbers !== predicted.value?.text
      ? `${visible(predicted.numbers).replace(/ ?\* ?/g, " · ")} =`
      : "";
  const holds = when === "will" && predicted ? then(edge, predicted.value, predicted.then, held, frame) : [];
  return h(
    "div",
    { class: "sends", "data-edge": edge.id },
    h("span", { class: "to" }, catalogue.text("ui.to"), " ", code(scene.name(edge.to), 24)),
    h("span", { class: "rule" }, sign, over && h("span", { class: "quiet small" }, " ", over)),
    h("span", { class: "result" }, h("span", { class: "num numbers" }, numbers), result),
    holds.length > 0 && h("span", { class: "then" }, ...holds),
  );
}

/** "a then holds 16 + 48 = 64, 2 of 2: complete". `held` remembers earlier edges of the same node. */
function then(
  edge: Edge,
  value: Summary | null,
  after: Summary | null,
  held: Map<string, Held>,
  frame: Frame,
): Child[] {
  const { catalogue, state, scene } = frame;
  const key = `${edge.to} ${edge.slot}`;
  const before = held.get(key) ?? {
    total: state.total[edge.to]?.[edge.slot] ?? null,
    got: arrived(state, edge.to),
  };
  const of = scene.expected(edge.to);
  const got = before.got + 1;
  held.set(key, { total: after, got });
  if (after === null) return [];
  const sum =
    isScalar(after) && before.total && value
      ? `${visible(before.total.text)} + ${visible(value.text)} = `
      : "";
  return [
    code(scene.name(edge.to), 16),
    ` ${catalogue.text("ui.then_holds")} ${sum}`,
    h("b", {}, ...valuePieces(after, catalogue)),
    `, ${catalogue.text("text.of", { got, of })}${got >= of ? `: ${catalogue.text("ui.complete")}` : ""}`,
  ];
}

/** A leaf sends nothing on: it adds to its tensor's .grad. */
function accumulates(node: RecordNode, frame: Frame): HTMLElement {
  const { catalogue, state, first } = frame;
  const added =
    state.part && state.ran === node.id && state.events.some((event) => event.kind === "accumulate");
  const done = state.status[node.id] === "done" || added === true;
  const before = (done ? first : state).grads[node.id]?.value ?? null;
  const now = state.grads[node.id]?.value ?? null;
  const total = state.total[node.id]?.[0] ?? null;
  const line = (word: string, value: Child[]) =>
    h(
      "div",
      { class: "gets" },
      h("span", {}, code(`${frame.scene.name(node.id)}.grad`, 24)),
      h("span", { class: "quiet small" }, catalogue.text(word)),
      h("b", { class: "num" }, ...value),
    );
  const rows = [line("ui.grad_before_word", valuePieces(before, catalogue))];
  if (done) rows.push(line("ui.grad_now_word", valuePieces(now, catalogue)));
  else if (total && arrived(state, node.id) >= frame.scene.expected(node.id))
    rows.push(
      h(
        "div",
        { class: "gets" },
        h("span"),
        h("span", { class: "quiet small" }, catalogue.text(before ? "ui.grad_adds" : "ui.grad_stores")),
        chip(total, frame, "next"),
      ),
    );
  return h(
    "section",
    { class: "right" },
    h("h4", {}, catalogue.text(done ? "ui.accumulated" : "ui.accumulates"), h("small")),
    ...rows,
  );
}
