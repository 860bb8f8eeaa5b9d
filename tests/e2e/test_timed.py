"""`atoll trace --timed`: work between accesses, loads on which addresses depend, atomic accesses."""

import json
import os
import subprocess

import pytest

N = 100_000
COMPILERS = {"compiled": "atollcc", "gcc": "atollgcc", "dbi": "gcc"}
# Under dbi, the instructions of the mark itself and of the system call are also recorded.
AROUND = {"compiled": 300, "gcc": 300, "dbi": 1000}


@pytest.fixture(scope="module", params=["compiled", "dbi"])
def frontend(request):
    return request.param


@pytest.fixture(scope="module")
def programs(atoll, source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dependence")

    def program(frontend, *options):
        path = folder / "".join([frontend, *options])
        if not path.exists():
            compiler = COMPILERS[frontend]
            if frontend != "dbi":
                compiler = atoll.program.parent / compiler
            subprocess.run([compiler, "-O2", *options, f"-I{source}/include",
                            source / "tests/programs/dependence.c", "-o", path], check=True)
        return path

    return program


@pytest.fixture(scope="module")
def checked(atoll, programs, tmp_path_factory):
    """Returns the output of `atoll trace --check --json` for the part between marks."""
    folder = tmp_path_factory.mktemp("traces")

    def check(frontend, what, *options, n=N, compiled_with=()):
        path = folder / f"{frontend}-{what}{''.join([*options, *compiled_with])}"
        atoll("trace", "--frontend", frontend, "--between-marks", *options, "-o", path, "--",
              programs(frontend, *compiled_with), what, n)
        return atoll.json("trace", "--check", path)

    return check


def about(expected, frontend):
    return pytest.approx(expected, abs=AROUND[frontend])


def test_each_load_of_a_chase_comes_from_the_one_before(checked, frontend):
    chase = checked(frontend, "chase", "--timed")
    assert chase["reads"] == about(N, frontend)
    assert chase["dependent"] == about(N, frontend)
    # A loop of a load, a count and a jump; the compiler may add a move.
    assert 2 * N - 10 <= chase["instructions"] <= 3 * N + 1000


def test_each_load_of_a_gather_comes_from_its_index(checked, frontend):
    gather = checked(frontend, "gather", "--timed")
    assert gather["reads"] == about(2 * N, frontend)
    assert gather["dependent"] == about(N, frontend)
    assert gather["instructions"] == pytest.approx(5 * N, rel=0.2)


@pytest.mark.parametrize("frontend", ["compiled", "gcc", "dbi"])
def test_atomic_accesses_are_told(checked, frontend):
    atomics = checked(frontend, "atomics", "--timed")
    assert atomics["atomics"] == 2 * N  # a load and a store each
    assert checked(frontend, "gather", "--timed")["atomics"] == 0


def test_divisions_and_chains_are_told(checked, frontend):
    divide, added = checked(frontend, "divide", "--timed"), checked(frontend, "sum", "--timed")
    assert divide["divisions"] == about(N, frontend) and divide["chain"] <= 10
    assert added["chain"] == about(N, frontend) and added["divisions"] <= 10


def test_a_product_and_a_sum_are_two_steps_unless_they_are_fused(checked, frontend):
    """y = y * c + x: the product waits for the previous sum. In sum += x * z, the product doesn't."""
    assert checked(frontend, "recurrence", "--timed")["chain"] == about(2 * N, frontend)
    assert checked(frontend, "products", "--timed")["chain"] == about(N, frontend)
    for contract in ["on", "fast"] if frontend == "compiled" else []:
        options = ["-mfma", f"-ffp-contract={contract}"]
        for what in ["recurrence", "products"]:
            assert checked(frontend, what, "--timed", compiled_with=options)["chain"] == about(N, frontend)


def test_without_timed_nothing_of_it_is_stored(checked, frontend):
    plain = checked(frontend, "chase")
    assert plain["reads"] == about(N, frontend)
    assert plain["instructions"] == plain["dependent"] == plain["atomics"] == 0


def test_gcc_tells_atomics_alone(atoll, programs, tmp_path):
    atoll("trace", "--timed", "--frontend", "gcc", "-o", tmp_path / "t", "--", programs("gcc"), "gather", 1000)
    result = json.loads(subprocess.run([atoll.program, "simulate", "--machine", "opteron-8x8", "--json",
                                        "--no-interval", tmp_path / "t"], check=True,
                                       capture_output=True).stdout)
    text = " ".join(result["assumed"])
    assert "3 instructions before each access" in text and "no access waits" in text
    assert "atomic" not in text


def test_the_contents_that_a_trace_has_are_not_assumed(atoll, programs, frontend, tmp_path):
    atoll("trace", "--timed", "--frontend", frontend, "-o", tmp_path / "t", "--", programs(frontend), "gather", 1000)
    result = atoll.json("simulate", "--machine", "opteron-8x8", "--no-interval", tmp_path / "t")
    text = " ".join(result["assumed"])
    assert "3 instructions" not in text and "no access waits" not in text


def seconds(atoll, path):
    result = atoll.json("simulate", "--machine", "opteron-8x8", "--between-marks", "--no-interval", path)
    return result["seconds"]


def test_a_chase_takes_several_times_as_long_as_a_gather(atoll, programs, frontend, tmp_path):
    times = {}
    for what in "chase", "gather":
        atoll("trace", "--timed", "--frontend", frontend, "-o", tmp_path / what, "--",
              programs(frontend), what, N)
        times[what] = seconds(atoll, tmp_path / what)
    assert 5 < times["chase"] / times["gather"] < 20


def test_a_timed_trace_is_little_larger(atoll, programs, frontend, tmp_path):
    for what in "chase", "gather":
        sizes = {}
        for options in [], ["--timed"]:
            path = tmp_path / f"t{len(options)}"
            atoll("trace", *options, "--frontend", frontend, "-o", path, "--", programs(frontend), what, N)
            sizes[bool(options)] = os.path.getsize(path)
        assert sizes[True] <= 1.5 * sizes[False] + 65536
