"""Runs the CDK's own command line against the emulator instead of AWS."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from pathlib import Path

from onthedot.local import clients
from onthedot.local.children import Children
from onthedot.local.folder import PROJECT, Folder
from onthedot.local.ports import StartError

_CDK = PROJECT / "node_modules/.bin/cdk"
_MAX_SEC = 300
_LINES_SHOWN = 20


def bootstrap(folder: Folder, children: Children, endpoint: str) -> None:
    """Makes what every deployment needs. It runs away from cdk.json, so that no app is built."""
    command = ["bootstrap", f"aws://{clients.ACCOUNT}/{clients.REGION}"]
    _run(folder, children, endpoint, command=command, cwd=folder.root)


def deploy(folder: Folder, children: Children, endpoint: str, output: Path) -> None:
    """Deploys the stack from an empty folder: the CDK trusts whatever it finds in one."""
    options = [text for pair in context().items() for text in ("--context", "=".join(pair))]
    command = ["deploy", "--require-approval", "never", "--output", str(output), *options]
    _run(folder, children, endpoint, command=command, cwd=PROJECT)


def context() -> dict[str, str]:
    """Returns what differs from a deployment to AWS: packages, plain alarms, names of its own."""
    built_for = re.sub(r"\W", "_", sysconfig.get_platform())
    return {
        "platform": built_for.replace("linux_", "manylinux_2_28_"),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        # MiniStack refuses alarms that compute.
        "metric_math": "false",
        # Here is one stack, with tables of its own.
        "stage": "",
        "kept": "",
    }


def _run(
    folder: Folder, children: Children, endpoint: str, *, command: list[str], cwd: Path
) -> None:
    log = folder.log(f"cdk-{command[0]}")
    process = children.start([_CDK, *command], _environment(folder, endpoint), log=log, cwd=cwd)
    try:
        if process.wait(_MAX_SEC) != 0:
            raise StartError(f"cdk {command[0]} failed:\n{_end_of(log)}")
    finally:
        children.end(process, patience_sec=1)


def _environment(folder: Folder, endpoint: str) -> dict[str, str]:
    """Returns the user's environment without anything that leads to a real account."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {
        **kept,
        **clients.KEYS,
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_REGION": clients.REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        # What it unpacks there is deleted with the rest if it is killed.
        "TMPDIR": str(folder.scratch),
        # The CDK remembers the account of a key. This key has another account elsewhere.
        "CDK_HOME": str(folder.root / "cdk-home"),
        "CDK_DEFAULT_ACCOUNT": clients.ACCOUNT,
        "CDK_DEFAULT_REGION": clients.REGION,
        "CDK_DISABLE_CLI_TELEMETRY": "true",
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(PROJECT / ".cdk/jsii"),
        "NODE_OPTIONS": "--no-warnings",
    }


def _end_of(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-_LINES_SHOWN:])
