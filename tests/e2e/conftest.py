"""Fixtures shared by several files of these tests."""

import functools
from pathlib import Path

import pytest
from browser import Browser
from dbi_programs import compiled
from drivers import Compiler, drivers
from echo import Echo
from report_pages import Made
from zoo_runs import Zoo


def pytest_generate_tests(metafunc):
    """Runs a test with the argument `driver` for each compiler that has a front end (clang, gcc), and a test
    with the argument `way` for the emulator, too."""
    build = Path(metafunc.config.getoption("--build")).resolve()
    if "driver" in metafunc.fixturenames:
        metafunc.parametrize("driver", drivers(build))
    if "way" in metafunc.fixturenames:
        metafunc.parametrize("way", [*drivers(build), "dbi"])


@pytest.fixture
def make(build, driver):
    return Compiler(build, driver)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Returns a function that compiles C source text."""
    return functools.partial(compiled, tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="module")
def zoo_runs(atoll, build, tmp_path_factory):
    return Zoo(atoll, build, tmp_path_factory.mktemp("zoo"))


@pytest.fixture(scope="module")
def graphs(atoll, source, tmp_path_factory):
    from greenmarl_graphs import Graphs

    return Graphs(atoll, source, tmp_path_factory.mktemp("graphs"))


@pytest.fixture
def apps(atoll, source, tmp_path):
    from greenmarl_apps import Apps

    return Apps(atoll, source, tmp_path)


@pytest.fixture(scope="module")
def made(atoll, build, tmp_path_factory):
    return Made(atoll, build, tmp_path_factory.mktemp("profiles"))


@pytest.fixture(scope="module")
def echo(atoll, build):
    """Returns the program tests/programs/echo.cpp, which outputs its inputs."""
    return Echo(type(atoll)(build / "tests/atoll_echo", atoll.cache))


@pytest.fixture
def labelled(atoll, tmp_path):
    """Returns a graph file of four packages and their dependencies."""
    edges = ["app,libc6", "app,libgcc", "libgcc,libc6", "cron,libc6"]
    (tmp_path / "packages.csv").write_text("\n".join(["from,to", *edges]))
    atoll("graph", "convert", tmp_path / "packages.csv", "--columns", "from,to", "--relabel", "-o",
          tmp_path / "packages.atoll")
    return tmp_path / "packages.atoll"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture
def browser(chromium):
    """Returns a wide page in the light theme. After each test, the console must be empty and the page must
    have made no requests."""
    chromium.size(1280)
    chromium.scheme("light")
    chromium.console.clear()
    chromium.requests.clear()
    yield chromium
    assert chromium.console == []
    assert [url for url in chromium.requests
            if not url.startswith("data:") and not (url.startswith("file:") and ".html" in url)] == []
