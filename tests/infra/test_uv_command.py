"""uv goes where this machine's pip goes, unless uv itself is told otherwise."""

from __future__ import annotations

import subprocess

from infra.uv_command import variables
from tests.tidy.tree import ROOT

COMMAND = [".venv-uv/bin/python", "-I", "infra/uv_command.py"]
ALIKE = {"UV_INDEX_STRATEGY": "unsafe-best-match", "UV_SYSTEM_CERTS": "1"}


def test_where_pip_finds_packages_uv_does() -> None:
    listed = [
        "global.index-url='https://mirror.example/simple'",
        "global.extra-index-url='file:///one\\nfile:///two'",
        "global.trusted-host='mirror.example'",
        "global.cert='/etc/ours.pem'",
        "global.no-color='true'",
        ":env:.find-links='/wheels /more'",
        ":env:.default-timeout='60'",
    ]

    assert variables(listed, {}) == ALIKE | {
        "UV_DEFAULT_INDEX": "https://mirror.example/simple",
        "UV_INDEX": "file:///one file:///two",
        "UV_INSECURE_HOST": "mirror.example",
        "SSL_CERT_FILE": "/etc/ours.pem",
        "UV_FIND_LINKS": "/wheels,/more",
        "UV_HTTP_TIMEOUT": "60",
    }


def test_what_the_environment_says_goes_before_a_file() -> None:
    listed = [":env:.index-url='https://b'", "install.index-url='https://a'"]

    assert variables(listed, {})["UV_DEFAULT_INDEX"] == "https://b"


def test_what_uv_itself_is_told_goes_before_what_pip_is_told() -> None:
    told = {"UV_DEFAULT_INDEX": "https://ours", "UV_SYSTEM_CERTS": "0", "PATH": "/bin"}

    found = variables(["global.index-url='https://theirs'"], told)

    assert found == ALIKE | told


def test_uv_is_given_the_words_as_they_are() -> None:
    done = subprocess.run(
        [*COMMAND, "--version"], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert (done.stdout.split()[0], done.stderr) == ("uv", "")
