"""Programs outside the source tree, built against the installed recording library: one records a program,
another one reads a stored trace and a profile. Their output must equal the known accesses of the program."""

import os
import re
import shlex

import pytest

# Two arrays: `a` is written once and read three times, `b` is written three times, by two threads.
SOURCE = """\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 60000 };
static long *a, *b;
static void *add(void *half) {
  long first = half == NULL ? 0 : N / 2;
  for (int round = 0; round < 3; ++round)
    for (long i = first; i < first + N / 2; ++i) b[i] = a[i] + round;
  return NULL;
}
int main(void) {
  a = malloc(N * sizeof *a);
  b = malloc(N * sizeof *b);
  for (long i = 0; i < N; ++i) a[i] = i;
  pthread_t other;
  pthread_create(&other, NULL, add, "");
  add(NULL);
  pthread_join(other, NULL);
  return 0;
}
"""
N = 60000
LINE_A, LINE_B = (SOURCE[:SOURCE.index(f"  {name} = malloc")].count("\n") + 1 for name in "ab")
KNOWN = [f"line {LINE_A}: {3 * N} reads, {N} writes", f"line {LINE_B}: 0 reads, {3 * N} writes"]


@pytest.fixture(scope="module")
def watched(run, tmp_path_factory):
    """Compiles the program without vector instructions, so that each access is of one element."""
    folder = tmp_path_factory.mktemp("watched program")
    (folder / "add.c").write_text(SOURCE)
    run("gcc", "-O1", "-g", "-fno-tree-vectorize", "-pthread", folder / "add.c", "-o", folder / "add")
    return folder / "add"


def check(run, programs, prefix, watched, folder):
    out = run(programs / "watch_objects", watched).splitlines()
    assert out == [f"{how}: {line}" for how in ("counts", "streams") for line in KNOWN]
    trace, profile = folder / "t", folder / "p"
    run(prefix / "bin/atoll", "trace", "--frontend", "dbi", "-o", trace, "--", watched)
    run(prefix / "bin/atoll", "profile", "--frontend", "dbi", "-o", profile, "--", watched)
    out = run(programs / "read_recordings", trace, profile).splitlines()
    assert out == [f"{what}: {line}" for what in ("trace", "profile") for line in KNOWN]


def test_the_code_of_the_docs(run, prefix, source, watched, tmp_path):
    text = (source / "docs/recording-library.md").read_text()
    (code,) = re.findall(r"^```cpp\n(.*?)^```", text, re.M | re.S)
    includes = ["<atoll/recording/watch.hpp>", "<cstdint>", "<cstdio>", "<span>"]
    (tmp_path / "written.cpp").write_text("".join(f"#include {name}\n" for name in includes) + code)
    environment = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "atoll-recording", env=environment))
    run("g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", tmp_path / "written.cpp", "-o", tmp_path / "written",
        *flags)
    written = int(run(tmp_path / "written", watched).removesuffix(" bytes\n"))
    arrays = 8 * 4 * N  # the loader and libc write some more
    assert arrays <= written < arrays + (1 << 20)


def test_cmake_package(run, prefix, source, watched, tmp_path):
    run("cmake", "-S", source / "tests/install/consumer", "-B", tmp_path / "built", "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "built")
    check(run, tmp_path / "built", prefix, watched, tmp_path)


def test_pkg_config(run, prefix, source, watched, tmp_path):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "atoll-recording", env=environment))
    for name in ("watch_objects", "read_recordings"):
        run("g++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror",
            source / f"tests/install/consumer/{name}.cpp", "-o", tmp_path / name, *flags)
    check(run, tmp_path, prefix, watched, tmp_path)
