#pragma once
// Counts the frames and bytes that a process exchanges with its peers.
//
//     for (const fg::peer_traffic& p : here.traffic().peers) std::printf("%s: %ju bytes\n", p.peer.c_str(), p.sent.bytes);
//
// Counts all bytes of the protocol's frames, without heartbeats and the frames that open a connection.

#include <flowgraph/config.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The traffic with one peer since the process began.
struct peer_traffic {
  struct count {
    std::uint64_t frames = 0, bytes = 0;
  };
  // Name of the peer, "/job:worker/task:1", or "a client" for all clients together.
  std::string peer;
  count sent, received;        // frames and bytes in each direction
  std::uint64_t requests = 0;  // number of sent frames that require an answer
};

// The traffic of a task.
struct task_traffic {
  std::vector<peer_traffic> peers;  // the traffic with each peer
  std::uint64_t steps = 0;          // number of steps that were begun by sessions whose master it is
};

// Counts the traffic between two processes, for connect_options::traffic. Any thread may read it at any time.
class traffic_counter {
public:
  // Returns the counts so far.
  peer_traffic now() const {
    const auto of = [](const std::atomic<std::uint64_t>& n) { return n.load(std::memory_order_relaxed); };
    return {peer_, {of(sent_frames_), of(sent_bytes_)}, {of(received_frames_), of(received_bytes_)}, of(requests_)};
  }

  explicit traffic_counter(std::string peer = "the master") : peer_(std::move(peer)) {}
  // Counts a sent frame.
  void count_sent(std::uint64_t bytes, bool is_request) noexcept {
    sent_frames_.fetch_add(1, std::memory_order_relaxed);
    sent_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (is_request) requests_.fetch_add(1, std::memory_order_relaxed);
  }
  // Counts a received frame.
  void count_received(std::uint64_t bytes) noexcept {
    received_frames_.fetch_add(1, std::memory_order_relaxed);
    received_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

private:
  std::string peer_;
  std::atomic<std::uint64_t> sent_frames_{0}, sent_bytes_{0}, received_frames_{0}, received_bytes_{0}, requests_{0};
};

}  // namespace flowgraph
