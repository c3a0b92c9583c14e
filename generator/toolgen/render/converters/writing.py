"""The method that writes a value as an object of a shape."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.plan.mapping_plans import FieldMapping, ObjectMapping, RegularObject, UnmappedField, WireObjectPlan
from toolgen.render.converters.code import (
    Block,
    Method,
    Statement,
    block,
    call,
    get,
    item,
    kept_within,
    object_literal,
    place,
)
from toolgen.render.literals import python_literal, python_string


def write_shape(shape: ObjectMapping) -> Method:
    """The method."""
    value = shape.variable
    return Method(
        f"write_{shape.name}",
        (f"{value}: {shape.type}", "at: Path", "writer: Writer"),
        "dict[str, Any]",
        f"Write {shape.description}.",
        (
            *(_write_plain_call(shape) if shape.type == "ToolCall" else _write_when_plain(shape)),
            f"own = {call('writer.own_extras', f'{value}.metadata', 'at')} if {value}.metadata else NOTHING",
            *(_report_loss(value, field) for field in shape.lost),
            *(statement for held in reversed(shape.objects) for statement in _write_object(shape, held)),
            *_write_without_tag(shape),
            block("if own", call("restore_extras", "wire", "own")),
            "return wire",
        ),
    )


def _write_when_plain(shape: ObjectMapping) -> Iterator[Block]:
    """Write a value at once that such an object says in full."""
    if shape.plain is not None:
        written = plain_object(shape, shape.plain, "wire")
        yield block(f"if {' and '.join(shape.plain.write_tests)}", f"return {written}")


def _write_plain_call(shape: ObjectMapping) -> Iterator[Statement]:
    """Write a call at once; `writer.is_regular` has most of the tests, and knows whether its values are encoded."""
    value = shape.variable
    encode = f"{value} = {call('writer.encode_call', value, 'at')}"
    if shape.plain is None or not _is_known(shape, shape.plain):
        yield encode
        yield from _write_when_plain(shape)
        return
    tests = plain_call_tests(shape, shape.plain)
    yield block(f"if {' and '.join(tests)}", f"return {plain_object(shape, shape.plain, 'wire')}")
    yield encode


def _is_known(shape: ObjectMapping, plain: RegularObject) -> bool:
    """Whether `writer.is_regular` has the tests of a call's name and id."""
    return set(_known_tests(shape)).issubset(plain.write_tests)


def _known_tests(shape: ObjectMapping) -> Iterator[str]:
    value = shape.variable
    yield from (f"{value}.metadata is None", f"writer.names.get({value}.name) == {value}.name")
    yield f"writer.keeps({value}.id)"


def plain_call_tests(shape: ObjectMapping, plain: RegularObject) -> list[str]:
    """What holds for a regular call."""
    known, unread = set(_known_tests(shape)), f"{shape.variable}.invalid is None and "
    tests = [test.removeprefix(unread) for test in plain.write_tests if test not in known]
    return [call("writer.is_regular", shape.variable), *tests]


def plain_object(shape: ObjectMapping, plain: RegularObject, holder: str) -> str:
    """What a regular value is on the wire."""
    entries = [(tag, python_literal(word)) for tag, word in shape.tag] if holder == "wire" else []
    entries += [(key.key, key.value) for key in plain.keys_of(holder, usual=False)]
    entries += [(held.key, plain_object(shape, plain, held.variable)) for held in shape.inner(holder)]
    entries += [(key.key, key.value) for key in plain.keys_of(holder, usual=True)]
    return object_literal(entries)


def _report_loss(value: str, field: UnmappedField) -> Block:
    """Report a field that the wire has no place for, unless it says nothing."""
    field_value = f"{value}.{field.python}"
    severity = [python_string(field.severity)] if field.severity != "note" else []
    if field.harmless_if_true:
        severity = [f'"note" if {field_value} else {severity[0]}']
    loss = call("writer.report_unsupported", place(field.json), python_string(field.json), *severity)
    return block(f"if {field_value} is not None", loss)


def _write_object(shape: ObjectMapping, held: WireObjectPlan) -> Iterator[Statement]:
    """Write one of the objects: first what is always there, then what its fields and its inner objects may lack."""
    variable, keys = held.variable, shape.keys_of(held.variable)
    entries = list(_tag(shape)) if variable == "wire" else []
    entries += [(key.key, _written(shape, key)) for key in keys if _is_always_there(key)]
    entries += [(inner.key, inner.variable) for inner in shape.inner(variable) if inner.required]
    yield f"{variable}: dict[str, Any] = {object_literal(entries)}"
    for key in keys:
        if not _is_always_there(key):
            yield from _write_key(shape, key)
    for inner in shape.inner(variable):
        if not inner.required:
            yield block(f"if {inner.variable}", f"{item(variable, inner.key)} = {inner.variable}")


def _tag(shape: ObjectMapping) -> Iterator[tuple[str, str]]:
    """The tag's keys with their words; of several words the one that was read."""
    for tag, word in shape.tag:
        said = python_literal(word)
        yield tag, get("own", tag, said) if tag in shape.tag_also else said


def _is_always_there(key: FieldMapping) -> bool:
    return key.kind != "beside" and (key.required or key.default is not None)


def _write_key(shape: ObjectMapping, key: FieldMapping) -> Iterator[Statement]:
    """Write a key that an object may lack."""
    name, written = key.attributes[0], _written(shape, key)
    if key.kind == "beside":
        yield f"{key.holder} |= {written}"
    elif key.kind == "call":
        yield f"{name} = {written}"
        yield block(f"if {name} is not ABSENT", f"{item(key.holder, key.key)} = {name}")
    else:
        target = item(key.holder, key.key)
        if key.kind == "also":
            target = f"{key.holder}[{call('original_key', kept_within(*key.way[:-1]), python_string(key.key))}]"
        yield block(f"if {shape.variable}.{name} is not None", f"{target} = {written}")


def _written(shape: ObjectMapping, key: FieldMapping) -> str:
    """What a key's fields are on the wire."""
    value, *others = (f"{shape.variable}.{name}" for name in key.attributes)
    where = place(key.field)
    if key.kind in ("call", "beside"):
        kept = f"{call('extra_at', 'own', *map(python_string, key.way))} if own else ABSENT"
        if key.kind == "beside":
            kept = kept_within(*key.way[:-1])
        given = (f"{shape.variable}.{name}" for name in key.given_attributes)
        return call(key.writes, value, *others, kept, where, "writer", *given, *([key.table] if key.table else []))
    if key.kind == "list":
        return call("write_list", value, where, "writer", key.writes)
    if key.kind == "text_or":
        return call("write_text_or_list", value, where, "writer", key.writes)
    if key.default is not None:
        return call("defaulted", value, python_literal(key.default), where, "writer")
    return call("demanded", value, python_string(key.key)) if key.demanded else value


def _write_without_tag(shape: ObjectMapping) -> Iterator[Block]:
    """Leave the tag out of an object that came without it."""
    if shape.untagged:
        tag = python_string(shape.untagged)
        yield block(f'if {tag} in own.get("$absent", ())', f"del wire[{tag}]")
