"""Packages are grouped; those that need LLVM are omitted if it is missing, and the build reports it."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
GROUPS = ["build", "demo", "flow", "watch", "check", "test", "bench", "docs", "lint"]


def run(*words, **environment):
    return subprocess.run([TOP / "tools/install-deps", *words], text=True, capture_output=True,
                          env=dict(os.environ, **environment))


def packages(group):
    done = run("--list", group)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def system(tmp_path):
    """Debian's tools as scripts: $INSTALLED lists installed packages; calls are printed."""
    (tmp_path / "bin").mkdir()
    for name, script in {"dpkg-query": 'for last; do :; done; case " $INSTALLED " in *" $last "*) echo ii;; *) exit 1;; esac',
                         "apt-get": f'echo "$@" >> {tmp_path}/called', "id": "echo 0"}.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)

    def call(*words, installed):
        return run(*words, PATH=f"{tmp_path}/bin:{os.environ['PATH']}", INSTALLED=" ".join(installed))

    call.called = tmp_path / "called"
    return call


def test_groups_have_those_that_they_stand_on():
    for group in GROUPS:
        listed = packages(group)
        assert len(set(listed)) == len(listed) > 0
    build = set(packages("build"))
    assert build < set(packages("demo")) and build < set(packages("watch")) < set(packages("check"))
    assert set(packages("check")) < set(packages("test"))
    assert not [name for name in packages("demo") if "llvm" in name or "clang" in name or "qemu" in name]


@pytest.mark.parametrize("words", [[], ["nope"], ["--list", "nope"], ["build", "demo"]])
def test_a_wrong_group_is_named(words):
    done = run(*words)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and " ".join(GROUPS) in done.stderr


def test_what_is_missing_is_installed_and_said(system):
    there = [name for name in packages("demo") if name not in ("python3", "libdw-dev")]
    done = system("demo", installed=there)
    assert done.returncode == 0 and done.stdout == "installing Debian packages: libdw-dev python3\n"
    assert system.called.read_text().splitlines()[-1].split()[-2:] == ["libdw-dev", "python3"]
    system.called.unlink()
    assert system("demo", installed=packages("demo")).stdout == "" and not system.called.exists()


def test_a_check_installs_nothing(system):
    done = system("--check", "build", installed=[name for name in packages("build") if name != "libdw-dev"])
    assert done.returncode == 1 and not system.called.exists()
    assert done.stderr == "missing packages: libdw-dev; as root: tools/install-deps build\n"
    assert system("--check", "build", installed=packages("build")).returncode == 0


def test_without_llvm_atollcc_is_left_out_and_the_build_says_so(tmp_path):
    done = subprocess.run([TOP / "tools/build", tmp_path / "build", "-DATOLL_LLVM=OFF", "-DATOLL_TESTS=OFF",
                           "-DATOLL_BENCH=OFF", "--configure-only"], text=True, capture_output=True, cwd=TOP)
    assert done.returncode == 0, done.stderr
    assert "Not built: atollcc and atollc++: LLVM with its clang is missing; tools/install-deps watch brings it\n" in done.stderr
    targets = subprocess.run(["ninja", "-C", tmp_path / "build", "-t", "targets", "all"], text=True, check=True,
                             capture_output=True).stdout
    assert "\natollgcc: " in targets and "\natollcc: " not in targets and "atoll-pass" not in targets


def test_the_compiler_pass_is_built_for_the_newest_clang_alone(build):
    clangs = [int(folder.name.removeprefix("llvm-")) for folder in Path("/usr/lib").glob("llvm-*")
              if re.fullmatch(r"llvm-\d+", folder.name) and (folder / "bin/clang").exists()
              and (folder / "include/llvm/Passes/PassPlugin.h").exists()]
    assert [path.name for path in (build / "lib/atoll").glob("atoll-pass-*")] == [f"atoll-pass-{max(clangs)}.so"]
