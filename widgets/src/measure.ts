// How wide text is, for SVG, which neither wraps nor cuts.

import { visible } from "./dom";

let canvas: CanvasRenderingContext2D | null | undefined;

/** Width in px; without a canvas, an estimate on the wide side. */
export function width(text: string, font: string): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return text.length * 8;
  canvas.font = font;
  return canvas.measureText(text).width;
}

/** A learner's text cut at its end to `room` px, invisible characters shown. */
export function fit(text: string, font: string, room: number): string {
  const letters = Array.from(visible(text.slice(0, 200)));
  if (text.length <= 200 && width(letters.join(""), font) <= room) return letters.join("");
  const cut = (length: number) => letters.slice(0, length).join("").trimEnd() + "…";
  let low = 1;
  let high = letters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (width(cut(middle), font) <= room) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

export interface Fonts {
  source: string;
  value: string;
  sub: string;
  chip: string;
}

/** The faces of the picture as the page resolves them. */
export function fonts(root: Element): Fonts {
  const style = getComputedStyle(root);
  const ui = style.getPropertyValue("--ad-ui") || "sans-serif";
  const face = style.getPropertyValue("--ad-code") || "monospace";
  return {
    source: `600 13px ${face}`,
    value: `400 13px ${ui}`,
    sub: `400 11.5px ${ui}`,
    chip: `600 12.5px ${ui}`,
  };
}
