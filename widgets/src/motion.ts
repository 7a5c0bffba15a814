// The only motion there is: gradients ride up their lanes, 240 ms, and dock. Everything else switches.

import type { LaneView } from "./graph_lane";

const DURATION = 240;

/** A cubic ease-out: quick to leave, soft to arrive. */
function ease(t: number): number {
  return 1 - (1 - t) ** 3;
}

export function reducedMotion(): boolean {
  return typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export interface Rider {
  lane: LaneView;
  element: SVGGElement;
}

/** Rides that are under way; `finish` ends them at once. */
export class Ride {
  private frame = 0;
  private over = false;

  constructor(
    private readonly riders: Rider[],
    private readonly onEnd: () => void,
  ) {
    const lengths = riders.map(({ lane }) => lane.back.getTotalLength());
    const start = performance.now();
    const tick = (now: number) => {
      const t = Math.min(1, Math.max(0, (now - start) / DURATION));
      riders.forEach(({ lane, element }, k) => {
        const point = lane.back.getPointAtLength(lengths[k]! * ease(t));
        element.setAttribute("transform", `translate(${point.x} ${point.y})`);
      });
      if (t < 1) this.frame = requestAnimationFrame(tick);
      else this.finish();
    };
    tick(start);
  }

  finish(): void {
    if (this.over) return;
    this.over = true;
    cancelAnimationFrame(this.frame);
    for (const { element } of this.riders) element.remove();
    this.onEnd();
  }
}
