// One card or leaf pill of the picture; its slots are in graph_slots.ts.

import type { Box, RecordNode, SlotPlace } from "./record";
import { s, visible } from "./dom";
import { breakMark, stopsBefore } from "./breaks";
import { hookMark, hookWords } from "./hooks";
import { iconGroup, SAVED_ICON, STATUS_ICON } from "./icons";
import { editedMark, isEdited } from "./graph_edited";
import { fit, width } from "./measure";
import { arrived, fineStatus, shapeText, shortNumber } from "./scene";
import { tangentText } from "./text_words";
import { savedCount, wrongText } from "./saved_count";
import { drawSlot } from "./graph_slots";
import type { Frame } from "./frame";

export interface BoxView {
  box: Box;
  /** What can be focused and chosen; it has a name, and the words in the picture are hidden from screen readers. */
  element: SVGGElement;
  words: SVGGElement;
  update(frame: Frame): void;
}

/** Source or name from the left, forward value (of arrays the shape) at the right; the longer one gives way. */
function firstLine(box: Box, left: number, right: number, y: number, frame: Frame): SVGElement[] {
  const node = frame.scene.nodes.get(box.node)!;
  const room = right - left;
  const leaf = node.kind === "leaf";
  const title = leaf
    ? tail(frame.scene.title(box.node), room, frame.fonts.source)
    : frame.scene.title(box.node);
  const wanted = Math.min(width(visible(title).slice(0, 80), frame.fonts.source), room * 0.55);
  const alone =
    node.value === null
      ? "-"
      : node.value.label === "value"
        ? shortNumber(node.value.text, 7)
        : shapeText(node.value.shape);
  const both = dual(alone, node, frame);
  const beside = room - width(visible(title), frame.fonts.source) - 8;
  const value = both !== "" && width(both, frame.fonts.value) <= beside ? both : alone;
  const fitted = fit(value, frame.fonts.value, value === both ? beside : room - wanted - 8);
  const shown = leaf && fitted.endsWith("…") ? "" : fitted; // half a shape in a pill says nothing
  return [
    s(
      "text",
      { class: "src", x: left, y },
      fit(title, frame.fonts.source, room - 8 - width(shown, frame.fonts.value)),
    ),
    s("text", { class: "val", x: right, y }, shown),
  ];
}

/** A number and its tangent; nothing for arrays and where there is none. */
function dual(value: string, { tangent }: RecordNode, { catalogue }: Frame): string {
  if (tangent?.label !== "value") return "";
  return catalogue.text("text.tangent.short", { value, tangent: shortNumber(tangent.text, 7) });
}

/** As much of a parameter's path as there is room for: of `layers.0.fc1.weight` at least `weight`. */
function tail(path: string, room: number, font: string): string {
  let rest = path;
  while (rest.includes(".") && width(rest, font) > room) rest = rest.slice(rest.indexOf(".") + 1);
  return rest;
}

function drawLeaf(box: Box, frame: Frame): SVGElement[] {
  const [name, tone] = STATUS_ICON[fineStatus(frame.state, box.node)]!;
  const wrong = wrongText(frame.state, box.node, frame.catalogue);
  const received = frame.catalogue.text("text.of_received", {
    got: arrived(frame.state, box.node),
    of: frame.scene.expected(box.node),
  });
  return [
    iconGroup(name, box.x + 14, box.y + 7, 16, tone),
    ...firstLine(box, box.x + 36, box.x + box.w - 18, box.y + 19, frame),
    s(
      "text",
      { class: wrong ? "sub mid bad" : "sub mid", x: box.x + box.w / 2, y: box.y + 35 },
      fit(wrong || received, frame.fonts.sub, box.w - 16),
    ),
  ];
}

function drawCard(box: Box, frame: Frame): SVGElement[] {
  const node = frame.scene.nodes.get(box.node)!;
  const [name, tone] = STATUS_ICON[fineStatus(frame.state, box.node)]!;
  const saved = savedCount(node, frame.state, frame.catalogue, frame.scene.head);
  const wrong = wrongText(frame.state, box.node, frame.catalogue) !== "";
  const savedWidth = width(saved.text, frame.fonts.sub);
  const where = node.device ? ` · ${visible(node.device)}` : "";
  const number = (node.number === null ? "" : ` #${node.number}`) + where;
  const room = box.w - 52 - savedWidth - (saved.state ? 18 : 0) - width(number, frame.fonts.sub);
  const right = box.x + box.w - 12;
  const parts: SVGElement[] = [
    iconGroup(name, box.x + 10, box.y + 7, 16, tone),
    ...firstLine(box, box.x + 32, right, box.y + 20, frame),
    s("text", { class: "sub", x: box.x + 32, y: box.y + 36 }, fit(node.name, frame.fonts.sub, room) + number),
    s("text", { class: wrong ? "sub end bad" : "sub end", x: right, y: box.y + 36 }, saved.text),
  ];
  if (saved.state)
    parts.push(
      iconGroup(
        SAVED_ICON[saved.state]![0],
        right - savedWidth - 17,
        box.y + 26,
        12,
        SAVED_ICON[saved.state]![1],
      ),
    );
  return parts;
}

