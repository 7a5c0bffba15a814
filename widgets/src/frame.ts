// What every panel is given to draw: one state of one record, and what the learner looks at.

import type { Breakpoint } from "./breaks";
import type { Catalogue } from "./catalogue";
import type { Fonts } from "./measure";
import type { Scene } from "./scene";
import type { State } from "./record";

export interface Frame {
  scene: Scene;
  catalogue: Catalogue;
  fonts: Fonts;
  /** The state that is shown (folded), and the one the pass started from. */
  state: State;
  first: State;
  position: number;
  breaks: Breakpoint[];
  /** How many events of the step are shown; -1: all. */
  event: number;
  count: number;
  total: number;
  done: boolean;
  /** The node the learner chose, or null: then the next one is shown. */
  selected: string | null;
  shown: string | null;
  /** Of a big graph: the nodes of the group that is open. */
  near: Set<string> | null;
  /** Ids of the nodes that ran in the whole record. */
  ran: string[];
}
