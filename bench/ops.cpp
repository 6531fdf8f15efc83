// Single ops on tensors that fit one cache, a shared one, and none: element-wise functions, reductions, and what moves elements.

#include "op_step.hpp"
#include "values.hpp"

#include <flowgraph/ops/math/special.hpp>
#include <flowgraph/ops/nn/batch_norm.hpp>
#include <flowgraph/ops/signal/fourier.hpp>
#include <flowgraph/ops/signal/real_fourier.hpp>
#include <flowgraph/ops/sparse/matmul.hpp>

namespace bench {

namespace {

constexpr std::int64_t square = 1000;

struct size {
  std::string_view name;
  std::int64_t elements;
};
constexpr size sizes[] = {{"1e3", 1'000}, {"1e6", 1'000'000}, {"1e7", 10'000'000}};
// Of "op_add_1e6": 1,000,000.
std::int64_t size_of(std::string_view work) {
  for (const size& s : sizes)
    if (work.ends_with(s.name)) return s.elements;
  return 0;
}

using unary = fg::out<float> (*)(fg::out<float>);
using binary = fg::out<float> (*)(fg::out<float>, fg::out<float>);

void run_unary(const options& o, std::string_view name, unary f, const fg::tensor<float>& value) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", value.shape());
  time_op(o, name, g, f(x), std::tuple{x}, value);
}
void run_binary(const options& o, std::string_view name, binary f, const fg::tensor<float>& a, const fg::tensor<float>& b) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", a.shape());
  const auto y = g.placeholder<float>("y", b.shape());
  time_op(o, name, g, f(x, y), std::tuple{x, y}, a, b);
}

template <unary F> void elementwise(const options& o, std::string_view name) {
  run_unary(o, name, F, fill(700, {size_of(name)}, 3));
}
template <binary F> void pairwise(const options& o, std::string_view name) {
  run_binary(o, name, F, fill(700, {size_of(name)}), fill(701, {size_of(name)}));
}
fg::tensor<float> matrix() { return fill(700, {square, square}); }
template <unary F> void on_square(const options& o, std::string_view name) { run_unary(o, name, F, matrix()); }

fg::out<float> plus(fg::out<float> a, fg::out<float> b) { return a + b; }
fg::out<float> times(fg::out<float> a, fg::out<float> b) { return a * b; }
fg::out<float> exponential(fg::out<float> x) { return fg::exp(x); }
fg::out<float> hyperbolic(fg::out<float> x) { return fg::tanh(x); }
fg::out<float> error_function(fg::out<float> x) { return fg::erf(x); }
fg::out<float> total(fg::out<float> x) { return fg::sum(x); }
fg::out<float> row_sums(fg::out<float> x) { return fg::sum(x, {1}); }
fg::out<float> column_sums(fg::out<float> x) { return fg::sum(x, {0}); }
fg::out<float> row_maxima(fg::out<float> x) { return fg::max(x, {1}); }
fg::out<float> average(fg::out<float> x) { return fg::mean(x); }
fg::out<float> transposed(fg::out<float> x) { return fg::transpose(x, {1, 0}); }
fg::out<float> channels_first(fg::out<float> x) { return fg::transpose(x, {0, 3, 1, 2}); }
fg::out<float> normalized(fg::out<float> x) { return fg::softmax(x); }
fg::out<float> side_by_side(fg::out<float> a, fg::out<float> b) { return fg::concat({a, b}, 1); }

fg::tensor<float> image() { return fill(700, {32, 28, 28, 64}); }

void gather(const options& o, std::string_view name) {
  constexpr std::int64_t rows = 100'000;
  fg::tensor<std::int64_t> indices({rows});
  const fg::tensor<float> drawn = fill(702, {rows});
  for (std::size_t i = 0; i < drawn.size(); ++i)
    indices.writable()[i] = static_cast<std::int64_t>(std::fabs(drawn.data()[i]) * static_cast<float>(rows)) % rows;
  fg::graph g;
  const auto x = g.placeholder<float>("x", {rows, 64});
  const auto at = g.placeholder<std::int64_t>("at", {rows});
  time_op(o, name, g, fg::gather(x, at), std::tuple{x, at}, fill(700, {rows, 64}), indices);
}

void batch_norm(const options& o, std::string_view name) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", image().shape());
  const auto scale = g.placeholder<float>("scale", {64}), offset = g.placeholder<float>("offset", {64});
  const auto none = g.constant(fg::tensor<float>({0}));
  fg::volume_batch_norm how;
  how.epsilon = 1e-3f;
  const auto y = fg::fused_batch_norm(how, x, scale, offset, none, none).y;
  time_op(o, name, g, y, std::tuple{x, scale, offset}, image(), fill(701, {64}), fill(702, {64}));
}

template <class Transform> void transform(const options& o, std::string_view name, const fg::shape& s, Transform f) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", s);
  time_op(o, name, g, f(x), std::tuple{x}, fill(700, s));
}
void lines(const options& o, std::string_view name) {
  transform(o, name, {64, 1024}, [](fg::out<float> x) { return fg::rfft(x); });
}
void plane(const options& o, std::string_view name) {
  transform(o, name, {256, 256}, [](fg::out<float> x) { return fg::rfft2d(x); });
}

