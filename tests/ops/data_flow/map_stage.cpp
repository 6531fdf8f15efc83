#include <flowgraph/ops/data_flow/map_stage.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/accumulate.hpp>

#include <chrono>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::chrono_literals;

namespace {

template <bool IsOrdered> struct keyed {
  using op_of_parts = std::conditional_t<IsOrdered, fg::ordered_map_stage_op, fg::map_stage_op>;
  using op_of_pop = std::conditional_t<IsOrdered, fg::ordered_map_unstage_no_key_op, fg::map_unstage_no_key_op>;
  using op_of_get = std::conditional_t<IsOrdered, fg::ordered_map_unstage_op, fg::map_unstage_op>;
  using op_of_missing = std::conditional_t<IsOrdered, fg::ordered_map_incomplete_size_op, fg::map_incomplete_size_op>;

  fg::graph g;
  fg::staging_options options;
  fg::keyed_staging_area<IsOrdered, float, std::int64_t> a;
  fg::out<std::int64_t> key = g.placeholder<std::int64_t>("key", {});
  fg::out<std::int32_t> indices = g.placeholder<std::int32_t>("indices", {fg::any});
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown());
  fg::out<std::int64_t> n = g.placeholder<std::int64_t>("n", fg::shape::unknown());
  fg::target put = a.put(key, x, n), clear = a.clear();
  std::tuple<fg::out<float>, fg::out<std::int64_t>> got = a.get(key), read = a.peek(key);
  fg::target put_first = fg::apply(node<op_of_parts>(), key, indices, fg::any_out_list{x});
  fg::target put_second = fg::apply(node<op_of_parts>(), key, indices, fg::any_out_list{n});
  fg::out<std::int64_t> next = std::get<0>(fg::apply(node<op_of_pop>(), g.constant(fg::tensor<std::int32_t>({2}, {0, 1}))));
  fg::out<std::int32_t> missing = fg::apply_in<>(g, node<op_of_missing>());
  fg::session s{g};

  explicit keyed(const fg::staging_options& o = {.shared_name = "area"}) : options(o), a(g, o) {}

  template <class Op> Op node(std::vector<fg::dtype> types = {fg::dtype::float32, fg::dtype::int64}) {
    Op op = fg::detail::staging_node<Op>(options);
    op.dtypes = std::move(types);
    return op;
  }
  fg::result<void> lay_down(std::int64_t k, float value, const fg::run_options& o = {}) {
    return s.try_run(put, {{key, k}, {x, value}, {n, k}}, o);
  }
  fg::result<fg::fetched<float>> take(std::int64_t k, const fg::run_options& o = {}) {
    return s.try_run(fg::fetch(std::get<0>(got)), {{key, k}}, o);
  }
  std::int32_t size() { return s.run(fg::fetch(a.size())).scalar(); }
};

fg::tensor<std::int32_t> at(std::int32_t i) { return fg::tensor<std::int32_t>({1}, {i}); }

template <bool IsOrdered> void check_keys() {
  CAPTURE(IsOrdered);
  keyed<IsOrdered> t;
  for (const std::int64_t k : {5, 9, 3, 7}) CHECK(t.lay_down(k, static_cast<float>(k)));
  CHECK(t.lay_down(5, 100.f));  // a key that is there keeps what it has
  CHECK(t.size() == 4);
  CHECK(t.s.run(fg::fetch(std::get<0>(t.read)), {{t.key, std::int64_t{5}}}).scalar() == 5.f);
  CHECK(t.take(9)->scalar() == 9.f);
  CHECK(t.size() == 3);
  std::vector<std::int64_t> order;
  for (int k = 0; k < 3; ++k) order.push_back(t.s.run(fg::fetch(t.next)).scalar());
  CHECK(order == (IsOrdered ? std::vector<std::int64_t>{3, 5, 7} : std::vector<std::int64_t>{5, 3, 7}));
  CHECK(t.lay_down(1, 1.f));
  t.s.run(t.clear);
  CHECK(t.size() == 0);
}

}  // namespace

TEST_CASE("a staging area with keys: lists are taken by key, or the next of all") {
  check_keys<false>();
  check_keys<true>();
}

