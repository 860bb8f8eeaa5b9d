"""Requirements of `--frontend dbi`: an emulator that accepts the plugin, and drops its translated code at the right
time."""

import os
import shutil
import subprocess

import pytest

# Messages of real emulators: qemu-user-static 7.2 of Debian 12, a static qemu with plugins, a later qemu.
STATIC = "qemu: unknown option 'plugin'"
NO_LOADING = "qemu-x86_64: Could not load plugin libatoll-dbi.so: Dynamic loading not supported"
LATER = ("qemu-x86_64: Could not load plugin libatoll-dbi.so: plugin requires API version 1, but this QEMU supports"
         " only a minimum version of 2")


@pytest.fixture
def emulator(tmp_path):
    """Returns a function that installs a script as qemu-x86_64, first in $PATH, and returns the environment."""
    def put(script):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "qemu-x86_64").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "qemu-x86_64").chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"
    return put


def call(atoll, path, *words):
    return subprocess.run([str(atoll.program), *map(str, words)], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, PATH=path))


@pytest.mark.parametrize("said", [STATIC, NO_LOADING, LATER])
def test_an_emulator_that_takes_no_plugin_is_told_of(atoll, emulator, tmp_path, said):
    path = emulator(f'[ "$1" = --version ] && echo "qemu-x86_64 version 10.0.2" && exit 0\necho "{said}" >&2; exit 1')
    ran = tmp_path / "ran"
    for verb in ("profile", "trace"):
        done = call(atoll, path, verb, "--frontend", "dbi", "-o", tmp_path / "p", "--", "touch", ran)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
        assert "version 10.0.2" in done.stderr and said in done.stderr
        # The requested front end isn't suggested.
        assert "--frontend dbi" not in done.stderr
        assert "--frontend sample" in done.stderr and "qemu-user" in done.stderr and "atollcc" in done.stderr
    assert not ran.exists() and not (tmp_path / "p").exists()


def test_without_one_the_next_front_end_is_taken(atoll, emulator, tmp_path):
    path = emulator(f'echo "{STATIC}" >&2; exit 1')
    done = call(atoll, path, "profile", "-o", tmp_path / "p", "--", "true")
    assert done.returncode == 0, done.stderr
    assert any("samples" in line and STATIC in line for line in done.stderr.splitlines()), done.stderr
    report = atoll.json("report", tmp_path / "p")
    assert report["frontend"] == "sample" and STATIC in report["frontend_reason"]


def test_a_build_without_the_plugin_is_told_of(atoll, tmp_path):
    shutil.copy(atoll.program, tmp_path / "atoll")
    shutil.copytree(atoll.program.parent / "lib", tmp_path / "lib", ignore=shutil.ignore_patterns("libatoll-dbi.so"))
    done = subprocess.run([tmp_path / "atoll", "profile", "--frontend", "dbi", "-o", tmp_path / "p", "--", "true"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "libatoll-dbi.so is missing" in done.stderr and "libzydis-dev" in done.stderr


def test_an_emulator_that_ends_at_once_is_told_of(atoll, emulator, tmp_path):
    path = emulator('case "$*" in *probe=1*) exit 77;; esac; exit 3')
    done = call(atoll, path, "profile", "--frontend", "dbi", "-o", tmp_path / "p", "--", "true")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "the emulator ended" in done.stderr and "code 3" in done.stderr
    assert "--frontend dbi" not in done.stderr


LOG = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
void qemu_plugin_register_flush_cb(uint64_t, void (*)(uint64_t));
void qemu_plugin_register_vcpu_init_cb(uint64_t, void (*)(uint64_t, unsigned));
int qemu_plugin_version = 1;
static FILE* log;
static void dropped(uint64_t id) { fprintf(log, "dropped\\n"); }
static void started(uint64_t id, unsigned cpu) { fprintf(log, "thread %u\\n", cpu); }
int qemu_plugin_install(uint64_t id, const void* info, int argc, char** argv) {
  for (int i = 0; i < argc; ++i)
    if (strncmp(argv[i], "out=", 4) == 0) log = fopen(argv[i] + 4, "w");
  if (log == NULL) return 1;
  setlinebuf(log);
  qemu_plugin_register_flush_cb(id, dropped);
  qemu_plugin_register_vcpu_init_cb(id, started);
  return 0;
}
"""

THREADS = """
#include <pthread.h>
#include <threads.h>
static void* work(void* nothing) { return nothing; }
static int c_work(void* nothing) { return nothing != 0; }
int main(int argc, char** argv) {
  pthread_t thread;
  thrd_t c_thread;
  if (argc > 1) return thrd_create(&c_thread, c_work, 0) || thrd_join(c_thread, 0);
  for (int i = 0; i < 3; ++i)
    if (pthread_create(&thread, 0, work, 0) != 0 || pthread_join(thread, 0) != 0) return 1;
  return 0;
}
"""


@pytest.mark.parametrize("verb", ["profile", "trace"])
@pytest.mark.parametrize("words", [[], ["c11"]])
def test_translated_code_is_dropped_before_there_is_a_thread_not_after(atoll, tmp_path, verb, words):
    """qemu 7.2 frees callbacks with the translated code; a running thread may still use one (docs/frontend-dbi.md)."""
    (tmp_path / "log.c").write_text(LOG)
    (tmp_path / "app.c").write_text(THREADS)
    subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "log.c", "-o", tmp_path / "log.so"], check=True)
    subprocess.run(["gcc", "-O1", "-pthread", tmp_path / "app.c", "-o", tmp_path / "app"], check=True)
    environment = dict(os.environ, QEMU_PLUGIN=f"file={tmp_path}/log.so,out={tmp_path}/log")
    subprocess.run([atoll.program, verb, "--frontend", "dbi", "-o", tmp_path / "p", "--", tmp_path / "app", *words],
                   env=environment, check=True, capture_output=True, timeout=120)
    said = [line.split()[0] for line in (tmp_path / "log").read_text().splitlines()]
    assert said == ["thread", "dropped", *["thread"] * (1 if words else 3)]
