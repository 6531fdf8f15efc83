#include <flowgraph/train/loop_products.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/ops/array/reverse.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/ops/nn/activation.hpp>
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

const fg::pass_options summing{.further = {fg::passes::loop_products}};

template <class T> fg::tensor<T> random_values(const fg::shape& s, std::uint32_t seed) {
  std::mt19937 random(seed);
  fg::tensor<T> made(s);
  for (T& v : made.writable()) v = static_cast<T>((static_cast<float>(random() % 4001) - 2000.f) / 2000.f);
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
// Checks the bits with and without the pass, and returns the number of nodes that the pass adds.
std::string check_sums(const fg::graph& g, const std::vector<fg::any_out>& fetches, const std::vector<fg::fed>& feeds) {
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
  const auto count = [&](std::string_view op) {
    return std::ranges::count_if(told->nodes, [&](const fg::explained_node& n) { return n.op.starts_with(op); });
  };
  return std::to_string(count("_SumOfProducts")) + " sums, " + std::to_string(count("_PackedMatMul")) + " packed";
}

// The gradients of the weights of a cell along random sequences.
template <class T, class Make> std::string sums_of_cell(std::int64_t batch, std::int64_t steps, const fg::dim& known, Make make) {
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

TEST_CASE("loop_products: the weights of an LSTM, with the same bits for any number of steps") {
  const auto lstm = [](fg::graph& g) {
    const fg::lstm_cell<float> cell(g, 5, 7);
    return std::pair{cell, std::vector<fg::out<float>>{cell.weights.kernel, cell.weights.bias}};
  };
  for (const std::int64_t steps : {1, 2, 9, 70, 600}) CHECK(sums_of_cell<float>(3, steps, 3, lstm) == "1 sums, 2 packed");
  for (const std::int64_t batch : {0, 1, 4, 30}) CHECK(sums_of_cell<float>(batch, 5, fg::any, lstm) == "1 sums, 3 packed");
}

TEST_CASE("loop_products: a sum that several threads compute in blocks") {
  const auto wide = [](fg::graph& g) {
    const fg::lstm_cell<float> cell(g, 5, 210);
    return std::pair{cell, std::vector<fg::out<float>>{cell.weights.kernel}};
  };
  CHECK(sums_of_cell<float>(2, 3, 2, wide) == "1 sums, 1 packed");
}

TEST_CASE("loop_products: other cells, states and types") {
  const auto gru = [](fg::graph& g) {
    const fg::gru_cell<double> cell(g, 5, 6);
    return std::pair{cell, std::vector<fg::out<double>>{cell.gates.kernel, cell.candidate.kernel}};
  };
  CHECK(sums_of_cell<double>(2, 6, 2, gru) == "2 sums, 4 packed");
  const auto stack = [](fg::graph& g) {
    const fg::lstm_cell<float> first(g, 5, 4, {.name = "first"}), second(g, 4, 8, {.name = "second"});
    return std::pair{fg::stacked_cells(first, second), std::vector<fg::out<float>>{first.weights.kernel, second.weights.kernel}};
  };
  CHECK(sums_of_cell<float>(3, 6, 3, stack) == "2 sums, 3 packed");
  const auto halves = [](fg::graph& g) {
    const fg::lstm_cell<fg::half> cell(g, 5, 7);
    return std::pair{cell, std::vector<fg::out<fg::half>>{cell.weights.kernel}};
  };
  CHECK(sums_of_cell<fg::half>(2, 4, 2, halves) == "0 sums, 0 packed");
}

namespace {

// sum = start + products of rows of a and b, in a loop of three iterations; the last factor is zero in the first iteration.
struct loop_of_products {
  fg::graph g;
  fg::out<float> a = g.placeholder<float>("a", {2, 8}), b = g.placeholder<float>("b", {2, 3});
  fg::out<float> start = g.placeholder<float>("start", {8, 3});

  template <class Body> auto loop(Body body) {
    return fg::while_loop(
        std::tuple{g.constant(0.f), start}, [](const auto& i, const auto&) { return i < 3.f; },
        [&](const fg::out<float>& i, const fg::out<float>& sum) {
          return std::tuple{i + 1.f, body(sum, a * i, b)};
        });
  }
  static fg::out<float> product(const fg::out<float>& x, const fg::out<float>& y) {
    return fg::matmul(x, y, {.transpose_a = true});
  }
  std::vector<fg::fed> feeds() const {
    return {{a, random_values<float>({2, 8}, 1)}, {b, random_values<float>({2, 3}, 2)}, {start, random_values<float>({8, 3}, 3)}};
  }
  template <class Body> std::string changed(Body body) { return check_sums(g, {std::get<1>(loop(body))}, feeds()); }
};

}  // namespace

TEST_CASE("loop_products: a sum that begins with a fed value, and several products") {
  using in = fg::out<float>;
  loop_of_products l;
  CHECK(l.changed([&](const in& sum, const in& x, const in& y) { return sum + l.product(x, y); }) == "1 sums, 0 packed");
  CHECK(l.changed([&](const in& sum, const in& x, const in& y) {
    return fg::add_n<float>({sum, l.product(x, y), l.product(fg::tanh(x), y)});
  }) == "1 sums, 0 packed");
}

TEST_CASE("loop_products: a sum that something else reads, or that is no such sum, stays as it is") {
  using in = fg::out<float>;
  loop_of_products l;
  CHECK(l.changed([&](const in& sum, const in& x, const in& y) { return l.product(x, y) + sum; }) == "0 sums, 0 packed");
  CHECK(l.changed([&](const in& sum, const in& x, const in& y) { return sum - l.product(x, y); }) == "0 sums, 0 packed");
  CHECK(l.changed([&](const in& sum, const in& x, const in& y) { return sum + l.product(x, y) + l.product(x, y); }) ==
        "0 sums, 0 packed");
  CHECK(l.changed([&](const in& sum, const in& x, const in& y) { return sum + fg::tanh(l.product(x, y)); }) ==
        "0 sums, 0 packed");
  CHECK(l.changed([&](const in& sum, const in& x, const in& y) { return sum + l.product(x + fg::mean(sum), y); }) ==
        "0 sums, 0 packed");
  CHECK(l.changed([&](const in& sum, const in& x, const in& y) { return sum + fg::matmul(fg::transpose(x), y); }) ==
        "0 sums, 0 packed");
  const auto both = l.loop([&](const in& total, const in& x, const in& y) { return total + l.product(x, y); });
  const auto tall = fg::while_loop(
      std::tuple{l.g.constant(0.f), l.start}, [](const auto& n, const auto&) { return n < 2.f; },
      [&](const in& n, const in& total) {
        return std::tuple{n + 1.f, total + l.product(fg::concat({l.a, l.a, l.a}, 0), fg::concat({l.b, l.b, l.b}, 0))};
      });
  CHECK(check_sums(l.g, {std::get<1>(tall)}, l.feeds()) == "0 sums, 0 packed");  // the factors are as large as the sum
  CHECK(check_sums(l.g, {std::get<0>(both), std::get<1>(both)}, l.feeds()) == "1 sums, 0 packed");
}

TEST_CASE("loop_products: a loop in a loop") {
  using in = fg::out<float>;
  loop_of_products l;
  const auto outer = fg::while_loop(
      std::tuple{l.g.constant(0.f), l.start}, [](const auto& n, const auto&) { return n < 4.f; },
      [&](const in& n, const in& total) {
        const auto inner = fg::while_loop(
            std::tuple{n, total}, [](const auto& i, const auto&) { return i < 3.f; },
            [&](const in& i, const in& sum) {
              return std::tuple{i + 1.f, sum + l.product(l.a * i, l.b)};
            });
        return std::tuple{n + 1.f, fg::tanh(std::get<1>(inner))};
      });
  CHECK(check_sums(l.g, {std::get<1>(outer)}, l.feeds()) == "1 sums, 0 packed");
}

TEST_CASE("loop_products: explain names the product, and a variable of another shape is refused") {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({8, 3}));
  const auto a = g.placeholder<float>("a", {2, 8}), b = g.placeholder<float>("b", {2, 3});
  const auto sum = std::get<1>(fg::while_loop(
      std::tuple{g.constant(0.f), w * 1.f}, [](const auto& i, const auto&) { return i < 3.f; },
      [&](const fg::out<float>& i, const fg::out<float>& total) {
        return std::tuple{i + 1.f, total + fg::matmul(a * i, b, {.transpose_a = true})};
      }));
  const auto other = fg::apply(fg::assign_op{.validate_shape = false}, w, g.constant(fg::tensor<float>({1, 3})));
  const std::vector<fg::fed> feeds{{a, random_values<float>({2, 8}, 1)}, {b, random_values<float>({2, 3}, 2)}};
  CHECK(check_sums(g, {sum}, feeds) == "1 sums, 0 packed");

  fg::session s{g, {.passes = summing}};
  s.initialize();
  const fg::explanation told = s.explain(fg::fetch(sum), {{a, fg::shape{2, 8}}, {b, fg::shape{2, 3}}});
  CHECK(std::ranges::any_of(told.nodes, [&](const fg::explained_node& n) {
    return n.op.starts_with("_SumOfProducts") && n.name == std::string(sum.name()).substr(0, sum.name().find(':')) + "/sum";
  }));
  s.run(other);
  const fg::any_out fetched[]{sum};
  const auto ran = s.try_run(fg::run_request{feeds, fetched, {}});
  REQUIRE_FALSE(ran.has_value());
  CHECK(ran.error().code() == fg::error_code::invalid_argument);
  CHECK_MESSAGE(ran.error().message().find("the sum must have the shape [8,3], found [1,3]") != std::string::npos,
                ran.error().message());
}

namespace {

// x = tanh(x * w) several times, or x = tanh(x * w^T).
std::string packed_in_loop(std::int64_t rows, const fg::dim& known, bool is_transposed, bool changes) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {known, 70}), w = g.placeholder<float>("w", {70, 70});
  const auto y = fg::while_loop(
      std::tuple{g.constant(0), x, w}, [](const auto& i, const auto&, const auto&) { return i < 3; },
      [&](const auto& i, const fg::out<float>& at, const fg::out<float>& own) {
        const fg::out<float> next = fg::tanh(fg::matmul(at, changes ? own : w, {.transpose_b = is_transposed}));
        return std::tuple{i + 1, next, own * 0.5f};
      });
  return check_sums(g, {std::get<1>(y)}, {{x, random_values<float>({rows, 70}, 5)}, {w, random_values<float>({70, 70}, 6)}});
}

}  // namespace

