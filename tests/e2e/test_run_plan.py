"""`atoll run --plan` and `--policy`: how threads and objects are recognised, reports about those that aren't,
and the command's own behaviour (output, exit, signals), which is unchanged."""

import json
import os
import re
import signal
import subprocess
import time

import pytest

UNITS = sorted(os.sched_getaffinity(0))
LAYOUT = {"kind": "single", "node": 0, "pages": "4k"}


class Program:
    """The test program in some build, and its call sites for plans."""

    def __init__(self, folder, source, name, *flags):
        self.path = folder / name
        subprocess.run(["gcc", "-pthread", "-Wl,--build-id", *flags, source, "-o", self.path], check=True)
        self.lines = {mark: number for number, line in enumerate(source.read_text().splitlines(), 1)
                      for mark in ["the array", "the mapped array", "a worker"] if f"/* {mark} */" in line}
        text = source.read_text().splitlines()
        self.calls = {"make_array": self._line(text, "array = make_array("),
                      "map_array": self._line(text, "mapped = map_array("),
                      "start_worker": self._line(text, "    start_worker(&")}

    @staticmethod
    def _line(text, start):
        return next(number for number, line in enumerate(text, 1) if start in line)

    def stack(self, function, mark):
        """Returns a call stack by function, file and line, innermost frame first."""
        file = "memset_then_parallel.c"
        return [{"function": function, "file": f"/elsewhere/{file}", "line": self.lines[mark]},
                {"function": "main", "file": f"/elsewhere/{file}", "line": self.calls[function]}]

    def array(self, **more):
        return {"kind": "heap", "bytes": 64 * 4096, "layout": LAYOUT,
                "stack": self.stack("make_array", "the array"), **more}

    def mapped(self, **more):
        return {"kind": "mapping", "bytes": 64 * 4096, "layout": LAYOUT,
                "stack": self.stack("map_array", "the mapped array"), **more}

    def worker(self, order, **more):
        return {"creator": 0, "order": order, "node": 0,
                "stack": self.stack("start_worker", "a worker"), **more}


@pytest.fixture(scope="module")
def source_file(source):
    return source / "tests/programs/memset_then_parallel.c"


@pytest.fixture(scope="module")
def program(tmp_path_factory, source_file):
    return Program(tmp_path_factory.mktemp("program"), source_file, "plain", "-O2", "-g")


@pytest.fixture
def run(atoll, tmp_path):
    """Runs the program with a plan of these members. Returns the program's output and atoll's report."""

    def call(program, *arguments, **members):
        plan = tmp_path / "the.plan.json"
        plan.write_text(json.dumps({"atoll_plan": 1, **members}))
        done = atoll("run", "--plan", plan, "--", program.path, *(arguments or ("2", "64")))
        assert "sum 4456448" in done.stdout or arguments
        return done.stdout, done.stderr

    return call


def recognised(report):
    """Returns {level: (threads, objects)} of the table."""
    rows = re.findall(r"^  (\S.*?) +(\d+) +(\d+)$", report, re.M)
    return {level: (int(threads), int(objects)) for level, threads, objects in rows}


def test_by_function_file_and_line(run, program):
    """The plan has another source folder, and another compiler and other flags may have built the program.
    Functions and lines are equal."""
    out, report = run(program, bind_threads=True,
                      threads=[{"node": 0}, program.worker(0, pus=[UNITS[-1]]), program.worker(1, pus=[UNITS[0]])],
                      objects=[program.array(), {"kind": "global", "name": "table", "bytes": 16 * 4096, "layout": LAYOUT}])
    assert "recognised 3 of 3 threads and 2 of 2 objects" in report
    assert recognised(report) == {"function, file and line": (2, 2), "size and order": (1, 0)}
    assert f"worker 0 unit {UNITS[-1]} " in out
    assert f"worker 1 unit {UNITS[0]} " in out


def test_plan_of_another_build_is_applied(run, program, tmp_path, source_file):
    """A function is inlined in one build only, and offsets differ. The lines are equal."""
    other = Program(tmp_path, source_file, "other", "-O0", "-g", "-fno-omit-frame-pointer")
    stale = [dict(frame, build_id="00", offset="0x10") for frame in program.array()["stack"]]
    _, report = run(other, objects=[program.array(stack=stale)])
    assert recognised(report)["function, file and line"] == (0, 1)


