#include <flowgraph/ops/data_flow/queue.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <stop_token>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::chrono_literals;

namespace {

using numbers = std::vector<std::int64_t>;
using outcome = fg::result<fg::fetched<std::int64_t>>;

fg::tensor<std::int64_t> tensor_of(const numbers& n) { return fg::tensor<std::int64_t>(fg::shape{n.size()}, n); }
numbers list(const fg::tensor<std::int64_t>& t) { return {t.begin(), t.end()}; }

// A queue of numbers, and all that can be done with it.
struct counted_queue {
  fg::graph g;
  fg::fifo_queue<std::int64_t> q;
  fg::out<std::int64_t> x = g.placeholder<std::int64_t>("x", {});
  fg::out<std::int64_t> xs = g.placeholder<std::int64_t>("xs", {fg::any});
  fg::out<std::int32_t> n = g.placeholder<std::int32_t>("n", {});
  fg::target put = q.enqueue(x), put_many = q.enqueue_many(xs), close = q.close(), close_now = q.close(true);
  fg::out<std::int64_t> taken = q.dequeue(), batch = q.dequeue_many(n), rest = q.dequeue_up_to(n);
  fg::out<std::int32_t> size = q.size();
  fg::out<bool> is_closed = q.is_closed();
  fg::session s{g};

  explicit counted_queue(std::int64_t capacity) : q(g, {.capacity = capacity, .shapes = {{}}}) {}

  fg::result<void> enqueue(std::int64_t value, const fg::run_options& o = {}) { return s.try_run(put, {{x, value}}, o); }
  fg::result<void> enqueue_many(const numbers& values, const fg::run_options& o = {}) {
    return s.try_run(put_many, {{xs, tensor_of(values)}}, o);
  }
  outcome dequeue(const fg::run_options& o = {}) { return s.try_run(fg::fetch(taken), {}, o); }
  outcome dequeue_many(std::int32_t count, const fg::run_options& o = {}) { return s.try_run(fg::fetch(batch), {{n, count}}, o); }
  outcome dequeue_up_to(std::int32_t count, const fg::run_options& o = {}) { return s.try_run(fg::fetch(rest), {{n, count}}, o); }
  std::int32_t held() { return s.run(fg::fetch(size)).scalar(); }
  // Until so many elements are in it: then who waits has done what it could.
  void wait_until(std::int32_t elements) {
    while (held() != elements) std::this_thread::sleep_for(100us);
  }
};

}  // namespace

TEST_CASE("a dequeue of an empty queue waits for an element, an enqueue of a full one for a place") {
  counted_queue t(1);
  outcome got = fg::error(error_code::internal, "nothing yet");
  {
    std::thread taker([&] { got = t.dequeue(); });
    std::this_thread::sleep_for(2ms);
    CHECK(t.enqueue(5));
    taker.join();
  }
  REQUIRE(got);
  CHECK(got->scalar() == 5);
  CHECK(t.enqueue(6));
  fg::result<void> put;
  {
    std::thread giver([&] { put = t.enqueue(7); });
    std::this_thread::sleep_for(2ms);
    CHECK(t.held() == 1);
    CHECK(t.dequeue().value().scalar() == 6);
    giver.join();
  }
  CHECK(put);
  CHECK(t.dequeue().value().scalar() == 7);
}

TEST_CASE("batches larger than the queue go through it, in order") {
  counted_queue t(2);
  numbers all(20);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  std::thread giver([&] { CHECK(t.enqueue_many(all)); });
  CHECK(list(t.dequeue_many(15).value()) == numbers(all.begin(), all.begin() + 15));
  CHECK(list(t.dequeue_many(5).value()) == numbers(all.begin() + 15, all.end()));
  giver.join();
  CHECK(t.held() == 0);
}

