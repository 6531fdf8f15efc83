#include <flowgraph/ops/state/slice_assign.hpp>

#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using spec = fg::slice_spec;

TEST_CASE("a slice of a variable is set, broadcast; a value that does not fit changes nothing") {
  fg::graph g;
  auto w = g.variable("w", fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  auto x = g.placeholder<float>("x", fg::shape::unknown());
  auto set = fg::strided_slice_assign(w, {spec::all(-1), spec::from(1)}, x);
  fg::session s{g};
  s.initialize();
  const auto run = [&](const fg::tensor<float>& value) {
    const fg::tensor<float> t = s.run(fg::fetch(set), {{x, value}});
    return std::vector<float>(t.begin(), t.end());
  };
  CHECK(run(fg::tensor<float>({2, 2}, {7, 8, 9, 10})) == std::vector<float>{1, 9, 10, 4, 7, 8});
  CHECK(run(fg::tensor<float>({2, 1}, {0, -1})) == std::vector<float>{1, -1, -1, 4, 0, 0});
  const auto wrong = s.try_run(fg::fetch(set), {{x, fg::tensor<float>({3}, {1, 2, 3})}});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code() == fg::error_code::invalid_argument);
  CHECK(s.run(fg::fetch(w))[1] == -1.f);
}
