#include <flowgraph/ops/shared/element_program.hpp>

#include <flowgraph/ops/kernel/dispatch.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

namespace fg = flowgraph;
using fg::detail::program_call;
using fg::detail::program_value;

namespace {

template <class F> constexpr std::uint8_t number_of_functor() {
  return static_cast<std::uint8_t>(fg::functor::grouped_numbers::of<F>());
}

// (2 - (x * row + x)) / 0.5 with the sum kept, by a program and element by element. `in_place`: the result is written over x.
void check_program(std::int64_t rows, std::int64_t row, bool in_place) {
  CAPTURE(rows);
  CAPTURE(row);
  const auto size = static_cast<std::size_t>(rows * row);
  std::vector<float> x(size), y(size + 1, -77.f), factors(static_cast<std::size_t>(row)), expected(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = static_cast<float>(i % 251) * 0.25f - 20;
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = static_cast<float>(i % 17) * 0.5f - 2;
  for (std::size_t i = 0; i < size; ++i) {
    const float product = x[i] * factors[i % factors.size()], sum = product + x[i];
    expected[i] = (2 - sum) * sum / 0.5f;
  }
  float two = 2, half = 0.5f;
  float* const to = in_place ? x.data() : y.data();
  using form = program_value::form;
  const program_value values[]{
      {x.data(), form::array}, {factors.data(), form::row}, {}, {}, {&two, form::number}, {}, {}, {&half, form::number},
      {to, form::array}};
  const program_call calls[]{{number_of_functor<fg::functor::mul>(), false, false, 0, 1, 2},
                             {number_of_functor<fg::functor::add>(), false, true, 2, 0, 3},
                             {number_of_functor<fg::functor::sub>(), false, false, 4, 3, 5},
                             {number_of_functor<fg::functor::mul>(), false, false, 5, 3, 6},
                             {number_of_functor<fg::functor::div>(), false, false, 6, 7, 8}};
  fg::detail::run_element_program({values, calls, rows, row});
  CHECK(std::memcmp(to, expected.data(), size * sizeof(float)) == 0);
  CHECK(y.back() == -77.f);
}

// relu(column - x * column) + row by a program and element by element.
void check_columns(std::int64_t rows, std::int64_t row) {
  CAPTURE(rows);
  CAPTURE(row);
  const auto size = static_cast<std::size_t>(rows * row);
  std::vector<float> x(size), y(size + 1, -77.f), column(static_cast<std::size_t>(rows)), offsets(static_cast<std::size_t>(row));
  for (std::size_t i = 0; i < size; ++i) x[i] = static_cast<float>(i % 251) * 0.25f - 20;
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = static_cast<float>(i % 13) * 0.75f - 3;
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<float>(i % 17) * 0.5f - 2;
  using form = program_value::form;
  const program_value values[]{{x.data(), form::array},     {column.data(), form::column}, {}, {}, {},
                               {offsets.data(), form::row}, {y.data(), form::array}};
  const program_call calls[]{{number_of_functor<fg::functor::mul>(), false, false, 0, 1, 2},
                             {number_of_functor<fg::functor::sub>(), false, false, 1, 2, 3},
                             {number_of_functor<fg::functor::relu>(), true, false, 3, 3, 4},
                             {number_of_functor<fg::functor::add>(), false, false, 4, 5, 6}};
  fg::detail::run_element_program({values, calls, rows, row});
  for (std::size_t i = 0; i < size; ++i) {
    const float number = column[i / offsets.size()], product = x[i] * number, rest = number - product;
    CHECK(y[i] == (rest > 0 ? rest : 0.f) + offsets[i % offsets.size()]);
  }
  CHECK(y.back() == -77.f);
}

// y = s * row + x, where s = (x - mean) / sqrt(sum + 1), and `sum` adds up the squares of x - mean; then z = (y - mean) * s with the
// mean of y, and the sums of x. With `has_memory`, the differences and their mean are also written.
void check_reduced_rows(std::int64_t rows, std::int64_t row, bool has_memory) {
  CAPTURE(rows);
  CAPTURE(row);
  const auto size = static_cast<std::size_t>(rows * row), width = static_cast<std::size_t>(row);
  std::vector<float> x(size), y(size + 1, -77.f), differences(size + 1, -77.f), factors(width);
  std::vector<float> z(size + 1, -77.f), means(static_cast<std::size_t>(rows) + 1, -77.f), last = means, sums = means;
  for (std::size_t i = 0; i < size; ++i) x[i] = static_cast<float>(i * i % 2503) * 0.013f - 7;
  for (std::size_t i = 0; i < width; ++i) factors[i] = static_cast<float>(i % 17) * 0.3f - 2;
  float one = 1;
  using form = program_value::form;
  const form number = rows == 1 ? form::number : form::column;
  const auto kept = [&](std::vector<float>& v, form kind) {
    return has_memory ? program_value{v.data(), kind} : program_value{};
  };
  program_value values[]{{x.data(), form::array},
                         kept(means, number),
                         kept(differences, form::array),
                         {},
                         {nullptr, number},
                         {&one, form::number},
                         {nullptr, number},
                         {nullptr, number},
                         {},
                         {factors.data(), form::row},
                         {},
                         {y.data(), form::array},
                         {last.data(), number},
                         {},
                         {z.data(), form::array},
                         {sums.data(), number}};
  values[1].kind = number;
  const program_call calls[]{{program_call::row_mean, true, true, 0, 0, 1},
                             {number_of_functor<fg::functor::sub>(), false, true, 0, 1, 2},
                             {number_of_functor<fg::functor::square>(), true, false, 2, 2, 3},
                             {program_call::row_sum, true, false, 3, 3, 4},
                             {number_of_functor<fg::functor::add>(), false, false, 5, 4, 6},
                             {number_of_functor<fg::functor::rsqrt>(), true, true, 6, 6, 7},
                             {number_of_functor<fg::functor::mul>(), false, true, 7, 2, 8},
                             {number_of_functor<fg::functor::mul>(), false, false, 8, 9, 10},
                             {number_of_functor<fg::functor::add>(), false, true, 10, 0, 11},
                             {program_call::row_mean, true, false, 11, 11, 12},
                             {number_of_functor<fg::functor::sub>(), false, false, 11, 12, 13},
                             {number_of_functor<fg::functor::mul>(), false, false, 13, 8, 14},
                             {program_call::row_sum, true, false, 0, 0, 15}};
  fg::detail::run_element_program({values, calls, rows, row});

  const auto sum = fg::kernel::dispatch([]<class L>(L) { return &L::template sum<float>; });
  const auto root = fg::kernel::unary_loop<fg::functor::rsqrt, float>(fg::kernel::level());
  std::vector<float> difference(width), square(width), scaled(width), expected(width), expected_z(width);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    const float* const from = x.data() + r * width;
    const float mean = sum(from, row) / static_cast<float>(row);
    for (std::size_t i = 0; i < width; ++i) difference[i] = from[i] - mean, square[i] = difference[i] * difference[i];
    float factor = 1 + sum(square.data(), row);
    root(&factor, &factor, 1);
    for (std::size_t i = 0; i < width; ++i) {
      scaled[i] = factor * difference[i];
      const float product = scaled[i] * factors[i];
      expected[i] = product + from[i];
    }
    const float made = sum(expected.data(), row) / static_cast<float>(row);
    for (std::size_t i = 0; i < width; ++i) expected_z[i] = (expected[i] - made) * scaled[i];
    CHECK(std::memcmp(y.data() + r * width, expected.data(), width * sizeof(float)) == 0);
    CHECK(std::memcmp(z.data() + r * width, expected_z.data(), width * sizeof(float)) == 0);
    CHECK(last[r] == made);
    CHECK(sums[r] == sum(from, row));
    if (!has_memory) continue;
    CHECK(means[r] == mean);
    CHECK(std::memcmp(differences.data() + r * width, difference.data(), width * sizeof(float)) == 0);
  }
  for (const auto* end : {&y.back(), &z.back(), &differences.back(), &means.back(), &last.back(), &sums.back()})
    CHECK(*end == -77.f);
}

}  // namespace

TEST_CASE("element program: rows that are reduced, with and without memory for intermediate values") {
  for (const bool has_memory : {false, true})
    for (const std::int64_t row : {128, 384, 768, 1024})
      for (const std::int64_t rows : {1, 2, 3, 8, 9, 37}) check_reduced_rows(rows, row, has_memory);
}

TEST_CASE("element program: a column has one number per row") {
  for (const std::int64_t row : {1, 7, 31, 128, 144, 513})
    for (const std::int64_t rows : {1, 2, 5, 37}) check_columns(rows, row);
}

TEST_CASE("element program: rows of any length, in place and beside their operands") {
  for (const bool in_place : {false, true})
    for (const std::int64_t row : {1, 7, 24, 31, 96, 128, 144, 500, 513, 1000, 3000})
      for (const std::int64_t rows : {1, 2, 5, 37}) check_program(rows, row, in_place);
}
