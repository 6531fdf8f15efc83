#include <flowgraph/ops/strings/split.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;

TEST_CASE("strings are split at blanks or separators, as the rows of a sparse matrix") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({2}, {" a  b c ", "d,,e"}));
  fg::session s{g};
  const auto parts = [&](const fg::split_strings& found) {
    auto [indices, values, shape] = s.run(fg::fetch(found.indices, found.values, found.shape));
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
      text += std::to_string(indices(i, 0)) + std::to_string(indices(i, 1)) + '[' + values[i] + ']';
    return text + std::to_string(shape[0]) + 'x' + std::to_string(shape[1]);
  };
  CHECK(parts(fg::string_split(x)) == "00[a]01[b]02[c]10[d,,e]2x3");
  CHECK(parts(fg::string_split(x, "", 1)) == "00[a]01[b c ]10[d,,e]11[]2x2");
  CHECK(parts(fg::string_split(x, ",")) == "00[ a  b c ]10[d]11[]12[e]2x3");
  CHECK(parts(fg::string_split(x, ",", 1)) == "00[ a  b c ]10[d]11[,e]2x2");
}

TEST_CASE("the rest behind the last split at blanks is a part, even an empty one") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({4}, {"ab", "a b", " a ", "  "}));
  fg::session s{g};
  const auto parts = [&](std::int64_t most) {
    const auto found = fg::string_split(x, "", most);
    const auto [indices, values] = s.run(fg::fetch(found.indices, found.values));
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) text += std::to_string(indices(i, 0)) + '[' + values[i] + ']';
    return text;
  };
  CHECK(parts(0) == "0[ab]1[a b]2[ a ]3[  ]");
  CHECK(parts(1) == "0[ab]0[]1[a]1[b]2[a]2[]");
  CHECK(parts(2) == "0[ab]1[a]1[b]1[]2[a]");
  CHECK(parts(-1) == "0[ab]1[a]1[b]2[a]");
}
