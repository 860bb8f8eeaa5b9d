"""The scripts that generate the demo's graphs, on small handwritten inputs and on the real WordNet."""

import os
import subprocess

import pytest


@pytest.fixture
def make(source, tmp_path):
    """Runs a script; returns its labels, and its edges by label."""

    def run(script, *arguments, code=0):
        edges, labels = tmp_path / "g.el", tmp_path / "g.labels"
        done = subprocess.run(
            ["/usr/bin/python3", source / "demo" / script, "--edges", edges, "--labels", labels, *arguments],
            capture_output=True, text=True, timeout=120)
        assert done.returncode == code, done.stderr
        if code:
            assert len(done.stderr.splitlines()) == 1
            assert not edges.exists() and not labels.exists(), "nothing half written"
            return done.stderr
        names = labels.read_text().splitlines()
        pairs = [tuple(map(int, line.split())) for line in edges.read_text().splitlines()]
        assert pairs == sorted(set(pairs)), "each edge once, in order"
        assert not [name for name in os.listdir(tmp_path) if ".tmp" in name]
        return names, [(names[source], names[target]) for source, target in pairs]

    return run


PACKAGES = """\
Package: zeta
Version: 1
Depends: alpha (>= 1.0), beta:any | gamma (<< 2) | nowhere, mail-agent
Pre-Depends: dpkg (>= 1.15~)

Package: alpha
Version: 1
Provides: mail-agent, beta
Depends: beta [amd64] <!nocheck>,
 gamma,
\tzeta
Description: not Depends: zeta
 Depends: dpkg

Package: beta
Version: 1
Architecture: all
Suggests: zeta
Conflicts: alpha

Package: beta
Version: 2
Depends: gamma, gamma (>= 2)

Package: gamma
Version: 1
Provides: mail-agent (= 1)
Recommends: alpha

Package: dpkg
Version: 1
Depends:
"""


def test_debian_packages(make, tmp_path):
    dump = tmp_path / "dump"
    for text in (PACKAGES, PACKAGES.rstrip("\n"), PACKAGES + "\n\n"):
        dump.write_text(text)
        names, edges = make("debian_graph.py", "--dump", dump)
        assert names == ["alpha", "beta", "dpkg", "gamma", "zeta"]
        assert edges == [
            ("alpha", "beta"),  # only the package beta, not alpha, which provides beta
            ("alpha", "gamma"),
            ("alpha", "zeta"),
            ("beta", "gamma"),
            ("zeta", "alpha"),  # zeta depends on it by name, and by mail-agent
            ("zeta", "beta"),
            ("zeta", "dpkg"),
            ("zeta", "gamma"),  # zeta depends on it as an alternative, and by mail-agent
        ]


def test_debian_without_packages(make, tmp_path):
    dump = tmp_path / "dump"
    dump.write_text("")
    assert "no packages" in make("debian_graph.py", "--dump", dump, code=2)
    assert "none" in make("debian_graph.py", "--dump", tmp_path / "none", code=2)


def test_debian_with_empty_lists(make, tmp_path, monkeypatch):
    apt = tmp_path / "bin" / "apt-cache"
    apt.parent.mkdir()
    apt.write_text("#!/bin/sh\nprintf 'Package: one\\n'\n")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{apt.parent}:{os.environ['PATH']}")
    assert "apt-get update" in make("debian_graph.py", code=2)


LICENCE = "  1 This software and database is being provided to you\n"
SYNSETS = {
    "noun": "00000001 03 n 02 entity 0 thing 0 002 ~ 00000002 n 0000 ! 00000005 s 0101 | that which is; a | b\n"
            "00000002 03 n 01 physical_entity 0 003 @ 00000001 n 0000 @ 00000001 n 0101 + 00000003 v 0101 | x\n",
    "verb": "00000003 29 v 0b " + "".join(f"word{i} 0 " for i in range(11)) +
            "001 > 00000003 v 0000 02 + 02 00 + 08 01 | to x\n",
    "adj": "00000004 00 a 01 galore(ip) 0 001 & 00000005 a 0000 | in number\n"
           "00000005 00 s 01 many 0 000 | a lot\n",
    "adv": "00000004 02 r 01 well 0 001 \\ 00000004 a 0101 | nicely\n",
}


def write_wordnet(folder, texts):
    for name, text in texts.items():
        (folder / f"data.{name}").write_text(LICENCE + text)


def test_wordnet(make, tmp_path):
    write_wordnet(tmp_path, SYNSETS)
    names, edges = make("wordnet_graph.py", "--folder", tmp_path)
    assert names == ["entity.n", "physical_entity.n", "word0.v", "galore.a", "many.a", "well.r"]
    assert edges == [
        ("entity.n", "physical_entity.n"),
        ("entity.n", "many.a"),
        ("physical_entity.n", "entity.n"),
        ("physical_entity.n", "word0.v"),
        ("word0.v", "word0.v"),
        ("galore.a", "many.a"),
        ("well.r", "galore.a"),
    ]


def test_damaged_wordnet(make, tmp_path):
    assert "data.noun" in make("wordnet_graph.py", "--folder", tmp_path, code=2)
    write_wordnet(tmp_path, SYNSETS | {"verb": "00000003 29 v 01 run 0 002 > 00000003\n"})
    assert "data.verb:2" in make("wordnet_graph.py", "--folder", tmp_path, code=2)
    write_wordnet(tmp_path, SYNSETS | {"verb": ""})
    assert "00000003.v" in make("wordnet_graph.py", "--folder", tmp_path, code=2)


def test_the_real_wordnet(make):
    """WordNet 3.0 has 117,659 synsets."""
    names, edges = make("wordnet_graph.py")
    assert len(names) == 117_659
    assert names[:2] == ["entity.n", "physical_entity.n"]
    assert 300_000 < len(edges) < 400_000
    assert ("entity.n", "physical_entity.n") in edges and ("physical_entity.n", "entity.n") in edges


def test_unwritable(source, tmp_path):
    write_wordnet(tmp_path, SYNSETS)
    done = subprocess.run(
        ["/usr/bin/python3", source / "demo/wordnet_graph.py", "--folder", tmp_path, "--edges", tmp_path / "g.el",
         "--labels", tmp_path / "none" / "labels"], capture_output=True, text=True)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "g.el").exists()
