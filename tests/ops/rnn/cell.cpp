#include <flowgraph/ops/rnn/cell.hpp>

#include "one_unit.hpp"

using namespace rnn_test;

namespace {

// Adds its input to its state: a cell of a program's own.
struct adding_cell {
  using element = float;
  using state_type = fg::out<float>;
  std::int64_t width;

  fg::cell_step<float, fg::out<float>> operator()(const fg::out<float>& x, const fg::out<float>& state, fg::site = {}) const {
    const fg::out<float> next = x + state;
    return {next, next};
  }
  fg::out<float> zero_state(const fg::out<std::int32_t>& batch) const { return fg::detail::zero_rows<float>(batch, width); }
  std::int64_t output_size() const { return width; }
};
struct without_zero_state {
  using element = float;
  using state_type = fg::out<float>;
  std::int64_t output_size() const { return 1; }
};

}  // namespace

TEST_CASE("recurrent_cell: a struct with the members is one, another is not") {
  static_assert(fg::recurrent_cell<adding_cell>);
  static_assert(!fg::recurrent_cell<without_zero_state>);
  CHECK(fg::tiled_cell(adding_cell{3}, 2).width == 3);  // it looks at its input alone
}

TEST_CASE("zero_rows: as many as a batch has, known or not") {
  fg::graph g;
  const auto batch = g.placeholder<std::int32_t>("batch", {});
  const auto known = fg::detail::zero_rows<float>(g.constant(2), 3), fed = fg::detail::zero_rows<float>(batch, 3);
  CHECK(known.shape() == fg::shape{2, 3});
  CHECK(fed.shape() == fg::shape{fg::any, 3});
  fg::session s{g};
  CHECK(s.run(fg::fetch(fed), {{batch, fg::tensor<std::int32_t>(4)}}).shape() == fg::shape{4, 3});
}

TEST_CASE("cells: the nodes of a call stand in a scope, and copies of a cell share its weights") {
  fg::graph g;
  const fg::detail::dense_weights<double> weights(g, "layer", 2, 1, with_weights<fg::cell_options<double>>({{3, 4}}, {{0.5}}), 0);
  const fg::detail::dense_weights<double> copy = weights;
  const auto y = copy(number_in(g, 1), number_in(g, 2));
  fg::session s{g};
  s.initialize();
  CHECK(s.run(fg::fetch(y))[0] == 1 * 3 + 2 * 4 + 0.5);
  CHECK(g.variables().size() == 2);
}
