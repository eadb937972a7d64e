"""Starts the cloud on this machine: MiniStack, which runs our Lambdas in its process group."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from onthedot.local import ports
from onthedot.local.children import Children
from onthedot.local.folder import PROJECT, Folder

MINISTACK = Path(os.environ.get("MINISTACK", PROJECT / ".venv-cloud/bin/ministack"))


def start(
    folder: Folder, children: Children, port: int, settings: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Starts it empty, on loopback. Returns once it answers.

    Its Lambdas inherit this environment and nothing of the user's.
    """
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder.scratch),
        "TMPDIR": str(folder.scratch),
        "STATE_DIR": str(folder.scratch / "state"),
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "MINISTACK_HOST": "localhost",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "PERSIST_STATE": "0",
        "LOG_LEVEL": "WARNING",
        **settings,
    }
    log = folder.log("ministack")
    process = children.start([MINISTACK], environment, log=log, cwd=folder.root)
    ports.wait(port, process, log)
    return process
