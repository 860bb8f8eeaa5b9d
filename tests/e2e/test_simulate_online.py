"""`atoll simulate -- COMMAND`: the program runs concurrently, sees the simulated machine, and its threads wait for
each other."""

import contextlib
import json
import os
import shutil
import subprocess

import pytest
from simulated_programs import DELAY, KINDS, LATE, LOOPS, MASTERS, PARTS, QUEUE, RING, SUMS

PAGERANK = "apps/greenmarl/pagerank.gm"


@pytest.fixture(scope="module")
def programs(atoll, source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("online")
    (folder / "ring.c").write_text(RING)
    (folder / "loops.c").write_text(LOOPS)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", "-pthread", f"-I{source}/include", folder / "ring.c",
                    "-o", folder / "ring"], check=True)
    (folder / "parts.c").write_text(PARTS)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", "-fopenmp", folder / "parts.c", "-o", folder / "parts"],
                   check=True)
    for name, text, flag in [("kinds", KINDS, "-fopenmp"), ("queue", QUEUE, "-pthread")]:
        (folder / f"{name}.c").write_text(text)
        subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", flag, folder / f"{name}.c", "-o", folder / name],
                       check=True)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", "-fopenmp", folder / "loops.c", "-o",
                    folder / "loops-compiled"], check=True)
    subprocess.run(["gcc", "-O1", "-g", "-fopenmp", folder / "loops.c", "-o", folder / "loops"], check=True)
    (folder / "masters.c").write_text(MASTERS)
    for compiler, name in [(atoll.program.parent / "atollcc", "masters"), ("gcc", "masters-dbi")]:
        subprocess.run([compiler, "-O1", "-g", "-fopenmp", "-pthread", folder / "masters.c", "-o", folder / name],
                       check=True)
    subprocess.run(["gcc", "-O1", "-pthread", "-static", folder / "ring.c", "-o", folder / "static"], check=True)
    return folder


def online(atoll, *arguments, code=0):
    """Returns the result and the program's output."""
    done = atoll("simulate", "--json", *arguments, check=False)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout), done.stderr


def crossing(result):
    total = sum(map(sum, result["traffic"]))
    return total - sum(row[i] for i, row in enumerate(result["traffic"])), total


@pytest.mark.parametrize("machine", ["opteron-8x8", "xeon-x7550"])
def test_a_pthreads_program_uses_the_whole_machine(atoll, programs, machine):
    result, said = online(atoll, "--machine", machine, "--pages", "4k", "--", programs / "ring", 8)
    threads = result["threads"]
    assert threads == 64
    n = threads * 8 * 512
    assert said == f"64 threads: {n * (n - 1) // 2}\n"
    # Every thread touches its own part first. Only the last thread of each node reads another node's memory.
    own = [row[i] for i, row in enumerate(result["traffic"])]
    assert min(own) > 8 * 8 * 4096 * 0.9
    across, total = crossing(result)
    assert 0 < across < total / 3
    assert not any("locks and barriers" in text for text in result["assumed"])


def test_an_openmp_program_uses_the_whole_machine(atoll, programs):
    result, said = online(atoll, "--machine", "opteron-8x8", "--frontend", "dbi", "--", programs / "loops", 256)
    assert result["threads"] == 64
    assert said.startswith("64 threads: ")
    assert all(row[i] >= 256 / 8 * 4096 for i, row in enumerate(result["traffic"]))


def test_layouts_and_threads(atoll, programs):
    def array(*options):
        result, _ = online(atoll, "--machine", "opteron-8x8", "--threads", "16", "--pages", "4k", *options, "--",
                           programs / "ring", 8)
        assert result["threads"] == 16
        return crossing(result)[0]

    own, single = array(), array("--layout-of", "ring.c:20=single")
    assert single > 2 * own


@contextlib.contextmanager
def a_busy_computer():
    """Runs two other programs that use all available processor time."""
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


# Threads that wait for barriers, locks and conditions; loops with dynamic schedules.
@pytest.mark.parametrize("name,arguments", [("ring", [8]), ("queue", []), ("loops-compiled", [64]), ("parts", []),
                                            ("kinds", [])])
