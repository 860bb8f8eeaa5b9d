"""Compiled Green-Marl programs compared with Python: small graphs, every layout, ids of every width; and `atoll
compile` itself."""

import math
import os
import random
import shutil
import struct

import pytest

LAYOUTS = ["auto", "single", "distributed", "partitioned", "replicated"]
INF = 2**31 - 1


class Digraph:
    def __init__(self, nodes, edges):
        self.n = nodes
        self.edges = sorted(set(edges))
        self.out = [[] for _ in range(nodes)]
        self.into = [[] for _ in range(nodes)]
        for v, w in self.edges:
            self.out[v].append(w)
            self.into[w].append(v)

    def write(self, path):
        path.write_text("".join(f"{v} {w}\n" for v, w in self.edges))


def random_graph(seed, nodes, edges):
    chance = random.Random(seed)
    pairs = [(int(nodes * chance.random() ** 2), chance.randrange(nodes)) for _ in range(edges)]
    return Digraph(nodes, pairs + [(0, nodes - 1)])


GRAPHS = {
    "one edge": Digraph(2, [(0, 1)]),
    "loop": Digraph(3, [(0, 0), (0, 1), (1, 2), (2, 0)]),
    "star": Digraph(20, [(i, 0) for i in range(1, 20)] + [(0, 1)]),
    "path": Digraph(40, [(i, i + 1) for i in range(39)]),
    "random": random_graph(1, 300, 1500),
    "chunks": random_graph(2, 5000, 20000),  # more nodes than a chunk of iterations
}


@pytest.fixture(scope="module", params=GRAPHS)
def graph(request, tmp_path_factory):
    graph = GRAPHS[request.param]
    graph.path = tmp_path_factory.mktemp("graph") / "graph.el"
    graph.write(graph.path)
    return graph


class Runner:
    """Runs a program of tests/programs, or a given text; returns (returned value, {property: values})."""

    def __init__(self, atoll, source, folder):
        self.atoll, self.source, self.folder = atoll, source, folder

    def __call__(self, program, graph, *options, results=(), **arguments):
        path = self.source / f"tests/programs/{program}.gm"
        if "(" in program:
            path = self.folder / "program.gm"
            path.write_text(program)
        words = [word for pair in arguments.items() for word in ("--arg", f"{pair[0]}={pair[1]}")]
        files = {name: self.folder / f"{name}.values" for name in results}
        for name, file in files.items():
            words += ["--save", f"{name}={file}"]
        report = self.atoll.json("run", path, "--graph", graph.path, *words, *options)
        values = {}
        for name, file in files.items():
            lines = [line.split() for line in file.read_text().splitlines()]
            assert [int(node) for node, _ in lines] == list(range(graph.n))
            kind = next(result["type"] for result in report["results"] if result["name"] == name)
            values[name] = [number(value, kind) for _, value in lines]
        return report, values


def number(text, kind):
    """Converts a saved value of that type to a float."""
    greatest = {"Int": 2**31 - 1, "Long": 2**63 - 1}.get(kind, math.inf)
    least = -greatest if greatest == math.inf else -greatest - 1
    words = {"INF": greatest, "-INF": least, "True": 1, "False": 0}
    return float(words[text]) if text in words else float(text)


@pytest.fixture
def run(atoll, source, tmp_path):
    return Runner(atoll, source, tmp_path)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_hop_distance(run, graph, layout):
    dist = [math.inf] * graph.n
    dist[0], front, rounds = 0, [0], 0
    while front:
        rounds += 1
        front = sorted({w for v in front for w in graph.out[v] if dist[w] == math.inf})
        for w in front:
            dist[w] = rounds
    report, values = run("hop_distance", graph, "--layout", layout, results=["dist"], root=0)
    assert values["dist"] == [INF if d == math.inf else d for d in dist]
    assert report["returned"] == rounds
    assert report["trip_counts"] == {"k": rounds}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_neighbour_average(run, graph, layout):
    value = [len(graph.out[v]) + 0.5 * len(graph.into[v]) for v in range(graph.n)]
    average, busiest = [], []
    for v in range(graph.n):
        chosen = [value[w] for w in graph.out[v] if value[w] > 1]
        average.append(sum(chosen) / len(chosen) if chosen else 0)
        busiest.append(max((len(graph.into[w]) for w in graph.out[v]), default=-INF - 1))
    report, values = run("neighbour_average", graph, "--layout", layout,
                         results=["value", "average", "busiest"])
    assert values["value"] == value
    assert values["average"] == pytest.approx(average, rel=1e-12)
    assert values["busiest"] == busiest
    assert report["returned"] == pytest.approx(max(average), rel=1e-12)


