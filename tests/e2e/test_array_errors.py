"""Compiler messages for wrong uses of arrays."""

import subprocess

import pytest


@pytest.mark.parametrize("cxx", ["g++", "clang++-16"])
def test_a_copy_says_that_arrays_are_move_only(source, cxx):
    code = """#include "atoll/atoll.hpp"
        void f() { Atoll::Array<int> a; Atoll::Array<int> b = a; Atoll::graph::Graph graph; }"""
    done = subprocess.run([cxx, "-std=c++20", "-fsyntax-only", f"-I{source}/include", "-xc++", "-"],
                          input=code, capture_output=True, text=True, timeout=120)
    assert done.stderr.count("error: ") == 1
    line, = [line for line in done.stderr.splitlines() if "arrays are move-only" in line]
    assert "copy_from()" in line
