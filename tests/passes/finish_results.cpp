#include <flowgraph/passes/finish_results.hpp>

#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/batch_norm.hpp>
#include <flowgraph/ops/nn/bias.hpp>
#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/nn/depthwise.hpp>
#include <flowgraph/ops/nn/rectifier.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include <cstring>
#include <limits>
#include <random>

#include "../harness/sanitized.hpp"
#include "drafted.hpp"

using namespace engine;

namespace {

class finished_programs {
public:
  finished_programs(const fg::graph& g, std::uint32_t seed) : random_(seed), graph_(g) {}

  std::int64_t pick(std::initializer_list<std::int64_t> all) { return std::data(all)[random_() % all.size()]; }
  fg::tensor<float> numbers(const fg::shape& s, float low = -2) {
    fg::tensor<float> made(s);
    std::uniform_real_distribution<float> draw(low, 2);
    for (float& v : made.writable()) v = draw(random_);
    return made;
  }
  // A convolution of x, whose channels and outputs are drawn, and some of the nodes that its kernel can compute.
  fg::out<float> program(const fg::out<float>& x) {
    const std::int64_t channels = x.shape()[-1], window = pick({1, 3, 5}), step = pick({1, 2});
    const fg::conv2d_options how{.strides = {step, step}};
    const auto filter = [&](std::int64_t outputs) { return constant(numbers({window, window, channels, outputs})); };
    fg::out<float> y = pick({0, 1, 2}) == 0 ? fg::depthwise_conv2d(x, filter(pick({1, 1, 2})), how)
                                            : fg::conv2d(x, filter(pick({1, 6, 16, 24, 32, 100})), how);
    const fg::shape made = y.shape();
    const auto row = [&] { return constant(numbers({made[-1]})); };
    switch (pick({0, 1, 2, 3, 4})) {
      case 0: y = normalized(y); break;
      case 1: y = row() * y + row(); break;
      case 2: y = fg::bias_add(y, row()); break;
      case 3: y = (y - row()) * row(); break;
      default: break;
    }
    if (pick({0, 1})) y = constant(numbers(made)) + y;
    if (pick({0, 1})) y = pick({0, 1}) ? fg::relu(y) : fg::relu6(y);
    return y;
  }
  fg::out<float> normalized(const fg::out<float>& x, bool is_training = false) {
    const fg::shape of_columns{x.shape()[-1]};
    fg::volume_batch_norm how;
    how.epsilon = 1e-3f;
    how.is_training = is_training;
    return fg::fused_batch_norm(how, x, constant(numbers(of_columns)), constant(numbers(of_columns)),
                                constant(numbers(of_columns)), constant(numbers(of_columns, 0.1f)))
        .y;
  }

private:
  fg::out<float> constant(const fg::tensor<float>& t) { return graph_.constant(t); }

