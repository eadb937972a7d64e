"""Runs uv as this machine's pip is set up: `uv_command.py pip sync …`.

Where packages come from is the machine's own setting, and pip's files are where it stands.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

# pip's settings and uv's variables. What a machine sets for uv itself wins.
_VARIABLES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "proxy": "ALL_PROXY",
    "cert": "SSL_CERT_FILE",
    "timeout": "UV_HTTP_TIMEOUT",
    "default-timeout": "UV_HTTP_TIMEOUT",
}
_COMMAS = {"UV_FIND_LINKS"}
# A later one wins, as in pip.
_SECTIONS = ("global", "install", ":env:")
_ALIKE = {
    # pip takes a version from whichever index has it. A hash says which file it must be.
    "UV_INDEX_STRATEGY": "unsafe-best-match",
    # It trusts the authorities that the system trusts.
    "UV_SYSTEM_CERTS": "1",
}


def variables(config: Iterable[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Adds the lines of `pip config list` to the environment, as variables of uv."""
    settings = sorted(_settings(config), key=lambda each: _SECTIONS.index(each[0]))
    found = dict(_ALIKE)
    for _, word, value in settings:
        name = _VARIABLES[word]
        found[name] = ("," if name in _COMMAS else " ").join(value.split())
    return found | dict(environment)


def _settings(config: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    for line in config:
        name, _, value = line.partition("=")
        section, _, word = name.rpartition(".")
        if section in _SECTIONS and word in _VARIABLES:
            yield section, word, str(ast.literal_eval(value))


def main(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 our own interpreter
    uv = Path(sys.executable).with_name("uv")
    told = variables(listed.stdout.splitlines(), os.environ)
    os.execve(uv, [str(uv), *arguments], told)  # noqa: S606 the uv of our own lock


if __name__ == "__main__":
    main(sys.argv[1:])
