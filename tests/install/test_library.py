"""Shared libraries of graph procedures, built with the installed tree: a C program uses two of them, and the
example of the documentation compiles unchanged. The program is also built with AddressSanitizer, which
detects leaks."""

import os
import re
import shlex
import subprocess

import pytest


@pytest.fixture
def compile_library(run, prefix, tmp_path):
    environment = dict(os.environ, XDG_CACHE_HOME=str(tmp_path / "cache"))

    def call(program):
        return run(prefix / "bin/atoll", "compile", program, "--shared", env=environment, cwd=tmp_path)

    return call


def ends_quietly(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("sanitizer", [(), ("-fsanitize=address",)])
def test_c_program(run, compile_library, prefix, source, tmp_path, sanitizer):
    here = source / "tests/install/library"
    assert "libinputs.so, libinputs.h: inputs, faulty, endless, farthest, emptied" in compile_library(here / "inputs.gm")
    compile_library(prefix / "share/atoll/apps/greenmarl/pagerank.gm")
    (tmp_path / "ring.el").write_text("".join(f"{i} {(i + 1) % 5000}\n" for i in range(5000)))
    (tmp_path / "towns.txt").write_text("oslo bergen 463\noslo aas 30\nbergen oslo 463\n")
    run(prefix / "bin/atoll", "graph", "convert", tmp_path / "towns.txt", "--relabel", "--value", "len=3", "-o",
        tmp_path / "towns.atoll")
    run("gcc", "-std=gnu89", "-g", "-Wall", "-Wextra", "-Werror", *sanitizer, f"-I{tmp_path}", here / "use.c",
        "-o", tmp_path / "use", tmp_path / "libinputs.so", tmp_path / "libpagerank.so", f"-Wl,-rpath,{tmp_path}",
        "-lm", "-pthread")
    ends_quietly(tmp_path / "use", tmp_path / "ring.el", tmp_path / "towns.atoll")


def test_header_is_c89_and_cxx(run, compile_library, source, tmp_path):
    compile_library(source / "tests/install/library/inputs.gm")
    for command in (("gcc", "-x", "c", "-std=c89", "-pedantic"), ("g++", "-x", "c++", "-std=c++98", "-pedantic")):
        run(*command, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", tmp_path / "libinputs.h")
    symbols = run("nm", "-D", "--defined-only", tmp_path / "libinputs.so").split()[2::3]
    assert "inputs_call_run" in symbols
    assert not [symbol for symbol in symbols if not symbol.startswith("inputs_")]


def test_the_code_of_the_docs(run, compile_library, source, tmp_path):
    text = (source / "docs/graph-library.md").read_text()
    program, code = (re.search(rf"^```{language}\n(.*?)^```", text, re.M | re.S).group(1) for language in ("gm", "c"))
    (tmp_path / "ranks.gm").write_text(program)
    (tmp_path / "ranks.c").write_text(code)
    compile_library(tmp_path / "ranks.gm")
    (command,) = re.findall(r"^cc (-o ranks .*)$", text, re.M)
    run("gcc", "-Wall", "-Wextra", "-Werror", *shlex.split(command), cwd=tmp_path)
    assert run("./ranks", cwd=tmp_path) == "2 1 0, sum 3, many 2\n"
