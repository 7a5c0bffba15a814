// Further views of the same pass, each behind a button of the bar: the memory view.

import { AgainPanel } from "./again";
import type { Catalogue } from "./catalogue";
import { CutPanel } from "./cuts";
import { h } from "./dom";
import { EndPanel } from "./ends";
import type { Frame } from "./frame";
import { Clinic } from "./clinic";
import { Groups } from "./groups";
import { icon, type IconName } from "./icons";
import { MemoryPanel } from "./memory";
import { memoryText } from "./memory_text";
import { SavePanel } from "./save";
import { SecondPanel } from "./second_panel";
import type { Session } from "./session";
import { FamilyPanel } from "./views";
import { WhatIf } from "./whatif";

export class Extras {
  /** Stands in the body beside the panes, which it hides while it is open. */
  readonly memory: MemoryPanel;
  /** Stands above the body: the editor of a what-if, and the banner of a copy. */
  readonly whatIf: WhatIf;
  private editButton: HTMLButtonElement | null = null;
  /** Stands in place of a picture that would be too large. */
  readonly groups: Groups;
  private readonly second: SecondPanel;
  readonly save = new SavePanel((what) => this.session.save(what));
  private saveButton: HTMLButtonElement | null = null;
  /** Panels above the body, and those under the picture: the view only puts them there. */
  readonly above: HTMLElement[];
  readonly below: HTMLElement[];
  /** What is wrong with a program, where something is. */
  readonly clinic: Clinic;
  private readonly families = new FamilyPanel();
  private readonly ends = new EndPanel();
  private readonly cuts: CutPanel;
  private readonly again = new AgainPanel();
  private memoryButton: HTMLButtonElement | null = null;

  constructor(
    private readonly session: Session,
    onJump: (position: number) => void,
    private readonly onChange: () => void,
    prefix: string,
    onSelect: (node: string) => void,
  ) {
    this.groups = new Groups(session, onSelect, onChange);
    this.whatIf = new WhatIf(session, onChange, prefix);
    this.memory = new MemoryPanel(session, onJump);
    this.second = new SecondPanel(session);
    this.cuts = new CutPanel(session);
    this.clinic = new Clinic(session);
    this.above = [this.whatIf.element, this.second.element, this.cuts.badge, this.save.element];
    this.below = [this.clinic.repairs, this.again.element, this.families.element];
    this.below.push(this.ends.element, this.cuts.element);
  }

  /** Fresh buttons for a bar in the catalogue's language. */
  buttons(catalogue: Catalogue): HTMLButtonElement[] {
    this.memoryButton = this.button(catalogue, "memory", () => this.toggleMemory());
    if (this.session.onPage) return [this.memoryButton];
    this.editButton = this.button(catalogue, "edit", () => this.whatIf.toggle());
    this.saveButton = this.button(catalogue, "save", () => this.toggleSave(catalogue));
    return [this.memoryButton, this.editButton, this.saveButton];
  }

  update(frame: Frame): void {
    this.memoryButton?.setAttribute("aria-pressed", String(this.memoryOpen));
    this.memory.update(frame);
    this.editButton?.setAttribute("aria-expanded", String(this.whatIf.editing));
    this.whatIf.update(frame);
    this.second.update(frame);
    this.clinic.update(frame);
    this.again.update(frame);
    this.families.update(frame);
    this.ends.update(frame);
    this.cuts.update(frame);
  }

  get memoryOpen(): boolean {
    return !this.memory.element.hidden;
  }

  toggleMemory(): void {
    this.memory.element.hidden = this.memoryOpen;
    this.onChange();
  }

  /** The text form of the view that is open; null: none of these is. */
  text(frame: Frame): string | null {
    return this.memoryOpen ? memoryText(frame, this.session) : null;
  }

  private toggleSave(catalogue: Catalogue): void {
    this.save.show(!this.save.open, catalogue);
    this.saveButton?.setAttribute("aria-expanded", String(this.save.open));
    if (!this.save.open) this.saveButton?.focus();
  }

  /** Escape: closes what is open; false: nothing was. */
  escape(): boolean {
    if (this.save.open) this.saveButton?.click();
    else if (this.whatIf.editing) this.whatIf.toggle();
    else return false;
    return true;
  }

  /** A key that only these views know; false: not mine. */
  key(key: string): boolean {
    if (key.toLowerCase() === "m") this.toggleMemory();
    else if (key.toLowerCase() === "e" && !this.session.onPage) this.whatIf.toggle();
    else if (key === "/" && !this.groups.element.hidden) this.groups.find();
    else return false;
    return true;
  }

  private button(catalogue: Catalogue, name: IconName, action: () => void): HTMLButtonElement {
    const label = catalogue.text(`ui.button.${name}`);
    const made = h(
      "button",
      { type: "button", class: "btn icon", "aria-label": label, title: label },
      icon(name),
    );
    made.addEventListener("click", action);
    return made;
  }
}
