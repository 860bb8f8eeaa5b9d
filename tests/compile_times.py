"""Fails if the compilation of an object took too much processor time: compile_times.py BUILD [SECONDS]. Reads
the files that tools/log-compile-time writes. An object that ccache restores takes almost no time."""

import re
import sys
from pathlib import Path


def seconds(file):
    """Returns the user and system time of the command, on the second line."""
    return sum(60 * int(minutes) + float(rest)
               for minutes, rest in re.findall(r"(\d+)m([\d.]+)s", file.read_text().splitlines()[1]))


def main(build, most="25"):
    times = sorted(((seconds(file), str(file.relative_to(build).with_suffix(""))) for file in Path(build).rglob("*.o.time")),
                   reverse=True)
    if not times:
        return f"{build}: no compilation was timed; configure with -DATOLL_COMPILE_TIMES=ON"
    print(f"{len(times)} objects, {sum(time for time, _ in times):.0f} s of processor time")
    slow = [f"{time:.1f} s: {name}" for time, name in times if time > float(most)]
    return "\n".join([f"more than {most} s of processor time:", *slow]) if slow else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
