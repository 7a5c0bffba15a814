// The view's side of the protocol: traits and messages in, position and requests out. Knows nothing of drawing.

import type { AnyModel } from "./anywidget";
import type { Head, Layout, Sentence, State } from "./record";
import { Seen } from "./seen";
import { type Asking, type Question, withoutAsked } from "./ask";
import type { Breakpoint } from "./breaks";
import { Catalogue } from "./catalogue";
import { Folder } from "./fold";
import { type Moment, momentAfter, momentBefore } from "./moments";
import { partOf } from "./replay";
import { Line } from "./line";
import { download } from "./save";
import { Scene } from "./scene";
import { unpack } from "./unpack";

type Message = { type?: unknown; from?: unknown; states?: unknown; say?: unknown };

export type Change = "head" | "words" | "state" | "refused";

// How long one request may wait for its answer before another may be sent.
const PATIENCE = 20_000;

const NONE: Breakpoint[] = [];

export class Session {
  scene: Scene;
  catalogue: Catalogue;
  refused: Sentence[] = [];
  /** Step and Back go event by event. */
  byEvents = false;
  private readonly layouts = new Map<string, Layout | null>();
  private readonly seen = new Seen();
  private asked: { count: number; at: number } | null = null;
  private readonly folder = new Folder();
  private readonly line: Line;
  private readonly listeners: [string, (...args: never[]) => void][] = [];

  constructor(
    private readonly model: AnyModel,
    private readonly onChange: (what: Change) => void,
  ) {
    this.scene = new Scene(unpack(model.get("_head") as Record<string, unknown>) as unknown as Head);
    this.catalogue = this.makeCatalogue();
    this.listen("change:_head", () => this.headChanged());
    this.listen("change:messages", () => this.headChanged("words"));
    this.listen("change:position", () => this.onChange("state"));
    this.listen("change:event", () => this.onChange("state"));
    this.listen("change:count", () => this.onChange("state"));
    this.listen("change:asking", () => this.onChange("state"));
    this.listen("change:breaks", () => this.onChange("state"));
    this.listen("change:halts", () => this.onChange("state"));
    this.listen("change:done", () => this.onChange("state"));
    this.listen("change:warnings", () => this.onChange("state"));
    this.listen("change:waiting", () => this.onChange("state"));
    this.listen("msg:custom", (message: Message) => this.receive(message));
    this.line = new Line(model);
    this.post({ type: "hello" });
  }

  /** Is the state at `position` here yet? (Its message may be on the way.) */
  get ready(): boolean {
    return this.folder.length > this.position;
  }

  get position(): number {
    const position = Number(this.model.get("position") ?? 0);
    return Math.max(0, Math.min(position, Math.max(0, this.count - 1)));
  }

  /** How many events of the step are shown; -1: the whole step. */
  get event(): number {
    const event = Number(this.model.get("event") ?? -1);
    return this.position > 0 && event >= 0 && event < this.events(this.position) ? event : -1;
  }

  events(k: number): number {
    return this.folder.raw(k)?.events?.length ?? 0;
  }

  get count(): number {
    return Math.max(Number(this.model.get("count") ?? 0), this.folder.length, 1);
  }

  get done(): boolean {
    return Boolean(this.model.get("done"));
  }

  get atHead(): boolean {
    return this.position >= this.count - 1;
  }

  get atEnd(): boolean {
    return this.atHead && this.done && this.event < 0;
  }

  state(index = this.position): State {
    return this.folder.state(index);
  }

  /** What is to be shown: the state at `position`, or a moment inside that step. */
  moment(): State {
    const { event } = this;
    if (event < 0) return withoutAsked(this.state(), this.openQuestions);
    return partOf(this.scene, this.stateBefore(), this.state(), event);
  }

  first(): State {
    return this.folder.first();
  }

  /** The state one step before the one shown, for the words "before" and "already received". */
  stateBefore(): State {
    const current = this.position;
    const before = this.folder.state(Math.max(0, current - 1));
    this.folder.state(current);
    return before;
  }

