#!/usr/bin/env python3
"""Runs programs in a QEMU guest with several NUMA nodes, and returns their exit code.

  run_guest.py --folder build/guest --topology four --program build/tests/guest/atoll_guest_tests \
      --file graph.bin=/data/graph.bin -- 'atoll_guest_tests --gtest_brief=1' 'cat /proc/buddyinfo'

Each argument after -- is a shell command. All commands run in one boot, sequentially. The exit code is that
of the first command that fails, or 125 if the guest itself failed. The guest's console is then in
FOLDER/TOPOLOGY.console, or FOLDER/TOPOLOGY-xN.console with --times-memory N."""

import argparse
import json
import pathlib
import sys
import tempfile
import time

import boot
import image
import kernel


def main() -> int:
    topologies = json.loads((pathlib.Path(__file__).parent / "topologies.json").read_text())
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, required=True,
                        help="keeps the kernel, and each guest's last console")
    parser.add_argument("--topology", choices=sorted(topologies), required=True)
    parser.add_argument("--program", type=pathlib.Path, action="append", default=[],
                        help="goes to /bin in the guest, with its libraries; may be repeated")
    parser.add_argument("--file", action="append", default=[], metavar="SOURCE=DESTINATION",
                        help="may be repeated")
    parser.add_argument("--module", action="append", default=[], metavar="NAME [PARAMETER=VALUE ...]",
                        help="a kernel module to load; may be repeated")
    parser.add_argument("--times-memory", type=int, default=1, metavar="N",
                        help="each node has N times what the topology says (default %(default)s)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds (default %(default)s)")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()

    topology = topologies[options.topology]
    name = options.topology
    if options.times_memory != 1:
        name += f"-x{options.times_memory}"
        for node in topology["nodes"]:
            node["mib"] *= options.times_memory
    guests_kernel = kernel.fetch(options.folder, topology.get("backports", False))
    files = image.Image()
    for program in options.program:
        files.add_program(program)
    for pair in options.file:
        source, _, destination = pair.partition("=")
        files.add_file(pathlib.Path(source), destination)
    for module in options.module:
        name, *parameters = module.split()
        files.add_module(guests_kernel.module(name), parameters)
    files.set_commands(options.command)

    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        initrd = pathlib.Path(scratch) / "initrd"
        files.write(initrd)
        console = options.folder / f"{name}.console"
        try:
            code = boot.run(topology, guests_kernel.image, initrd, console, options.timeout,
                            topology.get("kernel_arguments", ""))
        except boot.GuestFailed as failure:
            print(f"guest '{name}': {failure}", file=sys.stderr)
            return 125
    print(f"guest '{name}': exit code {code} after {time.monotonic() - started:.1f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
