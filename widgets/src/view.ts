// The view as a whole: makes the panels, hands each the state to draw, and turns keys and buttons into requests.

import type { AnyModel } from "./anywidget";
import { askButton, AskPanel, tally } from "./ask";
import { BreakPanel } from "./breaks";
import type { Frame } from "./frame";
import { frameOf, isAhead, looksOther } from "./frames";
import { type Child, h, set, visible } from "./dom";
import { Extras } from "./extras";
import { GateBar } from "./gate";
import { GraphPane } from "./graph";
import { Inspector } from "./inspector";
import { listenToKeys } from "./keys";
import { Leaves } from "./leaves";
import { Legend } from "./legend";
import { fonts } from "./measure";
import { Menu } from "./menu";
import { markMoment, momentSentence } from "./moments";
import { Notices } from "./notice";
import { nextNumber } from "./numbering";
import { Runner } from "./runner";
import { type Change, Session } from "./session";
import { Strip } from "./strip";
import { TimeLine } from "./timeline";
import { type Actions, Toolbar } from "./toolbar";
import { Tour, tourText } from "./tour";
import { wholeText } from "./whole_text";

const FASTEST_WITH_MOTION = 4;

export class StepperView {
  readonly element = h("div", { class: "ad", tabindex: -1, role: "region" });
  private readonly session: Session;
  private readonly runner: Runner;
  private toolbar!: Toolbar;
  private readonly menu: Menu;
  private readonly tour: Tour;
  private readonly breaks = new BreakPanel({
    toggle: (point) => this.session.toggleBreak(point),
    remove: (index) => this.session.removeBreak(index),
  });
  private readonly ask = new AskPanel({
    answer: (text) => this.session.predict({ type: "answer", text }),
    reveal: () => this.session.predict({ type: "reveal" }),
    forget: () => this.session.predict({ type: "forget" }),
  });
  private askButton: HTMLButtonElement | null = null;
  private readonly notices = new Notices(() => this.session.repair());
  private readonly gate = new GateBar((what) => this.session.tell(what));
  private readonly timeline: TimeLine;
  private readonly say = h("div", { class: "say", "aria-live": "polite" });
  /** Speaks the sentence while the text form hides the panels. */
  private readonly voice = h("div", { class: "unseen", "aria-live": "polite" });
  private readonly strip: Strip;
  private readonly graph: GraphPane;
  private readonly leaves = new Leaves();
  private readonly inspector: Inspector;
  private readonly legend = new Legend();
  private readonly text = h("pre", { class: "textform", tabindex: 0, hidden: true });
  private readonly body = h("div", { class: "body" });
  private readonly panes = h("div", { class: "panes" });
  private readonly extras: Extras;
  private readonly stopKeys: () => void;
  private readonly resized: ResizeObserver;
  private readonly number = nextNumber();
  private selected: string | null = null;
  private last: Frame | null = null;
  private built: unknown = null;

  constructor(model: AnyModel, prefix: string) {
    this.menu = new Menu((name, value) => this.session.option(name, value), prefix);
    this.tour = new Tour(this.element, () => this.toggleTour(false));
    this.timeline = new TimeLine(
      (position) => this.session.delta(position)?.events ?? [],
      (position) => this.jump(position),
    );
    this.graph = new GraphPane(prefix, (node) => this.select(node));
    this.strip = new Strip(this.graph.zoom);
    this.inspector = new Inspector(
      () => this.select(null),
      () => this.stepInto(),
    );
    this.session = new Session(model, (what) => this.changed(what));
    this.extras = new Extras(
      this.session,
      (position) => this.jump(position),
      () => this.redraw(),
      prefix,
      (node) => this.select(node),
    );
    this.runner = new Runner(this.session, () => this.redraw());
    this.assemble();
    this.stopKeys = listenToKeys(this.element, this.keyActions());
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(this.element);
    this.redraw();
  }

  destroy(): void {
    this.runner.pause();
    this.graph.finish();
    this.resized.disconnect();
    this.stopKeys();
    this.session.close();
    this.element.remove();
  }

