"""check(): right passes, wrong says where, empty says what to do, and nothing is ever raised."""

import doctest
import importlib
import itertools
import json
from importlib import resources
from string import Formatter

import numpy as np
import pytest

from autodidact.check import Result, check
from autodidact.checking.kinds import KINDS
from autodidact.checking.words import sentences
from autodidact.trace.messages import LANGUAGES, set_language
from tests.check_answers import TABLE
from tests.check_answers.lesson_00 import eight_times

checking = importlib.import_module("autodidact.check")


TENSORS = {
    "kind": "function", "name": "double", "tensors": True,
    "expected": [{"args": [[1.0, 2.0], 3.0, "sum"], "returns": [9.0, 18.0]}],
    "texts": {"en": {"ask": "Write it.", "hints": ["Twice."], "because": "Twice and thrice."}},
}  # fmt: skip
WITHIN = {
    "kind": "within", "expected": [1e-9, 1e-7],
    "texts": {"en": {"ask": "Write it.", "hints": ["Look."], "because": "There it is."}},
}  # fmt: skip


def data():
    return checking._exercises()


@pytest.fixture(autouse=True)
def no_tries_yet():
    checking._wrong_tries.clear()


def test_every_exercise_has_its_line_in_the_table():
    assert set(TABLE) == set(data())


@pytest.mark.parametrize("id", TABLE)
def test_a_right_answer_passes_and_says_why(id):
    result = check(id, TABLE[id][0])
    assert result.ok and result
    assert result.text.startswith(f"{id} right: ")
    assert result.text.endswith(data()[id]["texts"]["en"]["because"])


WRONG = [(id, answer, says) for id, line in TABLE.items() for answer, says in line[1]]


@pytest.mark.parametrize(("id", "answer", "says"), WRONG)
def test_a_wrong_answer_says_where_and_gives_one_hint_more_each_time(id, answer, says):
    hints = data()[id]["texts"]["en"]["hints"]
    for tries in (1, 2, 3, 4):
        result = check(id, answer)
        assert not result.ok and not result
        assert result.text.startswith(f"{id} not yet. ")
        assert says in result.text.split("\n")[0]
        given = [line.split(": ", 1)[1] for line in result.text.split("\n")[1:]]
        assert given == hints[:tries]


EMPTY = [(id, answer) for id, line in TABLE.items() for answer in line[2]]


@pytest.mark.parametrize(("id", "answer"), EMPTY)
def test_an_empty_answer_says_what_to_do_and_is_no_try(id, answer):
    result = check(id, answer)
    assert not result.ok
    assert result.text == f"{id} is still empty. {data()[id]['texts']['en']['ask']}"
    assert checking._wrong_tries == {}


def test_a_right_answer_ends_the_count_of_tries():
    check("00.2", 1.0)
    check("00.2", 1.0)
    check("00.2", 64.0)
    assert "Hint 1" in check("00.2", 1.0).text
    assert "Hint 2" not in check("00.2", 64.0).text


@pytest.mark.parametrize(
    "answer",
    [64, 64.0, 64.02, np.float32(64), np.array(64), np.array(64.0, dtype="float32"), 64 + 0j],
)
def test_numbers_of_any_make_count_and_rounding_is_allowed(answer):
    assert check("00.2", answer).ok


@pytest.mark.parametrize("answer", [float("nan"), float("inf"), 63.9, True, -64.0, 64j, b"64"])
def test_what_is_not_the_number_fails(answer):
    assert not check("00.2", answer).ok


@pytest.mark.parametrize(
    "answer",
    [tuple("Ldcab"), dict.fromkeys("Ldcab").keys(), np.array([*"Ldcab"]), ["l", "D ", *"cab"]],
)
def test_lists_of_any_make_count_and_names_are_read_kindly(answer):
    assert check("04.2", answer).ok


@pytest.mark.oracle
def test_tensors_of_torch_count(oracle):
    assert check("00.2", oracle.tensor(64.0, requires_grad=True)).ok
    assert check("00.4", lambda value: oracle.tensor(8 * value)).ok
    assert not check("00.2", oracle.zeros(1000, 1000)).ok


def test_tensors_of_autodidact_count():
    import autodidact as ad

    assert check("00.2", ad.tensor(64.0, requires_grad=True)).ok
    assert check("00.3", {"u": ad.tensor(15.0), "w": ad.tensor([6.0]).sum()}).ok


class Hostile:
    """Everything one could ask of it raises."""

    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __repr__(self):
        raise RuntimeError("no repr")

    def __eq__(self, other):
        raise RuntimeError("no comparison")

    __hash__ = None


def endless():
    ring = []
    ring.append(ring)
    return ring


def leaves(value):
    raise SystemExit


HOSTILE = {
    "raises": Hostile,
    "class": lambda: Hostile,
    "ring": endless,
    "endless": itertools.count,
    "object": object,
    "print": lambda: print,
    "exit": lambda: leaves,
    "large": lambda: np.zeros((10**4, 10)),
}


@pytest.mark.parametrize("id", TABLE)
@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_nothing_is_raised_at_the_learner(id, make, capsys):
    for given in (make(), [make(), make()], {name: make() for name in ("u", "w", "d")}):
        result = check(id, given)
        assert not result.ok
        assert 0 < len(result.text) < 1000


@pytest.mark.parametrize("make", [lambda: "09.9", str, lambda: None, lambda: 4.2, list, Hostile])
def test_an_unknown_exercise_is_answered_with_the_known_ones(make):
    result = check(make(), 64.0)
    assert not result.ok
    assert "04.2" in result.text


