"""What axe-core says of a view: the rules of accessibility that it breaks."""

import pytest

from tests.widgets.browser.stepping import MODULES


def axe(page):
    """Rules of accessibility that the view breaks, with the elements."""
    script = MODULES / "axe-core" / "axe.min.js"
    if not script.exists():
        pytest.skip("axe-core is missing, so this browser test cannot run: npm ci in widgets/")
    if page.evaluate("window.axe === undefined"):
        page.evaluate(script.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run('.ad')).violations")
    return [(each["id"], [node["html"][:120] for node in each["nodes"]]) for each in found]
