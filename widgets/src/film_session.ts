// A training film: what the kernel sends (`autodidact_widgets/film.py`), and where in it the view is.

import type { AnyModel } from "./anywidget";
import { Catalogue } from "./catalogue";
import type { Sentence } from "./record";
import { download } from "./save";

export type Part = "forward" | "loss" | "backward" | "optimizer";
export const PARTS: Part[] = ["forward", "loss", "backward", "optimizer"];

export interface FilmFrame {
  step: number;
  loss: number | string | null;
  loss_text: string;
  grads: (number | string | null)[];
  first: number;
  parts: Part[];
  rows: string[];
  table: string[];
  /** Of each parameter: norm before, gradient norm, change, norm after. */
  cells: string[][];
}

export interface FilmHead {
  layers: { name: string; shape: string; size: number }[];
  course: string[];
  frames: FilmFrame[];
}

export interface FilmPlace {
  frame: number;
  moment: number | null;
  part: Part | null;
  title: string;
  who: string | null;
  layer: number | null;
  where: string | null;
  happens: string;
  say: Sentence[];
}

export class FilmSession {
  catalogue: Catalogue;
  places: FilmPlace[] = [];
  private readonly listeners: [string, (...args: never[]) => void][] = [];

  constructor(
    private readonly model: AnyModel,
    private readonly onChange: (what: "state" | "words") => void,
  ) {
    this.catalogue = this.makeCatalogue();
    this.listen("change:position", () => this.onChange("state"));
    this.listen("change:_head", () => this.onChange("state"));
    this.listen("change:messages", () => {
      this.catalogue = this.makeCatalogue();
      this.onChange("words");
    });
    this.listen("msg:custom", (message: { type?: unknown; states?: unknown } & Record<string, unknown>) => {
      if (message?.type === "file")
        download(String(message.name), String(message.mime), String(message.text));
      if (message?.type !== "states" || !Array.isArray(message.states)) return;
      this.places = message.states as FilmPlace[];
      this.catalogue = this.makeCatalogue();
      this.onChange("state");
    });
    model.send({ type: "hello" });
  }

  get head(): FilmHead {
    return this.model.get("_head") as FilmHead;
  }

  /** Whether this is a page without a kernel. */
  get onPage(): boolean {
    return Boolean(this.model.get("page"));
  }

  /** Asks for the film as a page; it comes as a message of its own. */
  save(): void {
    this.model.send({ type: "save", what: "html" });
  }

  get ready(): boolean {
    return this.places.length > this.position;
  }

  get count(): number {
    return Math.max(Number(this.model.get("count") ?? 0), this.places.length, 1);
  }

  get position(): number {
    return Math.max(0, Math.min(Number(this.model.get("position") ?? 0), this.count - 1));
  }

  get atEnd(): boolean {
    return this.position >= this.count - 1;
  }

  get place(): FilmPlace {
    return this.places[this.position]!;
  }

  get frame(): FilmFrame {
    return this.head.frames[this.place.frame]!;
  }

  step(): void {
    this.jump(this.position + 1);
  }

  runToEnd(): void {
    this.jump(this.count - 1);
  }

  jump(position: number): void {
    const to = Math.max(0, Math.min(position, this.count - 1));
    if (to === this.position) return;
    this.model.set("position", to);
    this.model.save_changes();
  }

  /** To a training step; in the same part, where it was recorded whole. */
  toFrame(index: number): void {
    const frame = this.head.frames[Math.max(0, Math.min(index, this.head.frames.length - 1))];
    if (!frame) return;
    const part = this.place.part;
    const at = part === null ? -1 : frame.parts.indexOf(part);
    this.jump(frame.first + Math.max(0, at));
  }

  /** To the beginning of a part of this training step. */
  toPart(part: Part): void {
    const at = this.frame.parts.indexOf(part);
    if (at >= 0) this.jump(this.frame.first + at);
  }

  close(): void {
    for (const [event, listener] of this.listeners) this.model.off(event, listener);
    this.listeners.length = 0;
  }

  /** The text form, put together from the kernel's lines. */
  text(): string {
    const { place, frame, head } = this;
    const rows = frame.rows.map((row, k) =>
      place.moment !== null && k === place.moment + 1 ? `> ${row.slice(2)}` : row,
    );
    const parts = [[place.title], rows, frame.table, head.course].filter((part) => part.length > 0);
    return parts.map((part) => part.join("\n")).join("\n\n") + "\n";
  }

  private listen(event: string, listener: (...args: never[]) => void): void {
    this.model.on(event, listener);
    this.listeners.push([event, listener]);
  }

  private makeCatalogue(): Catalogue {
    const messages = (this.model.get("messages") ?? {}) as Record<string, string>;
    const names = this.head.layers.flatMap(({ name }) => [name, `${name}.grad`]);
    const called = this.places.flatMap(({ who }) => (who ? [who] : []));
    return new Catalogue(
      messages,
      String(this.model.get("language") ?? "en"),
      new Set([...names, ...called]),
    );
  }
}
