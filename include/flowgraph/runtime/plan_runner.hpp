#pragma once
// One run of what was planned for a set of feeds and fetches, whatever carries it out: an executor, or one for each part of the plan.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/runtime/call_steps.hpp>
#include <flowgraph/runtime/options.hpp>

#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// A run: start, then feed in any order, then drive until nothing is left to do; take what was fetched; end. Reused by later runs.
// Belongs to one thread at a time.
class plan_runner {
public:
  virtual ~plan_runner() = default;

  // The number of this run for each random node of the plan; set before start().
  virtual std::span<random_ordinal> ordinals() noexcept = 0;
  // `options` live until the end. In pieces: feeds may come after a drive(), and no loop waits for all that enters it.
  virtual void start(const run_options& options, bool in_pieces) = 0;
  virtual void feed(std::size_t index, const any_tensor& value) = 0;
  // In pieces: which fetches the next drive() is for. Each comes once; where a run goes on elsewhere, drive() waits for them.
  virtual void want(std::span<const std::size_t>) {}
  virtual error drive() = 0;
  virtual result<any_tensor> take(std::size_t fetch) = 0;
  virtual error missing(std::size_t fetch) const = 0;  // why it cannot be taken, if so
  // `complete` says that everything was fed and taken.
  virtual void end(bool complete) = 0;
  // Ends the current run with the error `why`, and prevents later runs. May be called by any thread.
  virtual void cancel(const error& why) = 0;
  // Whether the run that is in progress waits for other runs alone; and then, whether it goes on where a saved state is loaded, or is begun
  // anew there, because all that it does comes after that. From any thread.
  enum class resting : std::uint8_t { no, to_go_on, to_begin_anew };
  virtual resting rests() = 0;
  // Gives back all memory and resources of the session; nothing runs any more.
  virtual void close() = 0;
};

}  // namespace detail

}
}  // namespace flowgraph
