#!/usr/bin/env python3
"""Programs of the zoo, profiled, advised and run by the plan on eight nodes: what the system says of their
threads and pages, weighed by the programs' own counts, has to be what the plan predicts. Each program is
recorded twice, and either plan has to hold.

  zoo_test.py FOLDER ATOLL RECORD_LIBRARY PLACE_LIBRARY PROGRAM…"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import zoo  # noqa: E402

RECORDINGS = 2
# Pages for each of a program's own: each worker's part is far larger than a guest's cache.
PAGES = {"common_table": 64, "grid": 64, "many_processes": 32, "one_filler": 26, "pairs": 52, "random_start": 64}
# What may have an empty plan: no plan takes 5 % less time of the memory, as few threads read one node's table, or most
# traffic is local already.
NO_GAIN = {"common_table", "grid"}
FOLDER, ATOLL, RECORD, PLACE, *PROGRAMS = map(pathlib.Path, sys.argv[1:])
del sys.argv[1:]

# As topologies.json has it, with the L2 that QEMU tells of, whatever this computer's is.
EIGHT = "pack:4 numa:2 l2:1(size=524288) core:1 pu:1"

# Prints each file that is made, after a line with its name. Without huge pages, which lie where any of their
# parts was touched first, the neighbours' in memory among them.
SCRIPT = """
echo never > /sys/kernel/mm/transparent_hugepage/enabled
told=/tmp/$1.$2
mkdir -p $told
ZOO_PAGES=$3 ZOO_NODES=1 ZOO_TRUTH=$told atoll run --plan /plans/$1.$2 -- $1 || exit 1
cd $told
for file in *.json; do
  echo "@file $1 $2 $file"
  cat $file
  echo
  echo "@end"
done
"""


def plan_of(program, name, folder):
    """Recorded here, as a guest's emulated processors take long, and advised for the guest."""
    profile, plan = folder / f"{name}.profile", folder / name
    subprocess.run([ATOLL, "profile", "--frontend", "compiled", "--machine", EIGHT, "-o", profile, "--",
                    program], check=True,
                   stderr=subprocess.DEVNULL, env=dict(os.environ, ZOO_PAGES=str(PAGES[program.name])))
    subprocess.run([ATOLL, "advise", profile, "--machine", EIGHT, "-o", plan], check=True, stdout=subprocess.DEVNULL)
    return plan


def run_all(folder):
    """What each recording of each program gave goes to a folder of its own there: PROGRAM/NUMBER."""
    script = folder / "zoo.sh"
    script.write_text(SCRIPT)
    command = [sys.executable, HERE / "run_guest.py", "--folder", FOLDER, "--topology", "eight", "--timeout", "600",
               "--file", f"{script}=/zoo.sh", "--file", f"{RECORD}=/lib/atoll/{RECORD.name}",
               "--file", f"{PLACE}=/lib/atoll/{PLACE.name}"]
    calls = []
    for program in PROGRAMS:
        for i in range(RECORDINGS):
            name = f"{program.name}.{i}"
            command += ["--file", f"{plan_of(program, name, folder)}=/plans/{name}"]
            calls.append(f"sh /zoo.sh {program.name} {i} {PAGES[program.name]}")
    for program in [ATOLL, *PROGRAMS]:
        command += ["--program", program]
    done = subprocess.run([*command, "--", *calls], text=True, stdout=subprocess.PIPE)
    assert done.returncode == 0, done.stdout[-4000:]
    for program, i, name, text in re.findall(r"^@file (\S+) (\S+) (\S+)\n(.*?)\n@end$", done.stdout, re.M | re.S):
        (folder / "told" / program / i).mkdir(parents=True, exist_ok=True)
        (folder / "told" / program / i / name).write_text(text)


class Zoo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run_all(cls.folder)

    def test_what_is_predicted_happens(self):
        for program in PROGRAMS:
            for i in range(RECORDINGS):
                with self.subTest(program=program.name, recording=i):
                    folder = self.folder / "told" / program.name / str(i)
                    plan = json.loads((self.folder / f"{program.name}.{i}").read_text())
                    if not plan.get("bind_threads") and not plan.get("objects"):
                        self.assertIn(program.name, NO_GAIN)
                        continue
                    predicted = plan["after"]["local_share"]
                    achieved = zoo.local_share(zoo.truth(folder))
                    print(f"{program.name}: {100 * plan['before']['local_share']:.1f} % local before, "
                          f"{100 * predicted:.1f} % predicted, {100 * achieved:.1f} % achieved", flush=True)
                    self.assertLess(abs(achieved - predicted), 0.05)


unittest.main()
