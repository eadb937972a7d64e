"""Any JSON comes back from the store as it went in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthedot.records.attributes import plain, plain_item, typed, typed_item

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(value=values)
def test_what_is_written_is_read(value: Any) -> None:  # noqa: ANN401 any JSON
    assert plain(typed(value)) == value


@pytest.mark.deep
@given(item=st.dictionaries(st.text(), values | st.binary()))
def test_so_is_an_item(item: dict[str, Any]) -> None:
    assert plain_item(typed_item(item)) == item


def test_truth_is_no_number() -> None:
    assert typed(value=True) == {"BOOL": True}
    assert typed(1) == {"N": "1"}


@pytest.mark.parametrize("text", ["1.5", "15E-1", "15e-1"])
def test_a_fraction_is_read_however_it_is_written(text: str) -> None:
    assert plain({"N": text}) == 1.5


def test_bytes_are_read_as_bytes_and_as_the_text_on_the_wire() -> None:
    assert plain({"B": b"\x00\xff"}) == plain({"B": "AP8="}) == b"\x00\xff"


@pytest.mark.parametrize("value", [{1, 2}, object(), 1j])
def test_what_is_no_json_is_refused_by_name(value: object) -> None:
    with pytest.raises(TypeError, match=type(value).__name__):
        typed(value)
