#pragma once
// Kinds of requests and news between tasks. The first byte of a frame's body is the kind; the code that writes and reads a body
// defines its layout.

#include "bytes.hpp"
#include "record_bytes.hpp"

#include <flowgraph/distributed/transport.hpp>

#include <atomic>
#include <chrono>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// The version of these messages. Peers with another version are refused.
constexpr std::uint64_t protocol = 6;

// Returns a number that distinguishes this process from the process that had its address before.
inline std::uint64_t incarnation_of(transport& by) {
  static std::atomic<std::uint64_t> result{0};
  const auto now = static_cast<std::uint64_t>(by.clock().now().count()) + ++result;
  return now * 0x9e3779b97f4a7c15u | 1;
}

enum class message_kind : std::uint8_t {
  // From a client to its master.
  open = 1,  // begins a session
  prepare,   // new nodes of the graph, and edges to run: answered by a number for both
  run,
  clear,       // containers
  close,       // ends the session
  cancel,      // news: ends a run early
  next_piece,  // feeds and fetches of a partial run: answered when the fetches are known
  hold = 16,   // holds all runs that wait for others: answered by 1 + their number, or by 0 if some run does not wait
  go_on,       // news: held runs continue
  // These contain new nodes of the graph like `prepare`, and their answers begin like its answer.
  save_state,
  load_state,
  places,  // of the nodes
  // From a master to a worker.
  register_part = 32,
  run_part,
  drop_session,  // news
  end_step,      // news: the step has failed at another task
  clear_containers,
  piece_of_part,  // news: feeds and fetches of a step that proceeds in pieces
  hold_steps = 48,
  go_on_steps,  // news
  save_resources,
  load_resources,
  // From a worker to the masters that it serves.
  lost_peer = 64,  // news: values for a task may have been lost, for steps up to a number
  known_fetches,   // news: fetches of a step that proceeds in pieces
  // From a master to its client.
  held_state = 80,  // news: the state that the session holds at tasks
  // To any task.
  tell_time = 96,  // of the clock for traces: answered at once
};

// The beginning of a frame's body.
struct body_of {
  explicit body_of(message_kind kind) : bytes(text) { bytes.number(kind); }
  recycled_text text;
  byte_writer bytes;
};

// Returns the answer to a request: its values, or the error.
inline frame answer_to(std::uint64_t number, const error& why, recycled_tensors tensors = {}, std::string_view more = {}) {
  frame outgoing;
  outgoing.kind = frame_kind::answer;
  outgoing.number = number;
  byte_writer to(outgoing.body);
  write_error(to, why);
  if (!why) {
    to.raw(more);
    outgoing.tensors = std::move(tensors);
  }
  return outgoing;
}

// The shortest allowed silence: peers send a heartbeat every half second.
constexpr std::chrono::nanoseconds least_silence = std::chrono::seconds(2);
// Longer silences are allowed and count as this one, so that sums with them do not overflow.
constexpr std::chrono::nanoseconds most_silence = std::chrono::hours(24 * 365);
// `whose` is "task_options" or "connect_options".
inline error check_silence(std::chrono::nanoseconds silence, std::string_view whose) {
  if (silence >= least_silence) return {};
  return detail::invalid_argument(
      {whose, "::silence is ", silence.count() / 1'000'000, " ms, expected ", least_silence.count() / 1'000'000, " ms at least"});
}

inline error malformed(std::string_view what) { return detail::invalid_argument({"a message of a peer is malformed: ", what}); }

}  // namespace flowgraph::distributed
