// Which states of nodes and entries, and which kinds of events, occur in a record: gathered as the record grows.

import type { Folder } from "./fold";

export class Seen {
  private words = new Set<string>();
  private deltas: unknown[] = [];

  /** All that occur in the states so far; a record that was begun anew is gathered anew. */
  upTo(folder: Folder): Set<string> {
    const last = this.deltas.length - 1;
    if (last >= 0 && (this.deltas[0] !== folder.raw(0) || this.deltas[last] !== folder.raw(last))) {
      this.words = new Set();
      this.deltas = [];
    }
    for (let k = this.deltas.length; k < folder.length; k++) {
      const delta = folder.raw(k) ?? {};
      for (const status of Object.values(delta.status ?? {})) this.words.add(status);
      for (const saved of Object.values(delta.saved ?? {}))
        this.words.add(saved.packed?.place === "absent" ? "absent" : saved.state);
      for (const event of delta.events ?? []) this.words.add(event.kind);
      this.deltas.push(delta);
    }
    return this.words;
  }
}
