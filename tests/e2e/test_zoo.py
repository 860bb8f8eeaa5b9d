"""Each front end's numbers compared with the truth reported by the zoo's programs: accesses of each page by thread,
first touches, and objects."""

import pytest
import zoo


def each_array(told, seen):
    for process, number in zip(told, seen.processes(told)):
        for i, array in enumerate(process.arrays):
            yield process, number, i, array


def each_page(told, seen, inherits=True):
    """Yields (page, accesses in the profile, first toucher in the profile) for each page that the program
    used. The profile has each page at most once."""
    found = seen.pages()
    for page in zoo.pages(told, seen.processes(told), inherits):
        places = page.places & found.keys()
        assert len(places) <= 1, (page.name, places)
        yield (page, *(found[places.pop()] if places else ({}, None)))


@pytest.mark.parametrize("name", zoo.PROGRAMS)
def test_counts(zoo_runs, name, way):
    """All accesses of the program itself are counted, by page and thread. `dbi` also sees accesses of libc."""
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
    """A thread that is sampled on a page uses that page. First touches are page faults, so each is seen. A
    read of a page that the process has inherited causes no fault."""
    told, seen, _ = zoo_runs(name, "sample", ZOO_TIMES="20")
    pids = dict(zip(seen.processes(told), (process.pid for process in told)))
    owners = {array.name: array.owner for process in told for array in process.arrays}
    for page, counts, first in each_page(told, seen, inherits=False):
        assert counts.keys() <= page.counts.keys() | page.unknown, page.name
        is_there = all(pids[process] != owners[page.name] for process, _ in page.places)
        assert first in page.first_touch() or (first is None and is_there), page.name


@pytest.mark.parametrize("name, names", [("common_table", ["table"]), ("stencil", ["make_even", "make_odd"])])
def test_names(zoo_runs, name, names, way):
    """Objects have the names of a variable, and of memory that functions allocate."""
    told, seen, _ = zoo_runs(name, way)
    for (_, number, _, array), expected in zip(each_array(told, seen), names, strict=True):
        assert expected in seen.names(number, array)
