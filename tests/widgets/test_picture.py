"""picture(): the figure for those who see it, the same in words for those who do not."""

import base64
import json
import re

import numpy as np
import pytest
from autodidact_widgets import picture

SAYS = 'A line that rises from "0" to 1, <b>twice</b>.'


def test_a_figure_of_matplotlib_is_a_png_with_its_text():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    figure.subplots().plot([0, 1])
    data = picture(figure, alt=SAYS)._repr_mimebundle_()
    image = r'<img alt="([^"]*)" src="data:image/png;base64,([^"]*)">'
    found = re.fullmatch(image, data["text/html"])
    assert "<b>" not in found[1] and "&quot;0&quot;" in found[1]
    assert base64.b64decode(found[2]).startswith(b"\x89PNG")
    assert data["text/plain"] == SAYS


def test_a_figure_of_plotly_stays_one_to_be_turned():
    go = pytest.importorskip("plotly.graph_objects")
    figure = go.Figure(go.Surface(z=np.eye(2)))
    data = picture(figure, alt=SAYS)._repr_mimebundle_()
    kept = json.loads(json.dumps(data))["application/vnd.plotly.v1+json"]
    assert kept["data"][0]["type"] == "surface"
    assert data["text/plain"] == SAYS == repr(picture(figure, alt=SAYS))


def test_anything_else_is_refused():
    with pytest.raises(TypeError, match="not int"):
        picture(3, alt=SAYS)