  private assemble(): void {
    const { catalogue } = this.session;
    this.element.setAttribute("aria-label", this.name());
    this.text.setAttribute("aria-label", catalogue.text("ui.button.text"));
    this.toolbar = new Toolbar(catalogue, this.toolbarActions(), this.runner.speed);
    const asks = () => this.session.asking.open !== undefined;
    this.askButton = askButton(catalogue, () => this.session.predict({ type: "ask", on: !asks() }));
    this.toolbar.add(this.askButton, ...this.extras.buttons(catalogue));
    const left = h("div", { class: "left" });
    const { groups, clinic } = this.extras;
    const stage = h("div", { class: "stage" }, groups.element, this.graph.element, clinic.listing);
    left.append(this.say, this.strip.element, stage);
    left.append(...this.extras.below, this.leaves.element);
    set(this.panes, left, this.inspector.element);
    set(this.body, this.timeline.element, this.extras.memory.element, this.panes, this.legend.element);
    const bars = [this.toolbar.element, this.gate.element, this.menu.element, this.breaks.element];
    const above = [this.tour.element, ...this.extras.above, this.notices.element];
    above.push(this.extras.clinic.words, this.ask.element);
    set(this.element, ...bars, ...above, this.body, this.text, this.voice);
  }

  /** The view's name for a screen reader: what is stepped, and a number where the page has several views. */
  private name(): string {
    const { catalogue, scene } = this.session;
    const root = scene.head.root ? `: ${visible(scene.head.root)}` : "";
    return `${catalogue.text("ui.view")}${root}${this.number > 1 ? `, ${this.number}` : ""}`;
  }

  private toolbarActions(): Actions {
    return {
      step: () => this.step(),
      back: () => this.back(),
      reset: () => this.jump(0),
      run: () => this.run(),
      speed: (perSecond) => (this.runner.speed = perSecond),
      mode: (events) => this.setMode(events),
      breaks: () => this.toggleBreaks(!this.breaks.open),
      text: () => this.toggleText(),
      tour: () => this.toggleTour(!this.tour.open),
      menu: () => this.toggleMenu(!this.menu.open),
    };
  }

  private changed(what: Change): void {
    if (what === "head") this.selected = null;
    if (what === "words") delete this.say.dataset.step; // the same moment in other words
    if (what === "words" && this.toolbar) this.assemble();
    this.redraw();
  }

  private frame(): Frame | null {
    if (!this.session?.ready) return null;
    return frameOf(this.session, this.selected, fonts(this.element));
  }

  /** Draws the current state; a single step forward lets its gradients ride. */
  private redraw(): void {
    const frame = this.frame();
    if (!frame || !this.toolbar) return;
    const before = this.last;
    this.last = this.extras.groups.picture(frame);
    this.draw(before, this.last);
    this.panels({ ...frame, near: this.extras.groups.near(frame) });
  }

  /** The picture: of the whole graph, or of the group that is open. */
  private draw(before: Frame | null, frame: Frame): void {
    const { groups } = this.extras;
    this.graph.element.hidden = this.graph.zoom.hidden = !groups.element.hidden && !groups.hasPicture;
    if (this.built !== frame.scene) {
      this.built = frame.scene;
      this.graph.build(frame);
      this.graph.update(frame);
    } else if (before && isAhead(before, frame) && this.motion()) this.graph.play(before, frame);
    else if (looksOther(before, frame)) {
      this.graph.finish();
      this.graph.update(frame);
    }
  }

  private panels(frame: Frame): void {
    this.toolbar.update(frame, {
      running: this.runner.running,
      text: !this.text.hidden,
      events: this.session.byEvents,
      breaks: this.breaks.open,
      asked: this.session.openQuestions.length > 0,
      tally: tally(this.session.asking, frame.catalogue),
      tour: this.tour.open,
      menu: this.menu.open,
    });
    this.gate.update(frame.catalogue, this.session.waiting);
    this.menu.update(frame);
    this.notices.update(frame, this.session.refused, this.session.halt);
    this.breaks.update(frame, frame.breaks);
    this.ask.update(this.session.asking, this.session.openQuestions, frame.scene, frame.catalogue);
    this.askButton?.setAttribute("aria-pressed", String(this.session.asking.open !== undefined));
    const moment = `${frame.position} ${frame.event} ${frame.state.end ?? ""}`;
    const sentence = this.sentence(frame);
    this.say.hidden = sentence.length === 0;
    if (this.say.dataset.step !== moment) set(this.say, h("p", {}, ...sentence));
    this.say.dataset.step = moment;
    this.voice.textContent = this.text.hidden ? "" : this.say.textContent;
    this.strip.update(frame);
    this.timeline.update(frame);
    this.leaves.update(frame);
    this.inspector.update(frame);
    markMoment(this.inspector.element, frame);
    this.legend.update(frame, this.session.words());
    this.panes.hidden = this.extras.memoryOpen;
    this.extras.update(frame);
    if (!this.text.hidden) this.drawText(frame);
    this.tour.update(frame.catalogue);
  }

