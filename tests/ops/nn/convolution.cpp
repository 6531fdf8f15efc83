#include <flowgraph/ops/nn/convolution.hpp>

#include "../evaluate.hpp"
#include "digits.hpp"
#include "uniform.hpp"

#include <flowgraph/ops/kernel/dispatch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

using namespace ops_test;

namespace {

struct example {
  fg::shape x, filter;
  fg::conv2d_options options;
};

// Calls f(element of y, element of x, element of the filter) for every product that the definition has.
template <class F> void for_each_product(const example& e, const fg::shape& y, F&& f) {
  const auto border = [&](int axis) -> std::int64_t {
    const auto a = static_cast<std::size_t>(axis - 1);
    if (e.options.padding == fg::padding::valid) return 0;
    if (e.options.padding == fg::padding::explicit_) return e.options.paddings[2 * a];
    const std::int64_t all =
        (y[axis] - 1) * e.options.strides[a] + (e.filter[axis - 1] - 1) * e.options.dilations[a] + 1 - e.x[axis];
    return all > 0 ? all / 2 : 0;
  };
  const auto& o = e.options;
  const std::int64_t group_outputs = e.filter[3] / (e.x[3] / e.filter[2]);
  for (std::int64_t n = 0; n < y[0]; ++n)
    for (std::int64_t r = 0; r < y[1]; ++r)
      for (std::int64_t c = 0; c < y[2]; ++c)
        for (std::int64_t k = 0; k < y[3]; ++k)
          for (std::int64_t i = 0; i < e.filter[0]; ++i)
            for (std::int64_t j = 0; j < e.filter[1]; ++j)
              for (std::int64_t d = 0; d < e.filter[2]; ++d) {
                const std::int64_t row = r * o.strides[0] + i * o.dilations[0] - border(1),
                                   column = c * o.strides[1] + j * o.dilations[1] - border(2);
                if (row < 0 || row >= e.x[1] || column < 0 || column >= e.x[2]) continue;
                const std::int64_t depth = k / group_outputs * e.filter[2] + d;
                f(static_cast<std::size_t>(((n * y[1] + r) * y[2] + c) * y[3] + k),
                  static_cast<std::size_t>(((n * e.x[1] + row) * e.x[2] + column) * e.x[3] + depth),
                  static_cast<std::size_t>(((i * e.filter[1] + j) * e.filter[2] + d) * e.filter[3] + k));
              }
}

using fg::padding;
const example convolutions[] = {
    {{1, 5, 5, 1}, {3, 3, 1, 1}, {}},
    {{2, 6, 7, 3}, {3, 2, 3, 4}, {.strides = {2, 1}}},
    {{2, 6, 7, 3}, {3, 2, 3, 4}, {.strides = {1, 3}, .padding = padding::valid}},
    {{1, 9, 8, 2}, {3, 3, 2, 3}, {.dilations = {2, 3}}},
    {{1, 9, 8, 2}, {2, 3, 2, 3}, {.strides = {2, 2}, .padding = padding::valid, .dilations = {3, 2}}},
    {{1, 4, 5, 2}, {3, 3, 2, 2}, {.strides = {2, 2}, .padding = padding::explicit_, .paddings = {2, 1, 0, 3}}},
    {{2, 5, 4, 6}, {3, 3, 2, 9}, {}},
    {{2, 5, 4, 6}, {1, 1, 6, 3}, {}},
    {{2, 5, 4, 6}, {1, 1, 6, 3}, {.strides = {2, 3}}},
    {{1, 2, 2, 1}, {5, 5, 1, 2}, {}},
    {{1, 3, 3, 2}, {1, 1, 2, 2}, {.padding = padding::explicit_, .paddings = {1, 1, 1, 1}}},
    {{0, 3, 3, 2}, {2, 2, 2, 2}, {}},
    {{1, 40, 33, 20}, {5, 3, 20, 70}, {}},
    // Several images whose borders are wider than the filter reaches: whole parts are in the border.
    {{3, 6, 34, 1}, {3, 3, 1, 32}, {.padding = padding::explicit_, .paddings = {8, 0, 0, 0}}},
    {{3, 6, 34, 1}, {3, 3, 1, 32}, {.padding = padding::explicit_, .paddings = {0, 12, 0, 0}}},
    {{3, 5, 20, 9}, {2, 3, 9, 5}, {.padding = padding::explicit_, .paddings = {7, 9, 1, 4}}},
};

template <class T> std::vector<T> zeros_of(const fg::shape& s) {
  return std::vector<T>(static_cast<std::size_t>(s.size()), T(0));
}

// Adds to c the sum of products in the order of k that every product keeps.
template <class T> void add_chain(const std::vector<T>& a, const std::vector<T>& b, bool accumulate, T& c) {
  namespace kernel = fg::kernel;
  const std::int64_t k = static_cast<std::int64_t>(a.size());
  const kernel::product_shape shape{1, 1, k, k, 1, 1, false, false, accumulate};
  std::vector<T> scratch(
      static_cast<std::size_t>(kernel::dispatch([]<class L>(L) { return &L::template product_scratch<T>; })(shape)));
  kernel::dispatch([]<class L>(L) { return &L::template product<T>; })(shape, a.data(), b.data(), &c, scratch.data());
}

// Convolves with the product of copied windows, zeros in the border: the order that every path keeps.
template <class T>
std::vector<T> by_windows(const example& e, const fg::shape& y, const fg::tensor<T>& x, const fg::tensor<T>& w) {
  const std::size_t inner = static_cast<std::size_t>(e.filter[0] * e.filter[1] * e.filter[2]),
                    outputs = static_cast<std::size_t>(e.filter[3]);
  std::vector<std::vector<T>> rows(static_cast<std::size_t>(y.size()));
  for_each_product(e, y, [&](std::size_t at_y, std::size_t at_x, std::size_t at_w) {
    auto& row = rows[at_y];
    row.resize(inner);
    row[at_w / outputs] = x[at_x];
  });
  std::vector<T> made(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].resize(inner);
    std::vector<T> column(inner);
    for (std::size_t q = 0; q < inner; ++q) column[q] = w[q * outputs + i % outputs];
    add_chain(rows[i], column, false, made[i]);
  }
  return made;
}

