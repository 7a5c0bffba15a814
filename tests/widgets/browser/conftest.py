"""One JupyterLab and one Chromium for all browser tests; a fresh page for each.

* `page`: a page that knows the server; see `jupyter.py` for what to do with it.
* `bare_page`: a page without Jupyter; see `bare.py`.
* `server`: the running JupyterLab, with `copy` and `write` for notebooks.
* `browser`: Chromium itself, for a page of your own (`jupyter.run_page(browser, server, ...)`).

Run these tests in one process (no `-n`): a second worker would start a second server.
"""

import pytest

from tests import requirement


def pytest_collection_modifyitems(items):
    """Every test in this folder is a browser test, whether it says so or not."""
    for item in items:
        if "tests/widgets/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def jupyter():
    """The helpers, imported only where playwright is at hand."""
    requirement.require("browser")
    from tests.widgets.browser import jupyter

    return jupyter


@pytest.fixture(scope="session")
def server(jupyter):
    """The JupyterLab of this session."""
    with jupyter.run_server() as server:
        yield server


@pytest.fixture(scope="session")
def browser(jupyter):
    """The Chromium of this session."""
    with jupyter.run_browser() as browser:
        yield browser


@pytest.fixture
def page(jupyter, browser, server):
    """A fresh page on the server; its kernels end with the test."""
    with jupyter.run_page(browser, server) as page:
        yield page
    server.stop_kernels()


@pytest.fixture
def bare_page(jupyter, browser):
    """A fresh page without Jupyter."""
    with jupyter.run_page(browser) as page:
        yield page
