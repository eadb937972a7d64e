"""DynamoDB on this machine: Dynoxide, whose file survives any kill."""

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
# One lane: its writes queue for one file anyway, and more threads only contend.
_ENVIRONMENT = {"TOKIO_WORKER_THREADS": "1"}


def exists() -> bool:
    """Tell whether Dynoxide has a program for this machine."""
    return DYNOXIDE.exists()


def start(folder: Folder, children: Children, port: int) -> subprocess.Popen[bytes]:
    """Start it on the folder's file; return once it answers."""
    options = {"--port": str(port), "--db-path": str(folder.database)}
    command = [str(DYNOXIDE), "serve", *(text for pair in options.items() for text in pair)]
    for older in folder.root.glob(f"{folder.database.name}*"):
        older.chmod(PRIVATE_FILE)
    process = children.start(command, _ENVIRONMENT, log=folder.log("dynoxide"), cwd=folder.root)
    ports.wait(port, process, folder.log("dynoxide"))
    return process


def make_tables(endpoint: str, outputs: Mapping[str, str]) -> None:
    """Make the stack's tables under the names it gave them; those that are there stay."""
    dynamodb = clients.client("dynamodb", endpoint)
    for output, declared in TABLES.items():
        try:
            dynamodb.create_table(**schema.creation(declared, outputs[output]))
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceInUseException":
                raise