def return_address(program, function, callee):
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program.path], text=True,
                          capture_output=True, check=True).stdout
    body = code.split(f"<{function}>:\n")[1].split("\n\n")[0].splitlines()
    call = next(i for i, line in enumerate(body) if f"<{callee}" in line and "call" in line)
    return "0x" + body[call + 1].split(":")[0].strip()


def test_by_build_id_and_offset(run, tmp_path, source_file):
    """The plan has no names or lines, and the program has none either."""
    program = Program(tmp_path, source_file, "exact", "-O0", "-g")
    notes = subprocess.run(["readelf", "-n", program.path], text=True, capture_output=True).stdout
    build_id = re.search(r"Build ID: (\w+)", notes)[1]
    stack = [{"build_id": build_id, "offset": return_address(program, "make_array", "malloc")},
             {"build_id": build_id, "offset": return_address(program, "main", "make_array")}]
    table = re.search(r"(\w+) .* table$", subprocess.run(["nm", program.path], text=True,
                                                        capture_output=True).stdout, re.M)[1]
    subprocess.run(["strip", program.path], check=True)
    objects = [program.array(stack=stack),
               {"kind": "global", "bytes": 65536, "layout": LAYOUT,
                "stack": [{"build_id": build_id, "offset": f"0x{table}"}]}]
    _, report = run(program, objects=objects)
    assert recognised(report) == {"build id and offset": (0, 2)}


def test_by_size_and_order(run, program, tmp_path, source_file):
    """A stripped program: threads and objects are recognised by size and order only."""
    stripped = Program(tmp_path, source_file, "stripped", "-O2", "-s")
    _, report = run(stripped, bind_threads=True,
                    threads=[{"node": 0}, program.worker(0), program.worker(1)],
                    objects=[program.array(bytes=63 * 4096), program.array(order=1), program.array(order=2)])
    assert recognised(report) == {"size and order": (3, 1)}
    assert "object 2, heap, 256 KiB" in report
    assert re.search(r"object 0, heap, 252 KiB: make_array \(memset_then_parallel.c:\d+\)", report)


def test_what_matches_nothing_is_listed(run, program):
    lost = [{"function": "nowhere", "file": "gone.c", "line": 5}]
    _, report = run(program, bind_threads=True,
                    threads=[{"node": 0, "name": "first"}, program.worker(2, name="third"),
                             {"creator": 0, "node": 0, "name": "lost", "stack": lost}],
                    objects=[program.array(stack=lost), {"kind": "global", "name": "chair", "bytes": 8, "layout": LAYOUT},
                             {"kind": "heap", "bytes": 12345678, "layout": LAYOUT}])
    assert "recognised 2 of 3 threads and 0 of 3 objects" in report
    listed = report.split("not seen in this run:\n")[1]
    assert "thread 2, thread 'lost': nowhere (gone.c:5)" in listed
    assert "object 0, heap, 256 KiB: nowhere (gone.c:5)" in listed
    assert "object 1, global, 8 B: chair" in listed
    assert "object 2, heap, 11.8 MiB: place unknown" in listed
    assert "not in the plan: 1 large allocation (256 KiB), 0 threads" in listed


def test_an_edited_plan_is_followed(run, program):
    for unit in UNITS[:2]:  # the first and the second unit, bound explicitly
        out, _ = run(program, bind_threads=True, threads=[{"node": 0}, program.worker(0, pus=[unit])])
        assert f"worker 0 unit {unit} " in out


def test_further_ones_of_a_place_go_like_those_planned(run, program):
    """The program is profiled with one worker and run with three."""
    out, report = run(program, "3", "64", bind_threads=True,
                      threads=[{"node": 0}, program.worker(0, pus=[UNITS[-1]])])
    assert out.count(f" unit {UNITS[-1]} ") >= 3
    assert "recognised 2 of 2 threads" in report


def test_programs_count_the_units_that_they_would_without_a_plan(run, program):
    """Run-time libraries start a thread for each unit that the first thread may use. The plan doesn't change
    this number."""
    out, _ = run(program, bind_threads=True,
                 threads=[{"node": 0, "pus": [UNITS[0]]}, program.worker(0, pus=[UNITS[0]])])
    assert re.findall(r"sees (\d+)", out) == [str(len(UNITS))] * 3
    assert f"main unit {UNITS[0]} " in out


def test_bindings_of_the_program_are_overruled_and_reported(run, program):
    """The plan binds a worker that binds itself to another unit, that of the main thread."""
    out, report = run(program, "2", "64", "bind", bind_threads=True,
                      threads=[{"node": 0, "pus": [UNITS[0]]}, program.worker(0, pus=[UNITS[-1]])])
    assert f"worker 0 unit {UNITS[-1]} " in out
    overruled = 1 if len(UNITS) > 1 else 0
    assert f"the program bound threads itself once; {overruled} overruled by the plan" in report


