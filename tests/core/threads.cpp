#include <flowgraph/core/detail/one_thread.hpp>
#include <flowgraph/core/detail/stop_token.hpp>
#include <flowgraph/core/threads.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <type_traits>

namespace fg = flowgraph;
namespace one_thread = fg::detail::one_thread;
using namespace std::chrono_literals;

namespace {

// The library's names, and the classes that stand in for those of the standard library.
struct named {
  using source = fg::stop_source;
  using token = fg::stop_token;
  template <class F> using callback = fg::stop_callback<F>;
};
struct own {
  using source = fg::detail::stops::stop_source;
  using token = fg::detail::stops::stop_token;
  template <class F> using callback = fg::detail::stops::stop_callback<F>;
};

}  // namespace

#ifdef __cpp_lib_jthread
TEST_CASE("threads: a stop token is the standard library's where it has one") {
  CHECK(std::is_same_v<fg::stop_token, std::stop_token>);
  CHECK(std::is_same_v<fg::stop_callback<void (*)()>, std::stop_callback<void (*)()>>);
}
#endif

TEST_CASE_TEMPLATE("threads: a request is seen by every token, and only the first one is a request", stops, named, own) {
  typename stops::source source;
  const typename stops::token token = source.get_token(), same = source.get_token(), none;
  CHECK((token == same));
  CHECK_FALSE((token == none));
  CHECK_FALSE(token.stop_requested());
  CHECK(source.request_stop());
  CHECK_FALSE(source.request_stop());
  CHECK(token.stop_requested());
  CHECK(source.stop_requested());
  CHECK_FALSE(none.stop_requested());
}

TEST_CASE_TEMPLATE("threads: a stop is possible while a source is left, or once it is requested", stops, named, own) {
  typename stops::token left, requested, none;
  {
    typename stops::source source, asked;
    typename stops::source copy = source;
    left = copy.get_token();
    source = asked;
    CHECK(left.stop_possible());
    asked.request_stop();
    requested = asked.get_token();
  }
  CHECK_FALSE(left.stop_possible());
  CHECK(requested.stop_possible());
  CHECK_FALSE(none.stop_possible());
}

TEST_CASE_TEMPLATE("threads: a callback is called once, at the request or at once, and not when it is gone", stops, named, own) {
  typename stops::source source;
  int calls = 0;
  const auto count = [&calls] { ++calls; };
  using callback = typename stops::template callback<decltype(count)>;
  const callback first(source.get_token(), count);
  std::optional<callback> second, gone;
  second.emplace(source.get_token(), count);
  gone.emplace(source.get_token(), count);
  gone.reset();
  CHECK(calls == 0);
  source.request_stop();
  CHECK(calls == 2);
  source.request_stop();
  CHECK(calls == 2);
  const callback late(source.get_token(), count);
  CHECK(calls == 3);
}

TEST_CASE_TEMPLATE("threads: a callback may destroy itself while it is called", stops, named, own) {
  typename stops::source source;
  struct itself {
    std::optional<typename stops::template callback<itself>>* of;
    int* calls;
    void operator()() const {
      int* const called = calls;
      of->reset();
      ++*called;
    }
  };
  int calls = 0;
  std::optional<typename stops::template callback<itself>> callback;
  callback.emplace(source.get_token(), itself{&callback, &calls});
  source.request_stop();
  CHECK(calls == 1);
  CHECK_FALSE(callback.has_value());
}

#ifndef FLOWGRAPH_NO_THREADS
TEST_CASE_TEMPLATE("threads: who destroys a callback that another thread calls waits until it has returned", stops, named, own) {
  typename stops::source source;
  std::atomic<bool> begun = false, ended = false;
  const auto slow = [&] {
    begun = true;
    std::this_thread::sleep_for(20ms);
    ended = true;
  };
  std::optional<typename stops::template callback<decltype(slow)>> callback;
  callback.emplace(source.get_token(), slow);
  std::thread other([&] { source.request_stop(); });
  while (!begun) std::this_thread::yield();
  callback.reset();
  CHECK(ended);
  other.join();
}
#endif

TEST_CASE("threads: the only thread takes a lock that is free, and no other") {
  one_thread::mutex m;
  {
    const one_thread::lock_guard lock(m);
    one_thread::unique_lock other(m, one_thread::defer_lock);
    CHECK_FALSE(other.try_lock());
    CHECK_FALSE(other.owns_lock());
  }
  one_thread::unique_lock lock(m, one_thread::defer_lock);
  CHECK(lock.try_lock());
  CHECK(lock.owns_lock());
  lock.unlock();
  CHECK(m.try_lock());
}

TEST_CASE("threads: the only thread waits until a time, and not for what nobody does") {
  one_thread::mutex m;
  one_thread::unique_lock lock(m);
  one_thread::condition_variable changed;
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(changed.wait_until(lock, start + 2ms, [] { return false; }));
  CHECK(std::chrono::steady_clock::now() - start >= 2ms);
  CHECK(changed.wait_until(lock, start + 1h, [] { return true; }));
  changed.wait(lock, [] { return false; });
  CHECK(lock.owns_lock());
}
