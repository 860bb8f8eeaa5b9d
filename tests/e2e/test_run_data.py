"""Inputs and outputs of a graph program: values are exact, nodes are identified by labels, and saved files can be
loaded by the next run. tests/programs/echo.cpp outputs its inputs."""

import csv
import json
import math
import random

import pytest

TYPES = ["int", "long", "float", "double", "bool", "node", "edge"]

# Blanks, quotes and commas, a name that is also a keyword of the format, one that looks like an edge's number.
AWKWARD = ["alpha", "beta gamma", 'q"x', '"quoted"', "NIL", "#2", "a,b;c", "naïve ☃", "->", "7", "True", " x "]
EDGES = [(0, 1), (0, 1), (0, 1), (0, 4), (1, 2), (2, 2), (3, 5), (4, 0), (5, 6), (6, 7), (7, 8), (9, 10), (10, 11), (11, 0)]


@pytest.fixture(scope="module", params=["numbers", "labels", "wide"])
def graph(request, atoll, tmp_path_factory):
    """Twelve nodes, three edges with the same ends, a self-loop; node 3 has no in-edge."""
    folder = tmp_path_factory.mktemp("graph")
    (folder / "edges.el").write_text("".join(f"{v} {w}\n" for v, w in EDGES))
    (folder / "labels").write_text("".join(f"{label}\n" for label in AWKWARD))
    options = {"numbers": [], "labels": ["--labels", folder / "labels"], "wide": ["--wide-ids"]}[request.param]
    atoll("graph", "convert", folder / "edges.el", "-o", folder / "graph.atoll", "--keep-duplicates", *options)
    file = folder / "graph.atoll"
    return file, AWKWARD if request.param == "labels" else [str(i) for i in range(12)]


def word(label):
    """Returns a label as a word of a line."""
    if label in ("", "NIL") or label[0] in '"#' or " " in label:
        return '"' + label.replace('"', '""') + '"'
    return label


EXTREMES = {
    "int": ["INF", "-INF", "0", "-1", "1234567", "2147483646", "-2147483647"],
    "long": ["INF", "-INF", "9007199254740993", "-9007199254740993", "9223372036854775806", "0", "-1"],
    "float": ["INF", "-INF", "NaN", "0.1", "-0", "1e-45", "3.4028235e+38", "16777216", "0.33333334", "1e+10"],
    "double": ["INF", "-INF", "NaN", "0.1", "-0", "5e-324", "1.7976931348623157e+308", "0.30000000000000004",
               "9007199254740993"],
    "bool": ["True", "False"],
}


def values_of(kind, count, labels, seed=1):
    """Returns the exact text of a value for each element: extreme ones first."""
    chance = random.Random(seed)
    if kind == "node":
        some = ["NIL", *map(word, labels)]
    elif kind == "edge":
        some = ["NIL"]
        for i, (v, w) in enumerate(EDGES):
            number = EDGES[:i].count((v, w)) + 1
            some.append(f"{word(labels[v])} {word(labels[w])}" + (f" #{number}" if number > 1 else ""))
    else:
        some = EXTREMES[kind]
    return (some + [chance.choice(some) for _ in range(count)])[:count] if len(some) <= count else chance.sample(some, count)


def exact(kind, text):
    """Returns the value's shortest text: a Double can't represent 2^53 + 1."""
    return "9007199254740992" if (kind, text) == ("double", "9007199254740993") else text


def ends(edge, labels):
    return [word(labels[EDGES[edge][0]]), word(labels[EDGES[edge][1]])]


def columns_of(labels):
    """Returns each property's name, type, and its elements' names and values."""
    for kind in TYPES:
        yield f"n_{kind}", [word(label) for label in labels], values_of(kind, len(labels), labels)
        yield f"e_{kind}", [" ".join(ends(i, labels)) for i in range(len(EDGES))], values_of(kind, len(EDGES), labels)


