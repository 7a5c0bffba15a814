// Folding: the states after the first are deltas, and the last value per key wins.

import type { State } from "./record";

const KEYED = [
  "status",
  "received",
  "total",
  "saved",
  "grads",
  "sent",
  "wrong",
  "hooks",
  "second",
  "versions",
  "cuts",
  "silent",
] as const;

// What belongs to its own state only, and is empty where a delta leaves it out.
const OWN = { predicted: {}, events: [], say: [], outside: [], error: null };

export const EMPTY: State = {
  step: 0,
  ran: null,
  next: null,
  end: null,
  status: {},
  received: {},
  total: {},
  saved: {},
  bytes: 0,
  grads: {},
  predicted: {},
  sent: {},
  events: [],
  say: [],
  error: null,
  outside: [],
};

/** The state after `delta`. What belongs to one state alone (events, sentences, ...) is never carried over. */
export function foldOne(before: State, delta: Partial<State>): State {
  const after: State = { ...before, ...OWN, clinic: undefined, ...delta };
  for (const key of KEYED) {
    (after as unknown as Record<string, unknown>)[key] = { ...(before[key] ?? {}), ...(delta[key] ?? {}) };
  }
  return after;
}

/** Folds on demand and remembers the last two answers, so that a step forward costs its own delta only. */
export class Folder {
  private deltas: Partial<State>[] = [];
  private at = -1;
  private folded: State = EMPTY;
  private before: State | null = null;
  private start: { of: Partial<State>; state: State } | null = null;

  get length(): number {
    return this.deltas.length;
  }

  /** Takes states `from`, `from + 1`, ... as the kernel sent them. Anything that does not fit on is left out. */
  put(from: number, states: Partial<State>[]): void {
    if (from < 0 || from > this.deltas.length) return;
    this.deltas.splice(from, states.length, ...states);
    if (from === 0) this.deltas.length = states.length;
    if (this.at >= from) this.rewind();
  }

  /** The state that the pass started from. */
  first(): State {
    const delta = this.deltas[0] ?? {};
    if (this.start?.of !== delta) this.start = { of: delta, state: foldOne(EMPTY, delta) };
    return this.start.state;
  }

  raw(index: number): Partial<State> | undefined {
    return this.deltas[index];
  }

  state(index: number): State {
    if (index === this.at - 1 && this.before) return this.before;
    if (index < this.at) this.rewind();
    for (let k = this.at + 1; k <= index && k < this.deltas.length; k++) {
      this.before = k > 0 ? this.folded : null;
      this.folded = foldOne(this.folded, this.deltas[k] ?? {});
      this.at = k;
    }
    return this.folded;
  }

  private rewind(): void {
    this.at = -1;
    this.folded = EMPTY;
    this.before = null;
  }
}
