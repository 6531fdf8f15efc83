#include <flowgraph/ops/kernel/interactions.hpp>

#include "levels.hpp"

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/kernel/interaction_loops.hpp>
#endif

using namespace levels;

namespace {

// A sample. Plain loops compute its interactions and its gradient.
template <class T> struct plain_sample {
  std::int64_t count, columns, linear;
  std::vector<T> rows = uniform<T>(static_cast<std::size_t>(count * columns), T(-2), T(2), 3);
  std::vector<T> values = uniform<T>(static_cast<std::size_t>(count), T(-2), T(2), 4);
  std::vector<T> dy = uniform<T>(static_cast<std::size_t>(columns), T(-2), T(2), 5);
  std::vector<T> dsquares = uniform<T>(static_cast<std::size_t>(columns), T(-2), T(2), 6);
  std::vector<T> y = {}, squares = {}, slopes = {}, with_squares = {};

  T row(std::int64_t i, std::int64_t c) const { return rows[static_cast<std::size_t>(i * columns + c)]; }
  void compute(bool weighted) {
    y.clear(), squares.clear();
    slopes.assign(rows.size(), 0), with_squares.assign(rows.size(), 0);
    for (std::int64_t c = 0; c < columns; ++c) {
      T sum = 0, pairs = 0, own = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const T w = row(i, c), x = values[static_cast<std::size_t>(i)] * w, x2 = x * x, w2 = w * w;
        sum = sum + x, pairs = pairs + x2, own = own + w2;
      }
      const T both = sum * sum, slope = dy[static_cast<std::size_t>(c)], product = slope * sum;
      y.push_back(c < linear ? sum : (both - pairs) / 2);
      squares.push_back(own / 2);
      for (std::int64_t i = 0; i < count; ++i) {
        const T value = values[static_cast<std::size_t>(i)], x = value * row(i, c), of_x = slope * x;
        const T inner = c < linear ? slope : product - of_x, outer = weighted ? value * inner : inner;
        const T more = dsquares[static_cast<std::size_t>(c)] * row(i, c);
        slopes[static_cast<std::size_t>(i * columns + c)] = outer;
        with_squares[static_cast<std::size_t>(i * columns + c)] = outer + more;
      }
    }
  }
};

template <class T> void check_interactions(kernel::instruction_set at) {
  const auto put = kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template interactions<T>; }, at);
  const auto slopes = kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template slopes<T>; }, at);
  for (const std::int64_t columns : {1, 4, 9, 16, 17, 31, 32, 65})
    for (const std::int64_t linear : {std::int64_t{0}, std::int64_t{1}, columns})
      for (const std::int64_t count : {0, 1, 7}) {
        plain_sample<T> s{count, columns, linear};
        // Rows that are given by address: each is in its own memory, after another number.
        std::vector<std::vector<T>> apart;
        std::vector<const void*> addresses;
        for (std::int64_t i = 0; i < count; ++i) {
          apart.emplace_back(static_cast<std::size_t>(columns + 1), T(9));
          for (std::int64_t c = 0; c < columns; ++c) apart.back()[static_cast<std::size_t>(c + 1)] = s.row(i, c);
        }
        for (const auto& row : apart) addresses.push_back(row.data());
        for (const bool by_address : {false, true})
          for (const bool weighted : {false, true}) {
            s.compute(weighted);
            const kernel::sample_rows<T> f{by_address ? addresses.data() : nullptr,
                                           sizeof(T),
                                           by_address ? nullptr : s.rows.data(),
                                           s.values.data(),
                                           count,
                                           columns,
                                           linear};
            std::vector<T> y(s.y.size()), squares(s.y.size()), drows(s.rows.size());
            put(f, y.data(), nullptr);
            CHECK(bits_agree(y, s.y));
            put(f, y.data(), squares.data());
            CHECK(bits_agree(y, s.y));
            CHECK(bits_agree(squares, s.squares));
            slopes(f, weighted, s.dy.data(), nullptr, drows.data());
            CHECK(drows == s.slopes);  // zeros may have another sign
            slopes(f, weighted, s.dy.data(), s.dsquares.data(), drows.data());
            CHECK(drows == s.with_squares);
          }
      }
}

