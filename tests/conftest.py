"""Fixtures of all end-to-end and installation tests: the built program, and classes that call it."""

import json
import resource
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1]


def pytest_addoption(parser):
    parser.addoption("--build", default=str(SOURCE / "build"), help="the build folder to test")


@pytest.fixture(scope="session")
def build(request):
    return Path(request.config.getoption("--build")).resolve()


@pytest.fixture(scope="session")
def sanitized(build):
    """Returns True if the build uses a sanitizer."""
    cache = (build / "CMakeCache.txt").read_text().splitlines()
    return any(line.startswith("ATOLL_SANITIZE:") and not line.endswith("=") for line in cache)


@pytest.fixture(autouse=True)
def skip_if_sanitized(request, sanitized):
    """Skips tests with the mark plain_build(REASON) in a build with sanitizers."""
    mark = request.node.get_closest_marker("plain_build")
    if mark and sanitized:
        pytest.skip(mark.args[0])


@pytest.fixture(scope="session")
def source():
    return SOURCE


class Atoll:
    """Calls build/atoll. Every call has a time limit, so that no call can block the test run."""

    def __init__(self, program, cache):
        self.program = program
        self.cache = cache

    def __call__(self, *arguments, timeout=300, check=True, **more):
        import os

        environment = dict(os.environ, XDG_CACHE_HOME=str(self.cache))
        done = subprocess.run(
            [str(self.program), *map(str, arguments)],
            capture_output=True, text=True, timeout=timeout, env=environment, **more,
        )
        if check:
            assert done.returncode == 0, f"{arguments}: exit {done.returncode}: {done.stderr}"
        return done

    def json(self, *arguments, **more):
        return json.loads(self(*arguments, "--json", **more).stdout)

    def refuses(self, *arguments, code=2, **more):
        """Calls atoll, which must fail with `code` and print exactly one line on standard error. Returns the line."""
        done = self(*arguments, check=False, **more)
        lines = done.stderr.splitlines()
        assert done.returncode == code, f"{arguments}: exit {done.returncode}: {done.stderr}"
        assert len(lines) == 1, f"{arguments}: {len(lines)} lines: {done.stderr}"
        return lines[0]


@pytest.fixture(scope="session")
def processor_seconds():
    """Returns a function that returns the processor time of all ended child processes, in seconds. Unlike
    elapsed time, it doesn't grow with the load by other programs."""
    def told():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    return told


@pytest.fixture(scope="session")
def atoll(build):
    """Calls with a cache of compiled programs that all test files of a build share: many run the same programs."""
    cache = build / "tests/compiled"
    cache.mkdir(parents=True, exist_ok=True)
    return Atoll(build / "atoll", cache)
