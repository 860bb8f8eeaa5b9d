"""The front end dbi on packaged programs: their output, their number of accesses compared with another tool, and the
objects accessed."""

import os
import random
import re
import subprocess

import pytest
from watched import watch

# With these settings, libraries run the same code in the emulator, under valgrind and natively. They choose
# code by cache sizes, too.
SETTINGS = {
    "GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=65536:glibc.cpu.x86_non_temporal_threshold=100000000",
    "LC_ALL": "C",
    "OPENBLAS_CORETYPE": "Nehalem",
    "PYTHONHASHSEED": "0",
}

NUMPY_JOB = """
import sys, threading
import numpy as np

def job(which):
    values = np.arange(100000, dtype=np.float64) + which
    for power in range(20):
        values = np.sqrt(values * 3.0 + power)
    results[which] = values

threads, results = int(sys.argv[1]), [None] * 2
if threads == 1:
    for which in range(2): job(which)
else:
    workers = [threading.Thread(target=job, args=(which,)) for which in range(2)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
sys.stdout.buffer.write(b"".join(result.tobytes() for result in results))
"""

BLAS_PROGRAM = """
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  const int n = 240;
  double *a = malloc(sizeof(double) * n * n), *b = malloc(sizeof(double) * n * n),
         *c = malloc(sizeof(double) * n * n);
  for (int i = 0; i < n * n; ++i) a[i] = i % 7, b[i] = i % 5, c[i] = 0;
  for (int k = 0; k < 2; ++k)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 1, c, n);
  double sum = 0;
  for (int i = 0; i < n * n; ++i) sum += c[i] * (i % 11);
  printf("%.17g\\n", sum);
  return 0;
}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packaged")
    chosen = random.Random(1)
    words = ["".join(chosen.choices("etaoinshrdlu", k=chosen.randint(1, 9))) for _ in range(2000)]
    (folder / "text").write_text(
        "\n".join(" ".join(chosen.choices(words, k=10)) for _ in range(4000)) + "\n")
    (folder / "lines").write_text("".join(f"{chosen.randint(0, 10**6)}\n" for _ in range(150000)))
    (folder / "job.py").write_text(NUMPY_JOB)
    (folder / "blas.c").write_text(BLAS_PROGRAM)
    subprocess.run(["gcc", "-O2", "blas.c", "-o", "blas", "-lopenblas"], check=True, cwd=folder)
    return folder


def command_of(program, threads, files):
    """Returns the command for this number of threads, and its environment."""
    command = {
        "numpy": ["/usr/bin/python3", files / "job.py", threads],
        "xz": ["xz", f"-T{threads}", "--block-size=100KiB", "-k", "-c", files / "text"],
        "sort": ["sort", f"--parallel={threads}", files / "lines"],
        "pigz": ["pigz", "-p", threads, "-n", "-c", files / "text"],
        "openblas": [files / "blas"],
    }[program]
    return list(map(str, command)), dict(SETTINGS, OPENBLAS_NUM_THREADS=str(threads))


def accesses_by_lackey(command, environment, folder):
    """Returns loads and stores as counted by valgrind's example tool; an instruction that does both counts as both."""
    log = folder / "lackey"
    subprocess.run(["valgrind", "--tool=lackey", "--basic-counts=no", "--detailed-counts=yes",
                    f"--log-file={log}", *command],
                   check=True, env=dict(os.environ, **environment), cwd=folder, stdout=subprocess.DEVNULL)
    rows = re.findall(r"==\d+==\s+[IFVD]\d+\s+([\d,]+)\s+([\d,]+)\s+[\d,]+", log.read_text())
    assert len(rows) == 14
    return sum(int(number.replace(",", "")) for row in rows for number in row)


PROGRAMS = ["numpy", "xz", "sort", "pigz", "openblas"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_two_threads(atoll, files, tmp_path, program):
    command, environment = command_of(program, 2, files)
    native = subprocess.run(command, capture_output=True, env=dict(os.environ, **environment), check=True)
    seen = watch(atoll, tmp_path, *command, environment=environment)
    assert seen.returncode == 0
    assert seen.stdout == native.stdout
    # Variables of libraries share lines. This loss is reported if it affects many accesses.
    assert seen.rows("SELECT * FROM losses WHERE kind <> 'accesses_divided'") == []
    busy = seen.rows("SELECT thread FROM chunks GROUP BY thread HAVING sum(reads + writes) > 100000")
    assert len(busy) >= 2
    # Heap: memory that the program allocated or mapped, and memory in no known object.
    ((with_stack, all_of_it),) = seen.rows(
        "SELECT sum((reads + writes) * (site IN (SELECT site FROM frames WHERE level > 0))),"
        " sum(reads + writes) FROM objects WHERE kind IN ('heap', 'pool', 'other')"
        " OR (kind = 'mapping' AND module = '')")
    assert with_stack >= 0.8 * all_of_it, f"{with_stack} of {all_of_it}"


@pytest.mark.parametrize("program", PROGRAMS)
def test_accesses_are_those_that_lackey_counts(atoll, files, tmp_path, program):
    command, environment = command_of(program, 1, files)
    seen = watch(atoll, tmp_path, *command, environment=environment)
    expected = accesses_by_lackey(command, environment, tmp_path)
    # NumPy chooses its loops by processor features, which valgrind and qemu report differently. A program of OpenBLAS
    # is small relative to the loader's work, which also searches Atoll's libraries for each symbol.
    assert seen.total() == pytest.approx(expected, rel={"numpy": 0.06, "openblas": 0.03}.get(program, 0.01))


@pytest.mark.parametrize("program", ["xz", "openblas"])
def test_counts_are_those_of_the_stream(atoll, files, tmp_path, program):
    """Counting derives many accesses from other addresses and from registers; a stream records each access."""
    command, environment = command_of(program, 1, files)
    seen = watch(atoll, tmp_path, *command, environment=environment)
    trace = tmp_path / "trace"
    subprocess.run([str(atoll.program), "trace", "--frontend", "dbi", "-o", str(trace), "--", *command], check=True,
                   env=dict(os.environ, **environment), cwd=tmp_path, stdout=subprocess.DEVNULL)
    checked = atoll("trace", "--check", trace).stdout
    reads, writes = (int(number.replace(",", "")) for number in re.findall(r"([\d,]+) (?:reads|writes)", checked))
    assert seen.total() == pytest.approx(reads + writes, rel=1e-5)
