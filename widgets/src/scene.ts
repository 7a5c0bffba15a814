// The static half of a record, looked up by id, and the words a node goes by.

import { visible } from "./dom";
import type { Edge, Head, Layout, RecordNode, State, Status, Summary } from "./record";

/** Program text of this length stands for a node that has no variable. */
const SHORT_SOURCE = 16;

/** What a sentence calls a node: the learner's words before the node's own name. */
export function who(node: RecordNode): string {
  if (node.var) return visible(node.var);
  if (node.kind === "leaf") return visible(node.label);
  const words = visible(node.source ?? "");
  const name = words && [...words].length <= SHORT_SOURCE ? words : visible(node.name);
  return name + (node.number === null ? "" : ` #${node.number}`);
}

/** Lookups over a record's head. Built once per head. */
export class Scene {
  readonly nodes = new Map<string, RecordNode>();
  readonly edges = new Map<string, Edge>();
  readonly edgesFrom = new Map<string, Edge[]>();
  readonly edgesTo = new Map<string, Edge[]>();
  /** The box where an edge's gradient lands (a leaf has several). */
  readonly boxOf = new Map<string, string>();
  /** How many leaves there are. */
  readonly leaves: number;
  readonly storageBytes = new Map<string, number>();

  constructor(readonly head: Head) {
    for (const node of head.nodes) this.nodes.set(node.id, node);
    for (const edge of head.edges) {
      this.edges.set(edge.id, edge);
      push(this.edgesFrom, edge.from, edge);
      push(this.edgesTo, edge.to, edge);
    }
    for (const lane of head.layout?.lanes ?? []) this.boxOf.set(lane.edge, lane.box);
    this.leaves = head.nodes.filter((node) => node.kind === "leaf").length;
    for (const storage of head.storages) this.storageBytes.set(storage.id, storage.bytes);
  }

  /** The same with the picture of a part. */
  part(layout: Layout): Scene {
    const scene = Object.create(this) as { head: Head; boxOf: Map<string, string> };
    scene.head = { ...this.head, layout };
    scene.boxOf = new Map(layout.lanes.map((lane) => [lane.edge, lane.box]));
    return scene as Scene;
  }

  /** What a sentence calls a node: the learner's variable, else the node's own name. */
  name(id: string | null): string {
    const node = id === null ? undefined : this.nodes.get(id);
    if (!node) return "?";
    return who(node);
  }

  /** The headline of a node: its source line, else the variable, else "-". A leaf goes by its name. */
  title(id: string): string {
    const node = this.nodes.get(id);
    if (!node) return "?";
    return node.kind === "leaf" ? this.name(id) : visible(node.source || node.var || "-");
  }

  /** Every name and piece of source that a sentence may mention. */
  names(): Set<string> {
    const all = this.head.nodes.flatMap((node) => [
      node.var,
      node.source,
      node.label,
      this.className(node),
      who(node),
      ...node.saved.map((entry) => entry.var),
    ]);
    const names = [this.head.root, ...all].filter(
      (name): name is string => typeof name === "string" && name !== "",
    );
    return new Set(names.flatMap((name) => [name, visible(name), `${name}.grad`]));
  }

  /** Was `grad()` asked for this node's tensor? Then what comes there is returned. */
  isResult(id: string): boolean {
    const { returns, inputs } = this.head.options;
    const name = this.nodes.get(id)?.var;
    return Boolean(returns) && typeof name === "string" && (inputs ?? []).includes(name);
  }

  /** The state of a node as a word's id: of one that is not asked for, whether it is a result. */
  status(state: State, id: string): Status | "result" {
    const status = state.status[id] ?? "waiting";
    return status === "skipped" && this.isResult(id) ? "result" : status;
  }

  expected(id: string): number {
    return (this.nodes.get(id)?.outputs ?? []).reduce((sum, slot) => sum + slot.expected, 0);
  }

  /** "AddBackward0 #1"; a leaf has no number. */
  className(node: RecordNode): string {
    return visible(node.name) + (node.number === null ? "" : ` #${node.number}`);
  }
}

export function arrived(state: State, id: string): number {
  return (state.received[id] ?? []).reduce((sum, slot) => sum + slot.length, 0);
}

/** A node's status, with "waiting" told apart once something has arrived. */
export function fineStatus(state: State, id: string): Status | "partly" {
  const status = state.status[id] ?? "waiting";
  return status === "waiting" && arrived(state, id) > 0 ? "partly" : status;
}

/** The node that the inspector shows when the learner chose none. */
export function currentNode(scene: Scene, state: State): string | null {
  return (
    state.error?.node ?? state.next ?? state.ran ?? scene.head.roots[0] ?? scene.head.nodes[0]?.id ?? null
  );
}

/** Nodes in the order of running: those that ran (in all recorded states), then the plan. */
export function runningOrder(scene: Scene, ran: string[]): string[] {
  const seen = new Set(ran);
  return [...ran, ...scene.head.nodes.map((node) => node.id).filter((id) => !seen.has(id))];
}

/** Shapes as the field writes them: (), (3,), (2, 3). */
export function shapeText(shape: number[] | null | undefined): string {
  if (!shape) return "-";
  return shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
}

/** A number cut to `room` characters, significant digits first to go, as `fit` in `trace/summary.py`. */
export function shortNumber(text: string, room: number): string {
  if (text.length <= room) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) return room < 2 ? text : text.slice(0, room - 1) + "…";
  let short = text;
  for (let digits = 5; digits >= 1 && short.length > room; digits--) short = general(value, digits);
  return short;
}

/** Python's `format(value, ".Ng")`, exponents without their zeros. */
export function general(value: number, digits: number): string {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  const plain = (number: string) => (number.includes(".") ? number.replace(/\.?0+$/, "") : number);
  if (power < -4 || power >= digits) return `${plain(mantissa!)}e${power}`;
  return plain(value.toFixed(digits - 1 - power));
}

export function isScalar(value: Summary | null | undefined): boolean {
  return !!value && value.shape.reduce((product, size) => product * size, 1) === 1;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