// The gradient of the images: for each element, the sums over the outputs of one pixel after the other.
template <class T>
std::vector<T> images_by_pixels(const example& e, const fg::shape& y, const fg::tensor<T>& dy, const fg::tensor<T>& w) {
  std::map<std::array<std::size_t, 3>, std::pair<std::vector<T>, std::vector<T>>>
      sums;  // by element of x, pixel and row of the filter
  const auto outputs = static_cast<std::size_t>(e.filter[3]);
  for_each_product(e, y, [&](std::size_t at_y, std::size_t at_x, std::size_t at_w) {
    auto& [slopes, weights] = sums[{at_x, at_y / outputs, at_w / outputs}];
    slopes.push_back(dy[at_y]);
    weights.push_back(w[at_w]);
  });
  std::vector<T> made(static_cast<std::size_t>(e.x.size()), T(0));
  for (const auto& [at, terms] : sums) {
    T sum{};
    add_chain(terms.first, terms.second, false, sum);
    made[at[0]] = made[at[0]] + sum;
  }
  return made;
}

// The gradient of the filter: blocks of pixels one after the other, zeros in the border. For few pixels, which are one segment.
template <class T>
std::vector<T> filter_by_blocks(const example& e, const fg::shape& y, const fg::tensor<T>& x, const fg::tensor<T>& dy) {
  const std::int64_t inner = e.filter[0] * e.filter[1] * e.filter[2], outputs = e.filter[3], pixels = y.size() / outputs;
  const std::int64_t parts = std::clamp<std::int64_t>((9 * pixels * outputs * e.x[3]) >> 20, 1, 16);
  const std::int64_t slice = std::clamp<std::int64_t>(((inner + parts - 1) / parts + 47) / 48 * 48, 96, 1024);
  std::vector<std::vector<T>> windows(static_cast<std::size_t>(inner * outputs),
                                      std::vector<T>(static_cast<std::size_t>(pixels)));
  for_each_product(e, y, [&](std::size_t at_y, std::size_t at_x, std::size_t at_w) {
    windows[at_w][at_y / static_cast<std::size_t>(outputs)] = x[at_x];
  });
  std::vector<T> made(windows.size());
  for (std::size_t at = 0; at < windows.size(); ++at) {
    const std::int64_t row = static_cast<std::int64_t>(at) / outputs, width = std::min(slice, inner - row / slice * slice);
    const std::int64_t block =
        std::clamp<std::int64_t>(524288 / (width * static_cast<std::int64_t>(sizeof(T))) / 64 * 64, 64, 1024);
    for (std::int64_t first = 0; first < pixels; first += block) {
      std::vector<T> a, b;
      for (std::int64_t p = first; p < std::min(first + block, pixels); ++p) {
        a.push_back(windows[at][static_cast<std::size_t>(p)]);
        b.push_back(dy[static_cast<std::size_t>(p * outputs) + at % static_cast<std::size_t>(outputs)]);
      }
      add_chain(a, b, first > 0, made[at]);
    }
  }
  return made;
}

