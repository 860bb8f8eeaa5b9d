"""`atoll schedule` records and schedules a program's tasks, and the program's next run follows the schedule."""

import json
import os
import subprocess

import pytest


@pytest.fixture(scope="module")
def program(build, source, tmp_path_factory):
    """Compiles a program whose tasks alternate between two families. All tasks of a family read the same table."""
    binary = tmp_path_factory.mktemp("families") / "families"
    subprocess.run([str(build / "atollcc"), "-O2", "-g", "-pthread", "-I", source / "include",
                    source / "tests/programs/families.c", "-o", binary], check=True)
    return binary


def scheduled(atoll, program, *options):
    return json.loads(atoll("schedule", "--trials", 0, *options, "--json", "--", program).stdout)


@pytest.fixture(scope="module")
def schedule(atoll, program, tmp_path_factory):
    file = tmp_path_factory.mktemp("schedule") / "s"
    return file, scheduled(atoll, program, "-o", file, "--threads", 2)


@pytest.fixture(autouse=True)
def two_processors():
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two threads need two processing units")


def families_of_threads(text):
    """Returns the families whose tasks each thread ran."""
    ran = {}
    for line in text.splitlines():
        thread, family = map(int, line.split())
        ran.setdefault(thread, set()).add(family)
    return ran


@pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")
def test_tasks_that_share_go_to_one_thread_and_the_next_run_follows(atoll, program, schedule):
    file, report = schedule
    (loop,) = report["loops"]
    assert (loop["loop"], loop["tasks"], loop["lines_lost"]) == ("families", 200, 0)
    assert loop["levels"][0]["before"] > 0
    assert loop["imbalance_after"] <= 0.01
    plain = subprocess.run([program], capture_output=True, text=True, check=True)
    assert families_of_threads(plain.stdout) == {0: {0, 1}, 1: {0, 1}}
    followed = atoll("run", "--schedule", file, "--strict", "--always", "--", program)
    assert followed.stderr == ""
    ran = families_of_threads(followed.stdout)
    assert sorted(map(sorted, ran.values())) == [[0], [1]]


@pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")
def test_a_loop_that_would_not_gain_stays_as_it_is(atoll, program, schedule):
    file, report = schedule
    predicted = report["loops"][0]["predicted"]
    assert json.loads(atoll("schedule", "--check", file, "--json").stdout)["loops"][0]["predicted"] == predicted
    for one in predicted.values():  # all data fit the cache
        assert 0.97 <= one["ratio"] == one["followed_seconds"] / one["plain_seconds"]
        assert (one["pays"], one["pays_after_runs"]) == (False, None)
    # The time of recording and scheduling must be recovered, too: starting the recorded program takes at least 1 ms.
    assert 0.001 < predicted["alone"]["prepare_seconds"] < predicted["packed"]["prepare_seconds"]
    text = atoll("schedule", "--check", file).stdout
    assert text.count("not followed") == 2 and all(len(line) <= 80 for line in text.splitlines()[1:]), text
    done = atoll("run", "--schedule", file, "--", program)
    assert families_of_threads(done.stdout) == {0: {0, 1}, 1: {0, 1}}
    ratio = f"{predicted['alone']['ratio']:.2f}"
    assert done.stderr.splitlines() == [
        f"atoll: note: loop 'families': by the schedule it is predicted to take {ratio} times its time, "
        "since its data isn't packed; it runs without (--always follows)"]


def test_what_several_tasks_write_is_told(schedule):
    _, report = schedule
    written = {row["object"]: row["words"] for row in report["loops"][0]["written_by_several"]}
    assert written["ran_by"] == 100  # the ints of two tasks share a word
    assert any("total" in name or "families.c" in name for name in written), written


def test_a_reduction_is_no_dependence(atoll, program, schedule, tmp_path):
    def written(report):
        return {row["object"]: row["words"] for row in report["loops"][0]["written_by_several"]}

    before = written(schedule[1])
    done = atoll("schedule", "-o", tmp_path / "s", "--threads", 2, "--json", "--", program, "reduced")
    after = written(json.loads(done.stdout))
    (gone,) = before.keys() - after.keys()
    assert before[gone] == 1 and ("total" in gone or "families.c" in gone)
    assert after == {name: words for name, words in before.items() if name != gone}


@pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")
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
    atoll.refuses("run", "--always", "--", program)
    atoll.refuses("schedule", "-o", tmp_path / "s", "--location", "bit", "--", program)
    atoll.refuses("schedule", "-o", tmp_path / "no" / "s", "--", program)
    atoll.refuses("schedule", "--", program)
    said = atoll.refuses("schedule", "-o", tmp_path / "s", "--frontend", "dbi", "--", "/bin/true")
    assert "marked no task" in said
    assert not (tmp_path / "s").exists()


def test_why_no_task_is_known(atoll, program, tmp_path):
    call = ["schedule", "-o", tmp_path / "s", "--threads", 2]
    assert "too little memory" in atoll.refuses(*call, "--memory", "1MiB", "--", program)
    for part in ["--between-marks", ("--iterations", 1)]:  # the program has no such marks
        options = [part] if isinstance(part, str) else part
        assert "in the part of its run that was asked for" in atoll.refuses(*call, *options, "--", program)
    assert not (tmp_path / "s").exists()


@pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")
def test_a_share_of_the_pages(atoll, build, tmp_path):
    """Half of spmv's about 300 pages are selected, the same ones in each run."""
    program = [build / "apps/spmv", "--mesh", 10000, "--iterations", 1]
    call = ["schedule", "--frontend", "dbi", "--threads", 2, "--json", "-o", tmp_path / "s"]
    lines = []
    for percent in [100, 50, 50]:
        (loop,) = json.loads(atoll(*call, "--pages", percent, "--", *program).stdout)["loops"]
        assert (loop["tasks"], loop["lines_lost"]) == (10000, 0)
        lines.append(loop["lines"])
    assert 0.2 < lines[1] / lines[0] < 0.8 and abs(lines[2] - lines[1]) < 0.4 * lines[0]
    atoll.refuses(*call, "--pages", 0, "--", *program)


