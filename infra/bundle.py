"""Builds what the functions are made of: our code as it is, and packages in layers.

pip builds the layers for the machine they will run on, so no Docker is needed.
"""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from aws_cdk import IgnoreMode
from aws_cdk import aws_lambda as lambda_

from infra.cut_lock import Pin, pins
from infra.settings import Settings
from onthedot.local import whole_folders

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("jobs", "lambdas", "onthedot")
BUILT = ROOT / ".cdk" / "layers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Packages:
    """Folders with the content of the layers."""

    # What every function loads, and what only the api function loads.
    common: Path
    api: Path


def packages(settings: Settings) -> Packages:
    """Builds both layers, unless their sources have not changed since."""
    common = _pins("requirements.txt")
    api = {name: pin for name, pin in _pins("requirements-api.txt").items() if name not in common}
    return Packages(common=_layer(common, settings), api=_layer(api, settings))


def code() -> lambda_.Code:
    """Returns all our code for every function, so that all have the same version."""
    kept = [pattern for folder in FOLDERS for pattern in (f"!{folder}", f"!{folder}/**")]
    without = ("**/__pycache__", "lambdas/*.txt")
    return lambda_.Code.from_asset(
        str(ROOT), exclude=["*", *kept, *without], ignore_mode=IgnoreMode.GIT
    )


def _pins(name: str) -> dict[str, Pin]:
    return pins((ROOT / "lambdas" / name).read_text())


def _layer(wanted: Mapping[str, Pin], settings: Settings) -> Path:
    """Names the folder after everything that decides its content, and reuses an existing one."""
    lock = "".join(pin.line() for pin in wanted.values())
    asked = [
        "--require-hashes",
        "--no-deps",
        "--no-compile",
        "--only-binary=:all:",
        *_platforms(settings.platform),
        f"--python-version={settings.python}",
    ]
    decisive = "\n".join([lock, *asked, Path(__file__).read_text()])
    folder = BUILT / sha256(decisive.encode()).hexdigest()[:16]
    if not folder.exists():
        unfinished = whole_folders.begun(BUILT)
        _install(lock, asked, unfinished / "python")
        # Two builds at once make the same content. The later one finds the folder and keeps it.
        if not whole_folders.moved(unfinished, folder):
            shutil.rmtree(unfinished)
    return folder


def _platforms(newest: str) -> list[str]:
    """Returns the platforms that the newest runs: a newer Linux runs what an older one does."""
    older = newest.replace("manylinux_2_28_", "manylinux2014_")
    return [f"--platform={each}" for each in dict.fromkeys((newest, older))]


def _install(lock: str, asked: list[str], target: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    # pip reads hashes only from a file.
    with NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(lock)
        file.flush()
        command = [*pip, *asked, "--requirement", file.name, "--target", str(target)]
        subprocess.run(command, check=True)  # noqa: S603 our own interpreter and our own lock
    for unused in ("bin", "*.dist-info", "**/tests"):
        for folder in list(target.glob(unused)):
            shutil.rmtree(folder)
    # A page that we do not serve, an eighth of everything.
    for page in target.glob("**/swagger_ui/*.min.*"):
        page.unlink()
