"""Stencil programs in a simulated machine: results are the same bits as natively, and data are near the
threads that compute them."""

import json
import subprocess

import pytest

pytestmark = pytest.mark.plain_build("programs of this build are recorded, and those with a sanitizer can't be")

WIDTH, HEIGHT, STEPS = 512, 1024, 4


@pytest.fixture(scope="module")
def native(build):
    return subprocess.run([build / "tests/atoll_simulated_stencil", *map(str, (WIDTH, HEIGHT, STEPS))],
                          capture_output=True, text=True, timeout=60, check=True).stdout.split()[0]


@pytest.mark.parametrize("machine,threads,nodes,mode,pages", [("xeon-2x10", 4, 2, "tiled", []),
                                                               ("xeon-2x10", 6, 2, "untiled", []),
                                                               ("xeon-2x10", 6, 2, "tiled", ["--pages", "4k"]),
                                                               ("xeon-4x8x2", 8, 4, "tiled", ["--pages", "4k"])])
def test_answer_and_traffic(atoll, build, native, machine, threads, nodes, mode, pages):
    done = atoll("simulate", "--machine", machine, "--threads", threads, *pages, "--no-interval", "--json", "--frontend", "dbi",
                 "--", build / "tests/atoll_simulated_stencil", WIDTH, HEIGHT, STEPS, mode)
    assert done.stderr.split() == [native, str(threads), "threads"]
    traffic = json.loads(done.stdout)["traffic"]
    own = [row[node] for node, row in enumerate(traffic)]
    total = sum(map(sum, traffic))
    # Both fields are read or written from memory at least once, in equal parts by each node.
    field = 8 * WIDTH * HEIGHT
    assert all(bytes_ >= 0.8 * field / nodes for bytes_ in own[:nodes]), traffic
    assert sum(own) >= 0.9 * total, traffic  # the rest is at the bounds of bands, and from the start of the program