TEST_CASE("loop_products: a matrix that stays the same is packed, if products do not read it in place") {
  for (const bool is_transposed : {false, true}) {
    CAPTURE(is_transposed);
    CHECK(packed_in_loop(40, 40, is_transposed, false) == "0 sums, 1 packed");
    CHECK(packed_in_loop(2, fg::any, is_transposed, false) == "0 sums, 1 packed");
    CHECK(packed_in_loop(0, fg::any, is_transposed, false) == "0 sums, 1 packed");
    CHECK(packed_in_loop(40, 40, is_transposed, true) == "0 sums, 0 packed");
    CHECK(packed_in_loop(1, 1, is_transposed, false) == "0 sums, 0 packed");
  }
  CHECK(packed_in_loop(24, 24, true, false) == "0 sums, 1 packed");
  CHECK(packed_in_loop(24, 24, false, false) == "0 sums, 0 packed");
}

TEST_CASE("loop_products: a matrix of another shape than declared is refused") {
  fg::graph g;
  const auto variable = g.variable("w", fg::zeros<float>({5, 5}));
  const fg::out<float> w = variable * 1.f;
  const auto x = g.placeholder<float>("x", {30, 5});
  const auto y = std::get<1>(fg::while_loop(
      std::tuple{g.constant(0), x}, [](const auto& i, const auto&) { return i < 3; },
      [&](const auto& i, const fg::out<float>& at) {
        return std::tuple{i + 1, fg::matmul(at, w)};
      }));
  const auto other = fg::apply(fg::assign_op{.validate_shape = false}, variable, g.constant(fg::tensor<float>({4, 6})));
  const std::vector<fg::fed> feeds{{x, random_values<float>({30, 5}, 1)}};
  CHECK(check_sums(g, {y}, feeds) == "0 sums, 1 packed");
  fg::session s{g, {.passes = summing}};
  s.initialize();
  s.run(other);
  const fg::any_out fetched[]{y};
  const auto ran = s.try_run(fg::run_request{feeds, fetched, {}});
  REQUIRE_FALSE(ran.has_value());
  CHECK_MESSAGE(ran.error().message().find("expected a matrix of shape [5,5], found [4,6]") != std::string::npos,
                ran.error().message());
}