  /** Every state of a node, state of an entry and kind of event that occurs in the record. */
  words(): Set<string> {
    return this.seen.upTo(this.folder);
  }

  delta(index: number): Partial<State> | undefined {
    return this.folder.raw(index);
  }

  /** Ids of the nodes that ran, over all recorded states. */
  ran(): string[] {
    const ids: string[] = [];
    for (let k = 1; k < this.folder.length; k++) {
      const id = this.folder.raw(k)?.ran;
      if (id) ids.push(id);
    }
    return ids;
  }

  /** Steps that this pass will have: nodes asked for. */
  total(): number {
    const first = this.folder.raw(0)?.status ?? {};
    const asked = this.scene.head.nodes.filter((node) => first[node.id] !== "skipped").length;
    return this.done && this.state(this.count - 1).end === "ok"
      ? this.count - 1
      : Math.max(asked, this.count - 1);
  }

  /** One step (or event) forward: in the record if there is more of it, else in the kernel. */
  step(): void {
    this.refused = [];
    const next = this.next();
    if (next) this.moveTo(next);
    else this.request(this.byEvents ? "event" : "step");
  }

  /** Where a step forward leads in the record; null at its end. */
  private next(): Moment | null {
    const at = { position: this.position, event: this.event };
    if (this.byEvents) return momentAfter(at, this.count, (k) => this.events(k));
    return this.atHead ? null : { position: at.position + 1, event: -1 };
  }

  back(): void {
    if (!this.byEvents) return this.jump(this.position - 1);
    const before = momentBefore({ position: this.position, event: this.event }, (k) => this.events(k));
    if (before) this.moveTo(before);
  }

  jump(position: number): void {
    const to = Math.max(0, Math.min(position, this.count - 1));
    if (to === this.position && this.event < 0) return;
    this.moveTo({ position: to, event: -1 });
  }

  moveTo({ position, event }: Moment): void {
    this.model.set("event", event);
    this.model.set("position", position);
    this.attempt(() => this.model.save_changes());
  }

  get asking(): Asking {
    return (this.model.get("asking") as Asking | undefined) ?? {};
  }

  /** Questions about the step to come; they hide its numbers, and it waits for them. */
  get openQuestions(): Question[] {
    return (this.atHead && this.event < 0 && this.asking.open) || [];
  }

  get breaks(): Breakpoint[] {
    return (this.model.get("breaks") as Breakpoint[] | undefined) ?? NONE;
  }

  /** Why a run stops at the step that is shown; empty where it does not. */
  get halt(): Sentence[] {
    const halts = (this.model.get("halts") as Record<string, Sentence[]> | undefined) ?? {};
    return (this.event < 0 && halts[String(this.position)]) || [];
  }

  get halted(): boolean {
    return this.halt.length > 0 || this.openQuestions.length > 0;
  }

  toggleBreak({ kind, value }: Breakpoint): void {
    this.post({ type: "break", point: { kind, value } });
  }

  removeBreak(index: number): void {
    this.post({ type: "unbreak", index });
  }

  runToEnd(): void {
    if (this.breaks.length > 0) {
      this.post({ type: "continue" });
      return;
    }
    if (this.done) this.jump(this.count - 1);
    else this.request("run");
  }

  /** Asks the kernel for more. One request at a time: a held-down key does not run ahead of a busy kernel. */
  private request(type: "step" | "run" | "event"): void {
    const now = Date.now();
    const open = this.asked && this.asked.count === this.count && now - this.asked.at < PATIENCE;
    if (this.done || open) return;
    this.asked = { count: this.count, at: now };
    this.post({ type, at: this.count });
  }

  /** Does a cell wait for this pass? */
  get waiting(): boolean {
    return Boolean(this.model.get("waiting"));
  }

  /** What a waiting cell can be told: no more stops, or an end. */
  repair(): void {
    this.refused = [];
    this.post({ type: "repair" });
  }

