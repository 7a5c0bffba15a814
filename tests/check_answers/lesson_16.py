"""Lesson 16: a right answer, wrong answers with what the text must say, empty answers."""


def broken(words):
    def patient(x):
        raise RuntimeError(f"it says: {words}, and so on")

    return patient


def pair(first, second):
    """The two names of each exercise, in order."""
    return lambda one, other: {f"{first}_repaired": one, f"{second}_repaired": other}


def again(x):
    return 6 * x + 4 * x**3


def changed(x):
    return 8 * x + 2


def unused(x):
    return [2 * (2 * x + 1) * x, 2 * (2 * x + 1)]


one, two, three = pair("again", "changed"), pair("cut", "many"), pair("unused", "descend")
VERDICTS = {"healthy": True, "cheerful": True, "forgetful": False, "sly": False, "shortened": False}

TABLE = {
    "16.1": (
        one(again, changed),
        [
            (one(lambda x: 44.0, changed), "again_repaired(-1): Expected -10, got 44"),
            (one(again, lambda x: 16.0), "changed_repaired(2): Expected 18, got 16"),
            (one(broken("out of memory"), changed), "stopped with RuntimeError: it says: out of"),
            (again, "Expected a dict with the names again_repaired, changed_repaired"),
        ],
        [
            None,
            one(None, None),
            one(broken("second time"), broken("modified by an inplace operation")),
        ],
    ),
    "16.2": (
        two(lambda x: 18 * x, lambda numbers: [2 * number for number in numbers]),
        [
            (two(lambda x: 0.0, None), "cut_repaired(2): Expected 36, got 0"),
            (
                two(lambda x: 18 * x, lambda numbers: [2 * n / len(numbers) for n in numbers]),
                "many_repaired([1, 2, 3]): Place 1 of 3: Expected 2, got 0.666667",
            ),
        ],
        [two(broken("does not require grad"), broken("only for scalar outputs")), {}],
    ),
    "16.3": (
        three(unused, lambda x: 0.82 * x),
        [
            (three(lambda x: [4 * x * x, None], None), "unused_repaired(3): Place 1 of 2"),
            (three(lambda x: [42.0, None], None), "Place 2 of 2: Expected the number 14, got None"),
            (three(unused, lambda x: x), "descend_repaired(2): Expected 1.64, got 2"),
        ],
        [
            three(
                broken("not have been used in the graph"),
                broken("a leaf Variable that requires grad is used"),
            )
        ],
    ),
    "16.4": (
        VERDICTS,
        [
            ({**VERDICTS, "sly": True}, "Case 4 of 5, sly: Expected False, got True."),
            ({**VERDICTS, "cheerful": False}, "Case 2 of 5, cheerful: Expected True, got False."),
        ],
        [dict.fromkeys(VERDICTS), None],
    ),
    "16.5": (
        ["second time", "second time"],
        [
            (["second time", "no error"], "Expected no error, got second time."),
            (["only for scalar outputs", "second time"], "Expected second time, got only for"),
        ],
        [[None, "second time"], [None, None], ["second time", None]],
    ),
}