TEST_CASE("a queue of no capacity lets nothing in but the batch that waits") {
  counted_queue t(0);
  CHECK(t.enqueue(1, fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  CHECK(t.enqueue_many({}));
  CHECK(t.dequeue_many(0).value().size() == 0);
}

TEST_CASE("in one run, on one thread, both sides of a queue") {
  fg::graph g;
  fg::fifo_queue<float> q(g, {.capacity = 1});
  auto x = g.placeholder<float>("x", {});
  auto first = q.dequeue(), second = q.dequeue();
  fg::out<float> end;
  {
    auto after = g.after(q.enqueue(x), q.enqueue(engine::add(x, x)));
    end = engine::add(x, x);
  }
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(first, second, end));
  for (float i = 1; i < 5; ++i) {
    auto [a, b, c] = step(i);
    CHECK(a.scalar() + b.scalar() == 3 * i);
    CHECK(c.scalar() == 2 * i);
  }
}

TEST_CASE("who waits can be cancelled, by a token or a deadline, and then has taken and left nothing") {
  counted_queue t(3);
  for (int way = 0; way < 2; ++way) {
    CHECK(t.enqueue_many({1, 2}));
    std::stop_source source;
    outcome got = fg::error(error_code::internal, "nothing yet");
    {
      std::thread taker([&] {
        got = t.dequeue_many(4, way == 0 ? fg::run_options{.stop = source.get_token()} : fg::run_options::within(250ms));
      });
      t.wait_until(0);  // it has taken what there was
      if (way == 0) source.request_stop();
      taker.join();
    }
    REQUIRE_FALSE(got);
    CHECK(got.error().code() == (way == 0 ? error_code::cancelled : error_code::deadline_exceeded));
    CHECK(t.held() == 2);  // and has put it back
    CHECK(list(t.dequeue_many(2).value()) == numbers{1, 2});
  }
  CHECK(t.enqueue_many({1, 2, 3}));
  CHECK(t.enqueue(4, fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  CHECK(list(t.dequeue_many(3).value()) == numbers{1, 2, 3});
  CHECK(t.dequeue(fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  std::stop_source stopped;
  stopped.request_stop();
  CHECK(t.enqueue(5, {.stop = stopped.get_token()}).error().code() == error_code::cancelled);
}

TEST_CASE("elements that a cancelled batch gives back are for those who wait behind it") {
  counted_queue t(-1);
  CHECK(t.enqueue_many({1, 2}));
  std::stop_source source;
  std::thread first([&] { CHECK_FALSE(t.dequeue_many(3, {.stop = source.get_token()})); });
  t.wait_until(0);
  outcome got = fg::error(error_code::internal, "nothing yet");
  std::thread second([&] { got = t.dequeue_many(2); });
  std::this_thread::sleep_for(2ms);
  source.request_stop();
  first.join();
  second.join();
  REQUIRE(got);
  CHECK(list(*got) == numbers{1, 2});
}

TEST_CASE("an error elsewhere in the run ends who waits") {
  fg::graph g;
  fg::fifo_queue<float> q(g);
  auto x = g.placeholder<float>("x", {});
  auto taken = q.dequeue();
  auto put = q.enqueue(x);
  auto wrong = engine::failing(x, {.name = "wrong"});
  auto twice = engine::add(x, x);
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(taken, wrong), {{x, 1.f}});
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == error_code::data_loss);
  CHECK(made.error().node() == "wrong");
  s.run(put, {{x, 2.f}});
  CHECK(s.run(fg::fetch(taken)).scalar() == 2.f);  // the one that was ended has not taken it
  engine::check_usable(s, x, twice);
}

TEST_CASE("a closed queue gives what it has, then says that it is out of range; nothing goes in") {
  counted_queue t(9);
  CHECK(t.enqueue_many({1, 2, 3, 4, 5, 6}));
  CHECK_FALSE(t.s.run(fg::fetch(t.is_closed)).scalar());
  t.s.run(t.close);
  CHECK(t.s.run(fg::fetch(t.is_closed)).scalar());
  const fg::error again = t.s.try_run(t.close).error();
  engine::check_error(again, error_code::cancelled, "QueueCloseV2", "QueueCloseV2", {"'FIFOQueueV2'", "closed already"});
  t.s.run(t.close_now);
  CHECK(t.enqueue(7).error().code() == error_code::cancelled);
  CHECK(t.enqueue_many({7, 8}).error().code() == error_code::cancelled);
  CHECK(t.dequeue().value().scalar() == 1);
  CHECK(list(t.dequeue_many(2).value()) == numbers{2, 3});
  const fg::error many = t.dequeue_many(4).error();
  engine::check_error(many, error_code::out_of_range, "QueueDequeueManyV2", "QueueDequeueManyV2", {"requested 4", "found 3"});
  CHECK(t.held() == 3);
  CHECK(list(t.dequeue_up_to(2).value()) == numbers{4, 5});
  CHECK(list(t.dequeue_up_to(9).value()) == numbers{6});
  CHECK(t.dequeue_up_to(1).error().code() == error_code::out_of_range);
  CHECK(t.dequeue().error().code() == error_code::out_of_range);
  CHECK(t.dequeue_many(0).value().size() == 0);
}

TEST_CASE("closing ends those who wait for elements") {
  for (const bool up_to : {false, true}) {
    counted_queue t(-1);
    CHECK(t.enqueue_many({1, 2, 3}));
    outcome got = fg::error(error_code::internal, "nothing yet"), next = got;
    std::thread taker([&] { got = up_to ? t.dequeue_up_to(5) : t.dequeue_many(5); });
    t.wait_until(0);
    std::thread behind([&] { next = t.dequeue(); });
    std::this_thread::sleep_for(2ms);
    t.s.run(t.close);
    taker.join();
    behind.join();
    if (up_to) {
      CHECK(list(got.value()) == numbers{1, 2, 3});
      CHECK(next.error().code() == error_code::out_of_range);
    } else {  // what it had taken went back, to who came after it
      CHECK(got.error().code() == error_code::out_of_range);
      CHECK(next.value().scalar() == 1);
      CHECK(list(t.dequeue_many(2).value()) == numbers{2, 3});
    }
  }
}

TEST_CASE("closing waits for those who wait for a place, or cancels them") {
  for (const bool at_once : {false, true}) {
    counted_queue t(2);
    CHECK(t.enqueue_many({1, 2}));
    fg::result<void> put, closed;
    std::thread giver([&] { put = t.enqueue_many({3, 4}); });
    std::this_thread::sleep_for(200ms);  // until it waits, also on a busy machine
    std::thread closer([&] { closed = t.s.try_run(at_once ? t.close_now : t.close); });
    if (at_once) {
      giver.join();
      closer.join();
      CHECK(put.error().code() == error_code::cancelled);
    } else {
      std::this_thread::sleep_for(5ms);
      CHECK_FALSE(t.s.run(fg::fetch(t.is_closed)).scalar());
      CHECK(list(t.dequeue_many(2).value()) == numbers{1, 2});
      giver.join();
      closer.join();
      CHECK(put);
    }
    CHECK(closed);
    CHECK(t.s.run(fg::fetch(t.is_closed)).scalar());
    CHECK(t.held() == 2);
    CHECK(t.enqueue(9).error().code() == error_code::cancelled);
  }
}

TEST_CASE("an element that cannot be delivered stays in the queue") {
  fg::graph g;
  fg::fifo_queue<float> q(g, {.shapes = {{64}}});
  auto x = g.placeholder<float>("x", {fg::any, 64});
  auto put = q.enqueue_many(x);
  auto batch = q.dequeue_many(2);
  auto size = q.size();
  engine::counting_memory memory;
  {
    fg::container resources;
    fg::session rich{g, {.resources = &resources}};
    fg::session poor{g, {.resources = &resources, .memory = &memory, .memory_limit = 400}};
    rich.run(put, {{x, fg::tensor<float>({5, 64})}});
    const auto made = poor.try_run(fg::fetch(batch));
    REQUIRE_FALSE(made);
    CHECK(made.error().code() == error_code::resource_exhausted);
    CHECK(rich.run(fg::fetch(size)).scalar() == 5);
    CHECK(rich.run(fg::fetch(batch)).shape() == fg::shape{2, 64});
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("a batch that leaves as it came is not copied, and one of some of its rows holds on to no more than twice its size") {
  fg::graph g;
  fg::fifo_queue<float, std::string> q(g, {.shapes = {{2}, {}}});
  const auto x = g.placeholder<float>("x", {fg::any, 2});
  const auto t = g.placeholder<std::string>("t", {fg::any});
  const auto n = g.placeholder<std::int32_t>("n", {});
  const auto put = q.enqueue_many(x, t);
  const auto [some, texts] = q.dequeue_many(n);
  const auto [one, text] = q.dequeue();
  fg::session s{g};
  const fg::tensor<float> rows({5, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const fg::tensor<std::string> names({5}, {"a", "b", "c", "d", "e"});
  const auto fill = [&] { s.run(put, {{x, rows}, {t, names}}); };
  const auto take = [&](std::int32_t size) { return s.run(fg::fetch(some, texts), {{n, size}}); };
  fill();
  CHECK(std::get<0>(take(5)).data() == rows.data());
  fill();
  {
    const auto [part, its_names] = take(3);
    CHECK(part.data() == rows.data());
    CHECK(its_names[2] == "c");
  }
  fill();
  {
    auto [part, its_names] = take(4);  // two rows of one batch, and two of the next
    CHECK(part.data() != rows.data());
    CHECK(std::vector<float>(part.begin(), part.end()) == std::vector<float>{6, 7, 8, 9, 0, 1, 2, 3});
    CHECK(its_names[1] == "e");
    CHECK(its_names[2] == "a");
    part.writable()[0] = 100;
  }
  {
    auto [part, its_names] = take(3);
    CHECK(part.data() == rows.data() + 4);
    part.writable()[0] = 100;  // a copy: nobody else sees it
  }
  CHECK(rows[4] == 4);
  fill();
  CHECK(s.run(fg::fetch(one)).data() != rows.data());
  CHECK(std::get<0>(take(2)).data() != rows.data() + 2);
}

TEST_CASE("a queue that is dropped while kernels wait for it answers them with an error that names it") {
  fg::container resources;
  counted_queue t(1);
  fg::session s{t.g, {.resources = &resources}};
  // Cleared until the run has ended: it may not have begun to wait. The deadline fails this test instead of hanging it.
  const auto ends = [&](bool whole, auto run) {
    CAPTURE(whole);
    std::atomic<bool> ended = false;
    fg::error why;
    std::thread other([&] {
      why = run(fg::run_options::within(20s)).error();
      ended = true;
    });
    while (!ended) {
      std::this_thread::sleep_for(1ms);
      whole ? resources.clear() : resources.clear("");
    }
    other.join();
    CHECK(why.code() == error_code::cancelled);
    for (const char* part : {"cancelled", "FIFOQueue '", "container of the queue was cleared"})
      CHECK(std::string_view(why.what()).find(part) != std::string_view::npos);
    CHECK(s.try_run(t.put, {{t.x, std::int64_t{1}}}));  // to a new one
    CHECK(s.run(fg::fetch(t.taken)).scalar() == 1);
  };
  for (const bool whole : {true, false}) {
    ends(whole, [&](const fg::run_options& o) { return s.try_run(fg::fetch(t.batch), {{t.n, 2}}, o); });
    ends(whole, [&](const fg::run_options& o) { return s.try_run(t.put_many, {{t.xs, tensor_of({1, 2, 3})}}, o); });
  }
}

TEST_CASE("a run that holds a dropped queue takes what is there and does not wait for more") {
  fg::graph g;
  fg::fifo_queue<float> q(g);
  auto x = g.placeholder<float>("x", {});
  fg::container resources;
  std::atomic<bool> was_there = false;
  const auto clears = engine::probe(x, [&](fg::cpu) {
    was_there = !resources.names().empty();
    resources.clear();
  });
  fg::out<float> first, second;
  {
    const auto after = g.after(clears);
    first = q.dequeue();
    const auto then = g.after(first);
    second = q.dequeue();
  }
  fg::session s{g, {.resources = &resources}};
  s.run(q.enqueue(x), {{x, 7.f}});
  // The handle is fed, so that the run holds the queue before it is dropped.
  const auto handle = s.run(fg::fetch(q.handle()));
  const auto taken = s.try_run(fg::fetch(first, second), {{x, 1.f}, {q.handle(), handle}}, fg::run_options::within(20s));
  CHECK(was_there);
  CHECK(taken.error().code() == error_code::cancelled);
  CHECK(taken.error().node() == second.source->name);
}

TEST_CASE("many threads use one queue at once, some give up, and no element arrives twice or out of order") {
  constexpr std::int64_t each = 200, range = 1'000;
  constexpr std::size_t givers = 3, takers = 3;
  counted_queue t(5);
  std::array<numbers, takers> got;
  std::atomic<std::size_t> given{0}, ended_late{0};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < givers; ++k)
    threads.emplace_back([&, k] {
      for (std::int64_t i = 0; i < each; ++i) {
        const bool gives_up = i % 7 == 3;
        const auto options = gives_up ? fg::run_options::within(30us) : fg::run_options{};
        const auto put = t.enqueue(static_cast<std::int64_t>(k) * range + i, options);
        if (put) ++given;
        else CHECK((gives_up && put.error().code() == error_code::deadline_exceeded));
      }
    });
  for (std::size_t k = 0; k < takers; ++k)
    threads.emplace_back([&, k] {
      for (int round = 0;; ++round) {
        const auto options = round % 3 == 0 ? fg::run_options::within(50us) : fg::run_options{};
        const auto made = k == 0 ? t.dequeue(options) : t.dequeue_up_to(4, options);
        if (made) got[k].insert(got[k].end(), made->begin(), made->end());
        else if (made.error().code() == error_code::out_of_range) return;
        else if (made.error().code() == error_code::deadline_exceeded) ++ended_late;
        else FAIL_CHECK(made.error().what());
      }
    });
  for (std::size_t k = 0; k < givers; ++k) threads[k].join();
  t.s.run(t.close);
  for (std::size_t k = givers; k < threads.size(); ++k) threads[k].join();
  numbers all;
  for (const numbers& part : got) {
    std::array<std::int64_t, givers> last;
    last.fill(-1);
    for (const std::int64_t value : part) {  // each taker sees the elements of one giver in their order
      std::int64_t& before = last[static_cast<std::size_t>(value / range)];
      CHECK(value % range > before);
      before = value % range;
    }
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  // A run that ends after its kernel was answered has done what it did, though it says that it was late.
  CHECK(all.size() + 4 * ended_late >= given);
  CHECK(all.size() <= each * givers);
  CHECK(t.held() == 0);
}

// Eight threads put numbers in and eight take them out, each giving up after some microseconds; one closes the queue at any moment. What
// was said to be in comes out once, what was refused never.
TEST_CASE("many threads with deadlines of microseconds, and closings: each element once, or reported") {
  for (std::uint32_t round = 0; round < 24; ++round) {
    counted_queue t(16);
    constexpr std::int64_t each = 250;
    std::vector<std::atomic<int>> put(8 * each), taken(8 * each);
    std::atomic<int> odd = 0;
    const auto random_from = [](std::uint32_t state) {
      return [state]() mutable { return (state = state * 1664525u + 1013904223u) >> 16; };
    };
    const auto count = [&](const numbers& n) {
      for (const std::int64_t v : n) ++taken[static_cast<std::size_t>(v)];
    };
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 8; ++i)
      threads.emplace_back([&, random = random_from(round * 16 + i), first = i * each]() mutable {
        for (std::int64_t k = 0; k < each;) {
          const auto done = t.enqueue(first + k, fg::run_options::within(std::chrono::microseconds(random() % 200)));
          if (done) ++put[static_cast<std::size_t>(first + k++)];
          else if (done.error().code() == error_code::cancelled) return;
          else if (done.error().code() != error_code::deadline_exceeded) ++odd;
        }
      });
    for (std::uint32_t i = 0; i < 8; ++i)
      threads.emplace_back([&, random = random_from(round * 16 + 8 + i)]() mutable {
        for (;;) {
          const auto limit = fg::run_options::within(std::chrono::microseconds(random() % 400));
          const auto made = random() % 3 ? t.dequeue_many(7, limit) : t.dequeue_up_to(7, limit);
          if (made) count(list(*made));
          else if (made.error().code() == error_code::out_of_range) return;
          else if (made.error().code() != error_code::deadline_exceeded) ++odd;
        }
      });
    auto random = random_from(round);
    std::thread closer([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
      t.s.run(round % 2 ? t.close : t.close_now);
    });
    for (auto& thread : threads) thread.join();
    closer.join();
    while (const auto left = t.dequeue_up_to(100)) count(list(*left));
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < put.size(); ++i) wrong += put[i] != taken[i];
    CHECK(wrong == 0);
    CHECK(odd == 0);
  }
}

TEST_CASE("many threads, without giving up: all that was put in comes out") {
  constexpr std::int64_t each = 300;
  counted_queue t(3);
  std::atomic<std::int64_t> sum{0}, count{0};
  std::vector<std::thread> givers, takers;
  for (int k = 0; k < 3; ++k) {
    givers.emplace_back([&] {
      for (std::int64_t i = 0; i < each; i += 3) CHECK(t.enqueue_many({i, i + 1, i + 2}));
    });
    takers.emplace_back([&, k] {
      for (;;) {
        const auto made = k == 0 ? t.dequeue() : t.dequeue_up_to(4);
        if (!made) {
          CHECK(made.error().code() == error_code::out_of_range);
          return;
        }
        for (const std::int64_t value : *made) sum += value;
        count += static_cast<std::int64_t>(made->size());
      }
    });
  }
  for (auto& thread : givers) thread.join();
  t.s.run(t.close);
  for (auto& thread : takers) thread.join();
  CHECK(count == 3 * each);
  CHECK(sum == 3 * each * (each - 1) / 2);
}

TEST_CASE("a run that may not wait ends at once with an error that names the queue, and has taken and left nothing") {
  counted_queue t(3);
  const fg::run_options at_once{.may_wait = false};
  const auto check = [](const fg::error& why, std::string_view doing) {
    CHECK(why.code() == error_code::unavailable);
    for (const std::string_view part : {doing, std::string_view("FIFOQueue 'FIFOQueueV2'")})
      CHECK_MESSAGE(std::string_view(why.what()).find(part) != std::string_view::npos, std::string(why.what()));
  };
  check(t.dequeue(at_once).error(), "dequeueing");
  CHECK(t.enqueue_many({1, 2}, at_once));
  check(t.dequeue_many(3, at_once).error(), "dequeueing");
  CHECK(t.held() == 2);
  check(t.enqueue_many({3, 4}, at_once).error(), "enqueueing");
  CHECK(t.held() == 2);
  CHECK(t.enqueue(3, at_once));
  check(t.enqueue(4, at_once).error(), "enqueueing");
  CHECK(list(t.dequeue_many(3, at_once).value()) == numbers{1, 2, 3});

  // Prepared steps too, and in a pool.
  fg::thread_pool pool(2);
  fg::session shared{t.g, {.pool = &pool}};
  for (fg::session* s : {&t.s, &shared}) {
    auto take = s->prepare(fg::feed(), fg::fetch(t.taken));
    auto put = s->prepare(fg::feed(t.x), t.put);
    check(take.try_run(at_once).error(), "dequeueing");
    CHECK(put.try_run(at_once, fg::tensor<std::int64_t>(5)));
    CHECK(take.try_run(at_once)->scalar() == 5);
    CHECK(put.try_run({}, fg::tensor<std::int64_t>(6)));  // of the next run nothing is kept
    CHECK(take.try_run({}));
  }
}

TEST_CASE("a run that may not wait gives all of a batch to those who wait for it, and asks nobody to leave the line") {
  counted_queue t(1);
  outcome got = fg::error(error_code::internal, "nothing yet");
  CHECK(t.enqueue(1));
  std::thread taker([&] { got = t.dequeue_many(4); });
  t.wait_until(0);
  const fg::run_options at_once{.may_wait = false};
  CHECK(t.dequeue(at_once).error().code() == error_code::unavailable);  // behind the other
  CHECK(t.enqueue_many({2, 3, 4, 5, 6}, at_once).error().code() == error_code::unavailable);
  CHECK(t.enqueue_many({2, 3, 4, 5}, at_once));  // three for the one who waits, one for the queue
  taker.join();
  CHECK(list(got.value()) == numbers{1, 2, 3, 4});
  CHECK(t.held() == 1);
}

TEST_CASE("a run that may not wait does not close a queue behind those who wait for a place") {
  bool refused = false;
  for (auto pause = 2ms; !refused && pause < 1s; pause *= 4) {  // until the giver has come to wait before it is closed
    counted_queue t(1);
    CHECK(t.enqueue(5));
    fg::result<void> late;
    std::thread giver([&] { late = t.enqueue(6); });
    std::this_thread::sleep_for(pause);
    const auto closed = t.s.try_run(t.close, {}, {.may_wait = false});
    refused = !closed && closed.error().code() == error_code::unavailable;
    CHECK(t.s.run(fg::fetch(t.is_closed)).scalar() == !refused);
    CHECK(t.dequeue().value().scalar() == 5);
    giver.join();
    CHECK(static_cast<bool>(late) == refused);
  }
  CHECK(refused);
}
