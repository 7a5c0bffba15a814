// The keyboard. Notebook 7 swallows ArrowRight in the document's capture phase, so the view listens one step
// earlier, on the window, and only while the focus is inside it.

export interface KeyActions {
  forward(): void;
  back(): void;
  run(): void;
  reset(): void;
  text(): void;
  mode?(): void;
  break?(): void;
  first(): void;
  last(): void;
  node(by: number): boolean;
  zoom(key: string): boolean;
  escape(): boolean;
  /** Keys of views that not every stepper has. */
  other?(key: string): boolean;
}

type Handler = (actions: KeyActions, key: string) => boolean | void;

const KEYS: Record<string, Handler> = {
  ArrowRight: (actions) => actions.forward(),
  ArrowLeft: (actions) => actions.back(),
  ArrowUp: (actions) => actions.node(1),
  ArrowDown: (actions) => actions.node(-1),
  " ": (actions) => actions.run(),
  r: (actions) => actions.reset(),
  b: (actions) => (actions.break ? actions.break() : false),
  n: (actions) => (actions.mode ? actions.mode() : false),
  t: (actions) => actions.text(),
  m: (actions, key) => actions.other?.(key) ?? false,
  e: (actions, key) => actions.other?.(key) ?? false,
  "/": (actions, key) => actions.other?.(key) ?? false,
  Home: (actions) => actions.first(),
  End: (actions) => actions.last(),
  Escape: (actions) => actions.escape(),
  "+": (actions, key) => actions.zoom(key),
  "=": (actions, key) => actions.zoom(key),
  "-": (actions, key) => actions.zoom(key),
  "0": (actions, key) => actions.zoom(key),
};

/** Keys that a focused control needs for itself. The notebook must not see them, but the browser's own action stays. */
function belongsToControl(target: Element, key: string): boolean {
  if (target.matches("select, input, textarea")) return key !== "Escape";
  return (key === " " || key === "Enter") && target.matches("button, [role=switch]");
}

/** Starts listening; returns the function that stops it. */
export function listenToKeys(root: HTMLElement, actions: KeyActions): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const target = event.composedPath()[0];
    if (!(target instanceof Element) || !root.matches(":focus-within") || !root.contains(target)) return;
    if (belongsToControl(target, event.key)) return event.stopImmediatePropagation();
    const handler = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!handler || (event.repeat && event.key === " ")) return;
    if (handler(actions, event.key) === false) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener("keydown", onKey, true);
  return () => window.removeEventListener("keydown", onKey, true);
}
