"""The traffic that front ends estimate, compared with caches simulated with the accesses that the zoo's programs
report."""

import collections

import pytest
import zoo


@pytest.mark.parametrize("name", ["busy_locals", "pairs", "ring", "streams", "unequal_parts"])
def test_shares(zoo_runs, name, way):
    """Each thread's traffic to each array, as a share of the total, is within 5 percentage points."""
    told, seen, _ = zoo_runs(name, way)
    (process,), (number,) = told, seen.processes(told)
    truth = collections.Counter()
    for (_, array, _, thread, _), n in zoo.traffic(told).items():
        truth[array, thread] += n
    found = {(i, thread): n for i, array in enumerate(process.arrays)
             for thread, n in seen.traffic(number, array).items()}
    for key in truth | found:
        assert found.get(key, 0) / sum(found.values()) == pytest.approx(truth[key] / truth.total(), abs=0.05), key