def test_the_result_shows_as_text_and_as_escaped_html():
    result = Result(False, "got <img src=x onerror=alert(1)> & more\nHint 1 of 3: look")
    assert repr(result) == result.text
    page = result._repr_html_()
    assert "<img" not in page and "&lt;img" in page and "&amp;" in page
    assert page.count("<p>") == 2 and 'lang="en"' in page


def test_markup_in_an_answer_stays_text():
    assert "<b>" not in check("04.2", ["<b>L</b>", "d", "c", "a", "b"])._repr_html_()


def test_a_function_cannot_change_the_recorded_cases():
    def greedy(value):
        return eight_times(value)

    assert check("00.4", greedy).ok
    assert [case["args"] for case in data()["00.4"]["expected"]] == [[8.0], [1.0], [-3.0], [0.0]]


@pytest.mark.parametrize("id", TABLE)
def test_the_data_of_an_exercise_is_complete_and_in_the_right_file(id):
    exercise = data()[id]
    assert exercise["kind"] in KINDS
    assert set(exercise["texts"]) == set(LANGUAGES)
    for texts in exercise["texts"].values():
        assert set(texts) == {"ask", "hints", "because"}
        assert 1 <= len(texts["hints"]) <= 3
        for sentence in [texts["because"], *texts["hints"]]:
            assert sentence[-1] in ".?" and "!" not in sentence
    folder = resources.files("autodidact") / "check_data"
    assert id in json.loads((folder / f"{id[:2]}.json").read_text("utf-8"))


@pytest.fixture
def russian():
    set_language("ru")
    yield
    set_language("en")


def test_the_language_can_be_changed(russian):
    assert check("00.2", 64.0).text.startswith("00.2 верно: 64. ")
    assert "Подсказка 1 из 3: " in check("00.2", 1.0).text
    assert 'lang="ru"' in check("00.2", None)._repr_html_()


def gaps(sentence):
    return {field for _, field, *_ in Formatter().parse(sentence)} - {None}


def test_the_languages_have_the_same_sentences_with_the_same_gaps():
    english = sentences("en")
    for language in LANGUAGES:
        other = sentences(language)
        assert set(other) == set(english)
        for id, sentence in other.items():
            assert gaps(sentence) == gaps(english[id]), id


def test_the_examples_in_the_docstrings_run():
    outcome = doctest.testmod(checking)
    assert outcome.attempted >= 2 and outcome.failed == 0


# ---- kinds of exercise that the table above does not show in full --------------------------------


@pytest.fixture
def exercise(monkeypatch):
    """Put an exercise of its own into the data."""
    return lambda id, entry: monkeypatch.setitem(data(), id, entry)


@pytest.mark.parametrize("name", ["autodidact", pytest.param("torch", marks=pytest.mark.oracle)])
def test_a_function_gets_tensors_of_the_library_its_lesson_uses(exercise, name):
    exercise("99.1", TENSORS)
    lesson = {"torch": importlib.import_module(name)}
    exec("def double(x, factor, how): return x * factor * (3 if how == 'sum' else 0)", lesson)
    exec("def strange(x, factor, how): return type(x).__module__.split('.')[0]", lesson)
    assert check("99.1", lesson["double"]).ok
    assert f"got {name}" in check("99.1", lesson["strange"]).text
    exercise("99.1", {**TENSORS, "tensors": 1})
    exec("def double(x, factor, how): return x * 3 * factor * (type(factor) is float)", lesson)
    assert check("99.1", lesson["double"]).ok
    exec("def greedy(x, factor, how): x *= 0; return x", lesson)
    assert not check("99.1", lesson["greedy"]).ok and check("99.1", lesson["double"]).ok


@pytest.mark.parametrize("answer", [1e-8, 1e-9, 1e-7, np.float64(3e-8)])
def test_a_number_between_two_bounds(exercise, answer):
    exercise("99.2", WITHIN)
    assert check("99.2", answer).ok


@pytest.mark.parametrize("answer", [1e-6, -1e-8, 0, float("nan"), True, "1e-8", [1e-8]])
def test_a_number_outside_the_bounds(exercise, answer):
    exercise("99.2", WITHIN)
    assert "Expected a number from 1e-09 to 1e-07, got " in check("99.2", answer).text


TWO = {
    "kind": "functions",
    "expected": {
        "twice": [{"args": [2.0], "returns": 4.0}],
        "thrice": [{"args": [2.0], "returns": 6.0}],
    },
    "texts": {"en": {"ask": "Write both.", "hints": ["Multiply."], "because": "Both multiply."}},
}  # fmt: skip


def test_several_functions_are_tried_one_by_one(exercise):
    exercise("99.3", TWO)
    twice, thrice = (lambda x: 2 * x), (lambda x: 3 * x)
    assert check("99.3", {"twice": twice, "thrice": thrice}).text.startswith("99.3 right: all 2")
    half = check("99.3", {"twice": twice, "thrice": lambda x: None})
    assert half.text == "99.3 is still empty. Right so far: twice. Write both."
    assert check("99.3", {"twice": None}).text == "99.3 is still empty. Write both."
    assert "thrice(2): Expected 6, got 4" in check("99.3", {"twice": twice, "thrice": twice}).text
    assert "Expected a dict with the names twice, thrice" in check("99.3", [1]).text
