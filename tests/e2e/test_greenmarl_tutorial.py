"""Checks docs/greenmarl-tutorial.md: its files are saved, its commands are run unchanged, and their output is
compared."""

import os
import re
import subprocess

import pytest


@pytest.fixture(scope="module")
def page(source):
    return (source / "docs/greenmarl-tutorial.md").read_text()


def matches(shown, printed):
    """True if this was printed; "..." stands for any lines."""
    pattern = r"(?:.*\n)*?".join(re.escape(part) for part in shown.split("...\n"))
    return re.fullmatch(pattern, printed) is not None


def test_commands_print_what_the_page_shows(page, source, build, atoll, tmp_path):
    (tmp_path / "apps").symlink_to(source / "apps")
    environment = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}", XDG_CACHE_HOME=str(atoll.cache))
    files = re.findall(r"Save this as `([\w.]+)`:\n\n```\w*\n(.*?)^```$", page, re.M | re.S)
    assert len(files) == page.count("Save this as")
    for name, text in files:
        (tmp_path / name).write_text(text)
    commands = 0
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S):
        for command, shown in re.findall(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", block, re.M):
            done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True,
                                  timeout=100)
            assert (done.returncode, done.stderr) == (0, "")
            assert matches(shown, done.stdout), f"{command}{done.stdout}"
            commands += 1
    assert commands > 3


def test_lines_fit_a_terminal(page):
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S):
        for line in block.splitlines():
            assert len(line) <= 80 or line.startswith("$ "), line


def test_every_program_is_named(page, source):
    programs = {file.stem for file in (source / "apps/greenmarl").glob("*.gm")}
    listed = page[page.index("| program |"):]
    assert set(re.findall(r"`(\w+)`", listed)) == programs
