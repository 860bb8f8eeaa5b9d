"""Runs every example of every --help, in a folder with the files that they name."""

import gzip
import os
import re
import shutil
import subprocess

import pytest

HELPS = ["", "machine", "graph", "graph generate", "graph convert", "graph info", "compile", "run", "run --", "profile", "trace",
         "report", "diff", "advise", "simulate", "schedule", "schedule --", "reorder"]


def examples(text):
    """Returns the lines that show a call, without the explanation after two blanks."""
    lines = [line.strip() for line in text.splitlines() if re.match("  (atoll|[.]/|OMP_)", line)]
    return [re.split(r"\s{2,}", line)[0] for line in lines]


def help_of(atoll, words):
    command, dashes = words.removesuffix(" --"), words.endswith(" --")
    return atoll(*command.split(), "--help", *(["--"] if dashes else [])).stdout


@pytest.fixture(scope="module")
def files(atoll, build, source, tmp_path_factory):
    """A program with tasks, a recording of it, plans, graphs and matrices."""
    folder = tmp_path_factory.mktemp("files")
    subprocess.run([build / "atollcc", "-O2", "-g", "-pthread", "-I", source / "include",
                    source / "tests/programs/families.c", "-o", folder / "app"], check=True)
    here = lambda *words: atoll(*words, cwd=folder)
    here("profile", "-o", "p", "--", "./app")
    here("trace", "-o", "t", "--", "./app")
    here("schedule", "-o", "app.schedule", "--", "./app")
    (folder / "plan.json").write_text('{"atoll_plan": 1, "bind_threads": false, "objects": []}')
    (folder / "edges.txt").write_text("0 1\n1 2\n2 0\n2 1\n")
    (folder / "names.txt").write_text("a\nb\nc\n")
    here("graph", "convert", "edges.txt", "--symmetrise", "-o", "mesh.graph")
    here("graph", "convert", "edges.txt", "-o", "g.atoll")
    (folder / "a.mtx.gz").write_bytes(gzip.compress(
        b"%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 0.5\n2 3 1\n3 1 2\n"))
    for name, others in {"app": ["program"], "p": ["atoll.profile", "app.profile", "baseline.profile", "optimised.profile"],
                         "t": ["app.trace"], "app.schedule": ["S"], "plan.json": ["plan", "app.plan.json"],
                         "edges.txt": ["web.el"]}.items():
        for other in others:
            shutil.copy(folder / name, folder / other)
    return folder


def test_the_list_is_complete(atoll):
    """HELPS has all verbs that the help lists, and the subverbs of `graph`."""
    listed = lambda text: re.findall(r"^  ([a-z]+)  +\S", text.split("Subcommands:")[-1].split("\n\n")[0], re.M)
    told = help_of(atoll, "")
    verbs = set(listed(told))
    assert len(verbs) > 10 and verbs == {words.split()[0] for words in HELPS if words}
    assert {f"graph {one}" for one in listed(help_of(atoll, "graph"))} == {w for w in HELPS if w.startswith("graph ")}


@pytest.mark.parametrize("words", HELPS)
def test_examples_run(atoll, build, files, sanitized, tmp_path, words):
    shutil.copytree(files, tmp_path / "here")
    environment = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}", XDG_CACHE_HOME=str(atoll.cache))
    for line in examples(help_of(atoll, words)):
        if sanitized and "run --schedule" in line:  # preloads a library with a sanitizer to a program without
            continue
        line = line.replace("--measure", "--measure --quick")  # its time grows with the square of the number of nodes
        done = subprocess.run(["sh", "-c", line], cwd=tmp_path / "here", env=environment, capture_output=True, text=True,
                              timeout=300, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, f"{line}: exit {done.returncode}: {done.stderr}"


def test_every_verb_has_an_example(atoll):
    missing = [words for words in HELPS if not examples(help_of(atoll, words)) and " " not in words]
    assert not missing
