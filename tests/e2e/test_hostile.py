"""tools/hostile finds each kind of injected fault, and its calls are determined by the seed."""

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from hostile_parts import calls, checks, environments, help_text, sandbox  # noqa: E402

# A program with one verb. If a value is odd, that is, if the call is hostile, the program breaks the rule
# that FAULT names. Otherwise it follows all rules.
PROGRAM = r'''#!/usr/bin/python3
import json, os, signal, subprocess, sys, time
words = sys.argv[1:]
if words == ["--help"]:
    print("Tries.\nUsage: atoll\n\nSubcommands:\n  machine   Shows a machine\n")
    sys.exit(0)
if "--help" in words:
    print("Options:\n  -h,--help    Help\n  --machine M  A machine\n  --order N    A number\n  -o,--output FILE\n  --json       J")
    sys.exit(0)
def refuse(text):
    sys.stderr.buffer.write(b"atoll: " + os.fsencode(repr(text)[:200]) + b" is wrong\n")
    if "--json" in words:
        print('{"error": {}, "exit_code": 2}')
    sys.exit(2)
options, odd = {}, None
rest = list(words[1:])
while rest:
    name, joined, value = rest.pop(0).partition("=")
    if name == "--json":
        continue
    if name not in ("--machine", "--order", "-o", "--output"):
        odd = odd or name or "''"
        continue
    if not joined:
        if not rest:
            refuse(name)
        value = rest.pop(0)
    options[name] = value
for name, value in options.items():
    if name == "--order" and not value.isdigit() or not value or not value.isprintable() or len(value) > 100:
        odd = f"{name} {value}"
good = options.get("--machine") in ("xeon-2x10", "mine.json", "hbm.xml")
if not good:
    odd = odd or f"--machine {options.get('--machine')}"
hostile = odd is not None
FAULT
if odd:
    refuse(odd)
try:
    output = options.get("-o") or options.get("--output")
    if output:
        if os.path.exists(output) or "/" in output or output == "-" or len(output) > 255:
            refuse(output)
        open(output, "w").write("{}")
    print("{}")
    sys.stdout.flush()
except (OSError, ValueError, AttributeError) as error:
    os.write(2, b"atoll: output: fails\n")
    if "--json" in words:
        os.write(1, b"{}\n")
    os._exit(1)
'''
FAULTS = {
    "": None,
    "if hostile: os.kill(os.getpid(), signal.SIGSEGV)": "ended by SIGSEGV",
    "if hostile: sys.exit(7)": "exit code 7",
    "if hostile: sys.exit(2)": "no line on standard error",
    "if hostile: print('atoll: one\\natoll: two', file=sys.stderr); sys.exit(2)": "more than one line on standard error",
    "if hostile: print('sorry', file=sys.stderr); sys.exit(2)": "an error that does not begin with 'atoll: '",
    "if hostile: print('atoll: internal error: map::at', file=sys.stderr); sys.exit(1)": "internal error",
    "if hostile: print('atoll: wrong', file=sys.stderr); sys.exit(2)": "the message does not name the mistake",
    "if hostile: print('atoll: ' + 2000 * 'w', file=sys.stderr); sys.exit(2)": "a line of over 1500 bytes",
    "if hostile: open('left.tmp', 'w')": "a file is left or changed",
    "if hostile and 'TMPDIR' in os.environ: open(os.environ['TMPDIR'] + '/left', 'w')": "a file is left or changed",
    "if os.path.exists('mine.json'): open('mine.json', 'a').write(' ')": "an input is changed",
    "if hostile: subprocess.Popen(['sleep', '100'])": "a process is left running",
}


def hostile(build, *arguments):
    return subprocess.run([ROOT / "tools/hostile", "--build", build, "--jobs", "1", *arguments], capture_output=True,
                          text=True, errors="replace")


def broken(folder, fault):
    folder.chmod(0o755)
    program = folder / "atoll"
    program.write_text(PROGRAM.replace("FAULT", fault))
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found(tmp_path_factory, fault):
    build = broken(tmp_path_factory.mktemp("build"), fault)
    count = 4 if "sleep" in fault else 12  # each left process is waited for
    done = hostile(build, "--count", str(count), "--seed", "3")
    assert done.returncode == (1 if FAULTS[fault] else 0), done.stdout + done.stderr
    found = set(re.findall(r"^ *\d+  (.*): machine$", done.stdout, re.MULTILINE))
    assert FAULTS[fault] in found or not FAULTS[fault], done.stdout
    assert re.search(rf"^{count} calls, \d+ findings, .* seed 3$", done.stdout, re.MULTILINE)


