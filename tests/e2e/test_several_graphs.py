"""Procedures of several graphs, and collections as inputs: each node, edge, property and collection belongs to the
graph that its type names, in files and tables, too."""

import subprocess

import pytest

G = [(0, 1), (1, 2), (2, 2), (2, 3), (4, 0)]
H = [(0, 1), (1, 2), (2, 0), (2, 3)]
H_NAMES = ["one", "two", "three", "a b"]


def written(folder, name, edges):
    file = folder / name
    file.write_text("".join(f"{v} {w}\n" for v, w in edges))
    return file


@pytest.fixture(scope="module", params=["same width", "one is wide"])
def graphs(request, atoll, tmp_path_factory):
    """Two graphs: the nodes of G have numbers, those of H have labels. H may have wide ids."""
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "labels").write_text("".join(f"{name}\n" for name in H_NAMES))
    wide = ["--wide-ids"] if request.param == "one is wide" else []
    atoll("graph", "convert", written(folder, "h.el", H), "--labels", folder / "labels", *wide, "-o", folder / "h.atoll")
    return written(folder, "g.el", G), folder / "h.atoll"


def word(name):
    return f'"{name}"' if " " in name else name


def quoted(names):
    return [word(name) for name in names]


@pytest.fixture
def zeros(tmp_path):
    """Returns options that load 0 for a and w, to which the program adds."""
    def call(nodes=range(5)):
        names = quoted(H_NAMES)
        (tmp_path / "a.in").write_text("".join(f"{node} 0\n" for node in nodes))
        (tmp_path / "w.in").write_text("".join(f"{names[v]} {names[w]} 0\n" for v, w in H))
        return ["--load", f"a={tmp_path}/a.in", "--load", f"w={tmp_path}/w.in"]
    return call


def call(atoll, source, graphs, *more):
    return atoll.json("run", source / "tests/programs/two_graphs.gm", "--graph", graphs[0], "--graph", f"H={graphs[1]}",
                      "--arg", "r=1", "--arg", "s=three", *more)


def test_what_is_of_each_graph_goes_in_and_comes_out(atoll, source, graphs, zeros, tmp_path):
    names = ["a", "w", "parts", "sets", "b", "far", "out", "pairs", "back"]
    saves = [word for name in names for word in ("--save", f"{name}={tmp_path}/{name}")]
    (tmp_path / "parts.in").write_text('2 two "a b"\n0\n')
    report = call(atoll, source, graphs, *zeros(), *saves, "--load", f"parts={tmp_path}/parts.in", "--csv",
                  f"nodes={tmp_path}/g.csv", "--csv", f"H.nodes={tmp_path}/h.csv", "--csv", f"H.edges={tmp_path}/e.csv")
    assert report["returned"] == "three"
    assert report["outputs"] == {"root": "three", "sizes": 1000 * 5 + 100 * 4 + 10 * len(G) + len(H)}
    assert [(one["name"], one["nodes"], one["edges"]) for one in report["graphs"]] == [("G", 5, 5), ("H", 4, 4)]
    assert [(one["graph"], one["of"]) for one in report["tables"]] == [("G", "nodes"), ("H", "nodes"), ("H", "edges")]

    out = [[w for v, w in H if v == node] for node in range(4)]
    into = [[v for v, w in H if w == node] for node in range(4)]
    b = [len(out[node]) + sum(10 * len(into[u]) for u in into[node]) for node in range(4)]
    labels = quoted(H_NAMES)
    files = {name: (tmp_path / name).read_text().splitlines() for name in names}
    assert files["a"] == [f"{node} 1" for node in range(5)]
    assert files["w"] == [f"{labels[v]} {labels[w]} 7" for v, w in H]
    assert files["b"] == [f"{labels[node]} {b[node]}" for node in range(4)]
    assert files["far"] == [f"{node} three" for node in range(5)]
    assert files["out"] == [" ".join([labels[node], str(len(out[node])), *(labels[w] for w in out[node])]) for node in range(4)]
    assert files["pairs"] == ["1 three"]
    assert files["sets"] == [f"{node} 1 {node}" for node in range(5)]
    assert files["parts"] == ['2 two "a b"', "0", '2 one "a b"']
    assert files["back"] == [f"{labels[v]} {labels[w]} 2 {labels[w]} {labels[v]}" for v, w in H]
    assert (tmp_path / "g.csv").read_text().splitlines() == ["node,a,far"] + [f"{node},1,three" for node in range(5)]
    assert (tmp_path / "h.csv").read_text().splitlines() == ["node,b"] + [f"{H_NAMES[node]},{b[node]}" for node in range(4)]
    assert (tmp_path / "e.csv").read_text().splitlines() == (
        ["from,to,w"] + [f"{H_NAMES[v]},{H_NAMES[w]},7" for v, w in H])
    out_of = next(one for one in report["collections"] if one["name"] == "out")
    assert out_of["type"] == "Node_Prop<Node_Set>" and out_of["size"] == 4
    assert out_of["items"][2] == {"node": "three", "size": 2, "items": ["one", "a b"]}

    # The next run loads the saved files, and continues with them.
    loads = [word for name in ["a", "w", "parts", "sets"] for word in ("--load", f"{name}={tmp_path}/{name}")]
    again = [word for name in ["a", "w", "parts", "sets"] for word in ("--save", f"{name}={tmp_path}/{name}.2")]
    call(atoll, source, graphs, *loads, *again)
    assert (tmp_path / "a.2").read_text().splitlines() == [f"{node} 2" for node in range(5)]
    assert (tmp_path / "w.2").read_text().splitlines() == [f"{labels[v]} {labels[w]} 14" for v, w in H]
    assert (tmp_path / "parts.2").read_text().splitlines() == files["parts"] + ['2 one "a b"']
    assert (tmp_path / "sets.2").read_text().splitlines() == [f"{node} 2 {node} {node}" for node in range(5)]


