"""Checks the outcome of a call against the rules for every call."""

import fnmatch
import json
import os
import re
import signal
from dataclasses import dataclass

from . import values
from .calls import Path, Value
from .sandbox import CACHED, MEMORY, SECONDS
from .starts import WRITES

DIAGNOSTIC = re.compile(rb"^atoll: .*:\d+:\d+: ")  # diagnostic of a Green-Marl program, which may have several
FAULTS = (b"internal error", b"terminate called", b"Assertion", b"Sanitizer", b"runtime error:", b"what():",
          b"Segmentation fault", b"double free", b"corrupted", b"stack smashing")
LONGEST_LINE = 1500


@dataclass
class Finding:
    kind: str
    detail: str


def allowed_codes(call):
    codes = {0, 1, 2}
    if call.verb == "run":
        codes.add(124)  # exit code of --time-limit
    if "--" in call.words:
        codes.add(127)  # a limit prevents the command from loading its libraries
    return codes


def unexpected_files(call, outcome):
    """Yields the changes of files that the call must not make."""
    watches = "--" in call.words  # the exit code is the command's
    named = {os.path.normpath(name) for name in call.outputs if name}
    patterns = WRITES.get(call.verb, ())
    if call.verb == "compile":
        named.update(os.path.splitext(name)[0] for name in call.inputs)  # default name of the compiled program
    if "link" in named:
        named.add("present")
    if "dangling" in named:
        named.add("nowhere")
    for path, change in sorted(outcome.changes.items()):
        if path.startswith("work/"):
            name = path[len("work/"):]
            if name in call.inputs:
                yield f"the input {name} is {change}"
                continue
            base = os.path.basename(name)
            written = name in named or any(fnmatch.fnmatch(base, pattern) for pattern in patterns)
            if change == "gone" or not written:
                yield f"{path} is {change}"
            elif change == "changed" and outcome.code != 0 and not watches:
                yield f"{path} is {change} although the call fails"
            elif outcome.code == 2 and change == "new" and not patterns:
                yield f"{path} is {change} although the call is refused"
        else:
            folders, base = os.path.split(path)
            cached = "/.cache/atoll" in "/" + folders or "atoll-cache-" in folders or folders.endswith("/atoll")
            if outcome.code == 1 and cached and base.endswith(".log") and os.fsencode(base) in outcome.stderr:
                continue  # log of a C++ compiler that failed
            if base in (".cache", "atoll") or base.startswith("atoll-cache-") or cached and CACHED.match(base):
                continue
            yield f"{path} is {change}"


def lines_of_failure(stderr):
    """Returns the lines of standard error that report an error, and those without diagnostics of a Green-Marl
    program. All diagnostics count as one line."""
    lines = [line for line in stderr.split(b"\n") if line and not line.startswith(b"atoll: note: ")]
    lines = [re.sub(b"^libgomp: ", b"atoll: ", line) for line in lines]  # libgomp couldn't start threads
    diagnostics = [line for line in lines if DIAGNOSTIC.match(line)]
    others = [line for line in lines if not DIAGNOSTIC.match(line)]
    return others or diagnostics[:1], others


def is_json(text):
    try:
        json.loads(text.decode())
        return True
    except ValueError:
        return False


def text_findings(call, outcome):
    stderr = outcome.stderr
    for fault in FAULTS:
        if fault in stderr:
            line = next(line for line in stderr.split(b"\n") if fault in line)
            yield Finding("internal error", line.decode(errors="replace"))
            return
    if 2 in call.setting.streams:
        return
    lines, others = lines_of_failure(stderr)
    if outcome.code in (1, 2) and not ("--" in call.words and outcome.code == 1):
        if not lines and call.json and is_json(outcome.stdout):
            pass  # the JSON object contains the diagnostics of a program
        elif len(lines) != 1:
            first = " | ".join(line.decode(errors="replace") for line in others[:3])
            yield Finding(f"{'no' if not lines else 'more than one'} line on standard error", first)
        elif not lines[0].startswith(b"atoll: "):
            yield Finding("an error that does not begin with 'atoll: '", lines[0].decode(errors="replace"))
    for line in stderr.split(b"\n"):
        if len(line) > LONGEST_LINE:
            text = line[:200].decode(errors="replace")
            yield Finding(f"a line of over {LONGEST_LINE} bytes", f"{len(line)} bytes: {text}")
            break
        if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", line):
            yield Finding("a control character in a message", repr(line))
            break


def value_findings(call, outcome):
    if len(call.changes) != 1:
        return
    change = call.changes[0]
    message = (outcome.stderr or outcome.stdout).decode(errors="replace")  # mistakes may be in the JSON object
    if isinstance(change, Value):
        if outcome.code == 0 and change.text == "":
            yield Finding("an empty value is accepted", change.option.name)
        elif outcome.code == 0 and change.option.number and change.text in values.NOT_NUMBERS:
            yield Finding("a value that is no number is accepted", f"{change.option.name} {change.text!r}")
    if outcome.code == 2 and isinstance(change, (Value, Path)) and change.names():
        if not any(re.sub(r"\W", "", name) in re.sub(r"\W", "", message) for name in change.names()):
            yield Finding("the message does not name the mistake", message.strip())


def findings(call, outcome):
    found, last = [], outcome.stderr[-300:].decode(errors="replace")
    if outcome.code == 99 and not outcome.stderr:
        return [Finding("the call could not be started", "")]
    if outcome.seconds > SECONDS:
        found.append(Finding(f"over {SECONDS} s", f"{outcome.seconds:.0f} s"))
    elif outcome.memory > MEMORY:
        found.append(Finding("over 1 GiB of memory", f"{outcome.memory >> 20} MiB"))
    elif outcome.code < 0:
        found.append(Finding(f"ended by {signal.Signals(-outcome.code).name}", last))
    elif outcome.code not in allowed_codes(call):
        found.append(Finding(f"exit code {outcome.code}", last))
    else:
        found += text_findings(call, outcome)
        found += value_findings(call, outcome)
        if not call.changes and outcome.code != 0:
            found.append(Finding("a valid call fails", last))
        if outcome.code in (0, 1, 2) and call.json and "--" not in call.words and 1 not in call.setting.streams:
            if not is_json(outcome.stdout):
                found.append(Finding("standard output is not JSON", repr(outcome.stdout[:100])))
    if outcome.left_running:
        found.append(Finding("a process is left running", outcome.left_running))
    if not (outcome.seconds > SECONDS or outcome.code == -signal.SIGKILL):
        files = list(unexpected_files(call, outcome))
        if files:
            kind = "an input is changed" if "the input" in files[0] else "a file is left or changed"
            found.append(Finding(kind, "; ".join(files[:3])))
    return found
