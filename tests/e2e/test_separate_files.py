"""No verb writes to a file that it reads or runs, under any name: the call is refused, and the file is kept."""

import json
import re
import shutil
import subprocess

import pytest

# Each call, with {} for the file to write, and the file that the call reads or runs. Other words in braces
# are files of the fixture, or of the test if they begin with "out".
CALLS = [
    ("machine --machine {m.json} -o {}", "m.json"),
    ("compile {hops.gm} -o {}", "hops.gm"),
    ("compile {hops.gm} --patterns -o {}", "hops.gm"),
    ("graph generate uniform --scale 4 -o {}", "atoll"),
    ("graph convert {g.el} -o {}", "g.el"),
    ("graph convert {g.el} -o {} --labels {names}", "names"),
    ("graph convert {ids.el} --relabel --vertices {ids} -o {}", "ids"),
    ("run {hops.gm} --graph {g.el} --arg root=0 --save dist={}", "g.el"),
    ("run {hops.gm} --graph {g.el} --arg root=0 --save dist={}", "hops.gm"),
    ("run {hops.gm} --graph {g.el} --arg root=0 --csv {}", "g.el"),
    ("run {hops.gm} --graph {g.el} --arg root=0 --dry-run --csv {}", "hops.gm"),
    ("run {weigh.gm} --graph {g.el} --load w={w} --save w={}", "w"),
    ("profile --frontend dbi -o {} -- {pg}", "pg"),
    ("profile --frontend dbi -o {} -- sh {script}", "script"),
    ("profile --frontend dbi --machine {m.json} -o {} -- {pg}", "m.json"),
    ("trace --frontend dbi -o {} -- {pg}", "pg"),
    ("trace --frontend dbi -o {} -- sh {script}", "script"),
    ("report {p} --html {}", "p"),
    ("report {p} --machine {m.json} --html {}", "m.json"),
    ("advise {p} -o {}", "p"),
    ("advise {p} --machine {m.json} -o {}", "m.json"),
    ("advise {p} --on {q} -o {}", "q"),
    ("schedule {g.graph} -o {}", "g.graph"),
    ("schedule {g.graph} --dot {}", "g.graph"),
    ("schedule {g.graph} --metis {}", "g.graph"),
    ("schedule {g.graph} --machine {m.json} -o {}", "m.json"),
    ("schedule {p} -o {}", "p"),
    ("schedule {t} -o {}", "t"),
    ("schedule --frontend dbi -o {} -- {tasks}", "tasks"),
    ("schedule --frontend dbi --metis {} -- {tasks}", "tasks"),
    ("schedule --frontend dbi --kernel-threads -o {} -- {tasks}", "tasks"),
    ("reorder {g.graph} -o {}", "g.graph"),
    ("reorder {g.graph} -o {out.graph} --rows {}", "g.graph"),
    ("reorder {g.graph} -o {out.graph} --columns {}", "g.graph"),
    ("reorder {g.graph} --machine {m.json} -o {}", "m.json"),
]
# Options that write, as named in --help; each verb that has one has rows above.
WRITES = ("-o,--output", "--save", "--csv", "--html", "--dot", "--metis", "--rows", "--columns FILE")

HOPS = """Procedure hops(G: Graph, root: Node; dist: N_P<Int>) {
  Foreach (n: G.Nodes) n.dist = (n == root) ? 0 : 1;
}
"""
WEIGH = """Procedure weigh(G: Graph, w: N_P<Int>) {
  Foreach (n: G.Nodes) n.w = n.w + 1;
}
"""
TASKS = r"""
#include <atoll/marks/marks.h>
#include <stdlib.h>
int main(void) {
  double* x = calloc(65, sizeof *x);
  const struct atoll_loop loop = {"pairs", 64, 1, 0};
  const struct atoll_tasks mine = atoll_my_tasks(&loop, 0, 1);
  for (uint64_t k = 0; k < mine.count; ++k) {
    const uint64_t task = atoll_task_at(&mine, k);
    atoll_mark_task_begin(loop.name, task);
    x[task] += 1;
    x[task + 1] += 1;
    atoll_mark_task_end();
  }
  return x[1] == 2 ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def inputs(atoll, source, tmp_path_factory):
    """A folder of files that the calls read or run."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "g.graph").write_text("4 4\n2 4\n1 3\n2 4\n1 3\n")
    (folder / "g.el").write_text("0 1\n1 2\n2 3\n")
    (folder / "names").write_text("a\nb\nc\nd\n")
    (folder / "ids").write_text("7\n9\n12\n")
    (folder / "ids.el").write_text("7 9\n")
    (folder / "w").write_text("0 1\n1 2\n2 3\n3 4\n")
    (folder / "hops.gm").write_text(HOPS)
    (folder / "weigh.gm").write_text(WEIGH)
    (folder / "script").write_text("exit 0\n")
    (folder / "tasks.c").write_text(TASKS)
    subprocess.run(["gcc", "-O1", "-I", source / "include", folder / "tasks.c", "-o", folder / "tasks"], check=True)
    shutil.copy(folder / "tasks", folder / "pg")
    shutil.copy(atoll.program, folder / "atoll")
    atoll("machine", "--machine", "xeon-2x10", "-o", folder / "m.json")
    atoll("profile", "--frontend", "dbi", "-o", folder / "p", "--", folder / "pg")
    shutil.copy(folder / "p", folder / "q")
    atoll("trace", "--frontend", "dbi", "-o", folder / "t", "--", folder / "pg")
    return folder


