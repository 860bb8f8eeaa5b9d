"""What more than one file of these tests asks for."""

import functools
import re
from pathlib import Path

import pytest
from dbi_programs import compiled
from drivers import Compiler


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
