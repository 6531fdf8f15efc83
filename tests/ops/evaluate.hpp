#pragma once
// Runs a function of handles on tensors: once with their shapes known in the graph, once with nothing known of them. Both must
// agree.

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/runtime/session.hpp>

#include "../harness/refusal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace fg = flowgraph;

namespace ops_test {

inline constexpr float infinity = std::numeric_limits<float>::infinity(), no_number = std::numeric_limits<float>::quiet_NaN();

template <class T> bool same_bits(const fg::tensor<T>& a, const fg::tensor<T>& b) {
  if constexpr (std::is_same_v<T, std::string>) return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
  else return a.shape() == b.shape() && (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class F, class... T>
auto evaluate_once(bool known, const fg::session_options& options, F&& f, const fg::tensor<T>&... inputs) {
  fg::graph g;
  std::tuple<fg::out<T>...> x{g.placeholder<T>("x", known ? inputs.shape() : fg::shape::unknown())...};
  auto y = std::apply(f, x);
  fg::session s{g, options};
  return std::apply([&](const auto&... handle) { return s.run(fg::fetch(y), {{handle, inputs}...}); }, x);
}

template <class F, class... T> auto evaluate(F&& f, const fg::tensor<T>&... inputs) {
  auto y = evaluate_once(true, {}, f, inputs...);
  const bool agree = same_bits(y, evaluate_once(false, {}, f, inputs...));
  CHECK_MESSAGE(agree, "the result depends on what the graph knows of the shapes");
  return y;
}

// Runs `f` alone and on pools of threads: the bits must be the same.
template <class F, class... T> auto evaluate_on_threads(F&& f, const fg::tensor<T>&... inputs) {
  const auto alone = evaluate_once(true, {}, f, inputs...);
  for (const int threads : {2, 5}) {
    fg::thread_pool pool(threads);
    CHECK(same_bits(alone, evaluate_once(true, {.pool = &pool}, f, inputs...)));
  }
  return alone;
}

inline bool says(const fg::error& why, std::string_view part) {
  return std::string_view(why.what()).find(part) != std::string_view::npos;
}

template <class T> std::vector<T> values(const fg::tensor<T>& t) { return std::vector<T>(t.begin(), t.end()); }
template <class T> fg::tensor<T> vector(std::initializer_list<T> elements) { return {{elements.size()}, elements}; }
// 1, 2, 3, ... in that shape, or what `at` says.
template <class T> fg::tensor<T> counting(const fg::shape& shape) {
  fg::tensor<T> t(shape);
  T next = T(1);
  for (T& e : t.writable()) {
    e = next;
    next = T(next + T(1));
  }
  return t;
}

}  // namespace ops_test
