"""The committed bundle and the sources it comes from, read as text."""

import json
import re
import subprocess

import pytest

from tests.widgets.browser.stepping import MODULES, ROOT, STATIC

SOURCES = ROOT / "widgets" / "src"
PREFIXES = "ui|text|status|saved|count|title|event|value|list|step|role"


def read(*names):
    """The texts of files of the bundle, one after the other."""
    return "".join((STATIC / name).read_text(encoding="utf-8") for name in names)


def test_the_committed_bundle_is_what_the_sources_give(tmp_path):
    if not (MODULES / "esbuild").exists():
        pytest.skip("esbuild is missing, so this browser test cannot run: npm ci in widgets/")
    subprocess.run(["node", str(SOURCES / "build.mjs"), str(tmp_path)], check=True, timeout=60)
    for name in ("stepper.js", "stepper.css"):
        assert (tmp_path / name).read_bytes() == (STATIC / name).read_bytes(), name


@pytest.mark.parametrize(
    "word",
    (
        "innerHTML", "outerHTML", "insertAdjacentHTML", "setHTMLUnsafe", r"document\.write",
        "createContextualFragment", "eval", "new Function", r"import\(", "fetch", "XMLHttpRequest",
        "WebSocket", "EventSource", "sendBeacon", "localStorage", r"document\.cookie",
    ),
)  # fmt: skip
def test_the_bundle_parses_no_markup_runs_no_text_and_stays_offline(word):
    assert re.findall(rf"\b{word}", read("stepper.js")) == []


def test_the_bundle_names_no_address_but_two_namespaces():
    addresses = set(re.findall(r"https?://[\w./]+", read("stepper.js", "stepper.css")))
    assert addresses == {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}
    assert re.findall(r"url\(|@import", read("stepper.css")) == []


def test_every_rule_of_the_style_sheet_stays_under_the_widget():
    sheet = re.sub(r"/\*.*?\*/", "", read("stepper.css"), flags=re.DOTALL)
    heads = re.findall(r"([^{};]+)\{", sheet)  # selectors, and the heads of @-rules
    selectors = [each.strip() for head in heads for each in head.split(",\n")]
    selectors = [each for each in selectors if each[0] != "@" and each not in ("from", "to")]
    outside = [each for each in selectors if not re.match(r"\.ad\b", each)]
    assert len(selectors) > 150 and outside == []


def test_every_shown_word_is_in_the_catalogue_and_every_word_is_shown():
    path = ROOT / "autodidact" / "trace" / "messages" / "en.json"
    words = set(json.loads(path.read_text(encoding="utf-8")))
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.ts"))
    used = set(re.findall(rf'"((?:{PREFIXES})\.[a-z_.]+)"', text))
    assert len(used) > 80 and used - words == set()
    stems = tuple(re.findall(r"`(ui\.[a-z_.]+)\$\{", text))
    used |= {f"{word}.item" for word in used}  # how one of a list is worded
    assert {w for w in words - used if w.startswith("ui.") and not w.startswith(stems)} == set()
