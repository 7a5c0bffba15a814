"""The skip rule itself: quiet on a learner's machine, a failure where the check is required."""

from pathlib import Path

import pytest

from tests import requirement

TESTS = Path(__file__).parent

MODULE_LEVEL = "import pytest\npytest.importorskip('torch_that_is_not_there')\ndef test(): pass\n"
CASES = {
    "inside": "import pytest\ndef test(): pytest.importorskip('torch_that_is_not_there')\n",
    "marker": "import pytest\n@pytest.mark.oracle\ndef test(): pytest.skip('no reason')\n",
    "fixture": "import pytest\ndef test(oracle): pytest.skip('no reason')\n",
    "mark": "import pytest\n@pytest.mark.skipif(True, reason='needs torch')\ndef test(): pass\n",
    "module": MODULE_LEVEL,
}
OTHER = "import pytest\ndef test(): pytest.skip('not for integers')\n"


@pytest.fixture
def run(pytester, monkeypatch):
    """Run one small test file under our conftest, with AUTODIDACT_REQUIRE set to `names`."""

    def run(source, names):
        monkeypatch.setenv("AUTODIDACT_REQUIRE", names)
        monkeypatch.setattr(requirement, "missing", lambda kind: None)
        pytester.makeconftest(
            (TESTS / "conftest.py").read_text()
            + "\n@pytest.fixture\ndef oracle(): return None\n"
        )
        pytester.makeini("[pytest]\nmarkers = oracle\n  browser\n  delivery\n")
        return pytester.runpytest_inprocess(pytester.makepyfile(test_inner=source))

    return run


@pytest.mark.parametrize("name", CASES)
def test_a_required_check_that_skips_fails(run, name):
    outcomes = run(CASES[name], "oracle").parseoutcomes()
    assert outcomes.get("failed", 0) + outcomes.get("errors", 0) == 1, outcomes
    assert "skipped" not in outcomes


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("names", ["", "browser"])
def test_what_is_not_required_may_skip(run, name, names):
    assert run(CASES[name], names).parseoutcomes() == {"skipped": 1}


def test_other_skips_stay_skips(run):
    assert run(OTHER, "oracle,browser").parseoutcomes() == {"skipped": 1}


def test_an_unknown_requirement_is_an_error(run):
    assert run("def test(): pass\n", "orakle").ret == pytest.ExitCode.USAGE_ERROR
