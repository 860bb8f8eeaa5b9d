"""`atoll run` checks the arguments before it calls the C++ compiler. All inputs that a program reads must be given."""

import ctypes
import subprocess

import pytest


@pytest.fixture
def lengths(atoll, tmp_path):
    """Returns a folder with a graph of a path of two edges and a longer direct edge, with and without lengths."""
    (tmp_path / "g.wel").write_text("0 1 5\n1 2 7\n0 2 20\n")
    atoll("graph", "convert", tmp_path / "g.wel", "-o", tmp_path / "plain.atoll")
    atoll("graph", "convert", tmp_path / "g.wel", "--value", "len=3", "-o", tmp_path / "g.atoll")
    (tmp_path / "len").write_text("0 1 5\n1 2 7\n0 2 20\n")
    return tmp_path


@pytest.fixture
def unbuilt(atoll, tmp_path):
    """Calls `atoll run` with an empty cache and a compiler that only reports its call."""
    compiler = tmp_path / "compiler"
    compiler.write_text(f"#!/bin/sh\ntouch {tmp_path}/called\nexit 1\n")
    compiler.chmod(0o755)
    fresh = type(atoll)(atoll.program, tmp_path / "empty-cache")

    def call(program, *arguments, code=2):
        line = fresh.refuses("run", program, "--cxx", compiler, *arguments, code=code)
        called = (tmp_path / "called").exists()
        (tmp_path / "called").unlink(missing_ok=True)
        return line, called
    return call


def test_missing_lengths_are_an_error(unbuilt, atoll, source, lengths):
    apps = source / "apps/greenmarl"
    ends = ["--arg", "root=0", "--arg", "goal=2"]
    for graph in ["plain.atoll", "g.wel"]:
        for program, options in [("dijkstra", ends), ("sssp", ends[:2])]:
            line, called = unbuilt(apps / f"{program}.gm", "--graph", lengths / graph, *options)
            assert f"{program} reads 'len'" in line and "--load len=FILE" in line and "--value len=" in line
            assert not called
    # The lengths are in the graph or in a file.
    run = lambda *more: atoll.json("run", apps / "dijkstra.gm", *ends, "--graph", *more)["returned"]
    assert run(lengths / "g.atoll") == 12
    assert run(lengths / "plain.atoll", "--load", f"len={lengths}/len") == 12
    # The program itself refuses mistakes that are only visible after the graph is loaded.
    line = atoll.refuses("run", apps / "dijkstra.gm", *ends, "--graph", "-", input="0 1\n1 2\n")
    assert "reads 'len'" in line and "--load len=FILE" in line


def test_missing_values_of_nodes_are_an_error(unbuilt, atoll, source, lengths):
    program = source / "apps/greenmarl/avg_teen_count.gm"
    line, called = unbuilt(program, "--graph", lengths / "g.atoll", "--arg", "k=0")
    assert "reads 'age', a property of nodes" in line and "--load age=FILE" in line and not called
    # Layouts don't depend on the values.
    atoll("run", program, "--graph", lengths / "g.atoll", "--dry-run")


def test_compiled_programs_refuse_too(atoll, source, lengths):
    atoll("compile", source / "apps/greenmarl/dijkstra.gm", "-o", lengths / "dijkstra")
    call = lambda graph: subprocess.run([lengths / "dijkstra", "--graph", lengths / graph, "--arg", "root=0", "--arg",
                                         "goal=2"], capture_output=True, text=True)
    done = call("plain.atoll")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "reads 'len'" in done.stderr
    assert call("g.atoll").returncode == 0


