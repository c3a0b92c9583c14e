"""The class of each provider: its module, its attributes, and its methods.

The classes of the shipped profiles are modules of the runtime. A profile that a project adds or changes, also by its
settings, has a class of its own, in a module beside the provider's. With a format of the project, every profile has.

A class has a reader and a writer for each mapping and each union of its profile. Text of a source becomes an expression
only through `render/literals.py`; everything else is a name from the plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from jinja2 import UndefinedError

from toolgen.plan.wires import (
    ClassAttribute,
    ConstructedValue,
    KeyMapping,
    MappedField,
    MappingError,
    MemberPlan,
    ObjectMapping,
    ProviderPlan,
    RuntimeFunction,
    UnionPlan,
    WireObjectPlan,
    api_of,
    declared_attributes,
    import_converter_class,
    plan_provider,
    section_about_extras,
)
from toolgen.render.imports import RUNTIME, UnknownNameError, insert_imports
from toolgen.render.literals import python_literal, python_string
from toolgen.render.templates import UNFORMATTED_HEADER, format_generated_module, render_template
from toolgen.resolve import Catalog, Format, Profile
from toolgen.resolve.profiles import profile_name_of_file
from toolgen.resources import modules_by_exported_name
from toolgen_runtime.json_values import apply_merge_patch, same_json

# Modules.

NOT_IN_CLASS = frozenset({"extends", "limits", "models", "models_of", "parameter_names"})
"""The sections of a profile that its class contains nothing of."""


def runtime_wire_module(profile: Profile) -> str:
    """Return the name of the runtime's module for the class of a shipped profile, such as `toolgen_runtime.apis.mcp.wire`.

    A class stands in the folder of the API whose converter it uses. One of another name is a host of that API.
    """
    api = api_of(profile.facts)
    name = "wire" if api == profile.name else f"hosts.{profile.name}"
    return f"{RUNTIME}.apis.{api}.{name}"


def find_wire_modules(catalog: Catalog) -> dict[str, str]:
    """Return the modules of the classes of all profiles, and of those that they extend, by the names of the profiles.

    The name of a module in the generated package begins with a dot (`import_path`).
    """
    modules: dict[str, str] = {}
    for profile, *_ in profile_lineages(catalog.profiles):
        is_in_runtime = not catalog.format.is_extended and _is_shipped(profile)
        modules[profile.name] = runtime_wire_module(profile) if is_in_runtime else f".providers._{profile.name}_wire"
    return modules


def _is_shipped(profile: Profile) -> bool:
    """Return whether the class of a profile is that of the shipped profile of this name."""
    shipped = {profile_name_of_file(document) for document in profile.documents if document.is_shipped}
    own_sections = (document.value.keys() for document in profile.documents if not document.is_shipped)
    return profile.name in shipped and profile.configured.union(*own_sections) <= NOT_IN_CLASS


def own_wire_files(catalog: Catalog, modules: Mapping[str, str]) -> dict[str, str]:
    """Return the modules of classes that the package has itself, by path.

    Raises:
        MappingError: a profile lacks a fact, or refers to something that does not exist.
    """
    names = format_class_names(catalog.format)
    files: dict[str, str] = {}
    for lineage in profile_lineages(catalog.profiles):
        module = modules[lineage[0].name]
        if module.startswith("."):
            path = _path_of(module.removeprefix("."))
            plan, *ancestors = (plan_provider(profile, catalog) for profile in lineage)
            files[path] = format_generated_module(path, render_wire_module(plan, ancestors, names, modules))
    return files


def runtime_wire_files(catalog: Catalog) -> dict[str, str]:
    """Return the modules of the classes of shipped profiles, and the folders of hosts, by their paths in the runtime."""
    names = format_class_names(catalog.format)
    plans = {profile.name: plan_provider(profile, catalog) for profile in catalog.profiles}
    modules = {profile.name: runtime_wire_module(profile) for profile in catalog.profiles}
    files: dict[str, str] = {}
    for lineage in profile_lineages(catalog.profiles):
        plan, *ancestors = (plans[profile.name] for profile in lineage)
        path = _path_of(modules[plan.name].removeprefix(f"{RUNTIME}."))
        files[path] = format_generated_module(path, render_wire_module(plan, ancestors, names, modules))
        folder = path.rpartition("/")[0]
        if folder.endswith("/hosts"):
            files[f"{folder}/__init__.py"] = (
                UNFORMATTED_HEADER + '"""The classes of servers that speak this API, each with its differences."""\n'
            )
    return files


def providers_text(profiles: Iterable[Profile]) -> str:
    """Return the module that lists the shipped providers with their APIs, and what their extras mean to others."""
    ordered = sorted(profiles, key=attrgetter("name"))
    apis = {profile.name: api_of(profile.facts) for profile in ordered}
    extras = {profile.name: section_about_extras(profile.facts) for profile in ordered}
    return format_generated_module(
        "shipped_providers.py",
        '"""The providers that toolgen has."""\n\nfrom typing import Any, Final\n\n__all__ = ["API_OF", "EXTRAS"]\n\n'
        f'API_OF: Final = {python_literal(apis)}\n"""The APIs that they speak, by their names."""\n\n'
        f"EXTRAS: Final[dict[str, dict[str, Any]]] = {python_literal(extras)}\n"
        '"""The section `extras` of their profiles, with the keys of `ExtrasFacts`."""\n',
    )


def _path_of(module: str) -> str:
    """Return the path of a module, whose name is without that of the package."""
    return module.replace(".", "/") + ".py"


def profile_lineages(profiles: Iterable[Profile]) -> list[tuple[Profile, ...]]:
    """Return each profile, followed by those that it extends, the nearest first. Extended profiles are listed before it."""
    by_name = {profile.name: profile for profile in profiles}
    lineages: dict[str, tuple[Profile, ...]] = {}
    for profile in by_name.values():
        lineage = [profile]
        while (parent := lineage[-1].parent) is not None:
            lineage.append(by_name.get(parent.name, parent))
        lineages |= {member.name: tuple(lineage[i:]) for i, member in enumerate(lineage)}
    return sorted(lineages.values(), key=lambda lineage: (len(lineage), lineage[0].name))


def format_class_names(format: Format) -> list[str]:
    """Return the names of the format's classes, without metadata, which is a plain object."""
    return sorted(name for name in format.types if name != "Metadata")