def test_mappings_are_recognised(run, program, tmp_path, source_file):
    """Mappings are recognised by lines and by size, and distinguished from heap objects of the same size."""
    objects = [program.array(), program.mapped()]
    out, report = run(program, "2", "64", "mapped", objects=objects)
    assert recognised(report) == {"function, file and line": (0, 2)}
    assert "not placed" not in report and "refused" not in report and "not in the plan" not in report
    assert re.search(r"^mapped 0x64$", out, re.M) or len(os.listdir("/sys/devices/system/node")) > 1
    stripped = Program(tmp_path, source_file, "stripped", "-O2", "-s")
    _, report = run(stripped, "2", "64", "mapped", objects=objects)
    assert recognised(report) == {"size and order": (0, 2)}
    _, report = run(stripped, "2", "64", "mapped", objects=[program.array(order=1), program.array(order=2)])
    assert recognised(report) == {"size and order": (0, 1)}  # a mapping isn't an allocation
    _, report = run(program, objects=[program.mapped()])
    assert "object 0, mapping, 256 KiB: map_array (memset_then_parallel.c:" in report


def test_pages_of_files_are_not_placed_and_it_is_said(run, program, tmp_path):
    """A shared mapping of a file on disk uses pages of the page cache, which aren't placed. One of a file in
    memory has its own pages, and a private mapping that is written to has copies; both are placed."""
    system = subprocess.run(["stat", "-f", "-c", "%T", tmp_path], text=True, capture_output=True).stdout.strip()
    for folder, how, placed in [(tmp_path, [], system == "tmpfs"), (tmp_path, ["private"], True), ("/dev/shm", [], True)]:
        file = f"{folder}/atoll-mapped-{os.getpid()}"
        _, report = run(program, "2", "64", file, *how, objects=[program.mapped()])
        os.unlink(file)
        assert recognised(report) == {"function, file and line": (0, 1)}
        assert ("not placed, since pages of a file" in report) != placed
        assert (report.count("object 0, mapping, 256 KiB: map_array") == 0) == placed


def test_the_whole_way(atoll, build, program, tmp_path, source_file):
    """The program is profiled in an instrumented build and advised for one node per thread. The plan fits the
    plain build and the instrumented one, whose library interposes the same functions."""
    watched, profile, plan = tmp_path / "watched", tmp_path / "profile", tmp_path / "plan"
    subprocess.run([build / "atollcc", "-O2", "-g", "-pthread", source_file, "-o", watched], check=True)
    arguments = ["4", "2048", "mapped"]
    atoll("profile", "-o", profile, "--frontend", "compiled", "--", watched, *arguments)
    atoll("advise", profile, "--machine", "pack:5 numa:1 core:1 pu:1", "-o", plan)
    kinds = [planned["kind"] for planned in json.loads(plan.read_text())["objects"]]
    assert sorted(kinds) == ["heap", "mapping"]
    for run in [program.path, watched]:
        report = atoll("run", "--plan", plan, "--", run, *arguments).stderr
        assert "recognised 5 of 5 threads and 2 of 2 objects\n" in report
        assert recognised(report) == {"function, file and line": (4, 2), "size and order": (1, 0)}


def test_nodes_that_are_not_here_are_left_to_the_system(run, program):
    layout = {"kind": "distributed", "nodes": [901, 902], "granule_bytes": 4096, "pages": "4k"}
    out, report = run(program, objects=[program.array(layout=layout)])
    assert "this computer has no node 901-902; what is planned there is left to the system" in report
    assert "recognised 0 of 0 threads and 1 of 1 object\n" in report
    assert re.search(r"^array 0x64$", out, re.M) or len(os.listdir("/sys/devices/system/node")) > 1


def test_replicas_are_spread_and_it_is_said(run, program):
    layout = {"kind": "replicated", "nodes": [0, 901], "pages": "4k"}
    _, report = run(program, objects=[program.array(layout=layout)])
    assert "recognised 0 of 0 threads and 1 of 1 object\n" in report
    assert "replicas can't be had by a program that doesn't know of them" in report


