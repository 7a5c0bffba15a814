// The record (format 1): what the kernel sends. `autodidact/trace/record.schema.json` is the definition; this is its shape here.

export interface Summary {
  shape: number[];
  dtype: string;
  text: string;
  label: "value" | "norm";
  values: unknown;
  heat: (number | string)[][] | null;
  min: number | string | null;
  max: number | string | null;
  mean: number | string | null;
  norm: number | string | null;
}

export interface SavedEntry {
  key: string;
  name: string;
  role: string;
  var: string | null;
  shape: number[] | null;
  dtype: string | null;
  bytes: number | null;
  storage: string | null;
  value: Summary | null;
}

export interface Rule {
  edge: string;
  latex: string | null;
  mathml: string | null;
  text: string | null;
  /** Dimensions that were repeated in forward: the gradient is summed over them on its way. */
  over?: number[];
}

export interface RecordNode {
  id: string;
  label: string;
  kind: "op" | "function" | "leaf";
  name: string;
  number: number | null;
  var: string | null;
  source: string | null;
  where: { cell: number | null; line: number | null; file: string | null } | null;
  module: string | null;
  device?: string;
  value: Summary | null;
  /** What forward mode has given the value beside it. */
  tangent?: Summary;
  outputs: { shape: number[] | null; dtype: string | null; expected: number }[];
  inputs: { position: number; var: string | null; edge: string | null }[];
  saved: SavedEntry[];
  rules: Rule[];
  /** Of a custom Function: its backward, and what forward has put on `ctx`. */
  program?: { first: number; lines: string[] } | null;
  context?: Arg[][];
  /** Of a write through a view: the elements of the base that it replaced. */
  writes?: { cells: number[] | null; count: number | null; size: number };
  /** The learner's functions that it was made in, outermost first: [number of the call, name]. */
  calls?: [number, string][];
  /** Inputs that have lost their graph: where the way back from each ends. */
  ends?: WayEnd[];
  /** Of a node that an earlier pass has made: the pass, and its node. */
  made_by?: { who: string; root: string | null };
}

export interface WayEnd {
  var: string | null;
  how: "detach" | "no_grad";
  source: string | null;
  where: { cell: number | null; line: number; file: string | null };
}

/** A node of the second graph, made by a pass with create_graph. */
export interface MadeNode {
  number: number;
  name: string;
  text: string;
  by: string;
  value: Summary | null;
  to: string[];
}

export interface Edge {
  id: string;
  from: string;
  position: number;
  to: string;
  slot: number;
}

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Box extends Rect {
  id: string;
  node: string;
  use: string | null;
}

export interface Lane {
  edge: string;
  forward: string;
  back: string;
  box: string;
  chip: [number, number];
  room: number;
  dock: [number, number];
}

export interface SlotPlace {
  slot: number;
  folded: boolean;
  cells: ({ edge: string | null } & Rect)[];
  sum: Rect | null;
}

export interface Layout {
  width: number;
  height: number;
  engine: string;
  boxes: Box[];
  lanes: Lane[];
  slots: Record<string, SlotPlace[]>;
  ties: string[];
  seed: Record<string, string>;
  texts: { id: string; node: string | null; x: number; y: number; edges?: string[] }[];
}

export type Arg = string | number | boolean | null | Arg[] | Sentence;
export type Args = Record<string, Arg>;

export interface Sentence {
  id: string;
  args?: Args;
}

export interface RecordEvent {
  kind: string;
  node: string;
  edge?: string | null;
  key?: string | null;
  args?: Args;
  /** Of a send: the sum at the slot, where the same node adds to it once more. */
  total?: Summary | null;
}

export interface Contribution {
  edge: string | null;
  value: Summary | null;
}

export interface SavedState {
  state: "kept" | "freed" | "stale" | "packed" | "none";
  expected: number | null;
  actual: number | null;
  /** Where a pack hook has turned the tensor into something else: what, and how often it has been read. */
  packed?: { what: string; hook: string; reads: number; place?: "absent" | "filled" };
}

export interface Grad {
  value: Summary | null;
  object: string | null;
  new: boolean;
  shares: string | null;
  /** Of a leaf that does not lie row by row. */
  strides?: Strides;
}

