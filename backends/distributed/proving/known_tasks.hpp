#pragma once
// What a task's handshakes say of its list: the jobs and how many tasks each has, which all tasks have alike, and who is at an address, which
// each machine may spell otherwise.

#include <distributed/guarded_transport.hpp>
#include <flowgraph/core/message.hpp>
#include <flowgraph/distributed/cluster.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

inline void know_tasks(guard_options& to, const cluster& all) {
  for (const cluster::job& j : all.jobs())
    to.tasks += message{"/job:", j.name, " with ", j.addresses.size(), j.addresses.size() == 1 ? " task\n" : " tasks\n"}.string();
  to.wanted = [all](std::string_view address) {
    for (std::uint32_t t = 0; t < all.size(); ++t)
      if (all.address_of(t) == address) return all.name_of(t);
    return std::string();
  };
}

}
}
}  // namespace flowgraph::distributed
