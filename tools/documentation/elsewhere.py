"""Writes elsewhere.hpp: what the umbrella lacks; called, it says which header has it.

A function that takes anything is the last of overloads; it goes when the header is there, which a struct of it tells.
"""

import re

import selection

BEGIN = """#pragma once
// Written by tools/reference. Declares the functions that flowgraph.hpp does not include. If a program calls one of them without its
// header, the compiler's error shows the line below, which names the header.

#include <flowgraph/config.hpp>

// clang-format off
namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {
template <class Op, class... T> concept is_elsewhere = !requires { sizeof(Op); };
}  // namespace detail
"""
END = "\n}  // namespace flowgraph\n// clang-format on\n"
# Words that programs have for things of their own are no hints: with `using namespace flowgraph` they would mean two things. `complex` is
# also a type of the standard library; the others are given as values: an overload would make them ambiguous.
COMMON = set("frame greeting link task transport".split())
NEVER = set("complex add_standard_ops print_waiting print_recovery record_parts".split())


def in_space(text, name):
    """A declaration in the namespace that its name says, on a line with it."""
    return "namespace tcp { " + text.replace("tcp::", "") + " }" if "::" in name else text


def brought_by(headers, umbrella):
    found, waiting = set(), [umbrella]
    while waiting:
        path = waiting.pop()
        if path not in found and path in headers:
            found.add(path)
            waiting += headers[path].includes
    return found


def write(headers, brought):
    near = set(NEVER)
    for h in headers:
        if h.path in brought:
            near |= {f.name for f in h.functions if selection.is_shown_function(f)}
            near |= {t.name for t in h.types if selection.is_shown_type(t)}
    text = BEGIN
    for h in headers:
        if h.path in brought or selection.WITHOUT_HINTS.match(h.path):
            continue
        structs = [t.name for t in h.types if t.kind == "struct" and not t.head]
        ops = [t.name for t in h.types if t.op and not t.head]
        witness = (ops[-1:] or structs[:1] or [""])[0]
        text += functions_of(h, witness, near)
        for t in h.types:
            if not selection.is_shown_type(t) or t.name in near | COMMON or t.kind == "enum":
                continue
            if not re.fullmatch(r"((class|class\.\.\.) [A-Z][a-z]*)?", t.head):
                continue
            near.add(t.name)
            declared = (f"template <{t.head}> " if t.head else "") + f"{t.kind} {t.name};"
            text += "\n" + in_space(declared, t.name) + f"  // include <{h.path}>\n"
    return text + END


def functions_of(header, witness, near):
    text = ""
    for name in dict.fromkeys(f.name for f in header.functions if selection.is_shown_function(f)):
        if name in near:
            continue
        near.add(name)
        if not text:
            text += "\n" + (in_space(f"struct {witness};", witness) if witness else "") + "\n"
        requirement = f" requires detail::is_elsewhere<{witness}, T...>" if witness else ""
        text += in_space(f"template <class... T>{requirement} void {name}(...) = delete;", name) + f"  // include <{header.path}>"
        text += "\n" if witness else "; with it: no overload takes these arguments\n"
    return text
