"""README.md and `make demo`: the demo finds the array, its line and the fix, and its prediction agrees with
the simulated fix; the README's commands exist, and print what it shows."""

import os
import re
import subprocess

import pytest


@pytest.fixture(scope="module")
def readme(source):
    return (source / "README.md").read_text()


@pytest.fixture(scope="module")
def demo(source, build):
    """The output of the demo's stencil, without its graph."""
    done = subprocess.run([source / "demo/run", build, "stencil"], capture_output=True, text=True, timeout=800)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def commands(text):
    """Yields the commands of the console blocks, each with its output."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S):
        yield from re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)


def without_numbers(text):
    """Replaces numbers, whose last digits differ between runs, and the padding before them."""
    return re.sub(r" +", " ", re.sub(r"\d+(\.\d+)?", "N", text))


def line_of(source, text):
    lines = (source / "demo/stencil.c").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_the_demo_names_the_array_the_line_and_the_fix(demo, source):
    report, advice = demo[demo.index("atoll report"):].split("atoll advise")
    place = f"stencil.c:{line_of(source, 'malloc(')}"
    assert "128 MiB  allocate_plates\n" in report and f"at {place}\n" in report
    assert f"allocate_plates ({place})" in advice
    assert "initialise allocate_plates" in " ".join(advice.split())
    assert "in parallel" in " ".join(advice.split())


def test_the_demo_measures_the_fix(demo):
    """The ratio is at most 8, as eight memories replace one. The prediction doesn't use the fixed source."""
    before, after = (float(number) for number in re.findall(r"^  ([\d.]+) ms on opteron-8x8, 32 threads$", demo, re.M))
    measured, predicted = map(float, re.search(r"^  ([\d.]+) times as fast; predicted: ([\d.]+)$", demo, re.M).groups())
    assert measured == pytest.approx(before / after, abs=0.06)
    assert 3 < measured <= 8
    assert 0.6 < predicted / measured < 1.6


def test_the_demo_writes_a_page(demo, build):
    path = re.search(r"for a browser:\n  (.*)\n", demo)[1]
    assert path == str(build / "demo/report.html")
    assert "allocate_plates" in open(path).read()


def test_the_demo_fits_a_terminal(demo):
    lines = [line for line in demo.splitlines() if "/" not in line and not line.startswith("$")]
    assert 20 < len(lines) < 50
    assert max(map(len, lines)) <= 80
    assert not re.search(r"\d ns\b", demo)


def test_a_failed_step_fails_the_demo(source, tmp_path):
    """The program `atoll` fails at its first call."""
    for name, text in [("atoll", "echo out of luck >&2\nexit 7\n"), ("atollgcc", "")]:
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run([source / "demo/run", tmp_path, "stencil"], capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert done.stderr.startswith("out of luck\ndemo/run: exit code 7 of: atoll profile ")


def test_the_readme_is_short(readme, source):
    assert len(readme.splitlines()) <= 120
    assert (source / "docs/pictures/report.png").stat().st_size < 150 * 1024


def test_its_links_lead_to_files(readme, source):
    links = re.findall(r"\]\((\w[^) ]+\.\w+)\)", readme)
    assert len(links) > 10
    assert [link for link in links if not (source / link).exists()] == []


def test_its_commands_exist(readme, atoll, source):
    calls = [command.split() for command, _ in commands(readme)]
    calls += [text.split() for text in re.findall(r"`(atoll [^`]+)`", readme)]
    assert len(calls) > 7
    for call in calls:
        words = call[:call.index("--")] if "--" in call else call
        verb = words[1:3] if words[1] == "graph" else words[1:2]
        text = atoll("help", *verb, *(["--"] if "--" in call else [])).stdout
        options = [word for word in words if re.match("--?[a-z]", word)]
        assert [option for option in options if not re.search(rf"(^|[ ,]){option}\b", text, re.M)] == [], call
    targets = set(re.findall(r"^([\w-]+):", (source / "Makefile").read_text(), re.M))
    assert set(re.findall(r"\bmake (\w+)", readme)) <= targets


def test_its_example_prints_what_it_shows(readme, demo, build):
    """Runs the commands of the part about slow programs on the demo's program."""
    environment = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}", OMP_NUM_THREADS="32")
    part = readme[readme.index("## My program is slow"):readme.index("## C++ arrays")]
    count = 0
    for command, shown in commands(part):
        done = subprocess.run(command, shell=True, cwd=build / "demo", env=environment, text=True, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0
        parts = [re.escape(without_numbers(text)) for text in shown.split("...\n")]
        assert re.fullmatch(r"(?:.*\n)*?".join(parts), without_numbers(done.stdout)), f"{command}\n{done.stdout}"
        count += 1
    assert count == 3
