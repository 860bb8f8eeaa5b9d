#!/usr/bin/env python3
"""The dependency graph of Debian's packages, from `apt-cache dumpavail`.

Nodes are packages, by name. An edge leads from a package to each package that its Depends and
Pre-Depends name, every alternative included. A name that is no package but provided by some stands
for all of them; a name that neither is nor is provided leads nowhere. Versions of one package count
as one package, with the dependencies of all.
"""

import re
import subprocess

import graph_text

FEW_PACKAGES = 1000  # fewer than any Debian release has: apt has no lists
FIELDS = ("Package", "Depends", "Pre-Depends", "Provides")
NAME = re.compile(r"\s*([^\s:(\[<]+)")  # up to a qualifier (:any), version or restriction


def stanzas(lines):
    """The fields of interest of each package, continuation lines joined."""
    fields, last = {}, None
    for line in lines:
        if line[0] in " \t" and line.strip():
            if last:
                fields[last] += line
        elif line.strip():
            name, _, value = line.partition(":")
            last = name if name in FIELDS else None
            if last:
                fields[last] = value
        else:
            if fields:
                yield fields
            fields, last = {}, None
    if fields:
        yield fields


def names(value):
    """Of "a (>= 1), b:any | c": a, b, c."""
    for part in re.split(r"[,|]", value):
        found = NAME.match(part)
        if found:
            yield found[1]


def read(lines):
    """Names of packages in order, and the edges between their positions."""
    wanted, providers = {}, {}
    for fields in stanzas(lines):
        package = fields.get("Package", "").strip()
        if not package:
            continue
        needs = wanted.setdefault(package, set())
        for field in ("Depends", "Pre-Depends"):
            needs.update(names(fields.get(field, "")))
        for virtual in names(fields.get("Provides", "")):
            providers.setdefault(virtual, set()).add(package)
    packages = sorted(wanted)
    number = {package: node for node, package in enumerate(packages)}
    edges = {
        (number[package], number[target])
        for package, needs in wanted.items()
        for need in needs
        for target in ((need,) if need in number else providers.get(need, ()))
    }
    return packages, edges


def main():
    parser = graph_text.arguments(__doc__.splitlines()[0])
    parser.add_argument("--dump", metavar="FILE", help="packages as apt-cache dumpavail prints them, from a file")
    options = parser.parse_args()
    try:
        if options.dump:
            with open(options.dump, encoding="utf-8", errors="replace") as file:
                packages, edges = read(file)
        else:
            with subprocess.Popen(["apt-cache", "dumpavail"], stdout=subprocess.PIPE, encoding="utf-8",
                                  errors="replace") as apt:
                packages, edges = read(apt.stdout)
    except OSError as error:
        graph_text.fail(f"{error.filename}: {error.strerror}; this needs Debian's apt, or --dump FILE")
    if not options.dump and len(packages) < FEW_PACKAGES:
        graph_text.fail(f"apt knows of {len(packages)} packages only; run apt-get update first")
    if not packages:
        graph_text.fail(f"{options.dump}: no packages in it; give what apt-cache dumpavail prints")
    graph_text.write_graph(options, packages, edges)


if __name__ == "__main__":
    main()
