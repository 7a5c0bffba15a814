"""Theme and language are switched with a stepper on the page: it follows, no cell runs again."""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser.jupyter import (
    DARK,
    LIGHT,
    console_errors,
    open_notebook,
    run_cell,
    screenshot,
    set_theme,
)

PASS = """import autodidact as torch
from autodidact_widgets import compare, show
a = torch.tensor(2., requires_grad=True)
c = a * 3
s = show(c * a)
s"""
BOTH = "compare(show(a * a, copy=True), show(a * 2, copy=True))"
SURFACE = "element => getComputedStyle(element).backgroundColor"


def test_a_stepper_follows_theme_and_language(page, server):
    speak = [f'torch.set_language("{language}")' for language in ("ru", "en")]
    open_notebook(page, server.write("place.ipynb", PASS, BOTH, *speak))
    set_theme(page, LIGHT)                               # an earlier test may have left the other
    run_cell(page, 0)
    run_cell(page, 1)
    one, both = page.locator(".ad").first, page.locator(".ad").last
    one.locator(".btn.main").click()
    both.locator(".btn.main").click()
    expect(one.locator(".say")).to_contain_text("runs next")
    light = one.evaluate(SURFACE)
    set_theme(page, DARK)
    assert one.evaluate(SURFACE) != light
    run_cell(page, 2)
    expect(one.locator(".btn.main")).to_contain_text("Шаг")
    expect(one.locator(".say")).to_contain_text("Следующий узел")
    expect(both.locator(".btn.main")).to_contain_text("Шаг")
    one.locator(".btn.main").click()                     # and goes on where it was
    expect(one.locator(".say")).to_contain_text("отправил")
    one.get_by_role("button", name="Текст", exact=True).click()
    expect(one.locator(".textform")).to_contain_text("номер")
    screenshot(page, "in_place_dark_ru", one)
    run_cell(page, 3)
    expect(one.locator(".textform")).to_contain_text("order")
    set_theme(page, LIGHT)
    assert one.evaluate(SURFACE) == light
    assert console_errors(page) == []
