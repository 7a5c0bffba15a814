// The way to the second pass, once a pass with create_graph is over, and the banner over that second pass.

import { h, set, visible } from "./dom";
import type { Frame } from "./frame";
import { icon } from "./icons";
import type { RecordNode } from "./record";
import type { Session } from "./session";

export class SecondPanel {
  readonly element = h("div");
  private drawn = "";

  constructor(private readonly session: Session) {}

  update(frame: Frame): void {
    const { head } = frame.scene;
    const leaves = this.offers(frame);
    const key = JSON.stringify([
      head.second_of,
      leaves.map((leaf) => leaf.id),
      frame.catalogue.text("ui.second"),
    ]);
    if (key === this.drawn) return;
    this.drawn = key;
    set(
      this.element,
      head.second_of !== undefined && this.banner(frame),
      leaves.length > 0 && this.offer(leaves, frame),
    );
  }

  /** Leaves whose gradient has a graph, at the end of a pass that made one. */
  private offers(frame: Frame): RecordNode[] {
    const { state, scene } = frame;
    if (this.session.onPage || state.end !== "ok" || !scene.head.options.live) return [];
    if (Object.keys(state.second ?? {}).length === 0 || scene.head.engine !== "autodidact") return [];
    return scene.head.nodes.filter((node) => node.kind === "leaf" && state.grads[node.id]?.value);
  }

  private offer(leaves: RecordNode[], frame: Frame): HTMLElement {
    const { catalogue, scene } = frame;
    const buttons = leaves.map((leaf) =>
      this.button(catalogue.text("ui.second.step", { who: scene.name(leaf.id) }), () =>
        this.session.second(leaf.id),
      ),
    );
    const words = h("p", {}, catalogue.text("ui.second.ready"));
    return h(
      "div",
      { class: "notice calm second-offer" },
      icon("into", "c-2"),
      words,
      h("div", {}, ...buttons),
    );
  }

  private banner(frame: Frame): HTMLElement {
    const { catalogue, scene } = frame;
    const args = {
      who: visible(scene.head.root ?? catalogue.text("title.output")),
      root: visible(scene.head.second_of ?? "-"),
    };
    const back = this.session.onPage
      ? null
      : this.button(catalogue.text("ui.second.back"), () => this.session.undo());
    const text = h("p", {}, catalogue.text("ui.second.banner", args));
    return h("div", { class: "notice calm", role: "status" }, icon("into", "c-2"), text, back);
  }

  private button(words: string, action: () => void): HTMLElement {
    const made = h("button", { type: "button", class: "btn line" }, words);
    made.addEventListener("click", action);
    return made;
  }
}
