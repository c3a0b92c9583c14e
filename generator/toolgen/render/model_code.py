"""Types of tools and of the format, from datamodel-code-generator: the only module that imports it.

For tools it receives only type schemas. Class names, strings and patterns are replaced by tokens before, and restored
afterwards through `python_string`, so no text of a source passes through its templates.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import reduce
from typing import Any, NamedTuple

from datamodel_code_generator import InputFileType, generate
from datamodel_code_generator.config import GenerateConfig
from datamodel_code_generator.enums import (
    DataModelType,
    StrictTypes,
    TargetPydanticVersion,
)
from datamodel_code_generator.format import PythonVersion
from datamodel_code_generator.parser import LiteralType

from toolgen.render.literals import python_string
from toolgen.render.templates import AliasText, ClassText, FieldText, TypeExpression
from toolgen.resolve import Format, FormatType
from toolgen.resolve.schema_locations import PREFIX

_FIELDS_PER_CLASS = 40

_RENAMED = {"StrictInt": "Integer", "StrictFloat": "Number", "Dict": "dict", "List": "list"}
"""Names of pydantic and typing that are printed as toolgen's own names, or as names of the language."""

_FORMATS = {"date": "StrictDate", "date-time": "StrictDateTime", "time": "StrictTime", "uuid": "StrictUuid"}
"""Our own names for strings of the formats that are checked."""

_KNOWN = frozenset(
    [
        "Annotated",
        "Any",
        "Exact",
        "Field",
        "Integer",
        "Literal",
        "Number",
        "StrictBool",
        "StrictStr",
        "dict",
        "list",
        "str",
        "tuple",
    ]
)
"""All names except those of classes that a type expression may have."""


def generated_type_expressions(type_schemas: Sequence[Any]) -> list[TypeExpression]:
    """Return the Python type of each type schema. Classes that type schemas refer to are printed by name."""
    tokens = _Tokens()
    masked = [tokens.masked(type_schema) for type_schema in type_schemas]
    document: dict[str, Any] = {token: {"type": "object", "properties": {"x": {}}} for token in tokens.classes.texts}
    for start in range(0, len(masked), _FIELDS_PER_CLASS):
        part = {f"f{i}": type_schema for i, type_schema in enumerate(masked[start : start + _FIELDS_PER_CLASS], start)}
        document[f"H{start}"] = {"type": "object", "properties": part, "required": list(part)}
    annotations: dict[str, ast.expr] = {}
    for node in ast.parse(model_code({"$defs": document})).body:
        if isinstance(node, ast.Assign):
            tokens.parts |= _aliased(node)
        elif isinstance(node, ast.ClassDef):
            for name, annotation in _annotated(node):
                if name == "root":  # a constrained part, which is printed where it is used
                    tokens.parts[node.name] = annotation
                elif node.name.startswith("H"):
                    annotations[name] = annotation
    return [tokens.unmasked(annotations[f"f{i}"]) for i in range(len(masked))]


