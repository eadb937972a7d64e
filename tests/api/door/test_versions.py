"""If-Match and If-None-Match as RFC 9110 has them: a list of tags, or any."""

from __future__ import annotations

import pytest

from tests.api.kit import SCHEDULE, Api

ROUTES = ("PATCH /v1/schedules/report", "PUT /v1/schedules/report", "DELETE /v1/schedules/report")
BODIES = {"PATCH": {"priority": 1}, "PUT": SCHEDULE | {"name": "report"}, "DELETE": None}


@pytest.mark.deep
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "given", ['"1"', '"1", "5"', '"5","1"', '"5" , W/"7",\t"1"', 'W/"1"', "*", " * ", '"a,b", "1"']
)
def test_a_write_is_done_if_one_of_the_tags_is_the_versions(
    api: Api, route: str, given: str
) -> None:
    assert api.schedule()["version"] == 1

    answer = api.call(route, BODIES[route.split(maxsplit=1)[0]], if_match=given)

    assert answer.status in (200, 204), answer.text


@pytest.mark.deep
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("given", ['"2"', '"4", "5"', "1", "", '"1', '"2", *', '"11"', '"2,1"'])
def test_a_write_is_refused_if_no_tag_is_the_versions(api: Api, route: str, given: str) -> None:
    api.schedule()

    refused = api.call(route, BODIES[route.split(maxsplit=1)[0]], if_match=given)

    assert (refused.status, refused.headers["etag"]) == (412, '"1"')


@pytest.mark.parametrize("given", ['"1"', '"4", "1"', 'W/"1"', "*"])
def test_what_has_not_changed_is_not_sent_again(api: Api, given: str) -> None:
    api.schedule()

    assert api.call("GET /v1/schedules/report", if_none_match=given).status == 304
    assert api.call("GET /v1/schedules/report", if_none_match='"2", "3"').status == 200
