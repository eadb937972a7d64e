"""The rules of the style guide, each shown a fault that it must find."""

import pytest

from tests.tidy import dead_modules, imports, links, listed_fields, marks, shape, sole_owners, tree


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("onthedot/dispatch/due_plan.py", "from onthedot.work.worker import work"),
        ("onthedot/dispatch/due_plan.py", "import lambdas.dispatch"),
        ("onthedot/store/queue.py", "from onthedot.targets.call import Call"),
        ("onthedot/records/keys.py", "from onthedot import store"),
        ("onthedot/client/client.py", "from onthedot.registry.edit import edit"),
        ("onthedot/work/worker.py", "from onthedot.cli.main import main"),
        ("onthedot/cli/main.py", "import onthedot.api"),
        ("lambdas/work.py", "import infra.stack"),
    ],
)
def test_an_import_against_the_direction_is_found(path: str, line: str) -> None:
    assert imports.against_the_direction(path, line) != []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("onthedot/dispatch/due_plan.py", "from onthedot.schedule.expression.cron import parse"),
        ("onthedot/dispatch/due_plan.py", "from onthedot.dispatch import claim"),
        ("onthedot/store/queue.py", "from onthedot.store import aws"),
        ("onthedot/client/client.py", "from onthedot.records import problems"),
        ("onthedot/work/worker.py", "from onthedot.store.queue import send"),
        ("onthedot/local/__main__.py", "from onthedot.work.worker import work"),
        ("lambdas/work.py", "from onthedot.work.worker import work"),
        ("infra/storage.py", "from onthedot.records import keys"),
    ],
)
def test_an_import_along_the_direction_passes(path: str, line: str) -> None:
    assert imports.against_the_direction(path, line) == []


@pytest.mark.parametrize("module", ["os", "os.path", "time", "random", "boto3"])
def test_what_knows_the_machine_or_the_cloud_is_not_for_a_pure_room(module: str) -> None:
    assert imports.impure("onthedot/records/keys.py", f"import {module}") != []
    assert imports.impure("onthedot/store/clock.py", f"import {module}") == []


@pytest.mark.parametrize(
    "module", ["datetime", "croniter", "tzdata", "onthedot.schedule.expression.errors"]
)
def test_what_only_computes_is(module: str) -> None:
    assert imports.impure("onthedot/records/keys.py", f"import {module}") == []


def test_a_module_of_ours_under_another_name_is_found() -> None:
    modules = ["onthedot.records.keys", "onthedot.store.queue"]

    assert imports.renamed("from onthedot.records import keys as names", modules) == [modules[0]]
    assert imports.renamed("from onthedot.records import keys", modules) == []
    assert imports.renamed("from onthedot.records.keys import shard_of as shard", modules) == []


def test_an_import_of_what_does_not_exist_is_found_in_quoted_code_too() -> None:
    modules = ["onthedot.records.keys", "onthedot.store.queue"]

    for line in (
        "PROGRAM = 'from onthedot.core import keys'",
        "from onthedot.records.key import shard_of",
        'import_module("onthedot.core.keys")',
    ):
        assert imports.unknown(line, modules) != []
    for line in (
        "PROGRAM = 'from onthedot.records import keys'",
        "from onthedot.records.keys import shard_of",
        'import_module("onthedot." + room)',
        "from onthedot import Client",
    ):
        assert imports.unknown(line, modules) == []


def test_what_reaches_the_store_is_found_through_others() -> None:
    sources = {
        "onthedot.store.queue": "",
        "onthedot.work.worker": "from onthedot.work import batch",
        "onthedot.work.batch": "from onthedot.store.queue import send",
        "onthedot.records.keys": "import json",
    }

    assert imports.effectful(sources) == set(sources) - {"onthedot.records.keys"}


def test_a_room_that_does_not_say_where_to_begin_is_found() -> None:
    told = "'''What.\n\nBegin with `worker.py`.\n'''"

    assert shape.unexplained("onthedot/work/__init__.py", "")
    assert not shape.unexplained("onthedot/work/__init__.py", told)
    assert not shape.unexplained("onthedot/work/worker.py", "")
    assert not shape.unexplained("tests/work/__init__.py", "")


def test_a_folder_of_26_modules_is_found() -> None:
    many = [f"tests/work/test_{number}.py" for number in range(26)]

    assert shape.crowded(many) == ["tests/work"]
    assert shape.crowded(many[1:]) == []


def test_a_call_of_the_queue_beside_the_owners_of_messages_is_found() -> None:
    line = "from onthedot.store import clock, queue"

    assert imports.of_the_queue("onthedot/work/settlement.py", line) == ["onthedot.store.queue"]
    assert imports.of_the_queue("onthedot/work/batch.py", line) == []
    assert imports.of_the_queue("tests/work/test_batch.py", line) == []


