"""Runs one call in separate folders, and records the files and processes that it leaves."""

import ctypes
import hashlib
import os
import re
import resource
import select
import shutil
import signal
import stat
import time
from dataclasses import dataclass

from . import environments, values
from .damage import damaged

SECONDS = 20
MEMORY = 1 << 30  # limit of a call's memory in bytes; all inputs are small
CACHED = re.compile(r"^[\w.+-]+-[0-9a-f]{16,64}(\.cpp|\.map)?$")  # a finished file of the cache of compiled programs
PR_SET_CHILD_SUBREAPER = 36


@dataclass
class Outcome:
    code: int  # negative: minus the number of the signal
    stdout: bytes
    stderr: bytes
    seconds: float  # processor time, or more than SECONDS if the call was stopped for its time
    memory: int  # bytes
    changes: dict  # path below the sandbox: "new", "changed" or "gone"
    left_running: str  # the name of a process that outlived the call


def description(path):
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return "link", os.readlink(path)
    if not stat.S_ISREG(status.st_mode):
        return "folder", stat.S_IMODE(status.st_mode)
    digest = ""
    if status.st_size < 1 << 26:
        try:
            with open(path, "rb") as file:
                digest = hashlib.blake2b(file.read(), digest_size=8).hexdigest()
        except PermissionError:
            digest = str(status.st_mtime_ns)
    return "file", stat.S_IMODE(status.st_mode), status.st_size, digest


def tree(folder):
    found = {}
    for here, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(here, name)
            found[os.path.relpath(path, folder)] = description(path)
    return found


def remove(folder):
    for here, folders, _ in os.walk(folder):
        for name in folders:
            path = os.path.join(here, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)
    shutil.rmtree(folder)


def resident_bytes(group):
    """Returns the memory of all running processes of a session, and their names."""
    total, names = 0, []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                name, _, rest = file.read().partition("(")[2].rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        if int(fields[3]) == group and fields[0] not in "ZX":  # a child may have its own process group
            total += int(fields[21]) * resource.getpagesize()
            names.append(name)
    return total, names


class Captured:
    """Standard output and standard error of a call, up to 16 MiB of each. They are pipes, to which limits of
    file sizes don't apply."""

    def __init__(self):
        (out, out_end), (error, error_end) = os.pipe(), os.pipe()
        self.ends, self.open, self.read_bytes = (out_end, error_end), {out, error}, {out: b"", error: b""}
        for pipe in self.open:
            os.set_blocking(pipe, False)

    @property
    def pipes(self):
        return list(self.open)

    def close_ends(self):
        for end in self.ends:
            os.close(end)

    def read(self):
        for pipe in self.pipes:
            try:
                while block := os.read(pipe, 1 << 16):
                    if len(self.read_bytes[pipe]) < 1 << 24:
                        self.read_bytes[pipe] += block
                self.open.discard(pipe)  # the other end is closed
            except BlockingIOError:
                pass

    def texts(self):
        self.read()
        for pipe in self.read_bytes:
            os.close(pipe)
        return list(self.read_bytes.values())


