"""Recording of programs with the installed tree: its compilers, libraries and plugins find each other."""

import json

SOURCE = """
#include <atoll/marks/marks.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  double* numbers = malloc(100000 * sizeof *numbers);
  atoll_mark_begin();
  for (int i = 0; i < 100000; ++i) numbers[i] = i * 0.5;
  atoll_mark_end();
  printf("%g\\n", numbers[4242]);
  return 0;
}
"""


def writes_of_heap(run, prefix, profile):
    report = json.loads(run(prefix / "bin/atoll", "report", profile, "--json"))
    return sum(found["writes"] for found in report["objects"] if found["kind"] == "heap")


def test_compiled_and_emulated(run, prefix, tmp_path):
    (tmp_path / "fill.c").write_text(SOURCE)
    atoll = prefix / "bin/atoll"
    run(prefix / "bin/atollcc", "-O2", "-g", tmp_path / "fill.c", "-o", tmp_path / "watched")
    run("gcc", "-O2", "-g", f"-I{prefix}/include", tmp_path / "fill.c", "-o", tmp_path / "plain")
    for program, frontend in (("watched", "compiled"), ("plain", "dbi")):
        profile = tmp_path / f"{program}.profile"
        out = run(atoll, "profile", "--frontend", frontend, "-o", profile, "--", tmp_path / program)
        assert out == "2121\n"
        run(atoll, "profile", "--check", profile)
        vectors = 1 if frontend == "compiled" else 2  # dbi counts a vector of two elements as one access
        assert writes_of_heap(run, prefix, profile) == 100000 // vectors
    run(atoll, "trace", "-o", tmp_path / "t", "--", tmp_path / "watched")
    assert "right" in run(atoll, "trace", "--check", tmp_path / "t")