template <class T> bool agree(const fg::tensor<T>& a, const std::vector<T>& b) {
  bool equal = a.size() == b.size();
  for (std::size_t i = 0; equal && i < b.size(); ++i)
    equal = (std::isnan(a[i]) && std::isnan(b[i])) || std::memcmp(&a[i], &b[i], sizeof(T)) == 0;
  return equal;
}

// Few and many images, few and many channels, columns that fill the panels of a product and others, one block of k and several,
// groups.
const example odd_examples[] = {
    {{1, 9, 11, 1}, {5, 5, 1, 33}, {}},
    {{13, 5, 7, 3}, {3, 3, 3, 17}, {.strides = {2, 1}}},
    {{2, 9, 8, 7}, {3, 4, 7, 8}, {.strides = {1, 2}, .padding = padding::valid}},
    {{1, 9, 11, 8}, {3, 3, 8, 33}, {}},
    {{13, 4, 5, 17}, {3, 3, 17, 23}, {}},
    {{14, 4, 4, 33}, {3, 3, 33, 50}, {.strides = {2, 2}}},
    {{1, 9, 10, 33}, {3, 3, 33, 17}, {.dilations = {2, 3}}},
    {{3, 8, 9, 20}, {2, 5, 20, 32}, {.strides = {3, 1}, .padding = padding::explicit_, .paddings = {4, 1, 0, 6}}},
    {{1, 7, 7, 40}, {3, 3, 20, 48}, {}},
    {{1, 30, 20, 9}, {1, 1, 9, 5}, {.strides = {2, 2}}},
    {{1, 5, 6, 72}, {3, 3, 72, 20}, {}},
    {{3, 10, 9, 24}, {3, 3, 24, 16}, {.strides = {2, 3}}},
    {{2, 12, 13, 17}, {2, 4, 17, 25}, {.padding = padding::explicit_, .paddings = {0, 5, 3, 2}, .dilations = {3, 1}}},
    {{1, 3, 4, 32}, {2, 2, 32, 260}, {}},
    {{1, 14, 14, 8}, {3, 3, 8, 17}, {}},
    {{1, 21, 20, 8}, {1, 2, 8, 17}, {.padding = padding::valid}},
};

// Convolutions of few channels, for which the kernel copies lines: several blocks of pixels, of lines and of the inner extent;
// windows in the border; images that share a block.
const example line_examples[] = {
    {{1, 29, 28, 1}, {5, 5, 1, 6}, {}},
    {{3, 9, 8, 1}, {3, 2, 1, 20}, {.strides = {2, 1}}},
    {{1, 21, 30, 3}, {3, 3, 3, 32}, {.strides = {2, 2}}},
    {{2, 15, 16, 3}, {7, 7, 3, 64}, {.strides = {2, 3}, .padding = padding::valid}},
    {{2, 4, 5, 2}, {3, 3, 2, 20}, {.padding = padding::explicit_, .paddings = {4, 3, 5, 2}}},
    {{2, 7, 5, 5}, {9, 11, 5, 32}, {}},
    {{2, 11, 9, 7}, {3, 4, 7, 24}, {.strides = {1, 2}, .dilations = {3, 1}}},
    {{1, 3, 2, 4}, {2, 3, 4, 17}, {.strides = {5, 4}, .padding = padding::explicit_, .paddings = {9, 9, 9, 9}}},
};

}  // namespace