// A sample with fields, some of which several features have. Plain loops compute its interactions and its gradient.
template <class T> struct plain_field_sample {
  std::int64_t count, factors, linear;
  std::int64_t columns = linear + 3 * factors, width = linear + 1;
  std::vector<std::int32_t> fields = {2, 0, 2, 1, 0};
  std::vector<T> rows = uniform<T>(static_cast<std::size_t>(count * columns), T(-2), T(2), 3);
  std::vector<T> values = uniform<T>(static_cast<std::size_t>(count), T(-2), T(2), 4);
  std::vector<T> dy = uniform<T>(static_cast<std::size_t>(width), T(-2), T(2), 5);
  std::vector<T> dsquares = uniform<T>(static_cast<std::size_t>(width), T(-2), T(2), 6);
  std::vector<T> y = {}, squares = {}, slopes = {}, with_squares = {};

  // The place of factor c of row i for the field of j.
  std::size_t place(std::int64_t i, std::int64_t j, std::int64_t c) const {
    return static_cast<std::size_t>(i * columns + linear + fields[static_cast<std::size_t>(j)] * factors + c);
  }
  void compute(bool weighted) {
    y.assign(static_cast<std::size_t>(width), 0), squares = y;
    slopes.assign(rows.size(), 0), with_squares = slopes;
    T parts[16] = {};
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t c = 0; c < columns; ++c) {
        const auto at = static_cast<std::size_t>(i * columns + c), of = static_cast<std::size_t>(std::min(c, linear));
        const T w = rows[at], value = values[static_cast<std::size_t>(i)], x = value * w, w2 = w * w;
        if (c < linear) {
          y[of] = y[of] + x, squares[of] = squares[of] + w2;
          slopes[at] = weighted ? value * dy[of] : dy[of];
        } else {
          T& part = parts[(c - linear) % 16];
          part = part + w2;
        }
        const T own = dsquares[of] * w;
        with_squares[at] = slopes[at] + own;
      }
    for (const T part : parts) squares.back() = squares.back() + part;
    for (T& x : squares) x = x / 2;
    for (std::int64_t c = 0; c < factors; ++c) y.back() = y.back() + sum_of_pairs(weighted, c);
  }
  // Also adds the slopes of the pairs.
  T sum_of_pairs(bool weighted, std::int64_t c) {
    T sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t j = i + 1; j < count; ++j) {
        const T x = values[static_cast<std::size_t>(i)], z = values[static_cast<std::size_t>(j)], product = x * z;
        const std::size_t left = place(i, j, c), right = place(j, i, c);
        const T both = rows[left] * rows[right], term = product * both;
        sum = sum + term;
        const T of_left = dy.back() * (weighted ? product : z) * rows[right];
        const T of_right = dy.back() * (weighted ? product : x) * rows[left];
        for (std::vector<T>* to : {&slopes, &with_squares}) {
          (*to)[left] = (*to)[left] + of_left;
          (*to)[right] = (*to)[right] + of_right;
        }
      }
    return sum;
  }
};

template <class T, class F> void check_field_interactions(kernel::instruction_set at) {
  const auto put =
      kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template field_interactions<T, F>; }, at);
  const auto slopes =
      kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template field_slopes<T, F>; }, at);
  for (const std::int64_t factors : {1, 3, 4, 8, 9, 16, 33})
    for (const std::int64_t linear : {0, 1, 2})
      for (const std::int64_t count : {0, 1, 5})
        for (const bool weighted : {false, true}) {
          plain_field_sample<T> s{count, factors, linear};
          s.compute(weighted);
          const std::vector<F> fields(s.fields.begin(), s.fields.end());
          std::vector<const void*> addresses;
          for (std::int64_t i = 0; i < count; ++i) addresses.push_back(s.rows.data() + i * s.columns);
          for (const bool by_address : {false, true}) {
            const kernel::sample_rows<T> f{by_address ? addresses.data() : nullptr,
                                           0,
                                           by_address ? nullptr : s.rows.data(),
                                           s.values.data(),
                                           count,
                                           s.columns,
                                           linear};
            std::vector<T> y(s.y.size()), squares(s.y.size()), drows(s.rows.size());
            put(f, fields.data(), factors, y.data(), nullptr);
            CHECK(bits_agree(y, s.y));
            put(f, fields.data(), factors, y.data(), squares.data());
            CHECK(bits_agree(y, s.y));
            CHECK(bits_agree(squares, s.squares));
            slopes(f, fields.data(), factors, weighted, s.dy.data(), nullptr, drows.data());
            CHECK(drows == s.slopes);  // zeros may have another sign
            slopes(f, fields.data(), factors, weighted, s.dy.data(), s.dsquares.data(), drows.data());
            CHECK(drows == s.with_squares);
          }
        }
}

template <class T> void check_sums(kernel::instruction_set at) {
  const auto sums = kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template sum_of_rows<T>; }, at);
  const std::vector<std::uint32_t> numbers{3, 0, 3, 1};
  for (const std::int64_t columns : {1, 5, 8, 9, 17, 64, 65, 77})
    for (const std::int64_t count : {1, 2, 4}) {
      const auto rows = uniform<T>(static_cast<std::size_t>(4 * columns), T(-2), T(2), 7);
      std::vector<T> expected, found(static_cast<std::size_t>(columns));
      for (std::int64_t c = 0; c < columns; ++c) {
        T sum = rows[static_cast<std::size_t>(3 * columns + c)];
        for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i)
          sum = sum + rows[static_cast<std::size_t>(std::int64_t{numbers[i]} * columns + c)];
        expected.push_back(sum);
      }
      sums(rows.data(), numbers.data(), count, columns, found.data());
      CHECK(bits_agree(found, expected));
    }
}

}  // namespace

TEST_CASE("interactions of pairs and their slopes have the bits of plain loops at every level") {
  for_each_level([](kernel::instruction_set at) {
    check_interactions<float>(at);
    check_interactions<double>(at);
  });
}

TEST_CASE("interactions of pairs by field and their slopes have the bits of plain loops at every level") {
  for_each_level([](kernel::instruction_set at) {
    check_field_interactions<float, std::int32_t>(at);
    check_field_interactions<float, std::int64_t>(at);
    check_field_interactions<double, std::int32_t>(at);
  });
}

TEST_CASE("rows of a matrix are summed in order, with the bits of plain sums at every level") {
  for_each_level([](kernel::instruction_set at) {
    check_sums<float>(at);
    check_sums<double>(at);
  });
}
