#include <flowgraph/ops/nn/convolution_3d.hpp>

#include "../evaluate.hpp"

#include <limits>

using namespace ops_test;

TEST_CASE("a volume of one plane is convolved as an image, and so is one of one row a plane") {
  const auto x = counting<double>({2, 5, 6, 3});
  const auto w = counting<double>({3, 2, 3, 4});
  const auto flat = [](auto a, auto b) {
    return fg::conv2d(a, b, {.strides = {2, 1}, .padding = fg::padding::same, .dilations = {1, 2}});
  };
  const auto plane = [](auto a, auto b) {
    const fg::conv3d_options o{.strides = {1, 2, 1}, .padding = fg::padding::same, .dilations = {1, 1, 2}};
    return fg::squeeze(fg::conv3d(fg::expand_dims(a, 1), fg::expand_dims(b, 0), o), {1});
  };
  const auto row = [](auto a, auto b) {
    const fg::conv3d_options o{.strides = {2, 1, 1}, .padding = fg::padding::same, .dilations = {1, 1, 2}};
    return fg::squeeze(fg::conv3d(fg::expand_dims(a, 2), fg::expand_dims(b, 1), o), {2});
  };
  const auto gradient = [](const auto& f, bool of_filter) {
    return [&f, of_filter](auto a, auto b) {
      return fg::out<double>(fg::gradients(fg::sum(fg::square(f(a, b))), of_filter ? b : a));
    };
  };
  CHECK(same_bits(evaluate(flat, x, w), evaluate(plane, x, w)));
  CHECK(same_bits(evaluate(flat, x, w), evaluate(row, x, w)));
  for (const bool of_filter : {false, true}) {
    const auto expected = values(evaluate(gradient(flat, of_filter), x, w));
    CHECK(values(evaluate(gradient(plane, of_filter), x, w)) == expected);
    CHECK(values(evaluate(gradient(row, of_filter), x, w)) == expected);
  }
}

TEST_CASE("a window of a volume counts what lies in it, and its border counts for nothing") {
  const fg::tensor<float> x({1, 2, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  const fg::tensor<float> ones({2, 2, 2, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(values(evaluate([](auto a, auto b) { return fg::conv3d(a, b); }, x, ones)) ==
        std::vector<float>{36, 20, 22, 12, 26, 14, 15, 8});
}

TEST_CASE("volumes have no groups, and kernels for channels that come last") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1, 2, 2, 2, 4});
  CHECK(says(refusal(g, [&] { fg::conv3d(x, g.placeholder<float>("w", {1, 1, 1, 2, 4})); }), "that of the filter"));
  fg::graph h;
  fg::convolution_3d_attributes a = fg::attributes_of(fg::conv3d_options{});
  a.data_format = fg::volume_format::ncdhw;
  auto y = fg::conv3d(a, h.constant(counting<float>({1, 2, 2, 2, 2})), h.constant(counting<float>({1, 1, 1, 2, 3})));
  CHECK(y.shape() == fg::shape{1, 3, 2, 2, 2});
  fg::session s{h};
  const auto run = s.try_run(fg::fetch(y));
  REQUIRE_FALSE(run);
  CHECK(run.error().code() == fg::error_code::unimplemented);
  CHECK(says(run.error(), "data_format='NCDHW'"));
}

TEST_CASE("extents that no window can go along are refused") {
  fg::graph g;
  const auto sizes = g.placeholder<std::int64_t>("sizes", {5});
  const auto w = g.constant(counting<float>({1, 1, 1, 2, 3})), dy = g.placeholder<float>("dy", fg::shape::unknown());
  fg::conv3d_backprop_input_op op;
  op.strides = {1, 1, 1, 1, 1};
  const auto dx = fg::apply(op, sizes, w, dy);
  fg::session s{g};
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  const auto run =
      s.try_run(fg::fetch(dx), {{sizes, vector<std::int64_t>({1, far, 1, 1, 2})}, {dy, counting<float>({1, 1, 1, 1, 3})}});
  REQUIRE_FALSE(run);
  CHECK(run.error().code() == fg::error_code::invalid_argument);
  CHECK(says(run.error(), "too large"));
}
