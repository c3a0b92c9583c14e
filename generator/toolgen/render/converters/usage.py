"""The methods that read and write token counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolgen.plan.token_usage import CountPlan, UsageFieldPlan, UsagePlan
from toolgen.render.converters.code import Block, Method, Statement, block, call, call_by_line, get, item
from toolgen.render.literals import python_string


def usage_keys_constant_name(holder: str) -> str:
    """Return the name of the constant with the typed keys of one of the objects."""
    return "_USAGE" if holder == "wire" else f"_USAGE_{holder.upper()}"


def usage_reader_method(usage: UsagePlan) -> Method:
    """Return the method that reads counts."""
    return Method(
        "read_usage",
        ("wire: dict[str, Any]", "at: Path", "reader: Reader"),
        "Usage",
        "Read the usage of a response.",
        (
            *(statement for held, key in usage.holders for statement in _read_holder(held, key)),
            *(statement for count in usage.counts for statement in _read_count(count)),
            "extras = unmapped_members(wire, _USAGE)",
            *(_keep_inner_extras(held, key) for held, key in usage.holders),
            *(statement for count in usage.counts for statement in _read_other_path(count, dict(usage.holders))),
            *(statement for total in usage.totals for statement in _add_up(total)),
            f"return {call_by_line('Usage', *_arguments(usage), 'metadata=reader.as_metadata(extras)')}",
        ),
    )


def _read_holder(held: str, key: str) -> Iterator[Statement]:
    yield f"{held} = {get('wire', key)}"
    yield block(f"if {held} is None", f"{held} = NO_EXTRAS")
    yield block(
        f"elif type({held}) is not dict", f"{held} = {call('optional_object', 'wire', python_string(key), 'at')}"
    )


def _read_count(count: CountPlan) -> Iterator[Statement]:
    yield f"{count.variable} = {get(count.holder, count.key)}"
    checked = call("read_count", count.holder, python_string(count.key), "at")
    test = f"type({count.variable}) is not int and {count.variable} is not None"
    yield block(f"if {test}", f"{count.variable} = {checked}")


def _read_other_path(count: CountPlan, holders: Mapping[str, str]) -> Iterator[Statement]:
    key_path = python_string(count.key_path)
    for holder, key in count.others:
        other, outer = python_string(key), holders.get(holder)
        noted = [call("note_alias", "extras", key_path, other)]
        if outer is not None:
            noted = [f"extras = {call('without_extra_at', 'extras', python_string(outer), other)}"]
            noted.append(call("set_extra_at", "extras", f'["$as", {key_path}]', other))
        yield block(
            f"if {count.variable} is None",
            f"{count.variable} = {call('read_count', holder, other, 'at')}",
            block(f"if {count.variable} is not None", *noted),
        )


def _add_up(total: UsageFieldPlan) -> Iterator[Statement]:
    """Yield the statements that add up a required field: the provider's own and separate counts, or other fields."""
    if not total.required:
        return
    count = total.count
    if count is not None:
        absent = f'extras["$absent"] = [*extras.get("$absent", ()), {python_string(count.key)}]'
        yield block(f"if {count.variable} is None", absent)
    if total.parts:
        added = " + ".join(total.parts)
        made = added if count is None else f"{count.variable} if {count.variable} is not None else {added}"
        yield f"{total.field} = {made}"
        yield ""
    else:
        certain = (other.variable for other in total.others if not other.total)
        variables = [*([] if count is None else [count.variable]), *certain]
        yield f"{total.field} = {' + '.join(f'({variable} or 0)' for variable in variables)}"
        for other in total.others:
            if other.total:
                test = f"{other.variable} and {other.total} == input_tokens + output_tokens + {other.variable}"
                yield block(f"if {test}", f"{total.field} += {other.variable}", 'extras["$apart"] = True')


def _keep_inner_extras(holder: str, key: str) -> Block:
    extras = call("unmapped_members", holder, usage_keys_constant_name(holder))
    return block(
        f"if {python_string(key)} in wire", call("keep_inner_extras", "extras", "wire", python_string(key), extras)
    )


def _arguments(usage: UsagePlan) -> Iterator[str]:
    """Yield positional arguments, because a keyword argument costs as much as three of them."""
    given = {total.field: total for total in usage.totals}
    last = max(map(usage.fields.index, given))
    for field in usage.fields[: last + 1]:
        total = given.get(field)
        if total is None:
            yield "None"
        else:
            yield field if total.required or total.count is None else total.count.variable


def usage_writer_method(usage: UsagePlan) -> Method:
    """Return the method that writes counts."""
    return Method(
        "write_usage",
        ("usage: Usage", "at: Path", "writer: Writer"),
        "dict[str, Any]",
        "Write the usage of a response.",
        (
            "extras = writer.own_extras(usage.metadata, at)",
            'absent = extras.get("$absent", ())',
            "wire: dict[str, Any] = {}",
            *(f"{held}: dict[str, Any] = {{}}" for held, _ in usage.holders),
            *(s for total in usage.totals if total.count for s in _write_total(total, total.count)),
            *(_report_lacking(usage, field, name) for field, name in usage.lacking),
            *(block(f"if {held}", f"{item('wire', key)} = {held}") for held, key in usage.holders),
            block("if extras", call("restore_extras", "wire", "extras")),
            "return wire",
        ),
    )


def _report_lacking(usage: UsagePlan, field: str, name: str) -> Statement:
    """Report a number that the provider lacks, unless it is computed from others when it is read."""
    parts = next((total.parts for total in usage.totals if total.field == field), ())
    given = f"!= {' + '.join(f'usage.{part}' for part in parts)}" if parts else "is not None"
    spelled = python_string(name)
    return block(f"if usage.{field} {given}", call("writer.report_unsupported", f"(at, {spelled})", spelled))


def _write_total(total: UsageFieldPlan, count: CountPlan) -> Iterator[Statement]:
    """Write the provider's number of a field, less its separate counts, unless it was computed from other fields."""
    field, key, target = f"usage.{total.field}", python_string(count.key), item(count.holder, count.key)
    if total.required:
        apart = "".join(
            f' - (({given} or 0) if "$apart" in extras else 0)' if other.total else f" - ({given} or 0)"
            for other in total.others
            for kept in [call("read_count", "extras", python_string(other.key_path), "at")]
            for given in [f"usage.{other.field}" if other.field else kept]
        )
        yield f"{count.variable} = {field}{apart}"
        comparison = f" != {' + '.join(f'usage.{part}' for part in total.parts)}" if total.parts else ""
        yield block(f"if {key} not in absent or {count.variable}{comparison}", f"{target} = {count.variable}")
    elif count.others:
        given = [block(f"if key == {python_string(k)}", f"{item(held, k)} = {field}") for held, k in count.others]
        yield block(
            f"if {field} is not None",
            f"key = {call('original_key', 'extras', python_string(count.key_path))}",
            given[0],
            *(block(f"el{more.head}", *more.body) for more in given[1:]),
            block("else", f"{target} = {field}"),
        )
    else:
        yield block(f"if {field} is not None", f"{target} = {field}")
