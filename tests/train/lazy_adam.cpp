#include <flowgraph/train/lazy_adam.hpp>

#include "lazy_adam_numbers.hpp"

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

constexpr std::int64_t table_rows = 7, columns = 5, step_count = 6, named = 4;

// The gradients of lazy_adam.py: the loss is a sum of looked up rows, times their factors.
template <class T> struct table {
  fg::graph g;
  fg::variable<T> w;
  fg::out<std::int32_t> which = g.placeholder<std::int32_t>("which", {named});
  fg::out<T> factors = g.placeholder<T>("factors", {named, columns});
  fg::out<T> loss;

  table() {
    fg::tensor<T> first({table_rows, columns});
    for (std::int64_t i = 0; i < table_rows * columns; ++i)
      first.writable()[static_cast<std::size_t>(i)] = static_cast<T>(i - 17) / 16;
    w = g.variable("w", first);
    loss = fg::sum(fg::gather(w, which) * factors);
  }
  static fg::tensor<std::int32_t> rows_of(std::int64_t step) {
    fg::tensor<std::int32_t> made({named});
    for (std::int64_t i = 0; i < named; ++i)
      made.writable()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((step * 2 + 3 * i * i) % table_rows);
    return made;
  }
  static fg::tensor<T> factors_of(std::int64_t step) {
    fg::tensor<T> made({named, columns});
    for (std::int64_t i = 0; i < named; ++i)
      for (std::int64_t k = 0; k < columns; ++k)
        made.writable()[static_cast<std::size_t>(i * columns + k)] = static_cast<T>((step + 5 * i + 3 * k) % 11 - 5) / 8;
    return made;
  }
  template <class Method>
  void check(const Method& method, const char* slot, const double* right_w, const double* right_m, const double* right_v,
             double epsilon, fg::thread_pool* pool = nullptr) {
    auto train = method.minimize(loss);
    fg::session s{g, {.pool = pool}};
    s.initialize();
    auto step = s.prepare(fg::feed(which, factors), fg::fetch(), train);
    for (std::int64_t i = 1; i <= step_count; ++i) step(rows_of(i), factors_of(i));
    const auto compare = [&](const std::string& name, const double* right) {
      const auto edge = g.output(name).value();
      const fg::tensor<T> found = s.run(fg::fetch(fg::out<T>(edge.source, edge.port)));
      for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(right[i]).epsilon(epsilon));
    };
    compare("w", right_w);
    compare(std::string("w/") + slot, right_m);
    compare(std::string("w/") + slot + "_1", right_v);
  }
};

template <class T> std::vector<T> values(fg::session& s, const fg::out<T>& x) {
  const fg::tensor<T> t = s.run(fg::fetch(x));
  return {t.begin(), t.end()};
}

}  // namespace

TEST_CASE("lazy Adam and AdamW follow NumPy, with rows that are named twice") {
  fg::thread_pool pool(2);
  table<double>().check(fg::lazy_adam{.rate = 0.01f}, "Adam", lazy_adam_w, lazy_adam_m, lazy_adam_v, 1e-9);
  table<float>().check(fg::lazy_adam{.rate = 0.01f}, "Adam", lazy_adam_w, lazy_adam_m, lazy_adam_v, 1e-4);
  table<float>().check(fg::lazy_adam{.rate = 0.01f}, "Adam", lazy_adam_w, lazy_adam_m, lazy_adam_v, 1e-4, &pool);
  const fg::lazy_adamw decaying{.rate = 0.01f, .weight_decay = 0.1f};
  table<double>().check(decaying, "AdamW", lazy_adamw_w, lazy_adamw_m, lazy_adamw_v, 1e-9);
  table<float>().check(decaying, "AdamW", lazy_adamw_w, lazy_adamw_m, lazy_adamw_v, 1e-4);
}

TEST_CASE("rows that no gradient names stay to the bit, and so do their moments") {
  fg::graph g;
  auto w = g.variable("w", fg::constant<float>({4, 3}, 0.5f));
  auto which = g.placeholder<std::int32_t>("which", {fg::any});
  auto train = fg::lazy_adamw{.rate = 0.1f, .weight_decay = 0.5f}.minimize(fg::sum(fg::square(fg::gather(w, which))));
  const auto m = g.output("w/AdamW").value();
  fg::session s{g};
  s.initialize();
  s.run(train, {{which, fg::tensor<std::int32_t>({2}, {1, 2})}});
  const auto first = values<float>(s, w), first_m = values<float>(s, {m.source, m.port});
  s.run(train, {{which, fg::tensor<std::int32_t>({2}, {2, 2})}});
  const auto second = values<float>(s, w), second_m = values<float>(s, {m.source, m.port});
  for (std::size_t i = 0; i < 12; ++i) {
    const std::size_t row = i / 3;
    CHECK((first[i] == 0.5f) == (row == 0 || row == 3));
    CHECK((first_m[i] == 0.f) == (row == 0 || row == 3));
    CHECK((second[i] == first[i]) == (row != 2));
    CHECK((second_m[i] == first_m[i]) == (row != 2));
  }
}

TEST_CASE("where every row is named, and where gradients are dense, the lazy forms are the others to the bit") {
  const auto trained = [](const auto& method, bool lookup) {
    fg::graph g;
    auto w = g.variable("w", fg::random_normal<float>({6, 19}, 0, 1, 3));
    fg::tensor<std::int32_t> all({6}, {5, 3, 1, 0, 2, 4});
    auto x = lookup ? fg::gather(w, g.constant(all)) : fg::out<float>(w);
    auto train = method.minimize(fg::sum(fg::square(x - 0.5f)));
    fg::session s{g};
    s.initialize();
    for (int i = 0; i < 5; ++i) s.run(train);
    return values<float>(s, w);
  };
  for (const bool lookup : {false, true}) {
    CHECK(trained(fg::lazy_adam{.rate = 0.1f}, lookup) == trained(fg::adam{.rate = 0.1f}, lookup));
    CHECK(trained(fg::lazy_adamw{.rate = 0.1f}, lookup) == trained(fg::adamw{.rate = 0.1f}, lookup));
  }
}
