"""What holds for every scene that steps a pass, in a real JupyterLab.

    lawful(scene, "W05", trace=("MulBackward0 1", ...), at=2)

By keyboard alone it is stepped to its end and back to its beginning. At each place the text form
is what the record says; at the end its table is the trace that PyTorch's engine left of the same
program. Theme and language are switched in place, at the step `at`, where a picture of each is
taken. axe-core finds nothing, and nothing stands in the browser's console.
"""

import contextlib
import re

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.scene_programs import rows


def lawful(scene, name, trace, at):
    """Hold a scene against the law; it is left at its end, without the text form."""
    texts = walk(scene)
    assert rows(texts[-1]) == trace
    assert axe(scene.page) == []
    pictures(scene, name, at)
    scene.focus()
    scene.page.keyboard.press("End")
    expect(scene.root.locator(".count")).to_contain_text(count_of(len(texts) - 1))
    assert jupyter.console_errors(scene.page) == []


def walk(scene, most=60):
    """To the end and back to the beginning, by keyboard; the texts of all places."""
    scene.text_form(True)
    texts = [scene.words()]
    while not scene.over and len(texts) <= most:
        scene.press("ArrowRight")
        texts.append(scene.words())
    assert scene.over and len(texts) > 1
    assert scene.recorded() == texts
    scene.agrees()
    for text in texts[-2::-1]:
        scene.press("ArrowLeft")
        scene.await_words(text)
    scene.agrees()
    return texts


def pictures(scene, name, at):
    """At a step: the view in both themes and both languages, the text form in Russian."""
    for _ in range(at):
        scene.press("ArrowRight")
    scene.text_form(False)
    scene.picture(f"{name}-light-en")
    with contextlib.ExitStack() as language:
        with scene.dark():
            assert axe(scene.page) == []
            scene.picture(f"{name}-dark-en")
            language.enter_context(scene.russian())
            scene.picture(f"{name}-dark-ru")
        scene.picture(f"{name}-light-ru")
        text = scene.recorded()[at]
        scene.text_form(True)
        scene.await_words(text)
        assert re.search("[а-я]{3}", text)
    scene.text_form(False)


def count_of(steps):
    """What the bar says at the end: all steps done, or stopped in the last."""
    return re.compile(rf"\b{steps} of {steps} steps|stopped in step {steps} ")
