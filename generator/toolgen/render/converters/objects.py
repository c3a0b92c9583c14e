"""The methods that read an object by its mapping, and write a value as such an object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolgen.plan.mapping_plans import KeyMapping, ObjectMapping, WireObjectPlan
from toolgen.render.converters.code import Method, Statement, call
from toolgen.render.literals import python_literal, python_string


def reader_method(mapping: ObjectMapping) -> Method:
    """Return the reader method."""
    return Method(
        f"read_{mapping.name}",
        ("wire: dict[str, Any]", "at: Path", "reader: Reader", *(f"{name}: str" for name in mapping.outside)),
        mapping.type,
        f"Read {mapping.description}.",
        (
            f"source = {call('SourceObject', 'wire', 'at', 'reader', *map(python_string, mapping.elsewhere))}",
            *(_source_inside(inner_object) for inner_object in mapping.objects[1:]),
            *_read_keys(mapping),
            *(
                call("source.tag", python_string(tag), python_literal(value))
                for tag, value in mapping.tag
                if tag in mapping.tag_also
            ),
            *([call("source.untagged", python_string(mapping.untagged))] if mapping.untagged else []),
            f"return {_constructed(mapping)}",
        ),
    )


def _source_inside(inner_object: WireObjectPlan) -> Statement:
    method = "required_inner" if inner_object.required else "inner"
    parent = _source(inner_object.parent)
    return f"{inner_object.variable} = {call(f'{parent}.{method}', python_string(inner_object.key))}"


def _source(holder: str) -> str:
    """Return the variable of an object that is read."""
    return "source" if holder == "wire" else holder


def _read_keys(mapping: ObjectMapping) -> Iterator[Statement]:
    """Yield the statements that read each key into the variables of its fields."""
    for key in mapping.keys_in_reading_order:
        yield f"{', '.join(key.variables)} = {_read(key)}"
        if mapping.type == "Request" and key.variables[0] == "tools":
            yield call("reader.set_offered_tools", "tools")


def _read(key: KeyMapping) -> str:
    """Return the expression that reads a key, or several keys that share their fields."""
    source, name = _source(key.holder), python_string(key.key)
    settings = _settings(key, key.given)
    if key.kind == "beside":
        keys = _tuple([*map(python_string, key.all_keys)])
        if key.keeping == "own":
            return call(f"{source}.values_with_extras", keys, key.reads, *settings)
        return call(f"{source}.fields", keys, key.reads, key.writes, *settings)
    if key.kind == "call":
        if key.keeping == "rule":
            return call(f"{source}.field", name, key.reads, key.writes, *settings)
        return call(f"{source}.{'value_with_extra' if key.keeping == 'own' else 'value'}", name, key.reads, *settings)
    if key.kind == "text_or":
        return call(f"{source}.text_or_list", name, key.reads)
    if key.kind == "named":
        return call(f"{source}.named", f"self.{key.table}", key.python_type)
    if not key.python_type:
        return call(f"{source}.{'required_value' if key.required else 'get'}", name)
    return call(f"{source}.{'required' if key.required else 'optional'}", name, key.python_type)


def _settings(key: KeyMapping, given: Sequence[str]) -> Sequence[str]:
    """Return the last arguments of the functions of a key: fields that they need, and their table."""
    return [*given, *([f"self.{key.table}"] if key.table else [])]


def _tuple(expressions: Sequence[str]) -> str:
    return f"({', '.join(expressions)}{',' if len(expressions) == 1 else ''})"


def _constructed(mapping: ObjectMapping) -> str:
    """Return the expression of the value that was read."""
    value = call(mapping.type, *mapping.arguments, "metadata=source.metadata()")
    return call("reader.decode_call", value) if mapping.type == "ToolCall" else value


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
            f"target = {call('TargetObject', f'{value}.metadata', 'at', 'writer')}",
            _report_unmapped(mapping),
            *(
                f"{inner_object.variable} = {call(f'{_target(inner_object.parent)}.inner', python_string(inner_object.key))}"
                for inner_object in mapping.objects[1:]
            ),
            *(statement for held in reversed(mapping.objects) for statement in _write_object(mapping, held)),
            *([call("target.untagged", python_string(mapping.untagged))] if mapping.untagged else []),
            "return target.finish()",
        ),
    )


def _target(holder: str) -> str:
    """Return the variable of an object that is written."""
    return "target" if holder == "wire" else holder


def _report_unmapped(mapping: ObjectMapping) -> Statement:
    """Return the statement that reports fields without a key on the wire that have a value.

    It lists the others, so that a field that is added to the format changes only the wires that have it.
    """
    names = _tuple([*map(python_string, mapping.mapped)])
    lost = [f"{python_string(name)}: {python_string(severity)}" for name, severity in mapping.lost.items()]
    return call("target.unmapped", mapping.variable, names, *([f"{{{', '.join(lost)}}}"] if lost else []))


def _write_object(mapping: ObjectMapping, held: WireObjectPlan) -> Iterator[Statement]:
    """Yield the statements that write one of the objects: keys that are always present, then the others."""
    target, keys, inner = (
        _target(held.variable),
        mapping.keys_below(held.variable),
        mapping.inner_objects(held.variable),
    )
    for tag, value in mapping.tag if held.variable == "wire" else ():
        method = "tag" if tag in mapping.tag_also else "required"
        yield call(f"{target}.{method}", python_string(tag), python_literal(value))
    yield from (_write(mapping, key) for key in keys if _is_always_there(key))
    yield from (call(f"{target}.required", python_string(i.key), f"{i.variable}.wire") for i in inner if i.required)
    yield from (_write(mapping, key) for key in keys if not _is_always_there(key))
    for i in inner:
        if not i.required:
            yield call(f"{target}.optional", python_string(i.key), f"{i.variable}.wire or None")


def _is_always_there(key: KeyMapping) -> bool:
    return key.kind != "beside" and key.required


def _write(mapping: ObjectMapping, key: KeyMapping) -> Statement:
    """Return the statement that writes a key, or several keys that share their fields."""
    target, name, field = _target(key.holder), python_string(key.key), python_string(key.field)
    values = [f"{mapping.variable}.{attribute}" for attribute in key.attributes]
    settings = _settings(key, [f"{mapping.variable}.{attribute}" for attribute in key.given_attributes])
    if key.kind in ("call", "beside"):
        if key.keeping == "rule":
            fields = values[0] if len(values) == 1 else _tuple(values)
            if key.kind == "call":
                return call(f"{target}.field", name, fields, field, key.reads, key.writes, *settings)
            keys = _tuple([*map(python_string, key.all_keys)])
            return call(f"{target}.fields", keys, fields, field, key.reads, key.writes, *settings)
        if key.kind == "beside":
            return call(f"{target}.values_with_extras", _tuple(values), field, key.writes, *settings)
        method = "value_with_extra" if key.keeping == "own" else "value"
        return call(f"{target}.{method}", name, _tuple(values), field, key.writes, *settings)
    if key.kind == "text_or":
        return call(f"{target}.text_or_list", name, values[0], field, key.writes)
    if key.kind == "named":
        return call(f"{target}.named", f"self.{key.table}", values[0])
    if key.demanded:
        return call(f"{target}.demanded", name, values[0])
    return call(f"{target}.{'required' if key.required else 'optional'}", name, values[0])
