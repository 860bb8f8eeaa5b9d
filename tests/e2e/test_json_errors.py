"""With --json, a failing call also prints one JSON object on standard output, besides the line on standard error."""

import json
import sqlite3
import subprocess

import pytest


def error_of(atoll, *call, code=2, **more):
    """Returns the JSON object of a failing call. Checks that the line on standard error contains the object's parts."""
    done = atoll(*call, check=False, **more)
    assert done.returncode == code, done.stderr
    found = json.loads(done.stdout)
    assert found["exit_code"] == code and set(found["error"]) == {"what", "place", "way_out"}
    error = found["error"]
    line = "; ".join(part for part in [": ".join(part for part in [error["place"], error["what"]] if part),
                                       error["way_out"]] if part)
    assert "atoll: " + line in done.stderr.splitlines()
    return found


@pytest.mark.parametrize("call, place", [
    (["report", "missing", "--json"], "missing"),
    (["machine", "--machine", "missing.json", "--json"], "missing.json"),
    (["graph", "info", "missing.el", "--json"], "missing.el"),
    (["graph", "convert", "missing.el", "-o", "out.atoll", "--json"], "missing.el"),
    (["run", "--json", "--plan", "missing", "--", "./app"], "missing"),
    (["profile", "--check", "missing", "--json"], "missing"),
    (["compile", "missing.gm", "--json"], "missing.gm"),
    (["simulate", "missing", "--json"], "missing"),
    (["report", "--json", "--unknown"], ""),
    (["unknown", "--json"], "unknown"),
])
def test_errors_are_objects(atoll, tmp_path, call, place):
    assert error_of(atoll, *call, cwd=tmp_path)["error"]["place"] == place


def test_the_options_of_the_command_do_not_count(atoll, tmp_path):
    done = atoll("run", "--plan", "missing", "--", "./app", "--json", check=False, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""


def test_a_mistake_in_a_program_is_in_the_object(atoll, tmp_path):
    (tmp_path / "p.gm").write_text("Procedure p(G: Graph) : Int {\n  Return x;\n}\n")
    (tmp_path / "g.el").write_text("0 1\n")
    found = error_of(atoll, "run", "p.gm", "--graph", "g.el", "--json", cwd=tmp_path)
    assert found["error"]["place"] == "p.gm:2:10"
    # `compile` reports all mistakes in the object and prints none on standard error.
    compiled = atoll("compile", "p.gm", "--json", check=False, cwd=tmp_path)
    assert compiled.returncode == 2 and compiled.stderr == ""
    assert json.loads(compiled.stdout)["error"] == found["error"] and json.loads(compiled.stdout)["diagnostics"]
    # The compiled program, which reads the graph, reports this mistake.
    (tmp_path / "p.gm").write_text("Procedure p(G: Graph) : Int {\n  Return 1;\n}\n")
    (tmp_path / "g.el").write_text("0 x\n")
    found = error_of(atoll, "run", "p.gm", "--graph", "g.el", "--json", cwd=tmp_path)
    assert found["error"]["place"].startswith("g.el:1")


def test_errors_of_applications(build):
    call = "2 4 2 0 16 6 missing.txt out.txt 2 --json"
    done = subprocess.run([build / "apps/streamcluster", *call.split()], capture_output=True, text=True)
    assert done.returncode == 2 and json.loads(done.stdout)["error"]["place"] == "missing.txt"


def test_graphs_that_are_written(atoll, tmp_path):
    made = atoll.json("graph", "generate", "uniform", "--scale", 4, "-o", tmp_path / "g.atoll")
    info = atoll.json("graph", "info", tmp_path / "g.atoll")
    assert made["file"] == str(tmp_path / "g.atoll")
    assert [made[name] for name in ("nodes", "edges")] == [info[name] for name in ("nodes", "edges")]
    converted = atoll.json("graph", "convert", tmp_path / "g.atoll", "-o", tmp_path / "g.el")
    assert converted["nodes"] == 16 and converted["bytes"] == (tmp_path / "g.el").stat().st_size
    for verb in (["generate", "uniform", "--scale", "2"], ["convert", str(tmp_path / "g.el")]):
        assert error_of(atoll, "graph", *verb, "-o", "-", "--json")["error"]["place"] == "--json"


def test_a_command_that_is_run(atoll, tmp_path):
    done = atoll("run", "--json", "--", "sh", "-c", "echo to standard error; exit 3", check=False)
    assert done.returncode == 3 and done.stderr == "to standard error\n"
    found = json.loads(done.stdout)
    assert found["command"][0] == "sh" and found["policy"] == "os"
    assert found["exit_code"] == 3 and found["signal"] is None and found["seconds"] > 0
    done = atoll("run", "--json", "--", "sh", "-c", "kill -TERM $$", check=False)
    assert done.returncode == -15 and json.loads(done.stdout)["signal"] == 15
    plan = tmp_path / "plan.json"
    plan.write_text('{"atoll_plan": 1, "bind_threads": false, "objects": ['
                    '{"name": "no_such_object", "kind": "global", "bytes": 4096, "layout": {"kind": "single", "node": 0, "pages": "4k"}}]}')
    found = json.loads(atoll("run", "--json", "--plan", plan, "--", "true").stdout)
    assert found["plan"] == str(plan) and found["objects"] == {"planned": 1, "recognised": 0}
    assert "no_such_object" in found["missing"][0]


def test_checked_profiles(atoll, tmp_path):
    atoll("profile", "--frontend", "dbi", "-o", tmp_path / "p", "--", "true")
    assert atoll.json("profile", "--check", tmp_path / "p") == {"profile": str(tmp_path / "p"), "wrong": []}
    with sqlite3.connect(tmp_path / "p") as file:
        file.execute("update objects set reads = reads + 1")
    found = error_of(atoll, "profile", "--check", tmp_path / "p", "--json")
    assert found["error"]["place"] == str(tmp_path / "p") and "damaged" in found["error"]["what"]