def test_the_same_program_gives_the_same_bytes(atoll, programs, name, arguments):
    arguments = ["simulate", "--machine", "opteron-8x8", "--threads", 16, "--no-interval", "--json", "--",
                 programs / name, *arguments]
    quiet = atoll(*arguments).stdout
    with a_busy_computer():
        assert atoll(*arguments).stdout == quiet


# In the emulator, libgomp is also recorded: the host's timing decides which thread libgomp wakes when, and
# which threads have slept by then.
@pytest.mark.parametrize("threads", [4, 16, 64])
def test_an_emulated_openmp_program_gives_the_same_bytes(atoll, programs, threads):
    arguments = emulated(programs, threads)
    outputs = {atoll(*arguments).stdout for _ in range(6)}
    with a_busy_computer():
        outputs |= {atoll(*arguments).stdout for _ in range(2)}
    assert len(outputs) == 1


def emulated(programs, threads):
    return ["simulate", "--machine", "opteron-8x8", "--threads", threads, "--frontend", "dbi", "--no-interval", "--json",
            "--", programs / "loops", 128]


def test_threads_that_a_busy_computer_lets_begin_late(atoll, programs, tmp_path, monkeypatch):
    # In the emulator, the creator of a thread sleeps until the thread has begun.
    (tmp_path / "late.c").write_text(LATE.replace("FILE_OF_DELAY", str(tmp_path / "delay")))
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", tmp_path / "late.c", "-o", tmp_path / "late.so"], check=True)
    emulator = tmp_path / "qemu-x86_64"
    emulator.write_text(f'#!/bin/sh\nLD_PRELOAD={tmp_path}/late.so exec {shutil.which("qemu-x86_64")} "$@"\n')
    emulator.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    outputs = set()
    for milliseconds in [0, 70]:
        (tmp_path / "delay").write_text(str(milliseconds))
        outputs.add(atoll(*emulated(programs, 8)).stdout)
    assert (tmp_path / "delay.late").exists()
    assert len(outputs) == 1


# The host's timing decides which threads of libomp sleep when others add their sums, or wake them for the
# next region.
def test_threads_of_libomp_that_the_computer_delays(atoll, tmp_path, monkeypatch):
    (tmp_path / "delay.c").write_text(DELAY)
    (tmp_path / "sums.c").write_text(SUMS)
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", tmp_path / "delay.c", "-o", tmp_path / "delay.so"], check=True)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", "-fopenmp", tmp_path / "sums.c", tmp_path / "delay.so",
                    "-o", tmp_path / "sums"], check=True)
    outputs = set()
    for microseconds in [0, 100, 0, 300, 0, 1000]:
        monkeypatch.setenv("DELAY", str(microseconds))
        outputs.add(atoll("simulate", "--machine", "opteron-8x8", "--threads", 16, "--no-interval", "--json", "--",
                          tmp_path / "sums").stdout)
    assert len(outputs) == 1


def test_parts_of_a_loop_go_to_who_comes_first_in_simulated_time(atoll, programs):
    # Threads run the same parts each time (above), and other parts if they are placed differently.
    said = {policy: online(atoll, "--machine", "opteron-8x8", "--threads", 16, "--policy", policy, "--no-interval", "--",
                           programs / "parts")[1] for policy in ("os", "compact")}
    assert said["os"] != said["compact"]


# libomp's threads poll for a lock while the first of them creates its tables.
@pytest.mark.parametrize("options", [[], ["--frontend", "dbi"]], ids=["compiled", "dbi"])
def test_two_threads_that_begin_regions_at_once(atoll, programs, options):
    program = programs / ("masters-dbi" if options else "masters")
    _, said = online(atoll, "--machine", "opteron-8x8", "--threads", 8, "--no-interval", *options, "--", program)
    assert said == f"{3 * sum(range(1 << 16))}\n"


