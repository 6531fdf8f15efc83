#include <flowgraph/ops/data_flow/detail/saved_tensors.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/data_flow/barrier.hpp>
#include <flowgraph/ops/data_flow/conditional_accumulator.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/data_flow/map_stage.hpp>
#include <flowgraph/ops/data_flow/priority_queue.hpp>
#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>
#include <flowgraph/ops/data_flow/stage.hpp>

#include <chrono>
#include <thread>

namespace fg = flowgraph;
using namespace std::chrono_literals;

namespace {

using integers = std::vector<std::int64_t>;

fg::tensor<std::int64_t> integers_of(const integers& n) { return fg::tensor<std::int64_t>(fg::shape{n.size()}, n); }
integers elements_of(const fg::tensor<std::int64_t>& t) { return {t.begin(), t.end()}; }

enum class queue_kind { fifo, shuffling, sorting };

// A queue of numbers of any kind, with what the tests do to it.
struct any_queue {
  fg::graph g;
  fg::queue<std::int64_t> q;
  fg::queue<std::int64_t, std::int64_t> sorted;
  fg::out<std::int64_t> xs = g.placeholder<std::int64_t>("xs", {fg::any});
  fg::out<std::int32_t> n = g.placeholder<std::int32_t>("n", {});
  fg::target put, close;
  fg::out<std::int64_t> taken;
  fg::out<std::int32_t> size;
  fg::session s{g};

  any_queue(queue_kind kind, std::int64_t capacity) {
    if (kind == queue_kind::fifo) q = fg::fifo_queue<std::int64_t>(g, {.capacity = capacity, .shapes = {{}}});
    if (kind == queue_kind::shuffling)
      q = fg::random_shuffle_queue<std::int64_t>(g, {.capacity = capacity, .min_after_dequeue = 2, .seed = 5, .shapes = {{}}});
    if (kind == queue_kind::sorting) {
      sorted = fg::priority_queue<std::int64_t>(g, {.capacity = capacity, .shapes = {{}}});
      put = sorted.enqueue_many(xs, xs);
      taken = std::get<1>(sorted.dequeue_many(n));
      close = sorted.close();
      size = sorted.size();
    } else {
      put = q.enqueue_many(xs);
      taken = q.dequeue_many(n);
      close = q.close();
      size = q.size();
    }
  }
  fg::result<void> enqueue(const integers& values) { return s.try_run(put, {{xs, integers_of(values)}}); }
  integers dequeue(std::int32_t count) { return elements_of(s.run(fg::fetch(taken), {{n, count}})); }
  std::int32_t held() { return s.run(fg::fetch(size)).scalar(); }
};

// What the one resource of a session holds, with what waits: more bytes, once another run waits there.
std::string bytes_at_rest(fg::session& s) {
  const auto rest = s.pause();
  return s.save_state().resources.at(0).bytes;
}

// Waits until the session's state is what others make it.
template <class F> void until_so(F&& is_so) {
  while (!is_so()) std::this_thread::sleep_for(100us);
}

}  // namespace

TEST_CASE("saved contents: queues of each kind give what they would have given") {
  for (const queue_kind kind : {queue_kind::fifo, queue_kind::shuffling, queue_kind::sorting})
    for (const int taken_before : {0, 3}) {
      any_queue a(kind, 20), b(kind, 20);
      REQUIRE(a.enqueue({5, 9, 1, 7, 3, 8, 2, 6, 4, 0}));
      if (taken_before > 0) a.dequeue(taken_before);
      const auto state = a.s.save_state();
      if (taken_before > 0) CHECK(b.enqueue({100, 101}));  // is replaced; else the queue is made when it is first used
      b.s.load_state(state);
      CHECK(b.held() == 10 - taken_before);
      for (any_queue* q : {&a, &b}) REQUIRE(q->enqueue({20, 21}));
      CHECK(a.dequeue(4) == b.dequeue(4));
      for (any_queue* q : {&a, &b}) q->s.run(q->close);
      CHECK(a.dequeue(8 - taken_before) == b.dequeue(8 - taken_before));
      b.s.load_state(state);  // open again
      CHECK(b.enqueue({1}));
    }
}

TEST_CASE("saved contents: what a waiting batch has gathered leaves first, and what waits to go in goes in") {
  for (const queue_kind kind : {queue_kind::fifo, queue_kind::sorting}) {
    any_queue a(kind, 8), b(kind, 8);
    std::thread taker([&] { CHECK(a.dequeue(6) == integers{1, 2, 3, 4, 5, 6}); });
    std::this_thread::sleep_for(2ms);
    REQUIRE(a.enqueue({1, 2, 3}));
    until_so([&] { return a.held() == 0; });
    {
      const auto rest = a.s.pause();
      b.s.load_state(a.s.save_state());
    }
    CHECK(b.held() == 3);
    for (any_queue* q : {&a, &b}) REQUIRE(q->enqueue({4, 5, 6}).has_value() == true);
    taker.join();
    CHECK(b.dequeue(6) == integers{1, 2, 3, 4, 5, 6});
  }
  any_queue a(queue_kind::fifo, 2), b(queue_kind::fifo, 2);
  std::vector<std::thread> givers;
  givers.emplace_back([&] { CHECK(a.enqueue({1, 2, 3, 4})); });
  until_so([&] { return a.held() == 2; });
  const std::size_t before = bytes_at_rest(a.s).size();
  givers.emplace_back([&] { CHECK(a.s.try_run(a.close)); });
  until_so([&] { return bytes_at_rest(a.s).size() > before; });
  {
    const auto rest = a.s.pause();
    b.s.load_state(a.s.save_state());
  }
  for (any_queue* q : {&a, &b}) CHECK(q->dequeue(4) == integers{1, 2, 3, 4});
  for (auto& t : givers) t.join();
  for (any_queue* q : {&a, &b}) CHECK(q->enqueue({5}).error().code() == fg::error_code::cancelled);  // the close waited too
}

