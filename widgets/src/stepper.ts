// The live stepper: one view of one backward pass. Entry point of the bundle (anywidget's `render`).

import type { AnyModel } from "./anywidget";
import { StepperView } from "./view";

let views = 0;

function render({ model, el }: { model: AnyModel; el: HTMLElement }): () => void {
  const view = new StepperView(model, `ad${++views}-`);
  el.append(view.element);
  return () => view.destroy();
}

export default { render };
