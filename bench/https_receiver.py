"""Receives https requests, and notes when each came."""

from __future__ import annotations

import asyncio
import ssl
import time
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def certificate(folder: Path) -> Path:
    """Writes a certificate of localhost, with its key, which has signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "localhost.pem"
    path.write_bytes(private + made.public_bytes(pem))
    return path


def receive(there: Connection, path: str) -> None:
    """Serves until it is ended. Asked "when", it tells what came since the last time."""
    asyncio.run(_serve(there, path))


async def _serve(there: Connection, path: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    came: dict[str, float] = {}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                at = time.time()
                headers = dict(
                    line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if line
                )
                came[headers[b"idempotency-key"].decode()] = at
                await reader.readexactly(int(headers.get(b"content-length", b"0")))
                writer.write(_ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def tell() -> None:
        there.recv()
        there.send(dict(came))
        came.clear()

    server = await asyncio.start_server(answer, "localhost", 0, ssl=context)
    there.send(server.sockets[0].getsockname()[1])
    asyncio.get_running_loop().add_reader(there.fileno(), tell)
    await server.serve_forever()
