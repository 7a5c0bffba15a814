"""The traces that the browser tests hold their scenes against: PyTorch is asked again."""

import contextlib

import pytest

pytest.importorskip("anywidget")

from tests.widgets.browser.scene_programs import FIRST, INSIDE, PASSES, rows

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("held")]


PROGRAMS = {name: each for name, each in (PASSES | INSIDE).items() if each.pytorch}


@pytest.mark.parametrize("name", PROGRAMS)
def test_pytorch_leaves_this_trace(oracle, name):
    names = {}
    exec(FIRST.replace("autodidact as torch", "torch"), names)
    assert names["torch"] is oracle
    exec(PROGRAMS[name].code, names)
    with contextlib.suppress(RuntimeError, KeyError):          # it stops at a node, which is shown
        names["s"].finish()
    assert rows(names["s"].text()) == PROGRAMS[name].trace