  std::mt19937 random_;
  fg::graph graph_;
};

// The ops of all groups that begin with a convolution.
all_names convolution_groups(const fg::graph& g, const fg::out<float>& x, const fg::shape& fed, const fg::out<float>& y) {
  all_names found;
  for (const fg::explained_node& n : fg::session(g).explain(fg::fetch(y), {{x, fed}}).nodes)
    if (n.op.starts_with("_Group(Conv2D") || n.op.starts_with("_Group(Depthwise")) found.push_back(n.op);
  return found;
}
all_names convolution_groups(const fg::graph& g, const fg::out<float>& x, const fg::out<float>& y) {
  return convolution_groups(g, x, x.shape(), y);
}

fg::tensor<float> result_of(const fg::graph& g, const fg::out<float>& y, const fg::fed& x, fg::session_options options = {}) {
  fg::session s{g, options};
  return s.run(fg::fetch(y), {x});
}
bool same_bits(const fg::tensor<float>& a, const fg::tensor<float>& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("finish_results: random convolutions and the nodes behind them have the same bits") {
  std::size_t fired = 0;
  fg::thread_pool pool(3);
  constexpr std::uint32_t programs = flowgraph_test::is_sanitized ? 30 : 150;
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    CAPTURE(seed);
    fg::graph g;
    finished_programs draw(g, seed);
    const std::int64_t size = draw.pick({1, 5, 7, 14, 20});
    const auto x = g.placeholder<float>("x", {draw.pick({1, 2, 3}), size, size, draw.pick({1, 3, 8, 16, 40})});
    const auto y = draw.program(x);
    const fg::tensor<float> in = draw.numbers(x.shape());
    const fg::tensor<float> expected = result_of(g, y, {x, in}, {.passes = fg::pass_options::none()});
    CHECK(same_bits(result_of(g, y, {x, in}), expected));
    CHECK(same_bits(result_of(g, y, {x, in}, {.pool = &pool}), expected));
    fired += convolution_groups(g, x, y).size();
  }
  CHECK(fired > programs * 6 / 10);
}

TEST_CASE("finish_results: random products and the nodes behind them have the same bits") {
  std::size_t fired = 0;
  fg::thread_pool pool(3);
  constexpr std::uint32_t programs = flowgraph_test::is_sanitized ? 40 : 200;
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    CAPTURE(seed);
    fg::graph g;
    finished_programs draw(g, seed);
    const std::int64_t m = draw.pick({1, 2, 13, 64, 200}), k = draw.pick({1, 8, 100, 300, 700}),
                       n = draw.pick({1, 8, 33, 96, 300});
    const bool transposed = draw.pick({0, 1}) == 1, is_constant = draw.pick({0, 1, 2}) > 0, flipped = draw.pick({0, 0, 1}) == 1;
    const fg::shape of_weights = transposed ? fg::shape{n, k} : fg::shape{k, n};
    const auto x = g.placeholder<float>("x", flipped ? fg::shape{k, m} : fg::shape{draw.pick({0, 1}) ? m : fg::any, k});
    const auto w = g.placeholder<float>("w", of_weights);
    const fg::tensor<float> in = draw.numbers(flipped ? fg::shape{k, m} : fg::shape{m, k}), weights = draw.numbers(of_weights);
    const auto row = [&] { return g.constant(draw.numbers({n})); };
    auto y = fg::matmul(x, is_constant ? g.constant(weights) : w, {.transpose_a = flipped, .transpose_b = transposed});
    if (draw.pick({0, 1})) y = draw.pick({0, 1}) ? fg::bias_add(y, row()) : (y - row()) * row() + row();
    if (draw.pick({0, 1})) y = g.constant(draw.numbers({m, n})) + y;
    if (draw.pick({0, 1})) y = fg::relu(y);
    const auto with = [&](const fg::session_options& options) {
      fg::session s{g, options};
      const fg::tensor<float> made = s.run(fg::fetch(y), {{x, in}, {w, weights}});
      return made;
    };
    const fg::tensor<float> expected = with({.passes = fg::pass_options::none()});
    CHECK(same_bits(with({}), expected));
    CHECK(same_bits(with({.passes = {.pack_weights = false}}), expected));
    CHECK(same_bits(with({.pool = &pool}), expected));
    for (const fg::explained_node& each : fg::session(g).explain(fg::fetch(y), {{x, in.shape()}, {w, of_weights}}).nodes)
      fired += each.op.starts_with("_Group(MatMul") || each.op == "_Packed(MatMul)" ? 1 : 0;
  }
  CHECK(fired > programs / 2);
}

