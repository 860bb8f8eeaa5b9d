"""The programs of the affinity paper: their last lines equal results computed here, packed and unpacked."""

import gzip
import os
import random
import subprocess

import pytest

PROGRAMS = {"irreg": ["--nodes", "10", "--edges", "20"], "spmv": ["--mesh", "100"], "spmm": [], "matmul": [], "radix": []}


def run(build, *arguments, **environment):
    done = subprocess.run([build / "apps" / arguments[0], *map(str, arguments[1:])], capture_output=True, text=True,
                          timeout=300, env=dict(os.environ, OMP_WAIT_POLICY="passive", **environment))
    assert done.returncode == 0, done.stderr
    return done


def checksum(build, *arguments):
    last = run(build, *arguments).stdout.splitlines()[-1]
    assert last.startswith("checksum ")
    return float(last.split()[1])


def weighted(values):
    return sum((i + 1) * value for i, value in enumerate(values))


IRREG = [["--updates", "atomic"], ["--updates", "private"], [], ["--breadth-first"],
         ["--breadth-first", "--compare", "--rounds", "2"], ["--breadth-first", "--threads", "1"],
         ["--breadth-first", "--threads", "7"], ["--threads", "3"], ["--schedule", "--threads", "2"],
         ["--schedule", "--threads", "5", "--compare"]]


@pytest.mark.parametrize("options", IRREG, ids=" ".join)
def test_irreg_on_a_graph_of_a_file(build, tmp_path, options):
    generator = random.Random(3)
    nodes = 2000
    edges = {tuple(sorted((generator.randrange(nodes), generator.randrange(nodes)))) for _ in range(5000)}
    edges |= {(i, i + 1) for i in range(nodes - 1)}
    (tmp_path / "mesh.el").write_text("".join(f"{a} {b}\n" for a, b in generator.sample(sorted(edges), len(edges))))
    x = [i * 7919 % 1009 for i in range(nodes)]
    y = [0] * nodes
    for a, b in edges:
        y[a] += 2 * (x[a] - x[b])
        y[b] -= 2 * (x[a] - x[b])
    assert checksum(build, "irreg", "--graph", tmp_path / "mesh.el", "--iterations", 3, *options) == 3 * weighted(y)


def test_irreg_on_a_mesh_of_metis(build, tmp_path):
    """The mesh is a path of five nodes, and an isolated node."""
    (tmp_path / "mesh").write_text("6 4\n2\n1 3\n2 4\n3 5\n4\n\n")
    x = [i * 7919 % 1009 for i in range(6)]
    y = [2 * sum(x[i] - x[j] for j in (i - 1, i + 1) if 0 <= j < 5) for i in range(5)]
    for options in [[], ["--schedule", "--threads", 3]]:
        assert checksum(build, "irreg", "--graph", tmp_path / "mesh", "--iterations", 1, *options) == weighted(y)


@pytest.mark.parametrize("size", [["--nodes", 5000, "--edges", 30000], ["--nodes", 5000, "--edges", 30000, "--mesh"],
                                  ["--nodes", 1, "--edges", 3], ["--nodes", 4, "--edges", 0]], ids=str)
def test_irreg_is_the_same_packed(build, size):
    answers = {checksum(build, "irreg", *size, *options) for options in IRREG}
    assert len(answers) == 1


def matrix(source, name):
    path = source.resolve().parent / f"shared/data/matrices/{name}.mtx.gz"
    if not path.exists():
        pytest.skip(f"{path} isn't here: the matrices may not be copied into the project")
    return path


def read_matrix(path):
    """Returns the entries by row: {column: value}."""
    lines = gzip.open(path, "rt").read().splitlines()
    symmetric = lines[0].split()[4] == "symmetric"
    lines = [line for line in lines if not line.startswith("%")]
    rows = [{} for _ in range(int(lines[0].split()[0]))]
    for line in lines[1:]:
        i, j, value = line.split()
        rows[int(i) - 1][int(j) - 1] = float(value)
        if symmetric:
            rows[int(j) - 1][int(i) - 1] = float(value)
    return rows


@pytest.mark.parametrize("name", ["msc01440", "msc01050", "circuit_1", "bp_1000", "utm3060", "bcsstk13", "bcsstk16", "cage10"])
def test_spmv_on_real_matrices(build, source, name):
    path = matrix(source, name)
    rows = read_matrix(path)
    terms = [[value * (1 + j % 17 / 16) for j, value in row.items()] for row in rows]
    expected = weighted(sum(row) for row in terms)
    scale = weighted(sum(map(abs, row)) for row in terms)
    for options in [[], ["--breadth-first"], ["--breadth-first", "--threads", 5], ["--schedule", "--threads", 3]]:
        for form in ["crs", "ccs"]:
            found = checksum(build, "spmv", "--matrix", path, "--format", form, "--iterations", 2, *options)
            assert abs(found - expected) <= 1e-9 * scale, (options, form)


