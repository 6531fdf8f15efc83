"""The table of the op UnicodeScript, by TensorFlow's own.

    unicode_scripts.py write HEADER      writes include/flowgraph/ops/strings/impl/unicode_scripts.hpp anew
    unicode_scripts.py compare HEADER    ends in an error where it differs

Ends in 77, and says so, where this Python has no TensorFlow.
"""
import os
import sys

SKIPPED = 77
LIMIT = 0x110000
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")

HEAD = """#pragma once
// Written by tests/peers/unicode_scripts.py: which script the code points of Unicode belong to, by ICU's numbers.

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Each entry is the first code point of a run of one script, times 256, plus the number of the script; in order.
inline constexpr std::uint32_t script_runs[] = {
"""
TAIL = """};

}  // namespace flowgraph::detail
"""


def main(command, path):
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError:
        print("skipped: this Python has no TensorFlow")
        return SKIPPED
    scripts = tf.strings.unicode_script(tf.range(LIMIT, dtype=tf.int32)).numpy()
    firsts = [0, *(int(i) for i in np.nonzero(np.diff(scripts))[0] + 1)]
    text, line = HEAD + "    // clang-format off\n", "   "
    for first in firsts:
        entry = f" {first << 8 | int(scripts[first]):#x},"
        if len(line) + len(entry) > 130:
            text, line = text + line + "\n", "   "
        line += entry
    text += line + "\n    // clang-format on\n" + TAIL
    if command == "write":
        with open(path, "w") as file:
            file.write(text)
        return 0
    with open(path) as file:
        is_same = file.read() == text
    print(f"{len(firsts)} runs, {'the same' if is_same else 'DIFFERENT'}")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
