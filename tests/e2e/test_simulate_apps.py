"""The applications and compiled Green-Marl programs under `atoll simulate --between-marks`: only the parts that they
time, without set-up."""

import json
import os
import subprocess

import pytest

pytestmark = pytest.mark.plain_build("programs of this build are recorded, and those with a sanitizer can't be")

TRIANGLES = "apps/greenmarl/triangle_counting.gm"


def simulated(atoll, *command, options=("--between-marks",)):
    """Returns the result and the program's output."""
    call = [atoll.program, "simulate", "--machine", "xeon-2x10", "--threads", 4, "--no-interval", "--json", *options, "--",
            *command]
    done = subprocess.run(list(map(str, call)), capture_output=True, text=True, env=dict(os.environ, OMP_NUM_THREADS="4"))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("app, arguments", [
    ("irreg", ["--nodes", 100, "--edges", 400]),
    ("spmv", ["--mesh", 400]),
    ("radix", ["--keys", 2000]),
    ("matmul", ["--size", 20]),
    ("streamcluster", [2, 4, 4, 200, 200, 50, "none", "OUT", 2]),
])
def test_only_what_an_application_times_is_simulated(atoll, build, tmp_path, app, arguments):
    arguments = [tmp_path / "out" if word == "OUT" else word for word in arguments]
    if app == "streamcluster":
        timed, _ = simulated(atoll, build / "apps" / app, *arguments)
        whole, _ = simulated(atoll, build / "apps" / app, *arguments, options=())
        assert 10_000 < timed["accesses"] < 0.8 * whole["accesses"]
        return
    one, four = (simulated(atoll, build / "apps" / app, *arguments, "--iterations", count)[0] for count in (1, 4))
    # Four times the iterations make four times the accesses: set-up and checks aren't included.
    assert four["accesses"] == pytest.approx(4 * one["accesses"], rel=0.25)


def test_watched_additions_are_those_that_are_faster_on_the_shown_machine(atoll, build):
    irreg = build / "apps/irreg"
    _, few_nodes = simulated(atoll, irreg, "--nodes", 50, "--edges", 2000, "--iterations", 1)
    assert "private copies" in few_nodes and "atomic additions" not in few_nodes
    _, many_nodes = simulated(atoll, irreg, "--nodes", 20_000, "--edges", 100, "--iterations", 1)
    assert "atomic additions" in many_nodes and "private copies" not in many_nodes
    alone = subprocess.run([irreg, "--nodes", "50", "--edges", "200", "--iterations", "1", "--threads", "2"], check=True,
                           capture_output=True, text=True).stdout
    assert "private copies" in alone and "atomic additions" in alone


def test_a_green_marl_program_counts_the_same_and_only_its_procedure_is_timed(atoll, source, tmp_path):
    (tmp_path / "g.el").write_text("".join(f"{i} {(i + step) % 60}\n{(i + step) % 60} {i}\n"
                                           for i in range(60) for step in (1, 2)))
    program = tmp_path / "triangles"
    atoll("compile", "--march", "x86-64-v3", source / TRIANGLES, "-o", program)
    call = [program, "--graph", tmp_path / "g.el", "--threads", 2]
    natively = subprocess.run(list(map(str, call)), check=True, capture_output=True, text=True).stdout
    returned = next(line for line in natively.splitlines() if line.startswith("Returned"))
    assert returned == "Returned: 60"
    timed, said = simulated(atoll, *call)
    assert returned in said
    whole, _ = simulated(atoll, *call, options=())
    assert 60 * 4 < timed["accesses"] < 0.2 * whole["accesses"]
