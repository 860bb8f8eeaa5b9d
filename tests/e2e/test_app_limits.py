"""Applications with excessive requests: memory is checked before its allocation, and a diverging flow ends the run."""

import json
import resource
import subprocess
import time

import pytest

MATRIX = "%%MatrixMarket matrix coordinate real general\n300000 300000 1\n1 1 1\n"
DECK = "*clover\nstate 1 density=1 energy=1\nx_cells=1000000 y_cells=1000000\n*endclover\n"
CALLS = [
    "spmv --mesh 2147483648",
    "spmv --mesh 2147483648 --format ccs --schedule",
    "spmm --matrix matrix.mtx",
    "irreg --nodes 4294967293 --edges 4294967293",
    "irreg --nodes 4294967293 --edges 4294967293 --mesh --breadth-first",
    "radix --keys 1099511627776",
    "matmul --size 1000000",
    "streamcluster 10 20 256 2147483648 2147483648 1000 none out 1",
    "streamcluster 10 20 256 10 1000 2147483648 none out 1 --baseline",
    "taylor-green --size 1048576",
    "taylor-green --dimensions 2 --size 1048576",
    "cloverleaf2d clover.in",
]


@pytest.mark.plain_build("a sanitizer needs more address space than the limits here")
@pytest.mark.parametrize("call", CALLS)
def test_memory_is_compared_before_work(build, tmp_path, call):
    (tmp_path / "matrix.mtx").write_text(MATRIX)
    (tmp_path / "clover.in").write_text(DECK)

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
    name, *words = call.split()
    begin = time.monotonic()
    done = subprocess.run([build / "apps" / name, *words], capture_output=True, text=True, cwd=tmp_path,
                          preexec_fn=limit, timeout=60)
    assert time.monotonic() - begin < 20
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "of memory, and there are" in done.stderr and "take" in done.stderr
    assert not (tmp_path / "out").exists()


def taylor_green(build, *words):
    return subprocess.run([build / "apps/taylor-green", *words], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("dimensions", ["2", "3"])
@pytest.mark.parametrize("words", [
    ["--dt", "1.5"],                      # one step; the energy is large but finite
    ["--dt", "1.5", "--steps", "3"],
    ["--dt", "0.2", "--steps", "200"],    # the energy becomes NaN
    ["--dt", "0.2", "--steps", "200", "--chain", "10", "--json"],
    ["--dt", "0.2", "--steps", "200", "--every", "1"],
    ["--reynolds", "1e-6", "--steps", "50"],
])
def test_a_flow_that_runs_away_ends(build, dimensions, words):
    done = taylor_green(build, "--dimensions", dimensions, "--size", "16", *words)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("atoll: step ") and "kinetic energy" in done.stderr
    if "--json" in words:
        assert json.loads(done.stdout).keys() == {"error", "exit_code"}
    else:
        assert "nan" not in done.stdout and "inf" not in done.stdout
    step = int(done.stderr.split()[2].rstrip(":"))
    assert 1 <= step < 60, done.stderr  # ends long before the last step


def test_a_flow_that_decays_goes_on(build):
    for words in (["--size", "12", "--dimensions", "2", "--mach", "1", "--end", "1"], ["--size", "12", "--end", "0.2"],
                  ["--size", "12", "--reynolds", "1e6", "--mach", "1", "--end", "3"], ["--size", "1", "--steps", "4"],
                  ["--size", "3", "--steps", "4"]):
        done = taylor_green(build, *words, "--json")
        assert done.returncode == 0, done.stderr
        assert 0 <= json.loads(done.stdout)["kinetic_energy"] <= 0.26
