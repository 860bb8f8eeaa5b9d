"""Each front end's numbers against the truth that the zoo's programs tell: who accessed which page how often,
who touched it first, what it belongs to."""

from pathlib import Path

import pytest
import zoo
from drivers import Compiler


@pytest.fixture(scope="module")
def builders(build, tmp_path_factory):
    """By the compiler's name: the front end, and what builds a program for it."""

    def builder(name, *more, **compilers):
        return zoo.Builder(tmp_path_factory.mktemp(name), *more, **compilers)

    plain = builder("plain", c=["gcc"], cplusplus=["g++", "-std=c++17"])
    result = {"dbi": ("dbi", plain), "sample": ("sample", plain)}
    for name in zoo.drivers(build):
        driver = Compiler(build, name)
        result[name] = (driver.frontend, builder(name, c=[driver.c, *driver.choice],
                                                 cplusplus=[driver.cplusplus, *driver.choice, "-std=c++17"]))
    return result


@pytest.fixture
def watched(atoll, builders, tmp_path):
    """A program's truth, and what a front end saw of the same run."""

    def run(name, way, *options, **environment):
        frontend, builder = builders[way]
        profile = tmp_path / "p"
        told = zoo.run(tmp_path, [atoll.program, "profile", "--frontend", frontend, "--memory", "1GiB", *options,
                                  "-o", profile, "--", builder(name)], **environment)
        return told, zoo.Seen(profile)

    return run


def pytest_generate_tests(metafunc):
    if "way" in metafunc.fixturenames:
        metafunc.parametrize("way", [*zoo.drivers(Path(metafunc.config.getoption("--build"))), "dbi"])


def each_array(told, seen):
    for process, number in zip(told, seen.processes(told)):
        for i, array in enumerate(process.arrays):
            yield process, number, i, array


@pytest.mark.parametrize("name", zoo.PROGRAMS)
def test_counts(watched, name, way):
    """Every access of the program's own, by page and thread. `dbi` also sees what libc does there."""
    told, seen = watched(name, way)
    for process, number, i, array in each_array(told, seen):
        counts, by_libc = seen.counts(number, array), process.by_libc(i)
        assert {key: counts[key] for key in counts.keys() - by_libc} == process.counts(i), array.name
        first = seen.first_touch(number, array)
        assert first.keys() == process.first_touch(i).keys(), array.name
        for page, threads in process.first_touch(i).items():
            assert first[page] in threads, (array.name, page)


@pytest.mark.parametrize("name", zoo.PROGRAMS)
def test_samples(watched, name):
    """Whoever is sampled on a page uses it. First touches are page faults, so each is seen; but where pages
    are there already, made by another process, reading one maps its neighbours."""
    told, seen = watched(name, "sample", ZOO_TIMES="20")
    for process, number, i, array in each_array(told, seen):
        users = process.counts(i).keys() | process.by_libc(i)
        assert seen.counts(number, array).keys() <= users, array.name
        first, truth = seen.first_touch(number, array), process.first_touch(i)
        is_there = any(array.name == other.name for earlier in told if earlier is not process
                       for other in earlier.arrays)
        assert first.keys() <= truth.keys() if is_there else first.keys() == truth.keys(), array.name
        for page, thread in first.items():
            assert thread in truth[page], (array.name, page)


@pytest.mark.parametrize("name, names", [("common_table", ["table"]), ("stencil", ["make_even", "make_odd"])])
def test_names(watched, name, names, way):
    """Of a variable, and of what functions allocate."""
    told, seen = watched(name, way)
    for (_, number, _, array), expected in zip(each_array(told, seen), names, strict=True):
        assert expected in seen.names(number, array)