def test_children_are_placed_too(atoll, program, tmp_path):
    plan = tmp_path / "plan"
    plan.write_text(json.dumps({"atoll_plan": 1, "objects": [program.array()]}))
    done = atoll("run", "--plan", plan, "--", "sh", "-c", f"'{program.path}' 2 64; echo done $?")
    assert "done 0" in done.stdout
    assert recognised(done.stderr) == {"function, file and line": (0, 1)}


@pytest.mark.parametrize("policy", ["os", "compact", "interleave", "numa-balancing"])
def test_policies_run_any_program(atoll, program, policy):
    done = atoll("run", "--policy", policy, "--", program.path, "2", "64")
    workers = [int(unit) for unit in re.findall(r"worker \d+ unit (\d+)", done.stdout)]
    assert len(workers) == 2
    if policy == "compact" and len(UNITS) == 2:  # main, then the workers in order, cyclically
        assert workers == [UNITS[1], UNITS[0]]
        assert re.findall(r"sees (\d+)", done.stdout) == ["2"] * 3
    if len([name for name in os.listdir("/sys/devices/system/node") if name.startswith("node")]) == 1:
        says = "changes nothing: this computer has one memory node" in done.stderr
        assert says == (policy in ["interleave", "numa-balancing"])


@pytest.mark.parametrize("how", [["--policy", "os"], ["--policy", "compact"], []])
def test_the_end_is_the_commands_own(atoll, how):
    def end(script):
        return atoll("run", *how, "--", "sh", "-c", script, check=False).returncode

    assert [end("exit 0"), end("exit 7"), end("exit 255")] == [0, 7, 255]
    assert end("kill -SEGV $$") == -signal.SIGSEGV
    assert end("kill -KILL $$") == -signal.SIGKILL


def test_input_and_output_are_the_commands_own(atoll, program, tmp_path):
    assert atoll("run", "--", "cat", "-", input="words\n").stdout == "words\n"
    assert atoll("run", "--policy", "interleave", "--", "echo", "--", "-x").stdout == "-- -x\n"


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_go_to_the_command(atoll, tmp_path, sent):
    ready = tmp_path / "ready"
    script = f"trap 'exit 42' {sent.value}; : > '{ready}'; while :; do sleep 0.05; done"
    process = subprocess.Popen([atoll.program, "run", "--policy", "os", "--", "sh", "-c", script])
    try:
        end = time.monotonic() + 60
        while not ready.exists() and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(sent)
        assert process.wait(timeout=60) == 42
    finally:
        process.kill()
        process.wait()


def test_static_programs_are_told_of(atoll, tmp_path, source_file):
    static = Program(tmp_path, source_file, "static", "-O1", "-static")
    plan = tmp_path / "plan"
    plan.write_text('{"atoll_plan": 1}')
    done = atoll("run", "--plan", plan, "--", static.path, "1", "16")
    assert "the program never asked: it is static" in done.stderr


@pytest.mark.parametrize("text, words", [
    ("", "not JSON"),
    ("{}", "'atoll_plan' is missing"),
    ('{"atoll_plan": 2}', "/atoll_plan: version 2"),
    ('{"atoll_plan": 1, "objects": [{"kind": "heap"}]}', "/objects/0: the key 'layout'"),
    ('{"atoll_plan": 1, "threads": [{"node": "0"}]}', "/threads/0/node: must be a number"),
])
def test_bad_plans(atoll, tmp_path, text, words):
    plan = tmp_path / "bad.json"
    plan.write_text(text)
    mark = tmp_path / "ran"
    assert words in atoll.refuses("run", "--plan", plan, "--", "touch", mark)
    assert not mark.exists()


def test_wrong_calls(atoll, tmp_path):
    plan = tmp_path / "plan"
    plan.write_text('{"atoll_plan": 1}')
    assert "can't be read" in atoll.refuses("run", "--plan", tmp_path / "none", "--", "true")
    assert "is a directory" in atoll.refuses("run", "--plan", tmp_path, "--", "true")
    assert "no command follows" in atoll.refuses("run", "--policy", "os", "--")
    assert "in front of '--'" in atoll.refuses("run", "a.gm", "--", "true")
    assert "excludes" in atoll.refuses("run", "--plan", plan, "--policy", "os", "--", "true")
    assert "not in {os," in atoll.refuses("run", "--policy", "cost", "--", "true")
    assert "follows '--'" in atoll.refuses("run", "--policy", "interleave", "./app")
    assert "follows '--'" in atoll.refuses("run", "--plan", plan, "./app")
    for command in ["./missing", tmp_path, plan]:
        assert "can't be executed" in atoll.refuses("run", "--policy", "os", "--", command)
