#include <flowgraph/ops/data_flow/conditional_accumulator.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/accumulate.hpp>

#include <atomic>
#include <chrono>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::chrono_literals;

namespace {

using reals = std::vector<float>;

reals kept_list_of(const fg::tensor<float>& t) { return {t.begin(), t.end()}; }

struct gradients {
  fg::graph g;
  fg::conditional_accumulator<float> a;
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown());
  fg::out<std::int64_t> step = g.placeholder<std::int64_t>("step", {});
  fg::out<std::int32_t> n = g.placeholder<std::int32_t>("n", {});
  fg::target give = a.apply_gradient(x, step), go_to = a.set_global_step(step);
  fg::out<float> taken = a.take_gradient(n);
  fg::session s{g};

  explicit gradients(const fg::conditional_accumulator_options& o = {.shape = {2}}) : a(g, o) {}

  fg::result<void> add(const reals& value, std::int64_t at = 0) {
    return s.try_run(give, {{x, fg::tensor<float>(fg::shape{value.size()}, value)}, {step, at}});
  }
  fg::result<fg::fetched<float>> take(std::int32_t wanted, const fg::run_options& o = {}) {
    return s.try_run(fg::fetch(taken), {{n, wanted}}, o);
  }
  std::int32_t count() { return s.run(fg::fetch(a.num_accumulated())).scalar(); }
};

// An accumulator of slices, of rows of two.
struct slices {
  fg::graph g;
  fg::any_out_list parts;
  fg::out<std::int64_t> step = g.placeholder<std::int64_t>("step", {}), rows = g.placeholder<std::int64_t>("rows", {fg::any}),
                        whole = g.placeholder<std::int64_t>("whole", {fg::any});
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown());
  fg::out<std::int32_t> n = g.placeholder<std::int32_t>("n", {});
  decltype(fg::apply_in<>(g, fg::sparse_conditional_accumulator_op{})) handle;
  fg::target give, give_known;
  fg::out<std::int64_t> indices, shape;
  fg::out<float> values;
  fg::session s{g};

  explicit slices(const char* reduction, fg::shape known = {4, 2}) : handle(fg::apply_in<>(g, op(reduction, known))) {
    fg::sparse_accumulator_apply_gradient_op put;
    give = fg::apply(fg::site{}, put, handle, step, rows, x, whole);
    put.has_known_shape = true;
    give_known = fg::apply(fg::site{}, put, handle, step, rows, x, whole);
    std::tie(indices, values, shape) = fg::apply_as<float>(fg::site{}, fg::sparse_accumulator_take_gradient_op{}, handle, n);
  }
  static fg::sparse_conditional_accumulator_op op(const char* reduction, fg::shape known) {
    fg::sparse_conditional_accumulator_op made;
    made.type = fg::dtype::float32;
    made.accumulated = known;
    made.reduction_type = reduction;
    return made;
  }
  fg::result<void> add(const std::vector<std::int64_t>& at, const fg::tensor<float>& v,
                       const std::vector<std::int64_t>& said = {}) {
    return s.try_run(said.empty() ? give : give_known, {{step, std::int64_t{0}},
                                                        {rows, fg::tensor<std::int64_t>(fg::shape{at.size()}, at)},
                                                        {x, v},
                                                        {whole, fg::tensor<std::int64_t>(fg::shape{said.size()}, said)}});
  }
};

}  // namespace

TEST_CASE("an accumulator: the mean or the sum of what was given, then it begins anew") {
  for (const bool sum : {false, true}) {
    gradients t({.shape = {2}, .sum = sum});
    CHECK(t.taken.shape() == fg::shape{2});
    CHECK(t.count() == 0);
    CHECK(t.add({1, 2}));
    CHECK(t.add({3, 6}));
    CHECK(t.count() == 2);
    CHECK(kept_list_of(*t.take(1)) == (sum ? reals{4, 8} : reals{2, 4}));  // all that are there
    CHECK(t.count() == 0);
    CHECK(t.add({5, 6}, 1));
    CHECK(kept_list_of(*t.take(1)) == reals{5, 6});
  }
}

TEST_CASE("an accumulator: gradients of earlier steps are dropped; each taking is a step") {
  gradients t;
  CHECK(t.add({1, 1}, 0));
  CHECK(t.take(1));
  CHECK(t.add({2, 2}, 0));  // late
  CHECK(t.count() == 0);
  CHECK(t.add({3, 3}, 1));
  CHECK(t.count() == 1);
  t.s.run(t.go_to, {{t.step, std::int64_t{7}}});
  CHECK(t.add({4, 4}, 6));
  CHECK(t.add({5, 5}, 7));
  CHECK(kept_list_of(*t.take(2)) == reals{4, 4});
}