  /** The program runs again with one of its repairs; the first is 1. */
  retry(number: number): void {
    this.refused = [];
    this.post({ type: "retry", number });
  }

  /** A request of predict mode. */
  predict(
    message: { type: "ask"; on: boolean } | { type: "answer"; text: string } | { type: "reveal" | "forget" },
  ): void {
    this.refused = [];
    this.post(message);
  }

  tell(type: "run_on" | "stop"): void {
    this.post({ type });
  }

  option(name: "retain_graph" | "create_graph", value: boolean): void {
    this.post({ type: "option", name, value });
  }

  /** A number changed: the kernel goes on with a copy. */
  edit(change: { node: string; slot: number | null; key: string | null; how: string; value: number }): void {
    this.post({ type: "edit", ...change });
  }

  /** The picture of a group of a big graph; null: there is none; undefined: not asked for, or on its way. */
  layoutOf(group: string): Layout | null | undefined {
    return this.layouts.get(group);
  }

  askLayout(id: string): void {
    if (!this.layouts.has(id)) this.post({ type: "group", id });
  }

  /** Is this a page without a kernel? */
  get onPage(): boolean {
    return Boolean(this.model.get("page"));
  }

  /** Asks for a file; it comes as a message of its own. */
  save(what: string): void {
    this.post({ type: "save", what });
  }

  /** Is the learner warned where a second derivative loses something? */
  get warns(): boolean {
    return Boolean(this.model.get("warnings"));
  }

  warn(on: boolean): void {
    this.model.set("warnings", on);
    this.attempt(() => this.model.save_changes());
  }

  /** On to the pass of a leaf's gradient. */
  second(leaf: string): void {
    this.refused = [];
    this.post({ type: "second", leaf });
  }

  /** Back to the pass that a copy was made from. */
  undo(): void {
    this.post({ type: "undo" });
  }

  private post(message: object): void {
    this.attempt(() => this.line.send(message));
  }

  /** After a restart there is no kernel that would know of this pass; that is said, and nothing is thrown. */
  private attempt(speak: () => void): void {
    try {
      speak();
    } catch {
      this.asked = null;
      this.refused = [{ id: "refused.gone" }];
      this.onChange("refused");
    }
  }

  close(): void {
    for (const [event, listener] of this.listeners) this.model.off(event, listener);
    this.listeners.length = 0;
    this.line.close();
  }

  private listen(event: string, listener: (...args: never[]) => void): void {
    this.model.on(event, listener);
    this.listeners.push([event, listener]);
  }

  private headChanged(what: Change = "head"): void {
    if (what === "head") this.layouts.clear();
    this.scene = new Scene(unpack(this.model.get("_head") as Record<string, unknown>) as unknown as Head);
    this.catalogue = this.makeCatalogue();
    this.onChange(what);
  }

  private makeCatalogue(): Catalogue {
    const messages = (this.model.get("messages") ?? {}) as Record<string, string>;
    return new Catalogue(messages, String(this.model.get("language") ?? "en"), this.scene.names());
  }

  private receive(message: Message): void {
    if (message?.type === "states" && Array.isArray(message.states)) {
      if (Number(message.from) === 0) this.asked = null; // another pass: nothing is under way in it
      this.folder.put(Number(message.from), message.states as Partial<State>[]);
      this.onChange("state");
    } else if (message?.type === "layout") {
      const { group, layout } = message as { group?: unknown; layout?: Layout | null };
      this.layouts.set(String(group), layout ?? null);
      this.onChange("state");
    } else if (message?.type === "file") {
      const { name, mime, text } = message as { name?: unknown; mime?: unknown; text?: unknown };
      download(String(name), String(mime), String(text));
    } else if (message?.type === "refused" && Array.isArray(message.say)) {
      this.asked = null;
      this.refused = message.say as Sentence[];
      this.onChange("refused");
    }
  }
}
