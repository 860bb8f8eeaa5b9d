"""Filters of system calls (seccomp), like those of containers."""

import ctypes
import os
import struct

NUMBERS = {"x86_64": {"mbind": 237, "set_mempolicy": 238, "get_mempolicy": 239, "migrate_pages": 256, "move_pages": 279,
                      "perf_event_open": 298},
           "aarch64": {"mbind": 235, "get_mempolicy": 236, "set_mempolicy": 237, "migrate_pages": 238, "move_pages": 239,
                       "perf_event_open": 241}}
NUMA = ["mbind", "set_mempolicy", "get_mempolicy", "migrate_pages", "move_pages"]


def refuse(calls, error):
    """Makes these system calls fail with `error`. Called in a child process before exec."""
    load, jump_if, ret = 0x20, 0x15, 0x06
    allow, fail = 0x7FFF0000, 0x00050000 | error
    steps = [(load, 0, 0, 0)]
    for call in calls:
        steps += [(jump_if, 0, 1, NUMBERS[os.uname().machine][call]), (ret, 0, 0, fail)]
    steps.append((ret, 0, 0, allow))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    filter_of_steps = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, seccomp, by_filter = 38, 22, 2
    assert libc.prctl(no_new_privileges, 1, 0, 0, 0) == 0
    assert libc.prctl(seccomp, by_filter, ctypes.c_char_p(filter_of_steps), 0, 0) == 0