def render_wire_module(
    plan: ProviderPlan, ancestors: Sequence[ProviderPlan], models: Sequence[str], modules: Mapping[str, str]
) -> str:
    """Return the text of the module with a provider's class: the facts of its profile about each object.

    The class is derived from that of the first ancestor that has only members that this class has too, and contains what
    differs. Ancestors are the profiles that this one extends, the nearest first; `models` are the names that the
    format's module exports, and `modules` the modules of the classes by provider.

    Raises:
        MappingError: the profile lacks a fact, or refers to something that does not exist.
    """
    printed_class = wire_class(plan)
    homes: dict[str, str] = {}
    for parent in ancestors:
        derived = printed_class.derived_from(wire_class(parent))
        if derived is not None:
            printed_class, homes = derived, {parent.class_name: modules[parent.name]}
            break
    try:
        text = render_template("wires/module.py", plan=plan, printed_class=printed_class)
        return insert_imports(text, modules[plan.name], models, homes)
    except UndefinedError as error:
        raise missing_fact(error, plan.name) from error
    except UnknownNameError as error:
        raise misspelled_name(error, plan.name) from error


def missing_fact(error: UndefinedError, provider: str) -> MappingError:
    """Return the error of a fact that a template prints and a profile does not have."""
    name = re.search(r"no attribute '(\w+)'", f"{error}")
    return MappingError((), f"needs {name[1]}" if name else f"{error}", provider)


def misspelled_name(error: UnknownNameError, provider: str) -> MappingError:
    """Return the error of a name in a profile. It says functions of keys without what they do."""
    unknown, *candidates = (re.sub("^(read|write)_", "", name) for name in (error.name, *modules_by_exported_name()))
    return MappingError((), f"{error}", provider, unknown, candidates)