def test_spmv_by_rows_has_the_same_bits_packed(build):
    answers = {run(build, "spmv", "--mesh", 10000, *options).stdout.splitlines()[-1]
               for options in [[], ["--breadth-first"], ["--breadth-first", "--threads", 3], ["--threads", 2],
                               ["--schedule", "--threads", 4]]}
    assert len(answers) == 1


# Each matrix as the text of a file, and as rows {column: value}.
SMALL = {
    "pattern": ("pattern general\n3 3 4\n1 1\n2 2\n1 3\n3 1\n", [{0: 1, 2: 1}, {1: 1}, {0: 1}]),
    "wide": ("real general\n2 3 3\n1 1 2.5\n2 2 4\n1 3 1\n", [{0: 2.5, 2: 1}, {1: 4}]),
    "tall": ("integer general\n3 2 3\n3 1 -2\n1 2 4\n3 2 7\n", [{1: 4}, {}, {0: -2, 1: 7}]),
    "duplicates": ("real general\n2 2 5\n1 1 2.5\n2 1 1\n1 1 1.5\n2 2 4\n1 1 1\n", [{0: 5}, {0: 1, 1: 4}]),
    "symmetric": ("real symmetric\n3 3 4\n1 1 2\n2 1 -1\n3 2 5\n2 1 4\n", [{0: 2, 1: 3}, {0: 3, 2: 5}, {1: 5}]),
    "skew": ("real skew-symmetric\n2 2 1\n2 1 3\n", [{1: -3}, {0: 3}]),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_matrices_of_every_kind(build, tmp_path, name):
    text, rows = SMALL[name]
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate " + text)
    product = weighted(sum(value * (1 + j % 17 / 16) for j, value in row.items()) for row in rows)
    for options in [[], ["--format", "ccs"], ["--breadth-first", "--threads", 2]]:
        assert checksum(build, "spmv", "--matrix", tmp_path / "a.mtx", "--iterations", 2, *options) == product
    dots = [sum(a.get(j, 0) * b.get(j, 0) for j in a) for a in rows for b in rows]
    assert checksum(build, "spmm", "--matrix", tmp_path / "a.mtx") == weighted(dots)


@pytest.mark.parametrize("text, word", [
    ("%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 2 1\n2 2 4 3\n", "complex"),
    ("%%MatrixMarket matrix coordinate real general\n1000000000 1000000000 2\n1 2 0.5\n3 1 0.25\n", "only 2 entries"),
    ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n", "column 3"),
    ("1 2\n", "no Matrix Market file"),
])
def test_matrices_that_are_refused(build, tmp_path, text, word):
    (tmp_path / "a.mtx").write_text(text)
    for program in ("spmv", "spmm"):
        done = subprocess.run([build / "apps" / program, "--matrix", tmp_path / "a.mtx"], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
        assert word in done.stderr


@pytest.mark.parametrize("name", ["bp_1000", "msc01050"])
def test_spmm_on_real_matrices(build, source, name):
    path = matrix(source, name)
    rows = read_matrix(path)
    columns = {}
    for i, row in enumerate(rows):
        for j, value in row.items():
            columns.setdefault(j, []).append((i, value))
    expected = scale = 0
    for column in columns.values():
        for i, a in column:
            for j, b in column:
                expected += (i * len(rows) + j + 1) * a * b
                scale += (i * len(rows) + j + 1) * abs(a * b)
    for options in [[], ["--breadth-first", "--compare"], ["--schedule", "--threads", 3]]:
        assert abs(checksum(build, "spmm", "--matrix", path, *options) - expected) <= 1e-9 * scale


def test_matmul_in_both_placements(build):
    size, side = 60, 30
    a = [[(i * 31 + j * 17) % 13 for j in range(size)] for i in range(size)]
    b = [[(i * 7 + j * 3) % 11 if i // side == j // side else 0 for j in range(size)] for i in range(size)]
    c = [sum(a[i][k] * b[k][j] for k in range(size)) for i in range(size) for j in range(size)]
    for placement, threads in [("original", "0123"), ("paired", "0213")]:
        done = run(build, "matmul", "--size", size, "--placement", placement, "--iterations", 2)
        assert float(done.stdout.split()[-1]) == weighted(c)
        assert [line.split()[1][0] for line in done.stdout.splitlines()[:4]] == list(threads)


def test_radix_sorts_the_same_keys_however_many_threads_do_it(build):
    answers = {checksum(build, "radix", "--keys", 12000, "--threads", threads, "--placement", placement)
               for threads in [1, 2, 3, 4, 5] for placement in ["original", "paired"]}
    assert len(answers) == 1


def test_radix_swaps_blocks(build):
    swapped = {checksum(build, "radix", "--keys", 40000, "--input", "swap", "--placement", placement)
               for placement in ["original", "paired"]}
    assert len(swapped) == 1
    # The keys of each block belong to the opposite block, so no key stays in its block. With three blocks,
    # the middle one keeps its keys.
    assert checksum(build, "radix", "--keys", 40000, "--input", "swap", "--no-remote-writes") == 0
    assert checksum(build, "radix", "--keys", 30000, "--input", "swap", "--no-remote-writes", "--threads", 3) > 0
    assert checksum(build, "radix", "--keys", 3) == 0  # fewer than one per thread


LOOPS = [("edges", 300, ["irreg", "--nodes", "50", "--edges", "300"]), ("rows", 100, ["spmv", "--mesh", "100"]),
         ("columns", 100, ["spmv", "--mesh", "100", "--format", "ccs"]), ("blocks", 4, ["matmul", "--size", "20"]),
         ("blocks", 4, ["radix", "--keys", "4000"])]


@pytest.mark.parametrize("loop, size, program", LOOPS, ids=lambda value: value[0] if isinstance(value, list) else str(value))
def test_they_follow_a_schedule_that_they_are_given(build, tmp_path, loop, size, program):
    """The schedule assigns all tasks to threads on one processing unit, and the last task runs first."""
    plain = checksum(build, *program)
    schedule = tmp_path / "schedule"

    def written(tasks):
        subprocess.run([build / "tests/atoll_write_schedule", schedule, loop, str(tasks), "1", "4", "0"], check=True)
        return {"ATOLL_SCHEDULE": str(schedule)}

    followed = run(build, *program, **written(size), ATOLL_SCHEDULE_STRICT="1")
    assert float(followed.stdout.split()[-1]) == pytest.approx(plain, rel=1e-12)
    if loop == "blocks":  # thread t runs block t
        assert [line.split()[3] for line in followed.stdout.splitlines()[:4]] == ["0,", "1,", "2,", "3,"]
    else:
        assert "packed" in followed.stdout and "original" not in followed.stdout
    misfit = run(build, *program, **written(size + 1))
    assert float(misfit.stdout.split()[-1]) == pytest.approx(plain, rel=1e-12)
    notes = misfit.stderr.splitlines()
    assert len(notes) == 1 and f"is for {size + 1} iterations, the loop has {size}" in notes[0]
    refused = refuses(build, *program, ATOLL_SCHEDULE_STRICT="1", **written(size + 1))
    assert f"is for {size + 1} iterations" in refused


@pytest.mark.plain_build("the library that follows schedules is preloaded to a program without a sanitizer")
def test_a_recorder_hears_of_their_tasks(build, source, tmp_path):
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-I", source / "include", source / "tests/programs/task_log.c",
                    "-o", tmp_path / "log.so"], check=True)
    said = run(build, "irreg", "--nodes", 30, "--edges", 50, "--iterations", 2, "--updates", "atomic",
               LD_PRELOAD=str(tmp_path / "log.so")).stderr.splitlines()
    assert [line for line in said if line.startswith("loop")] == ["loop edges 50 1 0"] * 2
    assert sorted(line for line in said if line.startswith("ran")) == \
        sorted(f"ran edges {edge}" for edge in range(50) for _ in range(2))
    assert "reduction 1 240" in said
    assert not [line for line in said if line.startswith("begin in")]


def test_help_and_bad_calls(build, tmp_path):
    for name, right in PROGRAMS.items():
        text = run(build, name, "--help").stdout
        assert "--iterations" in text and all(len(line) <= 80 for line in text.splitlines()), text
        for wrong in [["--nonsense"], ["--iterations", "0"], ["--rounds", "x"], ["left over"]]:
            refuses(build, name, *right, *wrong)
    refuses(build, "irreg")
    refuses(build, "irreg", "--nodes", "5")
    refuses(build, "irreg", "--nodes", "0", "--edges", "3")
    refuses(build, "irreg", "--mesh")
    refuses(build, "irreg", "--graph", tmp_path / "none")
    refuses(build, "spmv")
    refuses(build, "spmv", "--mesh", "100", "--format", "coo")
    refuses(build, "spmv", "--mesh", "100", "--matrix", "x")
    refuses(build, "spmm", "--matrix", tmp_path / "none.mtx")
    refuses(build, "matmul", "--size", "201")
    refuses(build, "radix", "--input", "sorted")
    refuses(build, "radix", "--threads", "0")
    (tmp_path / "beyond.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n")
    for name in ["spmv", "spmm"]:
        assert "3" in refuses(build, name, "--matrix", tmp_path / "beyond.mtx")


def refuses(build, *arguments, **environment):
    done = subprocess.run([build / "apps" / arguments[0], *map(str, arguments[1:])], capture_output=True, text=True,
                          timeout=60, env=dict(os.environ, **environment))
    assert done.returncode == 2, (arguments, done)
    assert done.stderr.count("\n") == 1 and done.stdout == "", (arguments, done)
    return done.stderr
