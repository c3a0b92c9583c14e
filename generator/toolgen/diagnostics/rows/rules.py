"""Codes of the lint rules; `rules/lint` has a file for each."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

ROWS: tuple[Code, ...] = (
    Code(
        "allow-unknown",
        "warning",
        "there is no finding code {name} to allow",
        "name a code that `toolgen explain` knows",
        "A comment that allows a code which does not exist changes nothing, and is most often another code "
        "with a slip of the pen.",
    ),
    Code(
        "allow-unused",
        "note",
        "there is no {name} here to allow",
        "remove the comment",
        "A comment that allows what is not found has outlived its reason, or stands in the wrong line: behind "
        "the key that is meant, in the line above it, or above everything else for the whole file.",
    ),
    Code(
        "array-without-items",
        "error",
        "the array {name} does not say what its items are",
        "state them, such as `items: {type: string}`",
        "Some providers refuse an array without items, and with it every tool of the request; others send it "
        "without strictness. A model is left to guess whether it is to list texts, numbers or objects.",
    ),
    Code(
        "budget-exceeded",
        "warning",
        "{what} {count} {unit} for {provider}, and the budget is {most}",
        ("shorten descriptions, move what is rarely needed to another tool, or raise the budget in toolgen.yaml"),
        "Tools are sent with every request of a conversation and are paid for each time. A budget makes "
        "growth something that is decided. Bytes are those of compact JSON in UTF-8; tokens are an estimate, "
        "for each model has its own vocabulary.",
    ),
    Code(
        "description-too-long",
        "warning",
        "the description of {tool} has {count} {unit}, and {provider} takes {most} ({evidence})",
        None,
        "A provider that checks the length refuses the whole request, so every tool is lost. Nothing is cut "
        "on the way, for only the author knows which words can go. Lengths are counted as the provider counts "
        "them.",
        mend="Shorten it, or give that provider a shorter one: `providers: {name: {description: …}}`. `limits` of "
        "toolgen.yaml states another limit, or with null that there is none.",
    ),
    Code(
        "enum-of-mixed-types",
        "note",
        "the enum of {name} has values of several types: {types}",
        "let the values be of one type, or make them branches of a union",
        "Some providers take texts in an enum and nothing else. Values of one type can be written as texts "
        'and read back; `1` beside `"1"` cannot be told apart after that.',
    ),
    Code(
        "enum-without-type",
        "note",
        "the enum of {name} does not state its type, which is {type}",
        None,
        "Providers that hold a model to a schema need a type for every value, and some refuse a schema "
        "without one. The values show it, but not every reader looks at them.",
        mend="State the type that the message names.",
    ),
    Code(
        "error-not-silenced",
        "warning",
        "{name} is an error of build, which cannot be silenced",
        "remove this, and mend the error where it is found",
        "A build that went on after an error would write code that does not say what the declaration means. "
        "Levels and comments are for the findings of rules, for warnings and for notes.",
    ),
    Code(
        "hidden-text",
        "warning",
        "this text holds an invisible character, {character}",
        "remove it, or write what is meant with characters that show",
        "What a reviewer does not see a model reads: invisible characters can carry instructions past a "
        "review, and marks of direction let text look like another one. They come with text that was copied "
        "from elsewhere.",
    ),
    Code(
        "name-leading-digit",
        "note",
        "the name {tool} begins with a digit",
        "begin it with a word, such as a verb",
        "Not every provider takes such a name, and no Python function can have it: converters and generated "
        "code use another one.",
    ),
    Code(
        "name-python-word",
        "note",
        "the {kind} {name} is called like a word of Python",
        "choose another name, or live with an underscore behind it in Python",
        "Generated modules and attributes cannot be called so and have an underscore behind the name. On the "
        "wire the name stays as it is.",
    ),
    Code(
        "name-rewritten",
        "note",
        "the name {tool} is none for {providers}, and is another one on that wire",
        (
            "choose a name of letters, digits and underscores that begins with a letter, or state the wire's name "
            "under `providers`"
        ),
        "Converters rename one to one and back, so calls find their tool. But logs, dashboards and prompts "
        "that speak of the tool by name then disagree with what the model sees.",
    ),
    Code(
        "object-without-properties",
        "note",
        "the object {name} does not say what it holds",
        "state `properties`, or what its values are: `additionalProperties: {type: string}`",
        "A model fills in what it is told about. Where a provider holds it to the schema, an object of any "
        "form is refused or can only be empty, so the tool goes out without strictness.",
    ),
    Code(
        "parameter-name-refused",
        "warning",
        "the parameter {parameter} has a name that {providers} refuse",
        "use letters, digits and underscores, begin with a letter, and keep to 64 characters",
        "Names of parameters go out as they are, for handlers rely on them. A provider that refuses one of "
        "them refuses the whole request.",
    ),
    Code(
        "parameter-optional-and-null",
        "note",
        "the parameter {parameter} may be left out and may be null",
        "require it, or do not allow null; where both mean the same, say so with `default: null`",
        "Two ways to say nothing are a guess for the model and two cases for the handler. Where a provider "
        "demands every property, what may be left out is sent as null and dropped again; with null as a value "
        "of its own the two cannot be told apart there.",
    ),
    Code(
        "parameter-without-description",
        "note",
        "the parameter {parameter} of {tool} has no description",
        "say in a sentence what it holds",
        "A model fills in what it understands. A name alone leaves units, formats and defaults to guesswork.",
    ),
    Code(
        "parameters-look-alike",
        "note",
        "the parameters {parameter} and {other} differ in case, dashes or underscores alone",
        "rename one of the two",
        "Models spell names as they have seen them elsewhere and mix up those that look alike. In generated "
        "code one of the two needs a number.",
    ),
    Code(
        "portability",
        "note",
        "the tool {tool} goes to {providers} with changes: {changes}",
        None,
        "A provider is sent what it takes. What it has no word for is left out or said otherwise, so the model is told "
        "less there; arguments are still checked against the whole schema after it answered.",
        mend="Say it in other words of the schema, or in a description; `unsupported` keeps the tool from a provider. "
        "`toolgen show TOOL` prints the payload and every change with its place.",
    ),
    Code(
        "root-composition",
        "warning",
        "the parameters of {tool} are composed by {keyword} at the outermost place",
        "state one object with optional members, and put the rule into the description; or let providers have it under one "
        "property: `unions: wrapped` among the dialects of a profile of the project's own",
        "Arguments are one object everywhere, and several providers refuse a request with a composition at "
        "the root of a schema. What is left out for them is still checked after the model answered, but the "
        "model does not know of it.",
    ),
    Code(
        "schema-too-large",
        "warning",
        "the parameters of {tool} have {count} {what}, and {provider} takes {most} where it is strict ({evidence})",
        "move a part to another tool, make it flatter, or do not demand strictness: `strict: auto`",
        "A provider that compiles a schema, so that a model cannot leave it, takes schemas up to some size and depth, and "
        "refuses the request beyond. Deep structures are also where models make most mistakes.",
    ),
    Code(
        "tokens-not-counted",
        "warning",
        "the budget is in tokens, and nothing counts them: {reason}",
        "install tiktoken with its vocabulary beside toolgen, or state the budget in bytes",
        "A budget that is not held against anything looks as if it was kept. toolgen brings no tokenizer, "
        "fetches none, and guesses no numbers.",
    ),
    Code(
        "too-many-tools",
        "warning",
        "{provider} gets {count} tools, and takes {most} ({evidence})",
        (
            "keep some from it with `unsupported`, or offer some at a time with `tools(*names)`; `limits` of "
            "toolgen.yaml states another limit"
        ),
        "A request with more tools than a provider takes is refused. Models also choose worse among many "
        "tools than among few.",
    ),
    Code(
        "tool-without-description",
        "note",
        "the tool {tool} has no description",
        "say in a sentence what it does and when to use it",
        "The description is what a model chooses a tool by.",
    ),
    Code(
        "union-of-one",
        "note",
        "{keyword} of {name} has one branch",
        "write the branch in its place",
        "A union with one branch says nothing that the branch does not say, and several providers treat every "
        "union as something they cannot hold a model to.",
    ),
)