namespace {

// x = x * w with a variable w, that a node `write` writes.
template <class Write> std::string packed_variable(Write write) {
  fg::graph g;
  const auto w = g.variable("w", random_values<float>({9, 9}, 4));
  const auto x = g.placeholder<float>("x", {30, 9});
  const auto loop = [&](const fg::out<float>& start, auto&& body) {
    return std::get<1>(fg::while_loop(
        std::tuple{g.constant(0), start}, [](const auto& i, const auto&) { return i < 3; },
        [&](const auto& i, const fg::out<float>& at) {
          return std::tuple{i + 1, body(at)};
        }));
  };
  return check_sums(g, {write(g, w, x, loop)}, {{x, random_values<float>({30, 9}, 5)}});
}

}  // namespace

TEST_CASE("loop_products: a variable is packed if it is written only after the loop") {
  const auto product = [](const auto& w) { return [&](const fg::out<float>& at) { return fg::matmul(at, w); }; };
  CHECK(packed_variable([&](auto&, const auto& w, const auto& x, auto loop) { return loop(x, product(w)); }) ==
        "0 sums, 1 packed");
  CHECK(packed_variable([&](auto&, const auto& w, const auto& x, auto loop) {
          const fg::out<float> y = loop(x, product(w));
          return fg::assign_add(w, fg::matmul(y, y, {.transpose_a = true}) * -0.01f) + fg::sum(y);
        }) == "0 sums, 1 packed");
  CHECK(packed_variable([&](auto& g, const auto& w, const auto& x, auto loop) {  // before the loop
          const fg::out<float> half = fg::assign(w, g.constant(random_values<float>({9, 9}, 8)));
          return loop(x + fg::sum(half), product(w));
        }) == "0 sums, 0 packed");
  CHECK(packed_variable([&](auto&, const auto& w, const auto& x, auto loop) {  // in the loop
          return loop(x, [&](const fg::out<float>& at) {
            const fg::out<float> next = fg::matmul(at, w);
            return next + fg::sum(fg::assign_add(w, fg::matmul(next, next, {.transpose_a = true}) * 0.001f));
          });
        }) == "0 sums, 0 packed");
}

