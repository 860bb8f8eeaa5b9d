"""Each front end's numbers against the truth that the zoo's programs tell: who accessed which page how often,
who touched it first, what it belongs to."""

import pytest
import zoo


def each_array(told, seen):
    for process, number in zip(told, seen.processes(told)):
        for i, array in enumerate(process.arrays):
            yield process, number, i, array


@pytest.mark.parametrize("name", zoo.PROGRAMS)
def test_counts(zoo_runs, name, way):
    """Every access of the program's own, by page and thread. `dbi` also sees what libc does there."""
    told, seen, _ = zoo_runs(name, way)
    for process, number in zip(told, seen.processes(told)):
        assert list(seen.threads(number).values()) == list(process.threads), "numbers are by creation"
    for process, number, i, array in each_array(told, seen):
        counts, unknown = seen.counts(number, array), process.unknown(i)
        assert {key: counts[key] for key in counts.keys() - unknown} == process.counts(i), array.name
        first, truth = seen.first_touch(number, array), process.first_touch(i)
        assert {page for page, _ in process.counts(i)} <= first.keys() <= truth.keys(), array.name
        for page, thread in first.items():
            assert thread in truth[page], (array.name, page)


@pytest.mark.parametrize("name", zoo.PROGRAMS)
def test_samples(zoo_runs, name):
    """Whoever is sampled on a page uses it. First touches are page faults, so each is seen; but where pages
    are there already, made by another process, reading one maps its neighbours."""
    told, seen, _ = zoo_runs(name, "sample", ZOO_TIMES="20")
    for process, number, i, array in each_array(told, seen):
        users = process.counts(i).keys() | process.unknown(i)
        assert seen.counts(number, array).keys() <= users, array.name
        first, truth = seen.first_touch(number, array), process.first_touch(i)
        is_there = any(array.name == other.name for earlier in told if earlier is not process
                       for other in earlier.arrays)
        assert first.keys() <= truth.keys() if is_there else first.keys() == truth.keys(), array.name
        for page, thread in first.items():
            assert thread in truth[page], (array.name, page)


@pytest.mark.parametrize("name, names", [("common_table", ["table"]), ("stencil", ["make_even", "make_odd"])])
def test_names(zoo_runs, name, names, way):
    """Of a variable, and of what functions allocate."""
    told, seen, _ = zoo_runs(name, way)
    for (_, number, _, array), expected in zip(each_array(told, seen), names, strict=True):
        assert expected in seen.names(number, array)
