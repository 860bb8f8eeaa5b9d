"""Cost of queueing repeated loops."""

import subprocess

import pytest


@pytest.mark.parametrize("threads", [1, 3])
def test_steps_that_come_again_take_no_memory(build, threads):
    if not (build / "tests/atoll_stencil_allocations").exists():
        pytest.skip("a build with a sanitizer, which counts allocations itself")
    done = subprocess.run([build / "tests/atoll_stencil_allocations", str(threads)],
                          capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["tiled", "0", "untiled", "0"], done.stdout + done.stderr
