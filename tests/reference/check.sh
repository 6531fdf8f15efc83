#!/bin/sh
# What tools/declarations.awk finds in a header, and what tools/reference.awk and tools/reference_index.awk say is missing.
# Arguments: the source tree, the fixture.
set -eu
tools=$1/tools
cd "$2"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
header=include/flowgraph/ops/math/curve.hpp
failed=

awk -f "$tools/declarations.awk" "$header" > "$made/declarations"
awk -F '\t' '
  $1 == "type" { print $1, $3, $4, $5 }
  $1 == "function" { print $1, $3, $4, $6 }
  $1 == "method" { print $1, $3, $4 == $3 ? $5 : $4 " " $5, $6 }
  $1 == "member" && $3 != "curve_op" { print $1, $3, $4, $5, $6, $7 }' "$made/declarations" | sed 's/ *$//' | sort > "$made/found"
sort expected | diff - "$made/found" || { echo "declarations.awk finds something else (right) than the header has (left)"; failed=yes; }

printf '%s\n' '  check(1);' '  // In docs/reference:' '  auto y = fg::curve(x, {.by = 2});' '  check(2);' > "$made/test.cpp"
[ "$(awk -f "$tools/lines_of_use.awk" "$made/test.cpp")" = '  auto y = fg::curve(x, {.by = 2});' ] ||
  { echo "lines_of_use.awk does not find the line of use in a test"; failed=yes; }

mkdir "$made/pages"
if awk -f "$tools/reference.awk" -v DIRECTORY="$made/pages" -v ELSEWHERE="$made/elsewhere.hpp" -v UMBRELLA=flowgraph/flowgraph.hpp \
  -v DERIVED="$made/derived" "$made/declarations" uses 2> "$made/lacking"; then
  echo "reference.awk is content with functions that have no sentence and no line of use"
  failed=yes
fi
for part in "function curve_as takes more than handles and has no line of use" "function nameless has no comment" "function nameless takes more than handles" \
  "curve_options::skipped has no comment" "type pen has no comment" "pen::draw has no line of use"; do
  grep -q "$part" "$made/lacking" || { echo "reference.awk does not say: $part"; failed=yes; }
done
if grep "function bent\|function curve has\|hidden\|secret\|curve_options::points" "$made/lacking"; then
  echo "reference.awk misses what is there"
  failed=yes
fi
cat > "$made/wanted" << 'END'
{
  const auto y = g.placeholder<float>("y", fg::shape::unknown());
  const auto by = g.placeholder<float>("by", fg::shape::unknown());
  const auto at = g.placeholder<std::int32_t>("at", fg::shape::unknown());
  auto result = fg::bent(y, by, at);
}
END
diff "$made/wanted" "$made/derived" || { echo "the line of use that is derived for bent is another (right) than expected (left)"; failed=yes; }
grep -q "^auto result = fg::bent(y, by, at);$" "$made/pages/math.md" || { echo "the page does not show the line of use of bent"; failed=yes; }
grep -q "^Bends each element. A second sentence.$" "$made/pages/math.md" || { echo "a function without a comment has not its op's"; failed=yes; }
grep -q "void curve(...) = delete;  // include <flowgraph/ops/math/curve.hpp>" "$made/elsewhere.hpp" ||
  { echo "elsewhere.hpp does not say where curve is"; failed=yes; }
grep -q "^namespace tcp { .* void draw(...) = delete; }  // include <flowgraph/ops/math/curve.hpp>" "$made/elsewhere.hpp" ||
  { echo "elsewhere.hpp does not say where draw of tcp is"; failed=yes; }
grep -q "^void tcp::draw(const pen& by, int times = 1)$" "$made/pages/math.md" || { echo "the page does not show draw of tcp by its name"; failed=yes; }

printf '%s\n' '| brought by flowgraph.hpp | |' '| `curve`, `line` | |' '| one include more | header |' '| `curve`, `tcp::draw` | `lines.hpp` |' > "$made/getting_started.md"
echo 'see [`curves`](math.md#curves) and [`bend`](math.md#curve), [`tcp::draw`](math.md#tcpdraw)' > "$made/index.md"
echo '# Alone' > "$made/pages/alone.md"
awk -f "$tools/reference_index.awk" "$made/elsewhere.hpp" "$made/pages/math.md" "$made/pages/alone.md" "$made/index.md" "$made/getting_started.md" 2> "$made/lacking" && failed=yes
grep -q "there is no math.md#curves" "$made/lacking" || { echo "reference_index.awk does not see a link that leads nowhere"; failed=yes; }
grep -q "no link leads to alone.md" "$made/lacking" || { echo "reference_index.awk does not see a page without a link"; failed=yes; }
grep -q "bend. is no name of curve" "$made/lacking" || { echo "reference_index.awk does not see a name that is wrong"; failed=yes; }
grep -q ":2: .curve. is in the wrong table" "$made/lacking" || { echo "reference_index.awk does not see a wrong table"; failed=yes; }
grep -q ":4: .curve. is in <flowgraph/ops/math/curve.hpp>" "$made/lacking" || { echo "reference_index.awk does not see a wrong header"; failed=yes; }
grep -q ":4: .tcp::draw. is in <flowgraph/ops/math/curve.hpp>" "$made/lacking" || { echo "reference_index.awk does not see a wrong header of tcp"; failed=yes; }
grep -q "tcpdraw" "$made/lacking" && failed=yes
grep -q "line. is" "$made/lacking" && failed=yes

[ -z "$failed" ]
