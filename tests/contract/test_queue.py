"""A standard queue: send, receive, delete, visibility, dead letters."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.kit import Mailbox, code


def test_a_message_is_received_with_what_is_asked_for(mailbox: Mailbox) -> None:
    sent = mailbox.send("hé", MessageGroupId="acme")
    (message,) = mailbox.receive(MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"])

    assert message["MessageId"] == sent["MessageId"]
    assert message["MD5OfBody"] == sent["MD5OfMessageBody"] == "33fcd01258e6ba07ef405dc9e721f3a7"
    assert message["Body"] == "hé"
    attributes = message["Attributes"]
    assert attributes["ApproximateReceiveCount"] == "1"
    assert attributes["MessageGroupId"] == "acme"
    assert (
        0
        <= int(attributes["ApproximateFirstReceiveTimestamp"]) - int(attributes["SentTimestamp"])
        < 5_000
    )


def test_no_attributes_are_shown_unasked(mailbox: Mailbox) -> None:
    mailbox.send()
    (message,) = mailbox.receive()

    assert "Attributes" not in message


def test_an_empty_queue_answers_without_messages(mailbox: Mailbox) -> None:
    answer = mailbox.client.receive_message(QueueUrl=mailbox.url)

    assert "Messages" not in answer


def test_a_received_message_is_not_received_again_before_its_time(mailbox: Mailbox) -> None:
    mailbox.send()
    (first,) = mailbox.receive()
    hidden = mailbox.receive()
    (second,) = mailbox.receive_again(first)

    assert hidden == []
    assert second["MessageId"] == first["MessageId"]
    assert second["ReceiptHandle"] != first["ReceiptHandle"]


def test_the_first_receipt_keeps_its_time(mailbox: Mailbox) -> None:
    mailbox.send()
    names = ["ApproximateReceiveCount", "ApproximateFirstReceiveTimestamp"]
    (first,) = mailbox.receive(AttributeNames=names, VisibilityTimeout=0)
    (second,) = mailbox.receive(MessageSystemAttributeNames=names)

    assert second["Attributes"]["ApproximateReceiveCount"] == "2"
    assert first["Attributes"][names[1]] == second["Attributes"][names[1]]


def test_a_deleted_message_is_gone(mailbox: Mailbox) -> None:
    mailbox.send()
    (message,) = mailbox.receive(VisibilityTimeout=0)
    mailbox.client.delete_message(QueueUrl=mailbox.url, ReceiptHandle=message["ReceiptHandle"])

    assert mailbox.receive() == []


@pytest.mark.differs(ministack="calls the handle invalid")
def test_deleting_again_or_with_an_earlier_handle_is_no_error(mailbox: Mailbox) -> None:
    mailbox.send()
    (first,) = mailbox.receive()
    (second,) = mailbox.receive_again(first)
    delete = mailbox.client.delete_message
    for message in (first, second, second):
        delete(QueueUrl=mailbox.url, ReceiptHandle=message["ReceiptHandle"])

    assert mailbox.receive() == []


def test_what_is_received_too_often_becomes_a_dead_letter(mailbox: Mailbox) -> None:
    sent = mailbox.send("poison")
    mailbox.receive(VisibilityTimeout=0)
    mailbox.receive(VisibilityTimeout=0)
    third = mailbox.receive()
    (dead,) = mailbox.receive(mailbox.dead_url, MessageSystemAttributeNames=["All"])

    assert third == []
    assert dead["MessageId"] == sent["MessageId"]
    assert dead["Body"] == "poison"
    assert dead["Attributes"]["ApproximateReceiveCount"] == "3"
    assert dead["Attributes"]["DeadLetterQueueSourceArn"].endswith(mailbox.url.rsplit("/", 1)[1])


def test_a_delayed_message_is_not_there_yet(mailbox: Mailbox) -> None:
    mailbox.send("later", DelaySeconds=900)
    mailbox.send("now")

    assert [one["Body"] for one in mailbox.receive(MaxNumberOfMessages=10)] == ["now"]


def test_a_batch_says_of_each_entry_whether_it_was_accepted(mailbox: Mailbox) -> None:
    entries = [
        {"Id": "a", "MessageBody": "1", "DelaySeconds": 5},
        {"Id": "b", "MessageBody": "2", "MessageGroupId": "acme"},
        {"Id": "c", "MessageBody": ""},
    ]
    answer = mailbox.client.send_message_batch(QueueUrl=mailbox.url, Entries=entries)

    assert [one["Id"] for one in answer["Successful"]] == ["a", "b"]
    (failed,) = answer["Failed"]
    assert (failed["Id"], failed["SenderFault"]) == ("c", True)


def test_a_batch_without_failures_lists_none(mailbox: Mailbox) -> None:
    answer = mailbox.client.send_message_batch(
        QueueUrl=mailbox.url, Entries=[{"Id": "a", "MessageBody": "1"}]
    )

    assert not answer.get("Failed")


@pytest.mark.parametrize(
    ("entries", "error"),
    [
        ([], "EmptyBatchRequest"),
        (
            [{"Id": str(number), "MessageBody": "1"} for number in range(11)],
            "TooManyEntriesInBatchRequest",
        ),
        (
            [{"Id": "a", "MessageBody": "1"}, {"Id": "a", "MessageBody": "2"}],
            "BatchEntryIdsNotDistinct",
        ),
        ([{"Id": "a b", "MessageBody": "1"}], "InvalidBatchEntryId"),
        (
            [{"Id": str(number), "MessageBody": "1" * 600_000} for number in range(2)],
            "BatchRequestTooLong",
        ),
    ],
)
def test_a_batch_is_refused_whole(mailbox: Mailbox, entries: list[Any], error: str) -> None:
    answer = code(lambda: mailbox.client.send_message_batch(QueueUrl=mailbox.url, Entries=entries))

    assert answer == f"AWS.SimpleQueueService.{error}"


def test_a_message_has_up_to_a_megabyte(mailbox: Mailbox) -> None:
    mailbox.send("x" * 1_048_576)

    assert code(lambda: mailbox.send("x" * 1_048_577)) == "InvalidParameterValue"
    assert code(lambda: mailbox.send("")) == "MissingParameter"


@pytest.mark.differs(ministack="takes any delay")
def test_a_delay_is_at_most_900_seconds(mailbox: Mailbox) -> None:
    assert code(lambda: mailbox.send(DelaySeconds=901)) == "InvalidParameterValue"


def test_at_most_ten_are_received_at_once(mailbox: Mailbox) -> None:
    assert code(lambda: mailbox.receive(MaxNumberOfMessages=11)) == "InvalidParameterValue"


def test_a_batch_of_handles_says_which_are_none(mailbox: Mailbox) -> None:
    mailbox.send()
    (message,) = mailbox.receive()
    entries = [
        {"Id": "good", "ReceiptHandle": message["ReceiptHandle"], "VisibilityTimeout": 5},
        {"Id": "bad", "ReceiptHandle": "garbage", "VisibilityTimeout": 5},
    ]
    changed = mailbox.client.change_message_visibility_batch(QueueUrl=mailbox.url, Entries=entries)
    for entry in entries:
        del entry["VisibilityTimeout"]
    deleted = mailbox.client.delete_message_batch(QueueUrl=mailbox.url, Entries=entries)

    for answer in (changed, deleted):
        assert [one["Id"] for one in answer["Successful"]] == ["good"]
        assert [(one["Id"], one["Code"]) for one in answer["Failed"]] == [
            ("bad", "ReceiptHandleIsInvalid")
        ]


@pytest.mark.differs(ministack="calls the handle invalid")
def test_the_visibility_of_a_message_not_in_flight_cannot_be_changed(mailbox: Mailbox) -> None:
    mailbox.send()
    (message,) = mailbox.receive(VisibilityTimeout=0)

    assert (
        code(lambda: mailbox.receive_again(message)) == "AWS.SimpleQueueService.MessageNotInflight"
    )


def test_a_purged_queue_is_empty(mailbox: Mailbox) -> None:
    mailbox.send()
    mailbox.client.purge_queue(QueueUrl=mailbox.url)

    assert mailbox.receive() == []


def test_an_unknown_queue_does_not_exist(mailbox: Mailbox) -> None:
    url = mailbox.url + "x"

    def send() -> object:
        return mailbox.client.send_message(QueueUrl=url, MessageBody="x")

    assert code(send) == "AWS.SimpleQueueService.NonExistentQueue"
    with pytest.raises(mailbox.client.exceptions.QueueDoesNotExist):
        send()


def test_attributes_count_what_is_where(mailbox: Mailbox) -> None:
    mailbox.send(DelaySeconds=100)
    mailbox.send()
    mailbox.send()
    mailbox.receive()
    attributes = mailbox.client.get_queue_attributes(QueueUrl=mailbox.url, AttributeNames=["All"])[
        "Attributes"
    ]

    assert attributes["ApproximateNumberOfMessages"] == "1"
    assert attributes["ApproximateNumberOfMessagesNotVisible"] == "1"
    assert attributes["ApproximateNumberOfMessagesDelayed"] == "1"
