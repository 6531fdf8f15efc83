#!/bin/sh
# check.sh CLANG_TIDY SOURCE_TREE: tidy.sh fails on each fault that is planted in a header, and on nothing else.
set -eu
case $1 in *-NOTFOUND | '') echo "there is no clang-tidy-16: skipped"; exit 77 ;; esac
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
mkdir -p "$made/include/flowgraph"
cp "$2/.clang-tidy" "$made/"
header=$made/include/flowgraph/planted.hpp
echo '#include <flowgraph/planted.hpp>' > "$made/all.cpp"

cat > "$header" << 'END'
#pragma once
#include <string>
#include <utility>
inline std::size_t size_of_text(std::string text) {
  const std::string taken = std::move(text);
  return taken.size();
}
END
sh "$2/tests/tidy/tidy.sh" "$1" "$made" "$made/all.cpp" || { echo "a header without faults is refused"; exit 1; }

expect() {  # the check that must find it
  if sh "$2/tests/tidy/tidy.sh" "$1" "$made" "$made/all.cpp" > "$made/found" 2>&1; then echo "$3 is let through"; exit 1; fi
  grep -q "$3" "$made/found" || { cat "$made/found"; echo "$3 is not named"; exit 1; }
}
sed 's/return taken/return text/' "$header" > "$made/moved"
cp "$header" "$made/good"
cp "$made/moved" "$header"
expect "$1" "$2" bugprone-use-after-move
sed 's/size_of_text/SizeOfText/' "$made/good" > "$header"
expect "$1" "$2" readability-identifier-naming
