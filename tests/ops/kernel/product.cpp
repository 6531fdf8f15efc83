#include "levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace levels;

namespace {

// Matrices in memory that is a little wider than they are, so that a step is never the width.
template <class T> struct problem {
  kernel::product_shape shape;
  std::vector<T> a, b, c;

  problem(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_a, bool transpose_b, bool accumulate, T unset)
      : shape{m, n, k, (transpose_a ? m : k) + 3, (transpose_b ? k : n) + 1, n + 2, transpose_a, transpose_b, accumulate},
        a(uniform<T>(static_cast<std::size_t>((transpose_a ? k : m) * shape.lda), T(-1), T(1), 1)),
        b(uniform<T>(static_cast<std::size_t>((transpose_b ? n : k) * shape.ldb), T(-1), T(1), 2)),
        c(static_cast<std::size_t>(m * shape.ldc), accumulate ? T(0.5) : unset) {}

  std::size_t a_at(std::int64_t row, std::int64_t p) const {
    return static_cast<std::size_t>(shape.transpose_a ? p * shape.lda + row : row * shape.lda + p);
  }
  std::size_t b_at(std::int64_t p, std::int64_t column) const {
    return static_cast<std::size_t>(shape.transpose_b ? column * shape.ldb + p : p * shape.ldb + column);
  }
};

template <class T> void multiply(kernel::instruction_set at, const kernel::product_shape& shape, const T* a, const T* b, T* c) {
  const auto scratch_size = kernel::dispatch([]<class L>(L) { return &L::template product_scratch<T>; }, at)(shape);
  std::vector<T> scratch(static_cast<std::size_t>(scratch_size) + 1, std::numeric_limits<T>::quiet_NaN());
  scratch.back() = T(-77);
  kernel::dispatch([]<class L>(L) { return &L::template product<T>; }, at)(shape, a, b, c, scratch.data());
  CHECK(scratch.back() == T(-77));
}

template <class T> void check_against_naive(kernel::instruction_set at, problem<T> p) {
  const T unset = std::numeric_limits<T>::quiet_NaN();
  multiply(at, p.shape, p.a.data(), p.b.data(), p.c.data());

  const auto& s = p.shape;
  const double bound = 12 * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::sqrt(static_cast<double>(s.k) + 1);
  for (std::int64_t row = 0; row < s.m; ++row) {
    for (std::int64_t column = 0; column < s.n; ++column) {
      long double expected = s.accumulate ? 0.5L : 0;
      for (std::int64_t q = 0; q < s.k; ++q)
        expected += static_cast<long double>(p.a[p.a_at(row, q)]) * static_cast<long double>(p.b[p.b_at(q, column)]);
      const T actual = p.c[static_cast<std::size_t>(row * s.ldc + column)];
      const double error = std::fabs(static_cast<double>(static_cast<long double>(actual) - expected));
      if (!(error <= bound)) {
        INFO(s.m << " x " << s.n << " x " << s.k << ", transposed " << s.transpose_a << s.transpose_b);
        INFO("at " << row << ", " << column);
        REQUIRE(error <= bound);
      }
    }
    for (std::int64_t column = s.n; column < s.ldc; ++column) {
      const T beside = p.c[static_cast<std::size_t>(row * s.ldc + column)];
      REQUIRE((s.accumulate ? beside == T(0.5) : bits_agree(beside, unset)));
    }
  }
}

// Blocks of c computed apart, each by a call of its own, have the bits of the whole.
template <class T> void check_cuts(kernel::instruction_set at, const problem<T>& p, std::int64_t rows, std::int64_t columns) {
  problem<T> whole = p, cut = p;
  multiply(at, p.shape, whole.a.data(), whole.b.data(), whole.c.data());
  for (std::int64_t row = 0; row < p.shape.m; row += rows) {
    for (std::int64_t column = 0; column < p.shape.n; column += columns) {
      kernel::product_shape part = p.shape;
      part.m = std::min(rows, p.shape.m - row);
      part.n = std::min(columns, p.shape.n - column);
      T* corner = cut.c.data() + row * p.shape.ldc + column;
      multiply(at, part, cut.a.data() + p.a_at(row, 0), cut.b.data() + p.b_at(0, column), corner);
    }
  }
  CAPTURE(rows);
  CAPTURE(columns);
  CHECK(bits_agree(whole.c, cut.c));
}

}  // namespace

