"""`atoll machine --measure`: its output is a machine that can be shown and used."""

import json
import re
import signal
import subprocess
import time

import pytest


@pytest.fixture(scope="module")
def measured(atoll, tmp_path_factory):
    """Measures this machine. Returns the machine file, and the output."""
    file = tmp_path_factory.mktemp("measure") / "mine.json"
    text = atoll("machine", "--measure", "--quick", "-o", file).stdout
    return file, text


def test_every_link_is_measured(measured):
    file, _ = measured
    machine = json.loads(file.read_text())
    assert machine["links"]
    for link in machine["links"]:
        figures = [link["latency"], link["read"], link["write"]]
        assert link["by_threads"][0]["threads"] == 1
        for row in link["by_threads"]:
            figures += [row["read"], row["write"], row["copy"]]
        for quantity, key in figures:
            assert machine["sources"][key]["origin"] == "measured"
            assert re.fullmatch(r"\d+(\.\d+)? (ns|us|GB/s|B/s)", quantity)
        # The bandwidth of a memory is the maximum over all numbers of threads.
        units = {"B/s": 1, "GB/s": 1e9}
        rates = [row["read"][0].split() for row in link["by_threads"]]
        best = max(float(number) * units[unit] for number, unit in rates)
        number, unit = link["read"][0].split()
        assert float(number) * units[unit] == best


def test_the_file_shows_what_was_printed(atoll, measured):
    file, text = measured
    assert atoll("machine", "--machine", file).stdout == text
    assert "~" not in text[text.index("\nlinks"):text.index("\norders")]
    table = text[text.index("\nthreads"):text.index("\norders")]
    assert re.search(r"read \(GB/s\) +write \(GB/s\) +copy \(GB/s\)", table)
    assert re.search(r"\n +1 +[\d.]+", table)
    assert re.search(r"latency +measured +pointer chase through 32 MiB in", text)
    assert [line for line in text.splitlines() if len(line) > 80 or line != line.rstrip()] == []


def test_json_is_the_machine_file(atoll, tmp_path):
    file = tmp_path / "mine.json"
    printed = atoll("machine", "--measure", "--quick", "--json", "-o", file).stdout
    assert printed == file.read_text()
    assert atoll("machine", "--machine", file, "--json").stdout == printed


def test_a_dry_run_decides_by_the_measured_figures(atoll, source, measured, tmp_path):
    file, _ = measured
    graph = tmp_path / "ring.el"
    graph.write_text("".join(f"{i} {(i + 1) % 5000}\n" for i in range(5000)))
    run = ["run", source / "apps/greenmarl/pagerank.gm", "--graph", graph, "--dry-run", "--arg", "e=1e-6",
           "--arg", "d=0.85", "--arg", "max=10"]

    def seconds(machine):
        done = atoll.json(*run, *machine)
        return sum(array["estimated_seconds"] for array in done["arrays"])

    ten_times = json.loads(file.read_text())
    for link in ten_times["links"]:
        number, unit = link["latency"][0].split()
        link["latency"][0] = f"{float(number) * 10} {unit}"
        for key in ("read", "write"):
            number, unit = link[key][0].split()
            link[key][0] = f"{float(number) / 10} {unit}"
    slow = tmp_path / "slow.json"
    slow.write_text(json.dumps(ten_times))
    as_measured = seconds(["--machine", file])
    assert seconds(["--machine", slow]) > 1.2 * as_measured  # the time in caches is unchanged
    assert as_measured != seconds([])


def test_an_interrupt_leaves_the_old_file_or_the_new_one(atoll, tmp_path):
    file = tmp_path / "mine.json"
    old = atoll("machine", "--json").stdout
    for delay in (0.02, 0.1, 0.2, 0.3, 0.5):
        file.write_text(old)
        process = subprocess.Popen(
            [str(atoll.program), "machine", "--measure", "--quick", "-o", str(file)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]
        assert file.read_text() == old or "measured" in atoll("machine", "--machine", file).stdout


def test_an_output_file_of_any_machine(atoll, tmp_path):
    file = tmp_path / "copy.json"
    text = atoll("machine", "--machine", "hbm-2s", "-o", file).stdout
    assert text == atoll("machine", "--machine", file).stdout
    assert "\nthreads" not in text


def test_wrong_options(atoll, tmp_path, processor_seconds):
    assert "leave --machine out" in atoll.refuses("machine", "--measure", "--machine", "hbm-2s")
    assert "--measure" in atoll.refuses("machine", "--quick")
    assert "*.json" in atoll.refuses("machine", "--measure", "-o", tmp_path / "mine.txt")
    # The error is reported before the measurement.
    before = processor_seconds()
    assert "nowhere" in atoll.refuses("machine", "--measure", "-o", tmp_path / "nowhere/mine.json")
    assert processor_seconds() - before < 2
    assert list(tmp_path.iterdir()) == []