/** What a screen reader says for a box: its source, class, state, and what it has. */
function boxLabel(box: Box, frame: Frame): string {
  const { scene, state, catalogue } = frame;
  const node = scene.nodes.get(box.node)!;
  const received = catalogue.text("text.of_received", {
    got: arrived(state, box.node),
    of: scene.expected(box.node),
  });
  const words = [
    scene.title(box.node),
    scene.className(node),
    catalogue.text(`status.${scene.status(state, box.node)}`),
    received,
  ];
  if (node.kind === "leaf") words.push(wrongText(state, node.id, catalogue));
  else words.push(savedCount(node, state, catalogue, scene.head).text);
  if (node.tangent) words.push(tangentText(node, catalogue));
  words.push(hookWords(frame, node.id));
  const silent = state.silent?.[node.id];
  if (silent) words.push(catalogue.text(silent.id, silent.args ?? {}));
  if (stopsBefore(frame).has(node.id))
    words.push(catalogue.text("ui.breaks.here", { who: scene.name(node.id) }));
  return words.filter(Boolean).join(", ").slice(0, 400);
}

/** The box's own outline, `out` units away from its edge. */
function outline(box: Box, kind: string, out: number, radius: number): SVGRectElement {
  const size = { x: box.x - out, y: box.y - out, width: box.w + 2 * out, height: box.h + 2 * out };
  return s("rect", { class: kind, ...size, rx: radius });
}

/** All that a box shows. A delta leaves what it does not change the same object, so most boxes need no drawing. */
function shownFacts(box: Box, frame: Frame): unknown[] {
  const { state, scene } = frame;
  const saved = scene.nodes.get(box.node)!.saved.map((entry) => state.saved[entry.key]);
  const facts = [
    state.status[box.node],
    state.received[box.node],
    state.total[box.node],
    state.wrong?.[box.node],
    state.silent?.[box.node],
    state.hooks?.[box.node],
    frame.breaks,
    ...saved,
  ];
  return [scene, isEdited(box, frame), frame.selected === box.node, frame.shown === box.node, ...facts];
}

export function makeBox(box: Box, places: SlotPlace[], leaf: boolean): BoxView {
  const words = s("g", { "data-words": box.node });
  const element = s(
    "g",
    { role: "option", tabindex: -1, "data-node": box.node, "data-box": box.id, "data-leaf": leaf },
    outline(box, "outer", 4, leaf ? 26 : 7),
    outline(box, "body", 0, leaf ? 22 : 4),
  );
  const title = s("title");
  element.prepend(title);
  let drawn: unknown[] = [];
  const update = (frame: Frame) => {
    const now = shownFacts(box, frame);
    if (now.length === drawn.length && now.every((each, k) => each === drawn[k])) return;
    drawn = now;
    const status = `is-${frame.state.status[box.node] ?? "waiting"}`;
    const silent = frame.state.silent?.[box.node] ? " is-silent" : "";
    const wrong = (frame.state.wrong?.[box.node] ? " is-wrong" : "") + silent;
    element.setAttribute(
      "class",
      `box ${status}${wrong}${frame.selected === box.node ? " is-selected" : ""}`,
    );
    element.setAttribute("aria-selected", String(frame.shown === box.node));
    const label = boxLabel(box, frame);
    element.setAttribute("aria-label", label);
    title.textContent = label;
    words.setAttribute("class", `words ${status}`);
    words.replaceChildren(
      ...(leaf ? drawLeaf(box, frame) : drawCard(box, frame)),
      ...hookMark(box, frame),
      ...breakMark(box, frame),
      ...places.flatMap((place) => drawSlot(box, place, frame)),
      ...editedMark(box, frame),
    );
  };
  return { box, element, words, update };
}