@pytest.mark.parametrize("least", [0, 2, 10**6])
def test_mean_square(run, graph, least):
    squares = [(len(out) / 2) ** 2 for out in graph.out if len(out) >= least]
    report, _ = run("mean_square", graph, least=least)
    if squares:
        assert report["returned"] == pytest.approx(sum(squares) / len(squares), rel=1e-9)
    else:
        assert report["returned"] == "-INF"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rounds", [1, 4])
def test_label_average(run, graph, layout, rounds):
    label = [len(out) - 1 for out in graph.out]
    hub = [len(out) >= 3 for out in graph.out]
    for _ in range(rounds):
        old = list(label)
        for v in range(graph.n):
            hubs = [old[w] for w in graph.out[v] if hub[w]]
            if not hub[v] and hubs:
                label[v] = sum(hubs) / len(hubs)
            elif not graph.into[v]:
                label[v] = -old[v]
    _, values = run("label_average", graph, "--layout", layout, results=["label"], rounds=rounds,
                    hub_degree=3)
    assert values["label"] == pytest.approx(label, rel=1e-12, abs=1e-12)


def long(number):
    """Converts a number to Long: a real number is truncated and limited, an integer wraps around."""
    if isinstance(number, float):
        return 2**63 - 1 if number >= 2**63 else int(number)
    return (number + 2**63) % 2**64 - 2**63


def quotient(a, b):
    """Divides integers, rounding towards zero."""
    return abs(a) // b * (1 if a >= 0 else -1)


