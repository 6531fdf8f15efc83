#pragma once
// Limits the links that peers make to a transport. Links whose peer has proved its identity are counted and stay. Other links,
// called strangers, have a small limit: if it is reached, one of the oldest strangers is closed for the next. So no peer can keep
// others out by holding or opening many connections.

#include "tcp_link.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

// Thread-safe.
class doorway {
public:
  doorway(std::size_t most_links, std::size_t most_strangers)
      : most_links_(most_links), most_strangers_(std::max<std::size_t>(most_strangers, 1)) {}

  // Adds a stranger. Returns the stranger that must be closed for it; null if there is room.
  std::shared_ptr<tcp_link> enter(std::shared_ptr<tcp_link> result) {
    const std::lock_guard lock(mutex_);
    strangers_.push_back(std::move(result));
    return strangers_.size() > most_strangers_ ? oldest() : nullptr;
  }
  // Removes and returns the oldest stranger, which the caller must close.
  std::shared_ptr<tcp_link> turn_out() {
    const std::lock_guard lock(mutex_);
    return strangers_.empty() ? nullptr : oldest();
  }
  // Turns a stranger into a link with a known peer. Returns false if the limit of links is reached, or if the stranger has already
  // been removed.
  bool admit(const tcp_link* known) {
    const std::lock_guard lock(mutex_);
    if (links_.size() >= most_links_ || !forget(known)) return false;
    return links_.insert(known).second;
  }
  void leave(const tcp_link* gone) {
    const std::lock_guard lock(mutex_);
    forget(gone);
    links_.erase(gone);
  }

private:
  // Removes the oldest stranger of the older half that has sent nothing; if all have sent something, the oldest of all. A peer that
  // has sent a hello will soon prove its identity. Strangers of the newer half are spared, since they may not have had the time to
  // send anything: otherwise a flood of connections that send something would push them out.
  std::shared_ptr<tcp_link> oldest() {
    const auto half = strangers_.begin() + static_cast<std::ptrdiff_t>((strangers_.size() + 1) / 2);
    const auto silent = std::find_if(strangers_.begin(), half, [](const auto& s) { return s->is_silent(); });
    const auto at = silent == half ? strangers_.begin() : silent;
    std::shared_ptr<tcp_link> result = std::move(*at);
    strangers_.erase(at);
    return result;
  }
  bool forget(const tcp_link* which) {
    const auto at = std::ranges::find_if(strangers_, [&](const auto& s) { return s.get() == which; });
    if (at == strangers_.end()) return false;
    strangers_.erase(at);
    return true;
  }

  const std::size_t most_links_, most_strangers_;
  std::mutex mutex_;  // guards the following members
  std::deque<std::shared_ptr<tcp_link>> strangers_;
  std::unordered_set<const tcp_link*> links_;
};

}  // namespace flowgraph::tcp
