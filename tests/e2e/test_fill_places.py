"""The profile of a compiled front end contains an object's fill site: the code that first used most of its pages."""

import subprocess

import pytest
from watched import watch

PROGRAM = """\
#include <atoll/marks/marks.h>
#include <stdio.h>
#include <stdlib.h>
enum { kWords = 4 << 20 };
int main(int count, char** words) {
  long* array = malloc(kWords * sizeof(long));
  array[7] = 1;
  for (long i = 0; i < kWords; ++i)  // fills
    array[i] = i;                    // fills
  atoll_mark_begin();
  long sum = 0;
  for (long i = 0; i < kWords; ++i)
    sum += array[i];
  atoll_mark_end();
  printf("%ld\\n", sum);
  return 0;
}
"""


@pytest.fixture(params=["atollcc", "atollgcc"])
def program(request, build, tmp_path):
    source = tmp_path / "fills.c"
    source.write_text(PROGRAM)
    subprocess.run([build / request.param, "-O2", "-g", source, "-o", tmp_path / "fills"], check=True)
    return tmp_path / "fills"


def fill_line(seen):
    """Returns (file, line) of the largest object's fill site; None if it has none."""
    site = seen.one("SELECT fill_site FROM objects WHERE kind = 'heap' ORDER BY bytes DESC LIMIT 1")
    return site and seen.one("SELECT file, line FROM frames WHERE site = ? AND level = 0", site)


def test_the_loop_that_fills_an_array_is_known(atoll, program, tmp_path):
    file, line = fill_line(watch(atoll, tmp_path, program, frontend="auto"))
    assert file.endswith("fills.c") and "// fills" in PROGRAM.splitlines()[line - 1]


def test_it_is_unknown_if_the_filling_was_not_recorded(atoll, program, tmp_path):
    assert fill_line(watch(atoll, tmp_path, program, frontend="auto", options=["--between-marks"])) is None
