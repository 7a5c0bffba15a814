// Every sign, once. 16 x 16; drawn inline, so that two widgets on a page share no ids.

import { s } from "./dom";

type Shape =
  | ["circle", number, number, number, string?]
  | ["path", string, string?]
  | ["rect", number, number, number, number, number, string?];

const DASH = "2.6 2.3";
const ICONS = {
  done: [
    ["circle", 8, 8, 6.25],
    ["path", "M5.2 8.2l2 2 3.7-4.2"],
  ],
  next: [
    ["circle", 8, 8, 7, "f"],
    ["path", "M6.3 4.9v6.2l5-3.1z", "s"],
  ],
  ready: [
    ["circle", 8, 8, 6.25],
    ["circle", 8, 8, 3, "f"],
  ],
  wait0: [["circle", 8, 8, 6.25, "dash"]],
  wait1: [
    ["circle", 8, 8, 6.25, "dash"],
    ["path", "M8 4a4 4 0 0 1 0 8z", "f"],
  ],
  failed: [
    ["path", "M5 1h6l4 4v6l-4 4H5l-4-4V5z", "f"],
    ["path", "M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8", "sl"],
  ],
  skipped: [
    ["circle", 8, 8, 6.25],
    ["path", "M5 8h6"],
  ],
  kept: [["rect", 3, 3, 10, 10, 1.5, "f"]],
  freed: [
    ["rect", 3.25, 3.25, 9.5, 9.5, 1.5, "dash"],
    ["path", "M2 14L14 2"],
  ],
  stale: [
    ["path", "M8 1.6L15 14H1z"],
    ["path", "M8 6v4M8 12v.01"],
  ],
  packed: [
    ["rect", 2.25, 2.25, 11.5, 11.5, 1.5],
    ["rect", 5.5, 5.5, 5, 5, 0, "f"],
  ],
  none: [["path", "M4.5 8h7"]],
  unpack: [["path", "M4 7v6h8V7M8 10V2.5M5.5 4.8L8 2.3l2.5 2.5"]],
  send: [["path", "M8 3l5.5 9.5h-11z", "f"]],
  accumulate: [
    ["circle", 8, 8, 5.75],
    ["path", "M8 5.2v5.6M5.2 8h5.6"],
  ],
  hook: [["path", "M8 1.8L14.2 8 8 14.2 1.8 8z"]],
  reset: [["path", "M4 3v10M13 3.5v9L6.5 8z"]],
  back: [["path", "M10 3.5L5.5 8l4.5 4.5"]],
  run: [["path", "M3.5 3.5L8 8l-4.5 4.5M9 3.5L13.5 8 9 12.5"]],
  pause: [["path", "M5.5 3.5v9M10.5 3.5v9"]],
  text: [["path", "M2.5 4h11M2.5 8h11M2.5 12h7"]],
  more: [
    ["circle", 3.5, 8, 1.4, "f"],
    ["circle", 8, 8, 1.4, "f"],
    ["circle", 12.5, 8, 1.4, "f"],
  ],
  ask: [
    ["circle", 8, 8, 6.25],
    ["path", "M6.2 6.3a1.9 1.9 0 1 1 2.6 1.8c-.6.3-.8.6-.8 1.2M8 11.4v.01"],
  ],
  memory: [["path", "M1.5 13.5h13M2.5 11V8.5h3V5h3v3h2.5v3h2.5"]],
  save: [["path", "M8 2v8M4.8 7L8 10.2 11.2 7M2.5 11.5v2h11v-2"]],
  find: [
    ["circle", 7, 7, 4.5],
    ["path", "M10.4 10.4L14 14"],
  ],
  edit: [["path", "M3 13l.7-3L10.6 3l2.4 2.4L6 12.3z"]],
  guess: [
    ["path", "M2.5 3h11v7.5h-6l-3 2.8v-2.8h-2z"],
    ["path", "M6.7 5.6a1.4 1.4 0 1 1 1.9 1.3c-.5.2-.6.4-.6.8M8 9.1v.01"],
  ],
  into: [["path", "M8 2v8M4.8 7L8 10.2 11.2 7M3 13.5h10"]],
  point: [["circle", 8, 8, 5, "f"]],
  breaks: [
    ["circle", 5, 8, 3, "f"],
    ["path", "M10 4.5h4M10 8h4M10 11.5h4"],
  ],
  open: [["path", "M4 6l4 4 4-4"]],
  shut: [["path", "M6 4l4 4-4 4"]],
  plus: [["path", "M8 3.5v9M3.5 8h9"]],
  minus: [["path", "M3.5 8h9"]],
  fit: [["path", "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"]],
} as const satisfies Record<string, readonly Shape[]>;

export type IconName = keyof typeof ICONS;

function shape(part: Shape): SVGElement {
  if (part[0] === "circle") return dashed(s("circle", { cx: part[1], cy: part[2], r: part[3] }), part[4]);
  if (part[0] === "path") return dashed(s("path", { d: part[1] }), part[2]);
  return dashed(s("rect", { x: part[1], y: part[2], width: part[3], height: part[4], rx: part[5] }), part[6]);
}

function dashed(element: SVGElement, style?: string): SVGElement {
  if (style === "dash") element.setAttribute("stroke-dasharray", DASH);
  else if (style) element.setAttribute("class", style);
  return element;
}

/** The sign inside a picture: a group at (x, y), `size` units wide. */
export function iconGroup(name: IconName, x: number, y: number, size: number, tone: string): SVGGElement {
  const group = s("g", { class: `ic ${tone}`, transform: `translate(${x} ${y}) scale(${size / 16})` });
  for (const part of ICONS[name]) group.append(shape(part as unknown as Shape));
  return group;
}

/** The sign in running text. It is always accompanied by a word, so it has no name of its own. */
export function icon(name: IconName, tone = "c-ink"): SVGSVGElement {
  return s(
    "svg",
    { class: `i ${tone}`, viewBox: "0 0 16 16", "aria-hidden": "true" },
    iconGroup(name, 0, 0, 16, ""),
  );
}

export const STATUS_ICON: Record<string, [IconName, string]> = {
  done: ["done", "c-2"],
  next: ["next", "c-grad"],
  ready: ["ready", "c-ink"],
  waiting: ["wait0", "c-2"],
  partly: ["wait1", "c-ink"],
  failed: ["failed", "c-bad"],
  skipped: ["skipped", "c-2"],
};

export const SAVED_ICON: Record<string, [IconName, string]> = {
  kept: ["kept", "c-ink"],
  freed: ["freed", "c-2"],
  stale: ["stale", "c-bad"],
  packed: ["packed", "c-ink"],
  absent: ["freed", "c-2"],
  none: ["none", "c-2"],
};

export const EVENT_ICON: Record<string, [IconName, string]> = {
  unpack: ["unpack", "c-ink"],
  again: ["back", "c-ink"],
  forward: ["run", "c-ink"],
  hook: ["hook", "c-ink"],
  line: ["into", "c-ink"],
  return: ["text", "c-ink"],
  send: ["send", "c-grad"],
  free: ["freed", "c-ink"],
  transfer: ["into", "c-ink"],
  accumulate: ["accumulate", "c-ink"],
  error: ["failed", "c-bad"],
};
