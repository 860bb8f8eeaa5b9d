#!/usr/bin/python3
"""Queries an Atoll profile by SQL, including its pages. docs/profile-file.md describes the tables.

    atoll_profile.py P "SELECT object, sum(reads) FROM pages GROUP BY object"
    connection = atoll_profile.connect("P")       # the same in Python

In addition to the tables of the file, there are two views with a row for each page:
  pages(object, thread, page, reads, writes, traffic, lines, epochs)  accesses by one thread
  first_touch(process, page, thread, epochs)      first toucher: a thread, or an id of the table homes
Bit i of epochs is set if the page was accessed in epoch i.
"""

import json
import sqlite3
import sys
import zlib
from pathlib import Path

APPLICATION_ID, VERSION = 0x41746F6C, 6


def _columns(blob, pages):
    """Returns the columns of a chunk: the offsets of the pages, then two columns of numbers (touches) or five
    (counts)."""
    numbers, value, shift = [], 0, 0
    for byte in zlib.decompress(blob):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
    if len(numbers) not in (3 * pages, 6 * pages):
        raise ValueError("a chunk of counts is damaged")
    offsets, following = [], 0
    for gap in numbers[:pages]:
        offsets.append(following + gap)
        following += gap + 1
    return offsets, *(numbers[begin:begin + pages] for begin in range(pages, len(numbers), pages))


def _signed(number):
    return number - 2**64 if number >= 2**63 else number


def unpack(blob, pages):
    """Converts a chunk to JSON: [[offset, reads, writes, traffic, lines, epochs], …] for counts, [[offset,
    thread, epochs], …] for touches."""
    return json.dumps([[_signed(number) for number in row] for row in zip(*_columns(blob, pages))])


def connect(path):
    """Opens a profile read-only, with the views, and returns the sqlite3.Connection. Raises ValueError if the
    file is no profile."""
    connection = sqlite3.connect(Path(path).resolve().as_uri() + "?mode=ro", uri=True)
    try:
        known = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path}: {error}") from None
    if not known or version != VERSION:
        raise ValueError(f"{path}: no profile of version {VERSION}")
    connection.create_function("unpack", 2, unpack, deterministic=True)
    connection.executescript("""
        CREATE TEMP VIEW pages AS
          SELECT c.object, c.thread, c.first_page + json_extract(p.value, '$[0]') AS page,
                 json_extract(p.value, '$[1]') AS reads, json_extract(p.value, '$[2]') AS writes,
                 json_extract(p.value, '$[3]') AS traffic, json_extract(p.value, '$[4]') AS lines,
                 json_extract(p.value, '$[5]') AS epochs
          FROM chunks AS c, json_each(unpack(c.counts, c.pages)) AS p;
        CREATE TEMP VIEW first_touch AS
          SELECT t.process, t.first_page + json_extract(p.value, '$[0]') AS page,
                 json_extract(p.value, '$[1]') AS thread, json_extract(p.value, '$[2]') AS epochs
          FROM touches AS t, json_each(unpack(t.touches, t.pages)) AS p;""")
    return connection


def main(arguments):
    if len(arguments) != 2 or arguments[0].startswith("-"):
        print(__doc__.strip())
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        rows = connect(arguments[0]).execute(arguments[1])
        print("\t".join(column[0] for column in rows.description or []))
        for row in rows:
            print("\t".join("" if value is None else str(value) for value in row))
    except (ValueError, sqlite3.Error, BrokenPipeError) as error:
        print(f"atoll_profile.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
