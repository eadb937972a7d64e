"""PartiQL's INSERT, UPDATE and DELETE, alone and in batches."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.kit import M, N, S, Table, code, refusal

KEY = [S("a"), S("1")]
INSERT = "INSERT INTO T VALUE {'pk': ?, 'sk': ?, 'x': ?}"
BAD = "ValidationError"


def error(answer: dict[str, Any]) -> Any:
    return answer.get("Error", {}).get("Code")


def test_an_insert_makes_the_item(table: Table) -> None:
    (answer,) = table.batch((INSERT, [*KEY, M(k=N(1))]))

    assert answer == {"TableName": table.name}
    assert table.get() == table.item(x=M(k=N(1)))


@pytest.mark.differs(ministack="keeps the spelling")
def test_a_number_given_to_a_statement_is_stored_in_its_plainest_spelling(table: Table) -> None:
    table.batch((INSERT, [*KEY, M(k=N("1.0"))]))

    assert table.get() == table.item(x=M(k=N(1)))


def test_an_insert_takes_literals(table: Table) -> None:
    text = (
        "INSERT INTO T VALUE {'pk': 'a', 'sk': ?, 'n': 1.5, "
        "'l': [1, 'x', true, null], 'm': {'k': 'it''s'}}"
    )
    (answer,) = table.batch((text, [S("1")]))

    listed = {"L": [N(1), S("x"), {"BOOL": True}, {"NULL": True}]}
    assert error(answer) is None
    assert table.get() == table.item(n=N("1.5"), l=listed, m=M(k=S("it's")))


def test_an_insert_over_an_item_is_a_duplicate(table: Table) -> None:
    table.put(x=S("old"))
    first, second = table.batch((INSERT, [*KEY, S("new")]), (INSERT, [S("a"), S("2"), S("new")]))

    assert first["Error"]["Code"] == "DuplicateItem"
    assert first["Error"]["Message"] == "Duplicate primary key exists in table"
    assert first["TableName"] == table.name
    assert second == {"TableName": table.name}
    assert table.get() == table.item(x=S("old"))


@pytest.mark.parametrize("returning", ["", " RETURNING ALL NEW *"])
def test_an_update_changes_the_item_it_names(table: Table, returning: str) -> None:
    table.put(x=S("x"), z=S("z"))
    (answer,) = table.batch(
        (f'UPDATE T SET "state"=? REMOVE z WHERE K{returning}', [S("new"), *KEY])
    )

    after = table.item(x=S("x"), state=S("new"))
    assert answer == {"TableName": table.name, **({"Item": after} if returning else {})}
    assert table.get() == after


@pytest.mark.parametrize(
    ("returning", "shown"),
    [
        ("ALL OLD", {"n": N(1), "z": S("z")}),
        ("MODIFIED OLD", {"n": N(1)}),
        ("MODIFIED NEW", {"n": N(2)}),
    ],
)
def test_an_update_returns(table: Table, returning: str, shown: dict[str, Any]) -> None:
    table.put(n=N(1), z=S("z"))
    (answer,) = table.batch((f"UPDATE T SET n=? WHERE K RETURNING {returning} *", [N(2), *KEY]))

    assert answer["Item"] == (table.item(**shown) if returning == "ALL OLD" else shown)


def test_several_assignments_are_parted_by_commas(table: Table) -> None:
    """AWS documents SET a=? SET b=? only; nobody here could try the comma there."""
    table.put(p=S("p"), q=S("q"))
    (answer,) = table.batch(('UPDATE T SET x=?, "y"=? REMOVE p, q WHERE K', [S("1"), S("2"), *KEY]))

    assert error(answer) is None
    assert table.get() == table.item(x=S("1"), y=S("2"))


@pytest.mark.differs(dynoxide="takes commas only")
@pytest.mark.parametrize("text", ["SET x=? SET y=?", "SET x=? REMOVE q SET y=?"])
def test_several_assignments_are_several_sets(table: Table, text: str) -> None:
    table.put()
    (answer,) = table.batch((f"UPDATE T {text} WHERE K", [S("1"), S("2"), *KEY]))

    assert error(answer) is None
    assert table.get() == table.item(x=S("1"), y=S("2"))


@pytest.mark.parametrize(
    ("text", "parameters", "after"),
    [
        ("SET n=n+1", [], {"n": N(3)}),
        ("SET n=n-?", [N("0.5")], {"n": N("1.5")}),
        ('SET "m"."k"=?', [S("1")], {"m": M(k=S("1"), j=N(1))}),
        ("REMOVE m.k", [], {"m": M(j=N(1))}),
        ("SET q={}", [], {"q": M()}),
    ],
)
def test_an_update_computes(
    table: Table, text: str, parameters: list[Any], after: dict[str, Any]
) -> None:
    table.put(n=N(2), m=M(k=N(1), j=N(1)))
    (answer,) = table.batch((f"UPDATE T {text} WHERE K", [*parameters, *KEY]))

    assert error(answer) is None
    assert table.get() == table.item(**{"n": N(2), "m": M(k=N(1), j=N(1)), **after})


@pytest.mark.differs(ministack="does not know list_append in PartiQL")
def test_an_update_appends_to_a_list(table: Table) -> None:
    table.put(l={"L": [N(1)]})
    (answer,) = table.batch(("UPDATE T SET l=list_append(l, ?) WHERE K", [{"L": [N(2)]}, *KEY]))

    assert error(answer) is None
    assert table.get() == table.item(l={"L": [N(1), N(2)]})


@pytest.mark.parametrize("condition", ["", " AND n IS MISSING"])
def test_an_update_needs_an_item(table: Table, condition: str) -> None:
    (answer,) = table.batch((f"UPDATE T SET x=? WHERE K{condition}", [S("1"), *KEY]))

    assert error(answer) == "ConditionalCheckFailed"
    assert table.get() is None


@pytest.mark.differs(dynoxide="never shows it")
@pytest.mark.parametrize(
    "text", ["UPDATE T SET x=? WHERE K AND n=?", "DELETE FROM T WHERE z=? AND K AND n=?"]
)
def test_a_refused_statement_shows_the_item_it_met(table: Table, text: str) -> None:
    table.put(n=N(1), z=S("z"))
    parameters = [S("1"), *KEY, N(2)]
    shown = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    (answer,) = table.client.batch_execute_statement(
        Statements=[table.statement(text, parameters, **shown)]
    )["Responses"]

    assert answer["Error"]["Code"] == "ConditionalCheckFailed"
    assert answer["Error"].get("Item") == table.item(n=N(1), z=S("z"))


def test_a_delete_of_nothing_succeeds(table: Table) -> None:
    plain, conditional = table.batch(
        ("DELETE FROM T WHERE K", KEY), ("DELETE FROM T WHERE K AND x=?", [S("a"), S("2"), S("x")])
    )

    assert plain == conditional == {"TableName": table.name}


def test_a_delete_is_refused_by_its_condition(table: Table) -> None:
    table.put(x=S("x"))
    (refused,) = table.batch(("DELETE FROM T WHERE K AND x=?", [*KEY, S("y")]))
    (done,) = table.batch(("DELETE FROM T WHERE K AND x=? RETURNING ALL OLD *", [*KEY, S("x")]))

    assert error(refused) == "ConditionalCheckFailed"
    assert done["Item"] == table.item(x=S("x"))
    assert table.get() is None


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("UPDATE T SET x=? WHERE pk=?", [S("1"), S("a")]),
        ("UPDATE T SET x=? WHERE pk=? AND sk>?", [S("1"), *KEY]),
        ("UPDATE T WHERE K", KEY),
        ("UPDATE T SETT x=? WHERE K", [S("1"), *KEY]),
        ("UPDATE T SET x=? WHERE K", [S("1"), S("a")]),
        ("UPDATE T SET x=? WHERE K", [S("x" * 410_000), *KEY]),
    ],
)
def test_a_statement_is_invalid_and_the_others_are_done(
    table: Table, text: str, parameters: list[Any]
) -> None:
    table.put("1")
    table.put("9")
    bad, good = table.batch(
        (text, parameters), ("UPDATE T SET x=? WHERE K", [S("1"), S("a"), S("9")])
    )

    assert error(bad) == BAD
    assert error(good) is None
    assert table.get() == table.item()


@pytest.mark.differs(ministack="inserts it")
@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("INSERT INTO T VALUE {'pk': ?}", [S("a")]),
        ("INSERT INTO T VALUE {'pk': ?, 'sk': ?, 'group_no': ?}", [S("a"), S("2"), S("x")]),
    ],
)
def test_an_inserted_item_has_keys_of_their_types(
    table: Table, text: str, parameters: list[Any]
) -> None:
    (answer,) = table.batch((text, parameters))

    assert error(answer) == BAD


@pytest.mark.differs(ministack="stores it")
def test_a_parameter_that_is_no_value_refuses_the_whole_batch(table: Table) -> None:
    good = (INSERT, [S("a"), S("2"), S("x")])

    assert code(lambda: table.batch(good, (INSERT, [*KEY, N("abc")]))) == "ValidationException"
    assert table.get("2") is None


@pytest.mark.differs(
    dynoxide="takes reserved words bare; refuses only on AWS", ministack="takes reserved words bare"
)
@pytest.mark.parametrize("text", ["SET state=? WHERE K", "SET x=? WHERE K AND owner IS MISSING"])
def test_a_reserved_word_needs_quotes(table: Table, text: str) -> None:
    table.put()
    (answer,) = table.batch((f"UPDATE T {text}", [S("1"), *KEY]))

    assert error(answer) == BAD


@pytest.mark.differs(dynoxide="makes a second item", ministack="makes a second item")
@pytest.mark.parametrize("text", ["SET sk='2'", "REMOVE sk"])
def test_an_update_never_touches_the_key(table: Table, text: str) -> None:
    table.put()
    (answer,) = table.batch((f"UPDATE T {text} WHERE K", KEY))

    assert error(answer) == BAD


@pytest.mark.differs(dynoxide="makes the map")
def test_an_update_needs_the_map_it_writes_into(table: Table) -> None:
    table.put()
    (answer,) = table.batch(("UPDATE T SET nope.k=? WHERE K", [S("1"), *KEY]))

    assert error(answer) == BAD


@pytest.mark.differs(dynoxide="ignores the rest", ministack="ignores the rest")
def test_parameters_are_as_many_as_question_marks(table: Table) -> None:
    table.put()
    (answer,) = table.batch(("UPDATE T SET x=? WHERE K", [S("1"), *KEY, S("2")]))

    assert error(answer) == BAD


@pytest.mark.parametrize(
    "second",
    [
        ("UPDATE T SET y=? WHERE K", [S("1"), *KEY]),
        ("DELETE FROM T WHERE K", KEY),
        (INSERT, [*KEY, S("")]),
    ],
)
@pytest.mark.differs(ministack="carries out one after the other")
def test_two_statements_on_one_item_refuse_the_whole_batch(
    table: Table, second: tuple[Any, ...]
) -> None:
    table.put()
    answer = code(
        lambda: table.batch(
            ("UPDATE T SET x=? WHERE K", [S("1"), *KEY]), second, (INSERT, [S("a"), S("2"), S("x")])
        )
    )

    assert answer == "ValidationException"
    assert table.get() == table.item()
    assert table.get("2") is None


def test_a_batch_has_one_to_25_statements(table: Table) -> None:
    many = [(INSERT, [S("a"), S(str(number)), S("x")]) for number in range(26)]

    assert code(table.batch) == "ValidationException"
    assert code(lambda: table.batch(*many)) == "ValidationException"
    assert len(table.batch(*many[:25])) == 25


def test_an_unknown_table_is_the_statements_own_error(table: Table) -> None:
    bad, good = table.batch(
        ("UPDATE nowhere SET x=? WHERE K", [S("1"), *KEY]), (INSERT, [*KEY, S("x")])
    )

    assert error(bad) == "ResourceNotFound"
    assert error(good) is None


def test_keywords_are_read_in_any_case(table: Table) -> None:
    table.put(n=N(1))
    (answer,) = table.batch(
        (
            "update T set x=? where K and n between ? and ? returning all old *",
            [S("1"), *KEY, N(1), N(2)],
        )
    )

    assert answer["Item"] == table.item(n=N(1))


def test_a_single_statement_raises_what_a_batch_would_say(table: Table) -> None:
    def execute(text: str, *parameters: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = table.client.execute_statement(
            **table.statement(text, list(parameters))
        )
        return answer

    execute(INSERT, *KEY, S("x"))
    shown = execute("UPDATE T SET x=? WHERE K RETURNING ALL NEW *", S("y"), *KEY)

    assert shown["Items"] == [table.item(x=S("y"))]
    assert code(lambda: execute(INSERT, *KEY, S("x"))) == "DuplicateItemException"
    refused = refusal(lambda: execute("UPDATE T SET x=? WHERE K AND x=?", S("z"), *KEY, S("x")))
    assert refused["Error"]["Code"] == "ConditionalCheckFailedException"
    assert (
        code(lambda: execute("UPDATE T SET x=? WHERE pk=?", S("z"), S("a")))
        == "ValidationException"
    )
