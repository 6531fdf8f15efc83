"""Reads headers by clang's own syntax tree (libclang) and returns what they declare for users.

Left out: inner namespaces except tcp, private members, deprecated and deleted functions, specializations except those of templates that
are only declared.
"""

import re
import sys

from model import Function, Header, Member, Parameter, Type

try:
    import clang.cindex as cindex
except ImportError:
    sys.exit("tools/reference needs the package python3-clang-16")

cindex.Config.set_library_file("/usr/lib/llvm-16/lib/libclang-16.so.1")

ATTRIBUTES = re.compile(r"\bFLOWGRAPH_[A-Z_]+\b(\([^)]*\))?|\[\[[^\]]*\]\]|\bgnu::[a-z_]+\b")
SPECIFIERS = re.compile(r"^((inline|constexpr|explicit|static|virtual|friend|extern) )+")
HANDLES = r"const ((?:flowgraph::)?(?:out|out_list|variable|tensor|grad|operand|shape|graph|gradient_options|any_out|target)\b(?:<[^&]*>)?)&"


def kind_of(cursor):
    """The kind, or "" where these bindings do not know it yet, as of concepts."""
    try:
        return cursor.kind.name
    except ValueError:
        return ""


def one_line(text):
    text = re.sub(r"\s*//[^\n]*\n", "\n", text)
    return re.sub(r"\s+", " ", text).strip()


def simple(text):
    """A type or a parameter as a page shows it: handles by value, no helpers of overload resolution."""
    text = one_line(ATTRIBUTES.sub(" ", text))
    text = re.sub(r"std::type_identity_t<((?:[^<>]|<[^<>]*>)*)>", r"\1", text)
    text = re.sub(r"detail::carried_type<([A-Za-z]+)>", r"\1", text)
    text = re.sub(r"typename detail::edge_for<T>::type", "edge_or_name", text)
    text = text.replace("step<detail::step_feeds<Feeds>, detail::step_fetches<Fetches>>", "step<Feeds, Fetches>")
    text = text.replace("detail::step_feeds<Feeds>", "Feeds")
    text = re.sub(HANDLES, r"\1", text)
    return text.replace("flowgraph::", "")