  /** What the step did, or, inside a step, its last event. */
  private sentence(frame: Frame): Child[] {
    if (frame.state.error) return [];
    if (frame.state.part) return momentSentence(frame, this.session.stateBefore());
    return frame.catalogue.sentences(frame.state.say);
  }

  private drawText(frame: Frame): void {
    const text = wholeText(frame, this.session, this.extras);
    this.text.textContent = this.tour.open ? `${text}\n${tourText(frame.catalogue)}\n` : text;
  }

  private motion(): boolean {
    return (
      this.text.hidden &&
      !(this.runner.running && (this.runner.speed === 0 || this.runner.speed > FASTEST_WITH_MOTION))
    );
  }

  private resize(): void {
    this.graph.resize();
    if (this.last) this.timeline.update(this.last);
  }

  /** An open question comes before the next step. */
  private questionFirst(): boolean {
    if (this.session.openQuestions.length === 0) return false;
    this.ask.focus();
    return true;
  }

  private run(): void {
    if (!this.questionFirst()) this.runner.toggle();
  }

  private step(): void {
    this.runner.pause();
    if (this.questionFirst()) return;
    this.graph.finish();
    this.session.step();
  }

  private back(): void {
    this.runner.pause();
    this.session.back();
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

  /** Node by node, or event by event. */
  private setMode(events: boolean): void {
    this.session.byEvents = events;
    if (!events && this.session.event >= 0) this.session.jump(this.session.position);
    this.redraw();
  }

  /** Into the lines of a custom backward: event by event from here. */
  private stepInto(): void {
    this.setMode(true);
    this.step();
    this.toolbar.focusStep();
  }

  private breakHere(): void {
    const value = this.last?.shown;
    if (value) this.session.toggleBreak({ kind: "node", value });
  }

  private toggleBreaks(open: boolean): void {
    if (!this.last) return;
    this.breaks.show(open, this.last, this.session.breaks);
    if (!open) this.toolbar.breaksButton.focus();
    this.redraw();
  }

  private toggleText(): void {
    this.text.hidden = !this.text.hidden;
    this.body.hidden = !this.text.hidden;
    this.redraw();
  }

  private toggleTour(open: boolean): void {
    this.tour.show(open, this.session.catalogue);
    if (!open) this.toolbar.element.querySelector<HTMLElement>("[aria-pressed]")?.focus();
    this.redraw();
  }

  private toggleMenu(open: boolean): void {
    if (!this.last) return;
    this.menu.show(open, this.last);
    if (!open) this.toolbar.menuButton.focus();
    this.redraw();
  }

  private keyActions() {
    return {
      forward: () => this.step(),
      back: () => this.back(),
      run: () => this.run(),
      reset: () => this.jump(0),
      text: () => this.toggleText(),
      mode: () => this.setMode(!this.session.byEvents),
      break: () => this.breakHere(),
      first: () => this.jump(0),
      last: () => this.jump(this.session.count - 1),
      node: (by: number) => this.graph.moveFocus(by),
      zoom: (key: string) => this.graph.zoomKey(key),
      escape: () => this.escape(),
      other: (key: string) => this.extras.key(key),
    };
  }

  /** Closes what is open, innermost first; then lets go of the chosen node. */
  private escape(): boolean {
    if (this.extras.escape()) return true;
    if (this.menu.open) this.toggleMenu(false);
    else if (this.breaks.open) this.toggleBreaks(false);
    else if (this.tour.open) this.toggleTour(false);
    else if (this.selected !== null) this.select(null);
    else return false;
    return true;
  }
}
