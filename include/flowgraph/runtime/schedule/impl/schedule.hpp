#pragma once

#include <flowgraph/op/call_kernel.hpp>
#include <flowgraph/runtime/schedule/schedule.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE bool schedule::walk(std::size_t first, std::size_t last, const run_options* watched) {
  if (watched && watched->trace) [[unlikely]]
    return traced_run::of(*watched)->walk(*this, first, last, *watched);
  schedule_entry* e = entries.data() + first;
  schedule_entry* const end = entries.data() + last;
  if (!watched) [[likely]] {
    for (; e != end; ++e) {
      call_kernel(e->run, e->op, e->call);
      if (failure) [[unlikely]]
        break;
    }
  } else {
    for (; e != end; ++e) {
      if ((failure = check_stop(*watched))) break;
      call_kernel(e->run, e->op, e->call);
      if (failure) break;
    }
  }
  if (e == end) return true;
  return e->call.at ? fail(*e->call.at, failure) : false;
}

}  // namespace flowgraph::detail
