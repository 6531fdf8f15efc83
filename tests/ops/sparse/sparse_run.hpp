#pragma once
// Sparse tensors as values, and functions of them that are run once with their parts fed.

#include <flowgraph/ops/sparse/sparse_tensor.hpp>

#include "../evaluate.hpp"

namespace ops_test {

template <class T> struct sparse_value {
  fg::tensor<std::int64_t> indices;
  fg::tensor<T> values;
  fg::tensor<std::int64_t> extents;
};

// The element values[i] at row i of `indices`.
template <class T>
sparse_value<T> sparse_of(std::initializer_list<std::int64_t> indices, std::initializer_list<T> values,
                          std::initializer_list<std::int64_t> extents) {
  return {{{values.size(), extents.size()}, indices}, {{values.size()}, values}, {{extents.size()}, extents}};
}

// The matrix 0 1 0 2 / 0 0 0 0 / 3 0 4 0 / 0 0 0 5.
template <class T = float> sparse_value<T> sparse_matrix() {
  return sparse_of<T>({0, 1, 0, 3, 2, 0, 2, 2, 3, 3}, {T(1), T(2), T(3), T(4), T(5)}, {4, 4});
}

template <class T> auto fetched(const fg::out<T>& y) { return fg::fetch(y); }
template <class... T> auto fetched(const fg::fetch_list<T...>& list) { return list; }

// f of a sparse tensor and of further tensors, none of whose shapes the graph knows.
template <class F, class T, class... More> auto try_sparse(F&& f, const sparse_value<T>& x, const fg::tensor<More>&... more) {
  fg::graph g;
  const fg::sparse_tensor<T> handle{g.placeholder<std::int64_t>("indices", fg::shape::unknown()),
                                    g.placeholder<T>("values", fg::shape::unknown()),
                                    g.placeholder<std::int64_t>("extents", fg::shape::unknown())};
  std::tuple<fg::out<More>...> others{g.placeholder<More>("more", fg::shape::unknown())...};
  auto y = std::apply([&](const auto&... other) { return f(handle, other...); }, others);
  fg::session s{g};
  return std::apply(
      [&](const auto&... other) {
        return s.try_run(
            fetched(y),
            {{handle.indices, x.indices}, {handle.values, x.values}, {handle.dense_shape, x.extents}, {other, more}...});
      },
      others);
}
template <class F, class T, class... More> auto run_sparse(F&& f, const sparse_value<T>& x, const fg::tensor<More>&... more) {
  return try_sparse(f, x, more...).value();
}
// The message of the error that the run must end in.
template <class F, class T, class... More>
std::string refusal_of(F&& f, const sparse_value<T>& x, const fg::tensor<More>&... more) {
  const auto found = try_sparse(f, x, more...);
  REQUIRE_FALSE(found);
  CHECK(found.error().code() == fg::error_code::invalid_argument);
  return found.error().what();
}

}  // namespace ops_test
