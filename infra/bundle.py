"""Builds what the functions are made of: our code as it is, and packages in layers.

uv builds the layers for the machine they will run on, so no Docker is needed.
"""

import re
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePath
from tempfile import NamedTemporaryFile

from aws_cdk import IgnoreMode
from aws_cdk import aws_lambda as lambda_

from infra.cut_lock import Pin, pins
from infra.settings import Settings
from onthedot.local import whole_folders

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("jobs", "lambdas", "onthedot")
BUILT = ROOT / ".cdk" / "layers"
# What users' handlers import. `make setup` installs it on this machine.
JOBS = ROOT / "jobs" / "requirements.txt"
# A cloud is named as pip names it, manylinux_2_28_aarch64; so is a Mac, macosx_14_0_arm64.
_LINUX = re.compile(r"(manylinux\w+)_(x86_64|aarch64)")
_MAC = re.compile(r"macosx_\w+_(x86_64|arm64)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Packages:
    """Folders with the content of the layers."""

    # What every function loads, and what only the api function loads.
    common: Path
    api: Path
    # What the handlers in `jobs/` ask for, if they ask for anything.
    jobs: Path | None = None


def packages(settings: Settings) -> Packages:
    """Builds both layers, unless their sources have not changed since."""
    common = _pins("requirements.txt")
    api = {name: pin for name, pin in _pins("requirements-api.txt").items() if name not in common}
    return Packages(
        common=_layer(common, settings), api=_layer(api, settings), jobs=_layer_of_jobs(settings)
    )


def code(ca_bundle: str = "") -> lambda_.Code:
    """Returns all our code for every function, so that all have the same version.

    A bundle of certificates goes with it, at the same place as here.
    """
    kept = [pattern for folder in FOLDERS for pattern in (f"!{folder}", f"!{folder}/**")]
    if ca_bundle:
        path = _loadable(ca_bundle)
        folders = [f"!{folder}" for folder in path.parents if folder.name]
        kept += [*reversed(folders), f"!{path}"]
    without = ("**/__pycache__", "lambdas/*.txt", "jobs/*.txt")
    return lambda_.Code.from_asset(
        str(ROOT), exclude=["*", *kept, *without], ignore_mode=IgnoreMode.GIT
    )


def _loadable(ca_bundle: str) -> PurePath:
    """Refuses what the functions could not load: every one that calls targets would fail."""
    path = PurePath(ca_bundle)
    if path.is_absolute() or ".." in path.parts or not (ROOT / path).is_file():
        raise ValueError(f"context ca_bundle is {ca_bundle!r}; give a file of this project")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(ROOT / path)
    except ssl.SSLError as failure:
        raise ValueError(f"context ca_bundle is {ca_bundle!r}; give PEM: {failure}") from failure
    return path


def _pins(name: str) -> dict[str, Pin]:
    return pins((ROOT / "lambdas" / name).read_text())


def _layer(wanted: Mapping[str, Pin], settings: Settings) -> Path:
    lock = "".join(pin.line() for pin in wanted.values())
    asked = ["--require-hashes", "--no-deps", *_for_the_machine(settings)]
    return _built(lock, asked, _trim)


def _layer_of_jobs(settings: Settings) -> Path | None:
    """Builds what `jobs/requirements.txt` asks for, with what that needs. Our pins stay."""
    if not JOBS.exists():
        return None
    pinned = f"--constraint={ROOT / 'requirements.txt'}"
    return _built(JOBS.read_text(), [pinned, *_for_the_machine(settings)], lambda _: None)


def _for_the_machine(settings: Settings) -> list[str]:
    return [
        "--no-compile",
        "--only-binary=:all:",
        f"--python-platform={_platform(settings.platform)}",
        f"--python-version={settings.python}",
    ]


def _built(lock: str, asked: Sequence[str], finish: Callable[[Path], None]) -> Path:
    """Names the folder after everything that decides its content, and reuses an existing one."""
    decisive = "\n".join([lock, *asked, Path(__file__).read_text()])
    folder = BUILT / sha256(decisive.encode()).hexdigest()[:16]
    if not folder.exists():
        unfinished = whole_folders.begun(BUILT)
        _install(lock, asked, unfinished / "python")
        finish(unfinished / "python")
        # Two builds at once make the same content. The later one finds the folder and keeps it.
        if not whole_folders.moved(unfinished, folder):
            shutil.rmtree(unfinished)
    return folder


def _platform(pips: str) -> str:
    """Translates pip's name of a platform to uv's."""
    if linux := _LINUX.fullmatch(pips):
        return f"{linux[2]}-{linux[1]}"
    if mac := _MAC.fullmatch(pips):
        return f"{mac[1].replace('arm64', 'aarch64')}-apple-darwin"
    raise ValueError(f"context platform is {pips!r}; give one like manylinux_2_28_aarch64")


def _install(lock: str, asked: Sequence[str], target: Path) -> None:
    uv = [str(ROOT / ".venv-uv/bin/python"), "-I", str(ROOT / "infra/uv_command.py"), "pip"]
    # uv takes hashes from a file only.
    with NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(lock)
        file.flush()
        command = [*uv, "install", "--quiet", *asked, "--python", sys.executable]
        command += ["--requirement", file.name, "--target", str(target)]
        # `make setup` has fetched what this machine needs: that takes no network.
        kept = subprocess.run([*command, "--offline"], check=False, capture_output=True)  # noqa: S603 our own uv and our own lock
        if kept.returncode != 0:
            subprocess.run(command, check=True)  # noqa: S603 the same
    (target / ".lock").unlink()


def _trim(target: Path) -> None:
    """Removes what our packages never read. Those of others may read anything."""
    for unused in ("bin", "*.dist-info", "**/tests"):
        for folder in list(target.glob(unused)):
            shutil.rmtree(folder)
    # A page that we do not serve, an eighth of everything.
    for page in target.glob("**/swagger_ui/*.min.*"):
        page.unlink()
