// Runs side by side: what the kernel sends (`autodidact_widgets/lockstep.py`), put together. Knows nothing of drawing.

import type { AnyModel } from "./anywidget";
import type { Arg, Head, SavedState, Sentence, State } from "./record";
import { Catalogue } from "./catalogue";
import { visible } from "./dom";
import { Folder } from "./fold";
import { Scene } from "./scene";

export interface Difference {
  place: number;
  at: Sentence;
  kind: string;
  cells: Sentence[];
}

/** What one place of the common time line adds. */
export interface Place {
  step: number;
  pass: number;
  heads: (Head | null)[] | null;
  states: (Partial<State> | null)[];
  rows: Difference[];
  line: string[];
  steps: number;
  total: number;
}

/** One pass of one run. */
export interface Pass {
  scene: Scene;
  folder: Folder;
}

/** Where a run is at some place: its pass, the state in it, and whether that state was new there. */
export interface Here {
  pass: Pass;
  index: number;
  moved: boolean;
}

/** What the time line shows of a step of one run: kept, so that drawing it folds no state again. */
export interface Told {
  ran: string | null;
  failed: boolean;
  saved: SavedState["state"] | null;
}

const PATIENCE = 20_000;

export class CompareSession {
  readonly labels: string[];
  catalogue: Catalogue;
  places: Place[] = [];
  private runs: Pass[][];
  /** place -> for each run [pass, state, moved] */
  private map: [number, number, boolean][][] = [];
  /** place -> for each run what its step was */
  readonly told: Told[][] = [];
  private asked: { count: number; at: number } | null = null;
  private readonly listeners: [string, (...args: never[]) => void][] = [];

  constructor(
    private readonly model: AnyModel,
    private readonly onChange: (what: "state" | "words") => void,
  ) {
    const head = (model.get("_head") ?? {}) as { labels?: unknown };
    this.labels = Array.isArray(head.labels) ? head.labels.map((label) => visible(String(label))) : [];
    this.runs = this.labels.map(() => []);
    this.catalogue = this.makeCatalogue();
    for (const name of ["position", "count", "done"])
      this.listen(`change:${name}`, () => this.onChange("state"));
    this.listen("change:messages", () => {
      this.catalogue = this.makeCatalogue();
      this.onChange("words");
    });
    this.listen("msg:custom", (message: { type?: unknown; from?: unknown; states?: unknown }) =>
      this.receive(message),
    );
    model.send({ type: "hello" });
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

  get done(): boolean {
    return Boolean(this.model.get("done"));
  }

  get atEnd(): boolean {
    return this.position >= this.count - 1 && this.done;
  }

  /** Where a run is at a place. */
  here(run: number, position = this.position): Here {
    const [pass, index, moved] = this.map[position]![run]!;
    return { pass: this.runs[run]![pass]!, index, moved };
  }

  state(run: number, position = this.position): State {
    const { pass, index } = this.here(run, position);
    return pass.folder.state(index);
  }

  /** The differences up to a place. */
  rows(position = this.position): Difference[] {
    return this.places.slice(0, position + 1).flatMap((place) => place.rows);
  }

  step(): void {
    if (this.position < this.count - 1) this.jump(this.position + 1);
    else this.request("step");
  }

  jump(position: number): void {
    const to = Math.max(0, Math.min(position, this.count - 1));
    if (to === this.position) return;
    this.model.set("position", to);
    this.model.save_changes();
  }

  runToEnd(): void {
    if (this.done) this.jump(this.count - 1);
    else this.request("run");
  }

  close(): void {
    for (const [event, listener] of this.listeners) this.model.off(event, listener);
    this.listeners.length = 0;
  }

  private request(type: "step" | "run"): void {
    const now = Date.now();
    const open = this.asked && this.asked.count === this.count && now - this.asked.at < PATIENCE;
    if (this.done || open) return;
    this.asked = { count: this.count, at: now };
    this.model.send({ type });
  }

  private listen(event: string, listener: (...args: never[]) => void): void {
    this.model.on(event, listener);
    this.listeners.push([event, listener]);
  }

  private receive(message: { type?: unknown; from?: unknown; states?: unknown }): void {
    if (message?.type === "refused") this.asked = null;
    if (message?.type !== "states" || !Array.isArray(message.states)) return;
    const from = Number(message.from);
    if (from === 0) {
      this.places = [];
      this.told.length = 0;
      this.map = [];
      this.runs = this.labels.map(() => []);
    }
    if (from !== this.places.length) return;
    for (const place of message.states as Place[]) this.add(place);
    this.onChange("state");
  }

  private add(place: Place): void {
    place.heads?.forEach((head, run) => {
      if (head) this.runs[run]!.push({ scene: new Scene(head), folder: new Folder() });
    });
    if (place.heads) this.catalogue = this.makeCatalogue();
    this.map.push(
      this.runs.map((passes, run) => {
        const pass = passes[passes.length - 1]!;
        const state = place.states[run];
        if (state) pass.folder.put(pass.folder.length, [state]);
        return [passes.length - 1, pass.folder.length - 1, Boolean(state)];
      }),
    );
    this.told.push(this.runs.map((passes) => stepOf(passes[passes.length - 1]!)));
    this.places.push(place);
  }

  private makeCatalogue(): Catalogue {
    const messages = (this.model.get("messages") ?? {}) as Record<string, string>;
    const names = new Set([...this.labels, ...this.runs.flat().flatMap((pass) => [...pass.scene.names()])]);
    return new Catalogue(messages, String(this.model.get("language") ?? "en"), names);
  }
}

/** The latest step of a pass, and what has become of what its node had saved. */
function stepOf({ scene, folder }: Pass): Told {
  const state = folder.state(folder.length - 1);
  const words = (scene.nodes.get(state.ran ?? "")?.saved ?? []).map((entry) => state.saved[entry.key]?.state);
  const saved = (["stale", "kept", "packed", "freed"] as const).find((word) => words.includes(word));
  return { ran: state.ran, failed: state.error !== null, saved: (!state.error && saved) || null };
}

/** Sentences of a difference as plain text, for the text form and for names of controls. */
export function differenceWords(row: Difference, catalogue: Catalogue): string[] {
  return [row.at, ...row.cells].map((each) =>
    catalogue.text(each.id, (each.args ?? {}) as Record<string, Arg>),
  );
}