TEST_CASE("a staging area with keys: a list comes and leaves part by part") {
  keyed<true> t;
  t.s.run(t.put_second, {{t.key, std::int64_t{4}}, {t.indices, at(1)}, {t.n, std::int64_t{40}}});
  CHECK(t.size() == 0);
  CHECK(t.s.run(fg::fetch(t.missing)).scalar() == 1);
  const auto twice = t.s.try_run(t.put_second, {{t.key, std::int64_t{4}}, {t.indices, at(1)}, {t.n, std::int64_t{41}}});
  CHECK(twice.error().code() == error_code::invalid_argument);
  CHECK(std::string_view(twice.error().what()).find("key 4") != std::string_view::npos);
  t.s.run(t.put_first, {{t.key, std::int64_t{4}}, {t.indices, at(0)}, {t.x, 4.f}});
  CHECK(t.size() == 1);
  CHECK(t.s.run(fg::fetch(t.missing)).scalar() == 0);
  auto op = t.template node<fg::ordered_map_unstage_op>({fg::dtype::int64});
  const fg::any_out_list second = fg::apply(op, t.key, t.indices);
  const fg::out<std::int64_t> part{second[0].source, second[0].port};
  CHECK(t.s.run(fg::fetch(part), {{t.key, std::int64_t{4}}, {t.indices, at(1)}}).scalar() == 40);
  CHECK(t.size() == 1);  // the other part is there still
  const auto again = t.s.try_run(fg::fetch(part), {{t.key, std::int64_t{4}}, {t.indices, at(1)}});
  CHECK(again.error().code() == error_code::invalid_argument);
  const auto beyond = t.s.try_run(fg::fetch(part), {{t.key, std::int64_t{4}}, {t.indices, at(2)}});
  CHECK(beyond.error().code() == error_code::invalid_argument);
  auto rest = t.template node<fg::ordered_map_unstage_op>({fg::dtype::float32});
  const fg::any_out_list first = fg::apply(rest, t.key, t.indices);
  const fg::out<float> left{first[0].source, first[0].port};
  CHECK(t.s.run(fg::fetch(left), {{t.key, std::int64_t{4}}, {t.indices, at(0)}}).scalar() == 4.f);
  CHECK(t.size() == 0);
}

TEST_CASE("a staging area with keys: each waits for its own key, and nobody stands in another's way") {
  keyed<false> t;
  float first = 0, second = 0;
  std::thread one([&] { first = t.take(1)->scalar(); });
  std::this_thread::sleep_for(2ms);
  std::thread two([&] { second = t.take(2)->scalar(); });
  std::this_thread::sleep_for(2ms);
  CHECK(t.lay_down(2, 20.f));
  two.join();
  CHECK(second == 20.f);
  CHECK(t.lay_down(1, 10.f));
  one.join();
  CHECK(first == 10.f);
  CHECK(t.take(3, fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  CHECK(t.lay_down(3, 30.f));
  CHECK(t.take(3)->scalar() == 30.f);
}

TEST_CASE("a staging area with keys: limits of lists and bytes; parts that are missing may always come") {
  keyed<true> t({.capacity = 1, .shared_name = "area"});
  CHECK(t.lay_down(1, 1.f));
  CHECK(t.lay_down(2, 2.f, fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  t.s.run(t.put_first, {{t.key, std::int64_t{3}}, {t.indices, at(0)}, {t.x, 3.f}});
  std::thread giver([&] { CHECK(t.lay_down(2, 2.f)); });
  std::this_thread::sleep_for(2ms);
  CHECK(t.size() == 1);
  CHECK(t.take(1)->scalar() == 1.f);
  giver.join();
  CHECK(t.take(2)->scalar() == 2.f);

  keyed<false> small({.memory_limit = 30, .shared_name = "area"});
  CHECK(small.lay_down(1, 1.f));
  CHECK(small.lay_down(2, 2.f));
  CHECK(small.lay_down(3, 3.f, fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  CHECK(small.take(1)->scalar() == 1.f);
  CHECK(small.lay_down(3, 3.f));
  CHECK(small.lay_down(4, 4.f, fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
}

TEST_CASE("a staging area with keys: what is wrong is refused, and nothing of it is in the area") {
  keyed<false> t;
  const auto refused = [&](const fg::target& put, fg::tensor<std::int32_t> indices, std::string_view part) {
    const auto made = t.s.try_run(put, {{t.key, std::int64_t{1}}, {t.indices, indices}, {t.x, 1.f}, {t.n, std::int64_t{1}}});
    REQUIRE_FALSE(made);
    CHECK(made.error().code() == error_code::invalid_argument);
    CHECK_MESSAGE(std::string_view(made.error().what()).find(part) != std::string_view::npos, std::string(made.error().what()));
  };
  refused(t.put_first, at(1), "int64");
  refused(t.put_first, at(2), "index 2");
  refused(t.put_first, at(-1), "negative");
  refused(t.put_first, fg::tensor<std::int32_t>({2}, {0, 1}), "2 indices, 1 tensors");
  auto both = fg::apply(t.node<fg::map_stage_op>(), t.key, t.indices, fg::any_out_list{t.x, t.n});
  refused(both, fg::tensor<std::int32_t>({2}, {1, 0}), "ascending");
  CHECK(t.size() == 0);
  CHECK(t.s.run(fg::fetch(t.missing)).scalar() == 0);
  fg::ordered_map_staging_area<float, std::int64_t> ordered(t.g, {.shared_name = "area"});
  const auto other = t.s.try_run(fg::target(ordered.size()));
  CHECK(other.error().code() == error_code::invalid_argument);
  CHECK(std::string_view(other.error().what()).find("'area'") != std::string_view::npos);
}

TEST_CASE("a staging area with keys: a run that may not wait ends at once with an error that names it") {
  keyed<true> t;
  const fg::run_options at_once{.may_wait = false};
  CHECK(t.lay_down(1, 1.f, at_once));
  const fg::error why = t.take(2, at_once).error();
  CHECK(why.code() == error_code::unavailable);
  CHECK(std::string_view(why.what()).find("map staging area 'area'") != std::string_view::npos);
  CHECK(t.take(1, at_once)->scalar() == 1.f);
}