TEST_CASE_TEMPLATE("a convolution has the bits of a product with copied windows", T, float, double) {
  for (const example& e : odd_examples) {
    CAPTURE(to_string(e.x));
    CAPTURE(to_string(e.filter));
    const auto x = uniform<T>(e.x, 1);
    auto w = uniform<T>(e.filter, 2);
    const auto f = [&](auto a, auto b) { return fg::conv2d(a, b, e.options); };
    const auto y = evaluate(f, x, w);
    CHECK(agree(y, by_windows(e, y.shape(), x, w)));
    // An infinite weight multiplied by a zero of the border is NaN.
    w.writable()[w.size() / 2] = std::numeric_limits<T>::infinity();
    CHECK(agree(evaluate(f, x, w), by_windows(e, y.shape(), x, w)));
    // Products that vanish leave zeros of either sign.
    const double tiny = std::is_same_v<T, float> ? 1e-30 : 1e-200;
    const auto low = uniform<T>(e.x, 3, tiny), small = uniform<T>(e.filter, 4, tiny);
    CHECK(agree(evaluate(f, low, small), by_windows(e, y.shape(), low, small)));
  }
}

TEST_CASE_TEMPLATE("a convolution of few channels has the bits of a product with copied windows", T, float, double) {
  for (const example& e : line_examples) {
    CAPTURE(to_string(e.x));
    CAPTURE(to_string(e.filter));
    auto x = uniform<T>(e.x, 1);
    auto w = uniform<T>(e.filter, 2);
    const auto f = [&](auto a, auto b) { return fg::conv2d(a, b, e.options); };
    const auto y = evaluate(f, x, w);
    CHECK(agree(y, by_windows(e, y.shape(), x, w)));
    // Elements at the borders of an image are not finite.
    x.writable()[0] = std::numeric_limits<T>::infinity();
    x.writable()[x.size() - 1] = std::numeric_limits<T>::quiet_NaN();
    CHECK(agree(evaluate(f, x, w), by_windows(e, y.shape(), x, w)));
    // An infinite weight multiplied by a zero of the border is NaN.
    w.writable()[0] = -std::numeric_limits<T>::infinity();
    CHECK(agree(evaluate(f, x, w), by_windows(e, y.shape(), x, w)));
    const double tiny = std::is_same_v<T, float> ? 1e-30 : 1e-200;
    const auto low = uniform<T>(e.x, 3, tiny), small = uniform<T>(e.filter, 4, tiny);
    CHECK(agree(evaluate(f, low, small), by_windows(e, y.shape(), low, small)));
  }
}

TEST_CASE_TEMPLATE("the gradients of a convolution have the bits of products of pixels", T, float, double) {
  for (const example& e : odd_examples) {
    CAPTURE(to_string(e.x));
    CAPTURE(to_string(e.filter));
    const auto x = uniform<T>(e.x, 1);
    const auto w = uniform<T>(e.filter, 2);
    const auto f = [&](auto a, auto b) { return fg::conv2d(a, b, e.options); };
    const auto slope = [&](bool of_x) {
      return [&, of_x](auto a, auto b, auto d) {
        auto loss = fg::sum(f(a, b) * d);
        return fg::out<T>(of_x ? fg::gradients(loss, a) : fg::gradients(loss, b));
      };
    };
    const fg::shape y = evaluate(f, x, w).shape();
    auto dy = uniform<T>(y, 3);
    CHECK(agree(evaluate(slope(true), x, w, dy), images_by_pixels(e, y, dy, w)));
    CHECK(agree(evaluate(slope(false), x, w, dy), filter_by_blocks(e, y, x, dy)));
    dy.writable()[dy.size() / 2] = std::numeric_limits<T>::infinity();
    CHECK(agree(evaluate(slope(false), x, w, dy), filter_by_blocks(e, y, x, dy)));
    const double tiny = std::is_same_v<T, float> ? 1e-30 : 1e-200;
    const auto low = uniform<T>(e.x, 4, tiny), slight = uniform<T>(y, 5, tiny);
    CHECK(agree(evaluate(slope(false), low, w, slight), filter_by_blocks(e, y, low, slight)));
  }
}

