"""Boots a guest in QEMU and relays what its programs print. KVM isn't needed: QEMU emulates the
processors, which is slow but the same everywhere."""

import os
import pathlib
import select
import subprocess
import sys
import time
import typing

import image

# Tried values: with emulation in several threads, 200 OpenMP barriers took 16 s instead of 2 ms.
# `panic=-1` and -no-reboot end QEMU when the guest's kernel panics.
# Without cx16: QEMU 7.2 garbles the flags of this instruction, which newer kernels' allocators use.
_QEMU = ["qemu-system-x86_64", "-accel", "tcg,thread=single", "-cpu", "max,-cx16", "-display",
         "none", "-nodefaults", "-no-reboot"]
# Debian's kernels clear pages when they are allocated and when they are handed out: once is enough.
_KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 no_timer_check tsc=reliable init_on_alloc=0"


def arguments(topology: dict) -> list[str]:
    """QEMU's arguments for the processors, the memories, and what the firmware tells of them."""
    nodes = topology["nodes"]
    hmat = topology.get("hmat")
    units = sum(node["cpus"] for node in nodes)
    packages = topology["packages"]
    result = ["-machine", "q35,hmat=on" if hmat else "q35",
              "-m", f"{sum(node['mib'] for node in nodes)}M",
              "-smp", f"{units},sockets={packages},cores={units // packages}"]
    first = 0
    for number, node in enumerate(nodes):
        described = f"node,nodeid={number},memdev=m{number}"
        if node["cpus"]:
            described += f",cpus={first}-{first + node['cpus'] - 1}"
            first += node["cpus"]
        if hmat:
            described += f",initiator={node.get('near', number)}"
        result += ["-object", f"memory-backend-ram,id=m{number},size={node['mib']}M",
                   "-numa", described]
    for source, row in enumerate(topology["distances"]):
        for target, distance in enumerate(row):
            result += ["-numa", f"dist,src={source},dst={target},val={distance}"]
    if hmat:
        initiators = [number for number, node in enumerate(nodes) if node["cpus"]]
        for initiator, latencies, bandwidths in zip(initiators, hmat["latency_ns"],
                                                    hmat["bandwidth_gib"], strict=True):
            pair = f"hmat-lb,initiator={initiator},hierarchy=memory"
            for target, (latency, bandwidth) in enumerate(zip(latencies, bandwidths, strict=True)):
                result += ["-numa", f"{pair},target={target},data-type=access-latency,"
                                    f"latency={latency}",
                           "-numa", f"{pair},target={target},data-type=access-bandwidth,"
                                    f"bandwidth={bandwidth}G"]
    return result


class GuestFailed(Exception):
    """The guest told no exit code: its kernel died, QEMU refused, or it took too long."""


def run(topology: dict, kernel: pathlib.Path, initrd: pathlib.Path, console: pathlib.Path,
        limit_seconds: float, kernel_arguments: str = "") -> int:
    """Relays the guest's output, and returns the exit code that it tells; raises GuestFailed."""
    command = [*_QEMU, *arguments(topology), "-kernel", str(kernel), "-initrd", str(initrd),
               "-append", f"{_KERNEL_ARGUMENTS} {kernel_arguments}".strip(),
               "-serial", f"file:{console}", "-serial", "stdio"]
    console.unlink(missing_ok=True)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as qemu:
        try:
            code = _relay(qemu.stdout, time.monotonic() + limit_seconds)
        except TimeoutError:
            raise GuestFailed(f"no exit code after {limit_seconds:g} s{_tail(console)}") from None
        finally:
            qemu.kill()  # once the exit code is known it has nothing left to do
    if code is None:
        raise GuestFailed(f"the guest ended without an exit code{_tail(console)}")
    return code


def _relay(pipe: typing.IO[bytes], deadline: float) -> int | None:
    """Copies lines to standard output up to the one with the exit code; None: there was none."""
    rest = b""
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        data = os.read(pipe.fileno(), 65536)
        if not data:
            sys.stdout.buffer.write(rest)
            sys.stdout.flush()
            return None
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            if told := image.EXIT_LINE.match(line):
                return int(told[1])
            sys.stdout.buffer.write(line + b"\n")
        sys.stdout.flush()


def _tail(console: pathlib.Path) -> str:
    lines = console.read_text(errors="replace").splitlines() if console.exists() else []
    return "".join(f"\n  {line}" for line in ["; its console ends with:", *lines[-60:]]) if lines else ""
