#pragma once
// How much goes between a process and its peers.
//
//     for (const fg::peer_traffic& p : here.traffic().peers) std::printf("%s: %ju bytes\n", p.peer.c_str(), p.sent.bytes);
//
// Counted are the frames of the protocol, with all their bytes. Heartbeats, and what opens a connection, are not among them.

#include <flowgraph/config.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Of one peer, since the process began.
struct peer_traffic {
  struct count {
    std::uint64_t frames = 0, bytes = 0;
  };
  std::string peer;  // "/job:worker/task:1"; of all clients together "a client"
  count sent, received;
  std::uint64_t requests = 0;  // frames among those sent that want an answer
};

// Of a task.
struct task_traffic {
  std::vector<peer_traffic> peers;
  std::uint64_t steps = 0;  // that were begun, of sessions whose master it is
};

// Counts what goes between two processes: connect_options::traffic has one for a session. Any thread may read it at any time.
class traffic_counter {
public:
  // The counts so far.
  peer_traffic now() const {
    const auto of = [](const std::atomic<std::uint64_t>& n) { return n.load(std::memory_order_relaxed); };
    return {peer_, {of(sent_frames_), of(sent_bytes_)}, {of(received_frames_), of(received_bytes_)}, of(requests_)};
  }

  explicit traffic_counter(std::string peer = "the master") : peer_(std::move(peer)) {}
  // A frame went there.
  void count_sent(std::uint64_t bytes, bool is_request) noexcept {
    sent_frames_.fetch_add(1, std::memory_order_relaxed);
    sent_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (is_request) requests_.fetch_add(1, std::memory_order_relaxed);
  }
  // A frame came from there.
  void count_received(std::uint64_t bytes) noexcept {
    received_frames_.fetch_add(1, std::memory_order_relaxed);
    received_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

private:
  std::string peer_;
  std::atomic<std::uint64_t> sent_frames_{0}, sent_bytes_{0}, received_frames_{0}, received_bytes_{0}, requests_{0};
};

}
}  // namespace flowgraph
