#pragma once
// The numbers of frames and bytes that a task has exchanged, by peer.

#include <flowgraph/distributed/traffic.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

class traffic_table {
public:
  // Returns the counter of the peer with this name, the same counter each time. If there are many names already, all new names
  // share a counter.
  std::shared_ptr<traffic_counter> of(std::string_view peer) {
    const std::lock_guard lock(mutex_);
    if (peers_.size() >= most_peers && !peers_.contains(peer)) peer = "others";
    auto at = peers_.find(peer);
    if (at == peers_.end()) at = peers_.emplace(peer, std::make_shared<traffic_counter>(std::string(peer))).first;
    return at->second;
  }
  void count_step() noexcept { steps_.fetch_add(1, std::memory_order_relaxed); }
  task_traffic now() const {
    task_traffic result;
    result.steps = steps_.load(std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    for (const auto& [name, counter] : peers_) result.peers.push_back(counter->now());
    return result;
  }

private:
  static constexpr std::size_t most_peers = 1024;
  std::atomic<std::uint64_t> steps_{0};
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<traffic_counter>, std::less<>> peers_;
};

}  // namespace flowgraph::distributed
