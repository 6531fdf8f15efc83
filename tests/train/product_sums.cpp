#include <flowgraph/train/product_sums.hpp>

#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>
#include <flowgraph/ops/rnn/gru_cell.hpp>
#include <flowgraph/ops/rnn/lstm_cell.hpp>
#include <flowgraph/ops/rnn/stacked_cells.hpp>
#include <flowgraph/runtime/explain.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/runtime/step.hpp>

#include <random>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

const fg::pass_options summing{.further = {fg::passes::product_sums}};

template <class T> fg::tensor<T> random_values(const fg::shape& s, std::uint32_t seed) {
  std::mt19937 random(seed);
  fg::tensor<T> made(s);
  for (T& v : made.writable()) v = static_cast<T>(static_cast<int>(random() % 4001) - 2000) / T(2000);
  return made;
}

// The bits of runs and of prepared steps.
std::vector<std::string> bits_of(const fg::graph& g, const fg::pass_options& passes, const std::vector<fg::any_out>& fetches,
                                 const std::vector<fg::fed>& feeds, fg::thread_pool* pool) {
  fg::session s{g, {.pool = pool, .passes = passes}};
  s.initialize();
  std::vector<fg::any_out> fed;
  std::vector<fg::any_tensor> given, found(fetches.size());
  for (const fg::fed& f : feeds) fed.push_back(f.where), given.push_back(f.value);
  std::vector<std::string> made;
  const auto add = [&](const std::vector<fg::any_tensor>& all) {
    for (const fg::any_tensor& t : all)
      made.push_back(std::string(static_cast<const char*>(t.data()), t.bytes()) + to_string(t.shape()));
  };
  auto step = s.try_prepare(fed, fetches, {});
  REQUIRE_MESSAGE(step.has_value(), std::string(step.error().what()));
  for (int round = 0; round < 2; ++round) {
    const auto ran = step->try_run(given, found);
    REQUIRE_MESSAGE(ran.has_value(), std::string(ran.error().what()));
    add(found);
    auto queued = s.try_run(fg::run_request{feeds, fetches, {}});
    REQUIRE_MESSAGE(queued.has_value(), std::string(queued.error().what()));
    add(*queued);
  }
  return made;
}
// Checks the bits with and without the pass, and returns the number of nodes that the pass removes.
std::size_t check_sums(const fg::graph& g, const std::vector<fg::any_out>& fetches, const std::vector<fg::fed>& feeds) {
  for (const int threads : {1, 3}) {
    fg::thread_pool pool(threads);
    fg::thread_pool* const used = threads > 1 ? &pool : nullptr;
    CHECK((bits_of(g, summing, fetches, feeds, used) == bits_of(g, fg::pass_options::none(), fetches, feeds, used)));
  }
  fg::session s{g, {.passes = summing}};
  std::vector<fg::fed_shape> shapes;
  for (const fg::fed& f : feeds) shapes.push_back({f.where, f.value.shape()});
  const std::vector<fg::edge_or_name> fetched(fetches.begin(), fetches.end());
  const auto told = s.try_explain(fetched, {}, shapes);
  REQUIRE_MESSAGE(told.has_value(), std::string(told.error().what()));
  for (const fg::pass_report& p : told->passes)
    if (p.name == "product_sums") return p.changed;
  FAIL("the pass did not report");
  return 0;
}

// The gradients of the weights of a cell along random sequences.
template <class T, class Make> std::size_t sums_of_cell(std::int64_t batch, std::int64_t steps, const fg::dim& known, Make make) {
  CAPTURE(batch);
  CAPTURE(steps);
  fg::graph g;
  g.set_seed(7);
  const auto x = g.placeholder<T>("x", {fg::any, known, 5});
  const auto [cell, weights] = make(g);
  const auto outputs = fg::dynamic_rnn(cell, x, {.time_major = true}).outputs;
  std::vector<fg::any_out> fetches{outputs};
  const auto loss = fg::sum(fg::square(outputs));
  for (const fg::out<T>& w : weights) fetches.push_back(fg::out<T>(fg::gradients(loss, w)));
  return check_sums(g, fetches, {{x, random_values<T>({steps, batch, 5}, 11)}});
}

}  // namespace

TEST_CASE("product_sums: the weights of an LSTM, with the same bits for any number of steps") {
  const auto lstm = [](fg::graph& g) {
    const fg::lstm_cell<float> cell(g, 5, 7);
    return std::pair{cell, std::vector<fg::out<float>>{cell.weights.kernel, cell.weights.bias}};
  };
  for (const std::int64_t steps : {1, 2, 9, 70, 600}) CHECK(sums_of_cell<float>(3, steps, 3, lstm) == 2);
  for (const std::int64_t batch : {0, 1, 4, 30}) CHECK(sums_of_cell<float>(batch, 5, fg::any, lstm) == 2);
}
