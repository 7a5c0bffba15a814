// Runs side by side: one bar, one time line, a picture for each run, and the list of differences.

import type { AnyModel } from "./anywidget";
import { CompareBar } from "./compare_bar";
import { CompareSession, type Difference } from "./compare_session";
import { drawDifferences, drawGrads } from "./compare_tables";
import { compareText } from "./compare_text";
import { Tracks } from "./compare_tracks";
import { code, h, set } from "./dom";
import type { Frame } from "./frame";
import { GraphPane } from "./graph";
import { icon, STATUS_ICON } from "./icons";
import { listenToKeys } from "./keys";
import { fonts } from "./measure";
import type { Arg } from "./record";
import { Runner } from "./runner";

/** One run's half: its heading and its picture. */
interface Half {
  heading: HTMLElement;
  graph: GraphPane;
  last: Frame | null;
}

export class CompareView {
  readonly element = h("div", { class: "ad compare", tabindex: -1, role: "region" });
  private readonly session: CompareSession;
  private readonly runner: Runner;
  private readonly tracks: Tracks;
  private readonly halves: Half[];
  private readonly say = h("div", { class: "say", "aria-live": "polite" });
  private readonly grads = h("div", { class: "leaves" });
  private readonly list = h("div", { class: "leaves differences" });
  private readonly text = h("pre", { class: "textform", tabindex: 0, hidden: true });
  private readonly voice = h("div", { class: "unseen", "aria-live": "polite" });
  private readonly body = h("div", { class: "body" });
  private bar!: CompareBar;
  private selected: string | null = null;
  private readonly stopKeys: () => void;
  private readonly resized: ResizeObserver;

  constructor(model: AnyModel, prefix: string) {
    this.tracks = new Tracks((position) => this.jump(position));
    this.session = new CompareSession(model, (what) => this.changed(what));
    this.runner = new Runner(this.session, () => this.redraw());
    this.halves = this.session.labels.map((_, run) => ({
      heading: h("div", { class: "half-head" }),
      graph: new GraphPane(`${prefix}${run}-`, (node) => this.select(node)),
      last: null,
    }));
    this.assemble();
    this.stopKeys = listenToKeys(this.element, this.keyActions());
    this.resized = new ResizeObserver(() => this.halves.forEach((half) => half.graph.resize()));
    this.resized.observe(this.element);
    this.redraw();
  }

  destroy(): void {
    this.runner.pause();
    this.halves.forEach((half) => half.graph.finish());
    this.resized.disconnect();
    this.stopKeys();
    this.session.close();
    this.element.remove();
  }

  private assemble(): void {
    const { catalogue } = this.session;
    this.element.setAttribute("aria-label", catalogue.text("ui.compare.view"));
    this.text.setAttribute("aria-label", catalogue.text("ui.button.text"));
    this.bar = new CompareBar(catalogue, {
      reset: () => this.jump(0),
      back: () => this.back(),
      step: () => this.step(),
      run: () => this.runner.toggle(),
      text: () => this.toggleText(),
    });
    const halves = this.halves.map((half) => h("div", { class: "half" }, half.heading, half.graph.element));
    set(
      this.body,
      this.tracks.element,
      this.say,
      h("div", { class: "halves" }, ...halves),
      this.grads,
      this.list,
    );
    set(this.element, this.bar.element, this.body, this.text, this.voice);
  }

  private changed(what: "state" | "words"): void {
    if (what === "words" && this.bar) this.assemble();
    this.redraw();
  }

  private redraw(): void {
    const { session } = this;
    if (!session?.ready || !this.bar) return;
    const { catalogue, position } = session;
    const place = session.places[position]!;
    this.bar.update(catalogue, {
      start: position === 0,
      end: session.atEnd,
      running: this.runner.running,
      text: !this.text.hidden,
      count: catalogue.text("ui.count", { done: place.steps, total: place.total }),
    });
    this.tracks.update(session);
    this.halves.forEach((half, run) => this.draw(half, run));
    const rows = session.rows();
    this.sentence(rows);
    drawGrads(this.grads, this.session);
    drawDifferences(this.list, this.session, rows);
    if (!this.text.hidden) this.text.textContent = compareText(session);
  }

