"""What is generated is as the code would generate it now; what is routed is what is served."""

from __future__ import annotations

from onthedot.api.app import HANDLERS
from onthedot.api.door.routes import ROUTES
from onthedot.api.replies.generated_files import PAGES, files
from onthedot.api.replies.route_replies import REPLIES


def test_the_generated_files_are_of_this_very_code() -> None:
    stale = [
        path.name
        for path, text in files().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]

    assert stale == [], "run: make docs"


def test_there_is_no_page_of_a_problem_that_is_no_more() -> None:
    assert set(PAGES.glob("*.md")) <= set(files())


def test_every_route_has_its_handler_and_every_handler_its_route() -> None:
    routed = [route.key for route in ROUTES]

    assert len(set(routed)) == len(routed)
    assert set(routed) == set(HANDLERS)
    assert set(REPLIES) <= set(routed)
