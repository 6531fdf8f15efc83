#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/accumulate.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::chrono_literals;

namespace {

using numbers = std::vector<std::int64_t>;

numbers shuffled_list_of(const fg::tensor<std::int64_t>& t) { return {t.begin(), t.end()}; }
numbers first_numbers(std::size_t n) {
  numbers made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = static_cast<std::int64_t>(i);
  return made;
}
numbers sorted(numbers n) {
  std::sort(n.begin(), n.end());
  return n;
}

struct shuffled {
  fg::graph g;
  fg::random_shuffle_queue<std::int64_t> q;
  fg::out<std::int64_t> xs = g.placeholder<std::int64_t>("xs", {fg::any});
  fg::out<std::int32_t> n = g.placeholder<std::int32_t>("n", {});
  fg::target put = q.enqueue_many(xs), close = q.close();
  fg::out<std::int64_t> one = q.dequeue(), batch = q.dequeue_many(n), rest = q.dequeue_up_to(n);
  fg::out<std::int32_t> size = q.size();
  fg::session s{g};

  explicit shuffled(std::int64_t min_after_dequeue = 0, std::int64_t seed = 1, std::int64_t capacity = -1)
      : q(g, {.capacity = capacity, .min_after_dequeue = min_after_dequeue, .seed = seed, .shapes = {{}}}) {}

  void fill(const numbers& values) { s.run(put, {{xs, fg::tensor<std::int64_t>(fg::shape{values.size()}, values)}}); }
  fg::result<fg::fetched<std::int64_t>> take(std::int32_t count, const fg::run_options& o = {}) {
    return s.try_run(fg::fetch(batch), {{n, count}}, o);
  }
  numbers taken(std::int32_t count) { return shuffled_list_of(take(count).value()); }
  std::int32_t held() { return s.run(fg::fetch(size)).scalar(); }
};

}  // namespace

TEST_CASE("a shuffling queue: all that came leaves, in an order that the seed chooses") {
  const numbers all = first_numbers(64);
  numbers orders[3];
  for (int k = 0; k < 3; ++k) {
    shuffled t(0, k < 2 ? 1 : 2);
    t.fill(all);
    orders[k] = t.taken(64);
    CHECK(sorted(orders[k]) == all);
  }
  CHECK(orders[0] == orders[1]);
  CHECK(orders[0] != orders[2]);
  CHECK(orders[0] != all);
}

TEST_CASE("a shuffling queue: seeds mean what they mean to TensorFlow") {
  fg::graph g;
  fg::random_shuffle_queue_v2_op op;
  op.component_types = {fg::dtype::int64};
  op.shapes = {{}};
  op.seed = 1;
  op.seed2 = 2;
  const fg::queue<std::int64_t> q(fg::apply_in<>(g, op), op.shapes);
  auto put = q.enqueue_many(g.constant(fg::tensor<std::int64_t>({12}, first_numbers(12))));
  auto all = q.dequeue_many(12);
  fg::session s{g};
  s.run(put);
  CHECK(shuffled_list_of(s.run(fg::fetch(all))) == numbers{11, 5, 2, 8, 3, 10, 1, 7, 6, 4, 0, 9});
}

TEST_CASE("a shuffling queue: the order does not depend on how the elements are taken") {
  const numbers all = first_numbers(30);
  shuffled whole, single;
  whole.fill(all);
  single.fill(all);
  numbers one_by_one;
  for (int i = 0; i < 30; ++i) one_by_one.push_back(single.s.run(fg::fetch(single.one)).scalar());
  CHECK(whole.taken(30) == one_by_one);
}

TEST_CASE("a shuffling queue: each of the elements is as likely to be the first") {
  int counts[4] = {};
  shuffled t;
  for (int round = 0; round < 4000; ++round) {
    t.fill({0, 1, 2, 3});
    ++counts[t.taken(4)[0]];
  }
  for (const int count : counts) CHECK(std::abs(count - 1000) < 150);  // 5 standard deviations
}

