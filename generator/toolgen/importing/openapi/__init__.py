"""OpenAPI: an operation becomes a tool, a schema that has a name becomes a shared type.

document → operations → arguments and results → schemas, lowered to JSON Schema as they are met
"""
