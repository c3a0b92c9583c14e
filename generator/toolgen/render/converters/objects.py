"""The methods that read an object by its mapping, and write a value as such an object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolgen.plan.mapping_plans import WITHOUT_EXTRAS, KeyMapping, ObjectMapping, UnmappedField, WireObjectPlan
from toolgen.render.converters.code import (
    OPTIONAL_READERS,
    Block,
    Method,
    Statement,
    block,
    call,
    get,
    item,
    nested_extras_expression,
    object_literal,
    optional_value,
    path_expression,
)
from toolgen.render.literals import python_literal, python_string


def reader_method(mapping: ObjectMapping) -> Method:
    """Return the reader method."""
    return Method(
        f"read_{mapping.name}",
        ("wire: dict[str, Any]", "at: Path", "reader: Reader", *(f"{name}: str" for name in mapping.outside)),
        mapping.type,
        f"Read {mapping.description}.",
        (
            *_inner_objects(mapping),
            *_read_keys(mapping),
            *_collect_extras(mapping),
            f"return {_constructed(mapping)}",
        ),
    )


def _inner_objects(mapping: ObjectMapping) -> Iterator[Statement]:
    """Yield the statements that read the inner objects."""
    for held in mapping.objects[1:]:
        if not held.required:
            outer = path_expression(*held.key_path[:-1])
            yield f"{held.variable} = {call('optional_object', held.parent, python_string(held.key), outer)}"
        else:
            yield f"{held.variable} = {get(held.parent, held.key)}"
            yield block(f"if type({held.variable}) is not dict", _wrong_type(held.key_path, "an object", held.variable))


def _read_keys(mapping: ObjectMapping) -> Iterator[Statement]:
    """Yield the statements that read each key into the variables of its fields."""
    for key in mapping.keys_in_reading_order:
        yield from _read_key(key)
        if mapping.type == "Request" and key.variables[0] == "tools":
            yield call("reader.set_offered_tools", "tools")


def _read_key(key: KeyMapping) -> Iterator[Statement]:
    name, value = key.variables[0], get(key.holder, key.key)
    if key.kind in ("call", "beside"):
        where = path_expression(*(key.key_path[:-1] if key.kind == "beside" else key.key_path))
        given = key.holder if key.kind == "beside" else get(key.holder, key.key, "ABSENT")
        arguments = given, where, "reader", *key.given, *([key.table] if key.table else [])
        extra = [_extra_of(key)] if key.may_have_extras else []
        yield f"{', '.join([*key.variables, *extra])} = {call(key.reads, *arguments)}"
        return
    if key.kind == "text_or":
        yield f"{name} = {call('read_text_or_list', value, path_expression(*key.key_path), 'reader', key.reads)}"
        return
    if key.kind == "also":
        names = map(python_string, (key.key, *key.aliases))
        yield f"{name}, {name}_key = {call('find_value_and_key', key.holder, *names)}"
    elif key.expected in OPTIONAL_READERS and not key.required:
        yield f"{name} = {optional_value(key.expected, key.holder, key.key_path)}"
        return
    else:
        yield f"{name} = {value}"
    yield from _check_type(key)


def _check_type(key: KeyMapping) -> Iterator[Block]:
    name = key.variables[0]
    if key.test:
        fails = key.test if key.required else f"{name} is not None and {key.test}"
        yield block(f"if {fails}", _wrong_type(key.key_path, key.expected, name))
    elif key.required:
        yield block(f"if {python_string(key.key)} not in {key.holder}", _wrong_type(key.key_path, "a value", "None"))


def _collect_extras(mapping: ObjectMapping) -> Iterator[Statement]:
    """Yield the statements that collect the extras: unknown keys, and known values under other keys or tags."""
    yield f"extras = {call('unmapped_members', 'wire', mapping.objects[0].known)}"
    for tag, value in mapping.tag:
        if tag in mapping.tag_also:
            actual = item("wire", tag)
            yield block(f"if {actual} != {python_literal(value)}", f"{item('extras', tag)} = {actual}")
    if mapping.untagged:
        absent = f'extras["$absent"] = [{python_string(mapping.untagged)}]'
        yield block(f"if {get('wire', mapping.untagged)} is None", absent)
    for held in mapping.objects[1:]:
        yield f"{_extras_of(held.variable)} = {call('unmapped_members', held.variable, held.known)}"
    for key in mapping.keys:
        extras, extra = _extras_of(key.holder), _extra_of(key)
        if key.kind == "call" and key.may_have_extras:
            yield block(f"if {extra} is not ABSENT", f"{item(extras, key.key)} = {extra}")
        elif key.kind == "beside":
            yield f"{extras} |= {extra}"
        elif key.kind == "also":
            yield call("note_alias", extras, python_string(key.key), f"{key.variables[0]}_key")
    for held in reversed(mapping.objects[1:]):
        outer = _extras_of(held.parent)
        yield call("keep_inner_extras", outer, held.parent, python_string(held.key), _extras_of(held.variable))


def _extras_of(variable: str) -> str:
    """Return the variable for the extras of an object."""
    return "extras" if variable == "wire" else f"{variable}_extras"


def _extra_of(key: KeyMapping) -> str:
    """Return the variable for what the function of a key returns besides its fields: one extra, or several by key."""
    return f"{key.variables[0]}_extras" if key.kind == "beside" else f"{key.variables[0]}_extra"


def _constructed(mapping: ObjectMapping) -> str:
    """Return the expression of the value that was read."""
    value = call(mapping.type, *mapping.arguments, "metadata=reader.as_metadata(extras)")
    return call("reader.decode_call", value) if mapping.type == "ToolCall" else value


def _wrong_type(key_path: Iterable[str], expected: str, value: str) -> str:
    return f"raise {call('wrong_type', path_expression(*key_path), python_string(expected), value)}"


def writer_method(mapping: ObjectMapping) -> Method:
    """Return the writer method."""
    value = mapping.variable
    return Method(
        f"write_{mapping.name}",
        (f"{value}: {mapping.type}", "at: Path", "writer: Writer"),
        "dict[str, Any]",
        f"Write {mapping.description}.",
        (
            *([f"{value} = {call('writer.encode_call', value, 'at')}"] if mapping.type == "ToolCall" else []),
            f"extras = {call('writer.own_extras', f'{value}.metadata', 'at')} if {value}.metadata else NO_EXTRAS",
            *(_report_loss(value, field) for field in mapping.unmapped_fields),
            *(statement for held in reversed(mapping.objects) for statement in _write_object(mapping, held)),
            *_write_without_tag(mapping),
            block("if extras", call("restore_extras", "wire", "extras")),
            "return wire",
        ),
    )


def _report_loss(value: str, field: UnmappedField) -> Block:
    """Return the block that reports a field without a key on the wire, if it has a value."""
    field_value = f"{value}.{field.python}"
    severity = [python_string(field.severity)] if field.severity != "note" else []
    if field.harmless_if_true:
        severity = [f'"note" if {field_value} else {severity[0]}']
    loss = call("writer.report_unsupported", path_expression(field.json), python_string(field.json), *severity)
    return block(f"if {field_value} is not None", loss)


def _write_object(mapping: ObjectMapping, held: WireObjectPlan) -> Iterator[Statement]:
    """Yield the statements that write one of the objects: keys that are always present, then the others."""
    variable, keys = held.variable, mapping.keys_below(held.variable)
    entries = list(_tag(mapping)) if variable == "wire" else []
    entries += [(key.key, _written(mapping, key)) for key in keys if _is_always_there(key)]
    entries += [(inner.key, inner.variable) for inner in mapping.inner_objects(variable) if inner.required]
    yield f"{variable}: dict[str, Any] = {object_literal(entries)}"
    for key in keys:
        if not _is_always_there(key):
            yield from _write_key(mapping, key)
    for inner in mapping.inner_objects(variable):
        if not inner.required:
            yield block(f"if {inner.variable}", f"{item(variable, inner.key)} = {inner.variable}")


def _tag(mapping: ObjectMapping) -> Iterator[tuple[str, str]]:
    """Yield the keys of the tag with their values; if several values are possible, the one that was read."""
    for tag, value in mapping.tag:
        literal = python_literal(value)
        yield tag, get("extras", tag, literal) if tag in mapping.tag_also else literal


def _is_always_there(key: KeyMapping) -> bool:
    return key.kind != "beside" and key.required


def _write_key(mapping: ObjectMapping, key: KeyMapping) -> Iterator[Statement]:
    """Yield the statements that write a key that may be missing."""
    name, written = key.attributes[0], _written(mapping, key)
    if key.kind == "beside":
        yield f"{key.holder} |= {written}"
    elif key.kind == "call":
        yield f"{name} = {written}"
        yield block(f"if {name} is not ABSENT", f"{item(key.holder, key.key)} = {name}")
    else:
        target = item(key.holder, key.key)
        if key.kind == "also":
            target = f"{key.holder}[{call('original_key', nested_extras_expression(*key.key_path[:-1]), python_string(key.key))}]"
        yield block(f"if {mapping.variable}.{name} is not None", f"{target} = {written}")


def _written(mapping: ObjectMapping, key: KeyMapping) -> str:
    """Return the expression for the fields of a key on the wire."""
    value, *others = (f"{mapping.variable}.{name}" for name in key.attributes)
    where = path_expression(key.field)
    if key.kind in ("call", "beside"):
        if WITHOUT_EXTRAS.get(key.function_name):
            return WITHOUT_EXTRAS[key.function_name].format(value, at=where)
        given = (f"{mapping.variable}.{name}" for name in key.given_attributes)
        extra = [f"{call('extra_at', 'extras', *map(python_string, key.key_path))} if extras else ABSENT"]
        if not key.may_have_extras:
            extra = []
        elif key.kind == "beside":
            extra = [nested_extras_expression(*key.key_path[:-1])]
        return call(key.writes, value, *others, *extra, where, "writer", *given, *([key.table] if key.table else []))
    if key.kind == "text_or":
        return call("write_text_or_list", value, where, "writer", key.writes)
    return call("require_value", value, python_string(key.key)) if key.demanded else value


def _write_without_tag(mapping: ObjectMapping) -> Iterator[Block]:
    """Yield the block that removes the tag from an object that was read without it."""
    if mapping.untagged:
        tag = python_string(mapping.untagged)
        yield block(f'if {tag} in extras.get("$absent", ())', f"del wire[{tag}]")