@pytest.mark.parametrize("compiler", ["gcc", "atollcc"])
def test_every_way_in_which_openmp_gives_out_work(atoll, programs, compiler):
    (programs / "kinds.c").write_text(KINDS)
    name = programs / f"kinds-{compiler}"
    subprocess.run([atoll.program.parent / compiler if compiler == "atollcc" else compiler, "-O1", "-g", "-fopenmp",
                    programs / "kinds.c", "-o", name], check=True)
    environment = dict(os.environ, OMP_NUM_THREADS="8", OMP_SCHEDULE="dynamic")
    expected = subprocess.run([name], check=True, capture_output=True, text=True, env=environment).stdout
    done = subprocess.run([atoll.program, "simulate", "--machine", "xeon-2x10", "--no-interval", "--json", "--", name],
                          check=True, capture_output=True, text=True, env=environment, timeout=120)
    assert done.stderr == expected
    assert json.loads(done.stdout)["threads"] == 8


def test_traces_have_waits(atoll, programs, tmp_path):
    atoll("trace", "--timed", "-o", tmp_path / "t", "--", programs / "ring", 64)
    assert "right" in atoll("trace", "--check", tmp_path / "t").stdout
    result = atoll.json("simulate", "--machine", "xeon-2x10", tmp_path / "t")
    assert not any("locks and barriers" in text for text in result["assumed"])
    arguments = ["simulate", "--machine", "xeon-2x10", "--json", tmp_path / "t"]
    alone = subprocess.run(["taskset", "-c", "0", atoll.program, *map(str, arguments)], check=True, capture_output=True,
                           text=True).stdout
    assert alone == atoll(*arguments).stdout


def test_a_packaged_program(atoll, tmp_path):
    text = tmp_path / "text"
    text.write_bytes(b"".join(b"line %d of some text\n" % i for i in range(30000)))
    packed = tmp_path / "packed"
    with packed.open("wb") as to:
        done = subprocess.run([atoll.program, "simulate", "--machine", "xeon-x7550", "--no-interval", "--json",
                               "--frontend", "dbi", "--", "pigz", "-1", "-b", "128", "-c", text], capture_output=True)
    assert done.returncode == 0
    packed.write_bytes(done.stderr)  # with --json, the program's output
    assert subprocess.run(["gzip", "-dc", packed], check=True, capture_output=True).stdout == text.read_bytes()
    assert json.loads(done.stdout)["threads"] > 2


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """A ring of 500 nodes, with edges to a few of them, so that ranks differ."""
    file = tmp_path_factory.mktemp("graph") / "ring.el"
    file.write_text("".join(f"{i} {(i + 1) % 500}\n{i} {i % 7}\n" for i in range(500)))
    return file


@pytest.mark.plain_build("programs of this build are recorded, and those with a sanitizer can't be")
def test_a_green_marl_program(atoll, source, graph):
    call = [source / PAGERANK, "--threads", 4, "--graph", graph, "--arg", "e=0", "--arg", "d=0.85", "--arg", "max=3"]
    result, said = online(atoll, "--machine", "xeon-2x10", "--no-interval", *call)
    assert result["threads"] == 4
    assert "4 threads on node 0-1" in said
    assert "Returned: 3\n" in said
    # Sums by several threads may differ in their last digits, and so may the order of nodes 5 and 6.
    here, there = ({node: float(rank) for _, node, rank in map(str.split, text.split("Highest pg_rank")[1].splitlines()[2:9])}
                   for text in (said, atoll("run", *call).stdout))
    assert there == pytest.approx(here)
    # Only the procedure is simulated: three rounds over 1,000 edges, without reading the file.
    assert 3 * 1000 < result["accesses"] < 200_000
    assert result["seconds"] > 0


# Fewer chunks than threads, of loops, copies and fills: their assignment is decided in simulated time.
@pytest.mark.plain_build("programs of this build are recorded, and those with a sanitizer can't be")
def test_a_green_marl_program_gives_the_same_bytes(atoll, source, graph):
    call = ["simulate", "--machine", "opteron-8x8", "--threads", 16, "--no-interval", "--json", source / PAGERANK,
            "--graph", graph, "--arg", "e=0", "--arg", "d=0.85", "--arg", "max=2"]
    outputs = {atoll(*call).stdout for _ in range(2)}
    with a_busy_computer():
        outputs.add(atoll(*call).stdout)
    assert len(outputs) == 1


