"""A plot with a text in its place: for a screen reader, and for a page that cannot show it."""

import base64
import html
import io
import json
from typing import Any

__all__ = ["Picture", "picture"]

PLOTLY = "application/vnd.plotly.v1+json"


class Picture:
    """What a cell shows of a figure: the figure, and `alt` wherever it cannot be seen.

    Args:
        data: the figure as a notebook keeps it, by MIME type.
        alt: what is to be seen in it, in whole sentences.
    """

    def __init__(self, data: dict, alt: str) -> None:
        self.data, self.alt = data, alt

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict:
        return {**self.data, "text/plain": self.alt}


def picture(figure: Any, alt: str, *, dpi: int = 100) -> Picture:
    """Show a figure of Matplotlib (as a PNG) or of plotly (to be turned) with a text beside it.

    Args:
        figure: `matplotlib.figure.Figure` or `plotly.graph_objects.Figure`.
        alt: what is to be seen in it, in whole sentences; it is read in the picture's place.
        dpi: dots per inch of the PNG.

    Raises:
        TypeError: for anything else.

    Example:
        >>> from matplotlib.figure import Figure
        >>> picture(Figure(), alt="An empty page.")
        An empty page.
    """
    if hasattr(figure, "savefig"):
        png = io.BytesIO()
        figure.savefig(png, format="png", dpi=dpi)
        code = base64.b64encode(png.getvalue()).decode("ascii")
        name = html.escape(alt, quote=True)
        image = f'<img alt="{name}" src="data:image/png;base64,{code}">'
        return Picture({"text/html": image}, alt)
    if hasattr(figure, "to_plotly_json"):
        page = json.loads(figure.to_json()) | {"config": {"displaylogo": False}}
        return Picture({PLOTLY: page}, alt)
    given = type(figure).__name__
    raise TypeError(f"picture() shows figures of Matplotlib and of plotly, not {given}")
