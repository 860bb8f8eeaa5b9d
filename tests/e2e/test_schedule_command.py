"""A program's tasks are recorded and scheduled, and its next run follows."""

import json
import os
import subprocess

import pytest


@pytest.fixture(scope="module")
def program(build, source, tmp_path_factory):
    """Its tasks are of two families, by turns: those of a family read one table."""
    binary = tmp_path_factory.mktemp("families") / "families"
    subprocess.run([str(build / "atollcc"), "-O2", "-g", "-pthread", "-I", source / "include",
                    source / "tests/programs/families.c", "-o", binary], check=True)
    return binary


def scheduled(atoll, program, *options):
    return json.loads(atoll("schedule", *options, "--json", "--", program).stdout)


@pytest.fixture(scope="module")
def schedule(atoll, program, tmp_path_factory):
    file = tmp_path_factory.mktemp("schedule") / "s"
    return file, scheduled(atoll, program, "-o", file, "--threads", 2)


@pytest.fixture(autouse=True)
def two_processors():
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two threads need two processing units")


def families_of_threads(text):
    """The families whose tasks each thread ran."""
    ran = {}
    for line in text.splitlines():
        thread, family = map(int, line.split())
        ran.setdefault(thread, set()).add(family)
    return ran


def test_tasks_that_share_go_to_one_thread_and_the_next_run_follows(atoll, program, schedule):
    file, report = schedule
    (loop,) = report["loops"]
    assert (loop["loop"], loop["tasks"], loop["lines_lost"]) == ("families", 200, 0)
    assert loop["levels"][0]["before"] > 0
    assert loop["imbalance_after"] <= 0.01
    plain = subprocess.run([program], capture_output=True, text=True, check=True)
    assert families_of_threads(plain.stdout) == {0: {0, 1}, 1: {0, 1}}
    followed = atoll("run", "--schedule", file, "--strict", "--", program)
    ran = families_of_threads(followed.stdout)
    assert sorted(map(sorted, ran.values())) == [[0], [1]]


def test_what_several_tasks_write_is_told(schedule):
    _, report = schedule
    written = {row["object"]: row["words"] for row in report["loops"][0]["written_by_several"]}
    assert written["ran_by"] == 100  # two tasks' ints are in a word
    assert any("total" in name or "families.c" in name for name in written), written


def test_a_schedule_that_does_not_fit_is_told(atoll, program, schedule, tmp_path, build, source):
    file, _ = schedule
    other = tmp_path / "tasks"
    subprocess.run([str(build / "atollcc"), "-O1", "-pthread", "-I", source / "include",
                    source / "tests/programs/tasks.c", "-o", other], check=True)
    done = atoll("run", "--schedule", file, "--", other, 10, 1, 2)
    assert done.stderr.count("\n") == 1 and "rows" in done.stderr
    done = atoll("run", "--schedule", file, "--strict", "--", other, 10, 1, 2, check=False)
    assert done.returncode == 2 and "rows" in done.stderr


def test_bad_calls(atoll, program, schedule, tmp_path):
    file, _ = schedule
    damaged = tmp_path / "damaged"
    damaged.write_bytes(file.read_bytes()[:-8])
    assert str(damaged) in atoll.refuses("run", "--schedule", damaged, "--", program)
    assert "no/such" in atoll.refuses("run", "--schedule", "no/such", "--", program)
    assert "--schedule" in atoll.refuses("run", "--schedule", file, "x.gm")
    atoll.refuses("run", "--strict", "--", program)
    atoll.refuses("schedule", "-o", tmp_path / "s", "--by", "bit", "--", program)
    atoll.refuses("schedule", "-o", tmp_path / "no" / "s", "--", program)
    atoll.refuses("schedule", "--", program)
    said = atoll.refuses("schedule", "-o", tmp_path / "s", "--frontend", "dbi", "--", "/bin/true")
    assert "marked no task" in said
    assert not (tmp_path / "s").exists()


def test_by_lines_and_pages(atoll, program, tmp_path):
    for by in ["line", "page"]:
        report = scheduled(atoll, program, "-o", tmp_path / by, "--threads", 2, "--by", by)
        assert report["loops"][0]["tasks"] == 200
    text = atoll("schedule", "-o", tmp_path / "s", "--threads", 2, "--", program).stdout
    assert "weight between" in text
    assert all(len(line) <= 80 for line in text.splitlines()), text
