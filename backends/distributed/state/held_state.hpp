#pragma once
// The state that a session holds at tasks, as its master and its client know it. Because of this list, the first run after a loss
// returns an error that names the lost state, instead of computing with other values.

#include "../bytes.hpp"

#include <flowgraph/core/error.hpp>

#include <map>
#include <mutex>
#include <set>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Names such as "variable 'w'" and "random numbers of 'dropout'". Only the first few names travel.
struct held_names {
  std::set<std::string> known;
  bool has_more = false;
  bool empty() const noexcept { return known.empty(); }
};

// The state at one task.
struct held_state {
  enum class fate : std::uint8_t { kept, in_doubt, lost };

  std::uint64_t incarnation = 0;  // of the process that has the state
  std::uint64_t over = 0;         // ordinal of the master's link to the task, unless the task is the master's; does not travel
  bool is_at_master = false;
  held_names shared;  // lives as long as the process
  held_names own;     // ends with the session at its master, or with the master's link to the task
  fate of_shared = fate::kept, of_own = fate::kept;

  bool is_hurt() const noexcept { return of_shared != fate::kept || of_own != fate::kept; }
  bool empty() const noexcept { return shared.empty() && own.empty(); }
};

// The key is the name of the task.
using held_states = std::map<std::string, held_state, std::less<>>;

void write_held(byte_writer& to, const held_states& all);
held_states read_held(byte_reader& from);

// Removes the state whose loss a run has reported. Returns whether there was any.
bool drop_lost(held_states& all);
// Returns the error that reports the loss; just `cause` if no state is known to be lost.
error lost_state(const held_states& all, const error& cause);

// The client's copy of the list. Thread-safe.
class known_state {
public:
  // Takes the list from the master: over a new connection the whole list, then the tasks that have changed. Connections are
  // numbered from 1.
  void hear(std::uint64_t connection, held_states now);
  // Returns how many losses the session's runs have reported. A run that began with a lower number is refused.
  std::uint64_t losses() const;
  // A run has reported the loss with this number.
  void tell(std::uint64_t number, const error& why);
  // A run has found that this connection is lost. Returns the error to report.
  error lose(std::uint64_t connection, const error& why);
  // Writes the facts that the next master must know.
  void write(byte_writer& to, const error& loss) const;

private:
  mutable std::mutex mutex_;
  held_states held_;
  std::uint64_t connection_ = 0, told_ = 0;
  error last_;
};

}  // namespace flowgraph::distributed
