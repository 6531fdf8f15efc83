// Queues of each kind between threads, closed and given up at random: each element arrives once, or who put it in or took it was told of
// an error.
#include <flowgraph/runtime/session.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/data_flow/priority_queue.hpp>
#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <flowgraph/core/threads.hpp>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::chrono_literals;

namespace {

using numbers = std::vector<std::int64_t>;

// What all kinds of queues look like here: elements of one number, with a handle by which they are fed and taken.
struct watched_queue {
  fg::graph g;
  fg::out<std::int64_t> xs = g.placeholder<std::int64_t>("xs", {fg::any});
  fg::out<std::int32_t> n = g.placeholder<std::int32_t>("n", {});
  fg::target put_many, close, close_now;
  fg::out<std::int64_t> batch, rest;
  fg::out<std::int32_t> size;

  explicit watched_queue(int kind) {
    const std::vector<fg::shape> scalars{fg::shape{}};
    if (kind == 0) watch(fg::fifo_queue<std::int64_t>(g, {.capacity = 7, .shapes = scalars}));
    if (kind == 1)
      watch(fg::random_shuffle_queue<std::int64_t>(g, {.capacity = 7, .min_after_dequeue = 2, .seed = 3, .shapes = scalars}));
    if (kind == 2) watch(fg::priority_queue<std::int64_t>(g, {.capacity = 7, .shapes = scalars}));
  }

  void watch(const fg::queue<std::int64_t>& q) {
    put_many = q.enqueue_many(xs);
    batch = q.dequeue_many(n);
    rest = q.dequeue_up_to(n);
    watch_ends(q);
  }
  void watch(const fg::queue<std::int64_t, std::int64_t>& q) {
    put_many = q.enqueue_many(xs, xs);
    batch = std::get<1>(q.dequeue_many(n));
    rest = std::get<1>(q.dequeue_up_to(n));
    watch_ends(q);
  }
  template <class Queue> void watch_ends(const Queue& q) {
    close = q.close();
    close_now = q.close(true);
    size = q.size();
  }
};

// One thread's random numbers.
class dice {
public:
  explicit dice(std::uint64_t seed) : state_(seed * 2 + 1) {}
  int below(int end) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(end));
  }

private:
  std::uint64_t state_;
};

struct counts {
  std::atomic<std::int64_t> put{0};           // surely
  std::atomic<std::int64_t> perhaps{0};       // the run that put them in ended in an error
  std::atomic<std::int64_t> perhaps_lost{0};  // at most so many left with runs that were late
};

// Gives up by a deadline, by a token, or does not wait; most often none of these.
fg::run_options random_options(dice& d, flowgraph::stop_source& source) {
  switch (d.below(8)) {
    case 0: return fg::run_options::within(std::chrono::microseconds(20 + d.below(200)));
    case 1: return {.may_wait = false};
    case 2: source.request_stop(); return {.stop = source.get_token()};
    default: return {};
  }
}

bool is_told(const fg::error& why) {
  const error_code c = why.code();
  const bool is_expected = c == error_code::deadline_exceeded || c == error_code::cancelled || c == error_code::unavailable ||
                           c == error_code::out_of_range;
  CHECK_MESSAGE(is_expected, std::string(why.what()));
  return is_expected;
}

void give(watched_queue& t, fg::session& s, std::uint64_t thread, int rounds, counts& all) {
  dice d(thread);
  std::int64_t next = static_cast<std::int64_t>(thread) * 1'000'000;
  for (int round = 0; round < rounds; ++round) {
    numbers values(static_cast<std::size_t>(1 + d.below(4)));
    for (std::int64_t& v : values) v = next++;
    flowgraph::stop_source source;
    const auto count = static_cast<std::int64_t>(values.size());
    const auto made =
        s.try_run(t.put_many, {{t.xs, fg::tensor<std::int64_t>(fg::shape{values.size()}, values)}}, random_options(d, source));
    if (made) all.put += count;
    else if (!is_told(made.error())) return;
    // One that did not wait has left nothing.
    if (!made && made.error().code() != error_code::unavailable) all.perhaps += count;
  }
}

