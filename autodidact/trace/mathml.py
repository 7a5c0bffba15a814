"""LaTeX to MathML, which browsers draw themselves; through latex2mathml, where it is installed."""

from functools import lru_cache
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from autodidact._optional import MissingExtra, optional

_SPACE = "{http://www.w3.org/1998/Math/MathML}"
_ELEMENTS = set(
    "math mrow mi mn mo mtext ms mspace mfrac msqrt mroot mstyle mpadded msub msup msubsup munder "
    "mover munderover mtable mtr mtd".split()
)
_ATTRIBUTES = {
    "mathvariant",
    "stretchy",
    "fence",
    "form",
    "lspace",
    "rspace",
    "width",
    "columnalign",
    "linethickness",
    "displaystyle",
    "accent",
    "accentunder",
    "separator",
    "minsize",
    "maxsize",
    "symmetric",
    "movablelimits",
}


@lru_cache(maxsize=512)
def mathml(latex):
    """The formula as MathML; None without latex2mathml, or where it cannot read the formula.

    Only MathML's own elements and harmless attributes come through; all else in it is text.
    Example: `mathml("b")` is `<math><mrow><mi>b</mi></mrow></math>`.
    """
    try:
        converter = optional("latex2mathml.converter", extra="lab")
        tree = ElementTree.fromstring(converter.convert(latex))
    except MissingExtra:
        return None
    except Exception:  # a formula that the library cannot read is shown as text instead
        return None
    return _plain(tree)


def _plain(element):
    """The element with only what is allowed; it nests no deeper than the formula."""
    name = element.tag.removeprefix(_SPACE)
    inside = escape(element.text or "") + "".join(
        _plain(child) + escape(child.tail or "") for child in element
    )
    if name not in _ELEMENTS:
        return inside
    kept = "".join(
        f" {key}={quoteattr(value)}" for key, value in element.attrib.items() if key in _ATTRIBUTES
    )
    return f"<{name}{kept}>{inside}</{name}>"
