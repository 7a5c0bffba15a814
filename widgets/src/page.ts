// A page without kernel and network: the record lies in the page, and this model plays it.

import type { AnyModel } from "./anywidget";
import { unpack } from "./unpack";

/** The element of the page that holds the record as JSON. */
export const RECORD = "autodidact-record";

interface Saved {
  head: Record<string, unknown>;
  states: unknown[];
  position: number;
  messages: Record<string, unknown>;
  language: string;
  layouts?: Record<string, unknown>;
}

/** Stands for the kernel: it has all states, and nothing can be run or changed. */
class PageModel implements AnyModel {
  private readonly traits: Record<string, unknown>;
  private readonly listeners = new Map<string, Set<(...args: never[]) => void>>();

  constructor(private readonly saved: Saved) {
    const { head, states, position, messages, language } = saved;
    const count = states.length;
    this.traits = { _head: head, count, position, event: -1, done: true, messages, language, page: true };
  }

  get(name: string): unknown {
    return this.traits[name];
  }

  set(name: string, value: unknown): void {
    this.traits[name] = value;
    this.fire(`change:${name}`);
  }

  save_changes(): void {}

  send(message: unknown): void {
    queueMicrotask(() => this.fire("msg:custom", this.answer(message as { type?: unknown; id?: unknown })));
  }

  private answer({ type, id }: { type?: unknown; id?: unknown }): unknown {
    if (type === "hello") return { type: "states", from: 0, states: this.saved.states };
    if (type === "group")
      return { type: "layout", group: id, layout: this.saved.layouts?.[String(id)] ?? null };
    return { type: "refused", say: [{ id: "refused.page", args: {} }] };
  }

  on(event: string, listener: (...args: never[]) => void): void {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event)!.add(listener);
  }

  off(event: string, listener: (...args: never[]) => void): void {
    this.listeners.get(event)?.delete(listener);
  }

  private fire(event: string, ...args: unknown[]): void {
    for (const listener of [...(this.listeners.get(event) ?? [])])
      (listener as (...all: unknown[]) => void)(...args);
  }
}

/** Shows the record that lies in this page. */
export function playPage(render: (context: { model: AnyModel; el: HTMLElement }) => unknown): void {
  const element = document.getElementById(RECORD);
  const place = document.getElementById("stepper");
  if (!element || !place) return;
  const data = JSON.parse(element.textContent ?? "{}") as Record<string, unknown> & {
    record: Record<string, unknown>;
  };
  const { states, ...head } = unpack(data.record) as { states: unknown[] };
  place.replaceChildren();
  const model = new PageModel({ ...(data as unknown as Saved), head, states });
  render({ model, el: place });
}
