"""Input files of a graph program: mistakes are reported with their line, and values stored in the graph are
inputs, too."""

import pytest

WRONG = {  # name of the file, content, message
    "missing node": ("n_int", "f", "app 1\nlibc6 2\nlibgcc 3\n", "f: no line for node 'cron'; each node has one"),
    "missing nodes": ("n_int", "f", "", "f: no line for node 'app', and for 3 more; each node has one"),
    "unknown node": ("n_int", "f", "app 1\nlibc5 2\n", "f:2: there is no node 'libc5' in the graph; near it: 'libc6'"),
    "second line": ("n_int", "f", "app 1\nlibc6 2\n\napp 3\n", "f:4: a second line for node 'app'"),
    "word for a number": ("n_int", "f", "app x\n", "f:1: 'x' is not an Int (32 bits); write a whole number"),
    "fraction": ("n_int", "f", "app 1.5\n", "f:1: '1.5' is not an Int"),
    "long for an int": ("n_int", "f", "app 2147483648\n", "f:1: '2147483648' is not an Int (32 bits); the program could take a Long"),
    "beyond a long": ("n_long", "f", "app 9223372036854775808\n", "f:1: '9223372036854775808' is not a Long"),
    "beyond a double": ("n_double", "f", "app 1e999\n", "f:1: '1e999' is not a Double"),
    "number for a bool": ("n_bool", "f", "app 2\n", "f:1: '2' is not a Bool; write True or False"),
    "nil for a node": ("n_int", "f", "NIL 1\n", "f:1: NIL is no node"),
    "no value": ("n_int", "f", "app\n", "f:1: the line ends before an Int"),
    "two values": ("n_int", "f", "app 1 2\n", "f:1: '2' is too much; write 'label value' a line"),
    "open quote": ("n_int", "f", '"app 1\n', "f:1: a quote that isn't closed"),
    "quote and more": ("n_int", "f", '"app"x 1\n', "f:1: a quote that isn't closed, or with text behind it"),
    "unknown node as value": ("n_node", "f", "app nobody\n", "f:1: there is no node 'nobody'"),
    "no such edge as value": ("n_edge", "f", "app libc6 app\n", "f:1: there is no edge from 'libc6' to 'app'"),
    "lone carriage return": ("n_int", "f", "app\r1\n", "f:1: a carriage return"),
    "no such column": ("n_int", "f.csv", "node,x\napp,1\n", "f.csv:1: no column 'n_int'; its columns are node, x"),
    "short row": ("n_int", "f.csv", "node,x,n_int\napp,1\n", "f.csv:2: 2 columns, and there is none of 'n_int'"),
    "csv quote": ("n_int", "f.csv", 'node,n_int\n"app,1\n', "f.csv:2: a quote that isn't closed"),
    "empty table": ("n_int", "f.csv", "", "f.csv: no line with the columns' names"),
    "missing edge": ("e_int", "f", "app libc6 1\n", "f: no line for edge 'app libgcc', and for 2 more"),
    "no such edge": ("e_int", "f", "libc6 app 1\n", "f:1: there is no edge from 'libc6' to 'app'"),
    "second line for an edge": ("e_int", "f", "app libc6 1\napp libc6 1\n", "f:2: a second line for edge 'app libc6'"),
    "short binary": ("n_int", "f.bin", "123", "f.bin: has less than 16 bytes; it has 4 bytes for each of 4 nodes"),
    "long binary": ("n_int", "f.bin", "x" * 17, "f.bin: has more than 16 bytes"),
    "no bool": ("n_bool", "f.bin", "\0\1\2\0", "f.bin: element 2 is neither 0 nor 1"),
    "no node": ("n_node", "f.bin", "\4\0\0\0" * 4, "f.bin: element 0 is no node"),
    "no edge": ("e_edge", "f.bin", "\3\0\0\0" * 3 + "\4\0\0\0", "f.bin: element 3 is no edge"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_file_is_refused(echo, labelled, tmp_path, what):
    name, file, content, said = WRONG[what]
    (tmp_path / file).write_bytes(content.encode("latin-1"))
    line = echo.refuses(labelled, "--load", f"{name}={tmp_path / file}", "--save", f"degree={tmp_path}/out")
    assert f"{tmp_path}/{said}" in line
    assert not (tmp_path / "out").exists()


def test_wrong_options_are_refused(echo, labelled, tmp_path):
    refuses = [
        (["--load", "x=f"], "'x' is not an input of echo; it has n_int, n_long"),
        (["--load", "degree=f"], "'degree' is not an input"),
        (["--load", f"n_int={tmp_path}/none"], f"{tmp_path}/none"),
        (["--load", "n_int=f", "--load", "n_int=g"], "'n_int' is given twice"),
        (["--load", "n_int"], "has no '='"),
        (["--save", "begin=f"], "'begin' is not a result of echo"),
        (["--save", f"n_int={tmp_path}/no/such/folder"], "no/such/folder"),
        (["--save", "n_int=f", "--save", "degree=f"], "two outputs can't be written to one file"),
        (["--by", "x"], "'x' is not a property that echo gives"),
        (["--csv", "f"], "results of nodes and of edges; write --csv nodes=f"),
        (["--csv", "nodes=f", "--csv", "nodes=g"], "given twice"),
        (["--time-limit", "0"], "'0' is not a number above 0"),
        (["--time-limit", "soon"], "'soon' is not"),
        (["--seed", "-1"], "'-1' is not a whole number"),
    ]
    for options, said in refuses:
        assert said in echo.refuses(labelled, *options), options
    line = echo.refuses(labelled, arguments={"out_int": 1})
    assert "echo has no argument 'out_int'" in line


def test_what_cannot_be_written_is_told_before_the_run(echo, labelled, tmp_path):
    """A run of hours must not fail at its end because a folder is missing."""
    options = ["--save", f"degree={tmp_path}/no/such", "--time-limit", 20]
    assert "no/such" in echo.refuses(labelled, *options, arguments={"spin": 1})


def test_values_in_the_graph_fill_an_input(atoll, echo, tmp_path):
    (tmp_path / "roads.csv").write_text("a,b,len,big,w,flag\nx,y,3,9007199254740993,0.1,1\ny,x,-4,-9223372036854775807,2.5,0\nx,y,7,1,1,1\n")
    values = [w for value in ["e_int=len", "e_long=big", "e_double=w", "e_float=w", "e_bool=flag", "n_int=len", "e_node=len"][:6]
              for w in ("--value", value)]
    call = ["graph", "convert", tmp_path / "roads.csv", "--columns", "a,b", "--relabel", *values]
    atoll(*call, "-o", tmp_path / "g.atoll")
    rows = {(row["from"], row["to"]): row["values"] for row in echo.json(tmp_path / "g.atoll")["tables"][1]["rows"]}
    nothing = {"e_node": "NIL", "e_edge": "NIL"}
    assert rows == {
        ("x", "y"): {"e_int": 3, "e_long": 9007199254740993, "e_double": 0.1, "e_float": 0.1, "e_bool": True, **nothing},
        ("y", "x"): {"e_int": -4, "e_long": -9223372036854775807, "e_double": 2.5, "e_float": 2.5, "e_bool": False, **nothing},
    }, "of edges that are merged the first one's values stay"
    assert all(row["values"]["n_int"] == 0 for row in echo.json(tmp_path / "g.atoll")["tables"][0]["rows"])
    atoll(*call, "--keep-duplicates", "-o", tmp_path / "both.atoll")
    rows = echo.json(tmp_path / "both.atoll", "--by", "e_int")["tables"][1]["rows"]
    assert [(row["edge"], row["values"]["e_int"]) for row in rows] == [(1, 7), (0, 3), (2, -4)]
    # --load takes precedence.
    (tmp_path / "lengths").write_text("y x 1\nx y 2\n")
    rows = echo.json(tmp_path / "g.atoll", "--load", f"e_int={tmp_path}/lengths")["tables"][1]["rows"]
    assert {row["from"]: row["values"]["e_int"] for row in rows} == {"x": 2, "y": 1}


@pytest.mark.parametrize("name, value, said", [
    ("e_int", "3.5", "e_int of edge '0 1' is 3.5, which is not an Int (32 bits); declare it as Edge_Prop<Double>"),
    ("e_int", "2147483648", "which is not an Int"), ("e_long", "1e19", "which is not a Long"), ("e_bool", "2", "not a Bool"),
    ("e_node", "1", "which is not a node"), ("e_edge", "0", "which is not an edge")])
def test_values_that_do_not_fit_are_refused(atoll, echo, tmp_path, name, value, said):
    (tmp_path / "g.el").write_text(f"0 1 {value}\n")
    atoll("graph", "convert", tmp_path / "g.el", "--value", f"{name}=3", "-o", tmp_path / "g.atoll")
    line = echo.refuses(tmp_path / "g.atoll")
    assert f"{tmp_path}/g.atoll: " in line and said in line


def test_values_of_a_matrix_fill_an_input(atoll, echo, tmp_path):
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 0.5\n3 2 4\n")
    atoll("graph", "convert", tmp_path / "m.mtx", "--value", "e_double=3", "-o", tmp_path / "m.atoll")
    rows = echo.json(tmp_path / "m.atoll")["tables"][1]["rows"]
    assert {(row["from"], row["to"]): row["values"]["e_double"] for row in rows} == {
        ("0", "1"): -0.5, ("1", "0"): 0.5, ("1", "2"): -4, ("2", "1"): 4}
