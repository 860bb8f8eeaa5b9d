"""Converts a call to a line for the shell."""

import re
import shlex

from .environments import Setting


def quoted(text):
    if match := re.search(r"([^\s'\"\\%]{1,2}?)\1{99,}", text):
        repeated = f"\"$(printf '{match.group(1)}%.0s' $(seq {len(match.group()) // len(match.group(1))}))\""
        ends = (text[:match.start()], text[match.end():])
        return repeated.join(quoted(end) if end else "" for end in ends)
    if text.isascii() and text.isprintable():
        return shlex.quote(text)
    bytes_ = text.encode("utf-8", "surrogateescape")
    return "$'" + "".join(chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}" for b in bytes_) + "'"


def line(call, variables, arguments):
    """Returns the command line of a call, for a shell in its folder `work`."""
    setting: Setting = call.setting
    text = " ".join(["env -i", *(f"{name}={quoted(value)}" for name, value in sorted(variables.items())),
                     *map(quoted, arguments)])
    for stream, path in setting.streams.items():
        text += f" {'<' if stream == 0 else f'{stream}>'}{'&-' if path is None else path}"
    limits = "".join(f"ulimit -{letter} {limit}; " for letter, limit in setting.limits.items())
    if limits:
        text = f"({limits}{text})"
    if setting.no_proc:
        text = f"unshare -rm sh -c {shlex.quote('mount -t tmpfs none /proc; ' + text)}"
    return text