TEST_CASE("finish_results: constant weights are packed, other weights are not") {
  fg::graph g;
  finished_programs draw(g, 7);
  const auto x = g.placeholder<float>("x", {1, 6, 6, 8}), rows = g.placeholder<float>("rows", {40, 16});
  const auto filter = g.placeholder<float>("filter", {3, 3, 8, 32});
  const auto constant = g.constant(draw.numbers({3, 3, 8, 32})), matrix = g.constant(draw.numbers({16, 32}));
  const auto ops = [&](const auto& y, const fg::pass_options& passes) {
    all_names found;
    fg::session s{g, {.passes = passes}};
    for (const auto& n : s.explain(fg::fetch(y), {{x, x.shape()}, {rows, rows.shape()}, {filter, filter.shape()}}).nodes)
      if (n.op.find("Conv2D") != std::string::npos || n.op.find("MatMul") != std::string::npos) found.push_back(n.op);
    return found;
  };
  CHECK(ops(fg::conv2d(x, constant), {}) == all_names{"_Packed(Conv2D)"});
  CHECK(ops(fg::matmul(rows, matrix), {}) == all_names{"_Packed(MatMul)"});
  CHECK(ops(fg::conv2d(x, constant), {.pack_weights = false}) == all_names{"Conv2D<float>"});
  CHECK(ops(fg::conv2d(x, constant), {.group_elementwise = false}) == all_names{"Conv2D<float>"});
  CHECK(ops(fg::conv2d(x, filter), {}) == all_names{"Conv2D<float>"});
  // Two matrices of one shape have two copies.
  const auto difference = fg::matmul(rows, matrix) - fg::matmul(rows, g.constant(draw.numbers({16, 32})));
  const fg::tensor<float> of_rows = draw.numbers(rows.shape());
  CHECK(same_bits(result_of(g, difference, {rows, of_rows}),
                  result_of(g, difference, {rows, of_rows}, {.passes = fg::pass_options::none()})));
  // A fed constant is no constant.
  fg::session s(g);
  const auto y = fg::conv2d(x, constant);
  const fg::tensor<float> other = draw.numbers({3, 3, 8, 32}), in = draw.numbers(x.shape());
  const fg::tensor<float> fed = s.run(fg::fetch(y), {{x, in}, {constant, other}});
  const fg::tensor<float> expected = s.run(fg::fetch(fg::conv2d(x, filter)), {{x, in}, {filter, other}});
  CHECK(same_bits(fed, expected));
}

TEST_CASE("finish_results: infinite weights that are packed give the same NaN") {
  fg::graph g;
  finished_programs draw(g, 8);
  const auto x = g.placeholder<float>("x", {1, 20, 20, 32});
  fg::tensor<float> weights = draw.numbers({3, 3, 32, 32});
  weights.writable()[100] = std::numeric_limits<float>::infinity();
  const auto y = fg::conv2d(x, g.constant(weights));
  const fg::tensor<float> in = draw.numbers(x.shape());
  CHECK(same_bits(result_of(g, y, {x, in}), result_of(g, y, {x, in}, {.passes = fg::pass_options::none()})));
}

TEST_CASE("finish_results: the nodes of a residual block are two groups") {
  fg::graph g;
  finished_programs draw(g, 1);
  const auto x = g.placeholder<float>("x", {1, 8, 8, 16});
  const auto filter = [&](std::int64_t size) { return g.constant(draw.numbers({size, size, 16, 16})); };
  const auto inner = fg::relu6(draw.normalized(fg::depthwise_conv2d(x, g.constant(draw.numbers({3, 3, 16, 1})))));
  const auto made = draw.normalized(fg::conv2d(inner, filter(1)));
  const auto y = fg::relu(x + made);
  CHECK(convolution_groups(g, x, y) ==
        all_names{"_Group(DepthwiseConv2dNative, FusedBatchNormV3, Relu6)", "_Group(Conv2D, FusedBatchNormV3, AddV2, Relu)"});
  // Both operands are convolutions: the first takes the sum.
  const auto first = fg::conv2d(x, filter(3)), second = draw.normalized(fg::conv2d(x, filter(1)));
  const auto both = first + second;
  CHECK(convolution_groups(g, x, both) == all_names{"_Group(Conv2D, FusedBatchNormV3)", "_Group(Conv2D, AddV2)"});
  const fg::tensor<float> in = draw.numbers(x.shape());
  for (const auto& each : {y, both})
    CHECK(same_bits(result_of(g, each, {x, in}), result_of(g, each, {x, in}, {.passes = fg::pass_options::none()})));
}

