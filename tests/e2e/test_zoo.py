"""Each front end's numbers against the truth that the zoo's programs tell: who accessed which page how often,
who touched it first, what it belongs to."""

import pytest
import zoo


def each_array(told, seen):
    for process, number in zip(told, seen.processes(told)):
        for i, array in enumerate(process.arrays):
            yield process, number, i, array


def each_page(told, seen, inherits=True):
    """A page as it was used, with what was seen of it: at one place at most."""
    found = seen.pages()
    for page in zoo.pages(told, seen.processes(told), inherits):
        places = page.places & found.keys()
        assert len(places) <= 1, (page.name, places)
        yield (page, *(found[places.pop()] if places else ({}, None)))


@pytest.mark.parametrize("name", zoo.PROGRAMS)
def test_counts(zoo_runs, name, way):
    """Every access of the program's own, by page and thread. `dbi` also sees what libc does there."""
    told, seen, _ = zoo_runs(name, way)
    for process, number in zip(told, seen.processes(told)):
        assert list(seen.threads(number).values()) == list(process.threads), "numbers are by creation"
    for page, counts, first in each_page(told, seen):
        assert {who: counts[who] for who in counts.keys() - page.unknown} == page.counts, page.name
        # The compiled front ends may miss writes, so they count the first use of any kind.
        expected = page.first_touch(by_writes=way == "dbi")
        assert first in expected or (first is None and not page.counts), page.name


@pytest.mark.parametrize("name", zoo.PROGRAMS)
def test_samples(zoo_runs, name):
    """Whoever is sampled on a page uses it. First touches are page faults, so each is seen; but where a process
    has inherited a page, reading it is none."""
    told, seen, _ = zoo_runs(name, "sample", ZOO_TIMES="20")
    pids = dict(zip(seen.processes(told), (process.pid for process in told)))
    owners = {array.name: array.owner for process in told for array in process.arrays}
    for page, counts, first in each_page(told, seen, inherits=False):
        assert counts.keys() <= page.counts.keys() | page.unknown, page.name
        is_there = all(pids[process] != owners[page.name] for process, _ in page.places)
        assert first in page.first_touch() or (first is None and is_there), page.name


@pytest.mark.parametrize("name, names", [("common_table", ["table"]), ("stencil", ["make_even", "make_odd"])])
def test_names(zoo_runs, name, names, way):
    """Of a variable, and of what functions allocate."""
    told, seen, _ = zoo_runs(name, way)
    for (_, number, _, array), expected in zip(each_array(told, seen), names, strict=True):
        assert expected in seen.names(number, array)
