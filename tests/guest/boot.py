"""Boots a guest in QEMU and copies its output. QEMU emulates the processors: this is slow, but gives the same
results on every host and doesn't need KVM."""

import os
import pathlib
import select
import subprocess
import sys
import time
import typing

import image

# One emulation thread: with several, 200 OpenMP barriers took 16 s instead of 2 ms.
# -no-reboot and the kernel's `panic=-1` end QEMU when the guest's kernel panics.
# -cx16: QEMU 7.2 corrupts the flags of this instruction, which allocators of newer kernels use.
_QEMU = ["qemu-system-x86_64", "-accel", "tcg,thread=single", "-cpu", "max,-cx16", "-display",
         "none", "-nodefaults", "-no-reboot"]
# By default, Debian's kernels clear pages when they are allocated, and again when a process gets them.
# init_on_alloc=0 disables the former.
_KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 no_timer_check tsc=reliable init_on_alloc=0"


def arguments(topology: dict) -> list[str]:
    """Returns QEMU's arguments for the processors, the memories and the firmware tables that describe them."""
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
    """The guest sent no exit code: its kernel panicked, QEMU failed, or the time limit ended."""


def run(topology: dict, kernel: pathlib.Path, initrd: pathlib.Path, console: pathlib.Path,
        limit_seconds: float, kernel_arguments: str = "") -> int:
    """Copies the guest's output to standard output, and returns the exit code that it sends. Raises
    GuestFailed if it sends none."""
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
            qemu.kill()  # after the exit code, the guest only shuts down
    if code is None:
        raise GuestFailed(f"the guest ended without an exit code{_tail(console)}")
    return code


def _relay(pipe: typing.IO[bytes], deadline: float) -> int | None:
    """Copies lines to standard output until the one with the exit code. Returns None if there is none."""
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