TEST_CASE_TEMPLATE("the product is right for every small shape, transposed or not, set or accumulated", T, float, double) {
  const T unset = std::numeric_limits<T>::quiet_NaN();
  for_each_level([&](kernel::instruction_set at) {
    for (std::int64_t m : {1, 2, 3, 5, 12, 13, 67})
      for (std::int64_t n : {1, 3, 8, 15, 17, 33, 64, 67})
        for (std::int64_t k : {1, 5, 16, 67})
          for (int options = 0; options < 8; ++options)
            check_against_naive(at, problem<T>(m, n, k, options & 1, options & 2, options & 4, unset));
  });
}

TEST_CASE_TEMPLATE("the product is right where blocks of rows and of k end", T, float, double) {
  const T unset = std::numeric_limits<T>::quiet_NaN();
  for_each_level([&](kernel::instruction_set at) {
    for (int options = 0; options < 8; ++options) {
      const bool transpose_a = options & 1, transpose_b = options & 2, accumulate = options & 4;
      for (std::int64_t k : {255, 256, 257, 515})
        check_against_naive(at, problem<T>(14, 35, k, transpose_a, transpose_b, accumulate, unset));
      for (std::int64_t m : {193, 385})
        check_against_naive(at, problem<T>(m, 20, 260, transpose_a, transpose_b, accumulate, unset));
      check_against_naive(at, problem<T>(1, 300, 300, transpose_a, transpose_b, accumulate, unset));
    }
  });
}

TEST_CASE_TEMPLATE("a product cut into blocks of any size has the same bits", T, float, double) {
  for_each_level([&](kernel::instruction_set at) {
    for (int options = 0; options < 8; ++options) {
      const problem<T> p(37, 140, 530, options & 1, options & 2, options & 4, T(0));
      for (std::int64_t rows : {1, 5, 13, 37})
        for (std::int64_t columns : {11, 48, 128, 140}) check_cuts(at, p, rows, columns);
    }
    check_cuts(at, problem<T>(1, 700, 530, false, false, false, T(0)), 1, 130);
    check_cuts(at, problem<T>(200, 40, 70, true, false, true, T(0)), 195, 33);
  });
}

TEST_CASE_TEMPLATE("without anything to sum the product is zero, or what was there", T, float, double) {
  for_each_level([&](kernel::instruction_set at) {
    T c[6] = {1, 2, 3, 4, 5, 6};
    const T nothing = 0;
    multiply(at, {2, 2, 0, 1, 3, 3, false, false, true}, &nothing, &nothing, c);
    CHECK(c[0] == 1);
    multiply(at, {2, 2, 0, 1, 3, 3, false, false, false}, &nothing, &nothing, c);
    CHECK(c[0] == 0);
    CHECK(c[4] == 0);
    CHECK(c[2] == 3);
    multiply(at, {0, 2, 5, 5, 3, 3, false, false, false}, &nothing, &nothing, c);
    multiply(at, {2, 0, 5, 5, 3, 3, false, false, false}, &nothing, &nothing, c);
    CHECK(c[2] == 3);
  });
}

TEST_CASE_TEMPLATE("a zero times infinity is NaN, at the edges too", T, float, double) {
  for_each_level([&](kernel::instruction_set at) {
    for (std::int64_t n : {1, 17, 32}) {
      problem<T> p(5, n, 20, false, false, false, T(0));
      p.a[p.a_at(4, 19)] = 0;
      p.b[p.b_at(19, n - 1)] = std::numeric_limits<T>::infinity();
      multiply(at, p.shape, p.a.data(), p.b.data(), p.c.data());
      CHECK(std::isnan(p.c[static_cast<std::size_t>(4 * p.shape.ldc + n - 1)]));
      CHECK(std::isinf(p.c[static_cast<std::size_t>(3 * p.shape.ldc + n - 1)]));
      if (n > 1) CHECK(std::isfinite(p.c[static_cast<std::size_t>(4 * p.shape.ldc)]));
    }
  });
}

