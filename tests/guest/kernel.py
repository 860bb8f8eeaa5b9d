"""The guests' kernel: Debian's package for virtual machines, fetched once and unpacked into the build
folder. Installing it would change the boot loader of the user's machine; this doesn't touch it."""

import fcntl
import os
import pathlib
import shutil
import subprocess
import tempfile

META_PACKAGE = "linux-image-cloud-amd64"


class Kernel:
    def __init__(self, tree: pathlib.Path):
        self.image = next(tree.glob("boot/vmlinuz-*"))
        self._modules = next(tree.glob("lib/modules/*"))

    def module(self, name: str) -> pathlib.Path:
        found = next(self._modules.glob(f"kernel/**/{name}.ko"), None)
        if found is None:
            raise SystemExit(f"{self._modules.name}: no module '{name}' (it may be built in)")
        return found


def fetch(folder: pathlib.Path) -> Kernel:
    """From `folder` if it was fetched before (no network is needed then), else by apt-get."""
    tree = folder / "kernel"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "kernel.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two tests may start at once
        if not tree.exists():
            _download(folder, tree)
    return Kernel(tree)


def _download(folder: pathlib.Path, tree: pathlib.Path) -> None:
    package = _real_package()
    print(f"fetching {package} (once)", flush=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        done = subprocess.run(["apt-get", "-q", "download", package], cwd=scratch, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        packages = list(pathlib.Path(scratch).glob("*.deb"))
        if done.returncode != 0 or len(packages) != 1:
            raise SystemExit(f"apt-get download {package} failed; run apt-get update as root, and "
                             f"try again:\n{done.stdout}")
        unpacked = pathlib.Path(scratch) / "tree"
        subprocess.run(["dpkg", "-x", packages[0], unpacked], check=True)
        os.rename(unpacked, tree)


def _real_package() -> str:
    """The meta package only depends on the package that holds the kernel."""
    if shutil.which("apt-cache") is None:
        raise SystemExit("no apt-cache here: the guest tests take their kernel from Debian")
    lines = subprocess.run(["apt-cache", "depends", META_PACKAGE], text=True, check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
    for line in lines:
        if line.strip().startswith("Depends: linux-image-"):
            return line.split()[1]
    raise SystemExit(f"apt knows no {META_PACKAGE}; run apt-get update as root, and try again")
