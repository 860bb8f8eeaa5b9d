#!/usr/bin/env python3
"""Programs of the zoo, profiled, advised, and run with the plan on eight nodes. The places of their threads and pages
according to the guest's kernel, weighted by the accesses that the programs report, must agree with the plan's
prediction. Each program is recorded twice; both plans must agree.

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
# ZOO_PAGES of each program: the part of each worker is then much larger than a guest's cache.
PAGES = {"common_table": 64, "grid": 64, "many_processes": 32, "one_filler": 26, "pairs": 52, "random_start": 64}
# Programs whose plan may be empty. No plan reduces the time of the memory by 5 %, as few threads read one
# node's table, or most traffic is already local.
NO_GAIN = {"common_table", "grid"}
FOLDER, ATOLL, RECORD, PLACE, *PROGRAMS = map(pathlib.Path, sys.argv[1:])
del sys.argv[1:]

# The topology "eight" of topologies.json, with the L2 size that QEMU reports on every host.
EIGHT = "pack:4 numa:2 l2:1(size=524288) core:1 pu:1"

# Prints each file of a program's report, after a line with its name. Huge pages are off: such a page is on
# the node of the first thread that touches any part of it, including neighbouring data.
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
    """Profiles a program on this computer, as a guest's emulated processors are slow. Returns the advice for
    the guest."""
    profile, plan = folder / f"{name}.profile", folder / name
    subprocess.run([ATOLL, "profile", "--frontend", "compiled", "--machine", EIGHT, "-o", profile, "--",
                    program], check=True,
                   stderr=subprocess.DEVNULL, env=dict(os.environ, ZOO_PAGES=str(PAGES[program.name])))
    subprocess.run([ATOLL, "advise", profile, "--machine", EIGHT, "-o", plan], check=True, stdout=subprocess.DEVNULL)
    return plan


def run_all(folder):
    """Runs the plan of each recording in the guest. Stores the program's reports in folder/told/PROGRAM/NUMBER."""
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