namespace {

// Adds products one after the other, and by product_sum for four blocks of c.
template <class T> void check_sum(kernel::instruction_set at, std::int64_t m, std::int64_t n, std::int64_t depth) {
  INFO(m << " x " << n << ", products of depth " << depth);
  std::vector<problem<T>> all;
  std::vector<const T*> a, b;
  for (int i = 0; i < 11; ++i) {
    all.emplace_back(m, n, depth, true, false, true, T(0));
    for (T& v : all.back().a) v += static_cast<T>(i) / 16;
  }
  problem<T> expected = all[0], found = all[0];
  for (const problem<T>& p : all) {
    problem<T> apart = p;
    apart.shape.accumulate = false;
    multiply(at, apart.shape, p.a.data(), p.b.data(), apart.c.data());
    for (std::int64_t row = 0; row < m; ++row)
      for (std::int64_t column = 0; column < n; ++column) {
        const auto at_c = static_cast<std::size_t>(row * p.shape.ldc + column);
        expected.c[at_c] = expected.c[at_c] + apart.c[at_c];
      }
    a.push_back(p.a.data());
    b.push_back(p.b.data());
  }
  kernel::product_shape whole = found.shape;
  whole.k *= length(a.size());
  const auto size = kernel::dispatch([]<class L>(L) { return &L::template product_scratch<T>; }, at)(whole);
  std::vector<T> scratch(static_cast<std::size_t>(size) + 1, std::numeric_limits<T>::quiet_NaN());
  scratch.back() = T(-77);
  const auto add = kernel::dispatch([]<class L>(L) { return &L::template product_sum<T>; }, at);
  for (const std::int64_t row : {std::int64_t{0}, m / 2})
    for (const std::int64_t column : {std::int64_t{0}, n / 2}) {
      kernel::product_shape part = found.shape;
      part.m = row == 0 ? m / 2 : m - row;
      part.n = column == 0 ? n / 2 : n - column;
      if ((row == 0 && m == 1) || (column == 0 && n == 1)) continue;
      add(part, length(a.size()), a.data(), b.data(), row, column, found.c.data() + row * part.ldc + column, scratch.data());
    }
  if (m == 1 || n == 1) add(found.shape, length(a.size()), a.data(), b.data(), 0, 0, (found.c = all[0].c).data(), scratch.data());
  CHECK(scratch.back() == T(-77));
  CHECK(bits_agree(found.c, expected.c));
}

}  // namespace

TEST_CASE_TEMPLATE("a sum of products has the bits of products that are added one after the other", T, float, double) {
  for_each_level([](kernel::instruction_set at) {
    for (const std::int64_t depth : {0, 1, 3, 32, 100, 256, 257, 600}) {
      check_sum<T>(at, 1, 1, depth);
      check_sum<T>(at, 1, 40, depth);
      check_sum<T>(at, 15, 14, depth);
      check_sum<T>(at, 26, 140, depth);
      check_sum<T>(at, 801, 66, depth);
    }
  });
}

namespace {

// Multiplies by a packed matrix, in blocks of 64 columns, and compares the bits with those of the plain product.
template <class T> void check_packed(kernel::instruction_set at, problem<T> p) {
  problem<T> expected = p;
  multiply(at, p.shape, p.a.data(), p.b.data(), expected.c.data());
  const auto size_of = kernel::dispatch([]<class L>(L) { return &L::template packed_size<T>; }, at);
  std::vector<T> packed(static_cast<std::size_t>(size_of(p.shape)) + 1, std::numeric_limits<T>::quiet_NaN());
  packed.back() = T(-77);
  kernel::dispatch([]<class L>(L) { return &L::template pack<T>; }, at)(p.shape, p.b.data(), packed.data());
  CHECK(packed.back() == T(-77));
  for (std::int64_t column = 0; column < p.shape.n; column += 64) {
    kernel::product_shape part = p.shape;
    part.n = column;
    const auto begin = static_cast<std::size_t>(size_of(part));
    part.n = std::min<std::int64_t>(64, p.shape.n - column);
    part.is_b_packed = true;
    multiply(at, part, p.a.data(), packed.data() + begin, p.c.data() + column);
  }
  INFO(p.shape.m << " x " << p.shape.n << " x " << p.shape.k << ", transposed " << p.shape.transpose_b);
  CHECK(bits_agree(p.c, expected.c));
}

}  // namespace

TEST_CASE_TEMPLATE("a product with a packed matrix has the bits of the plain product", T, float, double) {
  for_each_level([](kernel::instruction_set at) {
    for (const bool transposed : {false, true})
      for (const bool accumulate : {false, true})
        for (const std::int64_t k : {0, 1, 5, 64, 256, 320, 600})
          for (const std::int64_t n : {1, 7, 33, 64, 200})
            for (const std::int64_t m : {1, 3, 32, 205}) check_packed<T>(at, {m, n, k, false, transposed, accumulate, T(3)});
  });
}