TEST_CASE("finish_results: special values keep their bits") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1, 4, 1, 8});
  const float infinity = std::numeric_limits<float>::infinity();
  const auto row = g.constant(fg::tensor<float>(fg::shape{8}, {0.f, -0.f, 1.f, -1.f, infinity, -infinity, 6.f, 7.f}));
  const auto filter = fg::tensor<float>(fg::shape{1, 1, 8, 8}, std::vector<float>(64, 0.f));
  fg::tensor<float> one = filter;
  for (std::size_t i = 0; i < 8; ++i) one.writable().data()[9 * i] = 1;
  const auto made = fg::conv2d(x, g.constant(one));
  fg::tensor<float> in(x.shape());
  for (std::size_t i = 0; i < 32; ++i) in.writable().data()[i] = i % 3 ? -0.f : static_cast<float>(i) - 16;
  for (const auto& y :
       {fg::relu(made), fg::relu6(made + row), fg::relu((made - row) * row), fg::relu6(fg::bias_add(made, row))}) {
    const fg::tensor<float> found = result_of(g, y, {x, in});
    const fg::tensor<float> expected = result_of(g, y, {x, in}, {.passes = fg::pass_options::none()});
    for (std::size_t i = 0; i < 32; ++i) {
      const float a = found.data()[i], b = expected.data()[i];
      CHECK(((a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0));
    }
  }
}

TEST_CASE("finish_results: nodes that stay outside") {
  fg::graph g;
  finished_programs draw(g, 2);
  const auto x = g.placeholder<float>("x", {2, 6, 6, 8});
  const auto convolved = [&] { return fg::conv2d(x, g.constant(draw.numbers({3, 3, 8, 8}))); };
  const auto row = g.constant(draw.numbers({8}));
  const auto has_group = [&](const fg::out<float>& y) { return !convolution_groups(g, x, y).empty(); };
  CHECK(has_group(fg::relu(convolved())));
  {
    const auto read_twice = convolved();
    CHECK_FALSE(has_group(fg::relu(read_twice) + fg::relu6(read_twice)));
    fg::session s(g);
    const auto fetched = convolved(), y = fg::relu(fetched);
    for (const auto& n : s.explain(fg::fetch(y, fetched), {x}).nodes) CHECK_FALSE(n.op.starts_with("_Group"));
    const auto shared = convolved(), second = fg::conv2d(shared, g.constant(draw.numbers({1, 1, 8, 8}))), z = fg::relu(shared);
    for (const auto& n : s.explain(fg::fetch(z, second), {x}).nodes) CHECK_FALSE(n.op.starts_with("_Group"));
  }
  CHECK_FALSE(has_group(draw.normalized(convolved(), true)));              // statistics of the batch
  CHECK_FALSE(has_group(row - convolved()));                               // the other order
  CHECK_FALSE(has_group(convolved() * g.constant(draw.numbers({6, 1}))));  // not a row
  // A sum comes after a product, and an activation is the last. A group of element-wise nodes takes them all.
  CHECK_FALSE(has_group((convolved() + row) * row));
  CHECK_FALSE(has_group(fg::relu(convolved()) + row));
  CHECK(convolution_groups(g, x, fg::sigmoid(draw.normalized(convolved()))) == all_names{"_Group(Conv2D, FusedBatchNormV3)"});
  // The number of images is not known, so the sum might repeat one of its operands.
  const auto some = g.placeholder<float>("some", {fg::any, 6, 6, 8});
  const auto y = fg::relu(some + fg::conv2d(some, g.constant(draw.numbers({3, 3, 8, 8}))));
  CHECK(convolution_groups(g, some, {2, 6, 6, 8}, y).empty());
}

