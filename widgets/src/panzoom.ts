// Moving and scaling the picture. It starts at its natural size (text is never scaled down by itself) and only moves when asked.

import type { Rect } from "./record";

const MIN = 0.25;
const MAX = 3;
const MARGIN = 28; // room for the chips and slots that stick out of a box

/** Listens on `svg`, moves `layer`. Drag or Shift + wheel pans; Ctrl or Command + wheel zooms. */
export class PanZoom {
  private x = 0;
  private y = 0;
  private scale = 1;
  private drag: { id: number; x: number; y: number; moved: boolean } | null = null;
  private touched = false;
  private dragged = false;

  constructor(
    private readonly svg: SVGSVGElement,
    private readonly layer: SVGGElement,
    /** `above`: room that is kept free over the picture, for what may still come; `first`: the width that matters most. */
    private readonly size: { width: number; height: number; above: number; first: number },
  ) {
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", () => (this.drag = null));
    svg.addEventListener("pointercancel", () => (this.drag = null));
    svg.addEventListener("click", (event) => this.swallowDragClick(event), true);
  }

  private view(): { w: number; h: number } {
    return { w: this.svg.clientWidth || this.size.width, h: this.svg.clientHeight || this.size.height };
  }

  /** Natural size, centred; what does not fit begins at the root's end. Leaves a picture alone that the learner has moved. */
  home(force = false): void {
    if (this.touched && !force) return;
    const { w, h } = this.view();
    this.scale = 1;
    this.x = (w - (w < this.size.width ? this.size.first : this.size.width)) / 2;
    const low = h - this.size.height;
    this.y = low < 0 ? low : this.size.above > 0 ? low - MARGIN / 2 : low / 2;
    this.touched = false;
    this.apply();
  }

  /** The whole picture, however small. */
  fit(): void {
    const { w, h } = this.view();
    this.scale = Math.max(MIN, Math.min(1, w / this.size.width, h / this.size.height));
    this.x = (w - this.size.width * this.scale) / 2;
    this.y = (h - this.size.height * this.scale) / 2;
    this.touched = false;
    this.apply();
  }

  zoom(factor: number, cx = this.view().w / 2, cy = this.view().h / 2): void {
    const scale = Math.max(MIN, Math.min(MAX, this.scale * factor));
    this.x = cx - ((cx - this.x) * scale) / this.scale;
    this.y = cy - ((cy - this.y) * scale) / this.scale;
    this.scale = scale;
    this.touched = true;
    this.apply();
  }

  /** Moves just as far as needed for a box to be seen whole, with its neighbours if they fit: a jump, not a film. */
  reveal(rect: Rect, ...others: Rect[]): void {
    const { w, h } = this.view();
    const all = union([rect, ...others]);
    const fits = all.w * this.scale < w - 2 * MARGIN && all.h * this.scale < h - 2 * MARGIN;
    const { x, y, w: width, h: height } = fits ? all : rect;
    const inside = (at: number, length: number, room: number) => at >= 0 && at + length * this.scale <= room;
    const dx = inside(this.x, this.size.width, w)
      ? 0
      : distance(x * this.scale + this.x, width * this.scale, w);
    const dy = inside(this.y, this.size.height, h)
      ? 0
      : distance(y * this.scale + this.y, height * this.scale, h);
    if (dx === 0 && dy === 0) return;
    this.x += dx;
    this.y += dy;
    this.apply();
  }

  private apply(): void {
    this.layer.setAttribute(
      "transform",
      `translate(${round(this.x)} ${round(this.y)}) scale(${round(this.scale)})`,
    );
  }

  private wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      const box = this.svg.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    } else if (event.shiftKey) {
      this.x -= event.deltaX || event.deltaY;
      if (event.deltaX) this.y -= event.deltaY;
      this.touched = true;
      this.apply();
    } else return;
    event.preventDefault();
  }

  private down(event: PointerEvent): void {
    this.dragged = false;
    if (event.button === 0)
      this.drag = { id: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
  }

  private move(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.id) return;
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    if (!drag.moved) this.svg.setPointerCapture(drag.id);
    this.drag = { id: drag.id, x: event.clientX, y: event.clientY, moved: true };
    this.x += dx;
    this.y += dy;
    this.touched = true;
    this.dragged = true;
    this.apply();
  }

  /** The click that ends a drag chooses no node. */
  private swallowDragClick(event: Event): void {
    if (this.dragged) event.stopPropagation();
    this.dragged = false;
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function union(rects: Rect[]): Rect {
  const x = Math.min(...rects.map((each) => each.x));
  const y = Math.min(...rects.map((each) => each.y));
  const right = Math.max(...rects.map((each) => each.x + each.w));
  const low = Math.max(...rects.map((each) => each.y + each.h));
  return { x, y, w: right - x, h: low - y };
}

/** How far a stretch from `at`, `length` long, must move to lie inside `room`. */
function distance(at: number, length: number, room: number): number {
  if (at < MARGIN && at + length + MARGIN < room) return MARGIN - at;
  if (at + length > room - MARGIN && at > MARGIN) return Math.max(room - MARGIN - at - length, MARGIN - at);
  return 0;
}
