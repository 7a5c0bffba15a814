// Saving: the page that replays the record, the picture, the record itself. The kernel writes them, the browser keeps them.

import type { Catalogue } from "./catalogue";
import { h, set } from "./dom";

const KINDS = ["html", "svg", "json"] as const;

export class SavePanel {
  readonly element = h("div", { class: "panel save", hidden: true });

  constructor(private readonly onAsk: (what: string) => void) {}

  get open(): boolean {
    return !this.element.hidden;
  }

  show(open: boolean, catalogue: Catalogue): void {
    this.element.hidden = !open;
    if (!open) return;
    const buttons = KINDS.map((kind) => {
      const button = h("button", { type: "button", class: "btn line" }, catalogue.text(`ui.save.${kind}`));
      button.addEventListener("click", () => this.onAsk(kind));
      return button;
    });
    set(this.element, h("h4", {}, catalogue.text("ui.save.title")), h("div", { class: "line" }, ...buttons));
    buttons[0]!.focus();
  }
}

/** Hands a file to the browser's own way of saving. */
export function download(name: string, mime: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mime }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
