"""What is wrong with a program, as text: the cause, the rule, the lines with marks, repairs."""

from autodidact.trace.messages import paragraph, say
from autodidact.trace.plain import aligned, visible

SIGNS = {"note": ".", "save": "#", "guilty": "!", "stop": "x"}


def case_lines(case, language):
    """The lines of the "clinic" of a state."""
    lines = [paragraph(case["say"], language)] if case["say"] else []
    if case["kind"] == "silent":
        lines.append(say("clinic.silent", None, language))
    if case["repaired"]:
        lines.append(paragraph([case["repaired"]], language))
    if case["rule"]:
        rule = paragraph([case["rule"]], language)
        lesson = case["lesson"] and {"lesson": case["lesson"].split("-")[0]}
        lines.append(f"{rule} {say('clinic.lesson', lesson, language)}" if lesson else rule)
    if case["listing"]:
        lines += listing_lines(case["listing"], language)
    if case["repairs"]:
        lines.append(say("clinic.repairs", None, language))
        lines += [f"  {n}  {paragraph([each], language)}"
                  for n, each in enumerate(case["repairs"], 1)]
    return lines


def listing_lines(listing, language):
    """The program, a line each: its sign, its number, its text, what is to be said of it."""
    rows = []
    for number, text in enumerate(listing["lines"], listing["first"]):
        marks = [mark for mark in listing["marks"] if mark["line"] == number]
        sign = next((SIGNS[kind] for kind in ("stop", "guilty", "save", "note")
                     if any(mark["kind"] == kind for mark in marks)), " ")
        told = [paragraph([mark["say"]], language) for mark in marks if mark["say"]]
        indent = len(text) - len(text.lstrip(" "))
        rows.append([f"{sign} {number}", " " * indent + visible(text[indent:]), "; ".join(told)])
    return aligned(rows)
