#pragma once
// Which links peers may have made to a transport. Those whose peer has proved who it is are counted, and go on; strangers, whose peer has
// not, are few, and one of the oldest makes room for the next: who holds connections open, or makes many, keeps nobody out.

#include "tcp_link.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

// From any thread.
class doorway {
public:
  doorway(std::size_t most_links, std::size_t most_strangers)
      : most_links_(most_links), most_strangers_(std::max<std::size_t>(most_strangers, 1)) {}

  // One more stranger. Returns the one that has to go for it; null: none has to.
  std::shared_ptr<tcp_link> enter(std::shared_ptr<tcp_link> made) {
    const std::lock_guard lock(mutex_);
    strangers_.push_back(std::move(made));
    return strangers_.size() > most_strangers_ ? oldest() : nullptr;
  }
  // The oldest stranger, which is to go.
  std::shared_ptr<tcp_link> turn_out() {
    const std::lock_guard lock(mutex_);
    return strangers_.empty() ? nullptr : oldest();
  }
  // A stranger is none any more. False: there are as many links as may be, or it has been turned out.
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
  // Of the older half, the oldest that has said nothing, if there is one: who has said hello is soon no stranger. The newer half may have had no
  // time to say it: where a flood says something, they would go before it.
  std::shared_ptr<tcp_link> oldest() {
    const auto half = strangers_.begin() + static_cast<std::ptrdiff_t>((strangers_.size() + 1) / 2);
    const auto silent = std::find_if(strangers_.begin(), half, [](const auto& s) { return s->is_silent(); });
    const auto at = silent == half ? strangers_.begin() : silent;
    std::shared_ptr<tcp_link> made = std::move(*at);
    strangers_.erase(at);
    return made;
  }
  bool forget(const tcp_link* which) {
    const auto at = std::ranges::find_if(strangers_, [&](const auto& s) { return s.get() == which; });
    if (at == strangers_.end()) return false;
    strangers_.erase(at);
    return true;
  }

  const std::size_t most_links_, most_strangers_;
  std::mutex mutex_;  // guards what follows
  std::deque<std::shared_ptr<tcp_link>> strangers_;
  std::unordered_set<const tcp_link*> links_;
};

}
}
}  // namespace flowgraph::tcp
