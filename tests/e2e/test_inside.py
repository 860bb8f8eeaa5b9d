"""Packaged programs with libatoll-record.so: their output is unchanged, whether recorded or not."""

import os
import random
import sqlite3
import subprocess

import pytest

NUMPY = """
import threading
import numpy
table = numpy.arange(2_000_000, dtype=numpy.float64).reshape(1000, 2000)
sums = [0.0] * 4
def work(i):
    sums[i] = float((table[i * 250:(i + 1) * 250] @ table.T[:, :40]).sum())
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sums, sorted({str(i * i) for i in range(20_000)})[:9])
"""
SQL = """
create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 60000)
insert into t select x, x * x % 1013 from c;
select b, count(*), sum(a) from t group by b order by 3 limit 20;
"""
FORKS = """
for i in $(seq 1 30); do echo "$(echo $i | tr 1 2)" & done | sort
wait; env -i /bin/ls / | head -3; (exit 7); echo $?; kill -9 $BASHPID
"""


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    file = tmp_path_factory.mktemp("inside") / "numbers"
    some = random.Random(1)
    file.write_text("".join(f"{some.randrange(10**9)}\n" for _ in range(150_000)))
    return file


COMMANDS = {
    "sort": lambda file: ["sort", "-n", "--parallel=2", "-S", "4M", file],
    "xz": lambda file: ["xz", "-1", "-T2", "--block-size=200KiB", "-c", file],
    "pigz": lambda file: ["pigz", "-n", "-c", "-p", "3", file],
    "numpy": lambda file: ["/usr/bin/python3", "-c", NUMPY],
    "sqlite": lambda file: ["sqlite3", ":memory:", SQL],
    "forks": lambda file: ["bash", "-c", FORKS],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_output_is_the_same(build, numbers, name):
    command = list(map(str, COMMANDS[name](numbers)))

    def run(**more):
        return subprocess.run(command, capture_output=True, timeout=120, env=dict(os.environ, **more))

    library = str(build / "lib/atoll/libatoll-record.so")
    native = run()
    # In the second run, the library acts as in an emulator's guest: it reports by system calls that the kernel doesn't
    # implement.
    for seen in [run(LD_PRELOAD=library), run(LD_PRELOAD=library, ATOLL_MAGIC="1")]:
        assert seen.returncode == native.returncode
        assert seen.stdout == native.stdout
        assert seen.stderr == native.stderr
    assert native.stdout


@pytest.mark.parametrize("name", ["sort", "xz", "pigz"])
def test_heap_accesses_have_a_stack(build, numbers, tmp_path, name):
    """At least 80 % of the accesses outside of stacks, variables and files."""
    profile = tmp_path / "profile"
    command = [build / "atoll", "profile", "--frontend", "dbi", "-o", profile, "--", *COMMANDS[name](numbers)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300)
    with sqlite3.connect(profile) as connection:
        accesses = dict(connection.execute("""
            select case when site is not null then 'stack' else kind end, sum(reads + writes) from objects
            where kind in ('heap', 'pool', 'other') or (kind = 'mapping' and site is not null) group by 1"""))
        levels = [n for (n,) in connection.execute("""
            select count(*) from objects join frames on frames.site = objects.site
            where kind in ('heap', 'pool') and reads + writes > 0 group by objects.id""")]
    assert accesses["stack"] > 1_000_000
    assert accesses["stack"] >= 0.8 * sum(accesses.values()), accesses
    assert min(levels) >= 1 and sorted(levels)[len(levels) // 2] >= 3


@pytest.mark.parametrize("name", ["libatoll-record.so", "libatoll-place.so"])
def test_libraries_bring_nothing_along(build, name):
    """The libraries load neither the C++ run-time library nor an unwinder, which a program might use in place
    of its own."""
    library = build / "lib/atoll" / name
    dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    needed = {line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "ld-linux-x86-64.so.2"}
    symbols = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
    assert not [line for line in symbols.splitlines() if "_Unwind" in line or line.split()[-1].startswith("_Z")]
