"""Every panel in light, dark and narrow: axe-core finds nothing, the keyboard reaches all."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import clinic, compare, film, show

import autodidact as torch
from autodidact import trace
from tests.trace import patients
from tests.widgets.browser import bare
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.jupyter import screenshot
from tests.widgets.browser.live import Live
from tests.widgets.browser.stepping import theme


def diamond(**options):
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    with trace.recording():
        c = a * b
        d = c + a
        L = d * d
    return show(L, **options)


def changed_in_place():
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0)
    with trace.recording():
        y = x * w
        w.add_(1)
        L = y * 2
    return show(L)


def hooked():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    y.register_hook(lambda grad: grad * 2)
    x.register_post_accumulate_grad_hook(lambda leaf: None)
    return show(y.sum())


def many():
    y = torch.tensor(0.5, requires_grad=True)
    with trace.recording():
        for _ in range(50):
            y = torch.sin(y) * 1.1
    return show(y)


def both():
    return compare(diamond(copy=True), diamond(copy=True, retain_graph=True))


def training():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    made = film(model, every=4)
    for _ in range(6):
        with made:
            optimizer.zero_grad()
            loss = model(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).square().mean()
            loss.backward()
            optimizer.step()
    return made.show()


def patient(name, given=2.0):
    return lambda: clinic(getattr(patients, name), given)


def pressed(*keys):
    def press(live):
        live.root.locator(".btn.main").first.focus()
        for key in keys:
            live.press(key)
    return press


def clicked(*names):
    def click(live):
        for name in names:
            live.click(name)
    return click


def steps(count, then=None):
    def step(live):
        for _ in range(count):
            live.click("Step")
        if then:
            then(live)
    return step


def stop_at_error(live):
    for _ in range(2):
        live.root.locator(".btn.main").click()
        live.serve()
    live.settle()


def edit_saved(live):
    live.press("e")
    live.root.locator(".whatif select").select_option(index=1)


def copy_of(live):
    live.press("e")
    live.click("times 10")


def search(live):
    live.press("/")
    live.page.keyboard.type("sin")


def waits(live):
    bare.set_trait(live.page, "waiting", True)


def clicked_part(name):
    def click(live):
        live.click(name, exact=False)
    return click


def crumbs(live):
    live.root.locator(".crumbs button").first.click()


def compare_text(live):
    live.click("Step")
    live.click("Text form")


# name: (what is shown, what is done with it)
VIEWS = {
    "stepper": (diamond, steps(2)),
    "end of a pass": (diamond, steps(5)),
    "error": (changed_in_place, stop_at_error),
    "hooks, by events": (hooked, pressed("v", "ArrowRight", "ArrowRight")),
    "memory": (diamond, steps(1, pressed("m"))),
    "text form": (diamond, steps(1, pressed("t"))),
    "what-if": (diamond, steps(1, pressed("e"))),
    "what-if of a saved value": (diamond, steps(2, edit_saved)),
    "copy": (diamond, steps(1, copy_of)),
    "breakpoints": (lambda: diamond().break_at(leaf="a"), clicked("Breakpoints")),
    "save": (diamond, clicked("Save")),
    "menu": (diamond, clicked("Switches and keys")),
    "tour": (diamond, clicked("Explain the parts of this view")),
    "predict": (lambda: diamond(ask=True), None),
    "a cell waits": (diamond, waits),
    "groups": (many, steps(1)),
    "groups, first level": (many, crumbs),
    "groups, search": (many, steps(1, search)),
    "second graph": (lambda: diamond(create_graph=True), steps(3)),
    "film": (training, None),
    "film, its backward": (training, clicked_part("backward")),
    "film, a step without its moments": (training, pressed("ArrowUp")),
    "film, text": (training, pressed("t")),
    "clinic, an exception": (patient("changed"), None),
    "clinic, a silent error": (patient("sly"), None),
    "clinic, repaired": (patient("again"), clicked_part("Repair and retry")),
    "clinic, text": (patient("cut"), clicked("Text form")),
    "compare": (both, steps(2)),
    "compare, text": (both, compare_text),
}
# Within these one control has the focus for all, and the arrow keys move it.
ROVING = ".time, .film-time, .tracks, [role=listbox]"
UNREACHED = """([reached, roving]) => [...document.querySelectorAll(
    ".ad button, .ad input, .ad select, .ad a[href], .ad summary, .ad textarea")]
  .filter(e => e.offsetParent !== null && !e.disabled && !e.closest(roving))
  .filter(e => !reached.includes(e))
  .map(e => e.outerHTML.slice(0, 120))"""
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
RECORD = """() => { window.reached = [];
  document.addEventListener("focusin", event => window.reached.push(event.target)); }"""


def unreached(page):
    """Controls that Tab does not come to."""
    page.evaluate(RECORD)
    page.evaluate("document.activeElement?.blur()")
    count = page.locator(".ad :is(button, input, select, a, summary, [tabindex])").count()
    for _ in range(count + 5):
        page.keyboard.press("Tab")
    return page.evaluate(f"roving => ({UNREACHED})([window.reached, roving])", ROVING)


@pytest.mark.parametrize("name", VIEWS)
def test_no_rule_is_broken_and_the_keyboard_reaches_all(bare_page, name):
    make, do = VIEWS[name]
    live = Live(bare_page, make())
    if do:
        do(live)
    assert axe(bare_page) == []
    for colours, width in (("dark", 900), ("dark", 420), ("light", 420)):
        bare_page.add_style_tag(content=theme(colours, width))
        bare_page.evaluate(TWO_FRAMES)                  # in the first the view hears of its width
        assert axe(bare_page) == [], (colours, width)
        file = "".join(letter if letter.isalnum() else "-" for letter in name)
        screenshot(bare_page, f"view-{file}-{colours}-{width}", live.root)
    assert unreached(bare_page) == []
    assert bare_page.errors == []