def test_what_one_run_saved_the_next_one_loads(echo, graph, tmp_path):
    """Values of every type, of nodes and of edges, in every form, and with lines in any order."""
    file, labels = graph
    lines, expected = {}, {}
    for name, keys, texts in columns_of(labels):
        lines[name] = [f"{key} {text}" for key, text in zip(keys, texts)]
        expected[name] = "".join(f"{key} {exact(name[2:], text)}\n" for key, text in zip(keys, texts))

    def run(folder, form, *given):
        """Loads files of a folder, saves in this form, and returns the folder with the saved files."""
        saved = tmp_path / f"{folder}-{form}"
        saved.mkdir(exist_ok=True)
        words = [w for name in lines for w in ("--load", f"{name}={tmp_path}/{folder}/{name}.{given[0] if given else 'txt'}",
                                               "--save", f"{name}={saved}/{name}.{form}")]
        echo(file, *words)
        return saved

    (tmp_path / "given").mkdir()
    for name in lines:
        (tmp_path / f"given/{name}.txt").write_text("\n".join(lines[name]))
    saved = run("given", "txt")
    assert {name: (saved / f"{name}.txt").read_text() for name in lines} == expected
    (tmp_path / "shuffled").mkdir()
    for name in lines:
        mixed = lines[name][:]
        random.Random(2).shuffle(mixed)
        places = [i for i, line in enumerate(mixed) if line in lines[name][:3]]
        for place, line in zip(places, lines[name][:3]):  # edges with the same ends keep their order
            mixed[place] = line
        (tmp_path / f"shuffled/{name}.txt").write_text("\n".join(mixed) + "\n\n")
    saved = run("shuffled", "txt")
    assert {name: (saved / f"{name}.txt").read_text() for name in lines} == expected
    for form in ["csv", "bin"]:
        before = run("given", form)
        after = run(before.name, "txt", form)
        assert {name: (after / f"{name}.txt").read_text() for name in lines} == expected
        again = run(before.name, form, form)
        for name in lines:
            assert (again / f"{name}.{form}").read_bytes() == (before / f"{name}.{form}").read_bytes()


NUMBERS = ["int", "long", "float", "double", "bool"]


def as_json(kind, text):
    """Returns the value's representation in JSON."""
    if text in ("INF", "-INF", "NaN"):
        return text
    return {"bool": lambda t: t == "True", "int": int, "long": int}.get(kind, float)(text)


def test_values_are_printed_as_their_type(echo, graph, tmp_path):
    file, labels = graph
    texts = {kind: [exact(kind, text) for text in values_of(kind, len(labels), labels)] for kind in NUMBERS}
    options = ["--top", len(labels)]
    for kind in NUMBERS:
        (tmp_path / kind).write_text("".join(f"{word(v)} {t}\n" for v, t in zip(labels, texts[kind])))
        options += ["--load", f"n_{kind}={tmp_path}/{kind}"]
    table = echo.json(file, *options)["tables"][0]["rows"]
    assert len(table) == len(labels)
    for row in table:
        assert row["label"] == labels[row["node"]]
        for kind in NUMBERS:
            expected = as_json(kind, texts[kind][row["node"]])
            value = row["values"][f"n_{kind}"]
            assert (value, str(value)[0], type(value)) == (expected, str(expected)[0], type(expected)), "-0.0 too"
    shown = echo(file, *options).stdout.split("Highest n_")[1].split()
    for kind in NUMBERS:
        assert set(texts[kind]) <= set(shown)


def test_scalars_are_given_and_printed_as_their_type(echo, graph):
    file, labels = graph
    columns = {kind: values_of(kind, 12, labels) for kind in TYPES}
    # Alone on a line, a label needs no quotes, unless it begins with one or is NIL.
    alone = {word(label): label for label in labels if label != "NIL" and label[0] != '"'}
    columns["node"] = [alone.get(text, text) for text in columns["node"]]
    for kind in ("float", "double"):  # --arg doesn't accept NaN
        columns[kind] = ["0.5" if text.lstrip("-").lower().startswith("nan") else text for text in columns[kind]]
    for i in range(12):
        given = {kind: columns[kind][i] for kind in TYPES}
        report = echo.json(file, arguments=given)
        assert report["outputs"].pop("unset") == "NIL"
        assert report["outputs"] == {
            f"out_{kind}": as_json(kind, text) if kind in NUMBERS else text for kind, text in given.items()}
    assert echo.json(file)["returned"] == 1
    assert echo.json(file, "--seed", 2**63 - 1)["returned"] == "INF"