# Several threads count members concurrently, each time under a lock that polls.
@pytest.mark.plain_build("programs of this build are recorded, and those with a sanitizer can't be")
def test_locks_of_atolls_collections(atoll, source, tmp_path):
    nodes = 3000
    (tmp_path / "g.el").write_text("".join(f"{i} {(i + 1) % nodes}\n{(i + 1) % nodes} {i}\n" for i in range(nodes)))
    call = ["simulate", "--machine", "opteron-8x8", "--threads", 16, "--no-interval", "--json",
            source / "apps/greenmarl/communities.gm", "--graph", tmp_path / "g.el", "--arg", "rounds=1"]
    result = json.loads(atoll(*call).stdout)
    assert not any("slept" in text or "no end" in text for text in result["assumed"])
    # The three threads that have a chunk wait for each other most of the time.
    assert result["stack"]["waiting for threads"] > 0.3
    assert result["seconds"] < 0.1


@pytest.mark.plain_build("programs of this build are recorded, and those with a sanitizer can't be")
def test_a_refused_green_marl_program_has_no_result(atoll, source, graph):
    done = atoll("simulate", "--machine", "xeon-2x10", "--threads", 2, source / PAGERANK, "--graph", graph, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1 and "--arg e=VALUE" in done.stderr


def test_what_the_program_sees(atoll):
    def says(*command):
        return online(atoll, "--machine", "opteron-8x8", "--no-interval", "--frontend", "dbi", *command)[1]

    assert says("--", "nproc") == "64\n"
    assert says("--threads", "24", "--", "nproc") == "24\n"
    assert says("--", "cat", "/sys/devices/system/node/online") == "0-7\n"
    assert f"MemAvailable:   {512 << 20} kB\n" in says("--", "cat", "/proc/meminfo")  # independent of this computer
    assert says("--", "cat", "/proc/self/cgroup") == "0::/\n"
    assert "Mems_allowed_list:\t0-7\n" in says("--", "cat", "/proc/self/status")


def test_a_static_program_cannot_be_shown_the_machine(atoll, programs):
    result, said = online(atoll, "--machine", "opteron-8x8", "--no-interval", "--frontend", "dbi", "--", programs / "static", 1)
    assert "threads: " in said
    assert any("sees this computer" in text for text in result["assumed"])


def test_exit_codes_and_signals(atoll, programs):
    result, _ = online(atoll, "--machine", "xeon-2x10", "--no-interval", "--", programs / "ring", 1, 7, code=7)
    assert result["threads"] == 20
    killed, _ = online(atoll, "--machine", "xeon-2x10", "--no-interval", "--frontend", "dbi", "--", "sh", "-c",
                       "kill -9 $$", code=137)
    assert killed["accesses"] > 0


def test_bad_input_is_refused_in_one_line(atoll, programs):
    for words, arguments in [
        ("has 20 processing units", ["--threads", "21"]),
        ("no object of that name", ["--layout-of", "nothing=single"]),
        ("samples aren't all accesses", ["--frontend", "sample"]),
    ]:
        done = atoll("simulate", "--machine", "xeon-2x10", *arguments, "--", programs / "ring", 1, check=False)
        assert done.returncode == 2
        told = [line for line in done.stderr.splitlines() if line.startswith("atoll: ")]
        assert len(told) == 1 and words in told[0]


def test_the_help_has_every_option_in_80_columns(atoll):
    told = atoll("simulate", "--help").stdout
    assert max(map(len, told.splitlines())) <= 80
    for option in ["--machine", "--frontend", "--threads", "--layout ", "--layout-of", "--pages", "--plan", "--policy",
                   "--between-marks", "--iterations", "--no-interval", "--json", "--graph", "--arg", "docs/simulate.md"]:
        assert option in told
