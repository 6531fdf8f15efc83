#pragma once

#include <flowgraph/core/threads.hpp>
#include <flowgraph/train/coordinator.hpp>

#include <algorithm>
#include <list>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct coordinator::state {
  stop_source stop;
  threading::mutex mutex;
  threading::condition_variable ended;
  std::vector<std::string> working;  // the names of the running threads
  error why;
  std::exception_ptr thrown;
  std::list<threading::thread> threads;

  ~state() {
    for (threading::thread& t : threads) t.join();
  }

  void keep(std::exception_ptr e) {
    {
      const threading::lock_guard lock(mutex);
      if (!why && !thrown) thrown = std::move(e);
    }
    stop.request_stop();
  }
  void fail(error reason) {
    {
      const threading::lock_guard lock(mutex);
      if (!why && !thrown) why = std::move(reason);
    }
    stop.request_stop();
  }
  void begin(const std::string& name) {
    const threading::lock_guard lock(mutex);
    working.push_back(name);
  }
  void end(const std::string& name) {
    const threading::lock_guard lock(mutex);
    working.erase(std::find(working.begin(), working.end(), name));
    ended.notify_all();
  }
  void run(work& what) {
#ifdef FLOWGRAPH_EXCEPTIONS
    try {
      what(stop.get_token());
    } catch (const error& e) { fail(e); } catch (...) {
      keep(std::current_exception());
    }
#else
    what(stop.get_token());
#endif
  }
  bool wait(threading::unique_lock<threading::mutex>& lock, const steady_time& deadline) {
    const auto is_over = [&] { return working.empty(); };
    if (!deadline.is_set()) return ended.wait(lock, is_over), true;
    const std::chrono::steady_clock::time_point until{
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::nanoseconds(deadline.nanoseconds()))};
    return ended.wait_until(lock, until, is_over);
  }
};

FLOWGRAPH_INLINE coordinator::coordinator() : state_(new state) {}
FLOWGRAPH_INLINE coordinator::~coordinator() {
  request_stop();
  threading::unique_lock lock(state_->mutex);
  state_->wait(lock, {});
}

FLOWGRAPH_INLINE void coordinator::start(std::string name, [[maybe_unused]] work what) {
#ifdef FLOWGRAPH_NO_THREADS
  fail(
      error(error_code::unimplemented, message{"'", name, "' is to work in a thread of its own, and this build has no threads"}));
#else
  state& s = *state_;
  s.begin(name);
  std::list<threading::thread> started;
  const auto add = [&] {
    started.emplace_back([&s, name, what = std::move(what)]() mutable {
      s.run(what);
      what = {};  // destroyed before `join` continues
      s.end(name);
    });
  };
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    add();
  } catch (const std::exception& e) {
    s.fail(error(error_code::resource_exhausted, message{"no thread could be started for '", name, "': ", e.what()}));
    s.end(name);
  }
#else
  add();
#endif
  const threading::lock_guard lock(s.mutex);
  s.threads.splice(s.threads.end(), started);
#endif
}
FLOWGRAPH_INLINE void coordinator::work_here(work what, std::string name) {
  state_->begin(name);
  state_->run(what);
  what = {};
  state_->end(name);
}

FLOWGRAPH_INLINE void coordinator::request_stop() noexcept { state_->stop.request_stop(); }
FLOWGRAPH_INLINE void coordinator::fail(error why) { state_->fail(std::move(why)); }
FLOWGRAPH_INLINE bool coordinator::stop_requested() const noexcept { return state_->stop.stop_requested(); }
FLOWGRAPH_INLINE stop_token coordinator::token() const noexcept { return state_->stop.get_token(); }

FLOWGRAPH_INLINE result<void> coordinator::try_join(steady_time deadline) {
  threading::unique_lock lock(state_->mutex);
  if (!state_->wait(lock, deadline)) {
    std::string names;
    for (const std::string& name : state_->working) names += (names.empty() ? "'" : ", '") + name + "'";
    return error(error_code::deadline_exceeded, message{"at the deadline there is still work in ", names});
  }
  if (state_->why) return state_->why;
#ifdef FLOWGRAPH_EXCEPTIONS
  if (state_->thrown) {
    try {
      std::rethrow_exception(state_->thrown);
    } catch (const std::exception& e) {
      return error(error_code::unknown, message{"a thread has thrown: ", e.what()});
    } catch (...) { return error(error_code::unknown, "a thread has thrown something that is not a std::exception"); }
  }
#endif
  return {};
}
FLOWGRAPH_INLINE void coordinator::join(steady_time deadline) {
  result<void> outcome = try_join(deadline);
  if (outcome) return;
#ifdef FLOWGRAPH_EXCEPTIONS
  std::exception_ptr thrown;
  {
    const threading::lock_guard lock(state_->mutex);
    if (state_->working.empty()) thrown = state_->thrown;
  }
  if (thrown) std::rethrow_exception(thrown);
#endif
  detail::raise(outcome.error());
}

}  // namespace flowgraph
