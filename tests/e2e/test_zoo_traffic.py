"""The traffic that front ends estimate, against caches that are fed with what the zoo's programs tell."""

import collections

import pytest
import zoo


@pytest.mark.parametrize("name", ["busy_locals", "pairs", "ring", "streams", "unequal_parts"])
def test_shares(zoo_runs, name, way):
    """Of each array, in each thread, and of each thread: within 5 points."""
    told, seen, _ = zoo_runs(name, way)
    (process,), (number,) = told, seen.processes(told)
    truth = collections.Counter()
    for (_, array, _, thread, _), n in zoo.traffic(told).items():
        truth[array, thread] += n
    found = {(i, thread): n for i, array in enumerate(process.arrays)
             for thread, n in seen.traffic(number, array).items()}
    for key in truth | found:
        assert found.get(key, 0) / sum(found.values()) == pytest.approx(truth[key] / truth.total(), abs=0.05), key
