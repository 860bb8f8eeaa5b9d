"""The guests' kernel: Debian's package for virtual machines, downloaded once and unpacked into the build
folder. It isn't installed, as that would change this computer's boot loader."""

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


def fetch(folder: pathlib.Path, backports: bool = False) -> Kernel:
    """Returns the kernel in `folder`. If it is missing, downloads it by apt-get; otherwise needs no network.
    With `backports`, it is the newer kernel of the release's backports."""
    tree = folder / ("kernel-backports" if backports else "kernel")
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "kernel.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two tests may start concurrently
        if not tree.exists():
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                options = _backports(pathlib.Path(scratch)) if backports else []
                _download(pathlib.Path(scratch), tree, options)
    return Kernel(tree)


def _backports(scratch: pathlib.Path) -> list[str]:
    """Returns options by which apt finds the backports, from the server of this system's release. Package
    lists are separate, so that the system's sources stay unchanged."""
    lines = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)",
                            "Created-By: Packages"], text=True, check=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    release = next((line.split() for line in lines if "-" not in line.split()[1]), None)
    if release is None:
        raise SystemExit("apt has no Debian release among its sources; see /etc/apt/sources.list.d")
    uri, codename = release
    keyring = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    signed = f"[signed-by={keyring}] " if keyring.exists() else ""
    (scratch / "sources.list").write_text(f"deb {signed}{uri} {codename}-backports main\n")
    for name in ("lists/partial", "cache/archives/partial"):
        (scratch / name).mkdir(parents=True)
    options = ["-o", f"Dir::Etc::SourceList={scratch}/sources.list", "-o",
               "Dir::Etc::SourceParts=/dev/null", "-o", f"Dir::State::Lists={scratch}/lists",
               "-o", f"Dir::Cache={scratch}/cache"]
    done = subprocess.run(["apt-get", *options, "-q", "update"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise SystemExit(f"apt-get can't reach {codename}-backports:\n{done.stdout}")
    return options


def _download(scratch: pathlib.Path, tree: pathlib.Path, options: list[str]) -> None:
    package = _real_package(options)
    print(f"fetching {package} (once)", flush=True)
    done = subprocess.run(["apt-get", *options, "-q", "download", package], cwd=scratch,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    packages = list(scratch.glob("*.deb"))
    if done.returncode != 0 or len(packages) != 1:
        raise SystemExit(f"apt-get download {package} failed; run apt-get update as root, and "
                         f"try again:\n{done.stdout}")
    unpacked = scratch / "tree"
    subprocess.run(["dpkg", "-x", packages[0], unpacked], check=True)
    os.rename(unpacked, tree)


def _real_package(options: list[str]) -> str:
    """Returns the package that contains the kernel; the meta package depends on it."""
    if shutil.which("apt-cache") is None:
        raise SystemExit("no apt-cache here: the guest tests take their kernel from Debian")
    lines = subprocess.run(["apt-cache", *options, "depends", META_PACKAGE], text=True, check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
    for line in lines:
        if line.strip().startswith("Depends: linux-image-"):
            return line.split()[1]
    raise SystemExit(f"apt knows no {META_PACKAGE}; run apt-get update as root, and try again")
