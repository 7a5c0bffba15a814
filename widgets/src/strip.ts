// The line above the picture: which way is forward, and how many bytes the graph still keeps.

import type { Frame } from "./frame";
import { h, s, set } from "./dom";

export class Strip {
  private readonly words = h("div", { class: "strip-words" });
  readonly element: HTMLElement;

  constructor(zoom: HTMLElement) {
    this.element = h("div", { class: "strip" }, this.words, zoom);
  }

  update(frame: Frame): void {
    const { catalogue, state, first, scene } = frame;
    const [down, up] = arrows();
    const most = Math.max(first.bytes, state.bytes, 1); // a checkpoint may compute more than was kept
    const bar = s(
      "svg",
      { class: "bytes-bar", width: 64, height: 6, viewBox: "0 0 64 6", "aria-hidden": "true" },
      s("rect", { class: "all", x: 0.5, y: 0.5, width: 63, height: 5 }),
      s("rect", {
        class: "now",
        x: 0,
        y: 0,
        width: (64 * Math.min(1, state.bytes / most)).toFixed(1),
        height: 6,
      }),
    );
    set(
      this.words,
      h("span", {}, down, catalogue.text("text.forward")),
      h("span", {}, up, catalogue.text("text.backward")),
      h("span", { class: "gap" }),
      scene.head.engine !== "own" &&
        h(
          "span",
          { class: "bytes" },
          bar,
          catalogue.text("ui.bytes", {
            bytes: `${state.bytes} B`,
            of: `${Math.max(first.bytes, state.bytes)} B`,
          }),
        ),
    );
  }
}

/** Forward runs down, gradients climb up. */
function arrows(): SVGElement[] {
  const arrow = (...parts: SVGElement[]) =>
    s("svg", { width: 10, height: 14, viewBox: "0 0 10 14", "aria-hidden": "true" }, ...parts);
  return [
    arrow(s("path", { class: "fwd", d: "M5 1V13M2 9.5L5 13l3-3.5" })),
    arrow(s("path", { class: "up", d: "M5 13V5" }), s("path", { class: "head-back", d: "M5 0L9 7H1z" })),
  ];
}