TEST_CASE_TEMPLATE("convolutions and both gradients are what the definition says", T, float, double) {
  for (const example& e : convolutions) {
    CAPTURE(to_string(e.x));
    CAPTURE(to_string(e.filter));
    const auto x = digits<T>(e.x, 1), w = digits<T>(e.filter, 2);
    const auto y = evaluate([&](auto a, auto b) { return fg::conv2d(a, b, e.options); }, x, w);
    const auto dy = digits<T>(y.shape(), 3);
    const auto slope = [&](bool of_x) {
      return [&, of_x](auto a, auto b, auto d) {
        auto loss = fg::sum(fg::conv2d(a, b, e.options) * d);
        return fg::out<T>(of_x ? fg::gradients(loss, a) : fg::gradients(loss, b));
      };
    };
    auto expected_y = zeros_of<T>(y.shape()), expected_dx = zeros_of<T>(e.x), expected_dw = zeros_of<T>(e.filter);
    for_each_product(e, y.shape(), [&](std::size_t at_y, std::size_t at_x, std::size_t at_w) {
      expected_y[at_y] += x[at_x] * w[at_w];
      expected_dx[at_x] += dy[at_y] * w[at_w];
      expected_dw[at_w] += dy[at_y] * x[at_x];
    });
    CHECK(values(y) == expected_y);
    CHECK(values(evaluate(slope(true), x, w, dy)) == expected_dx);
    CHECK(values(evaluate(slope(false), x, w, dy)) == expected_dw);
  }
}

TEST_CASE("other element types go the same way") {
  const example e{{2, 6, 7, 3}, {3, 2, 3, 4}, {.strides = {2, 1}}};
  const auto y = evaluate([&](auto a, auto b) { return fg::conv2d(a, b, e.options); }, digits(e.x, 1), digits(e.filter, 2));
  const auto same = [&]<class T>(T) {
    const auto z =
        evaluate([&](auto a, auto b) { return fg::conv2d(a, b, e.options); }, digits<T>(e.x, 1), digits<T>(e.filter, 2));
    bool equal = z.shape() == y.shape();
    for (std::size_t i = 0; equal && i < y.size(); ++i) equal = static_cast<float>(z[i]) == y[i];
    return equal;
  };
  CHECK(same(std::int32_t{}));
  CHECK(same(fg::half{}));
  const auto slope = [&](auto a, auto b) {
    return fg::cast<float>(fg::out<std::type_identity_t<fg::half>>(fg::gradients(fg::sum(fg::conv2d(a, b, e.options)), b)));
  };
  const auto ones =
      evaluate([&](auto a, auto b) { return fg::out<float>(fg::gradients(fg::sum(fg::conv2d(a, b, e.options)), b)); },
               digits(e.x, 1), digits(e.filter, 2));
  CHECK(values(evaluate(slope, digits<fg::half>(e.x, 1), digits<fg::half>(e.filter, 2))) == values(ones));
}

TEST_CASE("any number of threads gives the same bits, for one image and for many, few channels and many") {
  struct sizes {
    fg::shape x, filter;
  };
  const sizes cases[]{{{1, 60, 50, 3}, {5, 5, 3, 32}}, {{20, 17, 19, 8}, {3, 3, 8, 24}}, {{2, 9, 9, 64}, {3, 3, 64, 130}}};
  for (const sizes& z : cases) {
    fg::tensor<float> x(z.x), w(z.filter);
    float next = 0.3f;
    for (float& e : x.writable()) e = next = next * 1.37f - static_cast<float>(static_cast<int>(next * 1.37f)) + 0.013f;
    for (float& e : w.writable()) e = next = next * 1.73f - static_cast<float>(static_cast<int>(next * 1.73f)) + 0.017f;
    const auto all = [](auto a, auto b) {
      auto y = fg::conv2d(a, b, {.strides = {1, 2}});
      auto [da, db] = fg::gradients(fg::sum(fg::square(y)), a, b);
      const auto flat = [](const auto& o) { return fg::reshape(fg::out<float>(o), {-1}); };
      return fg::concat({flat(y), flat(da), flat(db)}, 0);
    };
    const auto alone = evaluate(all, x, w);
    for (const int threads : {2, 5}) {
      fg::thread_pool pool(threads);
      CHECK(same_bits(alone, evaluate_once(true, {.pool = &pool}, all, x, w)));
    }
  }
}