def test_inputs_start_as_nothing(echo, graph):
    file, labels = graph
    for row in echo.json(file)["tables"][0]["rows"]:
        assert row["values"] == {"n_int": 0, "n_long": 0, "n_float": 0, "n_double": 0, "n_bool": False, "n_node": "NIL",
                                 "n_edge": "NIL", "degree": [v for v, _ in EDGES].count(row["node"])}


def test_a_node_is_called_by_its_label(echo, labelled):
    assert echo.json(labelled, arguments={"node": "libc6"})["outputs"]["out_node"] == "libc6"
    assert echo.json(labelled, arguments={"edge": "app libc6"})["outputs"]["out_edge"] == "app libc6"
    line = echo.refuses(labelled, arguments={"node": "libc7"})
    assert "--arg node: there is no node 'libc7' in the graph; near it: 'libc6'" in line
    assert "labels are such as 'app'" in echo.refuses(labelled, arguments={"node": "quite another thing"})
    assert "'0'" in echo.refuses(labelled, arguments={"node": "0"}), "a number is no label"
    assert "no edge from 'libc6' to 'app'" in echo.refuses(labelled, arguments={"edge": "libc6 app"})
    assert "no edge number 2 from 'app' to 'libc6'; there are 1" in echo.refuses(
        labelled, arguments={"edge": "app libc6 #2"})
    assert "'9' is too much" in echo.refuses(labelled, arguments={"edge": "app libc6 9"})


def test_a_label_of_two_nodes_names_none(atoll, echo, tmp_path):
    (tmp_path / "e.el").write_text("0 1\n1 2\n")
    (tmp_path / "labels").write_text("x\ny\nx\n")
    atoll("graph", "convert", tmp_path / "e.el", "--labels", tmp_path / "labels", "-o", tmp_path / "g.atoll")
    line = echo.refuses(tmp_path / "g.atoll", arguments={"node": "x"})
    assert "2 nodes are called 'x', the first two are 0 and 2; give nodes different labels" in line
    # If the elements are in the order of the nodes, as in saved files, duplicate labels are unambiguous.
    for lines, good in [("x 1\ny 2\nx 3\n", True), ("y 2\nx 1\nx 3\n", False), ("x 1\nx 3\ny 2\n", False)]:
        (tmp_path / "n").write_text(lines)
        options = [tmp_path / "g.atoll", "--load", f"n_int={tmp_path}/n", "--save", f"n_int={tmp_path}/saved"]
        if good:
            echo(*options)
            assert (tmp_path / "saved").read_text() == lines
        else:
            assert "2 nodes are called 'x'" in echo.refuses(*options)


def test_tables(echo, labelled, tmp_path):
    (tmp_path / "n").write_text("app 2.5\ncron NaN\nlibc6 -INF\nlibgcc 2.5\n")
    (tmp_path / "wide").write_text("".join(f"{v} -9223372036854775807\n" for v in ["app", "cron", "libc6", "libgcc"]))
    load = ["--load", f"n_double={tmp_path}/n", "--load", f"n_long={tmp_path}/wide"]
    order = lambda *options: [row["label"] for row in echo.json(labelled, *load, *options)["tables"][0]["rows"]]
    assert order("--by", "n_double") == ["app", "libgcc", "libc6", "cron"], "NaN last, ties in the order of nodes"
    assert order("--by", "n_double", "--ascending") == ["libc6", "app", "libgcc", "cron"]
    assert order("--by", "degree", "--top", 2) == ["app", "libgcc"]
    assert order("--top", 0) == []
    text = echo(labelled, *load, "--by", "n_double", "--ascending", "--top", 3).stdout
    assert max(map(len, text.splitlines()[1:])) <= 80
    assert "\nLowest n_double\n" in text
    table = text[text.index("Lowest n_double"):].splitlines()
    assert table[1].split() == ["node", "n_int", "n_long", "n_float", "n_double", "n_bool", "n_node"]
    assert table[2].split() == ["1", "libc6", "0", "-9223372036854775807", "0", "-INF", "False", "NIL"]
    assert [line.index(" -INF") for line in table if "-INF" in line] == [table[1].index("n_double") + 3], "aligned"
    assert table[5] == "" and table[6].split() == ["node", "n_edge", "degree"], "what has no room follows below"
    assert table[7].split() == ["1", "libc6", "NIL", "0"]


