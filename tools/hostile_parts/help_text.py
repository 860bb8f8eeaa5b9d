"""Reads a program's options and subcommands from its help."""

import re
from dataclasses import dataclass

OPTION = re.compile(r"^ {2,6}(-{1,2}\w[\w-]*(?:,-{1,2}\w[\w-]*)*)(\{[^}]*\})?(?: (\S.*))?$")
SUBCOMMAND = re.compile(r"^  ([a-z][\w-]*)  +\S")
NO_VALUE = ("Excludes:", "Needs:", "REQUIRED")
# Words in the description of a value that is a number.
NUMBER = re.compile(r"\b(?:INT|UINT|FLOAT|N|S|R|W|Z|E|SECONDS|PERCENT|POSITIVE|NUMBER)\b")


@dataclass(frozen=True)
class Option:
    name: str  # the longest of the option's names
    names: tuple
    value: str  # description of the option's value; "" for a flag

    @property
    def number(self):
        return bool(NUMBER.search(self.value.split("{")[0]))


def options(text):
    """Returns the options of a help text, except --help and --version."""
    found = []
    for line in text.splitlines():
        head = re.split(r" {2,}(?=\S)", line.strip())[0]
        match = OPTION.match("  " + head) if re.match(r"^ {2,6}-", line) else None
        if not match:
            continue
        names = tuple(match.group(1).split(","))
        value = (match.group(2) or "") + (match.group(3) or "")
        value = "" if value.startswith(NO_VALUE) else value
        if "--help" not in names and "--version" not in names:
            found.append(Option(max(names, key=len), names, value))
    return found


def subcommands(text):
    part = text.partition("\nSubcommands:\n")[2].split("\n\n")[0]
    return [match.group(1) for line in part.splitlines() if (match := SUBCOMMAND.match(line))]