def test_libraries_refuse_too(atoll, source, lengths):
    atoll("compile", source / "apps/greenmarl/dijkstra.gm", "--shared", "-o", lengths / "libways.so")
    library = ctypes.CDLL(lengths / "libways.so")
    for name in ["ways_graph_open", "ways_call_new"]:
        getattr(library, name).restype = ctypes.c_void_p
    library.ways_call_message.restype = ctypes.c_char_p
    pointer, node = ctypes.c_void_p, ctypes.c_uint64

    def run(graph, values=None):
        call = pointer(library.ways_call_new(b"dijkstra"))
        library.ways_call_graph(call, 0, pointer(library.ways_graph_open(str(lengths / graph).encode(), None)))
        for name, number in [(b"root", 0), (b"goal", 2)]:
            assert library.ways_give_node(call, name, node(number)) == 0
        if values:
            library.ways_give_array(call, b"len", double, (ctypes.c_double * 3)(*values), ctypes.c_size_t(3))
        code = library.ways_call_run(call)
        return code, library.ways_call_message(call).decode()

    header = (lengths / "libways.h").read_text()
    double = int(header.split("WAYS_DOUBLE = ")[1].split(",")[0]) if "WAYS_DOUBLE = " in header else None
    code, message = run("plain.atoll")
    assert code != 0 and "'len'" in message
    assert run("g.atoll")[0] == 0
    if double is not None:
        assert run("plain.atoll", [5, 20, 7])[0] == 0


def test_only_written_inputs_need_no_values(atoll, tmp_path):
    (tmp_path / "p.gm").write_text("""
        Procedure p(G: Graph, size: N_P<Int>(G)) : Int {
          Foreach (n: G.Nodes) { n.size = n.OutDegree(); }
          Return Max(n: G.Nodes) { n.size };
        }
    """)
    (tmp_path / "g.el").write_text("0 1\n0 2\n")
    assert atoll.json("run", tmp_path / "p.gm", "--graph", tmp_path / "g.el")["returned"] == 2


@pytest.mark.parametrize("options, says", [
    (["--arg", "e=1"], "needs a value for 'd'"),
    (["--arg", "e=x", "--arg", "d=1", "--arg", "max=1"], "'x'"),
    (["--arg", "nothing=1"], "no argument 'nothing'"),
    (["--load", "nothing=f"], "'nothing' is not an input"),
    (["--save", "pg_rank=none/such/folder"], "none/such/folder"),
    (["--csv", "none/such/folder"], "none/such/folder"),
    (["--by", "nothing"], "'nothing' is not a property"),
    (["--machine", "opteron-8x8"], "add --dry-run"),
    (["--threads", "100000"], "--oversubscribe"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_arguments_are_checked_before_the_compiler_runs(unbuilt, source, lengths, options, says):
    program = source / "apps/greenmarl/pagerank.gm"
    given = [] if "--arg" in options else ["--arg", "e=1", "--arg", "d=1", "--arg", "max=1"]
    line, called = unbuilt(program, "--graph", lengths / "g.atoll", *given, *options)
    assert says in line and not called
    assert not list((lengths / "empty-cache").glob("atoll/*"))


def test_nodes_and_files_are_checked_before_the_compiler_runs(unbuilt, source, lengths):
    apps = source / "apps/greenmarl"
    line, called = unbuilt(apps / "dijkstra.gm", "--graph", lengths / "g.atoll", "--arg", "root=3", "--arg", "goal=0")
    assert "root" in line and not called
    line, called = unbuilt(apps / "avg_teen_count.gm", "--graph", lengths / "g.atoll", "--arg", "k=1", "--load",
                           f"age={lengths}/none")
    assert "none: no such file" in line and not called
    line, called = unbuilt(apps / "dijkstra.gm", "--graph", lengths / "none", "--arg", "root=0", "--arg", "goal=0")
    assert "none: no such file" in line and not called
    assert unbuilt(apps / "dijkstra.gm", "--graph", lengths / "g.atoll", "--arg", "root=0", "--arg", "goal=0", code=1)[1]


def test_installed_programs_are_found_by_name(atoll, lengths):
    for name in ["hop_dist", "hop_dist.gm"]:
        report = atoll.json("run", name, "--graph", "g.atoll", "--arg", "root=0", "--dry-run", cwd=lengths)
        assert report["program"] == "hop_dist"
        assert "dist" in atoll("compile", name, "--patterns", cwd=lengths).stdout
    # A file with the program's name takes precedence. A name with a folder isn't searched for.
    (lengths / "hop_dist").write_text("Procedure own(G: Graph) { }")
    assert atoll.json("run", "hop_dist", "--graph", "g.atoll", "--dry-run", cwd=lengths)["program"] == "own"
    assert "can't be read" in atoll.refuses("run", "./pagerank.gm", "--graph", "g.atoll", cwd=lengths)
    assert "can't be read" in atoll.refuses("compile", "no_such_program", cwd=lengths)
