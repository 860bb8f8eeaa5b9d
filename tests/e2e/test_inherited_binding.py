"""A profile contains the processing unit of a thread that was bound by its creator, or before an exec."""

import sqlite3
import subprocess

import pytest

PROGRAM = """
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void* run(void* data) {
  for (int i = 0; i < 1 << 14; ++i) ((char*)data)[i] = 1;
  return NULL;
}
int main(int argc, char** argv) {
  if (argc > 1) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    if (sched_setaffinity(0, sizeof first, &first) != 0) return 1;
    execl(argv[0], argv[0], NULL);
    return 2;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, run, malloc(1 << 14));
  pthread_join(thread, NULL);
  return 0;
}
"""


@pytest.mark.parametrize("arguments,unit", [([], -1), (["bound"], 0)], ids=["free", "bound"])
def test_threads_have_the_binding_of_who_created_them(atoll, tmp_path, arguments, unit):
    (tmp_path / "bound.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-O1", "-g", "-pthread", tmp_path / "bound.c", "-o", tmp_path / "bound"], check=True)
    atoll("profile", "--frontend", "dbi", "-o", tmp_path / "profile", "--", tmp_path / "bound", *arguments)
    with sqlite3.connect(tmp_path / "profile") as profile:
        units = [row[0] for row in profile.execute("SELECT pu FROM threads ORDER BY id")]
    assert units[-2:] == [unit, unit]