class Source:
    """The text of a header, for comments and for the spelling of declarations."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.data = self.text.encode()
        self.lines = self.text.split("\n")

    def slice(self, begin, end):
        return self.data[begin:end].decode()

    def of(self, cursor):
        return self.slice(cursor.extent.start.offset, cursor.extent.end.offset)

    def comment_above(self, line):
        """The comment that ends above line number `line`."""
        found = []
        at = line - 2
        if at >= 1 and re.match(r"\s*using [^;]*;$", self.lines[at]):  # a type that the function's comment covers too
            at -= 1
        while at >= 0 and self.lines[at].strip().startswith("//"):
            found.insert(0, self.lines[at].strip()[2:].strip())
            at -= 1
        return " ".join(found)

    def is_below_code(self, line):
        return line >= 2 and self.lines[line - 2].strip() != ""

    def comment_behind(self, line):
        text = re.sub(r'"(\\.|[^"\\])*"', '""', self.lines[line - 1])
        return text.split("// ", 1)[1].strip() if "// " in text and not text.strip().startswith("//") else ""

    def body_after(self, offset):
        """The text in the braces that follow a declarator, or ""."""
        text = self.slice(offset, len(self.data))
        begin = text.find("{")
        if begin < 0 or ";" in text[:begin]:
            return ""
        depth = 0
        for at in range(begin, len(text)):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if depth == 0:
                return text[begin : at + 1]
        return ""

    def on_top(self):
        """The comment on top of the header, without its code."""
        family = []
        for line in self.lines[1:]:
            if not line.startswith("//"):
                break
            if line[3:] and not line[3:].startswith(" "):
                family.append(line[3:])
        return " ".join(family)


class Reader:
    def __init__(self, root, paths):
        self.root = root
        self.headers = {}
        self.sources = {}
        self.prefix = ""
        self.concepts = {}
        for path in paths:
            source = Source(f"{root}/{path}")
            includes = re.findall(r"^#include <(flowgraph/[^>]+)>", source.text, re.M)
            self.headers[path] = Header(path, source.on_top(), includes)
            self.sources[path] = source

    def read(self, arguments):
        program = "".join(f"#include <{path}>\n" for path in self.headers)
        index = cindex.Index.create()
        unit = index.parse("reference.cpp", arguments, [("reference.cpp", program)], cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
        faults = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if faults:
            sys.exit("the headers do not compile:\n" + "\n".join(str(d) for d in faults))
        self.scope(unit.cursor)
        return list(self.headers.values())

    def header_of(self, cursor):
        file = cursor.location.file
        path = file.name[len(self.root) + 1 :] if file else ""
        return path if path in self.headers else ""

    def scope(self, parent):
        before = None
        for cursor in parent.get_children():
            path = self.header_of(cursor)
            if not path:
                continue
            kind = kind_of(cursor)
            if kind == "NAMESPACE":
                self.inner_scope(cursor)
            elif kind in ("FUNCTION_DECL", "FUNCTION_TEMPLATE"):
                made = self.function(cursor, path, "", before)
                if made:
                    self.headers[path].functions.append(made)
                    before = made
            elif kind in ("STRUCT_DECL", "CLASS_DECL", "CLASS_TEMPLATE", "ENUM_DECL") and cursor.is_definition():
                self.type(cursor, path)
            elif kind == "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION" and cursor.is_definition() and self.is_only_form(cursor):
                self.type(cursor, path)

    def is_only_form(self, specialization):
        """Whether the template itself is only declared, as that of a prepared step: then this is its definition."""
        primary = cindex.conf.lib.clang_getSpecializedCursorTemplate(specialization)
        return self.header_of(primary) != "" and primary.get_definition() is None

    def inner_scope(self, cursor):
        name = cursor.spelling
        if name == "tcp":
            self.prefix = "tcp::"
            self.scope(cursor)
            self.prefix = ""
        elif name == "flowgraph" or name.startswith("FLOWGRAPH_ABI") or re.fullmatch(r"v\d+.*|abi.*", name):
            self.scope(cursor)

    def function(self, cursor, path, owner, before):
        source = self.sources[path]
        start, name_at, end = cursor.extent.start.offset, cursor.location.offset, cursor.extent.end.offset
        text = source.of(cursor)
        name = cursor.spelling.split("<")[0] if "operator" not in cursor.spelling else cursor.spelling
        if owner and kind_of(cursor) != "CONVERSION_FUNCTION" and name == owner.split("::")[-1]:
            name = owner
        following = source.slice(end, end + 60)
        if cursor.availability == cindex.AvailabilityKind.DEPRECATED or "[[deprecated" in source.lines[cursor.extent.start.line - 1]:
            return None
        if re.match(r"\s*=\s*(delete|default)", following) or re.search(r"= (delete|default)$", text):
            return None
        children = [(kind_of(c), c) for c in cursor.get_children()]
        if "::" in source.slice(max(start, name_at - 2), name_at):
            return None
        template = self.template_head(cursor, source, children)
        parameters = [self.parameter(source.of(c), c.spelling) for k, c in children if k == "PARM_DECL"]
        parameters = [p for p in parameters if p.type not in ("site", "std::source_location", "const site")]
        parameters = [p for p in parameters if p.type not in ("const site&", "const std::source_location&") or not p.default]
        begin = self.end_of_template(cursor, source, children)
        result = SPECIFIERS.sub("", simple(source.slice(begin, name_at)) + " ").strip()
        specifiers = source.slice(begin, name_at)
        line = cursor.extent.start.line
        comment = source.comment_above(line)
        if not comment and before and source.is_below_code(line) and self.is_overload(before.name, name):
            comment = before.comment
        suffix = re.sub(r"\b(noexcept|override|final)\b", "", source.slice(self.end_of_parameters(source, name_at, end), end))
        suffix = suffix.split("{")[0]
        suffix = simple(suffix) if not owner or not suffix.lstrip().startswith(":") else ""
        full = (self.prefix if not owner else "") + name
        return Function(path, full, owner, template, result, parameters, suffix if suffix.startswith(("const", "->", "requires")) else "",
                        comment, source.comment_behind(cursor.extent.end.line), source.body_after(end), " static " in f" {specifiers} ")

    @staticmethod
    def is_overload(before, name):
        before = before.split("::")[-1]
        return name in (before, "try_" + before)

    @staticmethod
    def end_of_parameters(source, name_at, end):
        text = source.slice(name_at, end)
        at = text.find("(", len("operator()") if text.startswith("operator()") else 0)
        depth = 0
        for i in range(max(at, 0), len(text)):
            depth += {"(": 1, ")": -1}.get(text[i], 0)
            if depth == 0:
                return name_at + len(text[: i + 1].encode())
        return end

    @staticmethod
    def template_parts(children):
        return [c for k, c in children if k.startswith("TEMPLATE_") and k.endswith("_PARAMETER")]

    def template_head(self, cursor, source, children):
        parts = self.template_parts(children)
        if not parts:
            return ""
        listed = ", ".join(one_line(ATTRIBUTES.sub(" ", source.of(c))) for c in parts)
        requirement = self.requirement(source, children)
        return f"template <{listed}>" + (f" requires {requirement}" if requirement and "detail::" not in requirement else "")

    def requirement(self, source, children):
        """The clause between a template's parameters and its declaration."""
        clause = self.clause(source, children)
        return one_line(source.of(clause)).replace("flowgraph::", "") if clause is not None else ""

    def clause(self, source, children):
        parts = self.template_parts(children)
        if not parts:
            return None
        for kind, child in children:
            if child.extent.start.offset <= parts[-1].extent.end.offset or kind in ("PARM_DECL", "TYPE_REF", "TEMPLATE_REF", "NAMESPACE_REF"):
                continue
            between = source.slice(parts[-1].extent.end.offset, child.extent.start.offset)
            if re.fullmatch(r"\s*>\s*requires\s*", between):
                return child
        return None

    def end_of_template(self, cursor, source, children):
        parts = self.template_parts(children)
        if not parts:
            return cursor.extent.start.offset
        clause = self.clause(source, children)
        if clause is not None:
            return clause.extent.end.offset
        end = parts[-1].extent.end.offset
        return end + source.slice(end, end + 200).find(">") + 1

    @staticmethod
    def parameter(text, name):
        text = simple(text)
        declared, _, default = text.partition(" = ")
        if name:
            declared_type = re.sub(r"\b" + re.escape(name) + r"(\[[^\]]*\])?$", "", declared).strip()
        else:
            declared_type = declared
        if default in ("{}", "site{}") and declared_type == "site":
            default = ""
        return Parameter(text, name, declared_type, default)

    def type(self, cursor, path):
        source = self.sources[path]
        kind = kind_of(cursor)
        text = source.of(cursor)
        name = self.prefix + cursor.spelling
        is_specialized = "<" in text.split("{")[0].split(cursor.spelling, 1)[-1].split(":")[0]
        if not cursor.spelling or "[[deprecated" in text.split("{")[0] or is_specialized and "PARTIAL" not in kind:
            return
        comment = source.comment_above(cursor.extent.start.line) or (
            source.comment_behind(cursor.extent.end.line) if kind == "ENUM_DECL" else "")
        made = Type(path, name, "enum", "", [], comment, "")
        if kind == "ENUM_DECL":
            made.values = [Member(c.spelling, "", "", source.comment_behind(c.extent.end.line)) for c in cursor.get_children()
                           if kind_of(c) == "ENUM_CONSTANT_DECL"]
        else:
            children = [(kind_of(c), c) for c in cursor.get_children()]
            parts = self.template_parts(children)
            made.head = ", ".join(one_line(source.of(c)) for c in parts)
            begin = self.end_of_template(cursor, source, children)
            made.kind = "class" if source.slice(begin, begin + 80).lstrip().startswith("class") else "struct"
            made.bases = [b for b in (simple(source.of(c)).removeprefix("public ") for k, c in children if k == "CXX_BASE_SPECIFIER")
                          if "detail::" not in b]
            self.contents(made, children, source)
        self.headers[path].types.append(made)

    def contents(self, made, children, source):
        before = None
        shared = ""
        for kind, child in children:
            if kind == "VAR_DECL" and child.spelling == "name":
                self.name_op(made, source.of(child))
            if child.access_specifier != cindex.AccessSpecifier.PUBLIC:
                continue
            if kind == "FIELD_DECL":
                above = source.comment_above(child.extent.start.line)
                shared = source.comment_behind(child.extent.end.line) or above
                made.members.append(self.member(child, source, shared))
            elif kind in ("CXX_METHOD", "FUNCTION_TEMPLATE", "CONSTRUCTOR"):
                function = self.function(child, made.header, made.name, before)
                if function:
                    made.methods.append(function)
                    before = function
            elif kind == "FRIEND_DECL":
                for inner in child.get_children():
                    if kind_of(inner) in ("FUNCTION_DECL", "FUNCTION_TEMPLATE") and inner.spelling.startswith("operator"):
                        function = self.function(inner, made.header, made.name, before)
                        if function:
                            made.methods.append(function)
        for kind, child in children:
            if kind == "UNEXPOSED_DECL" or kind == "VAR_DECL":
                self.name_template(made, source.of(child))

    @staticmethod
    def name_op(made, text):
        found = re.search(r'name = "([^"]*)"', text)
        if found:
            made.op = found.group(1)

    @staticmethod
    def name_template(made, text):
        found = re.search(r'template name<"([^"]*)"', text)
        if found and not made.op:
            made.op = "*" + found.group(1)

    @staticmethod
    def member(child, source, comment):
        declared = simple(source.slice(child.extent.start.offset, child.location.offset)).removeprefix("mutable ").strip()
        rest = one_line(source.slice(child.location.offset + len(child.spelling), child.extent.end.offset))
        if re.search(r"[,=]", re.sub(r"<.*>|\(.*\)", "", declared)):  # a second one of a declaration
            declared = simple(child.type.spelling)
        extent = re.match(r"(\[[^\]]*\])?(?: ?= )?(.*)", rest)
        return Member(child.spelling + (extent.group(1) or ""), declared, extent.group(2), comment)


def read(root, paths, arguments):
    return Reader(root, paths).read(arguments)
