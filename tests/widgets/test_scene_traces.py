"""The traces that the browser tests hold their scenes against: PyTorch is asked again."""

import pytest

pytest.importorskip("anywidget")

from tests.widgets.browser.scene_programs import FIRST, PASSES, rows

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("held")]


@pytest.mark.parametrize("name", PASSES)
def test_pytorch_leaves_this_trace(oracle, name):
    names = {}
    exec(FIRST.replace("autodidact as torch", "torch"), names)
    assert names["torch"] is oracle
    exec(PASSES[name].code, names)
    names["s"].finish()
    assert rows(names["s"].text()) == PASSES[name].trace