  private draw(half: Half, run: number): void {
    const frame = this.frame(run);
    const before = half.last;
    half.last = frame;
    if (before?.scene !== frame.scene) half.graph.build(frame);
    else if (frame.position === before.position + 1 && this.motion())
      return this.ride(half, run, before, frame);
    half.graph.finish();
    half.graph.update(frame);
    this.head(half, run, frame);
  }

  private ride(half: Half, run: number, before: Frame, frame: Frame): void {
    half.graph.play(before, frame);
    this.head(half, run, frame);
  }

  private head(half: Half, run: number, frame: Frame): void {
    const { catalogue } = frame;
    const { state } = frame;
    const failed = state.error?.node ?? null;
    const [name, tone] = STATUS_ICON[failed ? "failed" : state.end ? "done" : "next"]!;
    const word = failed
      ? catalogue.text("ui.compare.stopped", { who: frame.scene.name(failed) })
      : state.end
        ? catalogue.text("ui.compare.finished")
        : catalogue.text("ui.compare.next", { who: frame.scene.name(state.next) });
    set(
      half.heading,
      code(this.session.labels[run]!, 40),
      h(
        "span",
        { class: "quiet" },
        catalogue.text("title.pass", { root: frame.scene.head.root ?? catalogue.text("title.output") }),
      ),
      h("span", { class: "gap" }),
      h("span", { class: failed ? "how bad" : "how" }, icon(name, tone), word),
    );
  }

  private frame(run: number): Frame {
    const { session } = this;
    const { pass, index } = session.here(run);
    const state = session.state(run);
    const known = this.selected !== null && pass.scene.nodes.has(this.selected);
    return {
      scene: pass.scene,
      catalogue: session.catalogue,
      fonts: fonts(this.element),
      state,
      event: -1,
      breaks: [],
      first: pass.folder.raw(0) as Frame["first"],
      position: index,
      count: pass.folder.length,
      total: pass.scene.head.nodes.length,
      done: session.done,
      selected: known ? this.selected : null,
      shown: known ? this.selected : (state.error?.node ?? state.next ?? state.ran),
      near: null,
      ran: [],
    };
  }

  /** What differs here; where nothing new does, what the first difference was. */
  private sentence(rows: Difference[]): void {
    const { catalogue, position } = this.session;
    const here = rows.filter((row) => row.place === position);
    const pieces = (row: Difference, id: string) =>
      catalogue.pieces(id, {
        where: row.at,
        what: row.cells.map((cell, run) => [this.session.labels[run]!, cell]),
      } as Record<string, Arg>);
    const first = rows[0];
    const words = here.length
      ? here.flatMap((row, k) => [
          k > 0 && " ",
          ...pieces(row, row === first ? "ui.compare.first" : "ui.compare.here"),
        ])
      : first
        ? pieces(first, "ui.compare.before")
        : [catalogue.text("compare.alike")];
    set(this.say, h("p", {}, ...words));
    this.voice.textContent = this.text.hidden ? "" : this.say.textContent;
  }

  private motion(): boolean {
    return this.text.hidden && !(this.runner.running && (this.runner.speed === 0 || this.runner.speed > 4));
  }

  private step(): void {
    this.runner.pause();
    this.halves.forEach((half) => half.graph.finish());
    this.session.step();
  }

  private back(): void {
    this.jump(this.session.position - 1);
  }

  private jump(position: number): void {
    this.runner.pause();
    this.session.jump(position);
  }

  private select(node: string | null): void {
    if (node === this.selected) return;
    this.selected = node;
    this.redraw();
  }

  private toggleText(): void {
    this.text.hidden = !this.text.hidden;
    this.body.hidden = !this.text.hidden;
    this.redraw();
  }

  private keyActions() {
    return {
      forward: () => this.step(),
      back: () => this.back(),
      run: () => this.runner.toggle(),
      reset: () => this.jump(0),
      text: () => this.toggleText(),
      first: () => this.jump(0),
      last: () => this.jump(this.session.count - 1),
      node: (by: number) => this.halves.some((half) => half.graph.moveFocus(by)),
      zoom: (key: string) => this.halves.map((half) => half.graph.zoomKey(key)).some(Boolean),
      mode: () => undefined,
      escape: () => {
        if (this.selected === null) return false;
        this.select(null);
        return true;
      },
    };
  }
}
