"""The cache of compiled programs, and the calls of the C++ compiler that fill it."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

HOPS = """
    Procedure hops(G: Graph, root: Node; dist: N_P<Int>) {
      Foreach (n: G.Nodes) { n.dist = n == root ? 0 : 1; }
    }
"""
# A compiler that writes half of its output and then waits in a child process.
SLOW = """#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
echo half >"$out"
sleep 100 &
echo "$$ $!" >"$(dirname "$0")/pids"
wait
"""


@pytest.fixture
def hops(tmp_path):
    (tmp_path / "hops.gm").write_text(HOPS)
    return tmp_path / "hops.gm"


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:  # the process has ended or is ending
        return False


def start(atoll, hops, cxx):
    """Starts a compilation. Returns the process, and the compiler's processes."""

    def default_signals():  # a shell's background processes ignore some signals
        for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(one, signal.SIG_DFL)

    folder = cxx.parent
    process = subprocess.Popen([atoll.program, "compile", hops, "--cxx", cxx, "-o", folder / "hops"],
                               env=dict(os.environ, XDG_CACHE_HOME=str(folder / "cache")), stderr=subprocess.DEVNULL,
                               preexec_fn=default_signals)
    wait_for(lambda: (folder / "pids").exists() and len((folder / "pids").read_text().split()) == 2)
    return process, (folder / "pids").read_text().split()


@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP])
def test_the_compiler_ends_with_atoll_and_leaves_nothing(atoll, hops, tmp_path, ended_by):
    cxx = script(tmp_path / "cxx", SLOW)
    process, pids = start(atoll, hops, cxx)
    assert all(map(is_alive, pids))
    process.send_signal(ended_by)
    assert process.wait(60) == -ended_by
    wait_for(lambda: not any(map(is_alive, pids)))
    wait_for(lambda: [path.suffix for path in (tmp_path / "cache/atoll").iterdir()] == [".cpp"])  # the compiler's input
    assert not (tmp_path / "hops").exists()


def test_a_compiler_that_ignores_signals_ends_too(atoll, hops, tmp_path):
    cxx = script(tmp_path / "cxx", SLOW.replace("echo half", "trap '' TERM\necho half").replace("wait\n", "sleep 100\n"))
    process, pids = start(atoll, hops, cxx)
    process.kill()
    process.wait(60)
    wait_for(lambda: not any(map(is_alive, pids)))
    assert [path.suffix for path in (tmp_path / "cache/atoll").iterdir()] == [".cpp"]


def test_processes_of_one_number_may_compile_the_same_at_once(atoll, hops, tmp_path):
    """Containers may share a cache while each has its own process 1."""
    contained = ["unshare", "-rp", "--fork", "--mount-proc"]
    if subprocess.run([*contained, "true"], capture_output=True).returncode != 0:
        pytest.skip("no process may have a number twice here: namespaces are not permitted")
    cxx = script(tmp_path / "cxx", """#!/bin/sh
        while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
        for i in 1 2 3 4 5; do echo "echo ran" >>"$out"; sleep 0.1; done
        sed -i '1i #!/bin/sh' "$out"; chmod +x "$out"
    """)
    environment = dict(os.environ, XDG_CACHE_HOME=str(tmp_path / "cache"))
    calls = [subprocess.Popen([*contained, atoll.program, "compile", hops, "--cxx", cxx, "-o", tmp_path / f"hops{i}"],
                              env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
             for i in range(4)]
    for i, call in enumerate(calls):
        assert call.communicate(timeout=300)[1] == ""
        assert call.returncode == 0
        assert subprocess.run([tmp_path / f"hops{i}"], capture_output=True, text=True).stdout == "ran\n" * 5
    assert sorted(path.suffix for path in (tmp_path / "cache/atoll").iterdir()) == ["", ".cpp"]


def dynamic_section(library):
    text = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    return [line.split("[")[1].rstrip("]") for line in text.splitlines() if "SONAME" in line], text


def test_commas_in_names_are_no_options_of_the_linker(atoll, hops, tmp_path):
    environment = dict(os.environ, XDG_CACHE_HOME=str(tmp_path / "a,b cache"))
    name = "liba,-rpath,EVIL.so"
    done = subprocess.run([atoll.program, "compile", hops, "--shared", "-o", tmp_path / name], env=environment,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    sonames, text = dynamic_section(tmp_path / name)
    assert sonames == [name]
    assert "RUNPATH" not in text and "RPATH" not in text
    exported = subprocess.run(["nm", "-D", "--defined-only", tmp_path / name], capture_output=True, text=True).stdout
    assert exported and all("a__rpath_EVIL_" in line for line in exported.splitlines())


@pytest.mark.parametrize("verb", ["compile", "run"])
def test_programs_that_others_may_have_planted_are_not_run(atoll, hops, tmp_path, verb):
    (tmp_path / "g.el").write_text("0 1\n")
    words = {"compile": ["compile", hops, "-o", tmp_path / "out"],
             "run": ["run", hops, "--graph", tmp_path / "g.el", "--arg", "root=0"]}[verb]
    own = type(atoll)(atoll.program, tmp_path / "cache")
    cxx = script(tmp_path / "cxx", """#!/bin/sh
        while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
        printf '#!/bin/sh\\necho ran\\n' >"$out"; chmod +x "$out"
    """)
    own(*words, "--cxx", cxx)
    folder = tmp_path / "cache/atoll"
    (program,) = [path for path in folder.iterdir() if path.suffix == ""]
    for path in (folder, program):
        path.chmod(path.stat().st_mode | 0o022)
        line = own.refuses(*words, "--cxx", cxx)
        assert f"{path}: may be written by other users" in line and "chmod" in line
        path.chmod(path.stat().st_mode & ~0o022)
    own(*words, "--cxx", cxx)
    (tmp_path / "cache").chmod(0o777)
    assert f"{tmp_path}/cache: may be written by other users" in own.refuses(*words, "--cxx", cxx)