TEST_CASE("a convolution is linear in each input: its second derivatives mix them") {
  const auto x = digits({1, 4, 4, 2}, 1), w = digits({3, 3, 2, 2}, 2), v = digits({1, 4, 4, 2}, 3);
  // d/dw of <v, d/dx sum(conv(x, w))> is the gradient of sum(conv(v, w)).
  const auto mixed = [](auto a, auto b, auto c) {
    fg::out<float> dx = fg::gradients(fg::sum(fg::conv2d(a, b)), a);
    return fg::out<float>(fg::gradients(fg::sum(dx * c), b));
  };
  const auto plain = [](auto, auto b, auto c) { return fg::out<float>(fg::gradients(fg::sum(fg::conv2d(c, b)), b)); };
  CHECK(values(evaluate(mixed, x, w, v)) == values(evaluate(plain, x, w, v)));
  const auto mixed_back = [](auto a, auto b, auto c) {
    fg::out<float> dw = fg::gradients(fg::sum(fg::conv2d(a, b)), b);
    return fg::out<float>(fg::gradients(fg::sum(dw * c), a));
  };
  const auto plain_back = [](auto a, auto, auto c) { return fg::out<float>(fg::gradients(fg::sum(fg::conv2d(a, c)), a)); };
  const auto u = digits({3, 3, 2, 2}, 4);
  CHECK(values(evaluate(mixed_back, x, w, u)) == values(evaluate(plain_back, x, w, u)));
}

TEST_CASE("attributes and shapes that make no convolution are refused") {
  const auto refused = [](const fg::shape& x, const fg::shape& filter, const fg::conv2d_options& options) {
    fg::graph g;
    return refusal(g, [&] { fg::conv2d(g.placeholder<float>("x", x), g.placeholder<float>("w", filter), options); });
  };
  CHECK(says(refused({1, 4, 4, 3}, {3, 3, 2, 4}, {}), "a multiple of that of the filter"));
  CHECK(says(refused({1, 4, 4, 0}, {3, 3, 2, 4}, {}), "a multiple of that of the filter"));
  CHECK(says(refused({1, 4, 4, 4}, {3, 3, 2, 3}, {}), "groups of channels"));
  CHECK(says(refused({1, 2, 4, 3}, {5, 3, 3, 4}, {.padding = padding::valid}), "a window of 5 does not fit into an extent of 2"));
  CHECK(says(refused({1, 4, 4, 3}, {3, 3, 3, 4}, {.strides = {0, 1}}), "strides must be 4 positive numbers"));
  CHECK(says(refused({4, 4, 3}, {3, 3, 3, 4}, {}), "4 axes"));
  fg::graph g;
  fg::convolution_attributes a = fg::attributes_of(fg::conv2d_options{});
  a.data_format = fg::data_format::nchw;
  auto y = fg::conv2d(a, g.constant(digits({1, 3, 4, 5}, 1)), g.constant(digits({2, 2, 3, 6}, 2)));
  CHECK(y.shape() == fg::shape{1, 6, 4, 5});
  fg::session s{g};
  const auto run = s.try_run(fg::fetch(y));
  REQUIRE_FALSE(run);
  CHECK(run.error().code() == fg::error_code::unimplemented);
  CHECK(says(run.error(), "data_format='NCHW'"));
  const auto none = fg::conv2d(a, g.constant(fg::tensor<float>({0, 3, 4, 5})), g.constant(digits({2, 2, 3, 6}, 2)));
  CHECK(fg::session(g).run(fg::fetch(none)).shape() == fg::shape{0, 6, 4, 5});
}
