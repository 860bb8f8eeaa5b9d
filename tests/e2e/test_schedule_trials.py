"""`atoll schedule` runs the program with and without the schedule. The measured times decide whether the next
run follows it."""

import json
import subprocess

import pytest

pytestmark = pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")


@pytest.fixture(scope="module")
def program(build, source, tmp_path_factory):
    binary = tmp_path_factory.mktemp("costs") / "order_costs"
    subprocess.run([build / "atollcc", "-O1", "-g", "-I", source / "include", source / "tests/programs/order_costs.c",
                    "-o", binary], check=True)
    return binary


def alone(atoll, file, *command, options=()):
    done = atoll("schedule", "-o", file, "--threads", 1, *options, "--json", "--", *command)
    (loop,) = json.loads(done.stdout)["loops"]
    return loop["predicted"]["alone"], done


@pytest.mark.parametrize("runs", [[5], [1], [5, "marked"], [1, "marked"]], ids=str)
def test_a_schedule_that_costs_is_not_followed(atoll, program, tmp_path, runs):
    told, _ = alone(atoll, tmp_path / "s", program, "slower", *runs)
    # The schedule triples the iterations. The ratio is lower without marks, as the time of a single run then
    # includes some of the rest of the program.
    assert told["measured"] and 1.7 < told["ratio"] and not told["pays"]
    done = atoll("run", "--schedule", tmp_path / "s", "--", program, "slower", 2)
    assert done.stdout == "0 of 2 runs had a list\n"
    assert done.stderr.count("\n") == 1 and "it runs without" in done.stderr


@pytest.mark.parametrize("runs", [[5], [1], [5, "marked"], [1, "marked"]], ids=str)
def test_one_that_gains_is_followed(atoll, program, tmp_path, runs):
    told, _ = alone(atoll, tmp_path / "s", program, "faster", *runs)
    assert told["measured"] and told["ratio"] < 0.85 and told["pays"]  # 0.5 on an idle machine
    done = atoll("run", "--schedule", tmp_path / "s", "--strict", "--", program, "faster", 2)
    assert (done.stdout, done.stderr) == ("2 of 2 runs had a list\n", "")


def test_what_is_told(atoll, program, tmp_path):
    done = atoll("schedule", "-o", tmp_path / "s", "--threads", 1, "--", program, "slower")
    assert "measured time, tasks in another order" in done.stdout and "predicted time, data packed" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines()[1:]), done.stdout
    assert done.stdout.count("had a list") == 1  # the output of the recorded run only


def test_a_program_is_run_once_without_trials(atoll, program, tmp_path):
    told, _ = alone(atoll, tmp_path / "s", program, "slower", options=["--trials", 0])
    assert not told["measured"] and told["ratio"] < 1.7


def test_a_program_that_fails_in_a_trial_is_told(atoll, program, tmp_path):
    told, done = alone(atoll, tmp_path / "s", program, "fails")
    assert not told["measured"]
    (note,) = [line for line in done.stderr.splitlines() if line.startswith("atoll: note")]
    assert "ended with 3" in note and "--trials 0" in note


def test_data_that_a_program_packs(atoll, build, tmp_path):
    done = atoll("schedule", "--frontend", "dbi", "--threads", 2, "--trials", 1, "--json", "-o", tmp_path / "s", "--",
                 build / "apps/spmv", "--mesh", 4000, "--iterations", 3)
    (loop,) = json.loads(done.stdout[:done.stdout.rindex("}") + 1])["loops"]
    assert loop["predicted"]["packed"]["measured"] and not loop["predicted"]["alone"]["measured"]
    assert loop["predicted"]["packed"]["prepare_seconds"] > 0


def test_times_of_the_recording(atoll, program, tmp_path):
    """Set-up runs before the first task, and takes as many iterations as one run of the loop."""
    done = atoll("schedule", "-o", tmp_path / "s", "--threads", 1, "--trials", 0, "--json", "--", program, "faster", 20)
    told = json.loads(done.stdout)["recorded"]
    assert 0 < told["to_first_task"] < told["to_last_task"]
    assert told["to_first_task"] + told["to_last_task"] <= told["seconds"] * 1.5 + 0.5
    text = atoll("schedule", "-o", tmp_path / "s", "--threads", 1, "--trials", 0, "--", program, "faster", 1).stdout
    assert "to the first task" in text


def test_packing_that_would_gain_is_told_with_its_arrays(atoll, build, source, tmp_path):
    """For particles with lists of neighbours, jumps in memory cost more than sharing saves, unless the arrays
    are packed."""
    code = source / "bench/programs/particles.c"
    subprocess.run([build / "atollcc", "-O2", "-g", "-fopenmp", "-I", source / "include", code, "-o",
                    tmp_path / "particles", "-lm"], check=True)
    call = ["schedule", "-o", tmp_path / "s", "--threads", 2, "--trials", 0]
    run = ["--", tmp_path / "particles", 20000, 2]
    done = atoll(*call, *run)
    assert "not followed" in done.stdout and "Packing would gain" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if str(tmp_path) not in line), done.stdout
    lines = code.read_text().splitlines()
    line_of = {name: 1 + next(i for i, line in enumerate(lines) if f" {name} = " in line and "alloc" in line)
               for name in ("const near", "const forces", "const next")}
    assert f"particles.c:{line_of['const near']} " in done.stdout
    assert f"particles.c:{line_of['const forces']} " in done.stdout
    assert f"particles.c:{line_of['const next']} " not in done.stdout  # an array of the set-up
    told = atoll(*call, "--json", *run).stdout
    (loop,) = json.JSONDecoder().raw_decode(told[told.index("{"):])[0]["loops"]
    words = {int(entry["object"].rpartition(":")[2]): entry["words"] for entry in loop["packable"]}
    assert words[line_of["const forces"]] == 3 * 20000  # three words of each particle
