// One edge of the picture: the forward lane, the gradient lane and the chip that waits on the sender.

import type { Lane, Summary } from "./record";
import { s } from "./dom";
import { width } from "./measure";
import { shortNumber } from "./scene";
import { allNumbers } from "./values";
import { overText, valueText } from "./text_words";
import type { Frame } from "./frame";

export interface LaneView {
  lane: Lane;
  lines: SVGGElement;
  chip: SVGGElement;
  back: SVGPathElement;
  update(frame: Frame): void;
}

type LaneState = "sent" | "soon" | "later" | "cut";

const HEAD = { sent: "back", soon: "back", later: "later", cut: "cut" } as const;

function laneState(lane: Lane, frame: Frame): LaneState {
  const from = frame.scene.edges.get(lane.edge)?.from ?? "";
  if (lane.edge in frame.state.sent) return "sent";
  if (frame.state.status[from] === "failed") return "cut";
  return frame.state.next === from ? "soon" : "later";
}

/** One sentence about an edge, for whoever points at it. */
function laneTitle(lane: Lane, now: LaneState, frame: Frame): string {
  const { scene, state, catalogue } = frame;
  const edge = scene.edges.get(lane.edge);
  const value = now === "sent" ? state.sent[lane.edge] : state.predicted[lane.edge]?.value;
  const shown = now === "sent" || value ? valueText(value, 60, catalogue) : catalogue.text("text.unknown");
  const args = { who: scene.name(edge?.from ?? null), to: scene.name(edge?.to ?? null), value: shown };
  const said = catalogue.text(now === "sent" ? "event.send" : `ui.lane.${now}`, args);
  const over = summed(lane, frame);
  return over ? `${said}: ${over}` : said;
}

function summed(lane: Lane, { scene, catalogue }: Frame): string | null {
  const sender = scene.nodes.get(scene.edges.get(lane.edge)?.from ?? "");
  return sender ? overText(sender, lane.edge, catalogue) : null;
}

/** The mark of a gradient that is summed on its way, between its chip and the slot. */
function sumMark(lane: Lane, frame: Frame): SVGElement[] {
  const over = summed(lane, frame);
  const [x, y] = [(lane.chip[0] + 2 * lane.dock[0]) / 3, (lane.chip[1] + 2 * lane.dock[1]) / 3];
  return over ? [s("text", { class: "sum-mark", x, y: y + 5 }, s("title", {}, over), "Σ")] : [];
}

/** A chip centred at (x, y): how a gradient looks wherever it is. */
export function chip(x: number, y: number, text: string, kind: string, frame: Frame): SVGElement[] {
  const w = Math.max(34, Math.ceil(width(text, frame.fonts.chip)) + 10);
  return [
    s("rect", { class: `slot ${kind}`, x: x - w / 2, y: y - 10, width: w, height: 20, rx: 3 }),
    s("text", { class: `n${kind === "full" ? " on" : ""}`, x, y: y + 4.5 }, text),
  ];
}

export function chipText(value: Summary | null, room: number, frame: Frame): string {
  if (value === null) return frame.catalogue.text("value.none");
  const all = allNumbers(value, 12);
  if (all !== null && width(all, frame.fonts.chip) <= room - 10) return all;
  return shortNumber(value.text, Math.max(3, Math.floor((room - 10) / (width("0", frame.fonts.chip) || 8))));
}

export function makeLane(lane: Lane, prefix: string): LaneView {
  const forward = s("path", { class: "fwd", d: lane.forward, "marker-end": `url(#${prefix}fwd)` });
  const back = s("path", { d: lane.back });
  const title = s("title");
  const lines = s("g", { "data-edge": lane.edge }, title, forward, back);
  const standing = s("g");
  let drawn: unknown[] = [];
  const update = (frame: Frame) => {
    const now = laneState(lane, frame);
    const facts = [now, frame.scene, frame.state.predicted[lane.edge], frame.state.sent[lane.edge]];
    if (drawn.length > 0 && facts.every((each, k) => each === drawn[k])) return;
    drawn = facts;
    lines.setAttribute("class", `lane lane-${now}`);
    back.setAttribute("class", `back ${now}`);
    back.setAttribute("marker-end", `url(#${prefix}${HEAD[now]})`);
    title.textContent = laneTitle(lane, now, frame);
    const predicted = frame.state.predicted[lane.edge];
    const text = predicted
      ? chipText(predicted.value, lane.room, frame)
      : frame.catalogue.text("text.unknown");
    standing.replaceChildren(
      ...sumMark(lane, frame),
      ...(now === "soon" ? chip(lane.chip[0], lane.chip[1], text, "soon", frame) : []),
    );
  };
  return { lane, lines, chip: standing, back, update };
}

/** Arrow heads. Their ids carry the view's own prefix, for a page may hold several views. */
export function markers(prefix: string): SVGDefsElement {
  const marker = (name: string, size: number, refX: number, path: SVGPathElement) =>
    s(
      "marker",
      {
        id: prefix + name,
        viewBox: `0 0 ${size} ${size}`,
        refX,
        refY: size / 2,
        markerWidth: size,
        markerHeight: size,
        orient: "auto",
        markerUnits: "userSpaceOnUse",
      },
      path,
    );
  return s(
    "defs",
    {},
    marker("fwd", 8, 7, s("path", { d: "M1 1l6 3-6 3", class: "fwd" })),
    marker("back", 9, 8, s("path", { d: "M0 .5l9 4-9 4z", class: "head-back" })),
    marker("later", 8, 7, s("path", { d: "M1 1l6 3-6 3z", class: "head-later" })),
    marker("cut", 8, 7, s("path", { d: "M1 1l6 3-6 3z", class: "head-cut" })),
  );
}
