#include <flowgraph/ops/rnn/state.hpp>

#include "one_unit.hpp"

using namespace rnn_test;
using ops_test::values;

TEST_CASE("tile_batch: each row so many times, of all parts of a state") {
  fg::graph g;
  const auto rows = g.constant(fg::tensor<float>({2, 1}, {1, 2}));
  const fg::lstm_state<float> state{rows, rows + 10.f};
  const auto tiled = fg::tile_batch(state, 3);
  const auto alone = fg::tile_batch(g.constant(5.f), 3);
  fg::session s{g};
  const auto [c, h, one] = s.run(fg::fetch(tiled.c, tiled.h, alone));
  CHECK(values(c) == std::vector<float>{1, 1, 1, 2, 2, 2});
  CHECK(values(h) == std::vector<float>{11, 11, 11, 12, 12, 12});
  CHECK(one.shape() == fg::shape{});  // a scalar belongs to all rows
}

TEST_CASE("gathered_rows: rows by number, of each part of a tuple") {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({3, 1}, {1, 2, 3}));
  const std::tuple<fg::out<float>, fg::out<float>> state{a, a * 2.f};
  const auto picked = fg::detail::gathered_rows(state, g.constant(fg::tensor<std::int32_t>({2}, {2, 0})));
  fg::session s{g};
  const auto [first, second] = s.run(fg::fetch(std::get<0>(picked), std::get<1>(picked)));
  CHECK(values(first) == std::vector<float>{3, 1});
  CHECK(values(second) == std::vector<float>{6, 2});
}

TEST_CASE("copied_past_end: rows whose sequence has ended keep what they had") {
  fg::graph g;
  const auto before = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4})), next = before * 10.f;
  const auto made = fg::detail::copied_past_end(g.constant(fg::tensor<bool>({2}, {true, false})))(next, before);
  fg::session s{g};
  CHECK(values(s.run(fg::fetch(made))) == std::vector<float>{10, 20, 3, 4});
}

TEST_CASE("shapes_of_loop: the number of rows may change unless it is known to stay") {
  fg::graph g;
  const auto part = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(fg::detail::shapes_of_loop({fg::shape{}}, part) == std::vector<fg::shape>{{}, {-1, 3}});
  CHECK(fg::detail::shapes_of_loop({}, part, true) == std::vector<fg::shape>{{2, 3}});
}
