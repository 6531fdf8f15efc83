#pragma once

#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/runtime/schedule/root_schedule.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE root_schedule::root_schedule(session_state& session, const plan& p)
    : session_(session), plan_(p), services_(session.services), devices_(p, services_), ordinals_(p.random_nodes.size()) {
  services_.stopping = &stopping_;
  services_.pins = &pins_of_run_;
  devices_.renew();
  for (const call_site* n : p.random_nodes) counters_.push_back(&session.counter(n->id));
}

FLOWGRAPH_INLINE error root_schedule::run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched,
                                          const run_options* options) {
  for (std::size_t i = 0; i < counters_.size(); ++i) ordinals_[i] = counters_[i]->next_run();
  stopping_.store(false, std::memory_order_relaxed);
  error why = begin(feeds);
  if (!why && options && is_attended(*options)) {
    tell_kernels(services_, *options);
    if (run_trace* const trace = traced_run::of(*options)) trace->attach(services_);
    devices_.renew();
    const stop_registration registration(*options, [this] { stopping_.store(true, std::memory_order_relaxed); });
    why = walk(options);
    services_.is_late = nullptr;
    devices_.renew();
  } else if (!why) {
    why = walk(nullptr);
  }
  for (std::size_t i = 0; i < fetched.size() && !why; ++i) why = fetch(i, feeds, fetched[i]);
  why = devices_.finish(std::move(why));
  if (services_.trace) [[unlikely]] {
    traced_run::of(*options)->detach(services_);
    devices_.renew();
  }
  end(static_cast<bool>(why));
  return why;
}

}  // namespace detail

}
}  // namespace flowgraph
