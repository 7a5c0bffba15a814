"""Predict mode of a stepper: questions before each step, a tally, and the answers as a JSON file.

The answers stay in the kernel and in the file that the learner saves; nothing is sent anywhere.
"""

import json
import pathlib
from typing import Any

import traitlets

from autodidact.trace import questions
from autodidact.trace.index import index_of
from autodidact.trace.messages import say
from autodidact.trace.plain import aligned
from autodidact_widgets.wire import told

__all__ = ["REQUESTS", "Asking"]

REQUESTS = {
    "ask": {"on": lambda on: type(on) is bool},
    "answer": {"text": lambda text: isinstance(text, str) and len(text) <= 100},
    "reveal": {},
    "forget": {},
}


def words(sentence: dict) -> str:
    """A sentence in the current language."""
    return say(sentence["id"], sentence["args"])


def row(given: dict) -> list:
    """One answer: what was asked, what was said, what it was, and the result."""
    said = "-" if given["said"] is None else f"{given['said']:.6g}"
    if given["right"]:
        result = say("ask.right")
    elif given["said"] is None:
        result = say("ask.shown")
    else:
        result = say("ask.off", {"by": f"{abs(given['said'] - given['was']):.6g}"})
    explained = given["rule"] and not given["right"]
    reason = " " + say("ask.rule", {"rule": given["rule"]}) if explained else ""
    return [f"  {words(given['asked'])}", said, f"{given['was']:.6g}", result + reason]


class Asking(traitlets.HasTraits):
    """The part of a stepper that asks.

    Attributes:
        asking: {} when it does not ask; else "open", the questions about the next node that are
            not answered, "answers", and "tolerance".
    """

    asking = traitlets.Dict().tag(sync=True, to_json=told)

    def ask(self, on: bool = True, tolerance: float = questions.TOLERANCE) -> "Asking":
        """Ask for each number before the step that sends it; `on=False` stops asking.

        Args:
            on: whether to ask.
            tolerance: an answer is right within this part of the number.

        Returns:
            The stepper.
        """
        kept = self.asking.get("answers", [])
        self._asking = {"open": [], "answers": kept, "tolerance": float(tolerance)} if on else {}
        self._asked_at = None
        self._next_questions()
        return self

    def answer(self, said: Any) -> bool:
        """Answer the first open question; True if it is right.

        Raises:
            ValueError: there is no open question, or the answer is no number.
        """
        value = questions.number_in(said)
        if not self.asking.get("open") or value is None:
            why = "this is no number" if self.asking.get("open") else "there is no open question"
            raise ValueError(f"answer({said!r}): {why}")
        return self._settle(value)

    def reveal(self) -> None:
        """Show the number that is asked for; it does not count as right."""
        if self.asking.get("open"):
            self._settle(None)

    def forget_answers(self) -> None:
        """Begin the tally anew."""
        if self.asking:
            self._asking = {**self._asking, "answers": []}
            self.asking = self._asking

    def answers(self) -> dict:
        """All answers so far, as plain data: root, tolerance, how many were right, and each one."""
        given = self.asking.get("answers", [])
        return {"format": 1, "root": self._driver.head["root"],
                "tolerance": self.asking.get("tolerance"), "asked": len(given),
                "right": sum(each["right"] for each in given), "answers": given}

    def save_answers(self, path: str | pathlib.Path) -> None:
        """Write `answers()` as one JSON file."""
        text = json.dumps(self.answers(), ensure_ascii=False, indent=1)
        pathlib.Path(path).write_text(text, encoding="utf-8")

    def _settle(self, said: float | None) -> bool:
        question, *rest = self._asking["open"]
        right = said is not None and questions.judge(
            said, question["was"], self._asking["tolerance"])
        asked = questions.sentence_of(self._driver.head, question, "ask.from")
        given = {"step": len(self._driver.states), "asked": asked, "said": said,
                 "was": question["was"], "right": right, "rule": question["rule"]}
        self._asking = {**self._asking, "open": rest, "answers": [*self._asking["answers"], given]}
        self.asking = self._asking
        return right

    def _next_questions(self) -> None:
        """Questions about the state that is newest now."""
        if not self._asking or self._asked_at == len(self._driver.states):
            self.asking = self._asking
            return
        newest = {"predicted": {}, **self._driver.states[-1]}
        self._asked_at = len(self._driver.states)
        found = questions.questions(self._driver.head, newest, index_of(self._driver))
        self._asking = {**self._asking, "open": found}
        self.asking = self._asking

    def _open_now(self) -> list:
        """The questions that hide something in the state that is shown."""
        newest = self.position == len(self._driver.states) - 1 and self.event < 0
        return self.asking.get("open", []) if newest else []

    def _ask_lines(self) -> str:
        """The open question and the tally as lines of the text form; empty where nobody asks."""
        if not self.asking:
            return ""
        head, given = self._driver.head, self.asking["answers"]
        lines = [words(questions.sentence_of(head, each)) for each in self._open_now()[:1]]
        if given:
            right = sum(each["right"] for each in given)
            lines.append(say("ask.tally", {"right": right, "asked": len(given)}))
            lines += aligned([row(each) for each in given])
        return "\n".join(["", *lines, ""]) if lines else ""

    def _answer_ask(self, content: dict) -> None:
        """A view's request, already checked."""
        kind = content["type"]
        if kind == "ask":
            self.ask(content["on"])
        elif kind == "reveal":
            self.reveal()
        elif kind == "forget":
            self.forget_answers()
        elif self.asking.get("open") and questions.number_in(content["text"]) is not None:
            self.answer(content["text"])
        else:
            self._refuse([{"id": "refused.number", "args": {}}])
