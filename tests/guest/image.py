"""The guests' initial file system: busybox, the programs and their libraries, files, and the script that runs
the programs. This file writes the cpio archive itself, so that device nodes, root permissions and the owner
of the folder don't matter."""

import pathlib
import re
import stat
import subprocess

# The last line that a guest sends. A newline precedes it, so that it isn't appended to an unfinished line of a test.
EXIT_LINE = re.compile(rb"^guest-exit-code (\d+)$")

# _UNPACKED moves the files, which the kernel unpacks on an arbitrary node, to node 0, which has free memory. The other
# nodes are then the same in every boot.
# _START sets OMP_WAIT_POLICY=passive, so that waiting OpenMP threads sleep: all processing units of the guest share
# one of the host, and a thread that polls would only delay the others.
_UNPACKED = """#!/bin/busybox sh
/bin/busybox mkdir /files
/bin/busybox mount -t tmpfs -o mpol=prefer:0,size=100% files /files
for folder in /*; do
  [ $folder = /files ] || /bin/busybox cp -a $folder /files
done
exec /bin/busybox switch_root /files /start
"""
_START = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp OMP_WAIT_POLICY=passive
mkdir -p /proc /sys /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
[ -d /tmp ] || {{ mkdir /tmp && mount -t tmpfs tmp /tmp; }}  # a clone below /tmp has its libraries there
mount -t debugfs debug /sys/kernel/debug
mount -t cgroup2 cgroup /sys/fs/cgroup
{modules}
stty -F /dev/ttyS1 raw -echo
exec >/dev/ttyS1 2>&1 </dev/null
cd /tmp
status=0
{commands}
printf '\\nguest-exit-code %d\\n' $status
exec >/dev/console 2>&1
poweroff -f
"""


class Image:
    def __init__(self) -> None:
        self._entries: dict[str, tuple[int, bytes]] = {}
        self._modules: list[str] = []
        self.add_file(pathlib.Path("/bin/busybox"), "/bin/busybox")

    def add_file(self, source: pathlib.Path, destination: str) -> None:
        mode = 0o755 if source.stat().st_mode & stat.S_IXUSR else 0o644
        self._add(destination, stat.S_IFREG | mode, source.read_bytes())

    def add_program(self, source: pathlib.Path) -> None:
        """Adds a program as /bin/NAME, and its libraries at the paths where the loader looks for them."""
        self.add_file(source, f"/bin/{source.name}")
        listed = subprocess.run(["ldd", source], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL).stdout
        if "not found" in listed:
            raise SystemExit(f"{source}: a library is missing:\n{listed}")
        for library in re.findall(r"(/\S+) \(0x", listed):
            self.add_file(pathlib.Path(library), library)

    def add_module(self, source: pathlib.Path, parameters: list[str]) -> None:
        """Adds a kernel module, which is loaded before the commands run."""
        self.add_file(source, f"/modules/{source.name}")
        self._modules.append(" ".join(["insmod", f"/modules/{source.name}", *parameters]))

    def set_commands(self, commands: list[str]) -> None:
        """Sets the shell commands, which run sequentially. The exit code is that of the first command that fails."""
        quoted = ["'" + command.replace("'", "'\\''") + "'" for command in commands]
        lines = [f"sh -c {command} || {{ code=$?; [ $status -ne 0 ] || status=$code; }}"
                 for command in quoted]
        script = _START.format(modules="\n".join(self._modules), commands="\n".join(lines))
        self._add("/init", stat.S_IFREG | 0o755, _UNPACKED.encode())
        self._add("/start", stat.S_IFREG | 0o755, script.encode())

    def write(self, path: pathlib.Path) -> None:
        with open(path, "wb") as out:
            for number, (name, (mode, data)) in enumerate(sorted(self._entries.items()), 1):
                out.write(_record(name.lstrip("/"), number, mode, data))
            out.write(_record("TRAILER!!!", 0, 0, b""))

    def _add(self, destination: str, mode: int, data: bytes) -> None:
        for parent in list(pathlib.PurePosixPath(destination).parents)[:-1]:
            self._entries.setdefault(str(parent), (stat.S_IFDIR | 0o755, b""))
        self._entries[destination] = (mode, data)


def _record(name: str, inode: int, mode: int, data: bytes) -> bytes:
    """Returns one entry in cpio's "newc" format: 13 numbers of 8 hex digits, the name, and the data. Name and
    data are padded to multiples of 4 bytes."""
    encoded = name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    numbers = [inode, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(encoded), 0]
    header = b"070701" + b"".join(b"%08x" % number for number in numbers) + encoded
    return _padded(header) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
