"""The laws on responses, streams, hand-over and the next request have teeth, on each wire that they are run for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.apis.cohere import test_cohere
from tests.apis.openai_chat import test_streams as test_openai_chat_stream
from tests.mutations.breaking import Check, Mutation, assert_caught
from tests.providers import laws, test_history
from tests.support.generated import Package
from tests.support.recorded import streamed, unstreamed
from tests.support.wires import WIRES


@cache
def on_responses(provider: str, law: Callable[[Package, str, Any], None]) -> Check:
    """A law over all responses in one piece."""

    def check(package: Package) -> None:
        for recording in unstreamed(provider):
            law(package, provider, recording["response"])

    return check


@cache
def streams(provider: str, law: Callable[[Package, str, Any], None]) -> Check:
    """A law over all streams."""

    def check(package: Package) -> None:
        for recording in streamed(provider):
            law(package, provider, recording["events"])

    return check


@cache
def cuts(provider: str) -> Check:
    """The shorter streams, cut at every event."""

    def check(package: Package) -> None:
        for recording in sorted(streamed(provider), key=lambda recording: len(recording["events"]))[:10]:
            laws.cut_anywhere(package, provider, recording["events"])

    return check


@cache
def goes_back(provider: str) -> Check:
    """The responses that ended as they should, in the next request."""

    def check(package: Package) -> None:
        for recording in unstreamed(provider):
            completion = laws.completion_of(package, provider, recording["response"])
            if completion.finish_reason in ("stop", "tool_calls") and completion.message.content:
                laws.completion_goes_back(
                    package, provider, completion, WIRES[provider].read_response(recording["response"])
                )

    return check


@cache
def hand_over(provider: str, target: str) -> Check:
    """The histories of a provider, sent to another."""

    def check(package: Package) -> None:
        for recording in test_history.history(provider):
            laws.hand_over(package, provider, target, recording["request"])

    return check


@cache
def gateway(provider: str, target: str) -> Check:
    """The streams of a provider, written as another's."""

    def check(package: Package) -> None:
        for recording in streamed(provider):
            laws.stream_passes_a_gateway(package, provider, target, recording["events"])

    return check


@cache
def every_order(provider: str) -> Check:
    """Results in every order that an app may give them."""

    def check(package: Package) -> None:
        for order in test_history.ORDERS:
            test_history.test_results_come_first_and_together(package, package.module("models"), provider, order)

    return check


def every_cut(package: Package) -> None:
    """A transcript cut at every boundary."""
    for cut in test_history.CUTS:
        test_history.test_a_history_that_was_cut_is_found_and_repaired(package, package.module("models"), cut)