template <class Transform> void complex_transform(const options& o, std::string_view name, const fg::shape& s, Transform f) {
  const fg::tensor<float> real = fill(700, s), imaginary = fill(701, s);
  fg::tensor<fg::complex64> value(s);
  for (std::size_t i = 0; i < value.size(); ++i) value.writable()[i] = {real.data()[i], imaginary.data()[i]};
  fg::graph g;
  const auto x = g.placeholder<fg::complex64>("x", s);
  time_op(o, name, g, f(x), std::tuple{x}, value);
}
void complex_lines(const options& o, std::string_view name) {
  complex_transform(o, name, {64, 1024}, [](fg::out<fg::complex64> x) { return fg::fft(x); });
}
void complex_plane(const options& o, std::string_view name) {
  complex_transform(o, name, {256, 256}, [](fg::out<fg::complex64> x) { return fg::fft2d(x); });
}

// Ten elements in each row of the sparse matrix, in the order of the places.
void sparse_product(const options& o, std::string_view name) {
  constexpr std::int64_t rows = 100'000, columns = 10'000, each = 10, width = 64;
  const fg::tensor<std::int64_t> drawn = ints(703, {rows * each}, static_cast<std::uint32_t>(columns / each));
  fg::tensor<std::int64_t> places({rows * each, 2});
  for (std::int64_t i = 0; i < rows * each; ++i) {
    const auto at = static_cast<std::size_t>(i);
    places.writable()[2 * at] = i / each;
    places.writable()[2 * at + 1] = i % each * (columns / each) + drawn.data()[at];
  }
  fg::graph g;
  const auto indices = g.placeholder<std::int64_t>("indices", places.shape());
  const auto values = g.placeholder<float>("values", {rows * each}), b = g.placeholder<float>("b", {columns, width});
  const auto y = fg::sparse_tensor_dense_matmul(
      fg::sparse_tensor<float>{indices, values, g.constant(fg::tensor<std::int64_t>({2}, {rows, columns}))}, b);
  time_op(o, name, g, y, std::tuple{indices, values, b}, places, fill(700, {rows * each}), fill(701, {columns, width}));
}

// Fresh numbers each run: the check is their mean magnitude to two digits.
void random_normal(const options& o, std::string_view name) {
  if (!o.wants(variants[0])) return;
  fg::graph g;
  const auto y = fg::random_normal<float>(g, {1'000'000});
  const auto pool = make_pool(o);
  fg::session session{g, {.pool = pool.get()}};
  auto step = session.prepare(fg::feed(), fg::fetch(y));
  const double check = std::round(100 * mean_magnitude(step())) / 100;
  measure(o, {.variant = variants[0], .work = name, .unit = "us/run"}, check, [&] { step(); });
}

#define OVER_SIZES(name, run) \
  {name "_1e3", run}, {name "_1e6", run}, { name "_1e7", run }
constexpr work works[] = {
    OVER_SIZES("op_add", pairwise<plus>),
    OVER_SIZES("op_mul", pairwise<times>),
    OVER_SIZES("op_exp", elementwise<exponential>),
    OVER_SIZES("op_tanh", elementwise<hyperbolic>),
    OVER_SIZES("op_erf", elementwise<error_function>),
    {"op_sum", on_square<total>},
    {"op_sum_rows", on_square<row_sums>},
    {"op_sum_columns", on_square<column_sums>},
    {"op_max_rows", on_square<row_maxima>},
    {"op_mean", on_square<average>},
    {"op_transpose", on_square<transposed>},
    {"op_transpose_image", [](const options& o, std::string_view w) { run_unary(o, w, channels_first, image()); }},
    {"op_gather", gather},
    {"op_concat",
     [](const options& o, std::string_view w) {
       run_binary(o, w, side_by_side, matrix(), fill(701, {square, square}));
     }},
    {"op_add_row", [](const options& o, std::string_view w) { run_binary(o, w, plus, matrix(), fill(701, {square})); }},
    {"op_add_column",
     [](const options& o, std::string_view w) {
       run_binary(o, w, plus, matrix(), fill(701, {square, 1}));
     }},
    {"op_softmax", on_square<normalized>},
    {"op_batch_norm", batch_norm},
    {"op_fft", complex_lines},
    {"op_fft2d", complex_plane},
    {"op_sparse_matmul", sparse_product},
    {"op_rfft", lines},
    {"op_rfft2d", plane},
    {"op_random_normal", random_normal},
};
#undef OVER_SIZES

}  // namespace

std::span<const work> op_works() { return works; }

}  // namespace bench