@pytest.mark.parametrize(
    "line",
    [
        'if error["Code"] == "ConditionalCheckFailedException":',
        "except client.exceptions.ConditionalCheckFailedException:",
        "from pynamodb.exceptions import PutError",
    ],
)
def test_a_refusal_that_is_read_beside_its_module_is_found(line: str) -> None:
    assert sole_owners.refusals("onthedot/store/access/access_table.py", line) != []
    assert sole_owners.refusals("onthedot/store/conditional_writer.py", line) == []
    assert sole_owners.refusals("tests/contract/test_items.py", line) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('row = {"task_id": task_id, "scheduled_for": key}', ["line 1"]),
        ('row = {"task_id": "meta", "part": "tzdata"}', ["line 1"]),
        ('row = {"task_id": task_id, "scheduled_for": key, "rev": 1}', []),
        ('row = {**row, "scheduled_for": key}', []),
    ],
)
def test_a_key_that_is_spelled_out_is_found(line: str, found: list[str]) -> None:
    assert sole_owners.keys("onthedot/upkeep/minute.py", line) == found
    assert sole_owners.keys("onthedot/records/keys.py", line) == []
    assert sole_owners.keys("tests/upkeep/test_minute.py", line) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('values = {":s": {"N": str(shard)}}', ["line 1"]),
        ('at = item["next_run_at"]["S"]', ["line 1"]),
        ('seconds = {"S": 1, "M": 60}', []),
        ('values = {":s": typed(shard)}', []),
        ("empty = {}", []),
    ],
)
def test_a_value_that_is_typed_by_hand_is_found(line: str, found: list[str]) -> None:
    assert sole_owners.attributes("onthedot/store/table_reads.py", line) == found
    assert sole_owners.attributes("onthedot/records/attributes.py", line) == []
    assert sole_owners.attributes("tests/contract/test_items.py", line) == []


def test_a_handler_may_be_imported_by_a_test_only() -> None:
    line = "from lambdas.work import handler"

    assert imports.of_a_handler("infra/functions.py", line) != []
    assert imports.of_a_handler("tests/lambdas/test_work.py", line) == []


def test_the_black_box_may_import_only_what_is_its_own() -> None:
    path = "tests/blackbox/test_firing.py"

    for line in (
        "from onthedot import Client",
        "import jobs.examples",
        "from tests.e2e import kit",
    ):
        assert imports.of_ours_in_the_black_box(path, line) != []
        assert imports.of_ours_in_the_black_box("tests/e2e/test_stack.py", line) == []
    for line in ("import pytest", "from tests.blackbox.user import User"):
        assert imports.of_ours_in_the_black_box(path, line) == []


SCRIPTS = "[project.scripts]\nonthedot = 'onthedot.cli.main:main'\n"


@pytest.mark.parametrize(
    "user", ["tests/dispatch/test_due_plan.py", "bench/plan.py", "onthedot/records/x.py"]
)
def test_a_module_that_nothing_alive_imports_is_found(user: str) -> None:
    sources = {
        "onthedot/dispatch/due_plan.py": "",
        user: "from onthedot.dispatch.due_plan import plan",
    }

    assert "onthedot/dispatch/due_plan.py" in dead_modules.dead(sources, "", SCRIPTS)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("lambdas/work.py", "from onthedot.dispatch import due_plan"),
        ("lambdas/work.py", "from onthedot.dispatch.due_plan import plan"),
        ("app.py", 'HOME = {"plan": "onthedot.dispatch.due_plan"}'),
        ("onthedot/cli/main.py", "import onthedot.dispatch.due_plan"),
        ("onthedot/local/__main__.py", "import onthedot.dispatch.due_plan"),
        ("onthedot/records/__init__.py", ""),
    ],
)
def test_a_module_that_an_entry_point_leads_to_passes(path: str, source: str) -> None:
    sources = {"onthedot/dispatch/due_plan.py": "", "onthedot/local/__init__.py": "", path: source}
    commands = "$(venv) -m onthedot.local" if source else "`python -m onthedot.dispatch.due_plan`"

    assert dead_modules.dead(sources, commands, SCRIPTS) == []


def test_a_command_that_is_imported_by_its_word_passes() -> None:
    main = 'add_parser("next"); import_module(f"onthedot.cli.{word}")'
    sources = {
        "onthedot/cli/main.py": main,
        "onthedot/cli/next.py": "",
        "onthedot/cli/explain.py": "",
    }

    assert dead_modules.dead(sources, "", SCRIPTS) == ["onthedot/cli/explain.py"]


