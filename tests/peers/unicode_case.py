"""The tables of the ops StringLower and StringUpper with the encoding utf-8, by TensorFlow's own.

    unicode_case.py write HEADER      writes include/flowgraph/ops/strings/impl/unicode_case.hpp anew
    unicode_case.py compare HEADER    ends in an error if it differs

Ends in 77, and reports the reason, if this Python has no TensorFlow.
"""
import os
import sys

SKIPPED = 77
LIMIT = 0x110000
SURROGATES = range(0xd800, 0xe000)
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")

HEAD = """#pragma once
// Written by tests/peers/unicode_case.py: the upper and lower case of Unicode's letters.

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The code points first, first + step, ..., last become themselves plus `distance`.
struct case_run {
  std::uint32_t first, last, step;
  std::int32_t distance;
};
// A code point that becomes several; unused code points are 0.
struct case_expansion {
  std::uint32_t from, to[3];
};
// A run of code points that are letters with case, or, if `is_ignored`, of marks within words that have none.
struct cased_run {
  std::uint32_t first, last;
  bool is_ignored;
};

"""
TAIL = """
}  // namespace flowgraph::detail
"""


def points():
    return [c for c in range(1, LIMIT) if c not in SURROGATES]


def runs_of(mapping):
    """mapping: code point to code point. As runs of step 1 or 2 with one distance, of which none overlaps another."""
    runs, left = [], sorted(mapping)
    used = set()
    for c in left:
        if c in used:
            continue
        best = []
        for step in (1, 2):
            run = [c]
            while mapping.get(run[-1] + step, 0) - run[-1] - step == mapping[c] - c and (step == 1 or run[-1] + 1 not in mapping):
                run.append(run[-1] + step)
            if len(run) > len(best):
                best, best_step = run, step
        used.update(best)
        runs.append((best[0], best[-1], best_step, mapping[c] - c))
    return runs


def table(type_name, name, entries):
    text, line = f"inline constexpr {type_name} {name}[] = {{\n    // clang-format off\n", "   "
    for entry in entries:
        if len(line) + len(entry) + 1 > 130:
            text, line = text + line + "\n", "   "
        line += " " + entry
    return text + line + "\n    // clang-format on\n};\n"


def written():
    import tensorflow as tf
    all_points = points()

    def changed(op, texts):
        found = op(tf.constant([t.encode() for t in texts]), encoding="utf-8").numpy()
        return [t.decode() for t in found]

    text = HEAD
    for name, op in (("lower", tf.strings.lower), ("upper", tf.strings.upper)):
        single, several = {}, []
        for c, to in zip(all_points, changed(op, map(chr, all_points))):
            if len(to) != 1:
                several.append((c, [ord(t) for t in to]))
            elif ord(to) != c:
                single[c] = ord(to)
        text += table("case_run", f"{name}_runs", (f"{{{a:#x}, {b:#x}, {s}, {d}}}," for a, b, s, d in runs_of(single)))
        text += table("case_expansion", f"{name}_expansions",
                      (f"{{{c:#x}, {{{', '.join(f'{t:#x}' for t in to)}}}}}," for c, to in several))
    # A final sigma shows which code points TensorFlow takes for letters, and which it skips.
    beside = changed(tf.strings.lower, (f"a\u03a3{chr(c)}" for c in all_points))
    around = changed(tf.strings.lower, (f"a\u03a3{chr(c)}a" for c in all_points))
    kinds = []
    for c, one, two in zip(all_points, beside, around):
        kinds.append((c, "cased" if one[1] == "\u03c3" else "ignored" if two[1] == "\u03c3" else ""))
    runs = []
    for c, kind in kinds:
        if runs and runs[-1][1] == c - 1 and runs[-1][2] == kind:
            runs[-1][1] = c
        else:
            runs.append([c, c, kind])
    text += table("cased_run", "cased_runs", (f"{{{a:#x}, {b:#x}, {'true' if kind == 'ignored' else 'false'}}}," for a, b, kind in runs if kind))
    return text + TAIL


def main(command, path):
    try:
        text = written()
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    if command == "write":
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(path, encoding="utf-8") as file:
        is_same = file.read() == text
    print("the same" if is_same else "DIFFERENT")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
