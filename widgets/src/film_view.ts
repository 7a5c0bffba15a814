// A training film: the loss over all training steps, the gradients' norms, and one step's parts on a time line.

import type { AnyModel } from "./anywidget";
import { CompareBar } from "./compare_bar";
import { code, h, reachableWhenWide, s, set, visible } from "./dom";
import { icon } from "./icons";
import { type FilmFrame, FilmSession, PARTS } from "./film_session";
import { listenToKeys } from "./keys";
import { nextNumber } from "./numbering";
import { Runner } from "./runner";

const WIDTH = 800;
const HEIGHT = 96;
const MOST_COLUMNS = 120;
const NUMBERS = ["before", "grad", "change", "after"] as const;

export class FilmView {
  readonly element = h("div", { class: "ad film", tabindex: -1, role: "region" });
  private readonly session: FilmSession;
  private readonly runner: Runner;
  private readonly curve = h("div", { class: "film-curve" });
  private readonly slider = h("input", { type: "range", min: 0, step: 1, class: "film-slider" });
  private readonly parts = h("div", { class: "film-parts" });
  private readonly time = h("div", { class: "film-time" });
  private readonly say = h("div", { class: "say", "aria-live": "polite" });
  private readonly heat = h("div", { class: "film-heat" });
  private readonly table = h("div", { class: "leaves" });
  private readonly named = reachableWhenWide(this.table);
  private readonly text = h("pre", { class: "textform", tabindex: 0, hidden: true });
  private readonly body = h("div", { class: "body" });
  private readonly number = nextNumber();
  private bar!: CompareBar;
  private readonly stopKeys: () => void;

  constructor(model: AnyModel, _prefix: string) {
    this.session = new FilmSession(model, (what) => this.changed(what));
    this.runner = new Runner(this.session, () => this.redraw());
    this.runner.speed = 4;
    this.slider.max = String(this.session.head.frames.length - 1);
    this.slider.addEventListener("input", () => this.toFrame(Number(this.slider.value)));
    this.assemble();
    this.stopKeys = listenToKeys(this.element, this.keyActions());
    this.redraw();
  }

  destroy(): void {
    this.runner.pause();
    this.stopKeys();
    this.session.close();
    this.element.remove();
  }

  private assemble(): void {
    const { catalogue } = this.session;
    const number = this.number > 1 ? `, ${this.number}` : "";
    this.element.setAttribute("aria-label", catalogue.text("ui.film.view") + number);
    this.text.setAttribute("aria-label", catalogue.text("ui.button.text"));
    this.slider.setAttribute("aria-label", catalogue.text("ui.film.slider"));
    this.bar = new CompareBar(catalogue, {
      reset: () => this.jump(0),
      back: () => this.jump(this.session.position - 1),
      step: () => this.step(),
      run: () => this.runner.toggle(),
      text: () => this.toggleText(),
    });
    if (!this.session.onPage) this.bar.add(this.saveButton());
    set(this.body, this.curve, this.slider, this.parts, this.time, this.say, this.table, this.heat);
    set(this.element, this.bar.element, this.body, this.text);
  }

  private saveButton(): HTMLElement {
    const label = this.session.catalogue.text("ui.film.save");
    const button = h(
      "button",
      { type: "button", class: "btn icon", "aria-label": label, title: label },
      icon("save"),
    );
    button.addEventListener("click", () => this.session.save());
    return button;
  }

  private changed(what: "state" | "words"): void {
    if (what === "words" && this.bar) this.assemble();
    this.redraw();
  }

  private redraw(): void {
    const { session } = this;
    if (!session?.ready || !this.bar) return;
    const { catalogue, position, place, frame } = session;
    this.bar.update(catalogue, {
      start: position === 0,
      end: session.atEnd,
      running: this.runner.running,
      text: !this.text.hidden,
      count: place.title,
    });
    this.slider.value = String(place.frame);
    this.slider.setAttribute("aria-valuetext", catalogue.text("film.at", { step: frame.step }));
    set(this.curve, this.lossCurve());
    set(this.parts, ...this.partButtons());
    this.drawTime();
    set(this.say, h("p", {}, ...this.sentence()));
    set(this.table, this.parameters());
    this.named(catalogue.text("ui.film.parameters"));
    set(this.heat, this.norms());
    if (!this.text.hidden) this.text.textContent = session.text();
  }