TEST_CASE("a shuffling queue keeps elements back until it is closed") {
  shuffled t(3);
  t.fill(first_numbers(5));
  CHECK(t.taken(2).size() == 2);
  CHECK(t.take(1, fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  CHECK(t.held() == 3);
  t.fill({5});
  CHECK(t.taken(1).size() == 1);
  t.s.run(t.close);
  CHECK(t.take(4).error().code() == error_code::out_of_range);
  CHECK(t.held() == 3);
  CHECK(t.s.run(fg::fetch(t.rest), {{t.n, 9}}).size() == 3);
  CHECK(t.take(1).error().code() == error_code::out_of_range);
}

TEST_CASE("a shuffling queue: closing lets those go on who wait for what is kept back") {
  shuffled t(4);
  t.fill(first_numbers(6));
  fg::result<fg::fetched<std::int64_t>> got = fg::error(error_code::internal, "nothing yet");
  std::thread taker([&] { got = t.take(5); });
  while (t.held() != 4) std::this_thread::sleep_for(100us);
  t.s.run(t.close);
  taker.join();
  REQUIRE(got);
  CHECK(got->size() == 5);
  CHECK(t.held() == 1);
}

TEST_CASE("a shuffling queue: what a batch had gathered when it was cancelled leaves next, as if nobody had asked") {
  const numbers all = first_numbers(8);
  shuffled undisturbed, t;
  undisturbed.fill(all);
  t.fill(all);
  CHECK(t.take(9, fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  CHECK(t.held() == 8);
  CHECK(t.taken(8) == undisturbed.taken(8));
}

TEST_CASE("a shuffling queue: what is said of it must be possible, and the same by all who share it") {
  fg::graph g;
  const auto sized = [&](const fg::random_shuffle_queue_options& o) { return fg::random_shuffle_queue<float>(g, o).size(); };
  const auto refused = [](fg::session& s, fg::out<std::int32_t> size, std::initializer_list<std::string_view> parts) {
    const auto made = s.try_run(fg::target(size));
    REQUIRE_FALSE(made);
    CHECK(made.error().code() == error_code::invalid_argument);
    for (const std::string_view part : parts) CHECK(std::string_view(made.error().what()).find(part) != std::string_view::npos);
  };
  auto full = sized({.capacity = 4, .min_after_dequeue = 4});
  auto negative = sized({.min_after_dequeue = -1});
  auto first = sized({.capacity = 9, .min_after_dequeue = 2, .seed = 3, .shared_name = "q"});
  auto other = sized({.capacity = 9, .min_after_dequeue = 1, .seed = 3, .shared_name = "q"});
  auto differs = sized({.capacity = 9, .min_after_dequeue = 2, .seed = 4, .shared_name = "q"});
  fg::session s{g};
  refused(s, full, {"min_after_dequeue", "4"});
  refused(s, negative, {"min_after_dequeue", "-1"});
  CHECK(s.run(fg::fetch(first)).scalar() == 0);
  refused(s, other, {"'q'", "min_after_dequeue 2", "expected 1"});
  refused(s, differs, {"'q'", "seed"});
}

TEST_CASE("a shuffling queue behind a reference does the same") {
  fg::graph g;
  fg::random_shuffle_queue_op op;
  op.component_types = {fg::dtype_of<float>};
  op.seed = 1;
  auto handle = fg::apply_in<>(g, op);
  auto put = fg::apply(fg::queue_enqueue_op{}, handle, fg::any_out_list{g.constant(7.f)});
  fg::queue_dequeue_op one;
  one.component_types = op.component_types;
  const auto made = fg::apply(one, handle);
  const fg::out<float> taken{made[0].source, made[0].port};
  fg::session s{g};
  s.run(put);
  CHECK(s.run(fg::fetch(taken)).scalar() == 7.f);
}

TEST_CASE("a shuffling queue: a run that may not wait does not take what is kept back") {
  shuffled t(2);
  t.fill(first_numbers(4));
  const fg::run_options at_once{.may_wait = false};
  CHECK(t.take(3, at_once).error().code() == error_code::unavailable);
  CHECK(t.held() == 4);
  CHECK(t.take(2, at_once)->size() == 2);
  t.s.run(t.close);
  CHECK(t.take(2, at_once)->size() == 2);
}
