// Inside a step: the states between two nodes, one per event, as `autodidact/trace/replay.py` puts them together.

import type { Edge, RecordEvent, State } from "./record";
import { arrived, type Scene } from "./scene";

/** The state in which the first `count` events of a step have happened; all of them give `after`. */
export function partOf(scene: Scene, before: State, after: State, count: number): State {
  if (count >= after.events.length || after.ran === null) return after;
  const state: State = {
    ...before,
    step: after.step,
    ran: after.ran,
    next: after.ran,
    events: after.events.slice(0, count),
    say: [],
    error: null,
    outside: after.outside,
    end: null,
    part: { done: count, of: after.events.length },
    status: { ...before.status, [after.ran]: "next" },
    received: { ...before.received },
    total: { ...before.total },
    saved: { ...before.saved },
    grads: { ...before.grads },
    sent: { ...before.sent },
    predicted: { ...before.predicted },
  };
  for (const event of state.events) happen(scene, state, after, event);
  state.bytes = bytesKept(scene, state);
  return state;
}

function happen(scene: Scene, state: State, after: State, event: RecordEvent): void {
  const edge = scene.edges.get(event.edge ?? "");
  if (event.kind === "send" && edge) deliver(scene, state, after, edge, event);
  else if (event.kind === "free" && event.key) state.saved[event.key] = after.saved[event.key]!;
  else if (event.kind === "accumulate") state.grads[event.node] = after.grads[event.node]!;
}

/** One gradient arrives. */
function deliver(scene: Scene, state: State, after: State, edge: Edge, event: RecordEvent): void {
  const { to, slot, id } = edge;
  const value = after.sent[id] ?? null;
  state.received[to] = (state.received[to] ?? []).map((parts, k) =>
    k === slot ? [...parts, { edge: id, value }] : parts,
  );
  const total = "total" in event ? (event.total ?? null) : (after.total[to]?.[slot] ?? null);
  state.total[to] = (state.total[to] ?? []).map((old, k) => (k === slot ? total : old));
  state.sent[id] = value;
  delete state.predicted[id];
  if (arrived(state, to) >= scene.expected(to) && state.status[to] === "waiting") state.status[to] = "ready";
}

/** Bytes of the storages still kept, each counted once, parameters apart. */
function bytesKept(scene: Scene, state: State): number {
  const kept = new Set<string>();
  for (const node of scene.head.nodes)
    for (const entry of node.saved) {
      const status = state.saved[entry.key]?.state;
      if (entry.storage && entry.role !== "scalar" && (status === "kept" || status === "stale"))
        kept.add(entry.storage);
    }
  return scene.head.storages
    .filter((each) => !each.parameter && kept.has(each.id))
    .reduce((sum, each) => sum + each.bytes, 0);
}
