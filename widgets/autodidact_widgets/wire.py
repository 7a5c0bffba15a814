"""What goes to the page.

JupyterLite's kernel loses every None on the way: on the page it is `undefined`, or its name is
missing. There, what may hold a None goes as JSON text; `src/wire.ts` reads it.
"""

import json
import sys
from typing import Any

__all__ = ["told"]

LOSES_NONE = sys.platform == "emscripten"


def told(value: Any, _widget: Any = None) -> Any:
    """Plain data in the form that reaches the page whole; also a trait's `to_json`."""
    return {"json": json.dumps(value)} if LOSES_NONE else value
