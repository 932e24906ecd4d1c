"""JSON outputs against the schemas that their tests write down.

A schema is a dictionary with every key in order, a list of the one schema of all items, or a word for a scalar.
"""
COUNT, REAL, TEXT, FLAG = "count", "real", "text", "flag"

_FITS = {
    COUNT: lambda value: type(value) is int and value >= 0,
    REAL: lambda value: type(value) in (int, float) and value >= 0,
    TEXT: lambda value: type(value) is str,
    FLAG: lambda value: type(value) is bool,
}


def mismatches(schema, value, where, nullable=()):
    """What of `value` is not as the schema says; below keys of `nullable` null stands for what there is not."""
    if value is None and where.rsplit(".", 1)[-1] in nullable:
        return []
    if isinstance(schema, dict):
        if not isinstance(value, dict) or list(schema) != list(value):
            return [f"{where}: keys {list(value) if isinstance(value, dict) else value}, must be {list(schema)}"]
        return [text for key in schema for text in mismatches(schema[key], value[key], f"{where}.{key}", nullable)]
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{where}: {value!r} is no list"]
        return [text for i, item in enumerate(value) for text in mismatches(schema[0], item, f"{where}[{i}]", nullable)]
    return [] if _FITS[schema](value) else [f"{where}: {value!r} is no {schema}"]


def keys(schema):
    """All keys, at any depth."""
    if isinstance(schema, list):
        return keys(schema[0])
    if not isinstance(schema, dict):
        return set()
    return set(schema).union(*(keys(value) for value in schema.values()))
