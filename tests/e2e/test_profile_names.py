"""Memory that a program names, like Atoll's own arrays: reports use these names."""

import subprocess

import pytest

PROGRAM = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 1 << 17 };
extern void atoll_memory_name(const void*, uint64_t, const char*) __attribute__((weak));
int main(void) {
  double* plain = malloc(N * sizeof *plain);
  double* ranks = malloc(N * sizeof *ranks);
  if (atoll_memory_name) atoll_memory_name(ranks, N * sizeof *ranks, "ranks");
  for (int i = 0; i < N; ++i) plain[i] = i;
  for (int i = 0; i < N; ++i) ranks[i] = plain[i] + 1;
  for (int i = 0; i < N; ++i) ranks[i] += plain[N - 1 - i];
  printf("%g\\n", ranks[N - 1]);
  return 0;
}
"""
N = 1 << 17


@pytest.fixture(scope="module")
def program(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("named")
    (folder / "app.c").write_text(PROGRAM)
    subprocess.run([build / "atollcc", "-O1", "-g", folder / "app.c", "-o", folder / "app"], check=True)
    return folder / "app"


@pytest.mark.parametrize("frontend", ["compiled", "dbi"])
def test_reports_call_memory_as_the_program_does(atoll, program, tmp_path, frontend):
    atoll("profile", "--frontend", frontend, "-o", tmp_path / "p", "--", program)
    objects = atoll.json("report", tmp_path / "p")["objects"]
    large = [one for one in objects if one["bytes"] == 8 * N]
    assert len(large) == 2
    named = [one for one in large if one["name"] == "ranks"]
    assert len(named) == 1 and named[0]["writes"] == 2 * N  # the array that is written twice


ARRAYS = """
#include <atoll/atoll.hpp>
#include <cstdio>

int main() {
  const Atoll::Machine machine = Atoll::Machine::this_computer();
  const Atoll::Team team(Atoll::spread_places(machine));
  const Atoll::memory::Context context{machine, team};
  Atoll::Array<double> sums(context, 1 << 17, Atoll::pattern_of({}));  // line 8
  double* const local = sums.master().data();
  for (int i = 0; i < 1 << 17; ++i) local[i] = i;
  std::printf("%g\\n", local[99]);
}
"""


@pytest.mark.plain_build("a program without a sanitizer links the library")
def test_an_array_of_the_library_is_named_after_the_users_line(atoll, build, tmp_path):
    (tmp_path / "arrays.cpp").write_text(ARRAYS.lstrip())
    libraries = subprocess.run(["pkg-config", "--libs", "hwloc", "libxxhash", "libarchive", "fmt", "zlib", "numa"],
                               check=True, capture_output=True, text=True).stdout.split()
    subprocess.run(["g++", "-std=c++20", "-O2", "-g", "-fopenmp", "-I", build.parent / "include",
                    tmp_path / "arrays.cpp", "-o", tmp_path / "arrays", build / "src" / "libatoll.a", *libraries,
                    "-lmetis", "-lpthread"], check=True)
    atoll("profile", "--frontend", "dbi", "-o", tmp_path / "p", "--", tmp_path / "arrays")
    objects = atoll.json("report", tmp_path / "p")["objects"]
    (sums,) = [one for one in objects if one["bytes"] == 8 << 17]
    assert sums["name"] == "main" and sums["place"].endswith("arrays.cpp:8")


PYTHON = """
import numpy


def make_table(rows):
    table = numpy.ones(
        rows)  # numpy's own Python code allocates it
    return table


übergang = lambda: bytearray(1 << 20)
table, other = make_table(1 << 18), übergang()
zeros = numpy.zeros(1 << 17)  # allocated without the interpreter's lock
for _ in range(20):
    table += 1
    zeros += 1
other[:] = b"x" * len(other)
print(table[7])
"""


def test_python_memory_is_named_after_the_users_python_line(atoll, tmp_path):
    (tmp_path / "app.py").write_text(PYTHON.lstrip(), encoding="utf-8")
    run = atoll("profile", "--frontend", "dbi", "-o", tmp_path / "p", "--", "/usr/bin/python3.11", tmp_path / "app.py")
    assert "21.0" in run.stdout
    objects = {one["name"]: one for one in atoll.json("report", tmp_path / "p")["objects"]}
    # The interpreter reports the line on which the call begins.
    assert objects["make_table (app.py:5)"]["bytes"] == 8 << 18
    assert objects["<lambda> (app.py:10)"]["bytes"] > 1 << 20
    assert objects["<module> (app.py:12)"]["bytes"] == 8 << 17
