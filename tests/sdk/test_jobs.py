"""Finding the handlers of a package: all its modules are imported, and a broken one is a fault."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from onthedot.sdk.manifest import manifest
from onthedot.targets.python import job_handlers
from onthedot.targets.python.handler import HandlerError

Write = Callable[[str, str], None]
APP = "from onthedot import OnTheDot, cron\napp = OnTheDot('test')\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes a module of a package of its own, which is forgotten afterwards."""
    folder = tmp_path / "their_jobs"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)

    def written(name: str, text: str) -> None:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    yield written
    for name in [each for each in sys.modules if each.startswith("their_jobs")]:
        del sys.modules[name]
    job_handlers.handlers.cache_clear()


def test_handlers_of_every_module_are_found_by_name(write: Write) -> None:
    write("one.py", APP + "@app.job()\ndef first(): ...\n")
    write("deep/__init__.py", "")
    write("deep/two.py", APP + "@app.job(cron('@daily'), name='second')\ndef other(): ...\n")

    found = manifest("their_jobs")["handlers"]

    assert [(each["handler"], each["module"]) for each in found] == [
        ("first", "their_jobs.one"),
        ("second", "their_jobs.deep.two"),
    ]
    assert found[0]["schedule"] is None
    assert found[1]["schedule"]["cron"] == "@daily"


def test_a_handler_that_another_module_imports_is_one_handler(write: Write) -> None:
    write("one.py", APP + "@app.job()\ndef first(): ...\n")
    write("two.py", "from their_jobs.one import first\n")

    assert list(job_handlers.handlers("their_jobs")) == ["first"]


def test_two_handlers_of_one_name_are_refused(write: Write) -> None:
    write("one.py", APP + "@app.job()\ndef same(): ...\n")
    write("two.py", APP + "@app.job()\ndef same(): ...\n")

    with pytest.raises(HandlerError, match="two handlers are called 'same'"):
        manifest("their_jobs")


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("broken.py", "import nothing_of_that_name", ModuleNotFoundError),
        ("broken.py", "def (", SyntaxError),
        ("deep/__init__.py", "raise ImportError('at once')", ImportError),
        ("broken.py", APP + "@app.job(cron('61 * * * *'))\ndef never(): ...", HandlerError),
    ],
)
def test_a_broken_module_fails_the_manifest(
    write: Write, name: str, text: str, error: type[Exception]
) -> None:
    write(name, text)

    with pytest.raises(error):
        manifest("their_jobs")


def test_the_examples_are_a_package_that_can_be_deployed() -> None:
    found = {each["handler"]: each["schedule"] for each in manifest()["handlers"]}

    assert {"hello", "count", "wait", "weekday_report"} <= set(found)
    assert found["weekday_report"]["timezone"] == "America/New_York"
