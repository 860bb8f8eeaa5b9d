"""Fixtures of the tests of the installed tree: the tree, which is moved after its installation, and ways to use it."""

import os
import shlex
import subprocess

import pytest


@pytest.fixture(scope="session")
def run():
    """Returns a function that runs a command, which must succeed, and returns its output."""

    def call(*command, **more):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600, **more)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    return call


@pytest.fixture(scope="session")
def prefix(run, build, tmp_path_factory):
    first = tmp_path_factory.mktemp("install") / "first"
    run("cmake", "--install", build, "--prefix", first)
    moved = first.parent / "moved here"  # the space reveals missing quotes
    first.rename(moved)
    return moved


@pytest.fixture(scope="session")
def flags(run, prefix):
    """Returns the flags of the compiler and linker, from pkg-config."""
    environment = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    return shlex.split(run("pkg-config", "--cflags", "--libs", "atoll", env=environment))