def test_long_labels_fit(atoll, echo, tmp_path):
    (tmp_path / "e.el").write_text("0 1\n")
    (tmp_path / "labels").write_text("é" * 100 + "\n" + "b" * 300 + "\n")
    atoll("graph", "convert", tmp_path / "e.el", "--labels", tmp_path / "labels", "-o", tmp_path / "g.atoll")
    text = echo(tmp_path / "g.atoll").stdout
    assert max(map(len, text.splitlines()[1:])) <= 80 and "é" * 19 + "…" in text


def test_csv_has_the_whole_table(echo, graph, tmp_path):
    file, labels = graph
    texts = values_of("node", 12, labels)
    (tmp_path / "n").write_text("".join(f"{word(v)} {t}\n" for v, t in zip(labels, texts)))
    echo(file, "--load", f"n_node={tmp_path}/n", "--csv", f"nodes={tmp_path}/nodes.csv", "--csv",
         f"edges={tmp_path}/edges.csv", "--top", 1)
    with open(tmp_path / "nodes.csv", newline="") as text:
        rows = list(csv.DictReader(text))
    quoted = [word(l) if l[0] == '"' or l == "NIL" else l for l in labels]
    assert [row["node"] for row in rows] == quoted
    assert [row["n_node"] for row in rows] == [
        t if t in ("NIL", '"NIL"') else quoted[list(map(word, labels)).index(t)] for t in texts]
    assert [int(row["degree"]) for row in rows] == [[v for v, _ in EDGES].count(i) for i in range(12)]
    with open(tmp_path / "edges.csv", newline="") as text:
        rows = list(csv.DictReader(text))
    assert [(row["from"], row["to"]) for row in rows] == [(quoted[v], quoted[w]) for v, w in EDGES]
    # A column of the table is an input of the next run; columns are identified by their names.
    echo(file, "--load", f"n_node={tmp_path}/nodes.csv", "--save", f"n_node={tmp_path}/again")
    assert (tmp_path / "again").read_text() == (tmp_path / "n").read_text()


def test_tables_of_other_programs_are_taken(echo, labelled, tmp_path):
    (tmp_path / "t.csv").write_text("\ufeffn_int;package;more\r\n1;app;x\r\n2;\"cron\";\r\n3; libc6 ;y\r\n4;libgcc;z\r\n")
    line = echo.refuses(labelled, "--load", f"n_int={tmp_path}/t.csv")
    assert "t.csv:2: there is no node '1'" in line, "without a column 'node' the first one is it"
    (tmp_path / "t.csv").write_text((tmp_path / "t.csv").read_text().replace("package", "node"))
    echo(labelled, "--load", f"n_int={tmp_path}/t.csv", "--save", f"n_int={tmp_path}/n")
    assert (tmp_path / "n").read_text() == "app 1\ncron 2\nlibc6 3\nlibgcc 4\n".replace(
        "cron 2\nlibc6 3\nlibgcc 4", "libc6 3\nlibgcc 4\ncron 2")


def test_sums_are_exact(echo, labelled, tmp_path):
    (tmp_path / "n").write_text("app 9007199254740993\ncron 1\nlibc6 -INF\nlibgcc INF\n")
    results = {r["name"]: r for r in echo.json(labelled, "--load", f"n_long={tmp_path}/n")["results"]}
    assert results["n_long"]["sum"] == 9007199254740993
    assert results["n_long"]["type"] == "Long" and results["e_int"]["of"] == "edges"
    assert "sum" not in results["n_node"]
    assert json.dumps(results["n_long"]["top"][1]["value"]) == "9007199254740993"


def test_the_help_names_inputs_and_results(echo):
    inputs, results = echo.program("--help").stdout.split("Inputs:\n")[1].split("Results:\n")
    assert ["node", "Node", "--arg"] in map(str.split, inputs.splitlines())
    assert ["e_long", "Edge_Prop<Long>", "--load"] in map(str.split, inputs.splitlines())
    assert "degree" not in inputs and "out_node" not in inputs
    assert ["sum", "Map<Node,", "Long>", "--save"] in map(str.split, results.splitlines())
    assert ["(returned)", "Long"] in map(str.split, results.splitlines())


