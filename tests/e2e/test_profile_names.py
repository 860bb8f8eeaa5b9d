"""Memory that a program names, as Atoll's own arrays are: reports call it so."""

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
    assert len(named) == 1 and named[0]["writes"] == 2 * N  # the one that is written twice
