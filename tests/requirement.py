"""What a test may need and a machine may lack, and what happens then.

A learner's machine may have neither torch nor Chromium: there such tests skip, with a reason.
On a build machine a skip would hide a check, so `AUTODIDACT_REQUIRE=oracle,browser` turns the
skips of those kinds into failures.  `delivery` is never skipped for a lack of something but for
its price (minutes, a download): it runs only where it is required.
"""

import importlib.util
import os
import re
import shutil

import pytest

# What a skip's reason mentions when it belongs to a kind, so that a bare
# `pytest.importorskip("torch")` is noticed too.
WORDS = {
    "oracle": re.compile(r"torch", re.IGNORECASE),
    "browser": re.compile(r"chromium|playwright|browser|jupyterlab|anywidget", re.IGNORECASE),
    "delivery": re.compile(r"delivery", re.IGNORECASE),
}


def required():
    """The kinds named by AUTODIDACT_REQUIRE, as a set; an unknown name is an error."""
    names = {name for name in os.environ.get("AUTODIDACT_REQUIRE", "").split(",") if name}
    if unknown := names - set(WORDS):
        raise pytest.UsageError(
            f"AUTODIDACT_REQUIRE names {sorted(unknown)}; known are {sorted(WORDS)}"
        )
    return names


def chromium():
    """Path of the system's Chromium (or of the one in $CHROMIUM), or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def missing(kind):
    """Why a test of this kind cannot run here, as a sentence, or None if it can."""
    if kind == "oracle":
        return None if importlib.util.find_spec("torch") else "torch is not installed"
    if kind == "delivery":
        return None if kind in required() else "AUTODIDACT_REQUIRE does not name delivery"
    for module in ("playwright", "jupyterlab", "anywidget"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed, and the browser tests need it"
    return None if chromium() else "Chromium is not installed"


def require(kind):
    """Go on if `kind` ("oracle", "browser", "delivery") is at hand; else skip, or fail if required.

    >>> require("oracle"); import torch            # doctest: +SKIP
    """
    if reason := missing(kind):
        (pytest.fail if kind in required() else pytest.skip)(reason)


def kinds_of(item, reason=""):
    """Which kinds a test belongs to: by marker, by fixture, or by the reason of its skip."""
    fixtures = set(getattr(item, "fixturenames", ()))
    return {
        kind
        for kind, word in WORDS.items()
        if kind in fixtures or item.get_closest_marker(kind) or word.search(reason)
    }
