"""Messages of `atoll compile` and `atoll run` about programs: for people, for editors, and as errors with -Werror."""

import json
import shutil
import subprocess

WRONG = """Procedure p(G: Graph; x: N_P<Int>) {
  G.x = 1.5;
  n = 2;
  G.y = 2;
}
"""
SAID = [
    "2:9: warning: a Double loses its fraction as 'G.x', an Int; write (Int) before it if this is meant",
    "3:3: 'n' is not declared; declare it before it is used",
    "4:5: 'y' is no property; declare it: Node_Prop<Double> name;",
]
DOUBTFUL = "Procedure p(G: Graph; x: N_P<Int>) {\n  G.x = 1.5;\n}\n"


def write(folder, text):
    program = folder / "p.gm"
    program.write_text(text)
    return program


def lines(said, program):
    return [f"atoll: {program}:{line}" for line in said]


def test_all_mistakes_are_told_in_order(atoll, tmp_path):
    program = write(tmp_path, WRONG)
    for verb in (["compile"], ["run", "--graph", "no.el"]):
        done = atoll(verb[0], program, *verb[1:], check=False)
        assert done.returncode == 2 and done.stdout == ""
        assert done.stderr.splitlines() == lines(SAID, program)


def test_editors_get_json(atoll, tmp_path):
    program = write(tmp_path, WRONG)
    done = atoll("compile", "--json", "--patterns", program, check=False)
    assert done.returncode == 2 and done.stderr == ""
    answer = json.loads(done.stdout)
    assert answer["source"] == str(program)
    assert answer["diagnostics"][0] == {
        "file": str(program), "line": 2, "column": 9, "severity": "warning",
        "message": "a Double loses its fraction as 'G.x', an Int",
        "way_out": "write (Int) before it if this is meant"}
    assert [(one["line"], one["column"], one["severity"]) for one in answer["diagnostics"]] == [
        (2, 9, "warning"), (3, 3, "error"), (4, 5, "error")]
    done = atoll("compile", "--json", "--patterns", write(tmp_path, DOUBTFUL))
    assert done.stderr == ""
    answer = json.loads(done.stdout)
    assert [one["severity"] for one in answer["diagnostics"]] == ["warning"]
    assert answer["arrays"][0]["name"] == "x"


def test_warnings_are_told_or_refused(atoll, tmp_path):
    program = write(tmp_path, DOUBTFUL)
    done = atoll("compile", "--emit-cpp", program)
    assert done.stderr.splitlines() == lines(SAID[:1], program)
    error = lines([SAID[0].replace("warning: ", "")], program)
    for call in (["compile", "--emit-cpp", program, "-Werror"], ["run", "-Werror", program, "--graph", "no.el"]):
        done = atoll(*call, check=False)
        assert done.returncode == 2 and done.stdout == ""
        assert done.stderr.splitlines() == error
    done = atoll("compile", program, "-Wall", check=False)
    assert done.returncode == 2 and "-W: all not in {error}" in done.stderr


def test_options_of_the_compiler_stay_with_it(atoll, tmp_path):
    """A compiled program doesn't have --proc and similar options."""
    program = write(tmp_path, "Proc a(G: Graph) : Int { Return 1; }\nProc b(G: Graph) : Int { Return [2]; }\n")
    graph = tmp_path / "g.el"
    graph.write_text("0 1\n")
    done = atoll("run", program, "--graph", graph, "--proc", "b", "-Werror")
    assert "2" in done.stdout and done.stderr == ""
    done = atoll("run", program, "--graph", graph, "--proc", "b", "--no-foreign", check=False)
    assert done.returncode == 2 and done.stderr.startswith(f"atoll: {program}:2:"), done.stderr
    done = atoll("compile", program, "--proc", "c", check=False)
    assert done.returncode == 2 and "there is no procedure 'c'; it has a, b" in done.stderr


def test_a_file_that_is_no_program_ends_soon_in_one_line(atoll, tmp_path, processor_seconds):
    program = tmp_path / "long.gm"
    program.write_bytes(b"(" * 10_000_000)
    before = processor_seconds()
    said = atoll.refuses("compile", program)
    assert processor_seconds() - before < 1
    assert said == f"atoll: {program}:1:1: this is longer than 4 MiB; name a Green-Marl program"
    program.write_bytes(b"Procedure p(G: Graph) { Int a = " + b"(" * 1_000_000)
    assert atoll.refuses("compile", program) == (
        f"atoll: {program}:1:232: this is nested too deeply; at most 200 levels; split it up")


def test_our_programs_give_one_warning_at_most(atoll, source):
    warned = {}
    for program in sorted((source / "apps/greenmarl").glob("*.gm")):
        said = atoll("compile", "--emit-cpp", program).stderr.splitlines()
        if said:
            warned[program.name] = len(said)
    assert warned == {"hop_dist.gm": 1}


def test_errors_in_foreign_text_name_the_programs_line(atoll, source, tmp_path):
    """After the foreign text, line numbers refer to the C++ file again."""
    program = write(tmp_path, "Procedure p(G: Graph) : Int {\n  Int a = 1;\n\n  [ int b = nothing_here; ]\n"
                              "  Return a;\n}\n")
    line = atoll.refuses("compile", program, "-o", tmp_path / "p", code=1)
    assert "p.gm:4:13: error: " in line and "nothing_here" in line
    value = write(tmp_path, "Procedure p(G: Graph; x: N_P<Int>(G)) {\n  Foreach (n: G.Nodes) {\n"
                            "    n.x = 2 +\n      [ nothing_here ($n) ];\n  }\n}\n")
    line = atoll.refuses("compile", value, "-o", tmp_path / "p", code=1)
    assert "p.gm:4:9: error: " in line and "nothing_here" in line
    code = tmp_path / "p.cpp"
    code.write_text(atoll("compile", "--emit-cpp", value).stdout.replace("int main(", "int main(nothing_there, "))
    broken = code.read_text().splitlines().index(next(text for text in code.read_text().splitlines()
                                                      if "nothing_there" in text)) + 1
    for compiler in filter(shutil.which, ["g++", "clang++", "clang++-16"]):
        done = subprocess.run([compiler, "-std=c++20", "-I", source / "include", "-fsyntax-only", code],
                              capture_output=True, text=True)
        assert f"p.cpp:{broken}:" in done.stderr, compiler
