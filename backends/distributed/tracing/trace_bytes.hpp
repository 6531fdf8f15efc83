#pragma once
// Sends the records of a step from tasks to the client that traces it. They pass through the master, which adds the differences
// between its own clock and those of its workers.

#include "../bytes.hpp"
#include "peer_clock.hpp"
#include "../peers.hpp"

#include <flowgraph/observe/trace.hpp>
#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <memory>
#include <mutex>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Bits of the byte in a request that specifies how to run.
constexpr std::uint8_t may_wait_flag = 1, traced_flag = 2, pieces_flag = 4;
inline std::uint8_t run_flags(bool may_wait, bool is_traced, bool in_pieces = false) {
  return static_cast<std::uint8_t>((may_wait ? may_wait_flag : 0) | (is_traced ? traced_flag : 0) |
                                   (in_pieces ? pieces_flag : 0));
}

// Writes the trace of one process. The offset of its clock and the requesting process are not written.
void write_trace(byte_writer& to, const collected_trace& t);
// Reads a trace. If the bytes are invalid, the reader is not ok() afterwards.
collected_trace read_trace(byte_reader& from);

// Asks a peer for the time, several times one after another. Each answer may improve the estimate of its clock.
void ask_time(const std::shared_ptr<asking_link>& to);

// The traces of the parts of a step, which a master collects.
class step_traces {
public:
  // Adds the trace of one part, unless it is empty. `clock` is the estimate for the task that has recorded it.
  void add(std::string_view trace, const clock_reading& clock);
  // Returns the collected traces for the end of an answer, and removes them.
  recycled_text take();

private:
  std::mutex mutex_;  // guards the following members
  recycled_text bytes_;
};

// Adds the traces to the client's run. `master` is the estimate of the master's clock. Returns false if the bytes are invalid.
bool add_traces(std::string_view bytes, const clock_reading& master, detail::run_trace& to);

}  // namespace flowgraph::distributed
