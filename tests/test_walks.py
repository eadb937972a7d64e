"""How many modules a reader has to open: counted by running a tick, a run, a write and an edit."""

from tests import walks


def test_no_walk_leads_through_more_modules_than_are_meant() -> None:
    counts = {name: len(modules) for name, modules in walks.counted().items()}

    assert {name: count for name, count in counts.items() if count > walks.MOST[name]} == {}
