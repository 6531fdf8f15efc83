#pragma once
// The numbers of random values that nodes have drawn, by the names of the nodes, for sessions that share a container: nodes with
// the same name in the graphs of several steps continue one sequence.

#include <flowgraph/core/resource.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/container.hpp>
#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/runtime/call_steps.hpp>

#include <map>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class named_counters final : public resource_base, public savable {
public:
  named_counters() : resource_base(kind_of<named_counters>()) {}

  // Returns the counters of a container, and creates them if necessary.
  static result<resource> of(container& all);
  // The reference is valid until the container is cleared.
  random_counter& of_node(std::string_view name);

  savable* as_savable() noexcept override { return this; }
  FLOWGRAPH_INLINE result<std::string> save() const override;
  FLOWGRAPH_INLINE error load(std::string_view bytes, std::pmr::memory_resource* memory) override;

private:
  mutable threading::mutex mutex_;  // guards the map
  std::map<std::string, random_counter, std::less<>> by_name_;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/named_counters.hpp>
#endif
