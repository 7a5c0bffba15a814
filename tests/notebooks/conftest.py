"""A marker for each exercise, so that one can be chosen: `-m exercise_04_2`."""

import json
from importlib import resources

DATA = resources.files("autodidact") / "check_data"


def exercises():
    """The ids of all exercises, in the order of the course."""
    files = sorted(file.name for file in DATA.iterdir() if file.name[:2].isdigit())
    return [id for name in files for id in json.loads((DATA / name).read_text("utf-8"))]


def marker(id):
    """The marker of an exercise: `exercise_04_2` of "04.2"."""
    return f"exercise_{id.replace('.', '_')}"


def pytest_configure(config):
    for id in exercises():
        config.addinivalue_line("markers", f"{marker(id)}: exercise {id} of the lessons")