namespace {

// The ops of all bundles, in the order of the plan.
std::vector<std::string> bundles_of(const fg::graph& g, const std::vector<fg::any_out>& fetches,
                                    const std::vector<fg::fed>& feeds) {
  fg::session s{g, {.passes = summing}};
  std::vector<fg::fed_shape> shapes;
  for (const fg::fed& f : feeds) shapes.push_back({f.where, f.value.shape()});
  const auto told = s.try_explain(std::vector<fg::edge_or_name>(fetches.begin(), fetches.end()), {}, shapes);
  REQUIRE_MESSAGE(told.has_value(), std::string(told.error().what()));
  std::vector<std::string> found;
  for (const fg::explained_node& n : told->nodes)
    if (n.op.starts_with("_Bundle")) found.push_back(n.op);
  return found;
}
// Checks the bits with and without the pass, for several numbers of threads, and returns the number of bundles.
std::size_t check_bundles(const fg::graph& g, const std::vector<fg::any_out>& fetches, const std::vector<fg::fed>& feeds) {
  const auto plain = bits_of(g, fg::pass_options::none(), fetches, feeds, nullptr);
  for (const int threads : {1, 2, 3, 4}) {
    fg::thread_pool pool(threads, std::chrono::microseconds(threads == 4 ? 50 : 0));
    CHECK((bits_of(g, summing, fetches, feeds, threads > 1 ? &pool : nullptr) == plain));
  }
  return bundles_of(g, fetches, feeds).size();
}

}  // namespace

TEST_CASE("loop_products: the gates of a cell are one kernel, forward and backward") {
  for (const std::int64_t units : {63, 64, 130}) {
    CAPTURE(units);
    fg::graph g;
    g.set_seed(7);
    const auto x = g.placeholder<float>("x", {5, 33, 9});
    const fg::lstm_cell<float> cell(g, 9, units);
    const auto outputs = fg::dynamic_rnn(cell, x, {.time_major = true}).outputs;
    const auto loss = fg::sum(fg::square(outputs));
    const std::vector<fg::any_out> fetches{outputs, fg::gradients(loss, cell.weights.kernel), fg::gradients(loss, x)};
    const std::vector<fg::fed> feeds{{x, random_values<float>({5, 33, 9}, 11)}};
    const bool is_wide = units >= 64;
    CHECK(check_bundles(g, fetches, feeds) == (is_wide ? 3 : 0));  // there are two backward loops
    if (!is_wide) continue;
    const auto found = bundles_of(g, fetches, feeds);
    CHECK_MESSAGE(found[0].starts_with("_Bundle(BiasAdd, "), found[0]);
  }
}

