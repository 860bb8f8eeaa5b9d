"""What the demo's graph scripts share: their arguments, and files that are there whole or not at all."""

import argparse
import os
import sys


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--edges", required=True, metavar="FILE", help="edge list to write")
    parser.add_argument("--labels", required=True, metavar="FILE", help="labels to write, a line a node")
    return parser


def fail(what):
    """One line, and the exit code of a wrong input."""
    print(f"{os.path.basename(sys.argv[0])}: {what}", file=sys.stderr)
    raise SystemExit(2)


def write_graph(options, labels, edges):
    """`labels` of nodes 0, 1 …; `edges` as pairs of nodes, each written once, in order."""
    pairs = sorted(set(edges))
    write_lines(options.labels, labels)
    write_lines(options.edges, (f"{source} {target}" for source, target in pairs))
    print(f"{options.edges}: {len(labels)} nodes, {len(pairs)} edges", file=sys.stderr)


def write_lines(path, lines):
    temporary = f"{path}.tmp{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        os.replace(temporary, path)
    except OSError as error:
        fail(f"{path}: {error.strerror}; name a file in a folder you may write to")
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)
