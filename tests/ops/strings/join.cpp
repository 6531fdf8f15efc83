#include <flowgraph/ops/strings/join.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;

TEST_CASE("strings are joined element by element, along axes and by segments") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({2, 2}, {"a", "b", "c", "d"}));
  fg::session s{g};
  const auto all = [&](fg::out<std::string> y) {
    const auto found = s.run(fg::fetch(y));
    return std::vector<std::string>(found.begin(), found.end());
  };
  using words = std::vector<std::string>;
  CHECK(all(fg::string_join({x, g.constant(fg::tensor<std::string>("!"))}, "-")) == words{"a-!", "b-!", "c-!", "d-!"});
  CHECK(all(fg::reduce_join(x, {0, 1})) == words{"acbd"});
  CHECK(all(fg::reduce_join(x, {-1}, "+")) == words{"a+b", "c+d"});
  CHECK(fg::reduce_join(x, {1}, "", true).shape() == fg::shape{2, 1});
  CHECK(s.try_run(fg::fetch(fg::reduce_join(x, {2}))).error().code() == fg::error_code::out_of_range);
  const auto ids = g.constant(fg::tensor<std::int32_t>({2}, {1, 1}));
  CHECK(all(fg::unsorted_segment_join(x, ids, g.constant(2), ":")) == words{"", "", "a:c", "b:d"});
  CHECK(s.try_run(fg::fetch(fg::unsorted_segment_join(x, ids, g.constant(1)))).error().code() ==
        fg::error_code::invalid_argument);
}