  /** The loss of every training step, with the numbers that belong to it. */
  private lossCurve(): HTMLElement {
    const { head, catalogue, frame } = this.session;
    const { frames } = head;
    const known = frames.flatMap(({ loss }) => (typeof loss === "number" ? [loss] : []));
    const top = Math.max(...known, Number.MIN_VALUE);
    const low = Math.min(...known, top);
    const label = catalogue.text("ui.film.curve", {
      n: frames.length,
      first: frames[0]!.loss_text,
      last: frames[frames.length - 1]!.loss_text,
      now: frame.loss_text,
    });
    const at = (place: string, value: number) =>
      h("span", { class: "film-y", style: place }, known.length ? value.toPrecision(3) : "-");
    const word = catalogue.text("film.loss");
    return h(
      "div",
      { class: "film-loss", role: "img", "aria-label": label },
      this.line(low, top),
      at("top:0", top),
      at("bottom:0", low),
      h("span", { class: "film-word" }, word, " ", h("b", { class: "num" }, frame.loss_text)),
    );
  }

  /** The curve; the training step that is shown, and those that were recorded whole, marked. */
  private line(low: number, top: number): SVGElement {
    const { head, place } = this.session;
    const { frames } = head;
    const last = Math.max(1, frames.length - 1);
    const x = (k: number) => ((WIDTH * k) / last).toFixed(1);
    const y = (loss: number) => (HEIGHT - 8 - ((HEIGHT - 16) * (loss - low)) / (top - low || 1)).toFixed(1);
    const points = frames.flatMap(({ loss }, k) => (typeof loss === "number" ? [`${x(k)} ${y(loss)}`] : []));
    const whole = frames.flatMap((each, k) => (each.parts.length > 0 ? [k] : []));
    const picture = s(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      s("path", { class: "base", d: `M0 ${HEIGHT - 1}H${WIDTH}` }),
      ...whole.map((k) => s("path", { class: "whole", d: `M${x(k)} ${HEIGHT - 7}V${HEIGHT - 1}` })),
      points.length > 1 && s("path", { class: "line", d: `M${points.join("L")}` }),
      s("path", { class: "now", d: `M${x(place.frame)} 0V${HEIGHT}` }),
    );
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      this.toFrame(Math.round(((event.clientX - box.left) / (box.width || 1)) * last));
    });
    return picture;
  }

  /** Forward, loss, backward, optimizer: buttons that jump; the part that is shown is pressed. */
  private partButtons(): HTMLElement[] {
    const { catalogue, frame, place } = this.session;
    const group = h("div", {
      class: "film-group",
      role: "group",
      "aria-label": catalogue.text("ui.film.parts"),
    });
    for (const part of PARTS) {
      const count = frame.parts.filter((each) => each === part).length;
      const button = h(
        "button",
        { type: "button", class: "btn line", "aria-pressed": String(place.part === part) },
        catalogue.text(`film.part.${part}`),
        " ",
        h("span", { class: "quiet num" }, count),
      );
      button.setAttribute("aria-disabled", String(count === 0));
      button.addEventListener("click", () => this.session.toPart(part));
      group.append(button);
    }
    return [group];
  }

  /** One dot for each moment of the training step, the parts in brackets. */
  private drawTime(): void {
    const { catalogue, frame, place, places } = this.session;
    this.time.hidden = frame.parts.length === 0;
    const groups = PARTS.map((part) => {
      const dots = frame.parts.flatMap((each, k) => (each === part ? [this.dot(frame, k)] : []));
      const grow = `flex-grow:${Math.max(1, dots.length)}`;
      return h(
        "div",
        { class: part === place.part ? "film-bracket now" : "film-bracket", style: grow },
        h("span", { class: "quiet small" }, catalogue.text(`film.part.${part}`)),
        h("ol", { "aria-label": catalogue.text(`film.part.${part}`) }, ...dots),
      );
    });
    set(this.time, ...(places.length ? groups : []));
  }

  private dot(frame: FilmFrame, moment: number): HTMLElement {
    const { places, place } = this.session;
    const there = places[frame.first + moment];
    const kind = moment === place.moment ? "now" : moment < (place.moment ?? 0) ? "past" : "todo";
    const button = h("button", {
      type: "button",
      tabindex: -1,
      "aria-label": visible(`${moment + 1}: ${there?.who ?? "-"}`),
      title: visible(there?.who ?? "-"),
      "aria-current": kind === "now" ? "step" : null,
    });
    button.append(h("span", { class: "dot", "aria-hidden": "true" }));
    button.addEventListener("click", () => this.jump(frame.first + moment));
    return h("li", { class: kind }, button);
  }

  private sentence(): (Node | string | null)[] {
    const { catalogue, place, frame } = this.session;
    if (place.part === null) return [frame.rows[0] ?? place.title];
    if (place.say.length > 0) return catalogue.sentences(place.say) as (Node | string | null)[];
    const where = place.where ? h("span", { class: "quiet" }, `  ${visible(place.where)}`) : null;
    return [code(place.who ?? "-", 60), ": ", visible(place.happens), where];
  }

  /** Every parameter: its norm before, its gradient's, the change, the norm after. */
  private parameters(): HTMLElement {
    const { catalogue, frame, head, place } = this.session;
    const title = (id: string, number = false) =>
      h("th", { scope: "col", class: number ? "num" : null }, catalogue.text(`film.${id}`));
    const titles = h(
      "tr",
      {},
      title("parameter"),
      title("shape"),
      ...NUMBERS.map((name) => title(name, true)),
    );
    const rows = head.layers.map((layer, i) =>
      h(
        "tr",
        { class: place.layer === i || place.who === layer.name ? "is-shown" : null },
        h("th", { scope: "row" }, code(layer.name, 40)),
        h("td", { class: "quiet" }, layer.shape),
        ...frame.cells[i]!.map((cell) => h("td", { class: "num" }, cell)),
      ),
    );
    return h(
      "table",
      {},
      h("caption", { class: "unseen" }, catalogue.text("ui.film.parameters")),
      h("thead", {}, titles),
      h("tbody", {}, ...rows),
    );
  }

  /** A row for each parameter, a column for each training step, dark where the gradient is large. */
  private norms(): HTMLElement {
    const { catalogue, head, place } = this.session;
    const each = Math.max(1, Math.ceil(head.frames.length / MOST_COLUMNS));
    const columns = head.frames.map((_, k) => k).filter((k) => k % each === 0);
    const rows = head.layers.map((layer, i) => {
      const values = columns.map((k) => Number(head.frames[k]!.grads[i] ?? 0) || 0);
      const largest = Math.max(...values, Number.MIN_VALUE);
      const cells = values.map((value, column) =>
        s("rect", { x: column, y: 0, width: 1, height: 1, opacity: (value / largest).toFixed(3) }),
      );
      const now = Math.floor(place.frame / each);
      return h(
        "div",
        { class: "film-row" },
        code(layer.name, 24),
        s(
          "svg",
          { viewBox: `0 0 ${columns.length} 1`, preserveAspectRatio: "none" },
          ...cells,
          s("path", { class: "now", d: `M${now + 0.5} 0V1` }),
        ),
        h("span", { class: "num quiet" }, largest === Number.MIN_VALUE ? "-" : largest.toPrecision(3)),
      );
    });
    return h(
      "div",
      { role: "img", "aria-label": catalogue.text("ui.film.heat") },
      h(
        "div",
        { class: "film-row quiet small" },
        h("span", {}, catalogue.text("film.grad")),
        h("span", {}),
        h("span", { class: "num" }, catalogue.text("ui.film.largest")),
      ),
      ...rows,
    );
  }

  private step(): void {
    this.runner.pause();
    this.session.step();
  }

  private jump(position: number): void {
    this.runner.pause();
    this.session.jump(position);
  }

  private toFrame(index: number): void {
    this.runner.pause();
    this.session.toFrame(index);
  }

  private toggleText(): void {
    this.text.hidden = !this.text.hidden;
    this.body.hidden = !this.text.hidden;
    this.redraw();
  }

  private keyActions() {
    return {
      forward: () => this.step(),
      back: () => this.jump(this.session.position - 1),
      run: () => this.runner.toggle(),
      reset: () => this.jump(0),
      text: () => this.toggleText(),
      first: () => this.jump(0),
      last: () => this.jump(this.session.count - 1),
      node: (by: number) => {
        this.toFrame(this.session.place.frame + by);
        return true;
      },
      zoom: () => false,
      escape: () => false,
    };
  }
}
