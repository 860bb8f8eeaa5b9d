"""What more than one file of these tests asks for."""

import functools
import re
from pathlib import Path

import pytest
from browser import Browser
from dbi_programs import compiled
from drivers import Compiler
from report_pages import Made


def pytest_generate_tests(metafunc):
    """Every clang with a plugin, and gcc."""
    if "driver" not in metafunc.fixturenames:
        return
    build = Path(metafunc.config.getoption("--build")).resolve()
    versions = sorted(int(re.search(r"\d+", p.name).group()) for p in (build / "lib/atoll").glob("atoll-pass-*.so"))
    assert versions
    metafunc.parametrize("driver", [f"clang-{version}" for version in versions] + ["gcc"])


@pytest.fixture
def make(build, driver):
    return Compiler(build, driver)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Compiles C texts."""
    return functools.partial(compiled, tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="module")
def made(atoll, build, tmp_path_factory):
    return Made(atoll, build, tmp_path_factory.mktemp("profiles"))


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture
def browser(chromium):
    """Wide and light; whatever a test does, the console stays empty and nothing is fetched."""
    chromium.size(1280)
    chromium.scheme("light")
    chromium.console.clear()
    chromium.requests.clear()
    yield chromium
    assert chromium.console == []
    assert [url for url in chromium.requests
            if not url.startswith("data:") and not (url.startswith("file:") and ".html" in url)] == []