def _annotated(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Yield the fields of a class with their annotations."""
    for line in node.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            yield line.target.id, line.annotation


def _aliased(node: ast.Assign) -> dict[str, ast.expr]:
    """Return the name and the type of a `Name = TypeAliasType("Name", type)`."""
    target, call = node.targets[0], node.value
    if isinstance(target, ast.Name) and isinstance(call, ast.Call) and len(call.args) == 2:
        return {target.id: call.args[1]}
    return {}


def model_code(schema: dict[str, Any]) -> str:
    """Return the code of models for a schema of supported keywords, with pinned options."""
    return _generated(
        schema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_pydantic_version=TargetPydanticVersion("2.12"),
        use_annotated=True,
        strict_nullable=True,
        strict_types=list(StrictTypes),
        use_single_value_enum_as_const=True,
        read_const_beside_enum=True,
        filter_literal_values=True,
        use_tuple_for_closed_arrays=True,
        use_tuple_for_fixed_items=True,
        use_typed_nullable_map_values=True,
        use_typed_map_values_beside_other_types=True,
        use_single_dict_for_object_maps=True,
    )


def _generated(schema: dict[str, Any], **options: Any) -> str:
    """Return the single module that the model generator makes of a schema: nothing is fetched, formatted or dated."""
    code = generate(
        schema,
        config=GenerateConfig(
            input_file_type=InputFileType.JsonSchema,
            target_python_version=PythonVersion.PY_311,
            disable_timestamp=True,
            formatters=[],
            allow_remote_refs=False,
            strict_refs=True,
            treat_dot_as_module=False,
            enum_field_as_literal=LiteralType.All,
            use_standard_collections=True,
            **options,
        ),
    )
    if not isinstance(code, str):
        raise TypeError(f"expected one module, got {type(code).__name__}")
    return code


class _TokenTable:
    """Tokens that stand for texts. `texts` has the text of each token."""

    def __init__(self, prefix: str) -> None:
        self.texts: dict[str, str] = {}
        self._prefix = prefix
        self._tokens: dict[str, str] = {}

    def token_of(self, text: str) -> str:
        """Return the token of a text, the same each time."""
        token = self._tokens.setdefault(text, f"{self._prefix}{len(self._tokens)}")
        self.texts[token] = text
        return token


class _Tokens(ast.NodeTransformer):
    """Replaces names of classes and strings by tokens, and restores them.

    `parts` are the annotations of named types that the generator makes, by name. They are printed where they are used.
    """

    def __init__(self) -> None:
        self.classes = _TokenTable("R")
        self.strings = _TokenTable("s")
        self.parts: dict[str, ast.expr] = {}
        self._used: set[str] = set()

    def masked(self, type_schema: Any) -> Any:
        """Return a type schema with tokens for classes and strings."""
        if isinstance(type_schema, list):
            return [self.masked(member) for member in type_schema]
        if not isinstance(type_schema, dict):
            return type_schema
        if "format" in type_schema:
            return self.masked({"$ref": PREFIX + _FORMATS[type_schema["format"]]})
        out: dict[str, Any] = {}
        for key, value in type_schema.items():
            if key == "$ref":
                out[key] = PREFIX + self.classes.token_of(value.removeprefix(PREFIX))
            elif key == "pattern":
                out[key] = self.strings.token_of(value)
            elif key == "enum":
                out[key] = [self.strings.token_of(v) if isinstance(v, str) else v for v in value]
            else:
                out[key] = self.masked(value)
        return out

    def unmasked(self, annotation: ast.expr) -> TypeExpression:
        """Return the text of an annotation with the names and strings restored."""
        self._used = set()
        text = ast.unparse(self.visit(deepcopy(annotation)))
        return TypeExpression(text, frozenset(self._used))

    def visit_Name(self, node: ast.Name) -> Any:
        """Restore the name of a class, or replace a name of pydantic by our own."""
        if node.id in self.classes.texts:
            name = self.classes.texts[node.id]
        elif node.id in self.parts:
            return self.visit(deepcopy(self.parts[node.id]))
        else:
            name = _RENAMED.get(node.id, node.id)
            if name not in _KNOWN:
                raise ValueError(f"unknown name {name} in a type expression")
        self._used.add(name)
        return ast.Name(name)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Print the literals of a union as one, where the first of them is."""
        members: list[ast.expr] = [self.visit(member) for member in _members(node)]
        literals = [member for member in members if isinstance(member, ast.Subscript) and _is_literal(member)]
        values = {ast.unparse(value): value for literal in literals for value in _values(literal)}
        if len(literals) > 1:
            members = [member for member in members if member not in literals[1:]]
            members[members.index(literals[0])] = ast.Subscript(ast.Name("Literal"), ast.Tuple([*values.values()]))
        return reduce(lambda left, right: ast.BinOp(left, ast.BitOr(), right), members)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Print a `Literal` of numbers or booleans as one that distinguishes them."""
        visited: Any = self.generic_visit(node)
        if not _is_literal(node) or not any(map(_is_number_or_boolean, _values(node))):
            return visited
        self._used |= {"Annotated", "Exact"}
        return ast.Subscript(ast.Name("Annotated"), ast.Tuple([visited, ast.Name("Exact")]))

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Restore a string; its literal is printed as it is, like a name."""
        return ast.Name(python_string(self.strings.texts[node.value])) if isinstance(node.value, str) else node


def _members(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the members of a union that is written with `|`."""
    if isinstance(node, ast.BinOp):
        yield from _members(node.left)
        yield from _members(node.right)
    else:
        yield node


def _is_literal(node: ast.Subscript) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "Literal"


def _values(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_number_or_boolean(node: ast.expr) -> bool:
    """Return whether a value of a `Literal` is one: a constant, or a negative number."""
    return isinstance(node, ast.UnaryOp) or (isinstance(node, ast.Constant) and isinstance(node.value, int))


class FormatTypes(NamedTuple):
    """The types of the format as text: classes and aliases, each in the order of the sources."""

    classes: tuple[ClassText, ...]
    aliases: tuple[AliasText, ...]


def make_format_class_texts(format: Format) -> FormatTypes:
    """Return the types of the format as slotted dataclasses.

    The generator provides annotations and defaults, the template the layout. Plain dataclasses, not pydantic models:
    creating them by position costs a seventh, and importing them does not import pydantic (docs/internals.md).
    """
    metadata = {"type": "object", "additionalProperties": True}
    schema = {"$defs": {n: _inlined(s, metadata) for n, s in format.schema["$defs"].items() if n != "Metadata"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # notices about future defaults of the generator, whose version is pinned
        text = _generated(
            schema,
            output_model_type=DataModelType.DataclassesDataclass,
            snake_case_field=True,
            use_union_operator=True,
            use_one_literal_as_default=True,
            dataclass_arguments={"slots": True},
        )
    return _read(text, format)


def _inlined(value: Any, metadata: dict[str, Any]) -> Any:
    """Return the schema without descriptions, which the template writes, and with Metadata as a plain object."""
    if isinstance(value, dict):
        if value.get("$ref") == "#/$defs/Metadata":
            return metadata
        return {k: _inlined(v, metadata) for k, v in value.items() if not (k == "description" and isinstance(v, str))}
    return [_inlined(v, metadata) for v in value] if isinstance(value, list) else value


def _read(text: str, format: Format) -> FormatTypes:
    """Read the types of the format from the text of the model generator.

    Raises:
        ValueError: one is missing.
    """
    classes: dict[str, ClassText] = {}
    aliases: dict[str, AliasText] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            classes[node.name] = _class_text(node, format.types[node.name])
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            name = node.target.id
            if name in format.types:
                aliases[name] = AliasText(name, format.types[name].description, ast.unparse(node.value))
    missing = format.types.keys() - classes.keys() - aliases.keys() - {"Metadata"}
    if missing:
        raise ValueError(f"the model generator did not generate {', '.join(sorted(missing))}")
    return FormatTypes(
        tuple(classes[n] for n in format.types if n in classes),
        tuple(aliases[n] for n in format.types if n in aliases),
    )


def _class_text(node: ast.ClassDef, type: FormatType) -> ClassText:
    """Return a class of the format, with the descriptions of the format."""
    descriptions = {field.python: str(field.schema.get("description", "")) for field in type.fields}
    fields = tuple(
        FieldText(
            item.target.id,
            ast.unparse(item.annotation),
            None if item.value is None else ast.unparse(item.value),
            descriptions.get(item.target.id, ""),
        )
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    )
    return ClassText(node.name, type.description, fields)
