"""Writes the pages of the reference, and says what declarations lack."""

import re

import selection
import waiting

INTRODUCTION = """Generated from the headers by `tools/reference`. Functions that add a node also take an `fg::site` as their last parameter,
which names the node; the signatures here omit it. A parameter `out<T>` takes a handle or a variable; an `operand<T>` takes a scalar as well. [All pages](index.md), [ops](../ops.md).
"""


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def code(text):
    return "`" + text.replace("|", "\\|") + "`"


def ended(text):
    return text if re.search(r"[.?:;)\]}]$", text) and not re.search(r"[^.]\)$", text) else text + "."


def anchor_of(heading):
    """The anchor that GitHub and MkDocs give a heading of code words."""
    return re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-")


class Pages:
    def __init__(self, headers, uses, shown, ops, brought, contents):
        self.headers = {h.path: h for h in headers}
        self.uses = uses
        self.shown = {entry.name: entry for entry in shown}
        self.ops = ops  # the catalogue, by the names of ops
        self.brought = brought
        self.contents = contents
        self.op_of = {t.name: t for h in headers for t in h.types if selection.is_op(t) and not t.op.startswith("*")}
        self.lacks = []
        self.entries = {}  # "session::run" -> (page, anchor)
        self.methods = {}  # type -> names of its shown methods
        self.unshown = set()  # names of functions and types without a full entry
        self.named = waiting.names_in(line for entry in shown for p in entry.paragraphs for line in p.code)
        self.used = set()

    def full(self, header, name):
        """The full entry of a name: of this header alone, "core/shape.hpp: to_string", or of the name everywhere."""
        short = re.sub(r"^flowgraph/(ops/)?", "", header.path)
        found = self.shown.get(f"{short}: {name}") or self.shown.get(name)
        if not found:
            self.unshown.add(name)
        return found

    def lack(self, where, name, part, text):
        """A part that a name lacks: sentence, use, member or entry."""
        if (where, name, part, text) not in self.lacks:
            self.lacks.append((where, name, part, text))

    def write(self):
        made = {}
        for page in self.contents:
            text = self.page(page)
            if text:
                made[page.name] = text
        for name in self.shown.keys() - self.used:
            self.lack(self.shown[name].file, name, "entry", f"{name} is no public name")
        return made

    def grouped(self, page):
        """The groups of a page with their headers; headers that contents.txt does not name come last."""
        named = {path for other in self.contents for group in other.groups for path, _ in group.headers}
        for group in page.groups:
            yield group.title, group.guide, [(self.headers[p], first) for p, first in group.headers if p in self.headers]
        rest = [(h, []) for p, h in self.headers.items() if p not in named and selection.page_of(p) == page.name]
        if rest:
            yield ("Further headers" if page.groups else ""), "", rest

    def page(self, page):
        text, listed = "", ""
        for title, guide, headers in self.grouped(page):
            below, names = "", []
            for header, first in headers:
                section, added = self.section(header, first, guide, page.name)
                below += section
                names += added
            if not below:
                continue
            if title:
                text += f"\n## {title}\n"
            text += below
            links = ", ".join(f"[{code(n)}](#{anchor_of(n)})" for n in names)
            listed += f"| {title or page.title} | {links} |" + (f" [{guide[:-3]}](../{guide}) |" if guide else " |") + "\n"
        if not text:
            return ""
        return f"# {page.title}\n\n{INTRODUCTION}\n| contents | | guide |\n|---|---|---|\n{listed}{text}"

    def section(self, header, first, guide, page):
        functions, types = {}, []
        for f in header.functions:
            if selection.is_shown_function(f):
                functions.setdefault(f.name, []).append(f)
        types = {t.name: t for t in header.types if selection.is_shown_type(t)}
        order = list(functions) + [t for t in types if t not in functions]
        order.sort(key=lambda name: first.index(name) if name in first else len(first))
        text, names = "", []
        for name in order:
            if name in functions:
                text += self.function_entry(header, name, functions[name], guide, page)
            if name in types:
                text += self.type_entry(header, types[name], guide, page, name in functions)
            names.append(name)
            self.entries.setdefault(name, (page, anchor_of(name)))
        if header.path.endswith("ops/operators.hpp"):
            text += self.operators_entry(header, guide, page)
            names.append("operators")
        if not text:
            return "", []
        bring = "`flowgraph/flowgraph.hpp` includes it." if header.path in self.brought else "`flowgraph/flowgraph.hpp` does not include it."
        return f"\n### {code(header.path)}\n\n" + (cell(header.family) + "\n\n" if header.family else "") + bring + "\n" + text, names

    def function_entry(self, header, name, overloads, guide, page):
        sentence, op_lines = self.sentence_of(header, overloads)
        full = self.full(header, name)
        sentence = full.about if full and full.about else sentence
        if not sentence:
            self.lack(header.path, name, "sentence", f"the function {name} has no comment that says what it does, nor has its op")
        line = self.uses.of(overloads[0])
        if not line and not full:
            self.lack(header.path, name, "use", f"the function {name} takes more than handles and has no line of use in tests/reference/uses")
        text = f"\n#### {name}\n\n{ended(cell(sentence))}\n\n```c++\n{signatures(overloads)}\n```\n"
        if full:
            text += self.full_form(full, overloads, header, guide)
        elif line:
            text += f"\n```c++\n{line}\n```\n"
        return text + op_lines

    def sentence_of(self, header, overloads):
        """What a function does: the comment of its op, then its own ones. And the lines about its ops."""
        sentence, lines, seen = "", "", []
        for f in (f for f in header.functions if f.name == overloads[0].name):
            for op in re.findall(r"\b([a-z][a-z0-9_]*_op)[ {}(,>]", f.body):
                if op in self.op_of and self.op_of[op].header == header.path and op not in seen:
                    seen.append(op)
        for op in seen:
            sentence = sentence or self.op_of[op].comment
            lines += self.op_line(self.op_of[op].op)
        for f in overloads:
            if f.comment and not f.comment.startswith("The attributes of an op") and f.comment not in sentence:
                sentence += (" " if sentence else "") + f.comment
        return sentence, ("\n" + lines if lines else "")

    def op_line(self, op):
        """An op's element types, arguments, shapes and gradient, from its table."""
        known = self.ops.get(op)
        link = f"[`{op}`](../ops.md#{op.lower()})"
        if not known:
            return f"- Op {link}\n"
        parts = [f"`{known.arguments}`"] if known.arguments else []
        if known.types:
            parts.append(f"element types {known.types}")
        if known.shapes:
            parts.append(f"shapes: {known.shapes}")
        parts.append("differentiable" if known.gradient == "yes" else "no gradient")
        return f"- Op {link}: " + "; ".join(parts).replace("|", "\\|") + "\n"

    def full_form(self, entry, overloads, header, guide):
        """Parameters, result, errors, a program and its output, header and guide page."""
        self.used.add(entry.name)
        parameters = {}
        for f in overloads:
            for p in f.parameters:
                if p.name:
                    parameters.setdefault(p.name, []).append(p)
        for name in parameters:
            if name not in entry.parameters:
                self.lack(entry.file, entry.name, "entry", f"{entry.name} does not say what the parameter {name} is")
        for name in entry.parameters:
            if name not in parameters:
                self.lack(entry.file, entry.name, "entry", f"{entry.name} has no parameter {name}")
        if not entry.returns and any(f.result not in ("", "void") for f in overloads):
            self.lack(entry.file, entry.name, "entry", f"{entry.name} does not say what it returns")
        if not entry.errors and not any(p.is_error() for p in entry.paragraphs):
            self.lack(entry.file, entry.name, "entry", f"{entry.name} shows no error and does not say why it has none")
        if not any(kind == "prints" for kind, _, _ in entry.printed()):
            self.lack(entry.file, entry.name, "entry", f"{entry.name} shows no printed result")
        text = ""
        if parameters:
            text += "\n| parameter | type | default | meaning |\n|---|---|---|---|\n"
            for name, declared in parameters.items():
                types = list(dict.fromkeys(p.type for p in declared))
                default = next((p.default for p in declared if p.default), "")
                text += f"| `{name}` | {', '.join(code(t) for t in types)} | {code(default) if default else ''} | {cell(entry.parameters.get(name, ''))} |\n"
        if entry.returns:
            text += "\n" + cell(entry.returns) + "\n"
        example = [p.code for p in entry.paragraphs if not p.is_error() and p.code]
        text += "\n```c++\n" + "\n\n".join("\n".join(lines) for lines in example) + "\n```\n"
        failing = [p.code for p in entry.paragraphs if p.is_error()]
        if failing:
            text += "\nErrors:\n\n```c++\n" + "\n\n".join("\n".join(lines) for lines in failing) + "\n```\n"
        elif entry.errors:
            text += "\nErrors: none. " + cell(entry.errors[0].upper() + entry.errors[1:]) + "\n"
        page = entry.guide or guide
        text += f"\nHeader `{header.path}`" + (f"; guide: [{page.removesuffix('.md')}](../{page})" if page else "") + "\n"
        return text

    def type_entry(self, header, type_, guide, page, follows):
        name = type_.name
        text = "" if follows else f"\n#### {name}\n"
        full = None if follows else self.shown.get(name)
        about = full.about if full and full.about else type_.comment
        if about:
            text += "\n" + ended(cell(about)) + "\n"
        elif type_.kind == "class" or not re.search("_(options|attributes)$", name):
            self.lack(header.path, name, "sentence", f"the type {name} has no comment that says what it is")
        shown = [m for m in type_.methods if selection.is_shown_method(type_, m)]
        if not full and not follows and (any(m.name != name for m in shown) or name not in self.named):
            self.unshown.add(name)
        if type_.kind == "enum":
            return text + self.values(type_) + (self.full_form(full, [], header, guide) if full else "")
        if type_.head or type_.bases:
            text += f"\n```c++\n{type_.declaration()}\n```\n"
        text += self.member_table(header, type_, page)
        self.methods[name] = list(dict.fromkeys(m.name for m in shown))
        text += self.method_block(header, type_, shown, page)
        for method in self.methods[name]:
            full = self.shown.get(f"{name}::{method}")
            if full:
                overloads = [m for m in shown if m.name == method]
                text += f"\n##### {name}::{method}\n\n{self.about_method(full, overloads)}\n\n"
                text += f"```c++\n{signatures(overloads)}\n```\n" + self.full_form(full, overloads, header, guide)
                self.entries.setdefault(f"{name}::{method}", (page, anchor_of(f"{name}::{method}")))
        full = None if follows else self.shown.get(name)
        return text + (self.full_form(full, [], header, guide) if full else "")

    def about_method(self, full, overloads):
        sentences = list(dict.fromkeys(ended(cell(m.comment)) for m in overloads if m.comment))
        if not sentences and not full.about and not full.returns:
            self.lack(full.file, full.name, "sentence", f"{full.name} has no sentence, neither in the header nor in its entry")
        return ended(cell(full.about)) if full.about else " ".join(sentences)

    @staticmethod
    def values(type_):
        if any(v.comment for v in type_.values):
            return "\n| value | meaning |\n|---|---|\n" + "".join(f"| `{v.name}` | {cell(v.comment)} |\n" for v in type_.values)
        return "\nValues: " + ", ".join(f"`{v.name}`" for v in type_.values) + ".\n"

    def member_table(self, header, type_, page):
        """Members with one type and one comment, such as those of one declaration, share a row."""
        rows = []
        for m in type_.members:
            meaning = m.comment
            if not meaning and (type_.name.endswith("_options") or page == "optimizers"):
                meaning = selection.MEANING_OF.get(m.name, "")
            if not meaning and type_.name.endswith("_options"):
                self.lack(header.path, f"{type_.name}::{m.name}", "sentence", f"{type_.name}::{m.name} has no comment that says what it means")
            default = m.default[1:-1] or "{}" if re.fullmatch(r"\{.*\}", m.default) else m.default
            facts = (code(m.type), code(default) if default else "", cell(meaning))
            if rows and meaning and rows[-1][1] == facts:
                rows[-1][0].append(f"`{m.name}`")
            else:
                rows.append(([f"`{m.name}`"], facts))
        text = "".join(f"| {', '.join(names)} | {' | '.join(facts)} |\n" for names, facts in rows)
        return "\n| member | type | default | meaning |\n|---|---|---|---|\n" + text if text else ""

    def method_block(self, header, type_, shown, page):
        """The members without a full entry, each with its sentence, then lines of use."""
        lines, last, told = [], "", set()
        name = type_.name
        for m in shown:
            if f"{name}::{m.name}" in self.shown:
                continue
            is_known = m.name == name or m.name in selection.OF_CELLS and page == "rnn" or m.name.startswith("operator")
            if not m.comment and m.name not in told and not is_known:
                self.lack(header.path, f"{name}::{m.name}", "sentence", f"{name}::{m.name} has no comment that says what it does")
            if m.comment and m.comment != last:
                lines.append("// " + ended(m.comment))
            last = m.comment
            told.add(m.name)
            lines.append(m.signature() + (f"  // {m.remark}" if m.remark else ""))
            if not is_known and m.name not in selection.OF_CELLS and not self.uses.calls_member(name, m.name) and name not in self.shown:
                self.lack(header.path, f"{name}::{m.name}", "use", f"{name}::{m.name} has no line of use in tests/reference/uses")
        use = self.uses.of_type.get(name) or ([self.uses.of_function[name]] if name in self.uses.of_function else [])
        text = "\n```c++\n" + "\n".join(lines) + "\n```\n" if lines else ""
        if name in self.shown:
            return text
        return text + ("\n```c++\n" + "\n".join(use) + "\n```\n" if use else "")

    def operators_entry(self, header, guide, page):
        out = next(t for h in self.headers.values() for t in h.types if t.name == "out")
        overloads = [m for m in out.methods if m.name.startswith("operator") and "operand" in m.signature()]
        full = self.shown.get("operators")
        self.entries.setdefault("operators", (page, "operators"))
        text = f"\n#### operators\n\n{cell(header.family)}\n\n```c++\n" + "\n".join(m.signature() for m in overloads) + "\n```\n"
        ops = "AddV2 Sub Mul RealDiv Div Neg Less LessEqual".split()
        text += self.full_form(full, overloads, header, guide) if full else ""
        return text + "\n" + "".join(self.op_line(op) for op in ops)


def signatures(overloads):
    """Equal ones once; the trailing comment of an overload behind it."""
    lines = [f.signature() + (f"  // {f.remark}" if f.remark and f.remark != f.comment else "") for f in overloads]
    return "\n".join(dict.fromkeys(lines))
