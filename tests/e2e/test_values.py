"""Values of options, of every verb and application: empty ones are refused, and numbers are parsed strictly. The
options are those listed by --help."""

import os
import re
import subprocess

import pytest

VERBS = ["machine", "compile", "graph generate", "graph convert", "graph info", "run", "profile", "trace", "report",
         "diff", "advise", "schedule", "reorder", "simulate"]
# Verbs whose options differ if a command follows "--".
COMMANDS = ["run", "schedule", "simulate"]
APPS = ["cloverleaf2d", "cloverleaf3d", "irreg", "matmul", "radix", "spmm", "spmv", "streamcluster", "taylor-green"]
PROGRAM = "compiled program"
CALLS = VERBS + [f"{verb} --" for verb in COMMANDS] + APPS + [PROGRAM]
# Words for numbers in --help. M is also used for a machine.
WHOLE = {"N", "E", "S", "W", "Z"}
REAL = {"R", "T", "M", "SECONDS", "PERCENT"}
NOT_NUMBERS = {"--machine", "--frame-range"}
# Numbers that only a lenient parser accepts.
WRONG = ["-1", "99999999999999999999", "1e3x", "0x10", " 1", "1 ", "nan", "inf", "-inf", "NAN", "1,5", "-"]
WRONG_WHOLE = [*WRONG, "1.5", "010", "1e3"]
WRONG_REAL = [word for word in WRONG if word != "99999999999999999999"] + ["1e999"]


@pytest.fixture(scope="module")
def compiled_program(atoll, source, tmp_path_factory):
    file = tmp_path_factory.mktemp("program") / "hop_dist"
    atoll("compile", source / "apps/greenmarl/hop_dist.gm", "-o", file)
    return file


@pytest.fixture
def call(request, atoll, build, tmp_path):
    """Runs a verb or an application with these words, in a folder that must remain empty."""
    which = request.param

    def run(*words):
        if which == PROGRAM:
            command = [request.getfixturevalue("compiled_program"), *words]
        elif which in APPS:
            command = [build / "apps" / which, *words]
        elif which.endswith(" --"):
            command = [atoll.program, which[:-3], *words, "--", "true"]
        else:
            command = [atoll.program, *which.split(), *words]
        environment = dict(os.environ, XDG_CACHE_HOME=str(atoll.cache))
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60,
                              cwd=tmp_path, env=environment)
        assert os.listdir(tmp_path) == []
        return done

    return run


def options_of(text):
    """Returns pairs of an option's name in messages and the word for its value."""
    found = re.findall(r"^  ((?:-\w,)?--[\w-]+(?:,--[\w-]+)*|-\w) (\S+)", text, re.MULTILINE)
    name = lambda names: next((one for one in names.split(",") if one.startswith("--")), names)
    return [(name(names), re.split("[=:]", word)[0]) for names, word in found if not word.endswith(":")]


def refused(done, name, words):
    lines = done.stderr.splitlines()
    assert done.returncode == 2 and len(lines) == 1, f"{words}: exit {done.returncode}: {done.stderr}"
    assert name in lines[0], f"{words}: {lines[0]}"
    return lines[0]


@pytest.mark.parametrize("call", CALLS, indirect=True, ids=CALLS)
def test_no_value_is_empty(call):
    options = options_of(call("--help").stdout)
    for name, _ in options:
        for words in ([name, ""], [f"{name}="]) if name.startswith("--") else ([name, ""],):
            assert "empty" in refused(call(*words), name, words)


@pytest.mark.parametrize("call", CALLS, indirect=True, ids=CALLS)
def test_numbers_are_read_strictly(call):
    text = call("--help").stdout
    assert not re.search(r"\b(INT|UINT|FLOAT|NUMBER)\b", text), "each number has a word of its own"
    for name, word in options_of(text):
        if name in NOT_NUMBERS or word not in WHOLE | REAL:
            continue
        for wrong in WRONG_WHOLE if word in WHOLE else WRONG_REAL:
            refused(call(name, wrong), name, [name, wrong])


def test_an_unset_variable_runs_nothing(atoll, tmp_path):
    ran = tmp_path / "ran"
    for option in ("--plan", "--policy", "--schedule"):
        assert option in atoll.refuses("run", option, "", "--", "touch", ran)
    assert not ran.exists()
    # A command's words may be empty.
    assert atoll("run", "--policy", "os", "--", "echo", "a", "", "b").stdout == "a  b\n"


@pytest.mark.parametrize("verb", ["profile", "trace", "run", "simulate"])
def test_words_of_a_command_stay_as_they_are(atoll, tmp_path, verb):
    words = ["[a,b]", "", "[]", "c d", "[e]", "--json", "--", "-o"]
    options = {"run": ["--policy", "os"], "simulate": ["--machine", "hbm-2s"]}.get(
        verb, ["--frontend", "dbi", "-o", tmp_path / "p"])
    done = atoll(verb, *options, "--", "printf", "<%s>", *words)
    assert done.stdout.startswith("".join(f"<{word}>" for word in words))


def test_positionals_are_not_empty(atoll, build):
    for verb in ("report", "advise", "reorder", "schedule", "simulate", "run", "compile", "graph info"):
        assert "empty" in atoll.refuses(*verb.split(), "")
    done = subprocess.run([build / "apps/cloverleaf2d", ""], capture_output=True, text=True)
    assert "DECK: the value is empty" in refused(done, "DECK", "")


def test_frame_ranges_are_numbers(build, tmp_path):
    for wrong in ("nan,1", "0,inf", "0,", ",", "0,1,2", "0x1,2"):
        done = subprocess.run([build / "apps/taylor-green", "--frame-range", wrong, "--output", tmp_path],
                              capture_output=True, text=True, timeout=60)
        refused(done, "--frame-range", wrong)


def test_seeds_are_all_different(build):
    """A parser that wraps, saturates or accepts octal numbers would treat some of these seeds as equal."""
    def answer(seed):
        return subprocess.run([build / "apps/spmv", "--mesh", "100", "--seed", seed, "--iterations", "1",
                               "--format", "ccs", "--updates", "private"],
                              capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    assert len({answer(seed) for seed in ("8", "10", "18446744073709551615", "9223372036854775807")}) == 4


def test_one_set_of_checks(source):
    """CLI11's own checks of numbers are not used, as NaN passes their ranges. Only the module options
    includes CLI11."""
    for folder in ("src", "include", "apps"):
        for file in (source / folder).rglob("*.[ch]pp"):
            if file.parent != source / "src/options":
                assert "<CLI/" not in file.read_text(), f"{file}: use atoll/options/command.hpp"


def test_one_file_includes_the_json_library(source):
    """nlohmann-json takes 8 s to compile in each file that includes it; atoll/base/json.hpp doesn't include it."""
    including = [file.relative_to(source) for folder in ("src", "include", "apps", "bench")
                 for file in (source / folder).rglob("*.[ch]pp") if "<nlohmann/" in file.read_text()]
    assert [str(file) for file in including] == ["src/base/json_text.cpp"]
