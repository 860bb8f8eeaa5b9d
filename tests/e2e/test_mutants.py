"""tools/mutants: each fault changes one existing line, and the seed determines the faults."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def faults(*arguments):
    return subprocess.run([ROOT / "tools" / "mutants", *arguments], capture_output=True, text=True)


def test_each_fault_changes_one_line_of_the_module():
    listed = faults("plan", "--list", "--count", "300").stdout.splitlines()
    assert len(listed) == 300 and len(set(listed)) > 290
    for fault in listed:
        path, number, line = fault.split(":", 2)
        assert path.startswith(("src/plan/", "include/atoll/plan/"))
        original = (ROOT / path).read_text().split("\n")[int(number) - 1].strip()
        assert original != line.strip()
        assert not original.startswith(("//", "#"))


def test_the_seed_decides():
    first = faults("stencil", "--list", "--seed", "1").stdout
    assert first == faults("stencil", "--list", "--seed", "1").stdout
    assert first != faults("stencil", "--list", "--seed", "2").stdout


def test_a_wrong_call_ends_with_2():
    unknown = faults("nowhere")
    assert unknown.returncode == 2 and "no module 'nowhere'; there are: affinity" in unknown.stderr
    assert faults("plan", "--count", "0").returncode == 2
