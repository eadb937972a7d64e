"""The API is what its OpenAPI document says: schemathesis tries to find out otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from onthedot.records.access.api_key import key_key, tenant_key
from onthedot.store import table_reads
from tests.api.kit import Api
from tests.api.web import Start, application

pytestmark = pytest.mark.deep

# `make fuzz-api` plays ten of them.
SEEDS = range(20261118, 20261118 + int(os.environ.get("FUZZ_API", "1")))
EXAMPLES = os.environ.get("EXAMPLES", "10")
CONFIG = Path(__file__).with_name("schemathesis.toml")


class Quiet(WSGIRequestHandler):
    """Does not write a line a request."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(key: str) -> Iterator[str]:
    """Yields the API on loopback; a key that opens whatever is done to it."""
    kept = table_reads.get("access", key_key(f"key_{key.split('_')[1]}"))
    assert kept is not None

    def keeping(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        answer = application(environ, start)
        if environ["REQUEST_METHOD"] == "DELETE":
            # Links lead to every key that a list shows, this one too.
            table_reads.put("access", kept)
        return answer

    with make_server("127.0.0.1", 0, keeping, handler_class=Quiet) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("seed", SEEDS)
def test_every_route_does_what_the_document_says(api: Api, tmp_path: Path, seed: int) -> None:
    table_reads.put("access", tenant_key("acme") | {"requests_per_min": 10_000_000})
    key = api.key()
    with served(key) as url:
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run"),
            *(f"{url}/v1/openapi.json", "--checks", "all", "--seed", str(seed), "-n", EXAMPLES),
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
    assert "Stateful" in done.stdout
