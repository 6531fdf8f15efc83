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
    own_.device_count = static_cast<std::uint32_t>(of_each_.size());
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

  // Must be called before the first operation of a run.
  void begin() noexcept {
    for (run_services& each : of_each_)
      if (const far_memory* const far = far_memory::from(each.memory)) each.mark = far->mark();
  }

  // Waits at the end of a run for outstanding kernels and copies in far memory, but only until the run must end. `why`: the error
  // of the run so far.
  error finish(error why) const {
    for (const run_services& each : of_each_)
      if (far_memory* const far = far_memory::from(each.memory)) {
        error stopped = wait_while_running(far, own_.watched);
        if (!stopped) why = joined(std::move(why), far->finish_since(each.mark));
        else if (!why) why = std::move(stopped);
      }
    return why;
  }

private:
  // Joins the error of a run and an error that a device has found later. After the failure of a device, all other errors are only
  // its effects. Another error of a device may be the cause: kernels continue after it, so later nodes read wrong elements.
  static error joined(error why, error found) {
    if (!found || why.code() == error_code::unavailable) return why;
    if (!why) return found;
    if (why.message() == found.message()) return why;  // a copy to the host has returned the same error
    if (found.code() == error_code::unavailable) return found.at(why.node(), why.op(), why.where());
    return why.because(std::move(found));
  }

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
