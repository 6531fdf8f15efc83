#pragma once

#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/data_flow/mutex.hpp>

#include <algorithm>
#include <deque>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A mutex for asynchronous kernels.
class mutex_state final : public resource_base {
public:
  // A kernel that requests the lock. It is answered once: with the lock, or because its run or the container has ended the wait.
  struct waiter {
    waiter(view<variant> where, done to, bool waits) : lock(where), answer(std::move(to)), may_wait(waits) {}
    view<variant> lock;
    done answer;
    bool may_wait;
    enum class phase : std::uint8_t { asking, waiting, settled } now = phase::asking;  // guarded by the mutex
  };

  explicit mutex_state(std::string_view name) : resource_base(kind_of<mutex_state>()), name_(name) {}

  void acquire(const std::shared_ptr<waiter>& w);
  void release();
  void cancel(const std::shared_ptr<waiter>& w);
  // Ends all waiting kernels: runs that began before may hold the lock for ever, and later runs use another mutex.
  FLOWGRAPH_INLINE void dropped() override;

private:
  void grant(waiter& w);
  FLOWGRAPH_COLD error cancelled() const {
    return error(error_code::cancelled, message{"waiting for the lock was cancelled: mutex '", name_, "'"});
  }
  FLOWGRAPH_COLD error cleared() const {
    return cancelled().because(error(error_code::cancelled, "the container of the mutex was cleared"));
  }

  const std::string name_;
  threading::mutex guard_;
  bool locked_ = false;
  bool dropped_ = false;  // removed from its container
  std::deque<std::shared_ptr<waiter>> waiting_;
};

// Holds the mutex as long as it lives.
struct held_lock final : resource_base {
  explicit held_lock(mutex_state& m) : resource_base(kind_of<held_lock>()), mutex(&m) {}
  ~held_lock() override { mutex.as<mutex_state>()->release(); }

  resource mutex;
};

FLOWGRAPH_KERNEL_INLINE void mutex_state::grant(waiter& w) {
  w.lock.scalar() = variant(new held_lock(*this));
  w.answer();
}

FLOWGRAPH_KERNEL_INLINE void mutex_state::acquire(const std::shared_ptr<waiter>& w) {
  error why;
  {
    const threading::lock_guard lock(guard_);
    if (w->now == waiter::phase::settled) {  // cancelled before the request
      why = cancelled();
    } else if (!locked_) {
      locked_ = true;
    } else if (dropped_) {
      why = cleared();
    } else if (!w->may_wait) {
      why = error(error_code::unavailable, message{"locking would wait, which the run may not: mutex '", name_, "'"});
    } else {
      w->now = waiter::phase::waiting;
      waiting_.push_back(w);
      return;
    }
    w->now = waiter::phase::settled;
  }
  if (why) w->answer(std::move(why));
  else grant(*w);
}

FLOWGRAPH_KERNEL_INLINE void mutex_state::release() {
  std::shared_ptr<waiter> next;
  {
    const threading::lock_guard lock(guard_);
    if (waiting_.empty()) {
      locked_ = false;
      return;
    }
    next = std::move(waiting_.front());
    waiting_.pop_front();
    next->now = waiter::phase::settled;
  }
  grant(*next);
}

FLOWGRAPH_KERNEL_INLINE void mutex_state::cancel(const std::shared_ptr<waiter>& w) {
  {
    const threading::lock_guard lock(guard_);
    if (w->now == waiter::phase::settled) return;
    const bool waits = w->now == waiter::phase::waiting;
    w->now = waiter::phase::settled;
    if (!waits) return;  // the request follows, and finds that it is settled
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), w));
  }
  w->answer(cancelled());
}

FLOWGRAPH_KERNEL_INLINE void mutex_state::dropped() {
  std::deque<std::shared_ptr<waiter>> ended;
  {
    const threading::lock_guard lock(guard_);
    dropped_ = true;
    ended.swap(waiting_);
    for (const auto& w : ended) w->now = waiter::phase::settled;
  }
  for (const auto& w : ended) w->answer(cleared());
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void mutex_v2_op::operator()(cpu ctx, unsized<resource> y) const {
  const std::string_view wanted = shared_name.empty() ? ctx.at()->name : std::string_view(shared_name);
  auto found = ctx.resources().find_or_make(container, wanted, kind_of<detail::mutex_state>(),
                                            [&]() -> resource_base* { return new detail::mutex_state(wanted); });
  if (!found) return ctx.fail(found.error());
  const view<resource> handle = y.resize(flowgraph::shape{});
  if (!ctx.failed()) handle.scalar() = *std::move(found);
}

FLOWGRAPH_KERNEL_INLINE void mutex_lock_op::operator()(cpu ctx, view<const resource> mutex, view<variant> lock,
                                                       done answer) const {
  auto* named = mutex.size() == 1 ? mutex.scalar().as<detail::mutex_state>() : nullptr;
  if (!named) return answer(detail::invalid_argument("input 0 does not name a mutex"));
  auto w = std::make_shared<detail::mutex_state::waiter>(lock, std::move(answer), ctx.may_wait());
  w->answer.on_cancel([w, held = resource(named)] { held.as<detail::mutex_state>()->cancel(w); });
  named->acquire(w);
}

FLOWGRAPH_KERNEL_INLINE void consume_mutex_lock_op::operator()(cpu ctx, view<const variant> lock) const {
  if (lock.size() != 1 || lock.rank() != 0) return ctx.fail(message{"the lock must be a scalar, found ", lock.shape()});
  if (!lock.scalar().as<detail::held_lock>()) ctx.fail("input 0 is not the lock of a mutex");
}

}  // namespace flowgraph