TEST_CASE("saved contents: bytes for another queue are refused") {
  any_queue a(queue_kind::fifo, 4);
  REQUIRE(a.enqueue({1}));
  const auto state = a.s.save_state();
  REQUIRE(state.resources.size() == 1);
  fg::graph g;
  fg::fifo_queue<float> q(g, {.capacity = 4, .shapes = {{}}}, {state.resources[0].name});
  fg::session s{g};
  s.load_state(state);
  const auto why = s.try_run(fg::fetch(q.size())).error();
  CHECK(std::string(why.message()).find("the saved elements are of other types") != std::string::npos);
  CHECK(s.run(fg::fetch(q.size())).scalar() == 0);
  const std::string& bytes = state.resources[0].bytes;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    fg::saved_state cut = state;
    cut.resources[0].bytes.resize(size);
    if (const auto done = a.s.try_load_state(cut); !done) CHECK(a.held() == 1);
    a.s.load_state(state);
  }
}

TEST_CASE("saved contents: staging areas, with what waits for room") {
  const auto make = [](fg::graph& g) { return fg::staging_area<std::int64_t>(g, {.capacity = 2}); };
  fg::graph g, h;
  auto from = make(g), to = make(h);
  auto x = g.placeholder<std::int64_t>("x", {});
  auto put = from.put(x);
  auto size = from.size();
  fg::session s{g}, t{h};
  for (std::int64_t i = 1; i <= 2; ++i) s.run(put, {{x, i}});
  const std::size_t before = bytes_at_rest(s).size();
  std::thread waits([&] { s.run(put, {{x, std::int64_t{3}}}); });
  until_so([&] { return bytes_at_rest(s).size() > before; });
  {
    const auto rest = s.pause();
    t.load_state(s.save_state());
  }
  auto taken = to.get();
  for (std::int64_t i = 1; i <= 3; ++i) CHECK(t.run(fg::fetch(taken)).scalar() == i);
  s.run(fg::fetch(from.get()));
  waits.join();
  CHECK(s.run(fg::fetch(size)).scalar() == 2);
}

TEST_CASE("saved contents: staging areas by keys, accumulators, and barriers") {
  struct held_state {
    fg::graph g;
    fg::map_staging_area<std::int64_t> stage{g};
    fg::conditional_accumulator<float> sum{g, {.shape = {2}}};
    fg::barrier<std::int64_t, float> barrier{g, {.shapes = {{}, {}}}};
    fg::out<std::int64_t> key = g.placeholder<std::int64_t>("key", {}), value = g.placeholder<std::int64_t>("value", {});
    fg::target lay_down = stage.put(key, value);
    fg::out<std::int64_t> taken = stage.get(key);
    fg::out<float> gradient = g.placeholder<float>("gradient", {2});
    fg::target add = sum.apply_gradient(gradient, g.constant(std::int64_t{0}));
    fg::out<float> mean = sum.take_gradient(2);
    fg::out<std::string> keys = g.placeholder<std::string>("keys", {fg::any});
    fg::out<std::int64_t> firsts = g.placeholder<std::int64_t>("firsts", {fg::any});
    fg::out<float> seconds = g.placeholder<float>("seconds", {fg::any});
    fg::target insert_first = barrier.insert_many<0>(keys, firsts), insert_second = barrier.insert_many<1>(keys, seconds);
    fg::out<std::int32_t> ready = barrier.ready_size(), incomplete = barrier.incomplete_size();
    decltype(barrier.take_many(2)) both = barrier.take_many(2);
    fg::session s{g};
  } a, b;
  const auto texts = [](const std::vector<std::string>& t) { return fg::tensor<std::string>(fg::shape{t.size()}, t); };
  for (const std::int64_t k : {7, 3}) a.s.run(a.lay_down, {{a.key, k}, {a.value, 10 * k}});
  a.s.run(a.add, {{a.gradient, fg::tensor<float>({2}, {1, 2})}});
  a.s.run(a.insert_first, {{a.keys, texts({"x", "y"})}, {a.firsts, integers_of({1, 2})}});
  a.s.run(a.insert_second, {{a.keys, texts({"y"})}, {a.seconds, fg::tensor<float>({1}, {0.5f})}});
  b.s.load_state(a.s.save_state());
  CHECK(b.s.run(fg::fetch(b.ready)).scalar() == 1);
  CHECK(b.s.run(fg::fetch(b.incomplete)).scalar() == 1);
  for (held_state* h : {&a, &b}) {
    CHECK(h->s.run(fg::fetch(h->taken), {{h->key, std::int64_t{7}}}).scalar() == 70);
    CHECK(h->s.run(fg::fetch(h->taken), {{h->key, std::int64_t{3}}}).scalar() == 30);
    h->s.run(h->add, {{h->gradient, fg::tensor<float>({2}, {3, 6})}});
    CHECK(h->s.run(fg::fetch(h->mean))[1] == 4.f);
    h->s.run(h->insert_second, {{h->keys, texts({"x"})}, {h->seconds, fg::tensor<float>({1}, {0.25f})}});
    const auto [found, first] = h->s.run(fg::fetch(std::get<1>(h->both), std::get<2>(h->both)));
    CHECK(found[0] == "y");  // begun by one call, completed first
    CHECK(elements_of(first) == integers{2, 1});
  }
}
