// What comes from the kernel. JupyterLite's kernel loses every null on the way, so what may hold one comes from there
// as JSON text (`autodidact_widgets/wire.py`); the rest of the view need not know.

import type { AnyModel } from "./anywidget";

type Listener = (...args: never[]) => void;

const read = new WeakMap<object, unknown>(); // a trait is asked for at every redraw

function heard(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { json } = value as { json?: unknown };
  if (typeof json !== "string") return value;
  if (!read.has(value)) read.set(value, JSON.parse(json));
  return read.get(value);
}

/** The model, whose traits and messages are plain data wherever the kernel runs. */
export class Wire implements AnyModel {
  private readonly listeners = new Map<Listener, Listener>();

  constructor(private readonly model: AnyModel) {}

  get(name: string): unknown {
    return heard(this.model.get(name));
  }

  set(name: string, value: unknown): void {
    this.model.set(name, value);
  }

  save_changes(): void {
    this.model.save_changes();
  }

  send(message: unknown): void {
    this.model.send(message);
  }

  on(event: string, listener: Listener): void {
    const own: Listener = (...args) => listener(...(args.map(heard) as never[]));
    this.listeners.set(listener, own);
    this.model.on(event, own);
  }

  off(event: string, listener: Listener): void {
    this.model.off(event, this.listeners.get(listener) ?? listener);
    this.listeners.delete(listener);
  }
}