CHAT, ANTHROPIC, RESPONSES = "openai_chat", "anthropic", "openai_responses"
BEDROCK, COHERE, MISTRAL, OLLAMA = "bedrock", "cohere", "mistral", "ollama"
CHUNKS, CONTENT, EVENTS, ITEMS, BLOCKS, PLANNED, LINES, BASE = (
    "runtime/apis/openai_chat/stream.py",
    "runtime/apis/mistral/stream.py",
    "runtime/apis/anthropic/stream.py",
    "runtime/apis/openai_responses/stream.py",
    "runtime/apis/bedrock/stream.py",
    "runtime/apis/cohere/stream.py",
    "runtime/apis/ollama/stream.py",
    "runtime/conversion/streams.py",
)
MUTATIONS = (
    Mutation(
        "3: text of a chunk is forgotten",
        streams(CHAT, laws.stream_is_read),
        CHUNKS,
        "self._text.append(value)",
        "pass",
    ),
    Mutation(
        "3: calls are keyed by their place in the chunk",
        lambda package: test_openai_chat_stream.test_calls_that_come_side_by_side_are_the_same_calls(
            package, "good index", 1
        ),
        CHUNKS,
        'slot = piece["index"] if type(piece.get("index")) is int else ("at", position)',
        'slot = ("at", position)',
    ),
    Mutation(
        "3: usage after the end is not looked at",
        streams(CHAT, laws.stream_is_read),
        CHUNKS,
        "self._top[key] = value",
        "pass",
    ),
    Mutation(
        "3: a signature is told apart from its block",
        on_responses(ANTHROPIC, laws.stream_says_what_the_whole_says),
        EVENTS,
        'block.head = {**block.head, "signature": delta.get("signature")}',
        "pass",
    ),
    Mutation(
        "3: blocks stand as they came to an end",
        on_responses(ANTHROPIC, laws.stream_says_what_the_whole_says),
        BASE,
        "return [block for _, block in entries]",
        "return [block for _, block in reversed(self.all)]",
    ),
    Mutation(
        "3: usage of the end is added to nothing",
        streams(ANTHROPIC, laws.stream_is_read),
        EVENTS,
        '        self._merge_usage(event.get("usage"))\n',
        "",
    ),
    Mutation(
        "3: a call is told twice",
        streams(ANTHROPIC, laws.stream_is_read),
        BASE,
        "        self._reported_ids.update(call.id for call in new)\n",
        "",
    ),
    Mutation(
        "3: what was told is told again at the end",
        streams(RESPONSES, laws.stream_is_read),
        ITEMS,
        "self._text.append(text)",
        "pass",
    ),
    Mutation(
        "3: a call is told by the id of its item",
        streams(RESPONSES, laws.stream_is_read),
        ITEMS,
        'call.wire_id = head["call_id"]',
        'call.wire_id = head["id"]',
    ),
    Mutation(
        "3: a thought that goes on begins anew",
        on_responses(MISTRAL, laws.stream_says_what_the_whole_says),
        CHUNKS,
        "(pieces and not is_last)",
        "pieces",
    ),
    Mutation(
        "3: text in front of a chunk comes after it",
        on_responses(MISTRAL, laws.stream_says_what_the_whole_says),
        CHUNKS,
        "        self._close_text()\n        self.parts.append(part)",
        "        self.parts.append(part)",
    ),
    Mutation(
        "3: a piece that has no id is another call",
        streams(MISTRAL, laws.stream_is_read),
        CONTENT,
        "placeholder in self.converter.TOOL_CALL_ID",
        "False",
    ),
    Mutation(
        "6: ids keep their length",
        hand_over(CHAT, MISTRAL),
        "runtime/apis/mistral/wire.py",
        "id_length=9",
        "id_length=12",
    ),
    Mutation(
        "7: calls without a type get one",
        on_responses(MISTRAL, laws.response_comes_back),
        "runtime/apis/mistral/wire.py",
        'self.write_id_or_placeholder, self.TOOL_CALL_ID)\n        target.untagged("type")\n',
        "self.write_id_or_placeholder, self.TOOL_CALL_ID)\n",
    ),
    Mutation(
        "7: a writer forgets what a thought holds besides its text",
        streams(MISTRAL, laws.stream_comes_back),
        "runtime/apis/mistral/stream.py",
        "if items or len(part) > 2 else None",
        "if items else None",
    ),
    Mutation(
        "next: a thought loses its signature",
        goes_back(MISTRAL),
        "runtime/apis/mistral/wire.py",
        "return ReasoningPart(text, metadata=source.metadata())",
        "return ReasoningPart(text)",
    ),
    Mutation(
        "next: reasoning loses what is encrypted",
        goes_back(RESPONSES),
        "runtime/apis/openai_responses/converter.py",
        'if key != "type"}',
        'if key not in ("type", "encrypted_content")}',
    ),
    Mutation(
        "7: messages in a row become one",
        on_responses(RESPONSES, laws.response_comes_back),
        "runtime/apis/openai_responses/converter.py",
        '{"$inline": True} if parts else {"$around": extras}',
        '{"$inline": True}',
    ),
    Mutation(
        "7: a writer of items forgets how the response ended",
        streams(RESPONSES, laws.stream_comes_back),
        "runtime/apis/openai_responses/stream.py",
        "self._event(end, response=body)",
        "self._event(end)",
    ),
    Mutation(
        "3: usage after the stop is not looked at",
        streams(BEDROCK, laws.stream_is_read),
        BLOCKS,
        'self._top |= _unpadded(event["metadata"])',
        "pass",
    ),
    Mutation(
        "3: a server's call is one of the app's",
        on_responses(BEDROCK, laws.response_is_read),
        "runtime/apis/bedrock/content.py",
        'call.get("type") in (None, "tool_use")',
        'call.get("type") != ""',
    ),
    Mutation(
        "next: reasoning comes back without what is redacted",
        goes_back(BEDROCK),
        "runtime/apis/bedrock/converter.py",
        'ReasoningPart("", reader.as_metadata(wire))',
        'ReasoningPart("")',
    ),
    Mutation(
        "7: text with sources comes back as text",
        on_responses(BEDROCK, laws.response_comes_back),
        "runtime/apis/bedrock/converter.py",
        "if cited is not None:",
        "if False:",
    ),
    Mutation(
        "6: neighbors of one role stay apart",
        every_order(BEDROCK),
        "runtime/apis/bedrock/converter.py",
        'if last is not None and (last["role"] != role or "$apart" in extras):',
        "if last is not None:",
    ),
    Mutation(
        "3: calls of a line stand for those before",
        streams(OLLAMA, laws.stream_is_read),
        LINES,
        "self._message[key] = _join_chunk_values(self._message.get(key), value)",
        "self._message[key] = value",
    ),
    Mutation(
        "3: text of a line is forgotten",
        streams(OLLAMA, laws.stream_is_read),
        LINES,
        "self._texts.setdefault(key, []).append(value)",
        "pass",
    ),
    Mutation(
        "stream: a line that is not the last one ends a stream",
        cuts(OLLAMA),
        LINES,
        'self._done or event.get("done") is True',
        '"done" in event',
    ),
    Mutation(
        "7: a writer of lines sends all text again",
        streams(OLLAMA, laws.stream_comes_back),
        "runtime/apis/ollama/stream.py",
        'text[len(sent) :] if text.startswith(sent) else ""',
        "text",
    ),
    Mutation(
        "6: results without ids go to the first call",
        hand_over(OLLAMA, CHAT),
        "runtime/conversion/reader.py",
        "                del self._open[i]\n",
        "",
    ),
    Mutation(
        "5: an unknown member of a response is dropped",
        on_responses(ANTHROPIC, laws.unknown_in_a_response_is_kept),
        "runtime/apis/anthropic/converter.py",
        "extras = unmapped_members(wire, _RESPONSE)",
        "extras = {}",
    ),
    Mutation(
        "5: an unknown stop reason is another one",
        on_responses(CHAT, laws.unknown_in_a_response_is_kept),
        "runtime/conversion/responses.py",
        "(is_known or extras or ",
        "(is_known or ",
    ),
    Mutation(
        "5: an unknown member of a delta is dropped",
        streams(CHAT, laws.unknown_in_a_stream_changes_nothing),
        CHUNKS,
        "self._message[key] = _join_values(self._message.get(key), value)",
        "pass",
    ),
    Mutation(
        "5: an unknown event ends a stream",
        streams(ANTHROPIC, laws.unknown_in_a_stream_changes_nothing),
        EVENTS,
        'elif kind == "error" or (kind is None and event.get("error")):',
        'elif kind not in ("ping", "content_block_stop", "message_stop"):',
    ),
    Mutation(
        "6: results go to other calls",
        hand_over(ANTHROPIC, CHAT),
        "runtime/conversion/fields.py",
        'The name is not on the wire."""\n    return writer.call_id(identifier)',
        'The name is not on the wire."""\n    return writer.call_id(identifier + "x")',
    ),
    Mutation(
        "6: ids are not made legal",
        hand_over(CHAT, ANTHROPIC),
        "runtime/apis/anthropic/converter.py",
        "writer.call_id(result.tool_call_id)",
        "result.tool_call_id[:3]",
    ),
    Mutation(
        "6: results are not moved to their calls",
        every_order(ANTHROPIC),
        "runtime/conversion/message_order.py",
        "placed = _reordered(placed, writer, joins_turns=True)",
        "pass",
    ),
    Mutation(
        "6: what is moved is not told",
        every_order(CHAT),
        "runtime/conversion/message_order.py",
        "_report_moves(placed, i, [*gathered], writer)",
        "pass",
    ),
    Mutation(
        "7: what a response kept is not written",
        on_responses(CHAT, laws.response_comes_back),
        "runtime/apis/openai_chat/converter.py",
        "        restore_extras(choice, extras)\n",
        "",
    ),
    Mutation(
        "7: that a key was absent is not kept",
        on_responses(MISTRAL, laws.response_comes_back),
        "runtime/conversion/rule_of_extras.py",
        'extras[key] = {"$absent": True}',
        "pass",
    ),
    Mutation(
        "7: members beside those that fields read are not kept",
        on_responses(CHAT, laws.response_comes_back),
        "runtime/conversion/rule_of_extras.py",
        'extras[key] = {**unread, "$read": True}',
        "pass",
    ),
    Mutation(
        "7: usage is written from its sum",
        on_responses(ANTHROPIC, laws.response_comes_back),
        "runtime/apis/anthropic/converter.py",
        'wire["usage"] = self.USAGE.write(completion.usage, (ROOT, "usage"), writer)',
        'wire["usage"] = {"input_tokens": completion.usage.input_tokens}',
    ),
    Mutation(
        "7: a writer forgets the rest of a response",
        streams(CHAT, laws.stream_comes_back),
        "runtime/apis/openai_chat/stream.py",
        "delta = self._unsent_delta(message) if position == 0 else _whole_delta(message)",
        "delta = {} if position == 0 else _whole_delta(message)",
    ),
    Mutation(
        "7: a writer forgets signatures",
        streams(ANTHROPIC, laws.stream_comes_back),
        "runtime/apis/anthropic/stream_writer.py",
        '        if block.get("signature"):',
        '        if block.get("no such member"):',
    ),
    Mutation(
        "7: a gateway passes stop words on",
        gateway(ANTHROPIC, CHAT),
        "runtime/conversion/responses.py",
        "(is_known or extras or ",
        "(True or extras or ",
    ),
    Mutation(
        "next: thinking goes back without its signature",
        goes_back(ANTHROPIC),
        "runtime/apis/anthropic/converter.py",
        "return self.write_thinking_part(part, at, writer)",
        'return {"type": "thinking", "thinking": part.text}',
    ),
    Mutation(
        "next: redacted thinking is dropped",
        lambda package: test_history.test_opaque_state_goes_back_in_its_order_byte_for_byte(
            package, package.module("models"), ANTHROPIC, False
        ),
        "runtime/apis/anthropic/converter.py",
        'if extras.get("type") == "redacted_thinking":',
        'if extras.get("type") == "no such type":',
    ),
    Mutation(
        "next: a call goes back under another id",
        goes_back(CHAT),
        "runtime/conversion/fields.py",
        '        return extra["$whole"]\n    return writer.call_id(identifier)',
        '        return extra["$whole"]\n    return writer.call_id(identifier + "x")',
    ),
    Mutation(
        "stream: calls of a cut stream may be run",
        cuts(ANTHROPIC),
        BASE,
        '        mark_calls_invalid(completion.message, "error")\n',
        "",
    ),
    Mutation(
        "stream: a cut is not told",
        cuts(CHAT),
        BASE,
        'else "other", ErrorEvent(UNFINISHED))',
        'else "other", None)',
    ),
    Mutation(
        "stream: finish may be called twice",
        streams(CHAT, laws.stream_is_read),
        BASE,
        "        self._finished = True\n",
        "",
    ),
    Mutation(
        "3: a plan is told and forgotten",
        streams(COHERE, laws.stream_is_read),
        PLANNED,
        "self._plan.append(piece)",
        "pass",
    ),
    Mutation(
        "3: citations of a stream are forgotten",
        on_responses(COHERE, laws.stream_says_what_the_whole_says),
        PLANNED,
        'self._citations.append(message["citations"])',
        "pass",
    ),
    Mutation(
        "5: a word that nobody knows is not kept",
        on_responses(COHERE, laws.unknown_in_a_response_is_kept),
        "runtime/apis/cohere/converter.py",
        'extras["finish_reason"] = stop_reason',
        "pass",
    ),
    Mutation(
        "7: a plan comes back as thinking",
        on_responses(COHERE, laws.response_comes_back),
        "runtime/apis/cohere/fields.py",
        'if key == "tool_plan":',
        'if key == "no such key":',
    ),
    Mutation(
        "7: a writer does not say what its pieces do not",
        streams(COHERE, laws.stream_comes_back),
        "runtime/apis/cohere/stream.py",
        'last["message"] = message',
        "pass",
    ),
    Mutation(
        "stream: an error at the end is not told",
        lambda package: test_cohere.test_an_error_at_the_end_is_told_and_holds_the_calls(package),
        PLANNED,
        "        if error:\n",
        "        if not error:\n",
    ),
    Mutation(
        "6: the system speaks twice",
        lambda package: test_cohere.test_the_systems_messages_become_its_one_turn(package, package.module("models")),
        "runtime/apis/cohere/converter.py",
        "append_content(system, wire)",
        "wires.append(wire)",
    ),
    Mutation(
        "repair: a paired result is dropped",
        every_cut,
        "runtime/history.py",
        "        call.result = result\n        if",
        "        if",
    ),
    Mutation(
        "validate: a call without a result passes",
        every_cut,
        "runtime/history.py",
        "[call.call for call in calls if call.result is None]",
        "[call.call for call in calls if call.result is not None]",
    ),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.name)
def test_a_broken_converter_is_caught(copied: Package, tmp_path: Path, mutation: Mutation) -> None:
    assert_caught(mutation, copied, tmp_path)
