"""Commands in containers whose seccomp filter refuses system calls for NUMA and perf, like Docker's."""

import errno
import functools
import json

import pytest
from filters import NUMA, refuse

docker = functools.partial(refuse, [*NUMA, "perf_event_open"], errno.EPERM)


def notes(done, word):
    """Returns the notes that contain the word; computers with one node print another note."""
    return [line for line in done.stderr.splitlines() if line.startswith("atoll: note: ") and word in line]


@pytest.mark.parametrize("policy", ["interleave", "numa-balancing"])
def test_a_policy_that_is_refused_is_noted(atoll, policy):
    done = atoll("run", "--policy", policy, "--", "echo", "it runs", preexec_fn=docker)
    assert done.stdout == "it runs\n"
    note, = notes(done, "seccomp")
    assert "without the memory policy" in note and "SYS_NICE" in note
    # `run` returns the program's exit code.
    assert atoll("run", "--policy", policy, "--", "false", preexec_fn=docker, check=False).returncode == 1


def test_a_plan_runs_without_its_policy(atoll, tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"atoll_plan": 1, "rest": {"kind": "single", "node": 0, "pages": "4k"}}))
    without = atoll("run", "--plan", plan, "--", "echo", "it runs")
    assert not notes(without, "seccomp")
    done = atoll("run", "--plan", plan, "--", "echo", "it runs", preexec_fn=docker)
    assert done.stdout == "it runs\n"
    assert len(notes(done, "seccomp")) == 1


def test_a_refused_perf_event_names_the_filter(atoll):
    line = atoll.refuses("run", "--policy", "kmaf", "--", "true", code=1, preexec_fn=docker)
    assert "seccomp" in line and "PERFMON" in line and "perf_event_paranoid" in line


def test_arrays_are_placed_as_the_system_does(atoll, source, tmp_path):
    graph = tmp_path / "g.el"
    graph.write_text("0 1\n1 2\n")
    done = atoll("run", source / "tests/programs/hop_distance.gm", "--graph", graph, "--arg", "root=0", preexec_fn=docker)
    assert len(notes(done, "NUMA calls")) == 1
