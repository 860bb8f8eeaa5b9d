#!/usr/bin/env python3
"""Programs of the zoo, profiled, advised and run by the plan on eight nodes: what the system says of their
threads and pages, weighed by the programs' own counts, has to be what the plan predicts. Each program is
recorded twice, and either plan has to hold.

  zoo_test.py FOLDER ATOLL RECORD_LIBRARY PLACE_LIBRARY PROGRAM…"""

import json
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
FOLDER, ATOLL, RECORD, PLACE, *PROGRAMS = map(pathlib.Path, sys.argv[1:])
del sys.argv[1:]

# Prints each file that is made, after a line with its name.
SCRIPT = """
program=$1 recording=$2 told=/tmp/$1.$2
mkdir -p $told
cd $told
atoll profile --frontend compiled -o profile -- $program 2>/dev/null || exit 1
atoll advise profile -o plan.json >/dev/null || exit 1
ZOO_NODES=1 ZOO_TRUTH=$told atoll run --plan plan.json -- $program >/dev/null || exit 1
mv plan.json plan
for file in plan *.json; do
  echo "@file $program $recording $file"
  cat $file
  echo
  echo "@end"
done
"""


def run_all(folder):
    """What each recording of each program gave goes to a folder of its own there: PROGRAM/NUMBER."""
    script = folder / "zoo.sh"
    script.write_text(SCRIPT)
    command = [sys.executable, HERE / "run_guest.py", "--folder", FOLDER, "--topology", "eight", "--timeout", "600",
               "--file", f"{script}=/zoo.sh", "--file", f"{RECORD}=/lib/atoll/{RECORD.name}",
               "--file", f"{PLACE}=/lib/atoll/{PLACE.name}"]
    for program in [ATOLL, *PROGRAMS]:
        command += ["--program", program]
    calls = [f"sh /zoo.sh {program.name} {i}" for program in PROGRAMS for i in range(RECORDINGS)]
    done = subprocess.run([*command, "--", *calls], text=True, stdout=subprocess.PIPE)
    assert done.returncode == 0, done.stdout[-4000:]
    for program, i, name, text in re.findall(r"^@file (\S+) (\S+) (\S+)\n(.*?)\n@end$", done.stdout, re.M | re.S):
        (folder / program / i).mkdir(parents=True, exist_ok=True)
        (folder / program / i / name).write_text(text)


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
                    folder = self.folder / program.name / str(i)
                    plan = json.loads((folder / "plan").read_text())
                    self.assertTrue(plan.get("bind_threads"), plan["reasons"])
                    predicted = plan["after"]["local_share"]
                    achieved = zoo.local_share(zoo.truth(folder))
                    print(f"{program.name}: {100 * plan['before']['local_share']:.1f} % local before, "
                          f"{100 * predicted:.1f} % predicted, {100 * achieved:.1f} % achieved", flush=True)
                    self.assertLess(abs(achieved - predicted), 0.05)


unittest.main()
