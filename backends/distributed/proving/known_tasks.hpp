#pragma once
// Sets the fields of a handshake that depend on the list of tasks. The jobs and their numbers of tasks must be equal at all tasks.
// The addresses are not compared, since each machine may spell them differently; they only determine the expected name of the task
// at an address.

#include <distributed/guarded_transport.hpp>
#include <flowgraph/core/message.hpp>
#include <flowgraph/distributed/cluster.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

inline void know_tasks(guard_options& to, const cluster& all) {
  for (const cluster::job& j : all.jobs())
    to.tasks += message{"/job:", j.name, " with ", j.addresses.size(), j.addresses.size() == 1 ? " task\n" : " tasks\n"}.string();
  to.wanted = [all](std::string_view address) {
    for (std::uint32_t t = 0; t < all.size(); ++t)
      if (all.address_of(t) == address) return all.name_of(t);
    return std::string();
  };
}

}  // namespace flowgraph::distributed