class Sandbox:
    """The folders of one worker: samples, which are copied for each call, and the cache of compiled programs,
    which all calls share."""

    def __init__(self, folder, build, samples, user=None):
        self.folder, self.build, self.samples, self.user = str(folder), str(build), samples, user
        self.cache = os.path.join(self.folder, "cache")
        os.makedirs(self.cache)
        os.chmod(self.folder, 0o755)
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def prepare(self, call, place, kept=False):
        """Creates the folders work, home and tmp of a call. With `kept`, they belong to the user who runs this tool."""
        work, home = os.path.join(place, "work"), os.path.join(place, "home")
        for folder in (place, work, os.path.join(home, ".cache", "atoll"), os.path.join(place, "tmp")):
            os.makedirs(folder)
        for name in {value[len("{tmp}/"):] for value in call.setting.variables.values()
                     if value and value.startswith("{tmp}/")}:
            os.mkdir(os.path.join(place, "tmp", name))
        values.furnish(work)
        for name, (sample, kind, seed) in call.inputs.items():
            file_name, content = self.samples[sample]
            path = os.path.join(work, name)
            with open(path, "wb") as file:
                file.write(damaged(content, kind, seed) if kind else content)
            if file_name == "script":
                os.chmod(path, 0o755)
        for name in [] if kept else os.listdir(self.cache):
            os.link(os.path.join(self.cache, name), os.path.join(home, ".cache", "atoll", name))
        if self.user is not None and not kept:
            for here, _, files in os.walk(place):
                for path in [here, *(os.path.join(here, name) for name in files)]:
                    os.chown(path, self.user, self.user, follow_symlinks=False)
        os.chmod(os.path.join(home, ".cache", "atoll"), 0o700)
        values.lock(work)

    def variables(self, call, place):
        made = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": f"{place}/home", "TMPDIR": f"{place}/tmp",
                "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "2"}
        for name, value in call.setting.variables.items():
            if value is None:
                made.pop(name, None)
            else:
                for folder in ("work", "home", "tmp"):
                    value = value.replace("{%s}" % folder, f"{place}/{folder}")
                made[name] = value
        return made

    def arguments(self, call):
        """Returns the program's path and its arguments."""
        words = [os.path.join(self.build, word) if word.startswith("apps/") else word for word in call.words]
        return [os.path.join(self.build, call.program), *words]

    def child(self, call, place, ends):
        """Executes the program of the call in this process. Doesn't return."""
        try:
            os.setsid()
            os.chdir(os.path.join(place, "work"))
            os.umask(0o022)
            standard = {0: os.open("/dev/null", os.O_RDONLY), 1: ends[0], 2: ends[1]}
            for stream, descriptor in standard.items():
                os.dup2(descriptor, stream)
            for stream, path in call.setting.streams.items():
                if path is None:
                    os.close(stream)
                else:
                    opened = os.open(path, os.O_WRONLY if stream else os.O_RDONLY)
                    os.dup2(opened, stream)
            os.closerange(3, 64)
            if call.setting.no_proc:
                environments.hide_proc()
            if self.user is not None:
                os.setgroups([])
                os.setresgid(self.user, self.user, self.user)
                os.setresuid(self.user, self.user, self.user)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for letter, limit in call.setting.limits.items():
                limit *= environments.UNITS.get(letter, 1)
                resource.setrlimit(environments.LIMITS[letter], (limit, limit))
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            arguments = [os.fsencode(word) for word in self.arguments(call)]
            variables = {os.fsencode(k): os.fsencode(v) for k, v in self.variables(call, place).items()}
            os.execve(arguments[0], arguments, variables)
        except BaseException:
            pass
        os._exit(99)

    def wait(self, process, captured):
        """Waits for the end of a call. Returns (status, usage, True if it was stopped, largest memory seen in
        bytes). `captured` reads the output."""
        begin, seen = time.monotonic(), 0
        active, ticks = begin, 0.0  # time when the call last used the processor, and its processor time until then
        descriptor = os.pidfd_open(process)
        stopped = False
        looked = begin
        while True:
            ready = select.select([descriptor, *captured.pipes], [], [], 0.25)[0]
            captured.read()
            if descriptor in ready:
                break
            if ready and time.monotonic() - looked < 0.25:
                continue
            looked = time.monotonic()
            used = resident_bytes(process)[0]
            seen = max(seen, used)
            now = time.monotonic()
            # Other programs may slow down the call, so its own processor time counts, unless it sleeps for
            # long.
            late = False
            if now - begin > SECONDS:
                total, waits_for_disk = self.processor_seconds(process)
                if total > ticks or waits_for_disk:
                    active, ticks = now, total
                late = total > SECONDS or now - active > SECONDS / 2 or now - begin > 15 * SECONDS
            if late or used > 2 * MEMORY:
                stopped = True
                os.killpg(process, signal.SIGKILL)
                break
        os.close(descriptor)
        _, status, usage = os.wait4(process, 0)
        return status, usage, stopped, seen

    @staticmethod
    def processor_seconds(process):
        """Returns the processor time of all processes of a session, including their ended children, and True
        if one of them waits for a disk, which other programs may keep busy."""
        ticks, waits_for_disk = 0, False
        for one in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{one}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == process:
                ticks += sum(map(int, fields[11:15]))
                waits_for_disk = waits_for_disk or fields[0] == "D"
        return ticks / os.sysconf("SC_CLK_TCK"), waits_for_disk

    def end_leftovers(self, process):
        """Waits until all processes of the call have ended. Kills the remaining ones, and returns the name of
        one of them."""
        names = []
        for pause in (0, 0.05, 0.2, 0.5, 1.0, 2.0):
            time.sleep(pause)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return ""
            names = resident_bytes(process)[1]
            if not names:
                break
        for one in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.getsid(int(one)) == process:
                    os.kill(int(one), signal.SIGKILL)
            except OSError:
                continue
        return names[0] if names else ""

    def keep_compiled(self, place, before, after):
        """Adds the programs that this call compiled to the cache of later calls."""
        folder = "home/.cache/atoll/"
        for path in after.keys() - before.keys():
            if path.startswith(folder) and CACHED.match(path[len(folder):]):
                os.link(os.path.join(place, path), os.path.join(self.cache, path[len(folder):]))

    def run(self, call, place=None, keep=False):
        place = place or os.path.join(self.folder, "call")
        self.prepare(call, place)
        before = tree(place)
        captured = Captured()
        process = os.fork()
        if process == 0:
            self.child(call, place, captured.ends)
        captured.close_ends()
        status, usage, stopped, seen = self.wait(process, captured)
        left = self.end_leftovers(process)
        texts = captured.texts()
        after = tree(place)
        changes = {path: "new" if path not in before else "gone" if path not in after else "changed"
                   for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        changes.update(self.strangers())
        code = os.waitstatus_to_exitcode(status)
        if code == 0 and call.setting == environments.Setting() and not stopped:
            self.keep_compiled(place, before, after)
        if not keep:
            remove(place)
        seconds = SECONDS + 1 if stopped and seen <= 2 * MEMORY else usage.ru_utime + usage.ru_stime
        return Outcome(code, *texts, seconds, max(seen, usage.ru_maxrss * 1024), changes, left)

    def strangers(self):
        """Removes the files of this worker's user in folders shared by all programs, and returns them."""
        found = {}
        if self.user is None:
            return found
        for folder in ("/tmp", "/var/tmp", "/dev/shm"):
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                try:
                    if os.lstat(path).st_uid != self.user:
                        continue
                except OSError:
                    continue
                found[path] = "new"
                if os.path.isdir(path) and not os.path.islink(path):
                    remove(path)
                else:
                    os.unlink(path)
        return found
