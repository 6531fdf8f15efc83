#pragma once
// The state that a session holds at tasks, as its master and its client know it. By this list the first run after a loss is an error that
// names what was lost, and not a run with other numbers.

#include "../bytes.hpp"

#include <flowgraph/core/error.hpp>

#include <map>
#include <mutex>
#include <set>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// "variable 'w'", "random numbers of 'dropout'". Only the first few travel.
struct held_names {
  std::set<std::string> known;
  bool has_more = false;
  bool empty() const noexcept { return known.empty(); }
};

// Of one task.
struct held_state {
  enum class fate : std::uint8_t { kept, in_doubt, lost };

  std::uint64_t incarnation = 0;  // of the process that has it
  std::uint64_t over = 0;         // by which link of the master, where it is another task; does not travel
  bool is_at_master = false;
  held_names shared;  // lives as long as the process
  held_names own;     // ends with the session at its master, or with the master's link to the task
  fate of_shared = fate::kept, of_own = fate::kept;

  bool is_hurt() const noexcept { return of_shared != fate::kept || of_own != fate::kept; }
  bool empty() const noexcept { return shared.empty() && own.empty(); }
};

// By the name of the task.
using held_states = std::map<std::string, held_state, std::less<>>;

void write_held(byte_writer& to, const held_states& all);
held_states read_held(byte_reader& from);

// Forgets what a run has told of. True: there was some.
bool drop_lost(held_states& all);
// What a run says of it: `cause` alone, where nothing is known to be lost.
error lost_state(const held_states& all, const error& cause);

// The list as a client has it. From any thread.
class known_state {
public:
  // From the master, over a connection: they are numbered from 1.
  void hear(std::uint64_t connection, held_states now);
  // How many losses the session's runs have told. A run that began with a lower number is refused.
  std::uint64_t told() const;
  // A run has told this one.
  void tell(std::uint64_t number, const error& why);
  // A run has found this connection lost: the error for it.
  error lose(std::uint64_t connection, const error& why);
  // What the next master has to know.
  void write(byte_writer& to, const error& loss) const;

private:
  mutable std::mutex mutex_;
  held_states held_;
  std::uint64_t connection_ = 0, told_ = 0;
  error last_;
};

}
}
}  // namespace flowgraph::distributed