def distinct_keys(kind, labels):
    """Returns keys of a map in order, as text: numbers ascending, nodes and edges by number, NIL last."""
    texts = [exact(kind, t) for t in dict.fromkeys(values_of(kind, 20, labels)) if t not in ("NaN", "-0")]
    if kind in ("node", "edge"):
        return texts[1:] + texts[:1]
    value = {"INF": math.inf, "-INF": -math.inf, "False": 0, "True": 1}
    return sorted(texts, key=lambda t: value.get(t) if t in value else float(t) if "e" in t or "." in t else int(t))


def test_collections_are_loaded_and_saved(echo, graph, tmp_path):
    file, labels = graph
    words = list(map(word, labels))
    items = {"Node_Set": words[2:9], "Node_Order": [words[i] for i in (7, 3, 11, 0)],
             "Node_Seq": [words[i] for i in (7, 3, 7, 7, 0, 3)]}
    options = []
    for name, lines in items.items():
        given = lines[::-1] if name == "Node_Set" else lines  # a set is saved in the order of nodes
        (tmp_path / name).write_text("\n".join(given))
        options += ["--load", f"{name}={tmp_path}/{name}", "--save", f"{name}={tmp_path}/{name}.csv"]
    report = echo.json(file, *options, "--save", f"sum={tmp_path}/sum", "--top", 3)
    collections = {c["name"]: c for c in report["collections"]}
    for name, lines in items.items():
        assert collections[name]["kind"] == name and collections[name]["size"] == len(lines)
        assert len(collections[name]["items"]) == 3
        again = tmp_path / f"{name}.txt"
        echo(file, "--load", f"{name}={tmp_path}/{name}.csv", "--save", f"{name}={again}")
        assert again.read_text().splitlines() == lines
    assert (tmp_path / "sum").read_text() == f"{words[0]} 1\n{words[3]} 2\n{words[7]} 3\n"
    assert collections["sum"]["items"][1]["value"] == 2
    text = echo(file, "--load", f"Node_Seq={tmp_path}/Node_Seq").stdout
    assert "\nNode_Seq: Node_Seq of 6 nodes\n" in text and "\nsum: Map of 3 keys\n" in text


def test_maps_of_all_types_are_loaded_and_saved(echo, graph, tmp_path):
    file, labels = graph
    texts, given, again = {}, [], []
    for key in TYPES:
        for value in TYPES:
            name = f"{key}_{value}"
            keys = distinct_keys(key, labels)
            values = [exact(value, text) for text in values_of(value, len(keys), labels, seed=3)]
            lines = [f"{k} {v}\n" for k, v in zip(keys, values)]
            texts[name] = "".join(lines)
            (tmp_path / name).write_text("".join(random.Random(4).sample(lines, len(lines))))
            given += ["--load", f"{name}={tmp_path}/{name}", "--save", f"{name}={tmp_path}/{name}.csv"]
            again += ["--load", f"{name}={tmp_path}/{name}.csv", "--save", f"{name}={tmp_path}/{name}.txt"]
    echo(file, *given)
    echo(file, *again)
    for name, text in texts.items():
        assert (tmp_path / f"{name}.txt").read_text() == text, name


def test_wrong_collections_are_refused(echo, labelled, tmp_path):
    for name, content, said in [
            ("Node_Set", "app\napp\n", "f:2: a second line for 'app'; a Node_Set has it once"),
            ("Node_Order", "app\nlibc6\napp\n", "f:3: a second line for 'app'; a Node_Order has it once"),
            ("Node_Seq", "app\nlibc5\n", "f:2: there is no node 'libc5'"),
            ("float_int", "NaN 1\n", "f:1: NaN is no key"),
            ("node_int", "app 1\napp 2\n", "f:2: a second line for 'app'")]:
        (tmp_path / "f").write_text(content)
        assert said in echo.refuses(labelled, "--load", f"{name}={tmp_path}/f")
    for option in ["--load", "--save"]:
        assert "'Node_Set' is a collection" in echo.refuses(labelled, option, "Node_Set=f.bin")
    assert "'sum' is not an input of echo" in echo.refuses(labelled, "--load", "sum=f")