namespace {

// Random element-wise nodes between a split matrix and a concatenation. Some pass through nodes that no bundle contains.
struct random_bundle {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {9, 3 * 67}), y = g.placeholder<float>("y", {9, 67});
  std::vector<fg::out<float>> values = {y};
  std::vector<fg::any_out> fetches;
  std::mt19937 random;

  explicit random_bundle(std::uint32_t seed) : random(seed) {
    for (const fg::out<float>& part : fg::split(x, 3, 1)) values.push_back(part);
    for (int i = 0; i < 14; ++i) values.push_back(next());
    std::vector<fg::out<float>> parts;
    for (int i = 0; i < 3; ++i) parts.push_back(fg::tanh(values[values.size() - 1 - random() % 6]));
    fetches.push_back(fg::relu(fg::concat(parts, 1)));
    for (int i = 0; i < 2; ++i) fetches.push_back(any());
  }
  const fg::out<float>& any() { return values[random() % values.size()]; }
  fg::out<float> next() {
    const fg::out<float> a = any(), b = any();
    switch (random() % 10) {
      case 0: return a * b;
      case 1: return a + b;
      case 2: return a - b;
      case 3: return fg::sigmoid(a);
      case 4: return fg::tanh(a);
      case 5: return fg::add_n<float>({a, b});
      case 6: return a * 0.5f;
      case 7: return 1.f - a;
      case 8: return fg::reverse(a, {1});
      default: return a * fg::sigmoid(b);
    }
  }
};

}  // namespace

TEST_CASE("loop_products: random nodes around a split matrix and a concatenation") {
  std::size_t found = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    random_bundle r(seed);
    found +=
        check_bundles(r.g, r.fetches, {{r.x, random_values<float>({9, 3 * 67}, 1)}, {r.y, random_values<float>({9, 67}, 2)}});
  }
  CHECK(found > 20);
}

TEST_CASE("loop_products: a bundle is in one branch") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {8, 4 * 64});
  const auto p = g.placeholder<bool>("p", {});
  const auto parts = fg::split(x, 4, 1);
  const auto outside = fg::tanh(parts[0]) * fg::sigmoid(parts[1]) + fg::tanh(parts[2]) * parts[3];
  const auto chosen = fg::cond(
      p, [&] { return fg::tanh(outside) * fg::sigmoid(parts[1]) - outside * parts[2]; },
      [&] { return fg::sigmoid(outside) * parts[3] + parts[0]; });
  for (const bool is_true : {true, false})
    CHECK(check_bundles(g, {outside, chosen}, {{x, random_values<float>({8, 4 * 64}, 3)}, {p, fg::tensor<bool>(is_true)}}) < 2);
}

TEST_CASE("loop_products: a bundle refuses a value of another shape than declared") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {8, 2 * 64});
  const auto variable = g.variable("v", fg::ones<float>({8, 64}));
  const fg::out<float> v = variable * 1.f;
  const auto parts = fg::split(x, 2, 1);
  const auto y = fg::tanh(fg::sigmoid(parts[0]) * fg::tanh(parts[1])) * v;
  const std::vector<fg::fed> feeds{{x, random_values<float>({8, 2 * 64}, 1)}};
  CHECK(check_bundles(g, {fg::relu(y)}, feeds) == 1);
  const auto other = fg::apply(fg::assign_op{.validate_shape = false}, variable, g.constant(fg::tensor<float>({1, 64})));
  fg::session s{g, {.passes = summing}};
  s.initialize();
  s.run(other);
  const fg::any_out fetched[]{fg::relu(y)};
  const auto ran = s.try_run(fg::run_request{feeds, fetched, {}});
  REQUIRE_FALSE(ran.has_value());
  CHECK(ran.error().code() == fg::error_code::invalid_argument);
  CHECK_MESSAGE(ran.error().message().find("expected the shape [8,64], found [1,64]") != std::string::npos,
                ran.error().message());
}