def test_both_may_be_the_same_file(atoll, source, graphs, zeros):
    report = atoll.json("run", source / "tests/programs/two_graphs.gm", "--graph", graphs[1], "--graph", graphs[1],
                        "--arg", "r=one", "--arg", "s=a b", *zeros(quoted(H_NAMES)))
    assert report["returned"] == "a b" and report["outputs"]["sizes"] == 4400 + 44


def test_a_graph_of_its_own_is_empty(atoll, source, graphs):
    report = atoll.json("run", source / "tests/programs/two_graphs.gm", "--proc", "own_graph", "--graph", graphs[0])
    assert report["returned"] == 0


def test_wrong_calls_are_refused(atoll, source, graphs, zeros, tmp_path):
    program = source / "tests/programs/two_graphs.gm"
    given = zeros()
    args = ["--arg", "r=1", "--arg", "s=three", *given]
    both = ["--graph", graphs[0], "--graph", graphs[1]]

    def refused(*words, said):
        assert said in atoll.refuses("run", program, *words)

    refused("--graph", graphs[0], *args, said="two_graphs needs a file for 'H'; add --graph H=FILE")
    refused(*both, "--graph", graphs[1], *args, said="two_graphs takes 2 graphs")
    refused("--graph", f"H={graphs[1]}", "--graph", f"H={graphs[1]}", *args, said="'H' is given twice")
    refused(*both, *given, "--arg", "r=three", "--arg", "s=three", said="'three' is no node")
    refused(*both, *given, "--arg", "r=1", "--arg", "s=1", said="there is no node '1' in the graph")
    refused(*both, *args, "--csv", "t.csv", said="results of nodes and of H.nodes and of H.edges")
    refused(*both, *args, "--save", "parts=p.csv", said="'parts', a Collection<Node_Set>, has no table")
    for text, said in [("2 two", "f:1: the line ends before a node"), ("1 two two", "f:1: 'two' is too much"),
                       ("0\n2 two two", "f:2: a second time for 'two'; a Node_Set has it once"),
                       ("1 1", "f:1: there is no node '1'"), ("two", "f:1: 'two' is not a Long"),
                       ("-1", "f:1: -1 is no number of nodes")]:
        (tmp_path / "f").write_text(text)
        refused(*both, *args, "--load", f"parts={tmp_path}/f", said=said)
    (tmp_path / "f").write_text("0 1 0\n1 0\n2 0\n3 0\n")
    refused(*both, *args, "--load", f"sets={tmp_path}/f", said="no line for node '4'")


def test_the_help_says_of_which_graph_things_are(atoll, source, tmp_path):
    atoll("compile", source / "tests/programs/two_graphs.gm", "-o", tmp_path / "two_graphs")
    text = subprocess.run([tmp_path / "two_graphs", "--help"], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in text.splitlines()]
    assert ["H", "Graph", "--graph", "H=FILE"] in lines
    assert ["s", "Node(H)", "--arg"] in lines
    assert ["far", "Node_Prop<Node(H)>(G)", "--save"] in lines
    assert ["parts", "Collection<Node_Set>(H)", "--load"] in lines
