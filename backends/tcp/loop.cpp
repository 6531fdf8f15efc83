#include "loop.hpp"

#include "compute_threads.hpp"
#include "tcp_link.hpp"

#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

void loop::start() {
  thread_ = std::thread([self = shared_from_this()] { self->run(); });
}

void loop::run() {
  id_ = std::this_thread::get_id();
  if (is_busy_) {
    while (!io_.stopped()) io_.poll();
  } else {
    while (!io_.stopped()) wait_for_work();
  }
  // Drops the handlers of operations that are over: they hold links, and the links hold this loop.
  io_.restart();
  while (io_.poll() != 0) {}
}

void loop::wait_for_work() {
  const auto begun = patience::clock::now();
  const auto until = begun + patience_.length();
  auto now = begun;
  bool has_found = false;
  for (; now < until && !has_found; now = patience::clock::now()) {
    std::this_thread::yield();  // lets a peer run that shares only this processor
    has_found = io_.poll() != 0;
  }
  if (!has_found && io_.run_one() != 0) now = patience::clock::now();
  while (io_.poll() != 0) {}
  patience_.waited(now - begun, std::exchange(frames_, 0));
}

void loop::stop() {
  post([this] { end(); });
  join_or_leave(thread_);
}

void loop::end() {
  has_ended_ = true;
  for (auto& f : at_end_) f();
  at_end_.clear();
  const error why(error_code::cancelled, "the transport has ended");
  for (const auto& link : std::unordered_set(links_)) link->abort(why);
  {
    const std::lock_guard lock(mutex_);
    drops_timers_ = true;
    for (const auto& timer : timers_) timer->cancel();
    timers_.clear();
  }
  work_.reset();
  io_.stop();
}

void loop::call_at(std::chrono::steady_clock::time_point when, unique_function<void()> f) {
  const std::lock_guard lock(mutex_);
  if (drops_timers_) return;
  auto timer = std::allocate_shared<io_timer>(recycled_allocator<io_timer>(), io_, when);
  timers_.insert(timer);
  auto& waits = *timer;
  waits.async_wait(recycled_handler{[this, timer = std::move(timer), f = std::move(f)](const asio::error_code& why) mutable {
    if (why) return;
    {
      const std::lock_guard still(mutex_);
      timers_.erase(timer);
      if (drops_timers_) return;
    }
    f();
  }});
}

void loop::at_end(unique_function<void()> f) {
  if (has_ended_) f();
  else at_end_.push_back(std::move(f));
}
void loop::add(std::shared_ptr<tcp_link> link) { links_.insert(std::move(link)); }
void loop::remove(const std::shared_ptr<tcp_link>& link) { links_.erase(link); }

}  // namespace flowgraph::tcp
