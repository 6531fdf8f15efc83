#pragma once

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/runtime/schedule/root_schedule.hpp>

#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

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
  devices_.begin();
  error why = begin(feeds);
  const bool attended = !why && options && is_attended(*options);
  if (attended) {
    tell_kernels(services_, *options);
    if (run_trace* const trace = traced_run::of(*options)) trace->attach(services_);
    devices_.renew();
    const stop_registration registration(*options, [this] { stopping_.store(true, std::memory_order_relaxed); });
    why = walk(options);
  } else if (!why) {
    why = walk(nullptr);
  }
  for (std::size_t i = 0; i < fetched.size() && !why; ++i) why = fetch(i, feeds, fetched[i]);
  why = devices_.finish(std::move(why));
  if (attended) {
    services_.is_late = nullptr;
    services_.watched = nullptr;
    devices_.renew();
  }
  if (services_.trace) [[unlikely]] {
    traced_run::of(*options)->detach(services_);
    devices_.renew();
  }
  end(static_cast<bool>(why));
  return why;
}

FLOWGRAPH_INLINE result<any_tensor> root_schedule::allocate_arena(std::size_t bytes, std::pmr::memory_resource* memory) const {
  auto result = any_tensor::allocate(dtype::uint8, shape{bytes}, memory);
  if (!result) return no_memory(bytes, "working memory", memory);
  if (bytes > 0 && memory == session_.services.memory) std::memset(result->data(), 0, bytes);
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error root_schedule::no_memory(std::size_t bytes, std::string_view what,
                                                               const std::pmr::memory_resource* memory) const {
  const bool is_of_session = memory == session_.services.memory;
  const device* of = nullptr;  // null: the session's memory
  for (std::size_t d = 0; d < session_.devices.size() && !is_of_session; ++d)
    if (const device* at = session_.devices.at(d); at && at->memory() == memory) of = at;
  const std::string name = of ? to_string(of->name()) : std::string();
  return error(error_code::resource_exhausted,
               message{"a prepared step needs ", bytes, " bytes of ", what, of ? message{" of ", name}.string() : "",
                       limit_in_words(of ? of->budget() : session_.budget)});
}

}  // namespace flowgraph::detail
