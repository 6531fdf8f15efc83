#pragma once

#include <flowgraph/runtime/parts/partitioned_runner.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE std::shared_ptr<plan_runner> partitions::make_runner(const plan_parts& of, std::shared_ptr<const plan> whole,
                                                                      const run_services& services) {
  return std::make_shared<partitioned_runner>(std::move(whole), static_cast<const partitions&>(of), services);
}

FLOWGRAPH_INLINE partitioned_runner::partitioned_runner(std::shared_ptr<const plan> whole, const partitions& parts,
                                                        const run_services& services)
    : whole_(std::move(whole)), parts_(parts), pins_(services.pool || whole_->has_async), driver_(parts.edges.size()),
      ordinals_(whole_->random_nodes.size()) {
  run_services shared = services;
  shared.pins = &pins_;
  if (whole_->has_run_resources) shared.own_resources = &own_resources_.emplace(services.memory);
  for (const plan_part& p : parts.parts)
    driver_.add(std::static_pointer_cast<executor>(runner_of(*p.what)(p.what, services)), p.edges, &shared);
}

FLOWGRAPH_INLINE void partitioned_runner::start(const run_options& options, bool in_pieces) {
  in_pieces_ = in_pieces;
  for (std::size_t i = 0; i < parts_.parts.size(); ++i) {
    const plan_part& p = parts_.parts[i];
    for (std::size_t k = 0; k < p.ordinals.size(); ++k) driver_.parts()[i]->ordinals()[k] = ordinals_[p.ordinals[k]];
  }
  driver_.start(options, in_pieces);
}

FLOWGRAPH_INLINE void partitioned_runner::feed(std::size_t index, const any_tensor& value) {
  for (std::size_t i = 0; i < parts_.parts.size(); ++i)
    for (std::size_t k = 0; k < parts_.parts[i].feeds.size(); ++k)
      if (parts_.parts[i].feeds[k] == index) driver_.parts()[i]->feed(k, value);
}

FLOWGRAPH_INLINE error partitioned_runner::drive() {
  if (error why = driver_.drive()) return why;
  return in_pieces_ ? error() : never_sent();
}

// Returns an error if a part waits for a value at the end of the run. This is a fault of the library: all parts take part in the
// same iterations, so another part must have sent the value.
FLOWGRAPH_INLINE error partitioned_runner::never_sent() const {
  const std::uint32_t edge = driver_.waiting_edge();
  if (edge == no_index) return {};
  const exchange_edge& e = parts_.edges[edge];
  return error(error_code::internal, "the value of this node was to be sent to another device, and never was")
      .at(e.source->name, e.source->op->name(), e.source->where);
}

FLOWGRAPH_INLINE result<any_tensor> partitioned_runner::take(std::size_t fetch) {
  const partitions::fetched& f = parts_.fetches[fetch];
  if (f.part == no_index) return whole_->constants[whole_->fetches[fetch].index].tensor;
  return driver_.parts()[f.part]->take(f.index);
}

FLOWGRAPH_INLINE error partitioned_runner::missing(std::size_t fetch) const {
  const partitions::fetched& f = parts_.fetches[fetch];
  return f.part == no_index ? error() : driver_.parts()[f.part]->missing(f.index);
}

FLOWGRAPH_INLINE void partitioned_runner::end(bool complete) {
  driver_.end(complete);
  pins_.release();
  if (own_resources_) own_resources_->clear();
}

FLOWGRAPH_INLINE void partitioned_runner::close() {
  for (const auto& e : driver_.parts()) e->close();
}

}  // namespace flowgraph::detail
