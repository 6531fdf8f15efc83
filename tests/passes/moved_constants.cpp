#include <flowgraph/passes/detail/moved_constants.hpp>

#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/nn/depthwise.hpp>
#include <flowgraph/ops/operators.hpp>

#include <cmath>

#include "drafted.hpp"

using namespace engine;

namespace {

fg::tensor<float> spread_numbers(const fg::shape& s) {
  fg::tensor<float> made(s);
  float k = 0;
  for (float& x : made.writable()) x = 0.1f + std::fmod(k += 0.37f, 1.3f);
  return made;
}

struct joined_model {
  fg::graph g;
  fg::out<float> x;

  explicit joined_model(const fg::shape& s) : x(g.placeholder<float>("x", s)) {}
  fg::out<float> constant(const fg::shape& s) { return g.constant(spread_numbers(s)); }
  // How many nodes go of y, whose last node is read by an identity that is fetched.
  std::size_t changed(const fg::out<float>& y, bool is_fast = true) {
    return passed(fg::passes::arithmetic, g, {x}, {fg::identity(y)}, {}, {.fast_math = is_fast}).changed;
  }
  fg::tensor<float> value(const fg::out<float>& y, const fg::pass_options& passes) {
    return fg::session{g, {.passes = passes}}.run(fg::fetch(y), {{x, spread_numbers(x.source->outputs[0].shape)}});
  }
  // So many nodes go, with fast_math alone, and the values are near what they were.
  void check(const fg::out<float>& y, std::size_t nodes = 1) {
    CHECK(changed(y, false) == 0);
    CHECK(changed(y) == nodes);
    const auto exact = value(y, fg::pass_options::none()),
               fast = value(y, {.further = {fg::passes::arithmetic}, .fast_math = true});
    REQUIRE(exact.shape() == fast.shape());
    for (std::size_t i = 0; i < exact.size(); ++i)
      CHECK(std::abs(exact.data()[i] - fast.data()[i]) <= 1e-5f * (1 + std::abs(exact.data()[i])));
  }
};

}  // namespace

TEST_CASE("moved constants: factors, divisors and summands one after another") {
  joined_model m({2, 3});
  const auto row = m.constant({3}), one = m.g.constant(1.7f), matrix = m.constant({2, 3});
  m.check(m.x * one * row);
  m.check(row * (one * m.x));
  m.check(m.x * matrix * row);
  m.check(m.x / row * one);
  m.check(m.x * row / one);
  m.check(one / m.x * row);
  m.check(m.x + one + row);
  m.check(row + (one + m.x) - matrix, 2);
  m.check(m.x - one + row);
  m.check(one - m.x - row);
  m.check((m.x * one + row) * row);
  m.check(m.x * one * row * matrix, 2);
}

TEST_CASE("moved constants: what cannot be joined stays") {
  joined_model m({2, 3});
  const auto row = m.constant({3}), column = m.constant({2, 1}), one = m.g.constant(1.7f);
  CHECK(m.changed(one / (m.x * row)) == 0);
  CHECK(m.changed((m.x + row) * row) == 0);   // x itself takes no factor
  CHECK(m.changed(m.x * row * column) == 0);  // the product of both is larger than either
  CHECK(m.changed(m.x - one - row) == 0);     // no op is at hand that adds
  CHECK(m.changed(m.x / one / row) == 0);     // nor one that multiplies
  CHECK(m.changed(m.x * m.constant({1, 2, 3}) * row) == 1);
  CHECK(m.changed(m.x * row * m.constant({1, 2, 3})) == 0);  // it would give x another shape
  const auto once = m.x * one;
  CHECK(m.changed(once * row + once) == 0);  // another reads it
  CHECK(passed(fg::passes::arithmetic, m.g, {m.x}, {once, fg::identity(once * row)}, {}, {.fast_math = true}).changed == 0);
  fg::graph g;
  auto whole = g.placeholder<std::int32_t>("whole", {});
  CHECK(passed(fg::passes::arithmetic, g, {whole}, {fg::identity(whole * 2 * 3)}, {}, {.fast_math = true}).changed == 0);
}

TEST_CASE("moved constants: a factor per column goes into the weights of a product") {
  joined_model m({2, 3});
  const auto row = m.constant({4}), one = m.g.constant(0.3f), w = m.constant({3, 4});
  m.check(fg::matmul(m.x, w) * row);
  m.check(one * fg::matmul(m.x, w));
  m.check(fg::matmul(m.x, m.constant({4, 3}), fg::matmul_options{.transpose_b = true}) / row);
  m.check((fg::matmul(m.x, w) + row) * m.constant({1, 4}));
  CHECK(m.changed(fg::matmul(m.x, w) * m.constant({2, 1})) == 0);
  CHECK(m.changed(fg::matmul(m.constant({5, 2}), m.x) * m.constant({3})) == 0);  // the weights are x
  const auto y = fg::matmul(m.x, w);
  CHECK(m.changed(y * row + y) == 0);
  joined_model square({3, 3});
  CHECK(square.changed(fg::matmul(square.x, square.constant({3, 3})) * square.constant({3, 1})) == 0);  // a factor per row
}

TEST_CASE("moved constants: a normalization after a convolution goes into its filter") {
  joined_model m({2, 5, 5, 3});
  const auto scale = m.constant({4}), shift = m.constant({4});
  m.check(fg::conv2d(m.x, m.constant({3, 3, 3, 4})) * scale);
  m.check((fg::conv2d(m.x, m.constant({3, 3, 3, 4})) + shift) * scale + shift, 2);
  m.check((shift - fg::conv2d(m.x, m.constant({3, 3, 3, 4}))) * m.g.constant(2.f));
  m.check(fg::depthwise_conv2d(m.x, m.constant({3, 3, 3, 2})) * m.constant({6}));
  CHECK(m.changed(fg::depthwise_conv2d(m.x, m.constant({3, 3, 3, 1})) * m.constant({5, 1})) ==
        0);  // a factor per column of pixels
  fg::convolution_attributes first;
  first.strides = {1, 1, 1, 1};
  first.data_format = fg::data_format::nchw;
  joined_model n({2, 3, 5, 5});
  CHECK(n.changed(fg::conv2d(first, n.x, n.constant({3, 3, 3, 5})) * n.constant({5})) == 0);
}

TEST_CASE("moved constants: weights that others read too are not changed for them") {
  joined_model m({2, 3});
  const auto w = m.constant({3, 4}), row = m.constant({4});
  const auto first = fg::matmul(m.x, w) * row, second = fg::matmul(m.x * m.g.constant(2.f), w);
  m.check(first + second);
}