OPTION = calls.Value(help_text.Option("--order", ("--order",), "N"), "nan", False)
EMPTY = calls.Value(help_text.Option("--output", ("-o", "--output"), "FILE"), "", False)
GOOD = sandbox.Outcome(0, b"{}", b"", 0.1, 1 << 20, {}, "")


@pytest.mark.parametrize("change, outcome, kind", [
    (None, {}, None),
    (OPTION, {}, "a value that is no number is accepted"),
    (OPTION, {"code": 2, "stderr": b"atoll: --order nan: is no number\n"}, None),
    (EMPTY, {}, "an empty value is accepted"),
    (EMPTY, {"code": 2, "stderr": b"atoll: --output: is empty\n"}, None),
    (None, {"code": 2, "stderr": b"atoll: wrong\n"}, "a valid call fails"),
    (None, {"stdout": b"text"}, "standard output is not JSON"),
    (None, {"stdout": b""}, "standard output is not JSON"),
    (None, {"memory": 2 << 30}, "over 1 GiB of memory"),
    (None, {"seconds": 21}, "over 20 s"),
    (None, {"stderr": b"atoll: note: \x1b[31mred\n"}, "a control character in a message"),
    (None, {"changes": {"/dev/shm/atoll-1": "new"}}, "a file is left or changed"),
    (None, {"changes": {"work/present": "gone"}}, "a file is left or changed"),
    (None, {"changes": {"home/.cache/atoll/degrees-0123456789abcdef": "new"}}, None),
    (None, {"changes": {"home/.cache/atoll/degrees-0123456789abcdef.tmp7": "new"}}, "a file is left or changed"),
])
def test_outcomes(change, outcome, kind):
    call = calls.Call("atoll", "machine", ["machine", "--json"], {}, set(), environments.Setting(),
                      [change] if change else [], json=True)
    found = checks.findings(call, dataclasses.replace(GOOD, **outcome))
    assert [one.kind for one in found] == ([kind] if kind else [])


def test_json_may_be_the_value_of_an_option():
    options = help_text.options("Options:\n  --patterns{declared} :{declared,final}\n  --cxx COMMAND    C++\n  --json    J\n")
    assert [(one.name, one.value) for one in options] == [("--patterns", "{declared}:{declared,final}"),
                                                          ("--cxx", "COMMAND"), ("--json", "")]
    maker = calls.Maker(1, {"tool": [(1, "{gm}")]}, {("tool", False): options}, {})
    assert maker.build("tool", "{gm} --patterns --json", []).json
    assert not maker.build("tool", "{gm} --cxx --json", []).json


def test_a_finding_is_a_line_for_the_shell(tmp_path_factory):
    build = broken(tmp_path_factory.mktemp("build"), "if hostile: sys.exit(7)")
    done = hostile(build, "--count", "10")
    lines = re.findall(r"^  (cd .* && env -i .*)$", done.stdout, re.MULTILINE)
    assert lines and f"{len(lines)} findings" in done.stdout
    for line in lines:
        # The fake program is in Python, which itself can't start with a directory as standard input.
        code = 1 if line.endswith(" </") else 7
        assert subprocess.run(["bash", "-c", line], capture_output=True).returncode == code, line


def test_the_seed_decides(tmp_path_factory):
    build = broken(tmp_path_factory.mktemp("build"), "")
    first = hostile(build, "--list", "--count", "50").stdout
    assert len(first.splitlines()) == 50
    assert first == hostile(build, "--list", "--count", "50").stdout
    assert first != hostile(build, "--list", "--count", "50", "--seed", "2").stdout
    one = hostile(build, "--list", "--call", "7").stdout
    assert one == first.splitlines(keepends=True)[7]


def test_every_verb_and_application_is_called(build):
    unknown = hostile(build, "--list", "--only", "nothing")
    assert unknown.returncode == 2 and "no verb or application 'nothing'; there are: machine" in unknown.stderr
    listed = hostile(build, "--list", "--count", "600").stdout
    for verb in unknown.stderr.partition("there are: ")[2].strip().split(", "):
        assert f" {verb}" in listed or f"/{verb}" in listed, verb


def test_a_wrong_call_ends_with_2(tmp_path):
    assert hostile(tmp_path).returncode == 2
    assert hostile(tmp_path, "--jobs", "0").returncode == 2
