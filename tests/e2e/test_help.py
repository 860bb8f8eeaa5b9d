"""`atoll help VERB`, suggestions for misspelled words, and the names of options."""

import re

import pytest
from test_help_examples import HELPS, help_of


@pytest.mark.parametrize("words", ["", "report", "graph", "graph convert", "run", "run --", "schedule --"])
def test_help_of_a_verb(atoll, words):
    verb, dashes = words.removesuffix("--").split(), ["--"] if words.endswith("--") else []
    assert atoll("help", *verb, *dashes).stdout == atoll(*verb, "--help", *dashes).stdout


def test_help_of_no_verb(atoll):
    assert atoll.refuses("help", "nothing").startswith("atoll: nothing: is no verb; the verbs are machine, ")


@pytest.mark.parametrize("call, line", [
    ("reprot p", "reprot: is no verb; did you mean report?"),
    ("graph convrt a -o b", "'convrt' is no verb of graph, did you mean convert?"),
    ("graph nothing a -o b", "'nothing' is no verb of graph, which has generate, convert, info"),
    ("report p --machin=x", "not expected: --machin=x, did you mean --machine?"),
    ("report --jsn p", "not expected: --jsn, did you mean --json?"),
    ("report p --nothing-like-it", "not expected: --nothing-like-it; see 'atoll report --help'"),
])
def test_suggestions(atoll, call, line):
    assert line in atoll.refuses(*call.split())


def described(text):
    """Returns {option's name: name of its value} of a help text."""
    lines = re.findall(r"^ {2,6}((?:-\w,)?--[\w-]+)(?: ([^\s:={]+))?", text, re.M)
    return {name.split(",")[-1]: value for name, value in lines}


def test_programs_and_commands_have_help_of_their_own(atoll):
    programs, commands = (set(described(help_of(atoll, words))) for words in ("run", "run --"))
    assert {"--graph", "--arg", "--layout-policy", "--dry-run", "--cxx"} <= programs - commands
    assert {"--plan", "--policy", "--schedule", "--strict", "--always"} == commands - programs
    assert commands & programs == {"--help", "--json"}
    for text in (help_of(atoll, "run"), help_of(atoll, "run --")):
        assert max(map(len, text.splitlines())) <= 80


# Options whose values, listed in place of a name, differ from verb to verb.
LISTS = {"--frontend", "--patterns"}


def test_an_option_has_one_meaning(atoll):
    meanings = {}
    for words in HELPS:
        for name, value in described(help_of(atoll, words)).items():
            meanings.setdefault(name, {}).setdefault(value, []).append(words)
    assert len(meanings) > 60
    assert {name: found for name, found in meanings.items() if len(found) > 1 and name not in LISTS} == {}


def test_the_help_has_words_for_people(atoll):
    for words in HELPS:
        for raw in ("Excludes:", "Needs:", "[Option Group", " TEXT", "UINT", "INT in", "FLOAT"):
            assert raw not in help_of(atoll, words), words


def test_former_names_are_accepted_and_hidden(atoll, tmp_path):
    (tmp_path / "p.gm").write_text("Procedure p(G: Graph; deg: N_P<Int>) {\n  Foreach (n: G.Nodes) n.deg = n.Degree();\n}\n")
    (tmp_path / "g.graph").write_text("3 2\n2\n1 3\n2\n")
    call = ("run", "p.gm", "--graph", "g.graph")
    new = atoll.json(*call, "--order-by", "deg", "--backend", "portable", "--layout-policy", "shoal", cwd=tmp_path)
    old = atoll.json(*call, "--by", "deg", "--memory", "portable", "--policy", "shoal", cwd=tmp_path)
    assert new["policy"] == old["policy"] == "shoal"
    assert new["results"] == old["results"]
    for names in (("--row-order", "--column-order"), ("--rows", "--columns")):
        atoll("reorder", "g.graph", "-o", "h.graph", names[0], "rows.txt", names[1], "columns.txt", cwd=tmp_path)
        assert (tmp_path / "rows.txt").read_text() == (tmp_path / "columns.txt").read_text() != ""
    listed = atoll("help", "run").stdout + atoll("help", "reorder").stdout
    for name in ("--by ", "--memory", "--rows", "--columns"):
        assert name not in listed
