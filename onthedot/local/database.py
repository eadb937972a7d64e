"""Starts DynamoDB on this machine: Dynoxide, whose file survives any kill."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from botocore.exceptions import ClientError

from onthedot.local import clients, ports
from onthedot.local.children import Children
from onthedot.local.folder import PRIVATE_FILE, PROJECT, Folder
from onthedot.records import schema

DYNOXIDE = Path(os.environ.get("DYNOXIDE", PROJECT / "node_modules/@dynoxide/linux-x64/dynoxide"))
TABLES = {"TasksTable": schema.TASKS, "RunsTable": schema.RUNS, "AccessTable": schema.ACCESS}
# One thread: its writes wait for one file anyway, and more threads only compete.
_ENVIRONMENT = {"TOKIO_WORKER_THREADS": "1"}


def exists() -> bool:
    """Tells whether Dynoxide has a program for this machine."""
    return DYNOXIDE.exists()


def start(folder: Folder, children: Children, port: int) -> subprocess.Popen[bytes]:
    """Starts it on the folder's file. Returns once it answers."""
    options = {"--port": str(port), "--db-path": str(folder.database)}
    command = [str(DYNOXIDE), "serve", *(text for pair in options.items() for text in pair)]
    for older in folder.root.glob(f"{folder.database.name}*"):
        older.chmod(PRIVATE_FILE)
    process = children.start(command, _ENVIRONMENT, log=folder.log("dynoxide"), cwd=folder.root)
    ports.wait(port, process, folder.log("dynoxide"))
    return process


def make_tables(endpoint: str, outputs: Mapping[str, str]) -> None:
    """Makes the stack's tables under their deployed names. Existing tables stay."""
    dynamodb = clients.client("dynamodb", endpoint)
    for output, declared in TABLES.items():
        try:
            dynamodb.create_table(**schema.creation(declared, outputs[output]))
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceInUseException":
                raise