def words_of(call, output, inputs, folder):
    def path(match):
        name = match[1]
        return str(output if not name else folder / name if name.startswith("out") else inputs / name)

    return [re.sub(r"\{(.*?)\}", path, word) for word in call.split()]


@pytest.mark.parametrize("name", ["itself", "symbolic link", "hard link", "another path"])
@pytest.mark.parametrize("call, read", CALLS)
def test_a_file_that_is_read_or_run_is_not_written(atoll, inputs, tmp_path, call, read, name):
    target = inputs / read
    output = {"itself": target, "another path": inputs / ".." / inputs.name / read}.get(name, tmp_path / f"link-{read}")
    if name == "symbolic link":
        output.symlink_to(target)
    elif name == "hard link":
        output.hardlink_to(target)
    before = {file: file.read_bytes() for file in inputs.iterdir()}
    call_atoll = atoll if read != "atoll" else type(atoll)(target, atoll.cache)
    line = call_atoll.refuses(*words_of(call, output, inputs, tmp_path))
    assert read in line and ("same file" in line or "input" in line or "program that runs" in line or
                             "not a name that --machine" in line), line
    assert {file: file.read_bytes() for file in inputs.iterdir()} == before
    assert not list(tmp_path.glob("out*"))
    assert name != "symbolic link" or output.is_symlink()


@pytest.mark.parametrize("call, read", CALLS)
def test_the_same_calls_write_elsewhere(atoll, inputs, tmp_path, call, read):
    endings = {"machine": ".json", "reorder": ".graph"}
    output = tmp_path / f"fresh{endings.get(call.split()[0], '.atoll')}"
    atoll(*words_of(call, output, inputs, tmp_path))
    assert output.exists() or "--dry-run" in call


def test_two_outputs_are_two_files(atoll, inputs, tmp_path):
    for other in (tmp_path / "y", tmp_path / "z" / ".." / "y"):
        line = atoll.refuses("reorder", inputs / "g.graph", "-o", tmp_path / "y", "--rows", other)
        assert "two outputs can't be written to one file" in line
        atoll.refuses("schedule", inputs / "g.graph", "--dot", tmp_path / "y", "--metis", other)
        atoll.refuses("reorder", inputs / "g.graph", "-o", tmp_path / "z", "--rows", tmp_path / "y", "--columns", other)
        assert not (tmp_path / "y").exists()


def test_a_preset_is_no_file(atoll, inputs, tmp_path):
    for _ in range(2):  # the second time, a file with the preset's name exists
        atoll("schedule", inputs / "g.graph", "--machine", "xeon-2x10", "-o", "xeon-2x10", cwd=tmp_path)


def test_an_input_on_standard_input_is_kept(atoll, inputs, tmp_path):
    shutil.copy(inputs / "g.graph", tmp_path / "g")
    with open(tmp_path / "g") as file:
        assert "standard input" in atoll.refuses("schedule", "-", "-o", tmp_path / "g", stdin=file)
    assert (tmp_path / "g").read_bytes() == (inputs / "g.graph").read_bytes()


def test_a_command_in_the_path_is_kept(atoll, inputs, tmp_path, monkeypatch):
    shutil.copy(inputs / "pg", tmp_path / "pg")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert "pg" in atoll.refuses("profile", "--frontend", "dbi", "-o", tmp_path / "pg", "--", "pg")
    assert (tmp_path / "pg").read_bytes() == (inputs / "pg").read_bytes()


def test_a_library_does_not_replace_its_program(atoll, inputs, tmp_path):
    (tmp_path / "libhops.h").write_text(HOPS)
    atoll.refuses("compile", tmp_path / "libhops.h", "--shared", "-o", tmp_path / "libhops.so")
    assert (tmp_path / "libhops.h").read_text() == HOPS and not (tmp_path / "libhops.so").exists()


def test_every_verb_that_writes_is_in_the_table(atoll):
    def help_of(*verb):
        return atoll(*verb, "--help").stdout

    verbs = re.findall(r"^  ([a-z]+)  ", help_of().split("Subcommands:")[1], re.M)
    assert len(verbs) > 10
    verbs = [verb for verb in verbs if verb != "graph"] + ["graph generate", "graph convert", "graph info"]
    for verb in verbs:
        for option in WRITES:
            if re.search(rf"^ +{re.escape(option)}", help_of(*verb.split()), re.M):
                short = option.split(",")[0].split()[0]
                rows = [call for call, _ in CALLS if call.startswith(verb) and re.search(rf"{short} (\S+=)?{{}}", call)]
                assert rows or (verb, short) == ("graph info", "--columns"), f"{verb} {option} has no row"


@pytest.mark.parametrize("call", ["report {p} --html {} --by place", "advise {p} -o {} --on {g.el}"])
def test_a_refused_call_writes_nothing(atoll, inputs, tmp_path, call):
    atoll.refuses(*words_of(call, tmp_path / "out", inputs, tmp_path))
    assert not (tmp_path / "out").exists()
