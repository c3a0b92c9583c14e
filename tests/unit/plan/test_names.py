from __future__ import annotations

import keyword
import unicodedata

import pytest
from pydantic import BaseModel

from toolgen.plan.names import field_names, module_name, nested_class_name, singularize, tool_class_stem

HOSTILE = [
    "", " ", "class", "None", "match", "_x", "__class__", "__init__", "1st", "a-b", "a_b", "a b", "\U0001d4b3", "ﬁ", "fi", "X",
    "x", "🚀", "本文", "ключ", "é", "e", "list", "str", "Any", "Field", "model_config", "model_dump", "model_name",
    "copy", "json", "dict", "schema", "self", "cls", "field", "fields", "validate", "register", "mro", "\u202eabc",
    'a"b', "a\nb", "a" * 300, "{{x}}", "type", "Location", "ID",
]  # fmt: skip


def test_field_names_are_distinct_identifiers_as_python_reads_them() -> None:
    names = field_names(HOSTILE)

    assert list(names) == HOSTILE
    assert len(set(names.values())) == len(HOSTILE)
    for name in names.values():
        assert name.isidentifier()
        assert unicodedata.is_normalized("NFKC", name)
        assert not keyword.iskeyword(name)
        assert not name.startswith("_")
        assert not hasattr(BaseModel, name)
        assert not name[0].isupper()
        assert len(name) <= 70


def test_fit_names_are_kept_whatever_the_order() -> None:
    assert field_names(["a-b", "a_b"]) == {"a-b": "a_b_2", "a_b": "a_b"}
    assert field_names(["a_b", "a-b"]) == {"a-b": "a_b_2", "a_b": "a_b"}


def test_every_attribute_of_a_model_is_avoided() -> None:
    public = [n for n in {*dir(BaseModel), *dir(type(BaseModel))} if not n.startswith("_")]

    assert [n for n in public if field_names([n])[n] == n] == []


@pytest.mark.parametrize(
    ("tool", "module", "stem"),
    [
        ("get_weather", "get_weather", "GetWeather"),
        ("getWeather", "get_weather", "GetWeather"),
        ("get-weather", "get_weather", "GetWeather"),
        ("class", "class_", "Class"),
        ("None", "none_", "NoneType"),
        ("__init__", "init", "Init"),
        ("con", "con_", "Con"),
        ("COM1", "com1_", "COM1"),
        ("2fa", "_2fa", "Tool2fa"),
        ("_", "_", "Tool"),
        ("typing", "typing", "Typing"),
        ("dispatch", "dispatch_", "Dispatch"),
        ("parse_arguments", "parse_arguments_", "ParseArguments"),
    ],
)
def test_names_of_tools(tool: str, module: str, stem: str) -> None:
    assert (module_name(tool), tool_class_stem(tool)) == (module, stem)


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        ("accountSid", "account_sid"),
        ("HTTPServer", "http_server"),
        ("userIDs", "user_ids"),
        ("userID", "user_id"),
        ("Sha256Hash", "sha256_hash"),
        ("page-size", "page_size"),
        ("maxResults2", "max_results2"),
        ("ID", "id"),
        ("größe", "größe"),
        ("GrößeÄnderung", "größe_änderung"),
        ("prix-unité", "prix_unité"),
        ("ключ", "ключ"),
        ("サイズID", "サイズ_id"),
        ("ﬁle", "file"),
        ("²", "field_2"),
        ("🚀", "u1f680"),
        ("a\ufe0fb", "a_ufe0f_b"),
        ("\u3164", "u1160"),
    ],
)
def test_fields_are_spelled_as_pep_8_has_it(wire: str, name: str) -> None:
    assert field_names([wire]) == {wire: name}


def test_fields_that_are_spelled_alike_are_told_apart() -> None:
    assert field_names(["accountSid", "account_sid"]) == {"accountSid": "account_sid_2", "account_sid": "account_sid"}


@pytest.mark.parametrize(
    ("steps", "used", "name"),
    [
        (("parent", "page_id"), set(), "MovePagePageId"),
        (("parent",), {"MovePageParent"}, "MovePageParent2"),
        (("filter", "parent"), {"MovePageParent"}, "MovePageFilterParent"),
        (("filter", "item"), set(), "MovePageFilterItem"),
        (("filter", "option2"), set(), "MovePageFilterOption2"),
        (("größe",), set(), "MovePageGröße"),
        (("шлюз",), set(), "MovePageШлюз"),
        (("サイズ",), set(), "MovePageサイズ"),
        (("MovePageRequest",), set(), "MovePageRequest"),
        (("word" * 10, "more" * 15), {"MovePage" + "More" + "more" * 14}, "MovePage" + "Word" + "word" * 9),
    ],
)
def test_classes_are_named_by_the_last_step_that_tells_them_apart(
    steps: tuple[str, ...], used: set[str], name: str
) -> None:
    assert nested_class_name("MovePage", steps, used) == name


@pytest.mark.parametrize(
    ("plural", "singular"),
    [("items", "item"), ("entries", "entry"), ("boxes", "box"), ("classes", "class"), ("status", None), ("data", None)],
)
def test_items_are_named_in_the_singular(plural: str, singular: str | None) -> None:
    assert singularize(plural) == singular
