#pragma once
// std::stop_token, stop_source and stop_callback, for standard libraries that lack them: <flowgraph/core/threads.hpp>.

#include <flowgraph/core/threads.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail::stops {

struct linked_stop_callback {
  void (*call)(linked_stop_callback&);
  linked_stop_callback* following = nullptr;
};

// The state that sources, tokens and callbacks share.
class stop_state {
public:
  std::atomic<int> sources{1};

  bool is_requested() const noexcept { return is_requested_.load(std::memory_order_acquire); }

  // Calls all linked callbacks in this thread. Returns false if a stop was requested before.
  bool request() {
    threading::unique_lock lock(mutex_);
    if (is_requested()) return false;
    is_requested_.store(true, std::memory_order_release);
    caller_ = threading::this_thread::get_id();
    while ((called_ = first_)) {
      first_ = called_->following;
      lock.unlock();
      called_->call(*called_);  // the callback may have been destroyed
      lock.lock();
      called_ = nullptr;
      returned_.notify_all();
    }
    return true;
  }

  // Links a callback. Returns false if a stop was already requested.
  bool link(linked_stop_callback& c) {
    const threading::lock_guard lock(mutex_);
    if (is_requested()) return false;
    c.following = std::exchange(first_, &c);
    return true;
  }

  // Removes a callback. Afterwards the callback has returned, or will never be called; but a callback that removes itself during
  // its call continues.
  void unlink(linked_stop_callback& c) {
    threading::unique_lock lock(mutex_);
    for (linked_stop_callback** l = &first_; *l; l = &(*l)->following)
      if (*l == &c) {
        *l = c.following;
        return;
      }
    if (called_ == &c && caller_ != threading::this_thread::get_id()) returned_.wait(lock, [&] { return called_ != &c; });
  }

private:
  std::atomic<bool> is_requested_{false};
  threading::mutex mutex_;  // guards the following members
  threading::condition_variable returned_;
  threading::thread::id caller_;
  linked_stop_callback* first_ = nullptr;
  linked_stop_callback* called_ = nullptr;
};

class stop_token {
public:
  stop_token() noexcept = default;

  bool stop_requested() const noexcept { return state_ && state_->is_requested(); }
  // Returns whether a stop was requested, or a source exists that may request it.
  bool stop_possible() const noexcept { return state_ && (state_->is_requested() || state_->sources.load() > 0); }

  friend bool operator==(const stop_token&, const stop_token&) noexcept = default;

private:
  friend class stop_source;
  template <class F> friend class stop_callback;
  explicit stop_token(std::shared_ptr<stop_state> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<stop_state> state_;
};

class stop_source {
public:
  stop_source() : state_(std::make_shared<stop_state>()) {}
  stop_source(const stop_source& s) noexcept : state_(s.state_) {
    if (state_) ++state_->sources;
  }
  stop_source(stop_source&& s) noexcept = default;
  stop_source& operator=(stop_source s) noexcept {
    state_.swap(s.state_);
    return *this;
  }
  ~stop_source() {
    if (state_) --state_->sources;
  }

  stop_token get_token() const noexcept { return stop_token(state_); }
  bool stop_requested() const noexcept { return state_ && state_->is_requested(); }
  bool stop_possible() const noexcept { return state_ != nullptr; }
  // Returns true for the first request, after all callbacks were called.
  bool request_stop() noexcept { return state_ && state_->request(); }

  friend bool operator==(const stop_source&, const stop_source&) noexcept = default;

private:
  std::shared_ptr<stop_state> state_;
};

// Calls F when a stop is requested, or at once if that has happened, as long as this object exists.
template <class F> class stop_callback : linked_stop_callback {
public:
  template <class Function>
  explicit stop_callback(stop_token token, Function&& f)
      : linked_stop_callback{[](linked_stop_callback& c) { static_cast<stop_callback&>(c).f_(); }},
        state_(std::move(token.state_)), f_(std::forward<Function>(f)) {
    if (state_ && !state_->link(*this)) {
      state_ = nullptr;
      f_();
    }
  }
  ~stop_callback() {
    if (state_) state_->unlink(*this);
  }
  stop_callback(const stop_callback&) = delete;
  stop_callback& operator=(const stop_callback&) = delete;

private:
  std::shared_ptr<stop_state> state_;
  F f_;
};
template <class F> stop_callback(stop_token, F) -> stop_callback<F>;

}  // namespace detail::stops

#ifndef __cpp_lib_jthread
using detail::stops::stop_callback;
using detail::stops::stop_source;
using detail::stops::stop_token;
#endif

}  // namespace flowgraph
