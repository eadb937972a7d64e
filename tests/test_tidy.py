"""The part of the style guide that ruff and mypy do not know."""

from onthedot.records.tasks.task_fields import SCHEDULE
from tests.tidy import dead_modules, imports, links, listed_fields, marks, shape, sole_owners, tree


def test_every_import_goes_one_way() -> None:
    found = {name: imports.against_the_direction(name, tree.text(name)) for name in tree.modules()}

    assert _broken(found) == {}


def test_pure_rooms_import_nothing_but_the_pure_standard_library_and_croniter() -> None:
    found = {name: imports.impure(name, tree.text(name)) for name in tree.modules()}

    assert _broken(found) == {}


def test_no_pure_room_reaches_the_store() -> None:
    sources = {_dotted(name): tree.text(name) for name in tree.modules()}
    pure = tuple(room.replace("/", ".") for room in imports.PURE_ROOMS)

    assert [name for name in imports.effectful(sources) if name.startswith(pure)] == []


def test_no_module_of_ours_is_imported_under_another_name() -> None:
    modules = [_dotted(name) for name in tree.modules()]
    found = {name: imports.renamed(tree.text(name), modules) for name in tree.modules()}

    assert _broken(found) == {}


def test_no_text_imports_a_module_that_does_not_exist() -> None:
    modules = [_dotted(name) for name in tree.modules()]
    names = (*tree.modules(), *tree.pages(), "Makefile")
    texts = {name: imports.unknown(tree.text(name), modules) for name in names}

    del texts["tests/tidy/test_rules.py"]
    assert _broken(texts) == {}


def test_each_room_says_what_it_is_for_and_where_to_begin() -> None:
    assert [each for each in tree.modules() if shape.unexplained(each, tree.text(each))] == []


def test_no_folder_is_crowded() -> None:
    assert shape.crowded(tree.modules()) == []


def test_messages_are_sent_kept_and_deleted_by_their_owners_only() -> None:
    found = {name: imports.of_the_queue(name, tree.text(name)) for name in tree.modules()}

    assert _broken(found) == {}


def test_one_module_knows_how_the_store_refuses_a_write() -> None:
    found = {name: sole_owners.refusals(name, tree.text(name)) for name in tree.modules()}

    assert sole_owners.REFUSALS in found
    assert _broken(found) == {}


def test_one_module_makes_the_keys_of_runs_and_tasks() -> None:
    found = {name: sole_owners.keys(name, tree.text(name)) for name in tree.modules()}

    assert sole_owners.KEYS in found
    assert _broken(found) == {}


def test_one_module_turns_values_into_the_attributes_of_the_store() -> None:
    found = {name: sole_owners.attributes(name, tree.text(name)) for name in tree.modules()}

    assert sole_owners.CODEC in found
    assert _broken(found) == {}


def test_the_fields_of_a_schedule_are_listed_once() -> None:
    found = {name: listed_fields.again(name, tree.text(name), SCHEDULE) for name in tree.modules()}

    assert _broken(found) == {}
    assert listed_fields.OWNERS.keys() <= set(tree.modules())


def test_nothing_imports_a_handler() -> None:
    found = {name: imports.of_a_handler(name, tree.text(name)) for name in tree.modules()}

    assert _broken(found) == {}


def test_the_black_box_imports_nothing_of_ours() -> None:
    found = {
        name: imports.of_ours_in_the_black_box(name, tree.text(name)) for name in tree.modules()
    }

    assert _broken(found) == {}


def test_every_module_of_the_product_is_reached_from_an_entry_point() -> None:
    sources = {name: tree.text(name) for name in tree.modules()}
    commands = "\n".join(map(tree.text, ("Makefile", ".ci/run", *tree.pages())))

    assert dead_modules.dead(sources, commands, tree.text("pyproject.toml")) == []


def test_files_and_functions_stay_short() -> None:
    found = {name: shape.too_long(tree.text(name)) for name in tree.modules()}

    assert _broken(found) == {}


def test_no_file_is_larger_than_256_kb() -> None:
    assert shape.too_large(tree.sizes()) == []


def test_every_name_says_what_it_holds() -> None:
    found = {name: shape.vague(name, tree.text(name)) for name in tree.modules()}

    assert _broken(found) == {}


def test_every_module_says_in_three_lines_what_it_decides() -> None:
    assert [each for each in tree.modules() if shape.undocumented(each, tree.text(each))] == []


def test_no_file_promises_to_be_finished_later() -> None:
    found = {name: marks.unfinished(tree.text(name)) for name in tree.files()}

    assert _broken(found) == {}


def test_no_file_names_a_package_registry() -> None:
    found = {name: marks.registries(tree.text(name)) for name in tree.files()}

    assert _broken(found) == {}


def test_every_link_in_the_pages_leads_to_a_file_and_its_heading() -> None:
    found = {name: links.broken(name, tree.text(name), tree.there) for name in tree.pages()}

    assert _broken(found) == {}


def test_no_two_decisions_have_one_number() -> None:
    numbers = [name.split("/")[-1][:4] for name in tree.pages() if "/decisions/0" in name]

    assert numbers
    assert sorted(set(numbers)) == numbers


def _broken(found: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: faults for name, faults in found.items() if faults}


def _dotted(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