numbers take(watched_queue& t, fg::session& s, std::uint64_t thread, counts& all) {
  dice d(thread);
  numbers got;
  for (;;) {
    const std::int32_t wanted = 1 + d.below(5);
    flowgraph::stop_source source;
    const auto made = s.try_run(fg::fetch(d.below(2) ? t.batch : t.rest), {{t.n, wanted}}, random_options(d, source));
    if (made) {
      got.insert(got.end(), made->begin(), made->end());
      continue;
    }
    if (!is_told(made.error()) || made.error().code() == error_code::out_of_range) return got;
    if (made.error().code() != error_code::unavailable) all.perhaps_lost += wanted;
  }
}

void check_queue(int kind, bool at_once, fg::thread_pool* pool) {
  CAPTURE(kind);
  CAPTURE(at_once);
  constexpr std::size_t threads = 4;
  watched_queue t(kind);
  fg::session s{t.g, {.pool = pool}};
  counts all;
  std::vector<std::thread> givers, takers;
  std::vector<numbers> got(threads + 1);
  for (std::size_t k = 0; k < threads; ++k) {
    givers.emplace_back([&, k] { give(t, s, k, 60, all); });
    takers.emplace_back([&, k] { got[k] = take(t, s, 100 + k, all); });
  }
  if (at_once) {
    std::this_thread::sleep_for(3ms);
    s.run(t.close_now);
  }
  for (auto& thread : givers) thread.join();
  if (!at_once) s.run(t.close);
  for (auto& thread : takers) thread.join();
  for (;;) {  // what dequeue_many has left
    const auto made = s.try_run(fg::fetch(t.rest), {{t.n, 3}});
    if (!made) break;
    got[threads].insert(got[threads].end(), made->begin(), made->end());
  }
  CHECK(s.run(fg::fetch(t.size)).scalar() == 0);
  numbers every;
  for (const numbers& part : got) every.insert(every.end(), part.begin(), part.end());
  std::sort(every.begin(), every.end());
  CHECK(std::adjacent_find(every.begin(), every.end()) == every.end());
  const auto arrived = static_cast<std::int64_t>(every.size());
  CHECK(arrived + all.perhaps_lost >= all.put);
  CHECK(arrived <= all.put + all.perhaps);
}

}  // namespace

// The deadlines fail these tests instead of hanging them.
TEST_CASE("queues of each kind: closing at once ends those who wait for elements") {
  for (int kind = 0; kind < 3; ++kind) {
    CAPTURE(kind);
    watched_queue t(kind);
    fg::session s{t.g};
    fg::error why;
    std::thread taker([&] { why = s.try_run(fg::fetch(t.batch), {{t.n, 2}}, fg::run_options::within(5s)).error(); });
    std::this_thread::sleep_for(20ms);
    s.run(t.close_now);
    taker.join();
    CHECK(why.code() == error_code::out_of_range);
  }
}

TEST_CASE("a queue that keeps elements back gives all of them once it is closed") {
  watched_queue t(1);
  fg::session s{t.g};
  s.run(t.put_many, {{t.xs, fg::tensor<std::int64_t>({3}, {1, 2, 3})}});
  s.run(t.close);
  const auto made = s.try_run(fg::fetch(t.batch), {{t.n, 3}}, fg::run_options::within(5s));
  REQUIRE(made);
  CHECK(made->size() == 3);
}

TEST_CASE("queues of each kind, closed and given up at random: each element arrives once, or somebody was told") {
  fg::thread_pool pool(2);
  for (int kind = 0; kind < 3; ++kind)
    for (const bool at_once : {false, true})
      for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) check_queue(kind, at_once, p);
}

TEST_CASE("queues of each kind: where nobody gives up, all that was put in arrives") {
  for (int kind = 0; kind < 3; ++kind) {
    CAPTURE(kind);
    constexpr std::int64_t each = 120;
    watched_queue t(kind);
    fg::session s{t.g};
    std::atomic<std::int64_t> sum{0}, count{0};
    std::vector<std::thread> givers, takers;
    for (int k = 0; k < 3; ++k) {
      givers.emplace_back([&] {
        for (std::int64_t i = 0; i < each; i += 3)
          CHECK(s.try_run(t.put_many, {{t.xs, fg::tensor<std::int64_t>({3}, {i, i + 1, i + 2})}}));
      });
      takers.emplace_back([&, k] {
        for (;;) {
          const auto made = s.try_run(fg::fetch(t.rest), {{t.n, k + 1}});
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
    s.run(t.close);
    for (auto& thread : takers) thread.join();
    CHECK(count == 3 * each);
    CHECK(sum == 3 * each * (each - 1) / 2);
  }
}
