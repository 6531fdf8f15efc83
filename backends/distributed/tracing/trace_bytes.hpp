#pragma once
// Records of a step, on their way from tasks to the client that traces it: by way of the master, which adds how its own clock stands to
// those of its workers.

#include "../bytes.hpp"
#include "peer_clock.hpp"
#include "../peers.hpp"

#include <flowgraph/observe/trace.hpp>
#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <memory>
#include <mutex>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// In the byte of a request to run something that says how.
constexpr std::uint8_t may_wait_flag = 1, traced_flag = 2, pieces_flag = 4;
inline std::uint8_t run_flags(bool may_wait, bool is_traced, bool in_pieces = false) {
  return static_cast<std::uint8_t>((may_wait ? may_wait_flag : 0) | (is_traced ? traced_flag : 0) |
                                   (in_pieces ? pieces_flag : 0));
}

// The trace of one process. Its clock, and by whom it was asked, do not travel.
void write_trace(byte_writer& to, const collected_trace& t);
// A text that makes no sense leaves the reader not ok().
collected_trace read_trace(byte_reader& from);

// Asks a peer for the time, several times one after another; its clock is then known, better and better.
void ask_time(const std::shared_ptr<asking_link>& to);

// The parts of a step, as a master gathers them.
class step_traces {
public:
  // Nothing where it is empty. `clock`: of the task that has recorded it.
  void add(std::string_view trace, const clock_reading& clock);
  // As the end of an answer.
  recycled_text take();

private:
  std::mutex mutex_;  // guards what follows
  recycled_text bytes_;
};

// Gives them to the client's run. `master`: its clock. False: they make no sense.
bool add_traces(std::string_view bytes, const clock_reading& master, detail::run_trace& to);

}
}
}  // namespace flowgraph::distributed