TEST_CASE("finish_results: results that a run may broadcast stay outside") {
  fg::graph g;
  finished_programs draw(g, 4);
  const auto filter = g.constant(draw.numbers({1, 1, 8, 8})), z = g.placeholder<float>("z", fg::shape::unknown());
  const auto with = [&](const fg::out<float>& y, const std::vector<fg::fed>& feeds, const fg::pass_options& passes) {
    const fg::any_out fetches[]{y};
    fg::session s{g, {.passes = passes}};
    const fg::any_tensor made = s.try_run({feeds, fetches}).value()[0];
    return to_string(made.shape()) + std::string(static_cast<const char*>(made.data()), made.size() * sizeof(float));
  };
  const auto check = [&](const fg::out<float>& y, const std::vector<fg::fed>& feeds) {
    CHECK((with(y, feeds, {}) == with(y, feeds, fg::pass_options::none())));
  };
  const fg::tensor<std::int32_t> declared({4}, {2, 4, 4, 8}), smaller({4}, {1, 4, 4, 8}), row({4}, {1, 1, 1, 8});
  {  // a fed constant decides the size of the images
    const auto c = g.constant(declared);
    const auto residual = g.placeholder<float>("residual", {2, 4, 4, 8});
    check(fg::relu(fg::conv2d(fg::reshape(z, c), filter) + residual),
          {{c, smaller}, {z, draw.numbers({128})}, {residual, draw.numbers({2, 4, 4, 8})}});
  }
  {  // and the size of the residual
    const auto c = g.constant(declared);
    const auto x = g.placeholder<float>("x", {2, 4, 4, 8});
    check(fg::relu(fg::conv2d(x, filter) + fg::reshape(z, c)),
          {{c, row}, {z, draw.numbers({8})}, {x, draw.numbers({2, 4, 4, 8})}});
  }
  {  // a variable gets one column
    const auto w = g.variable("w", draw.numbers({1, 1, 8, 8}));
    const auto x = g.placeholder<float>("images", {1, 4, 4, 8});
    const auto y = fg::conv2d(x, fg::identity(fg::out<float>(w))) * g.constant(draw.numbers({8}));
    const auto narrow = g.constant(draw.numbers({1, 1, 8, 1}));
    const fg::target set = fg::apply(fg::assign_op{.validate_shape = false}, w, narrow);
    const fg::tensor<float> in = draw.numbers(x.shape());
    const auto changed = [&](const fg::pass_options& passes) {
      fg::session s{g, {.passes = passes}};
      s.initialize();
      s.run(set);
      return fg::tensor<float>(s.run(fg::fetch(y), {{x, in}}));
    };
    CHECK(same_bits(changed({}), changed(fg::pass_options::none())));
  }
}

TEST_CASE("finish_results: an error of the convolution names it and its line") {
  fg::graph g;
  finished_programs draw(g, 5);
  const auto x = g.placeholder<float>("x", fg::shape::unknown());
  const auto convolved = fg::conv2d(x, g.constant(draw.numbers({3, 3, 8, 8})), {.name = "convolved"});
  const unsigned line = __LINE__ - 1;
  fg::session s(g);
  const auto failed = s.try_run(fg::fetch(fg::relu(convolved)), {{x, draw.numbers({1, 4, 4, 5})}});
  REQUIRE_FALSE(failed.has_value());
  check_error(failed.error(), fg::error_code::invalid_argument, "convolved", "Conv2D", {"; found x float[1,4,4,5], Const"});
  check_place(failed.error(), line, __FILE__);
}

TEST_CASE("finish_results: an operand whose shape has changed is an error of its node") {
  fg::graph g;
  finished_programs draw(g, 3);
  const auto x = g.placeholder<float>("x", {1, 4, 4, 8});
  const auto handle = fg::apply_in<float>(g, fg::var_handle_op{.declared = {8}}, {.name = "bias"});
  const auto value = g.placeholder<float>("value", fg::shape::unknown());
  const fg::target set = fg::apply_as<float>(fg::site{}, fg::assign_variable_op{}, handle, value);
  const auto bias = fg::apply_as<float>(fg::site{}, fg::read_variable_op{}, handle);
  const auto y = fg::relu(fg::bias_add(fg::conv2d(x, g.constant(draw.numbers({1, 1, 8, 8}))), bias));
  CHECK(convolution_groups(g, x, y) == all_names{"_Group(Conv2D, BiasAdd, Relu)"});
  fg::session s(g);
  s.run(set, {{value, draw.numbers({8})}});
  CHECK(s.run(fg::fetch(y), {{x, draw.numbers(x.shape())}}).size() == 128);
  for (const fg::shape& changed : {fg::shape{4}, fg::shape{1, 8}}) {
    s.run(set, {{value, draw.numbers(changed)}});
    const auto failed = s.try_run(fg::fetch(y), {{x, draw.numbers(x.shape())}});
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().code() == fg::error_code::invalid_argument);
    const std::string text = failed.error().what();
    CAPTURE(text);
    CHECK(text.find(to_string(changed)) != std::string::npos);
    CHECK(text.find("(BiasAdd)") != std::string::npos);
  }
}
