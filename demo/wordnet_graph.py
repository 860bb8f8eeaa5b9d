#!/usr/bin/env python3
"""WordNet's synsets and their relations, from the data files of Debian's wordnet-base.

Nodes are synsets in the order of the files, labelled by their first word and part of speech
("entity.n"). An edge leads along each pointer: to hypernyms, parts, antonyms and so on.
"""

import os

import graph_text

PARTS = (("noun", "n"), ("verb", "v"), ("adj", "a"), ("adv", "r"))


def read_synset(line):
    """The offset, first word and pointers (part, offset) of one line; see wndb(5)."""
    fields = line.partition("|")[0].split()
    words = int(fields[3], 16)
    at = 4 + 2 * words
    pointers = int(fields[at])
    rest = fields[at + 1 : at + 1 + 4 * pointers]
    if len(rest) < 4 * pointers or words == 0:
        raise ValueError("cut off")
    word = fields[4].partition("(")[0]  # adjectives carry a marker: galore(ip)
    return fields[0], word, [(rest[i + 2].replace("s", "a"), rest[i + 1]) for i in range(0, len(rest), 4)]


def read(folder):
    """Labels in order, and the edges between their positions."""
    labels, number, pointers = [], {}, []
    for name, part in PARTS:
        path = os.path.join(folder, f"data.{name}")
        with open(path, encoding="utf-8") as file:
            for count, line in enumerate(file, 1):
                if line.startswith("  "):  # the licence
                    continue
                try:
                    offset, word, targets = read_synset(line)
                except (ValueError, IndexError):
                    graph_text.fail(f"{path}:{count}: this is no synset; install wordnet-base again")
                number[part, offset] = len(labels)
                labels.append(f"{word}.{part}")
                pointers.append(targets)
    try:
        edges = {(source, number[target]) for source, targets in enumerate(pointers) for target in targets}
    except KeyError as missing:
        part, offset = missing.args[0]
        graph_text.fail(f"{folder}: a pointer to synset {offset}.{part}, which isn't there; install wordnet-base again")
    return labels, edges


def main():
    parser = graph_text.arguments(__doc__.splitlines()[0])
    parser.add_argument("--folder", default="/usr/share/wordnet", help="where data.noun and the others are")
    options = parser.parse_args()
    try:
        labels, edges = read(options.folder)
    except OSError as error:
        graph_text.fail(f"{error.filename}: {error.strerror}; install Debian's wordnet-base")
    graph_text.write_graph(options, labels, edges)


if __name__ == "__main__":
    main()
