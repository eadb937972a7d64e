"""The API is what its OpenAPI document says: schemathesis tries to find out otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, make_server

from onthedot.adapters import tables
from onthedot.core.access import tenant_key
from tests.api.kit import Api
from tests.api.web import application

SEED = "20261118"
EXAMPLES = "10"
CONFIG = Path(__file__).with_name("schemathesis.toml")


class Quiet(WSGIRequestHandler):
    """Does not write a line a request."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[str]:
    """The API on loopback."""
    with make_server("127.0.0.1", 0, application, handler_class=Quiet) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_every_route_does_what_the_document_says(api: Api, tmp_path: Path) -> None:
    tables.put("access", tenant_key("acme") | {"requests_per_min": 10_000_000})
    key = api.key()
    with served() as url:
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run"),
            *(f"{url}/v1/openapi.json", "--checks", "all", "--seed", SEED, "-n", EXAMPLES),
            *("--header", f"Authorization: Bearer {key}", "--no-color"),
        ]
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        )

    assert done.returncode == 0, done.stdout[-20_000:]