# Classes.


@dataclass(frozen=True, slots=True)
class Method:
    """A method to print. `parameters` are those after `self`, with their types; `body` are its lines, with indentation.

    A line may be of any length: the formatter breaks it.
    """

    name: str
    parameters: tuple[str, ...]
    returns: str
    doc: str
    body: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WireClass:
    """A provider's class to print: the arguments of its `FACTS`, its attributes and its methods, each by name.

    `converter` is the class of its API: the only base, unless the class is derived from that of another provider, its
    `parent`. Then it has only what differs.
    """

    name: str
    converter: str
    facts: Mapping[str, Any]
    attributes: Mapping[str, ClassAttribute]
    methods: Mapping[str, Method]
    parent: WireClass | None = None

    @property
    def bases(self) -> list[str]:
        """Return the names of the base classes."""
        if self.parent is None:
            return [self.converter]
        if self.parent.converter == self.converter:
            return [self.parent.name]
        return [self.converter, self.parent.name]

    @property
    def attribute_lines(self) -> list[str]:
        """Return the statements of the attributes."""
        lines = [f"FACTS = {self._facts()}"]
        for attribute in self.attributes.values():
            annotation = f": {attribute.annotation}" if attribute.annotation else ""
            lines.append(f"{attribute.name}{annotation} = {self._value(attribute)}")
        return lines

    def _facts(self) -> str:
        """Return the expression of the facts: those of the parent with a merge patch, if there is one."""
        patch = _patch_of_facts(self.parent.facts, self.facts) if self.parent else None
        if self.parent is None or patch is None:
            function, values = "WireFacts", self.facts
        else:
            function, values = f"{self.parent.name}.FACTS.patched", patch
        # The comma after the last argument makes the formatter print one argument per line.
        return f"{function}({''.join(f'{name}={python_literal(value)}, ' for name, value in values.items())})"

    def _value(self, attribute: ClassAttribute) -> str:
        """Return the expression of an attribute: that of the parent with a merge patch, if that is shorter."""
        expression = _value_expression(attribute.value)
        inherited = self.parent.attributes.get(attribute.name) if self.parent else None
        if self.parent is None or inherited is None:
            return expression
        patch = make_merge_patch(inherited.value, attribute.value)
        if patch is None:
            return expression
        patched = call("apply_merge_patch", f"{self.parent.name}.{attribute.name}", python_literal(patch))
        return min(expression, patched, key=len)

    def derived_from(self, parent: WireClass) -> WireClass | None:
        """Return this class as a subclass of another one, with only what differs; None if it would behave differently.

        Methods of the other class that this one lacks are never called, and neither are their tables used.
        """
        if not self._can_derive_from(parent):
            return None
        attributes = {
            name: attribute for name, attribute in self.attributes.items() if attribute != parent.attributes.get(name)
        }
        methods = {name: method for name, method in self.methods.items() if method != parent.methods.get(name)}
        return replace(self, attributes=attributes, methods=methods, parent=parent)

    def _can_derive_from(self, parent: WireClass) -> bool:
        """Return whether this class behaves the same as a subclass of another one that states what differs.

        It does not if the other class has attributes that this one lacks or has with another type, or if the API of this
        one is not based on that of the other.
        """
        api, parent_api = import_converter_class(self.converter), import_converter_class(parent.converter)
        if not issubclass(api, parent_api):
            return False
        own_bases = (base for base in api.__mro__ if base not in parent_api.__mro__)
        overridden = {name for base in own_bases for name in vars(base)}
        if not overridden.isdisjoint([*parent.attributes, *parent.methods]):
            return False
        declared = declared_attributes(api)
        for name, inherited in parent.attributes.items():
            own = self.attributes.get(name)
            if own == inherited:
                continue
            if not inherited.annotation:
                return False  # a function, whose type the API does not say
            if own is None and name in declared:
                return False
            if own is not None and own.annotation != inherited.annotation:
                return False
        return True


