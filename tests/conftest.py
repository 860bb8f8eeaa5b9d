"""What all end-to-end tests share: the built program, and ways to call it."""

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
    """Whether the build is one with a sanitizer."""
    cache = (build / "CMakeCache.txt").read_text().splitlines()
    return any(line.startswith("ATOLL_SANITIZE:") and not line.endswith("=") for line in cache)


@pytest.fixture(scope="session")
def source():
    return SOURCE


class Atoll:
    """Calls build/atoll; every call has a time limit, so that nothing can hang the suite."""

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
        """The call fails with `code` and exactly one line on standard error, which is returned."""
        done = self(*arguments, check=False, **more)
        lines = done.stderr.splitlines()
        assert done.returncode == code, f"{arguments}: exit {done.returncode}: {done.stderr}"
        assert len(lines) == 1, f"{arguments}: {len(lines)} lines: {done.stderr}"
        return lines[0]


@pytest.fixture(scope="session")
def processor_seconds():
    """Tells the processor time of all calls so far, which other programs don't prolong as they do the clock's."""
    def told():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    return told


@pytest.fixture(scope="session")
def atoll(build, tmp_path_factory):
    return Atoll(build / "atoll", tmp_path_factory.mktemp("cache"))
