"""The lines of use: those of tests/reference/uses, those of the tests of ops, and those that follow from signatures."""

import re


class Uses:
    """Of each function the first line that calls it before others, or calls it at all.

    Below `// folder/header.hpp:` lines are of that header's functions, below `// type:` of a type's members, up to a blank line.
    """

    def __init__(self):
        self.of_function = {}
        self.within = {}
        self.of_type = {}
        self.called_first = set()
        self.derived = []

    def read(self, text):
        of = within = ""
        for line in text.split("\n"):
            line = line.strip()
            if re.fullmatch(r"// [a-z_0-9]+/[a-z_0-9]+\.hpp:", line):
                within = line[3:-1]
            elif re.fullmatch(r"// (tcp::)?[a-z_0-9]+:", line):
                of = line[3:-1]
            elif line in ("", "}"):
                of = within = ""
            elif not line.startswith(("//", "inline void ")):
                if of:
                    self.of_type.setdefault(of, []).append(line)
                if not line.startswith("const auto "):
                    self.take(line, within)

    def take(self, line, within):
        at_first = True
        for name in re.findall(r"fg::((?:tcp::)?[a-z_0-9]+)", line):
            if within:
                self.within.setdefault((within, name), line)
            elif name not in self.of_function or at_first and name not in self.called_first:
                self.of_function[name] = line
            if at_first and not within:
                self.called_first.add(name)
            at_first = False

    def read_test(self, text):
        """A test shows the line below a comment "In docs/reference:"."""
        self.read("\n".join(re.findall(r"^ *// In docs/reference:\n(.*)$", text, re.M)))

    def of(self, function):
        short = re.sub(r"^flowgraph/(ops/)?", "", function.header)
        return self.within.get((short, function.name)) or self.of_function.get(function.name) or self.derive(function)

    def calls_member(self, type_name, member):
        return any(re.search(r"[.:>]" + re.escape(member) + r"[(<]", line) for line in self.of_type.get(type_name, []))

    @staticmethod
    def has_given_types(function):
        """Whether a caller has to write an argument of the template."""
        listed = re.sub(r"^template <|>( requires .*)?$", "", function.head)
        types = " ".join(p.type for p in function.parameters)
        names = [part.split()[-1] for part in re.split(r", ", listed) if part and "=" not in part and "..." not in part]
        return any(not re.search(r"\b" + re.escape(name) + r"\b", types) for name in names)

    def derive(self, function):
        """A function whose parameters without default are all handles needs no line that is written by hand."""
        arguments, declared = [], []
        if function.result == "void" or self.has_given_types(function):
            return ""
        for p in function.parameters:
            if p.default:
                break
            found = re.fullmatch(r"(?:out<([A-Za-z:_0-9]+)>|operand<(T)>)", p.type)
            if not found or not p.name:
                return ""
            element = found.group(1) or found.group(2)
            if re.match("[A-Z]", element):
                element = "float" if element == "T" else "std::int32_t"
            arguments.append(p.name)
            declared.append(f'  const auto {p.name} = g.placeholder<{element}>("{p.name}", fg::shape::unknown());')
        if not arguments:
            return ""
        line = f"auto {'result' if 'y' in arguments else 'y'} = fg::{function.name}({', '.join(arguments)});"
        self.derived.append("{\n" + "\n".join(declared) + f"\n  {line}\n}}")
        return line
