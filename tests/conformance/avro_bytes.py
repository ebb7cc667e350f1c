"""Avro's container files of any schema, for cases that need what Spark itself does not write."""

import json
import struct
import zlib

MAGIC = b"Obj\x01"
SYNC = bytes(range(16))


def long(value):
    bits = (value << 1) ^ (value >> 63)
    out = bytearray()
    while bits >= 0x80:
        out.append(bits & 0x7F | 0x80)
        bits >>= 7
    out.append(bits)
    return bytes(out)


def text(value):
    raw = value.encode() if isinstance(value, str) else value
    return long(len(raw)) + raw


def encoded(schema, value, names):
    """A value; that of a union is (branch, value)."""
    if isinstance(schema, list):
        branch, inner = value
        return long(branch) + encoded(schema[branch], inner, names)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if isinstance(kind, (dict, list)):
        return encoded(kind, value, names)
    if kind in names:
        return encoded(names[kind], value, names)
    if isinstance(schema, dict) and "name" in schema:
        names[schema["name"]] = schema
    if kind == "null":
        return b""
    if kind == "boolean":
        return bytes([value])
    if kind in ("int", "long"):
        return long(value)
    if kind == "float":
        return struct.pack("<f", value)
    if kind == "double":
        return struct.pack("<d", value)
    if kind in ("bytes", "string"):
        return text(value)
    if kind == "fixed":
        return value
    if kind == "enum":
        return long(schema["symbols"].index(value))
    if kind == "array":
        items = b"".join(encoded(schema["items"], item, names) for item in value)
        return (long(len(value)) + items if value else b"") + long(0)
    if kind == "map":
        items = b"".join(text(k) + encoded(schema["values"], v, names) for k, v in value.items())
        return (long(len(value)) + items if value else b"") + long(0)
    if kind == "record":
        return b"".join(encoded(field["type"], value[field["name"]], names) for field in schema["fields"])
    raise TypeError(kind)


def container(schema, rows, codec="null", notes=(), block=None, sync=SYNC):
    """The file; `block` in place of the rows' bytes."""
    meta = {"avro.schema": json.dumps(schema), "avro.codec": codec, **dict(notes)}
    head = MAGIC + long(len(meta)) + b"".join(text(k) + text(v) for k, v in meta.items()) + long(0) + SYNC
    data = b"".join(encoded(schema, row, {}) for row in rows) if block is None else block
    if codec == "deflate":
        packer = zlib.compressobj(wbits=-15)
        data = packer.compress(data) + packer.flush()
    return head + long(len(rows)) + long(len(data)) + data + sync


def record(*fields, name="r"):
    """fields: (name, type) or (name, type, default)."""
    return {
        "type": "record",
        "name": name,
        "fields": [
            {"name": f[0], "type": f[1], **({"default": f[2]} if len(f) > 2 else {})} for f in fields
        ],
    }
