#include <flowgraph/ops/input/serialized_tensor.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;
using fg::error_code;

TEST_CASE("a tensor goes through a string and back") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  const auto text = fg::serialize_tensor(x);
  const auto y = fg::parse_tensor<float>(text);
  const auto found = fg::session{g}.run(fg::fetch(y));
  CHECK(found.shape() == fg::shape{2, 2});
  CHECK(found(1, 0) == 3);
}

TEST_CASE("another type than the one in the string is refused, and so is no tensor") {
  fg::graph g;
  const auto text = fg::serialize_tensor(g.constant(fg::tensor<float>({1}, {1})));
  const auto wrong = fg::parse_tensor<std::int32_t>(text);
  const auto none = fg::parse_tensor<float>(g.constant(std::string("nonsense")));
  fg::session s{g};
  CHECK(s.try_run(fg::fetch(wrong)).error().code() == error_code::invalid_argument);
  CHECK(s.try_run(fg::fetch(none)).error().code() == error_code::invalid_argument);
}
