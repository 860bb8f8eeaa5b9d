"""`atoll machine`: output fits a terminal for every machine, and its machine files can be read back."""

import json
import os
from pathlib import Path

import pytest

PRESETS = ["altix-3700", "cxl-2s", "hbm-2s", "knl-7210", "opteron-8x8", "p100-host", "xeon-2x10",
           "xeon-4x8x2", "xeon-x7550"]
OTHERS = ["pack:2 [numa(memory=1GB)] [numa(memory=2GB)] core:2 pu:2", "numa:9 core:2 pu:1",
          "group:3 numa:3 l3:2 core:3 pu:2", "pu:1", ""]


def named(machine):
    return ["--machine", machine] if machine else []


@pytest.mark.parametrize("machine", PRESETS + OTHERS)
def test_fits_a_screen_of_80_columns(atoll, machine):
    text = atoll("machine", *named(machine)).stdout
    assert [line for line in text.splitlines() if len(line) > 80 or line != line.rstrip()] == []
    assert len(text.splitlines()) <= 100
    for part in ("places", "memories", "links", "orders", "sources"):
        assert f"\n{part}" in text


@pytest.mark.parametrize("machine", PRESETS + OTHERS)
def test_machine_files_read_back(atoll, machine, tmp_path):
    written = atoll("machine", *named(machine), "--json").stdout
    file = tmp_path / "written.json"
    file.write_text(written)
    assert json.loads(written)["atoll_machine"] == 1
    assert atoll("machine", "--machine", file, "--json").stdout == written


def test_many_memories_of_two_kinds_fit_the_screen(atoll, tmp_path):
    machine = json.loads(atoll("machine", "--machine", "numa:40(memory=1GB) pu:1", "--json").stdout)
    group = machine["memories"][0]
    machine["memories"] = [
        {**group, "nodes": nodes, "at": f"numa {nodes}", "capacity": [f"{first + 1} GB", "user"]}
        for first in (0, 1) for nodes in [",".join(map(str, range(first, 40, 2)))]]
    file = tmp_path / "two.json"
    file.write_text(json.dumps(machine))
    text = atoll("machine", "--machine", file).stdout
    assert [line for line in text.splitlines() if len(line) > 80 or line != line.rstrip()] == []
    assert "38\n                        dram" in text


def test_recorded_machine(atoll, source):
    text = atoll("machine", "--machine", source / "tests/data/machine/hbm.xml").stdout
    assert "16 GiB" in text and "hbm" in text and "none: a target only" in text


def test_levels_are_hidden(atoll):
    def places(*hide):
        text = atoll("machine", "--machine", "opteron-8x8", *hide).stdout
        return text[text.index("\nplaces"):text.index("\nmemories")]

    assert "l3 6 MiB" in places() and "4 package" in places()
    hidden = places("--hide", "l3,l2,l1,package")
    assert "8 numa" in hidden and "8 core + pu" in hidden
    assert "l3" not in hidden and "package" not in hidden


def test_one_order_from_every_node(atoll):
    text = atoll("machine", "--machine", "altix-3700", "--order", "latency").stdout
    orders = text[text.index("\norders"):text.index("\nsources")]
    assert "by latency" in orders and "by bandwidth" not in orders
    assert "\n    255   255,254," in orders


def test_an_order_by_hand_is_marked(atoll, tmp_path):
    machine = atoll.json("machine", "--machine", "hbm-2s")
    machine["orders"] = [{"from": "0", "by": "capacity", "nodes": "3,2,1,0"}]
    file = tmp_path / "by-hand.json"
    file.write_text(json.dumps(machine))
    assert "3,2,1,0*" in atoll("machine", "--machine", file).stdout


def test_only_what_this_process_may_run_on(atoll):
    allowed = sorted(os.sched_getaffinity(0))
    done = atoll("machine", "--json", preexec_fn=lambda: os.sched_setaffinity(0, {allowed[-1]}))
    machine = json.loads(done.stdout)
    assert machine.get("pu_numbers", "0") == str(allowed[-1])


def test_wrong_options(atoll):
    assert "group, package" in atoll.refuses("machine", "--hide", "l3,l4")
    assert "latency, bandwidth, capacity" in atoll.refuses("machine", "--order", "beauty")
    assert "--json" in atoll.refuses("machine", "--json", "--order", "latency")
    assert "hbm-2s" in atoll.refuses("machine", "--machine", "opteron")


def figures(path):
    """Returns the values of meminfo files in bytes."""
    lines = [line.removeprefix("Node 0 ").split() for line in Path(path).read_text().splitlines()]
    return {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines if words[-1] == "kB"}


def limits_of_cgroups():
    """Yields the limits of the memory cgroups from that of this process to the root."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        for folder in [Path(group), *Path(group).parents]:
            inside = str(folder).lstrip("/")
            for file in (["/sys/fs/cgroup/memory/" + inside + "/memory.limit_in_bytes"]
                         if "memory" in controllers.split(",") else
                         ["/sys/fs/cgroup/" + inside + "/memory.max"] if not controllers else []):
                if os.path.exists(file) and (text := Path(file).read_text().strip()).isdigit():
                    yield int(text)


def test_free_memory_is_what_the_kernel_says(atoll):
    """Reclaimable file cache counts as free. The comparison also detects wrong units."""
    if list(Path("/sys/devices/system/node").glob("node[0-9]*")) != [Path("/sys/devices/system/node/node0")]:
        pytest.skip("the guests compare node by node")
    def kernels():
        node, system = figures("/sys/devices/system/node/node0/meminfo"), figures("/proc/meminfo")
        return min(node["MemFree"] + node["Active(file)"] + node["Inactive(file)"], system["MemAvailable"])

    # Other programs allocate and free memory meanwhile.
    before = kernels()
    memory, = json.loads(atoll("machine", "--json").stdout)["memories"]
    least, most = sorted([before, kernels()])
    number, unit = memory["free"].split()
    free = int(number) * {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[unit]
    assert free < 1.1 * most
    assert free > 0.8 * min([least, *limits_of_cgroups()]) - (1 << 30)
