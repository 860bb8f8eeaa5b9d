"""`atoll profile` and `atoll trace` as users call them: parts of a run, limits, ways to end, mistakes."""

import os
import signal
import subprocess

import pytest

PROGRAM = """
#include <atoll/marks/marks.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 1 << 19 };
static double* numbers;

static void* fill(void* part) {
  const long first = (long)part * (N / 4);
  for (long i = first; i < first + N / 4; ++i) numbers[i] = (double)i;
  return NULL;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  numbers = malloc(N * sizeof *numbers);
  if (!strcmp(what, "iterations")) {
    for (int i = 0; i < N; ++i) numbers[i] = 0;
    for (int k = 0; k < 10; ++k) {
      atoll_mark_iteration();
      for (int i = 0; i < N; ++i) numbers[i] = i + k;
    }
  } else if (!strcmp(what, "marks")) {
    for (int i = 0; i < N; ++i) numbers[i] = i;
    if (argc > 2) usleep(1000 * atoi(argv[2]));
    for (int i = 0; i < N; ++i) numbers[i] = i;
    atoll_mark_begin();
    for (int i = 0; i < N / 2; ++i) numbers[i] += 1;
    atoll_mark_end();
    for (int i = 0; i < N; ++i) numbers[i] = i;
  } else if (!strcmp(what, "both")) {
    for (int k = 0; k < 6; ++k) {
      atoll_mark_iteration();
      for (int i = 0; i < N; ++i) numbers[i] = k;
      atoll_mark_begin();
      for (int i = 0; i < N / 2; ++i) numbers[i] = i + k;
      atoll_mark_end();
    }
  } else {
    pthread_t threads[4];
    for (long t = 0; t < 4; ++t) pthread_create(&threads[t], NULL, fill, (void*)t);
    for (int t = 0; t < 4; ++t) pthread_join(threads[t], NULL);
  }
  if (!strcmp(what, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(what, "abort")) abort();
  if (!strcmp(what, "seven")) _exit(7);
  if (!strcmp(what, "sleep")) sleep(60);
  printf("%g\\n", numbers[N - 1]);
  return 0;
}
"""
N = 1 << 19