def test_the_graph_of_what_tasks_share(atoll, program, tmp_path):
    """A family's tasks share its table of 64 words; all tasks share the word that they add to."""
    done = atoll("schedule", "--threads", 2, "--metis", tmp_path / "g.graph", "--", program)
    assert (done.returncode, done.stderr) == (0, "")
    vertices, edges, form = (tmp_path / "g.graph").read_text().splitlines()[0].split()
    rows = rows_of(tmp_path / "g.graph")
    assert (vertices, form) == ("200", "011") and int(edges) == sum(len(shared) for _, shared in rows) // 2
    for task, (work, shared) in enumerate(rows):
        assert 64 < work < 80  # the table, its sum, and the entry for the thread that ran the task
        family = set(range(task % 2, 200, 2)) - {task}
        assert {other for other, words in shared.items() if words >= 64} == family
    metis = subprocess.run(["gpmetis", "g.graph", "2"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert f"#Vertices: 200, #Edges: {edges}," in metis.stdout, metis.stdout
    parts = (tmp_path / "g.graph.part.2").read_text().split()
    assert len(set(parts[::2])) == len(set(parts[1::2])) == 1 and parts[0] != parts[1]
    again = atoll("schedule", tmp_path / "g.graph", "-o", tmp_path / "stored", "--threads", 2)
    assert again.returncode == 0


def rows_of(graph):
    """Returns for each task its work, and the words it shares with others, by number from 0."""
    head, *lines = graph.read_text().splitlines()
    rows = [list(map(int, line.split())) for line in lines]
    if head.endswith("010"):  # all edges have weight 1
        return [(work, {other - 1: 1 for other in row}) for work, *row in rows]
    return [(work, {other - 1: words for other, words in zip(row[::2], row[1::2])}) for work, *row in rows]


def assert_each_shares_with_every_fourth(rows):
    """Each task shares one word with every fourth task, as in elements.c and task_loop.cpp."""
    assert [shared for _, shared in rows] == [{other: 1 for other in range(task % 4, 64, 4) if other != task}
                                              for task in range(64)]


COMPILERS = {"compiled": "atollcc", "gcc": "atollgcc", "dbi": "gcc"}


@pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")
@pytest.mark.parametrize("frontend", COMPILERS)
def test_a_stored_trace_has_the_same_tasks(atoll, build, source, frontend, tmp_path):
    compiler = build / COMPILERS[frontend] if COMPILERS[frontend] != "gcc" else "gcc"
    subprocess.run([compiler, "-O2", "-g", "-pthread", "-I", source / "include", source / "tests/programs/families.c",
                    "-o", tmp_path / "families"], check=True, capture_output=True)
    options = ["--frontend", frontend]
    atoll("schedule", *options, "--graph", tmp_path / "live", "--threads", 2, "--", tmp_path / "families", "reduced")
    atoll("trace", *options, "-o", tmp_path / "trace", "--", tmp_path / "families", "reduced")
    report = json.loads(atoll("schedule", tmp_path / "trace", "--graph", tmp_path / "stored", "--threads", 2, "--json",
                              "-o", tmp_path / "schedule").stdout)
    assert (tmp_path / "stored").read_bytes() == (tmp_path / "live").read_bytes()
    (loop,) = report["loops"]
    assert (loop["loop"], loop["iterations"], loop["chunk"], loop["lines_lost"]) == ("families", 200, 1, 0)
    assert all("families.c:43" not in row["object"] for row in loop["written_by_several"])  # the reduction
    followed = atoll("run", "--schedule", tmp_path / "schedule", "--strict", "--always", "--", tmp_path / "families")
    assert sorted(map(sorted, families_of_threads(followed.stdout).values())) == [[0], [1]]


@pytest.mark.parametrize("optimised", ["-O0", "-O3"])
@pytest.mark.parametrize("frontend", COMPILERS)
def test_nothing_is_moved_over_a_mark(atoll, build, source, sanitized, frontend, optimised, tmp_path):
    if sanitized and frontend != "compiled":
        pytest.skip("a library with a sanitizer can't be preloaded to a program without")
    compiler = build / COMPILERS[frontend] if COMPILERS[frontend] != "gcc" else "gcc"
    subprocess.run([compiler, optimised, "-g", "-I", source / "include", source / "tests/programs/elements.c",
                    "-o", tmp_path / "elements"], check=True, capture_output=True)
    atoll("schedule", "--frontend", frontend, "--graph", tmp_path / "g", "--dot", tmp_path / "dot", "--threads", 2, "--",
          tmp_path / "elements")
    rows = rows_of(tmp_path / "g")
    assert_each_shares_with_every_fourth(rows)
    drawn = subprocess.run(["dot", "-Tplain", tmp_path / "dot"], capture_output=True, text=True, timeout=60)
    kinds = [line.split()[0] for line in drawn.stdout.splitlines()]
    assert (kinds.count("node"), kinds.count("edge")) == (64, 4 * 16 * 15 // 2)
    assert all(work == rows[0][0] >= 2 for work, _ in rows)  # its own element and the shared one; stacks are excluded


@pytest.mark.parametrize("frontend, compiler", [("compiled", "atollc++"), ("gcc", "atollg++"), ("dbi", "g++")])
def test_a_loop_of_tasks_is_recorded(atoll, build, source, sanitized, frontend, compiler, tmp_path):
    """for_each_task() reports to a recorder, for each compiler that may have built the program."""
    if sanitized:
        pytest.skip("a library with a sanitizer can't be linked to a program without")
    libraries = subprocess.run(["pkg-config", "--libs", "hwloc", "libxxhash", "libarchive", "fmt", "zlib"],
                               capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["g++" if frontend == "dbi" else build / compiler, "-std=c++20", "-O2", "-g", "-I", source / "include",
                    source / "tests/programs/task_loop.cpp", build / "src/libatoll.a", *libraries, "-lnuma", "-lmetis",
                    "-l:libgomp.so.1", "-lpthread", "-o", tmp_path / "loop"], check=True, capture_output=True)
    call = ["--frontend", frontend, "--graph", tmp_path / "g", "-o", tmp_path / "s", "--threads", 2]
    (loop,) = scheduled(atoll, tmp_path / "loop", *call)["loops"]
    assert [loop[key] for key in ("loop", "iterations", "chunk", "tasks", "lines_lost")] == ["elements", 128, 2, 64, 0]
    assert_each_shares_with_every_fourth(rows_of(tmp_path / "g"))
    answer = subprocess.run([tmp_path / "loop"], capture_output=True, text=True, check=True).stdout
    followed = atoll("run", "--schedule", tmp_path / "s", "--strict", "--always", "--", tmp_path / "loop")
    assert (followed.stdout, followed.stderr) == (answer, "")


@pytest.mark.parametrize("frontend", COMPILERS)
def test_a_word_that_another_task_reads_is_not_written_by_several(atoll, build, source, sanitized, frontend, tmp_path):
    if sanitized and frontend != "compiled":
        pytest.skip("a library with a sanitizer can't be preloaded to a program without")
    compiler = build / COMPILERS[frontend] if COMPILERS[frontend] != "gcc" else "gcc"
    subprocess.run([compiler, "-O2", "-g", "-I", source / "include", source / "tests/programs/cells.c",
                    "-o", tmp_path / "cells"], check=True, capture_output=True)
    options = ["--frontend", frontend, "--graph", tmp_path / "g", "-o", tmp_path / "s", "--threads", 2]
    (loop,) = scheduled(atoll, tmp_path / "cells", *options)["loops"]
    assert (loop["tasks"], loop["lines_lost"], loop["written_by_several"]) == (399, 0, [])
    # A task shares its left input with the task two before it, and its right input with the task two after it.
    shared = [set(row) for _, row in rows_of(tmp_path / "g")]
    assert shared == [{other for other in (task - 2, task + 2) if task > 0 and 0 < other < 399} for task in range(399)]


@pytest.mark.parametrize("optimised", ["-O0", "-O3"])
@pytest.mark.parametrize("frontend", COMPILERS)
def test_what_tasks_update_atomically_is_no_dependence(atoll, build, source, sanitized, frontend, optimised, tmp_path):
    if sanitized and frontend != "compiled":
        pytest.skip("a library with a sanitizer can't be preloaded to a program without")
    compiler = build / COMPILERS[frontend] if COMPILERS[frontend] != "gcc" else "gcc"
    subprocess.run([compiler, optimised, "-g", "-I", source / "include", source / "tests/programs/updates.c",
                    "-o", tmp_path / "updates"], check=True, capture_output=True)
    report = scheduled(atoll, tmp_path / "updates", "--frontend", frontend, "-o", tmp_path / "s", "--threads", 2,
                       "--dense-ratio", 1)
    (loop,) = report["loops"]
    assert (loop["tasks"], loop["lines_lost"]) == (100, 0)
    assert [(row["object"], row["words"]) for row in loop["written_by_several"]] == [("raced", 1)]
    # Atomically updated words are also shared: each task has 11 words in common with the others.
    assert loop["weight"] >= 100 * 11


def test_figure_5_of_the_paper(atoll, build, sanitized, tmp_path):
    """Of blocks of 100 x 100 doubles, tasks 0 and 2 read one, tasks 1 and 3 another, and no two read a zero block."""
    if sanitized:
        pytest.skip("a library with a sanitizer can't be preloaded to a program without")
    atoll("schedule", "--frontend", "dbi", "--graph", tmp_path / "g", "--", build / "apps/matmul", "--iterations", 1)
    assert [shared for _, shared in rows_of(tmp_path / "g")] == [{2: 10_000}, {3: 10_000}, {0: 10_000}, {1: 10_000}]


def test_whose_graph(atoll, program, tmp_path):
    done = atoll("schedule", "--threads", 2, "--graph", tmp_path / "g", "--loop", "families", "--", program)
    assert done.returncode == 0 and (tmp_path / "g").exists()
    said = atoll.refuses("schedule", "--dot", tmp_path / "d", "--loop", "none", "--", program)
    assert "families" in said and not (tmp_path / "d").exists()
    atoll.refuses("schedule", "--dot", tmp_path / "no" / "d", "--", program)


def test_by_lines_and_pages(atoll, program, source, tmp_path):
    for by in ["line", "page"]:
        report = scheduled(atoll, program, "-o", tmp_path / by, "--threads", 2, "--location", by)
        assert report["loops"][0]["tasks"] == 200
    text = atoll("schedule", "-o", tmp_path / "s", "--threads", 2, "--", program).stdout
    assert "weight between" in text
    assert all(len(line.replace(str(source), "")) <= 80 for line in text.splitlines()), text


LOOPS = r"""
#include <atoll/marks/marks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LOOPS loops with names of LENGTH bytes; loop l has 3 + l % 5 tasks, and those beside each other share a word. */
int main(int argc, char** argv) {
  const int loops = argc > 1 ? atoi(argv[1]) : 1, length = argc > 2 ? atoi(argv[2]) : 10;
  double* x = calloc(16 * (size_t)loops, sizeof *x);
  for (int l = 0; l < loops; ++l) {
    char* const name = malloc((size_t)length + 1);
    memset(name, 'n', (size_t)length);
    sprintf(name + length - 6, "%06d", l);
    const struct atoll_loop loop = {name, (uint64_t)(3 + l % 5), 1, 0};
    const struct atoll_tasks mine = atoll_my_tasks(&loop, 0, 1);
    for (uint64_t k = 0; k < mine.count; ++k) {
      const uint64_t task = atoll_task_at(&mine, k);
      atoll_mark_task_begin(name, task);
      x[16 * (uint64_t)l + task] += 1;
      x[16 * (uint64_t)l + task + 1] += 1;
      atoll_mark_task_end();
    }
    free(name);
  }
  printf("%g\n", x[1]);
  return 0;
}
"""


@pytest.fixture(scope="module")
def loops(build, source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("loops")
    (folder / "loops.c").write_text(LOOPS)
    compiler = [build / "atollcc", "-O2", "-g", "-I", source / "include", folder / "loops.c", "-o", folder / "loops"]
    subprocess.run(compiler, check=True, capture_output=True)
    subprocess.run(["gcc", "-O2", "-static", *compiler[3:-1], folder / "static"], check=True)
    return folder


@pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")
@pytest.mark.parametrize("count, length", [(88, 10), (500, 12), (2, 80), (3, 127)])
def test_all_loops_are_scheduled_by_their_whole_names(atoll, loops, tmp_path, count, length):
    report = json.loads(atoll("schedule", "-o", tmp_path / "s", "--threads", 1, "--json", "--", loops / "loops", count,
                              length).stdout)
    assert [(loop["loop"], loop["tasks"]) for loop in report["loops"]] == [
        ("n" * (length - 6) + f"{number:06d}", 3 + number % 5) for number in range(count)]
    done = atoll("run", "--schedule", tmp_path / "s", "--strict", "--always", "--", loops / "loops", count, length)
    assert (done.stdout, done.stderr) == ("2\n", "")


@pytest.mark.parametrize("count, length", [(2049, 10), (2, 128)])
def test_loops_beyond_the_limits_are_refused(atoll, loops, tmp_path, count, length):
    for verb in ("schedule", "trace"):
        line = atoll.refuses(verb, "-o", tmp_path / "s", "--", loops / "loops", count, length)
        assert "2048 loops" in line and "127 bytes" in line
        assert not (tmp_path / "s").exists()


def test_a_static_program_is_named(atoll, loops, tmp_path):
    line = atoll.refuses("schedule", "-o", tmp_path / "s", "--frontend", "dbi", "--", loops / "static")
    assert "is a static program" in line


@pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")
def test_a_schedule_that_nobody_asks_for(atoll, loops, tmp_path):
    """A static program's marks can't request a loop; `true` requests none."""
    atoll("schedule", "-o", tmp_path / "s", "--threads", 1, "--", loops / "loops")
    run = ["run", "--schedule", tmp_path / "s"]
    for command, word in ((loops / "static", "is a static program"), ("true", "asked for no loop")):
        assert word in atoll.refuses(*run, "--strict", "--", command)
        done = atoll(*run, "--", command)
        assert done.stderr.count("\n") == 1 and word in done.stderr
    for command in (["sh", "-c", f"{loops / 'loops'}; true"], [loops / "loops"]):
        done = atoll(*run, "--strict", "--always", "--", *command)
        assert (done.stdout, done.stderr) == ("2\n", "")
    assert atoll(*run, "--strict", "--", "false", check=False).returncode == 1


def test_a_schedule_has_the_programs_threads(atoll, program, tmp_path):
    for machine, told in (("pack:1 core:2 pu:1", False), ("xeon-2x10", True)):
        done = atoll("schedule", "-o", tmp_path / "s", "--machine", machine, "--json", "--", program)
        assert json.loads(done.stdout)["threads"] == 2
        assert ("for 2 threads, as the program has" in done.stderr) == told, done.stderr
    done = atoll("schedule", "-o", tmp_path / "s", "--machine", "xeon-2x10", "--threads", 5, "--json", "--", program)
    assert json.loads(done.stdout)["threads"] == 5 and "as the program has" not in done.stderr


def test_the_order_is_shown(atoll, schedule, tmp_path):
    file, _ = schedule
    (loop,) = json.loads(atoll("schedule", "--show", file, "--json").stdout)["loops"]
    assert (loop["name"], loop["iterations"], loop["chunk"]) == ("families", 200, 1)
    lists = [thread["tasks"] for thread in loop["threads"]]
    assert sorted(task for tasks in lists for task in tasks) == list(range(200))
    assert sorted({task % 2 for task in tasks} == {which} for tasks in lists for which in (0, 1)) == [False, False, True, True]
    text = atoll("schedule", "--show", file, "--loop", "families").stdout
    assert all(len(line) <= 80 for line in text.splitlines()[1:])
    assert text.splitlines()[2] == "loop families: 200 tasks of 1 iteration"
    shown = []
    for line in text.splitlines()[3:]:
        if line.startswith("  thread"):
            shown.append([])
            continue
        for word in line.split():
            first, _, last = word.partition("-")
            shown[-1] += range(int(first), int(last or first) + 1)
    assert shown == lists
    assert "no loop 'x'" in atoll.refuses("schedule", "--show", file, "--loop", "x")
    atoll.refuses("schedule", "--show", file, "-o", tmp_path / "s")
    (tmp_path / "bad").write_text("no schedule")
    assert "bad" in atoll.refuses("schedule", "--show", tmp_path / "bad")


PACKS = r"""
#include <atoll/marks/marks.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Doubles an array and prints it, then its packed copy. */
int main(void) {
  enum { kIterations = 23, kChunk = 4 };
  static double x[kIterations], y[kIterations];
  const struct atoll_loop loop = {"doubles", kIterations, kChunk, 0};
  for (int i = 0; i < kIterations; ++i) x[i] = i;
  const struct atoll_tasks mine = atoll_my_packed_tasks(&loop, 0, 1);
  const uint64_t count = atoll_packed_count(&loop, &mine);
  double* const packed = malloc(count * sizeof *packed);
  atoll_pack(&loop, &mine, x, packed, sizeof *packed);
  for (uint64_t k = 0; k < count; ++k) printf("%g ", packed[k]);
  for (uint64_t k = 0; k < count; ++k) packed[k] *= 2;
  atoll_unpack(&loop, &mine, packed, y, sizeof *packed);
  puts("");
  for (int i = 0; i < kIterations; ++i) printf("%g ", y[i]);
  puts("");
  free(packed);
  return 0;
}
"""


@pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")
def test_a_c_program_packs(atoll, build, source, tmp_path):
    """The program packs its data. Its schedule lists the tasks backwards, with the short one first."""
    (tmp_path / "packs.c").write_text(PACKS)
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O2", "-I",
                    source / "include", tmp_path / "packs.c", "-o", tmp_path / "packs"], check=True)
    doubled = " ".join(f"{2 * i}" for i in range(23))
    plain = subprocess.run([tmp_path / "packs"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.strip() for line in plain] == [" ".join(map(str, range(23))), doubled]
    subprocess.run([build / "tests/atoll_write_schedule", tmp_path / "s", "doubles", "23", "4", "1", "0"], check=True)
    done = atoll("run", "--schedule", tmp_path / "s", "--strict", "--", tmp_path / "packs")
    backwards = [i for task in range(5, -1, -1) for i in range(4 * task, min(4 * task + 4, 23))]
    assert [line.strip() for line in done.stdout.splitlines()] == [" ".join(map(str, backwards)), doubled]
    assert done.stderr == ""