def everything(graph, root, limit, bias):
    """Computes the results of tests/programs/everything.gm, line by line."""
    n, out, into = range(graph.n), graph.out, graph.into
    big = [len(out[v]) * 3 - (len(into[v]) % 4) // 2 for v in n]
    small = [10] * graph.n
    small[root] = max(min(small[root] + 1, limit), -1)
    big[root] *= 2
    chosen = [t for t in n if out[t] and t != root]
    total = sum(big[t] for t in chosen)
    least = min((len(out[t]) for t in chosen), default=INF)
    most = max((small[t] for t in chosen), default=-INF - 1)
    every = all(big[t] >= 0 for t in chosen)
    some = any(big[t] == limit for t in chosen)
    product = math.prod(1.5 if into[t] else 1.0 for t in chosen)  # inf on overflow
    share, flag = [0.0] * graph.n, [False] * graph.n
    for t in chosen:
        share[t] = struct.unpack("f", struct.pack("f", bias / len(out[t])))[0]
        flag[t] = small[t] > 10 or (
            (small[t] == 10 or big[t] >= 3) and len(into[t]) > len(out[t]))
    last = root
    for t in n:
        if big[t] > big[last]:
            last = t
        total += 1 if total % 7 == 0 else 2
        for w in out[t]:
            small[w] += 1
            total -= w == t
    pairs = [sum(small[x] for w in out[t] for x in into[w] if x > t) for t in n]
    k = k2 = 0
    while (any(small[t] > limit for t in n) and some) or total < 0:
        k += 1
        small = [quotient(s, 2) for s in small]
        total = abs(total) + sum(small)
    rounds = 0
    while True:
        k2 += 1
        scratch = [s - 5 * quotient(s, 5) for s in small]
        best = [max((scratch[w] + small[w] for w in into[t] if scratch[w] > 1), default=-INF - 1) for t in n]
        small = [scratch[t] if best[t] > 3 else small[t] for t in n]
        rounds += 1
        if rounds > 100:
            return {"returned": -1, "k": k, "k2": k2}
        if not (rounds < limit and any(small[t] > 0 and (not out[t] or flag[t]) for t in n)):
            break
    for w in out[root]:
        flag[w] = all(small[x] >= 0 for x in out[w])
    total += 0 if least == INF else least
    total += 0 if most == -INF - 1 else most
    total += long(product * 0.001) + every + some
    total += 1
    total += 1 if last == root else 2
    return {"returned": long(total + len(graph.edges) + rounds), "k": k, "k2": k2, "big": big,
            "small": small, "flag": flag, "share": share, "pairs": pairs}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("root, limit", [(0, 3), (1, 12), (1, 200)])
def test_everything(run, graph, layout, root, limit):
    expected = everything(graph, root, limit, 2.5)
    names = ["big", "small", "flag", "share", "pairs"]
    report, values = run("everything", graph, "--layout", layout, results=names, root=root,
                         limit=limit, bias=2.5)
    assert report["trip_counts"] == {"k": expected["k"], "k2": expected["k2"]}
    assert report["returned"] == expected["returned"]
    for name in names if "big" in expected else []:
        assert values[name] == pytest.approx([float(value) for value in expected[name]], rel=1e-6), name


def test_awkward_names(run, graph):
    _, values = run("awkward_names", graph, results=["begin", "begin_array", "_x", "a__b"],
                    **{"class": 3, "run": 4, "first": 5, "double": 1.5})
    begin = [3 + sum(int(1.5 * len(graph.out[w])) for w in out) for out in graph.out]
    assert values["begin"] == values["_x"] == begin
    assert set(values["begin_array"]) == {0} and set(values["a__b"]) == {5}


def test_the_answer_does_not_depend_on_threads_or_width(run, atoll, tmp_path):
    answers = set()
    wide = Digraph(GRAPHS["chunks"].n, GRAPHS["chunks"].edges)
    text = tmp_path / "chunks.el"
    wide.write(text)
    for width in [[], ["--wide-ids"]]:
        wide.path = tmp_path / f"graph{len(width)}.atoll"
        atoll("graph", "convert", text, "-o", wide.path, *width)
        for threads in [1, 2, 5]:
            report, values = run("label_average", wide, "--threads", threads, results=["label"],
                                 rounds=3, hub_degree=3)
            answers.add(tuple(values["label"]))
    assert len(answers) == 1


FAILING = {
    "division": ("n = 1 / (n - n);", ":2:"),
    "modulo": ("Foreach (t: G.Nodes) { t.x = 5 % (t.Degree() - t.Degree()); }", ":2:"),
    "narrowing": ("Long l = 3000000000; n = (Int) 1 + 1; Int i = l + n;", ":2:"),
}


@pytest.mark.parametrize("name", FAILING)
def test_what_fails_while_it_runs_names_its_place(atoll, tmp_path, name):
    body, place = FAILING[name]
    program, edges = tmp_path / "failing.gm", tmp_path / "edges.el"
    program.write_text(f"Procedure p(G: Graph, n: Int; x: N_P<Int>) {{\n{body} G.x = n;\n}}\n")
    edges.write_text("0 1\n1 2\n")
    line = atoll.refuses("run", program, "--graph", edges, "--arg", "n=7", code=1)
    assert "failing.gm" + place in line


@pytest.mark.parametrize("root", [-1, 3, 2**40])
def test_a_node_that_is_not_there_is_refused(atoll, source, tmp_path, root):
    edges = tmp_path / "edges.el"
    edges.write_text("0 1\n1 2\n")
    line = atoll.refuses("run", source / "tests/programs/everything.gm", "--graph", edges, "--arg",
                         f"root={root}", "--arg", "limit=1", "--arg", "bias=1")
    assert "root" in line and str(root) in line and "0" in line


TABLE_1 = """\
array        N  E  ro  std  tmp  indexed  reads      writes
begin        y     y   y                  2*k*E      -
r_begin      y     y   y                  2*k*N      -
r_node_idx      y  y   y                  k*E        -
pg_rank      y                            k*E + k*N  k*N + N
pg_rank_nxt  y              y    y        k*N        k*N
"""


def test_patterns_print_table_1(atoll, source, tmp_path):
    pagerank = source / "apps/greenmarl/pagerank.gm"
    assert TABLE_1 in atoll("compile", pagerank, "--patterns", cwd=tmp_path).stdout
    final = atoll("compile", "--patterns=final", pagerank, cwd=tmp_path).stdout
    assert "pg_rank_term" in final and "pg_rank_nxt" not in final
    assert max(map(len, final.splitlines())) <= 80
    hops = atoll("compile", "--patterns=final", source / "tests/programs/hop_distance.gm").stdout
    assert "dist + dist_nxt" in hops
    report = atoll.json("compile", pagerank, "--patterns", cwd=tmp_path)
    assert [array["name"] for array in report["arrays"]] == [
        "begin", "r_begin", "r_node_idx", "pg_rank", "pg_rank_nxt"]
    assert report["arrays"][0]["accesses"] == [{"write": False, "order": "random", "count": "2*k*E"}]
    assert report["arguments"][2] == {"name": "max", "type": "Int"}
    assert os.listdir(tmp_path) == [], "looking writes nothing"


def test_compile_writes_a_program(atoll, source, tmp_path):
    done = atoll("compile", source / "apps/greenmarl/pagerank.gm", cwd=tmp_path)
    assert done.stdout.startswith("pagerank: pagerank, ")
    assert os.listdir(tmp_path) == ["pagerank"]
    report = atoll.json("compile", source / "apps/greenmarl/pagerank.gm", "-o", tmp_path / "again")
    assert report["cached"] is True and report["binary"] == str(tmp_path / "again")
    (tmp_path / "edges.el").write_text("0 1\n1 0\n")
    program = type(atoll)(tmp_path / "pagerank", tmp_path)
    ranks = program.json("--graph", tmp_path / "edges.el", "--arg", "e=1e-9", "--arg", "d=0.85",
                         "--arg", "max=100")
    assert ranks["results"][0]["sum"] == pytest.approx(1)
    assert "e, d, max" in program("--help").stdout


def test_compile_refuses_bad_outputs(atoll, source, tmp_path):
    pagerank = source / "apps/greenmarl/pagerank.gm"
    assert "directory" in atoll.refuses("compile", pagerank, "-o", tmp_path)
    assert "no/such" in atoll.refuses("compile", pagerank, "-o", tmp_path / "no/such")
    assert "--patterns" in atoll.refuses("compile", pagerank, "--patterns=x")
    assert "no-such-compiler" in atoll.refuses("compile", pagerank, "-o", tmp_path / "x", "--cxx",
                                               "no-such-compiler")
    assert "/bin/true: wrote no program" in atoll.refuses("compile", pagerank, "-o", tmp_path / "x",
                                                          "--cxx", "/bin/true")
    line = atoll.refuses("compile", pagerank, "-o", tmp_path / "x", "--cxxflags", "-no-such-option",
                         code=1)
    assert "no-such-option" in line and ".log" in line
    assert os.listdir(tmp_path) == []


def test_compile_replaces_no_device_or_pipe(atoll, source, tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("/dev/null")
    for output in [pipe, link]:
        line = atoll.refuses("compile", source / "apps/greenmarl/pagerank.gm", "-o", output)
        assert f"{output}: is no regular file" in line
    assert pipe.is_fifo() and link.is_char_device()
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


@pytest.mark.parametrize("cxx", ["g++", "clang++-16"])
@pytest.mark.parametrize("program", ["apps/greenmarl/pagerank.gm", "apps/greenmarl/vertex_cover.gm",
                                     "tests/programs/everything.gm",
                                     "tests/programs/awkward_names.gm"])
def test_the_code_has_no_warnings(atoll, source, tmp_path, cxx, program):
    # g++ 12 falsely reports std::variant's move as a use of uninitialized memory.
    flags = "-Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers"
    flags += " -Wno-maybe-uninitialized" if cxx == "g++" else ""
    atoll("compile", source / program, "-o", tmp_path / "x", "--cxx", cxx, "--cxxflags", flags)


def test_a_second_start_needs_no_compiler(atoll, source, sanitized, processor_seconds, tmp_path):
    cxx, calls = tmp_path / "c++", tmp_path / "calls"
    cxx.write_text(f'#!/bin/sh\necho call >> "{calls}"\nexec {shutil.which("c++")} "$@"\n')
    cxx.chmod(0o755)
    call = ["compile", source / "apps/greenmarl/pagerank.gm", "-o", tmp_path / "x", "--cxx", cxx]
    assert "compiled" in atoll(*call).stdout
    times = []
    for _ in range(10):
        start = processor_seconds()
        assert "from the cache" in atoll(*call).stdout
        times.append(processor_seconds() - start)
    assert calls.read_text() == "call\n"
    assert min(times) < (0.5 if sanitized else 0.05)


def lines_of(terminal):
    """Yields lines until the other end of the terminal is closed, which raises OSError on this end."""
    try:
        yield from terminal
    except OSError:
        return


def test_errors_show_the_line_on_a_terminal(atoll, tmp_path):
    """Programs get one line; on a terminal, the source line with a caret follows."""
    import pty
    import subprocess

    program = tmp_path / "bad.gm"
    program.write_text("Procedure p(G: Graph; x: N_P<Int>) {\n    G.x = y + 1;\n}\n")
    message = "bad.gm:2:11: 'y' is not declared; declare it before it is used"
    assert atoll.refuses("compile", program).endswith(message)
    ours, theirs = pty.openpty()
    subprocess.run([atoll.program, "compile", program], stderr=theirs, timeout=60)
    os.close(theirs)
    with open(ours, errors="replace", newline=None) as terminal:
        shown = "".join(lines_of(terminal))
    assert shown.endswith(f"{message}\n      G.x = y + 1;\n            ^\n")
