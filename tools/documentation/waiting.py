"""Which public names must have a full entry, and the list of the parts that names still lack.

A line of tests/reference/waiting.txt is a name and a part: "entry", "sentence" or "use".
"""

import re

# Types whose members each have an entry of their own.
CORE = "graph session step any_step cpu reference done view shape_context tensor".split()
LIST = "tests/reference/waiting.txt"


def names_in(texts):
    found = set()
    for text in texts:
        found |= set(re.findall(r"\bfg::((?:tcp::)?[a-z_0-9]+)", text))
    return found


def missing_entries(pages, texts):
    """Names of the reference that guide and examples use, and the members of core types, without a full entry.

    A type that has no functions has its table; a program of another entry that names it is enough.
    """
    used = names_in(texts)
    found = {name for name in pages.entries if name in used and name in pages.unshown and name not in CORE}
    for type_name in CORE:
        methods = {f"{type_name}::{m}" for m in pages.methods.get(type_name, []) if m != type_name}
        found |= methods - pages.shown.keys()
    return [(LIST, name, "entry", f"{name} has no full entry: write one in tests/reference/shown") for name in sorted(found)]


def lines_of(lacks):
    return sorted({f"{name}: {part}" for _, name, part, _ in lacks})


def check(lacks, listed):
    """What is lacking and not listed, and what is listed and not lacking."""
    faults = [(where, text) for where, name, part, text in lacks if f"{name}: {part}" not in listed]
    known = lines_of(lacks)
    return faults + [(LIST, f"'{line}' does not wait: remove it") for line in listed if line not in known]
