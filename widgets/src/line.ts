// The way to the kernel: the widget's own messages, or, where a waiting cell keeps those waiting (JupyterLite), a
// channel of the browser that the kernel's worker listens on. It carries text: Pyodide's null is not Python's None.

import type { AnyModel } from "./anywidget";

export class Line {
  private channel: BroadcastChannel | null = null;

  constructor(private readonly model: AnyModel) {}

  send(message: object): void {
    const name = String(this.model.get("channel") ?? "");
    if (this.channel?.name !== name) this.close();
    if (name) (this.channel ??= new BroadcastChannel(name)).postMessage(JSON.stringify(message));
    else this.model.send(message);
  }

  close(): void {
    this.channel?.close();
    this.channel = null;
  }
}
