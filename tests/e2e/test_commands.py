"""A command is accepted with or without -- in front of it, according to the rule in docs/command-line.md."""

import shutil
import sqlite3

import pytest


@pytest.fixture
def script(tmp_path):
    """A program that prints its words."""
    path = tmp_path / "app"
    path.write_text('#!/bin/sh\necho "ran: $@"\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("dashes", [["--"], []])
def test_run(atoll, script, tmp_path, dashes):
    done = atoll("run", "--policy", "os", *dashes, script, "-x", "--graph-of=a b", "[1,2]")
    assert done.stdout == "ran: -x --graph-of=a b [1,2]\n"
    assert atoll("run", *dashes, "./app", cwd=tmp_path).stdout == "ran: \n"


@pytest.mark.parametrize("dashes", [["--"], []])
def test_profile_and_trace(atoll, script, tmp_path, dashes):
    for verb in ("profile", "trace"):
        done = atoll(verb, "--frontend=dbi", "-o", tmp_path / "out", *dashes, script, "-x", "--it=1")
        assert done.stdout == "ran: -x --it=1\n"
        assert (tmp_path / "out").exists()
        done = atoll(verb, "--frontend", "dbi", "-o", tmp_path / "out", *dashes, "echo", "-n", "found in PATH")
        assert done.stdout == "found in PATH"


@pytest.mark.parametrize("dashes", [["--"], []])
def test_simulate(atoll, tmp_path, dashes):
    shutil.copy(shutil.which("echo"), tmp_path / "e")
    done = atoll("simulate", "--machine", "xeon-2x10", "--no-interval", "--frontend", "dbi", *dashes, "./e", "--of-it",
                 cwd=tmp_path)
    assert done.stdout.startswith("--of-it\n")


@pytest.mark.parametrize("dashes", [["--"], []])
def test_schedule(atoll, script, tmp_path, dashes):
    # The program runs, and marks no tasks.
    done = atoll("schedule", "--frontend", "dbi", "-o", tmp_path / "s", *dashes, script, "-x", check=False)
    assert done.stdout == "ran: -x\n" and "marked no task" in done.stderr


@pytest.mark.parametrize("verb, option", [("run", "--json"), ("profile", "-o"), ("trace", "--output=t"),
                                          ("simulate", "--machine"), ("schedule", "-os"), ("profile", "--help")])
def test_whose_option_it_is_has_to_be_clear(atoll, script, verb, option):
    line = atoll.refuses(verb, script, option, "x")
    assert f"{option}: is an option of 'atoll {verb}', but follows the command" in line
    assert f"write -- {script}" in line


def test_files_stay_files(atoll, tmp_path):
    """An executable data file, as some file systems present all files, isn't run as a program."""
    graph = tmp_path / "mesh.graph"
    graph.write_text("3 2\n2\n1 3\n2\n")
    graph.chmod(0o755)
    assert "3 tasks" in atoll("schedule", graph, "-o", tmp_path / "s").stdout
    program = tmp_path / "p.gm"
    program.write_text("Procedure p(G: Graph) : Int {\n  Return 7;\n}\n")
    program.chmod(0o755)
    assert atoll.json("run", "./p.gm", "--graph", graph, cwd=tmp_path)["returned"] == 7


def test_a_command_in_path_needs_dashes(atoll):
    assert "atoll run -- echo" in atoll.refuses("run", "echo")
