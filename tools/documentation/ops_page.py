"""Writes docs/ops.md: every standard op, from the catalogue of the registry and the headers."""

import re
from dataclasses import dataclass

import selection

BEGIN = """# The ops

Made by `tools/reference` from the registry and the headers. Names, attributes and defaults are TensorFlow's. An op is made by the
function beside it, or by `fg::apply` of the struct: `fg::apply(fg::reverse_op{}, x, dims)`. Some headers are
not part of `flowgraph.hpp`: include such a header yourself, or `ops/all.hpp`, which includes them all. A struct has the name of its op in snake case: `mat_mul_op` is `MatMul`. Lists of
element types are those of `core/type.hpp`.
"""
# Functions for the gradients of the library's own ops are on no page.
INNER = re.compile(r"_grad(_|$)|_backprop_|_gradient|^cast_to$|^repeated_bias$|^pad_like$|^concat_parts$|^sum_of_tiles$")


@dataclass
class Op:
    name: str
    types: str
    attributes: str
    gradient: str
    arguments: str = ""
    shapes: str = ""


def read_catalogue(text):
    return {line.split("\t")[0]: Op(*line.split("\t")) for line in text.split("\n") if line}


def first_sentence(text):
    text = text.replace("|", "\\|").replace("<", "&lt;")
    found = re.search(r"\.( |$)", text)
    return text[: found.start() + 1] if found else text


def described(headers):
    """Of each op: the header, the struct and the comment. A training op is one struct over its forms: names are put together."""
    found = {}
    for h in headers:
        for t in h.types:
            if t.op.startswith("*"):
                for form in "Apply SparseApply ResourceApply ResourceSparseApply".split():
                    found[form + t.op[1:]] = (h.path, "", t.comment)
            elif t.op and "/ops/" in h.path:
                found[t.op] = (h.path, t.name, t.comment)
    return found


def functions_of(headers, ops):
    """The function that makes an op, by its struct: the one with the shortest name in the struct's header."""
    header_of = {struct: path for path, struct, _ in ops.values() if struct}
    found = {}
    for h in headers:
        if "/ops/" not in h.path or h.path.endswith("operators.hpp"):
            continue
        for f in h.functions:
            for struct in re.findall(r"\b([a-z][a-z0-9_]*_op)[ {}(,>]", f.body):
                if header_of.get(struct) == h.path and (struct not in found or len(f.name) < len(found[struct])):
                    found[struct] = f.name
    return found


def write(catalogue, headers):
    ops = described(headers)
    functions = functions_of(headers, ops)
    family = {h.path: h.family for h in headers}
    rows, lacks = {}, []
    for op in catalogue.values():
        if op.name not in ops:
            lacks.append(("docs/ops.md", f"no header declares the op {op.name}"))
            continue
        path, struct, comment = ops[op.name]
        if not comment:
            lacks.append((path, f"the op {op.name} has no comment that says what it does"))
        function = functions.get(struct, "")
        made_by = f"`{struct}`" if struct else ""
        if function and not INNER.search(function):
            made_by = f"[`{function}`](reference/{selection.page_of(path)}.md#{function})"
        attributes = op.attributes.replace("|", "\\|")
        rows.setdefault(path, []).append(
            f'| `{op.name}` <a id="{op.name.lower()}"></a> | {made_by} | {op.types} | {attributes} | {op.gradient} | {first_sentence(comment)} |\n')
    text = BEGIN
    for path in sorted(rows):
        text += f"\n## `{path}`\n\n{family[path]}\n\n| op | function or struct | element types | attributes | gradient | |\n|---|---|---|---|---|---|\n"
        text += "".join(rows[path])
    return text, lacks