@pytest.fixture(scope="module")
def program(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched")
    (folder / "app.c").write_text(PROGRAM)
    subprocess.run([build / "atollcc", "-O2", "-g", "-pthread", folder / "app.c",
                    "-o", folder / "app"], check=True)
    return folder / "app"


def heap(report):
    """Returns the reads and writes of the large array."""
    found = [one for one in report["objects"] if one["kind"] == "heap"]
    return sum(one["reads"] for one in found), sum(one["writes"] for one in found)


def profiled(atoll, tmp_path, *words, check=True):
    profile = tmp_path / "p"
    atoll("profile", "-o", profile, *words, check=check)
    atoll("profile", "--check", profile)
    return atoll.json("report", profile)


def test_threads_and_their_writes(atoll, program, tmp_path):
    report = profiled(atoll, tmp_path, "--", program)
    assert heap(report) == (1, N)  # main prints the last element
    assert report["threads"] == 5
    assert report["frontend"] == "compiled"


def test_only_between_marks(atoll, program, tmp_path):
    assert heap(profiled(atoll, tmp_path, "--between-marks", "--", program, "marks")) == (N // 2, N // 2)


def test_the_first_iterations(atoll, program, tmp_path):
    assert heap(profiled(atoll, tmp_path, "--iterations", "3", "--", program, "iterations")) == (0, 3 * N)


def test_marks_hold_back_what_comes_after_the_time(atoll, program, tmp_path):
    options = ["--after", "0.7", "--between-marks"]
    assert heap(profiled(atoll, tmp_path, *options, "--", program, "marks", "1500")) == (N // 2, N // 2)


def test_marks_begin_nothing_before_the_time(atoll, program, tmp_path):
    assert heap(profiled(atoll, tmp_path, "--after", "30", "--between-marks", "--", program, "marks")) == (0, 0)
    assert heap(profiled(atoll, tmp_path, "--after", "30", "--iterations", "3", "--", program, "iterations")) == (0, 0)


def test_between_marks_of_the_first_iterations(atoll, program, tmp_path):
    options = ["--iterations", "3", "--between-marks"]
    assert heap(profiled(atoll, tmp_path, *options, "--", program, "both")) == (0, 3 * N // 2)


def test_a_share_of_the_pages(atoll, program, tmp_path):
    _, writes = heap(profiled(atoll, tmp_path, "--page-share", "50", "--", program))
    assert 0.2 * N < writes < 0.8 * N


def test_after_some_time_nothing_of_a_short_run(atoll, program, tmp_path):
    report = profiled(atoll, tmp_path, "--after", "30", "--", program)
    assert heap(report) == (0, 0)


def test_where_memory_is_short_lines_are_lost_and_said_to_be(atoll, program, tmp_path):
    # The memory suffices for the counts of all pages, whatever part each thread allocates, but only for the
    # lines of some pages.
    report = profiled(atoll, tmp_path, "--memory", "1536KiB", "--", program)
    assert [loss["count"] > 100 for loss in report["losses"]] == [True], report["losses"]
    assert report["losses"][0]["kind"] == "pages_without_lines"
    assert "without lines" in report["losses"][0]["what"]
    assert heap(report) == (1, N)  # every access is still counted


def test_the_slowdown_is_measured_where_asked_for(atoll, program, tmp_path):
    report = profiled(atoll, tmp_path, "--native", "--", program)
    assert report["native_seconds"] > 0
    assert report["slowdown"] == pytest.approx(report["elapsed_seconds"] / report["native_seconds"])


@pytest.mark.parametrize("what, code", [("kill", 128 + signal.SIGKILL), ("abort", 128 + signal.SIGABRT),
                                        ("seven", 7)])
def test_however_it_ends_nothing_is_lost(atoll, program, tmp_path, what, code):
    done = atoll("profile", "-o", tmp_path / "p", "--", program, what, check=False)
    assert done.returncode == code
    assert (f"app: ended by signal {code - 128} (" in done.stderr) == (code > 128)
    assert heap(atoll.json("report", tmp_path / "p")) == (0, N)


def test_interrupted_the_profile_is_written(atoll, program, tmp_path):
    process = subprocess.Popen([atoll.program, "profile", "-o", tmp_path / "p", "--", program, "sleep"],
                               start_new_session=True, stderr=subprocess.PIPE)
    import time
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    assert process.wait(timeout=60) == 128 + signal.SIGINT
    assert heap(atoll.json("report", tmp_path / "p")) == (0, N)


def test_a_trace_has_what_a_profile_counts(atoll, program, tmp_path):
    report = profiled(atoll, tmp_path, "--", program, "marks")
    atoll("trace", "-o", tmp_path / "t", "--", program, "marks")
    said = atoll("trace", "--check", tmp_path / "t").stdout
    reads, writes = (int(said.split(f" {word}")[0].split()[-1].replace(",", "")) for word in ("reads", "writes"))
    counted = report["accesses"]
    assert abs(reads + writes - counted) <= counted * 0.001
    assert (tmp_path / "t").stat().st_size < counted // 100


def test_a_damaged_trace_is_refused(atoll, program, tmp_path):
    atoll("trace", "-o", tmp_path / "t", "--", program)
    whole = (tmp_path / "t").read_bytes()
    (tmp_path / "t").write_bytes(whole[: len(whole) // 2])
    assert "cut off" in atoll.refuses("trace", "--check", tmp_path / "t")
    assert "no trace" in atoll.refuses("trace", "--check", program)


@pytest.mark.parametrize("words, said", [
    ([], "no command"),
    (["--", "/nowhere/to/be/found"], "does not exist"),
    (["--", "no-such-program-at-all"], "not found"),
    (["--", "/etc/passwd"], "not an executable"),
    (["--", "/etc"], "not an executable"),
    (["--frontend", "magic", "--", "true"], "no front end"),
    (["--frontend", "compiled", "--", "/bin/true"], "wasn't compiled with atollcc"),
    (["--frontend", "gcc", "--", "/bin/true"], "wasn't compiled with atollgcc"),
    (["--memory", "lots", "--", "true"], "--memory"),
    (["--page-share", "0", "--", "true"], "--page-share"),
    (["--after", "-1", "--", "true"], "--after"),
    (["--check", "/etc/passwd"], "/etc/passwd"),
    (["-o", "/nowhere/p", "--", "true"], "/nowhere"),
])
def test_mistakes_are_one_line(atoll, words, said):
    assert said in atoll.refuses("profile", *words)


def test_a_stream_of_some_pages_is_not_offered(atoll, tmp_path):
    assert "--page-share" in atoll.refuses("trace", "--page-share", "5", "-o", tmp_path / "t", "--", "true")
    assert not (tmp_path / "t").exists()
    # Options that a verb refuses aren't in its help.
    offered = atoll("trace", "--help").stdout
    assert "--page-share" not in offered and "sample" not in offered
    assert "--page-share" in atoll("profile", "--help").stdout


def test_a_setuid_program_is_refused(atoll, program, tmp_path):
    copy = tmp_path / "privileged"
    copy.write_bytes(program.read_bytes())
    copy.chmod(0o4755)
    assert "setuid" in atoll.refuses("profile", "--", copy)


FIRST_TOUCH = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { BYTES = 4 << 20 };
static char* memory;
static void* use(void* nothing) {
  long sum = 0;
  for (int i = 0; i < BYTES; ++i) sum += memory[i];
  printf("%ld\\n", sum);
  return nothing;
}
int main(void) {
  memory = malloc(BYTES);
  int zeros = open("/dev/zero", O_RDONLY);
  for (long at = 0; at < BYTES;) at += read(zeros, memory + at, BYTES - at);  // the system touches it first
  pthread_t thread;
  pthread_create(&thread, NULL, use, NULL);
  pthread_join(thread, NULL);
  return 0;
}
"""


@pytest.mark.skipif(os.geteuid() != 0 and int(open("/proc/sys/kernel/perf_event_paranoid").read()) > 2,
                    reason="page faults may not be sampled here (kernel.perf_event_paranoid)")
@pytest.mark.parametrize("compiler, frontend", [("atollcc", "compiled"), ("atollgcc", "gcc"), ("gcc", "dbi")])
def test_who_touched_first_is_known_of_the_system_too(atoll, build, tmp_path, compiler, frontend):
    (tmp_path / "touch.c").write_text(FIRST_TOUCH)
    path = build / compiler if compiler != "gcc" else "gcc"
    subprocess.run([path, "-O1", "-g", "-pthread", tmp_path / "touch.c", "-o", tmp_path / "touch"], check=True)
    atoll("profile", "-o", tmp_path / "p", "--frontend", frontend, "--", tmp_path / "touch")
    # Two nodes with a processing unit each. The main thread, for which the kernel populated the array, is on
    # one; the thread that uses the array is on the other.
    report = atoll.json("report", tmp_path / "p", "--machine", "numa:2(memory=1GB) core:1 pu:1")
    memory = max(report["objects"], key=lambda one: one["reads"])
    assert memory["reads"] >= 4 << 20
    assert memory["balance"]["pages"] == [1024, 0]
    os_like = next(one for one in memory["what_if"] if one["mapping"] == "os")
    assert os_like["local_share"] < 0.01


def test_a_place_that_cannot_be_written_is_found_before_the_program_runs(atoll, tmp_path):
    for verb in ("profile", "trace"):
        atoll.refuses(verb, "-o", "/nowhere/p", "--", "touch", tmp_path / "ran")
        atoll.refuses(verb, "-o", tmp_path, "--", "touch", tmp_path / "ran")
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
def test_a_disk_that_fills_up_ends_the_trace_not_the_program(atoll, tmp_path):
    script = f"""
        mount -t tmpfs -o size=64k none {tmp_path} && cd {tmp_path} && echo old > t || exit 99
        {atoll.program} trace -o t -- /usr/bin/python3 -c 'print(sum(range(3000)))'
        echo "code $?"; cat t; ls"""
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=300)
    assert done.stdout == f"{sum(range(3000))}\ncode 1\nold\nt\n"  # the program ran to its end
    assert "No space left" in done.stderr and len(done.stderr.splitlines()) == 1


def test_output_that_cannot_be_written_is_an_error(atoll, program, tmp_path):
    atoll("profile", "-o", tmp_path / "p", "--", program)
    for words in (["report", tmp_path / "p"], ["report", tmp_path / "p", "--json"], ["machine"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([atoll.program, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        assert done.returncode == 1
        assert "standard output" in done.stderr and len(done.stderr.splitlines()) == 1


# The exit code shows whether the program got the same standard error, closed or full.
WRITES_TO_STDERR = "echo lost >&2 || exit 7; exit 8"


@pytest.mark.parametrize("given", ["2>&-", "2>/dev/full", "2>&- <&-"])
@pytest.mark.parametrize("call", [
    "profile --frontend dbi -o {0}/p", "profile --frontend sample -o {0}/p", "trace -o {0}/p", "run --plan {0}/plan",
    "run --policy interleave",
])
def test_where_nobody_can_be_told_the_code_is_still_the_programs(atoll, tmp_path, call, given):
    (tmp_path / "plan").write_text('{"atoll_plan": 1, "threads": [{"node": 63}]}')
    verb = call.split()[0]
    call = f"{atoll.program} {call.format(tmp_path)} -- sh -c '{WRITES_TO_STDERR}' {given}"
    done = subprocess.run(["sh", "-c", call], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")
    if verb != "run":
        assert "right" in atoll(verb, "--check", tmp_path / "p").stdout


def test_output_that_is_closed_is_an_error(atoll, program, tmp_path):
    atoll("profile", "-o", tmp_path / "p", "--", program)
    done = subprocess.run(["sh", "-c", f"{atoll.program} report {tmp_path}/p >&-"], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 1 and "standard output" in done.stderr


def test_a_command_run_twice_gets_the_same_input_or_is_refused(atoll, tmp_path):
    (tmp_path / "in").write_text("a\nb\n")
    with open(tmp_path / "in") as given:
        assert atoll("profile", "-o", tmp_path / "p", "--native", "--", "cat", stdin=given).stdout == 2 * "a\nb\n"
    done = subprocess.run([atoll.program, "profile", "-o", tmp_path / "p", "--native", "--", "cat"], input="a\n",
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "pipe" in done.stderr and done.stdout == ""
