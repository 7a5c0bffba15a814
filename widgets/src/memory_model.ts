// The bytes that a graph keeps for its backward pass, step by step: the same counting as `autodidact/trace/memory.py`.

import { visible } from "./dom";
import type { RecordNode, SavedEntry, State } from "./record";
import { type Scene, who } from "./scene";
import type { Session } from "./session";

export interface Use {
  node: RecordNode;
  entry: SavedEntry;
  /** Number of the forward operation that saved it, from 1. */
  from: number;
  /** The step in which it was let go; null: not as far as the record goes. */
  until: number | null;
  /** The step in which a checkpoint computed it again; null: forward kept it. */
  again: number | null;
}

export interface Life {
  storage: string;
  bytes: number;
  parameter: boolean;
  uses: Use[];
}

export interface Size {
  bytes: number;
  parameters: number;
}

const KEPT = new Set(["kept", "stale"]);

export class MemoryModel {
  readonly forwardOrder: RecordNode[];
  readonly lives: Life[] = [];
  /** Node -> the step in which it runs, if all goes to plan. */
  private readonly planned = new Map<string, number>();

  constructor(
    private readonly scene: Scene,
    private readonly session: Session,
  ) {
    this.forwardOrder = scene.head.nodes
      .filter((node) => node.kind !== "leaf")
      .sort((a, b) => (b.number ?? 0) - (a.number ?? 0));
    const sizes = new Map(scene.head.storages.map((each) => [each.id, each]));
    const first = session.first();
    const ends = this.ends();
    const filled = this.filled();
    const runs = scene.head.nodes.filter((node) => first.status[node.id] !== "skipped");
    runs.forEach((node, k) => this.planned.set(node.id, k + 1));
    const found = new Map<string, Life>();
    this.forwardOrder.forEach((node, k) => {
      for (const entry of node.saved) {
        const storage = sizes.get(entry.storage ?? "");
        const state = first.saved[entry.key]?.state ?? "none";
        const again = filled.get(entry.key) ?? null;
        if (!storage || entry.role === "scalar" || state === "none") continue;
        if (state === "packed" && again === null) continue;
        if (!found.has(storage.id))
          found.set(storage.id, {
            storage: storage.id,
            bytes: storage.bytes,
            parameter: storage.parameter,
            uses: [],
          });
        const from = again === null ? k + 1 : this.forwardOrder.length + again;
        found.get(storage.id)!.uses.push({ node, entry, from, until: ends.get(entry.key) ?? null, again });
      }
    });
    this.lives.push(...found.values());
  }

  /** After each operation of forward. */
  forward(): Size[] {
    const first = this.session.first();
    const alive = new Set<string>();
    return this.forwardOrder.map((node) => {
      for (const life of this.lives)
        if (life.uses.some((use) => use.node === node && isKept(use, first))) alive.add(life.storage);
      return this.weigh((life) => alive.has(life.storage));
    });
  }

  /** In a state: recorded, or, beyond the record, as it is planned. */
  at(step: number): Size {
    return this.weigh((life) => this.isAlive(life, step));
  }

  isAlive(life: Life, step: number): boolean {
    return life.uses.some((use) => (use.again ?? 0) <= step && this.end(use) > step);
  }

  /** The step in which an entry goes: it has been recorded, or it is planned; Infinity: it stays. */
  end(use: Use): number {
    if (use.until !== null) return use.until;
    if (this.scene.head.options.retain_graph || this.session.done) return Infinity;
    return this.planned.get(use.node.id) ?? Infinity;
  }

  private weigh(alive: (life: Life) => boolean): Size {
    const size = { bytes: 0, parameters: 0 };
    for (const life of this.lives) {
      if (!alive(life)) continue;
      size.bytes += life.bytes;
      if (life.parameter) size.parameters += life.bytes;
    }
    return size;
  }

  /** Key of an entry that a checkpoint did not keep -> the step that computed it again. */
  private filled(): Map<string, number> {
    const found = new Map<string, number>();
    for (let k = 0; k < this.session.count; k++) {
      for (const [key, now] of Object.entries(this.session.delta(k)?.saved ?? {}))
        if (now.state === "kept" && now.packed?.place && !found.has(key)) found.set(key, k);
    }
    return found;
  }

  /** Key of an entry -> the step in which it was freed (0: before this pass). */
  private ends(): Map<string, number> {
    const found = new Map<string, number>();
    for (let k = 0; k < this.session.count; k++) {
      for (const [key, now] of Object.entries(this.session.delta(k)?.saved ?? {}))
        if (now.state === "freed" && !found.has(key)) found.set(key, k);
    }
    return found;
  }
}

function isKept(use: Use, state: State): boolean {
  return KEPT.has(state.saved[use.entry.key]?.state ?? "");
}

/** The learner's name for a storage, else the operation and the formula's name. */
export function storageName(life: Life): string {
  const named = life.uses.find((use) => use.entry.var);
  if (named) return visible(named.entry.var!);
  return `${who(life.uses[0]!.node)}: ${visible(life.uses[0]!.entry.name)}`;
}
