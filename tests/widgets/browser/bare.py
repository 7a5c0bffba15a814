"""The built bundle in an empty page, against a model that only remembers: no Jupyter, no kernel.

A test takes a fraction of a second, so most of the front end's behaviour is tested here:

    def test_step(bare_page):
        mount(bare_page, bundle, {"count": 1, "position": 0})
        bare_page.get_by_role("button", name="Step").click()
        assert sent(bare_page) == [{"type": "hello"}, {"type": "step"}]
        receive(bare_page, {"type": "states", "from": 1, "states": [...]})
        set_trait(bare_page, "count", 2)

In the page, `window.model` is the model and `window.unmount` what `render` returned.
"""

MODEL = """class {
  constructor(traits) { this.traits = traits; this.handlers = {}; this.sent = []; this.saved = 0; }
  get(name) { return this.traits[name]; }
  set(name, value) { this.traits[name] = value; this.fire("change:" + name); this.fire("change"); }
  save_changes() { this.saved += 1; }
  send(message) { this.sent.push(message); }
  on(event, handler) { (this.handlers[event] ??= []).push(handler); }
  off(event, handler) {
    if (event == null) { this.handlers = {}; return; }
    this.handlers[event] = (this.handlers[event] ?? []).filter(h => handler && h !== handler);
  }
  fire(event, ...args) { (this.handlers[event] ?? []).slice().forEach(h => h(...args)); }
}"""
MOUNT = """async ([source, css, traits, model]) => {
  const style = document.createElement("style"); style.textContent = css;
  document.head.append(style);
  const Model = (0, eval)("(" + model + ")");
  window.model = new Model(traits);
  const url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
  let widget = (await import(url)).default;
  if (typeof widget === "function") widget = await widget();
  const stop = await widget.initialize?.({model: window.model});
  const el = document.getElementById("widget");
  const leave = await widget.render({model: window.model, el});
  window.unmount = () => { leave?.(); stop?.(); };
}"""


def mount(page, source, traits, css=""):
    """Show a widget (the text of its module and style sheet) with these traits; return its element.

    Whatever was mounted before is gone: the page is a new one.
    """
    page.set_content('<!doctype html><meta charset="utf-8"><body><div id="widget"></div>')
    page.evaluate(MOUNT, [source, css, traits, MODEL])
    return page.locator("#widget")


def set_trait(page, name, value):
    """Change a trait as the kernel does."""
    page.evaluate("([name, value]) => window.model.set(name, value)", [name, value])


def trait(page, name):
    """What a trait holds now."""
    return page.evaluate("name => window.model.get(name)", name)


def receive(page, message):
    """Deliver a custom message from the kernel."""
    page.evaluate("message => window.model.fire('msg:custom', message, [])", message)


def sent(page):
    """The custom messages that the front end has sent to the kernel so far."""
    return page.evaluate("window.model.sent")


def unmount(page):
    """Take the widget away as Jupyter does; return how many handlers it left on the model."""
    page.evaluate("window.unmount()")
    return page.evaluate("Object.values(window.model.handlers).flat().length")
