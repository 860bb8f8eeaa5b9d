"""Task marks in a plain C program that is linked with no library of Atoll: not recorded, recorded, and with a
schedule."""

import os
import subprocess

import pytest

FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O2", "-pthread"]


@pytest.fixture(scope="module")
def made(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tasks")
    for name, flags in [("tasks", []), ("task_log", ["-shared", "-fPIC"])]:
        subprocess.run(["gcc", *FLAGS, *flags, "-I", source / "include", source / f"tests/programs/{name}.c",
                        "-o", folder / name], check=True)
    return folder


def call(made, *arguments, **environment):
    return subprocess.run([made / "tasks", *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, **environment))


def run(made, *arguments, **environment):
    done = call(made, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    ran_by, *orders = done.stdout.split("\n")[:-1]
    return ([int(word) for word in ran_by.split()], [[int(word) for word in order.split()] for order in orders],
            sorted(done.stderr.splitlines()))


SIZES = [(10, 1, 3), (1000, 7, 4), (5, 2, 8), (1, 1, 1), (0, 4, 2), (12, 100, 3)]


@pytest.mark.parametrize("iterations, chunk, threads", SIZES)
def test_without_a_schedule_each_thread_has_an_equal_part_in_order(made, iterations, chunk, threads):
    ran_by, orders, said = run(made, iterations, chunk, threads)
    tasks = -(-iterations // chunk)
    assert said == []
    assert ran_by == sorted(ran_by) and len(ran_by) == iterations and -1 not in ran_by
    assert [task for order in orders for task in order] == list(range(tasks))
    assert all(tasks // threads <= len(order) <= tasks // threads + 1 for order in orders)


@pytest.mark.parametrize("iterations, chunk, threads", SIZES)
def test_a_recorder_hears_of_each_task_once(made, iterations, chunk, threads):
    before, _, _ = run(made, iterations, chunk, threads)
    ran_by, _, said = run(made, iterations, chunk, threads, LD_PRELOAD=str(made / "task_log"))
    assert ran_by == before
    tasks = -(-iterations // chunk)
    assert said == sorted([f"loop rows {iterations} {chunk} 7"] * threads + ["reduction 1 512"] +
                          [f"ran rows {task}" for task in range(tasks)])


@pytest.mark.parametrize("iterations, chunk, threads", SIZES)
def test_a_schedule_is_followed_in_its_order(made, iterations, chunk, threads):
    ran_by, orders, said = run(made, iterations, chunk, threads, LD_PRELOAD=str(made / "task_log"), BACKWARDS="1")
    tasks = -(-iterations // chunk)
    assert orders == [[task for task in reversed(range(tasks)) if task % threads == thread]
                      for thread in range(threads)]
    assert ran_by == [i // chunk % threads for i in range(iterations)]
    assert sum(line.startswith("ran") for line in said) == tasks


def test_the_marks_are_for_cxx_too(source, tmp_path):
    text = "#include <atoll/marks/marks.h>\nint main() { const atoll_loop loop = {\"l\", 5, 0, 0}; " \
           "const atoll_tasks mine = atoll_my_tasks(&loop, 1, 2); atoll_mark_task_begin(loop.name, 3); " \
           "atoll_mark_task_end(); return mine.first == 2 && mine.count == 3 && atoll_task_at(&mine, 2) == 4 && " \
           "atoll_task_after(&loop, 4) == 5 ? 0 : 1; }\n"
    (tmp_path / "marks.cpp").write_text(text)
    subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-I", source / "include",
                    tmp_path / "marks.cpp", "-o", tmp_path / "marks"], check=True)
    subprocess.run([tmp_path / "marks"], check=True)


@pytest.fixture
def following(build, sanitized, tmp_path):
    """Returns a function that writes a schedule with these numbers and returns the environment of a program
    that follows it."""
    if sanitized:
        pytest.skip("a library with a sanitizer can't be preloaded to a program without")

    def environment(*numbers, name="rows", strict=False):
        subprocess.run([build / "tests/atoll_write_schedule", tmp_path / "schedule", name, *map(str, numbers)], check=True)
        return {"LD_PRELOAD": str(build / "lib/atoll/libatoll-follow.so"), "ATOLL_SCHEDULE": str(tmp_path / "schedule"),
                **({"ATOLL_SCHEDULE_STRICT": "1"} if strict else {})}
    return environment


@pytest.mark.parametrize("iterations, chunk, threads", SIZES)
def test_a_file_is_followed(made, following, iterations, chunk, threads):
    ran_by, orders, said = run(made, iterations, chunk, threads,
                               **following(iterations, chunk, threads, 7, strict=True))
    tasks = -(-iterations // chunk)
    assert said == []
    assert orders == [[task for task in reversed(range(tasks)) if task % threads == thread]
                      for thread in range(threads)]
    assert ran_by == [i // chunk % threads for i in range(iterations)]


MISFITS = [((11, 1, 2, 0), "rows", "is for 11 iterations, the loop has 10"),
           ((10, 2, 2, 0), "rows", "is for 2 iterations a task, the loop has 1"),
           ((10, 1, 3, 0), "rows", "is for 3 threads, the loop has 2"),
           ((10, 1, 2, 8), "rows", "is for a loop of the same size whose structure is another"),
           ((10, 1, 2, 0), "columns", "has no tasks of it")]


@pytest.mark.parametrize("numbers, name, reason", MISFITS)
def test_a_file_that_does_not_fit_is_one_line_and_the_plain_loop(made, following, numbers, name, reason):
    plain = run(made, 10, 1, 2)[:2]
    *ran, said = run(made, 10, 1, 2, **following(*numbers, name=name))
    assert tuple(ran) == plain
    assert said == [f"atoll: note: loop 'rows': the schedule {reason}; it runs without"]
    done = call(made, 10, 1, 2, **following(*numbers, name=name, strict=True))
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == f"atoll: loop 'rows': the schedule {reason}; make a schedule of this program's loop\n"


def test_a_damaged_file_is_an_error(made, following, tmp_path):
    environment = following(10, 1, 2, 0)
    (tmp_path / "schedule").write_bytes((tmp_path / "schedule").read_bytes()[:-3])
    done = call(made, 10, 1, 2, **environment)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and str(tmp_path / "schedule") in done.stderr