@pytest.mark.parametrize(
    "source",
    [
        "x = 1\n" * 401,
        "def long():\n" + "    x = 1\n" * 40,
        "class Wide:\n    async def long(self):\n" + "        x = 1\n" * 40,
    ],
)
def test_what_is_too_long_is_found(source: str) -> None:
    assert shape.too_long(source) != []


def test_a_file_may_have_400_lines() -> None:
    assert shape.too_long("x = 1\n" * 400) == []
    assert shape.too_long("x = 1\n" * 401) != []


def test_a_file_may_have_256_kb() -> None:
    assert shape.too_large({"docs/page.md": 256_000}) == []
    assert shape.too_large({"docs/page.md": 256_001}) == ["docs/page.md"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("onthedot/records/utils.py", ""),
        ("onthedot/common/plan.py", ""),
        ("onthedot/records/data.py", ""),
        ("onthedot/dispatch/due_plan.py", "class TaskManager: ..."),
        ("onthedot/dispatch/due_plan.py", "def handle_task(): ..."),
        ("onthedot/dispatch/due_plan.py", "def _run_helper(): ..."),
        ("onthedot/dispatch/due_plan.py", "class Wheel:\n    def info(self): ..."),
    ],
)
def test_a_vague_name_is_found(path: str, source: str) -> None:
    assert shape.vague(path, source) != []


def test_a_word_that_only_contains_a_vague_one_passes() -> None:
    source = "def tzdata_version(): ...\ndef handler(): ...\ndef utility(): ..."

    assert shape.vague("onthedot/records/zone_data.py", source) == []


def test_a_module_without_its_one_to_three_lines_is_found() -> None:
    assert shape.undocumented("onthedot/dispatch/due_plan.py", "x = 1")
    assert shape.undocumented("onthedot/dispatch/due_plan.py", '"""1\n2\n3\n4"""')
    assert not shape.undocumented("onthedot/dispatch/due_plan.py", '"""1\n2\n3"""')
    assert not shape.undocumented("onthedot/records/__init__.py", "")


@pytest.mark.parametrize("mark", ["TO", "FIX", "XX"])
def test_a_promise_to_come_back_is_found(mark: str) -> None:
    ending = {"TO": "DO", "FIX": "ME", "XX": "X"}[mark]

    assert marks.unfinished(f"# {mark}{ending}: later") == [mark + ending]
    assert marks.unfinished(f"# {mark}{ending}es") == []


@pytest.mark.parametrize("host", ["npmjs.%s", "yarnpkg.%s", "files.pythonhosted.%s", "pypi.%s"])
def test_a_package_registry_is_found(host: str) -> None:
    tail = "com" if host.startswith("yarn") else "org"

    assert marks.registries(f"see {host % tail}/simple") != []


def test_the_rules_are_held_against_every_module_there_is() -> None:
    assert {"app.py", "infra/storage.py", "tests/test_tidy.py"} <= set(tree.modules())
    assert "package-lock.json" in tree.files()


PAGE = "# Here it is\n[so]({})\n```\n[not](a-link.md)\n# there it is\n```\n"
PAGES = {"docs/api.md": "# The API\n## How it's made: `a` *b*\n", "docs/runbook": ""}


def broken_links(link: str) -> list[str]:
    content = PAGE.format(link)
    return links.broken("docs/page.md", content, (PAGES | {"docs/page.md": content}).get)


@pytest.mark.parametrize(
    "link", ["apis.md", "docs/api.md", "api.md#the-apis", "#there-it-is", "runbooks"]
)
def test_a_link_that_leads_nowhere_is_found(link: str) -> None:
    assert broken_links(link) == [link]


@pytest.mark.parametrize(
    "link",
    [
        "api.md",
        "../docs/api.md#the-api",
        "#here-it-is",
        "api.md#how-its-made-a-b",
        "runbook",
        "https://example.com/nowhere",
    ],
)
def test_a_link_that_leads_to_a_page_and_its_heading_passes(link: str) -> None:
    assert broken_links(link) == []


def test_a_second_list_of_fields_is_found() -> None:
    fields = "abcdef"
    listed = "A = ('a', 'b', 'c', 'd', 'e', 'f')"
    written = "class A:\n    a: int\n    b: int\n    c: int\n    d: int\n    e: int\n    f: int"

    for source in (listed, written):
        assert listed_fields.again("onthedot/sdk/app.py", source, fields) == ["a b c d e f"]
        assert listed_fields.again("onthedot/records/schema.py", source, fields) == []
        assert listed_fields.again("tests/sdk/test_app.py", source, fields) == []
    assert listed_fields.again("onthedot/sdk/app.py", "A = ('a', 'b', 'g')", fields) == []