def _patch_of_facts(base: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of `WireFacts.patched`, which adds entries about models. None if there are none."""
    inherited, entries = base.get("models", []), facts.get("models", [])
    if entries[: len(inherited)] != inherited:
        return None
    patch = make_merge_patch(*({k: v for k, v in each.items() if k != "models"} for each in (base, facts)))
    further = entries[len(inherited) :]
    return {**patch, "models": further} if patch is not None and further else patch


def make_merge_patch(base: Any, value: Any) -> dict[str, Any] | None:
    """Return the merge patch (RFC 7396) that makes one object into another; None if there is none.

    A patch cannot write null, and the keys that it adds come last. The order of some tables counts.
    """
    if not isinstance(base, Mapping) or not isinstance(value, Mapping):
        return None
    patch: dict[str, Any] = {key: None for key in base if key not in value}
    for key, member in value.items():
        if isinstance(member, Mapping) and isinstance(base.get(key), Mapping):
            inner = make_merge_patch(base[key], member)
            if inner is None:
                return None
            patch |= {key: inner} if inner else {}
        elif key not in base or not same_json(member, base[key]):
            patch[key] = member
    patched = apply_merge_patch(base, patch)
    return patch if same_json(patched, value) and [*patched] == [*value] else None


def wire_class(plan: ProviderPlan) -> WireClass:
    """Return the class of a provider, derived from the class of its API."""
    return WireClass(
        plan.class_name,
        str(plan.facts["converter"]),
        plan.wire_facts,
        {attribute.name: attribute for attribute in plan.class_attributes},
        {method.name: method for method in _methods(plan)},
    )


def _methods(plan: ProviderPlan) -> Iterator[Method]:
    """Yield the methods of the class: one per direction for each union and mapping."""
    for union in plan.unions.values():
        yield from (union_reader_method(union), union_writer_method(union))
    for mapping in plan.mappings.values():
        yield from (reader_method(mapping), writer_method(mapping))


def _value_expression(value: Any) -> str:
    """Return the expression of the value of an attribute."""
    if isinstance(value, RuntimeFunction):
        return call("staticmethod", value.name)
    if isinstance(value, ConstructedValue):
        keywords = (f"{name}={python_literal(argument)}" for name, argument in value.keywords.items())
        return call(value.function, *map(python_literal, value.arguments), *keywords)
    return python_literal(value)


def call(function: str, *arguments: str) -> str:
    """Return a call expression."""
    return f"{function}({', '.join(arguments)})"


def _tuple(expressions: Sequence[str]) -> str:
    return f"({', '.join(expressions)}{',' if len(expressions) == 1 else ''})"


def _strings(texts: Iterable[str]) -> str:
    """Return the expression of a tuple of strings."""
    return _tuple([*map(python_string, texts)])


# Methods of mappings.


def reader_method(mapping: ObjectMapping) -> Method:
    """Return the method that reads an object by its mapping."""
    lines = [f"source = {call('SourceObject', 'wire', 'at', 'reader', *map(python_string, mapping.elsewhere))}"]
    for inner in mapping.objects[1:]:
        method = "required_inner" if inner.required else "inner"
        lines.append(f"{inner.variable} = {call(f'{_source(inner.parent)}.{method}', python_string(inner.key))}")
    for key in mapping.keys_in_reading_order:
        lines.append(f"{', '.join(key.variables)} = {_read(key)}")
        if mapping.has_offered_tools(key):
            lines.append("reader.set_offered_tools(tools)")
    for tag, value in mapping.tag.items():
        if tag in mapping.tag_also:
            lines.append(call("source.tag", python_string(tag), python_literal(value)))
    if mapping.untagged:
        lines.append(call("source.untagged", python_string(mapping.untagged)))
    instance = call(mapping.type, *mapping.arguments, "metadata=source.metadata()")
    lines.append(f"return {call('reader.decode_call', instance) if mapping.type == 'ToolCall' else instance}")
    return Method(
        f"read_{mapping.name}",
        ("wire: dict[str, Any]", "at: Path", "reader: Reader", *(f"{name}: str" for name in mapping.outside)),
        mapping.type,
        f"Read {mapping.description}.",
        tuple(lines),
    )


def _source(holder: str) -> str:
    """Return the variable of an object that is read."""
    return "source" if holder == "wire" else holder


def _read(key: KeyMapping) -> str:
    """Return the expression that reads a key, or several keys that share their fields."""
    source, name = _source(key.holder), python_string(key.key)
    settings = [*key.given_variables, *_table_argument(key)]
    if key.kind == "beside":
        if key.keeping == "own":
            return call(f"{source}.values_with_extras", _strings(key.all_keys), key.reader, *settings)
        return call(f"{source}.fields", _strings(key.all_keys), key.reader, key.writer, *settings)
    if key.kind == "call":
        if key.keeping == "rule":
            return call(f"{source}.field", name, key.reader, key.writer, *settings)
        method = "value_with_extra" if key.keeping == "own" else "value"
        return call(f"{source}.{method}", name, key.reader, *settings)
    if key.kind == "text_or":
        return call(f"{source}.text_or_list", name, key.reader)
    if key.kind == "named":
        return call(f"{source}.named", f"self.{key.table}", key.python_type)
    if not key.python_type:
        return call(f"{source}.{'required_value' if key.required else 'get'}", name)
    return call(f"{source}.{'required' if key.required else 'optional'}", name, key.python_type)


def _table_argument(key: KeyMapping) -> list[str]:
    """Return the last argument of the functions of a key: their table, if they have one."""
    return [f"self.{key.table}"] if key.table else []


def writer_method(mapping: ObjectMapping) -> Method:
    """Return the method that writes a value as an object by its mapping."""
    value = mapping.variable
    lines = [f"{value} = {call('writer.encode_call', value, 'at')}"] if mapping.type == "ToolCall" else []
    lines += [f"target = TargetObject({value}.metadata, at, writer)", _report_unmapped(mapping)]
    for inner in mapping.objects[1:]:
        lines.append(f"{inner.variable} = {call(f'{_target(inner.parent)}.inner', python_string(inner.key))}")
    for holder in reversed(mapping.objects):  # an object is complete before it becomes a value of the one around it
        lines += _write_object(mapping, holder)
    if mapping.untagged:
        lines.append(call("target.untagged", python_string(mapping.untagged)))
    lines.append("return target.finish()")
    return Method(
        f"write_{mapping.name}",
        (f"{value}: {mapping.type}", "at: Path", "writer: Writer"),
        "dict[str, Any]",
        f"Write {mapping.description}.",
        tuple(lines),
    )


def _target(holder: str) -> str:
    """Return the variable of an object that is written."""
    return "target" if holder == "wire" else holder


def _report_unmapped(mapping: ObjectMapping) -> str:
    """Return the statement that reports fields without a key on the wire that have a value.

    It lists the others, so that a field that is added to the format changes only the wires that have it.
    """
    lost = [python_literal(mapping.lost)] if mapping.lost else []
    return call("target.unmapped", mapping.variable, _strings(mapping.mapped), *lost)


def _write_object(mapping: ObjectMapping, holder: WireObjectPlan) -> Iterator[str]:
    """Yield the statements that write one of the objects: keys that are always present, then the others."""
    target = _target(holder.variable)
    keys, inner_objects = mapping.keys_of(holder), mapping.objects_in(holder)
    if holder.variable == "wire":
        for tag, value in mapping.tag.items():
            method = "tag" if tag in mapping.tag_also else "required"
            yield call(f"{target}.{method}", python_string(tag), python_literal(value))
    for key in keys:
        if _is_always_present(key):
            yield _write(mapping, key)
    for inner in inner_objects:
        if inner.required:
            yield call(f"{target}.required", python_string(inner.key), f"{inner.variable}.wire")
    for key in keys:
        if not _is_always_present(key):
            yield _write(mapping, key)
    for inner in inner_objects:
        if not inner.required:
            yield call(f"{target}.optional", python_string(inner.key), f"{inner.variable}.wire or None")


def _is_always_present(key: KeyMapping) -> bool:
    return key.required and key.kind != "beside"


def _write(mapping: ObjectMapping, key: KeyMapping) -> str:
    """Return the statement that writes a key, or several keys that share their fields."""
    target, name = _target(key.holder), python_string(key.key)
    values = _attributes(mapping, key.fields)
    if key.kind in ("call", "beside"):
        return _write_pair(key, values, [*_attributes(mapping, key.given), *_table_argument(key)])
    if key.kind == "text_or":
        return call(f"{target}.text_or_list", name, values[0], python_string(key.fields[0].name), key.writer)
    if key.kind == "named":
        return call(f"{target}.named", f"self.{key.table}", values[0])
    if key.is_demanded:
        return call(f"{target}.demanded", name, values[0])
    return call(f"{target}.{'required' if key.required else 'optional'}", name, values[0])


def _attributes(mapping: ObjectMapping, fields: Iterable[MappedField]) -> list[str]:
    """Return the expressions of fields of the value that is written."""
    return [f"{mapping.variable}.{field.attribute}" for field in fields]


def _write_pair(key: KeyMapping, values: Sequence[str], settings: Sequence[str]) -> str:
    """Return the statement that writes a key with functions of its own. `settings` are their last arguments."""
    target, name, field = _target(key.holder), python_string(key.key), python_string(key.fields[0].name)
    if key.keeping == "rule":
        method = "field" if key.kind == "call" else "fields"
        keys = name if key.kind == "call" else _strings(key.all_keys)
        fields = values[0] if len(values) == 1 else _tuple(values)
        return call(f"{target}.{method}", keys, fields, field, key.reader, key.writer, *settings)
    if key.kind == "beside":
        return call(f"{target}.values_with_extras", _tuple(values), field, key.writer, *settings)
    method = "value_with_extra" if key.keeping == "own" else "value"
    return call(f"{target}.{method}", name, _tuple(values), field, key.writer, *settings)


# Methods of unions.


def union_reader_method(union: UnionPlan) -> Method:
    """Return the method that reads an object by one of several mappings."""
    lines = ["if type(wire) is dict:"]
    if union.by:
        lines.append(f"    kind = {union.by}(wire)")
    elif union.tag:
        lines.append(f"    kind = {call('wire.get', python_string(union.tag))}")
    for member in union.members:
        lines += (f"    {line}" for line in _read_member(member))
    lines.append("return OpaquePart(reader.wire.name, wire)")
    return Method(
        f"read_{union.name}",
        ("wire: Any", "at: Path", "reader: Reader"),
        " | ".join(union.types),
        "Read one of several objects. Any other value becomes an opaque part.",
        tuple(lines),
    )


def _read_member(member: MemberPlan) -> list[str]:
    """Return the lines that read an object if it is this member of its union."""
    statement = f"return self.read_{member.mapping}(wire, at, reader)"
    if member.value is None:
        return [statement]
    value = python_string(member.value)
    condition = f"kind in ({value}, None)" if member.may_lack_tag else f"kind == {value}"
    if member.needs:
        condition += f" and {call('has_value_at', 'wire', *map(python_string, member.needs))}"
    return [f"if {condition}:", f"    {statement}"]


def union_writer_method(union: UnionPlan) -> Method:
    """Return the method that writes a value by the mapping of its type."""
    lines: list[str] = []
    for member in union.members:
        lines.append(f"if type(value) is {member.type}:")
        lines.append(f"    return self.write_{member.mapping}(value, at, writer)")
    lines += ["if type(value) is OpaquePart and writer.is_sendable(value):", "    return value.value"]
    text = next((member.mapping for member in union.members if member.type == "TextPart"), None)
    if text is not None and "ContentPart" in union.types:
        lines.append(f"return self.write_{text}(writer.describe_part(value, at), at, writer)")
    else:
        lines.append('writer.report_unsupported(at, writer.part_class_name(value, at), "warning")')
        lines.append("return ABSENT")
    return Method(
        f"write_{union.name}",
        ("value: Any", "at: Path", "writer: Writer"),
        "Any",
        "Write one of several values. An unsupported value is reported.",
        tuple(lines),
    )