TEST_CASE("an accumulator: whoever takes waits for enough, in the order of asking, and can be cancelled") {
  gradients t;
  CHECK(t.add({1, 1}));
  CHECK(t.take(2, fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  CHECK(t.count() == 1);
  reals first, second;
  constexpr std::int64_t late = 1 << 20;
  std::thread one([&] { first = kept_list_of(*t.take(2)); });
  while (t.take(1, {.may_wait = false})) CHECK(t.add({1, 1}, late));  // until it stands in line
  std::thread two([&] { second = kept_list_of(*t.take(1)); });
  std::this_thread::sleep_for(2ms);
  CHECK(t.add({3, 3}, late));
  one.join();
  CHECK(first == reals{2, 2});
  CHECK(t.add({9, 9}, late));
  two.join();
  CHECK(second == reals{9, 9});
}

TEST_CASE("an accumulator: what was given stays what it was, and does not change what others hold") {
  gradients t;
  float memory[]{1, 2};
  t.s.run(t.give, {{t.x, fg::tensor<float>::borrow({2}, memory, {})}, {t.step, std::int64_t{0}}});
  memory[0] = 7;
  fg::tensor<float> own({2}, {3, 4});
  t.s.run(t.give, {{t.x, own}, {t.step, std::int64_t{0}}});
  CHECK(kept_list_of(own) == reals{3, 4});
  CHECK(kept_list_of(*t.take(2)) == reals{2, 3});
  t.s.run(t.give, {{t.x, own}, {t.step, std::int64_t{1}}});
  CHECK(t.add({1, 1}, 1));
  CHECK(kept_list_of(own) == reals{3, 4});
  CHECK(kept_list_of(*t.take(2)) == reals{2, 2.5});
}

TEST_CASE("an accumulator: what does not fit is refused by name, and nothing of it is added") {
  gradients t({.shape = fg::shape::unknown(), .shared_name = "mean"});
  CHECK(t.add({1, 2}));
  const fg::error wide = t.add({1, 2, 3}).error();
  CHECK(wide.code() == error_code::invalid_argument);
  CHECK(std::string_view(wide.what()).find("[3]") != std::string_view::npos);
  CHECK(t.take(0).error().code() == error_code::invalid_argument);
  CHECK(t.count() == 1);
  fg::conditional_accumulator<float> sum(t.g, {.shape = fg::shape::unknown(), .sum = true, .shared_name = "mean"});
  fg::conditional_accumulator<double> wider(t.g, {.shape = fg::shape::unknown(), .shared_name = "mean"});
  fg::conditional_accumulator<float> shaped(t.g, {.shape = {2}, .shared_name = "mean"});
  const std::pair<fg::out<std::int32_t>, const char*> wrong[] = {
      {sum.num_accumulated(), "reduction_type"}, {wider.num_accumulated(), "dtype"}, {shaped.num_accumulated(), "shape"}};
  for (const auto& [count, part] : wrong) {
    const fg::error why = t.s.try_run(fg::target(count)).error();
    CHECK(why.code() == error_code::invalid_argument);
    CHECK(std::string_view(why.what()).find(part) != std::string_view::npos);
    CHECK(std::string_view(why.what()).find("'mean'") != std::string_view::npos);
  }
  auto mistaken = fg::apply_as<double>(fg::site{}, fg::resource_accumulator_take_gradient_op{}, t.a.handle(), t.n);
  CHECK(t.s.try_run(fg::target(mistaken), {{t.n, 1}}).error().code() == error_code::invalid_argument);
  CHECK(t.count() == 1);
}

TEST_CASE("an accumulator of half numbers, behind a reference") {
  fg::graph g;
  fg::conditional_accumulator_op op;
  op.type = fg::dtype::float16;
  op.accumulated = {1};
  auto handle = fg::apply_in<>(g, op);
  auto x = g.placeholder<fg::half>("x", {1});
  auto step = g.constant<std::int64_t>(0);
  auto give = fg::apply(fg::accumulator_apply_gradient_op{}, handle, step, x);
  auto count = fg::apply(fg::accumulator_num_accumulated_op{}, handle);
  auto go_to = fg::apply(fg::accumulator_set_global_step_op{}, handle, g.constant<std::int64_t>(5));
  auto taken = fg::apply_as<fg::half>(fg::site{}, fg::accumulator_take_gradient_op{}, handle, g.constant<std::int32_t>(2));
  fg::session s{g};
  for (const float value : {1.f, 2.f}) s.run(give, {{x, fg::tensor<fg::half>({1}, {fg::half(value)})}});
  CHECK(s.run(fg::fetch(count)).scalar() == 2);
  CHECK(static_cast<float>(s.run(fg::fetch(taken))[0]) == 1.5f);
  s.run(go_to);
  s.run(give, {{x, fg::tensor<fg::half>({1}, {fg::half(1.f)})}});
  CHECK(s.run(fg::fetch(count)).scalar() == 0);
}

TEST_CASE("an accumulator of slices: rows are added by their indices, and each is divided by how many had it") {
  for (const char* reduction : {"MEAN", "SUM"}) {
    const bool mean = reduction[0] == 'M';
    slices t(reduction, {4, fg::any});
    CHECK(t.add({1, 3}, fg::tensor<float>({2, 2}, {1, 2, 3, 4})));
    CHECK(t.add({0, 1}, fg::tensor<float>({2, 2}, {5, 6, 7, 8}), {4, 2}));
    CHECK(t.add({1}, fg::tensor<float>({1, 2}, {1, 2})));
    auto [indices, values, shape] = t.s.run(fg::fetch(t.indices, t.values, t.shape), {{t.n, 3}});
    CHECK(std::vector<std::int64_t>(indices.begin(), indices.end()) == std::vector<std::int64_t>{0, 1, 3});
    CHECK(kept_list_of(values) == (mean ? reals{5, 6, 3, 4, 3, 4} : reals{5, 6, 9, 12, 3, 4}));
    CHECK(values.shape() == fg::shape{3, 2});
    CHECK(std::vector<std::int64_t>(shape.begin(), shape.end()) == std::vector<std::int64_t>{4, 2});
  }
}

TEST_CASE("an accumulator of slices: what does not fit is refused, and nothing of it is added") {
  slices t("SUM");
  const fg::tensor<float> row({1, 2}, {1, 2});
  for (const fg::result<void>& made :
       {t.add({4}, row), t.add({-1}, row), t.add({1, 2}, row), t.add({1}, fg::tensor<float>({1, 3})), t.add({1}, row, {3, 2}),
        t.add({1}, row, {4}), t.add({1}, fg::tensor<float>(1.f))})
    CHECK(made.error().code() == error_code::invalid_argument);
  CHECK(t.s.run(fg::fetch(fg::apply(fg::accumulator_num_accumulated_op{}, t.handle))).scalar() == 0);
  CHECK(t.add({1}, row, {4, 2}));
  CHECK(t.add({1}, fg::tensor<float>({1, 3})).error().code() == error_code::invalid_argument);
  CHECK(kept_list_of(t.s.run(fg::fetch(t.values), {{t.n, 1}})) == reals{1, 2});
  // Dense ops are for dense ones.
  auto dense = fg::apply_as<float>(fg::site{}, fg::accumulator_take_gradient_op{}, t.handle, t.n);
  CHECK(t.s.try_run(fg::target(dense), {{t.n, 1}}).error().code() == error_code::invalid_argument);
}

TEST_CASE("an accumulator between threads: each gradient is in one mean") {
  constexpr int each = 200, threads = 4;
  gradients t({.shape = {1}, .sum = true});
  std::vector<std::thread> givers, takers;
  for (int k = 0; k < threads; ++k)
    givers.emplace_back([&] {
      for (int i = 0; i < each; ++i) CHECK(t.add({1}, 1 << 20));
    });
  std::atomic<int> total{0}, ended{0};
  for (std::int32_t k = 1; k <= 3; ++k)
    takers.emplace_back([&, k] {
      while (total < each * threads) total += static_cast<int>((*t.take(k))[0]);
      ++ended;
    });
  for (auto& thread : givers) thread.join();
  while (ended < 3) {  // those that wait for more
    CHECK(t.add({0}, 1 << 20));
    std::this_thread::sleep_for(100us);
  }
  for (auto& thread : takers) thread.join();
  CHECK(total == each * threads);
}

TEST_CASE("an accumulator: a run that may not wait ends at once with an error that names it") {
  gradients t({.shape = {2}, .shared_name = "mean"});
  const fg::run_options at_once{.may_wait = false};
  CHECK(t.add({1, 2}));
  const fg::error why = t.take(2, at_once).error();
  CHECK(why.code() == error_code::unavailable);
  CHECK(std::string_view(why.what()).find("ConditionalAccumulator 'mean'") != std::string_view::npos);
  CHECK(kept_list_of(*t.take(1, at_once)) == reals{1, 2});
}
