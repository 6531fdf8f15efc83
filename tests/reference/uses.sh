#!/bin/sh
# Compiles the lines of use that docs/reference shows: those of uses/ and those that tools/reference.awk derives from signatures.
# Arguments: the source tree, a command that compiles without output.
set -eu
source=$1
shift
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
cd "$source"
sh tools/reference --derived "$made/derived"
{
  echo "#include \"$source/tests/reference/uses.cpp\""
  echo 'void derived_uses(fg::graph g) {'
  cat "$made/derived"
  echo '}'
} > "$made/all.cpp"
"$@" "$made/all.cpp"
