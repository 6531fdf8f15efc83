#pragma once
// The services of a run for the kernels of each device: they use the threads and the memory of the device. Its variables, and
// outputs whose shape a kernel determines, are in this memory as well.

#include <flowgraph/core/far_memory.hpp>
#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The services of each device of a plan. The runner of the plan owns them, in addition to its own services. Empty for a plan
// without devices.
class device_services {
public:
  device_services(const plan& p, run_services& own) : plan_(p), own_(own), of_each_(p.devices.size()) {
    own_.of_devices = of_each_.empty() ? nullptr : of_each_.data();
    renew();
  }

  // Renews the services. Must be called after the runner's own services have changed, while no kernel runs.
  void renew() {
    for (std::size_t d = 0; d < of_each_.size(); ++d) {
      of_each_[d] = own_;
      of_each_[d].of_host = &own_;
      of_each_[d].on = plan_.devices[d];
      of_each_[d].memory = plan_.devices[d]->memory();
      of_each_[d].budget = plan_.devices[d]->budget();
      if (thread_pool* const pool = plan_.devices[d]->pool()) of_each_[d].pool = pool;
    }
  }

  // Waits at the end of a run for outstanding kernels and copies in far memory, but only until the run must end. If `why` is an
  // error, it has priority over theirs.
  error finish(error why) const {
    for (const run_services& s : of_each_)
      if (far_memory* const far = far_memory::from(s.memory)) {
        error found = wait_while_running(far, own_.watched);
        if (!found) found = far->finish();
        if (found && !why) why = std::move(found);
      }
    return why;
  }

private:
  const plan& plan_;
  run_services& own_;
  sequence<run_services> of_each_;
};

// Returns the services for a record's kernel.
inline const run_services& services_of(const plan_record& r, const run_services& run) {
  return r.on && run.of_devices ? run.of_devices[r.device_index] : run;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
