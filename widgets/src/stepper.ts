// The live stepper: one view of one backward pass. Entry point of the bundle (anywidget's `render`).

import type { AnyModel } from "./anywidget";
import { CompareView } from "./compare_view";
import { FilmView } from "./film_view";
import { playPage } from "./page";
import { StepperView } from "./view";
import { Wire } from "./wire";

function render({ model: line, el }: { model: AnyModel; el: HTMLElement }): () => void {
  const model = new Wire(line);
  // each widget of a page loads this module anew, so a counter here would not keep ids apart
  const prefix = `ad${Math.random().toString(36).slice(2, 10)}-`;
  const head = model.get("_head") as { kind?: unknown } | null;
  const Kind = head?.kind === "compare" ? CompareView : head?.kind === "film" ? FilmView : StepperView;
  const view = new Kind(model, prefix);
  el.append(view.element);
  return () => view.destroy();
}

/** A page that holds a record calls this instead (`autodidact/trace/page.py`). */
function page(): void {
  playPage(render);
}

export default { render, page };