export interface Strides {
  own: number[];
  leaf: number[];
}

export interface Prediction {
  value: Summary | null;
  numbers: string | null;
  then: Summary | null;
}

export interface PassError {
  class: string;
  message: string;
  node: string | null;
  say: Sentence[];
  repairs?: Sentence[];
}

/** A line of the program that matters, and what is to be said of it. */
export interface Mark {
  line: number;
  kind: "note" | "save" | "guilty" | "stop";
  say: Sentence | null;
}

export interface Listing {
  first: number;
  lines: string[];
  marks: Mark[];
}

/** What is wrong with the program, and how it could be mended. */
export interface Case {
  kind: "error" | "silent" | "healthy";
  say: Sentence[];
  rule: Sentence | null;
  lesson: string | null;
  listing: Listing | null;
  repairs: Sentence[];
  repaired: Sentence | null;
}

export type Status = "waiting" | "ready" | "next" | "done" | "failed" | "skipped";

/** One state; in a delta every member but `step` may be missing. */
export interface State {
  step: number;
  ran: string | null;
  next: string | null;
  end: null | "ok" | "error" | "stopped";
  status: Record<string, Status>;
  received: Record<string, Contribution[][]>;
  total: Record<string, (Summary | null)[]>;
  saved: Record<string, SavedState>;
  bytes: number;
  grads: Record<string, Grad>;
  predicted: Record<string, Prediction>;
  sent: Record<string, Summary | null>;
  events: RecordEvent[];
  say: Sentence[];
  error: PassError | null;
  outside: string[];
  clinic?: Case;
  /** Inside a step: how many of its events have happened (never in a record; `replay.ts` puts such states together). */
  part?: { done: number; of: number };
  /** The hooks on each node, in the order of running. */
  hooks?: Record<string, Sentence[]>;
  /** Edge -> how a gradient under create_graph lost its graph, or a part of it. */
  cuts?: Record<string, { kind: "plain" | "part" | "error"; why: Sentence }>;
  /** Node -> what has gone wrong there without an exception. */
  silent?: Record<string, Sentence>;
  /** Version counter of a family -> its version. */
  versions?: Record<string, number>;
  /** Under create_graph: the nodes made so far, in the order of making. */
  second?: Record<string, MadeNode>;
  /** Of a learner's own engine: the gradient that a node has, and the one it should have. */
  wrong?: Record<string, { got: Summary | null; expected: Summary | null }>;
}

/** A number that was changed in the pass, on a copy: a sum that had arrived (`slot`), or a saved value (`key`). */
export interface Edit {
  step: number;
  node: string;
  slot: number | null;
  key: string | null;
  before: Summary | null;
  after: Summary | null;
  /** The value is put back as it was when it was saved. */
  repair?: boolean;
}

/** A group of a big graph; it holds other groups, or nodes. */
export interface GroupPart {
  id: string;
  parent: string | null;
  name: string;
  /** Of a stretch of the pass: the numbers of its first and last node. */
  stretch: [number, number] | null;
  nodes: string[];
}

export interface Head {
  format: number;
  engine: string;
  root: string | null;
  roots: string[];
  options: {
    retain_graph: boolean;
    create_graph: boolean;
    inputs: string[] | null;
    live: boolean;
    returns?: boolean;
    /** Of a pass in many directions at once: the first dimension of every gradient counts them. */
    directions?: number;
  };
  recorded: boolean;
  simulated?: string[];
  nodes: RecordNode[];
  edges: Edge[];
  storages: { id: string; bytes: number; parameter: boolean }[];
  layout: Layout | null;
  /** Of a graph that is too big for one picture. */
  groups?: GroupPart[];
  edits?: Edit[];
  /** Tensors of the learner's in one memory, the base first. */
  families?: {
    members: { name: string; kind: "base" | "view" | "detached" | "data" | "alias"; counter: string }[];
  }[];
  /** What a big graph is grouped by, where that was asked for. */
  grouped?: "module" | "function";
  /** Of a second pass: the root of the first. */
  second_of?: string;
}
