"""Limits of the address space (ulimit -v). Atoll raises the limit by the size of its own mappings, so that a
recorded program can map as much as an unrecorded one. If Atoll can't raise the limit, it refuses to start the
program, in one line."""

import ctypes
import resource
import subprocess

import pytest

pytestmark = pytest.mark.plain_build("a sanitizer needs more address space than the limits here")

LIMIT = 600 << 20
LIBC = ctypes.CDLL(None)
CAP_SYS_RESOURCE = 24


@pytest.fixture(scope="module")
def program(build, source, tmp_path_factory):
    """Returns a function that compiles the program for a front end."""
    folder = tmp_path_factory.mktemp("programs")
    compilers = {"compiled": build / "atollcc", "gcc": build / "atollgcc"}

    def compiled(frontend):
        binary = folder / frontend
        if not binary.exists():
            subprocess.run([compilers.get(frontend, "gcc"), "-O1", "-g", "-o", binary,
                            source / "tests/programs/allocate_until_failure.c"], check=True)
        return binary

    return compiled


def limited(soft_alone, may_raise=True):
    def limit():
        hard = resource.getrlimit(resource.RLIMIT_AS)[1] if soft_alone else LIMIT
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, hard))
        if not may_raise:  # removes root's permission to raise the hard limit
            pr_capbset_drop = 24
            LIBC.prctl(pr_capbset_drop, CAP_SYS_RESOURCE, 0, 0, 0)

    return limit


def may_raise_hard_limits():
    with open("/proc/self/status", encoding="ascii") as status:
        effective = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff"))
    return effective >> CAP_SYS_RESOURCE & 1 == 1


def blocks(output):
    count, word = output.split()
    assert word == "blocks"
    return int(count)


@pytest.mark.parametrize("soft_alone", [True, False], ids=["soft", "hard"])
@pytest.mark.parametrize("frontend", ["compiled", "gcc", "dbi", "sample"])
def test_a_program_gets_as_much_as_alone(atoll, program, tmp_path, frontend, soft_alone):
    binary = program(frontend)
    alone = blocks(subprocess.run([binary], preexec_fn=limited(soft_alone), capture_output=True, text=True,
                                  check=True).stdout)
    assert 500 < alone < 600
    if not soft_alone and not may_raise_hard_limits():
        line = atoll.refuses("profile", "--frontend", frontend, "-o", tmp_path / "p", "--", binary,
                             preexec_fn=limited(soft_alone))
        assert "600 MiB (ulimit -v)" in line and "ulimit -S -v" in line
        return
    watched = atoll("profile", "--frontend", frontend, "--native", "-o", tmp_path / "p", "--", binary,
                    preexec_fn=limited(soft_alone))
    first, second = watched.stdout.splitlines()
    assert abs(blocks(first) - alone) <= 2, "the command alone, for the slowdown"
    assert abs(blocks(second) - alone) <= 0.03 * alone


@pytest.mark.parametrize("frontend", ["dbi", "sample"])
def test_where_it_may_not_give_room_it_refuses(atoll, tmp_path, frontend):
    line = atoll.refuses("profile", "--frontend", frontend, "-o", tmp_path / "p", "--", "true",
                         preexec_fn=limited(False, may_raise=False))
    assert "600 MiB (ulimit -v)" in line and "ulimit -S -v" in line
