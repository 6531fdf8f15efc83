#include <flowgraph/ops/sparse/matmul.hpp>
#include <flowgraph/ops/sparse/to_dense.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

namespace {

// `count` different places of a matrix, in row-major order, with small whole numbers.
template <class T> sparse_value<T> scattered(std::int64_t rows, std::int64_t columns, std::int64_t step) {
  std::vector<std::int64_t> indices;
  std::vector<T> elements;
  for (std::int64_t at = 1; at < rows * columns; at += step) {
    indices.push_back(at / columns);
    indices.push_back(at % columns);
    elements.push_back(T(static_cast<float>(at * 7 % 11) - 5.f));
  }
  const std::size_t n = elements.size();
  sparse_value<T> made{fg::tensor<std::int64_t>({n, 2}), fg::tensor<T>({n}), vector<std::int64_t>({rows, columns})};
  std::copy(indices.begin(), indices.end(), made.indices.writable().begin());
  std::copy(elements.begin(), elements.end(), made.values.writable().begin());
  return made;
}
template <class T> fg::tensor<T> whole_numbers(const fg::shape& shape) {
  fg::tensor<T> t(shape);
  float next = 0;
  for (T& e : t.writable()) e = T(std::fmod(next += 5, 13.f) - 6);
  return t;
}

}  // namespace

TEST_CASE_TEMPLATE("a sparse product equals the product of the dense matrices", T, float, double) {
  const auto x = scattered<T>(37, 53, 7);
  for (const bool of_a : {false, true})
    for (const bool of_b : {false, true})
      for (const std::int64_t n : {1, 8, 300}) {
        CAPTURE(n);
        const std::int64_t inner = of_a ? 37 : 53;
        const auto b = whole_numbers<T>(of_b ? fg::shape{n, inner} : fg::shape{inner, n});
        const auto sparse = run_sparse(
            [&](auto a, auto r) { return fg::sparse_tensor_dense_matmul(a, r, {.adjoint_a = of_a, .adjoint_b = of_b}); }, x, b);
        const auto dense = run_sparse(
            [&](auto a, auto r) { return fg::matmul(fg::sparse_to_dense(a), r, {.transpose_a = of_a, .transpose_b = of_b}); }, x,
            b);
        CHECK(same_bits(sparse, dense));
      }
}

TEST_CASE("the values of a repeated place are added, in any order of places") {
  const auto x = sparse_of<float>({1, 0, 0, 1, 1, 0}, {2, 3, 4}, {2, 2});
  const fg::tensor<float> b({2, 1}, {10, 100});
  CHECK(values(run_sparse([](auto a, auto r) { return fg::sparse_tensor_dense_matmul(a, r); }, x, b)) ==
        std::vector<float>{300, 60});
}

TEST_CASE("halves are added as floats") {
  const auto x = sparse_of<fg::half>({0, 0, 0, 1, 0, 2}, {fg::half(2048.f), fg::half(1.f), fg::half(1.f)}, {1, 3});
  const fg::tensor<fg::half> b({3, 1}, {fg::half(1.f), fg::half(1.f), fg::half(1.f)});
  const auto y = run_sparse([](auto a, auto r) { return fg::sparse_tensor_dense_matmul(a, r); }, x, b);
  CHECK(static_cast<float>(y.scalar()) == 2050.f);
}

TEST_CASE("a sparse product has the same bits by any number of threads") {
  const auto x = scattered<float>(500, 400, 3);
  const auto b = whole_numbers<float>({400, 90});
  fg::graph g;
  const auto a = fg::sparse_placeholder<float>(g, "a", {500, 400});
  const auto r = g.placeholder<float>("r", {400, 90});
  const auto y = fg::sparse_tensor_dense_matmul(a, fg::exp(r * 0.3f)),
             z = fg::sparse_tensor_dense_matmul(a, y, {.adjoint_a = true});
  const auto run = [&](const fg::session_options& options) {
    fg::session s{g, options};
    return s.run(fg::fetch(z), {{a.indices, x.indices}, {a.values, x.values}, {r, b}});
  };
  const auto alone = run({});
  for (const unsigned threads : {2u, 5u}) {
    fg::thread_pool pool(threads);
    CHECK(same_bits(alone, run({.pool = &pool})));
  }
}

TEST_CASE("an index outside of the sparse matrix is refused with its position") {
  const fg::tensor<float> b({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  for (const bool adjoint : {false, true}) {
    const auto product = [&](auto a, auto r) { return fg::sparse_tensor_dense_matmul(a, r, {.adjoint_a = adjoint}); };
    CHECK(refusal_of(product, sparse_of<float>({0, 1, 4, 0}, {1, 2}, {4, 4}), b).find("position [1, 0]") != std::string::npos);
    CHECK(refusal_of(product, sparse_of<float>({0, -1}, {1}, {4, 4}), b).find("position [0, 1]") != std::string::npos);
    CHECK(refusal_of(product, sparse_of<float>({0, 1}, {1}, {3, 3}), b).find("inner dimensions") != std::string::npos);
  }
}
