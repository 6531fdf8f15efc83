#include <flowgraph/ops/nn/depthwise.hpp>

#include "../evaluate.hpp"
#include "uniform.hpp"

#include <array>
#include <cstring>

using namespace ops_test;

namespace {

// The definition, with plain loops in the order that every kernel keeps: taps by rows and columns, then the outputs of a channel;
// for the filter, pixels.
template <class T> struct plain_depthwise {
  std::vector<T> y, dx, dw;

  plain_depthwise(const fg::tensor<T>& x, const fg::tensor<T>& w, const fg::tensor<T>& dy, const fg::conv2d_options& o)
      : y(dy.size()), dx(x.size()), dw(w.size()) {
    const fg::shape xs = x.shape(), ws = w.shape(), ys = dy.shape();
    const auto border = [&](int axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (o.padding != fg::padding::same) return o.padding == fg::padding::valid ? 0 : o.paddings[2 * a];
      const std::int64_t all = (ys[axis + 1] - 1) * o.strides[a] + (ws[axis] - 1) * o.dilations[a] + 1 - xs[axis + 1];
      return all > 0 ? all / 2 : 0;
    };
    const auto flat = [](const fg::shape& s, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
      return static_cast<std::size_t>(((a * s[1] + b) * s[2] + c) * s[3] + d);
    };
    const std::int64_t top = border(0), left = border(1), multiplier = ws[3];
    // Calls f with the places in y, x and w of each product of the tap (i, j) and the output pixel (n, r, c).
    const auto tap = [&](std::int64_t i, std::int64_t j, std::int64_t n, std::int64_t r, std::int64_t c, auto&& f) {
      const std::int64_t row = r * o.strides[0] + i * o.dilations[0] - top, column = c * o.strides[1] + j * o.dilations[1] - left;
      if (row < 0 || row >= xs[1] || column < 0 || column >= xs[2]) return;
      for (std::int64_t d = 0; d < xs[3]; ++d)
        for (std::int64_t m = 0; m < multiplier; ++m)
          f(flat(ys, n, r, c, d * multiplier + m), flat(xs, n, row, column, d), flat(ws, i, j, d, m));
    };
    const auto taps = [&](auto&& f) {
      for (std::int64_t i = 0; i < ws[0]; ++i)
        for (std::int64_t j = 0; j < ws[1]; ++j) f(i, j);
    };
    const auto pixels = [&](auto&& f) {
      for (std::int64_t n = 0; n < ys[0]; ++n)
        for (std::int64_t r = 0; r < ys[1]; ++r)
          for (std::int64_t c = 0; c < ys[2]; ++c) f(n, r, c);
    };
    pixels([&](auto... pixel) {
      taps([&](auto i, auto j) {
        tap(i, j, pixel..., [&](std::size_t at_y, std::size_t at_x, std::size_t at_w) {
          const T product = x[at_x] * w[at_w], slope = x[at_x] * dy[at_y];
          y[at_y] = y[at_y] + product;
          dw[at_w] = dw[at_w] + slope;
        });
      });
    });
    taps([&](auto i, auto j) {
      pixels([&](auto... pixel) {
        tap(i, j, pixel..., [&](std::size_t at_y, std::size_t at_x, std::size_t at_w) {
          const T product = dy[at_y] * w[at_w];
          dx[at_x] = dx[at_x] + product;
        });
      });
    });
  }
};

template <class T> bool bits_of(const fg::tensor<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (b.empty() || std::memcmp(a.data(), b.data(), b.size() * sizeof(T)) == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("a depthwise convolution and its gradients have the bits of plain loops", T, float, double) {
  const fg::conv2d_options options[] = {
      {},
      {.strides = {2, 1}, .padding = fg::padding::valid},
      {.strides = {1, 2}, .dilations = {1, 2}},
      {.strides = {2, 3}, .padding = fg::padding::explicit_, .paddings = {2, 1, 3, 0}},
      {.padding = fg::padding::explicit_, .paddings = {0, 3, 2, 4}, .dilations = {3, 1}},
  };
  for (const std::int64_t depth : {1, 3, 7, 8, 17, 33, 130})
    for (const std::int64_t multiplier : {1, 2, 3, 8}) {
      if (depth * multiplier > 300) continue;
      for (const auto& [rows, columns] : {std::array{3, 3}, {2, 5}, {1, 4}})
        for (const fg::conv2d_options& o : options) {
          const auto x = uniform<T>({2, 9, 11, depth}, 1), w = uniform<T>({rows, columns, depth, multiplier}, 2);
          const auto forward = [&](auto a, auto b) { return fg::depthwise_conv2d(a, b, o); };
          const auto y = evaluate(forward, x, w);
          const auto dy = uniform<T>(y.shape(), 3);
          const auto slope = [&](bool of_x) {
            return [&, of_x](auto a, auto b, auto d) {
              auto loss = fg::sum(forward(a, b) * d);
              return fg::out<T>(of_x ? fg::gradients(loss, a) : fg::gradients(loss, b));
            };
          };
          const plain_depthwise<T> plain(x, w, dy, o);
          CAPTURE(depth);
          CAPTURE(multiplier);
          CHECK(bits_of(y, plain.y));
          CHECK(bits_of(evaluate(slope(true), x, w, dy), plain.dx));
          CHECK(bits_of(evaluate(slope(false), x, w, dy), plain.dw));
        }
    }
}

TEST_CASE("a depthwise convolution is one whose groups are the channels") {
  for (const std::int64_t multiplier : {1, 3}) {
    const std::int64_t depth = 50;  // more outputs than are summed together
    const auto x = counting<double>({2, 6, 11, depth});
    const auto w = counting<double>({3, 2, depth, multiplier});
    for (const auto& [rows, columns, dilation] : {std::array{1, 1, 2}, {2, 1, 1}, {1, 2, 1}, {2, 3, 1}}) {
      const fg::conv2d_options o{.strides = {rows, columns}, .padding = fg::padding::same, .dilations = {1, dilation}};
      const auto own = [o](auto a, auto b) { return fg::depthwise_conv2d(a, b, o); };
      const auto groups = [&](auto a, auto b) {
        return fg::conv2d(a, fg::reshape(b, fg::shape{3, 2, 1, depth * multiplier}), o);
      };
      const auto gradient = [](const auto& f, bool of_filter) {
        return [&f, of_filter](auto a, auto b) { return fg::out<double>(fg::gradients(fg::sum(f(a, b)), of_filter ? b : a)); };
      };
      CHECK(values(evaluate(own, x, w)) == values(evaluate(groups, x, w)));
      for (const bool of_filter : {false, true})
        CHECK(values(evaluate(gradient(own, of_filter), x, w)) == values(evaluate(gradient(groups, of_filter), x, w)));
    }
  }
}

TEST_CASE("borders can be given") {
  const fg::tensor<float> x({1, 1, 2, 1}, {1, 2}), w({1, 2, 1, 2}, {1, 10, 100, 1000});
  const auto f = [](auto a, auto b) {
    return fg::depthwise_conv2d(a, b, {.padding = fg::padding::explicit_, .paddings = {0, 0, 1, 0}});
  };
  CHECK(values(evaluate(f, x, w)) == std::vector<float>{100, 1000, 201, 2010});
}

TEST_CASE("a filter of another depth is refused") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1, 3, 3, 4});
  CHECK(says(refusal(g, [&] { fg::depthwise_conv2d(x, g.placeholder<float>("w", {2, 2, 2, 1})); }), "that of the filter"));
}
