"""What tools/documentation finds in a header, and what it says is missing, stale or wrong. Argument: the source tree."""

import os
import subprocess
import sys

source = os.path.abspath(sys.argv[1])
fixture = f"{source}/tests/reference/fixture"
sys.path.insert(0, f"{source}/tools/documentation")
if not os.path.exists("/usr/lib/python3/dist-packages/clang/cindex.py"):
    print("skipped: the reference is read with python3-clang-16")
    sys.exit(77)

import contents
import declarations
import elsewhere
import links
import ops_page
import shown
import waiting
from pages import Pages
from uses import Uses

HEADER = "flowgraph/ops/math/curve.hpp"
faults = []


def expect(holds, text):
    if not holds:
        faults.append(text)


def text_of(path):
    with open(f"{fixture}/{path}", encoding="utf-8") as file:
        return file.read()


def described(header):
    for kind, made in sorted([("type", t) for t in header.types] + [("function", f) for f in header.functions], key=lambda m: order(m[1])):
        if kind == "function":
            yield f"function {made.signature()} | {made.comment}".strip()
            continue
        yield f"type {made.declaration()} | {made.comment}".strip()
        for m in made.members:
            yield f"member {made.name} {m.name} {m.type} {m.default} | {m.comment}".strip()
        for m in made.methods:
            yield f"method {m.signature()} | {m.comment}".strip()


def order(made):
    lines = [line.split("|")[0] for line in text_of("expected").split("\n")]
    begin = f"function {made.signature()} " if hasattr(made, "parameters") else f"type {made.declaration()} "
    return lines.index(begin) if begin in lines else len(lines)


resources = subprocess.run(["clang++-16", "-print-resource-dir"], check=True, capture_output=True, text=True).stdout.strip()
arguments = ["-std=c++20", "-DFLOWGRAPH_COMPILED", f"-I{fixture}/include", f"-I{source}/include", "-resource-dir", resources]
header = declarations.read(f"{fixture}/include", [HEADER], arguments)[0]
found, wanted = list(described(header)), text_of("expected").strip().split("\n")
for line in set(wanted) - set(found):
    faults.append(f"declarations.py does not find: {line}")
for line in set(found) - set(wanted):
    faults.append(f"declarations.py finds: {line}")

uses = Uses()
uses.read(text_of("uses"))
uses.read_test("  check(1);\n  // In docs/reference:\n  auto y = fg::curves(x);\n  check(2);\n")
expect(uses.of_function.get("curves") == "auto y = fg::curves(x);", "uses.py does not find the line of use in a test")

entries, bad = shown.read("shown.hpp", text_of("shown.hpp"))
expect(len(entries) == 3 and not bad, f"shown.py does not read the entries: {bad}")
catalogue = ops_page.read_catalogue("Curve\tT: floating\tby = 1\tyes\tT -> T\t[3,5] -> [3,5]\n")
order_of_pages = contents.read("# math: Numbers\n## Curves (curves.md)\nops/math/curve.hpp: bent\n")
pages = Pages([header], uses, entries, catalogue, set(), order_of_pages)
written = pages.write()
lacks = [f"{where}: {text}" for where, text in waiting.check(pages.lacks, ["rub: use"])]
for part in ("function curve_as takes more than handles and has no line of use", "function nameless has no comment",
             "function nameless takes more than handles", "curve_options::skipped has no comment", "type pen has no comment",
             "pen::draw has no line of use", "tcp::draw does not say what the parameter times is", "'rub: use' does not wait"):
    expect(any(part in line for line in lacks), f"the check does not say: {part}")
for part in ("function bent", "function curve has", "hidden", "secret", "curve_options::points", "rub does not say", "rub shows"):
    expect(not any(part in line for line in lacks), f"the check misses a part that is there: {part}")
page = written["math"]
for part in ("auto result = fg::bent(y, by, at);", "Bends each element. A second sentence.", "| `times` | `int` |  | how often it rubs |",
             "// prints: rubbed", "Errors: none. It always rubs.", "void tcp::draw(const pen& by, int times = 1)",
             "- Op [`Curve`](../ops.md#curve): `T -> T`; element types T: floating; shapes: [3,5] -> [3,5]; differentiable",
             "guide: [curves](../curves.md)", "| Curves | [`bent`](#bent), "):
    expect(part in page, f"the page does not show: {part}")
block = "\n".join(uses.derived)
expect('const auto at = g.placeholder<std::int32_t>("at", fg::shape::unknown());' in block, "the derived line of use declares no index")
listed = waiting.missing_entries(pages, ["auto y = fg::bent(fg::curve(x), fg::ends::round, fg::stroke<int>(), fg::curve_options{});"])
expect([name for _, name, _, _ in listed] == ["bent", "curve_options", "stroke"],
       f"waiting.py names other names than those of the guide without an entry, or without a program that names the type: {listed}")

stale = shown.compare(entries, "== rub\nrubbed\n== tcp::draw\ndrawn\nno ink\n== math/curve.hpp: curve\nround\n")
expect(len(stale) == 2 and "tcp::draw: the printed result 'drawn twice' is stale: the program prints 'drawn'" in stale[0],
       f"shown.py does not name a stale printed result: {stale}")
expect("no test provokes the error text 'the pen is empty'" in stale[-1], f"shown.py does not name an error text that no test provokes: {stale}")
expect("does not run tcp::draw" in "".join(shown.compare(entries, "== rub\nrubbed\n")), "shown.py does not name an entry that does not run")

hints = elsewhere.write([header], set())
expect(f"void curve(...) = delete;  // include <{HEADER}>" in hints, "elsewhere.hpp does not say where curve is")
expect("namespace tcp { " in hints and f"void draw(...) = delete; }}  // include <{HEADER}>" in hints, "elsewhere.hpp does not say where draw of tcp is")

ops, _ = ops_page.write(catalogue, [header])
index = "see [`curves`](math.md#curve) and [`bend`](math.md#curve), [ops](../ops.md), [`tcp::draw`](math.md#tcpdraw) [no](math.md#no)"
said = "\n".join(f"{where}: {text}" for where, text in links.check_pages({**written, "alone": "# Alone"}, ops, index))
for part in ("there is no math.md#no", "no link leads to alone.md", "`bend` is no name of curve"):
    expect(part in said, f"links.py does not say: {part}")
expect("tcpdraw" not in said, "links.py does not find the anchor of tcp::draw")
table = "| functions in `flowgraph.hpp` | reference |\n| `curve`, `line` | |\n\n| functions in other headers | header |\n| `curve`, `tcp::draw` | `lines.hpp` |"
said = "\n".join(f"{where}: {text}" for where, text in links.check_tables(hints, table))
for part in (":2: `curve` is in the wrong table", f":5: `curve` is in <{HEADER}>", f":5: `tcp::draw` is in <{HEADER}>"):
    expect(part in said, f"links.py does not say: {part}")
expect("`line`" not in said, "links.py says something of a name that is brought")

for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
