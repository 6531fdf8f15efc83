#pragma once
// Where resources live by name. A session has one of its own; given the same container, sessions share state.
//
//     fg::container weights;
//     fg::session trainer{g, {.resources = &weights}}, evaluator{h, {.resources = &weights}};
//     weights.clear();
//
// Outlives the sessions that use it. All members may be called from any thread.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/owned.hpp>
#include <flowgraph/core/resource.hpp>
#include <flowgraph/op/saved_state.hpp>

#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The order of pairs of names, for maps that are searched without making a string.
struct order_of_names {
  using is_transparent = void;
  using names = std::pair<std::string_view, std::string_view>;
  bool operator()(const names& a, const names& b) const noexcept { return a < b; }
};

}  // namespace detail

// Resources by name: what outlives a run.
class container {
public:
  explicit container(std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  // One that a single thread uses at a time, for what lives as long as a run: it takes no lock.
  struct one_thread {};
  container(std::pmr::memory_resource* memory, one_thread);
  ~container();
  container(const container&) = delete;
  container& operator=(const container&) = delete;

  std::pmr::memory_resource* memory() const noexcept;

  // The resource `name` in section `section` (TensorFlow's attribute "container"), made by `make` when it is not there.
  // One that is there but of another kind is an error.
  result<resource> find_or_make(std::string_view section, std::string_view name, const void* kind,
                                function_ref<resource_base*()> make);
  // The resource of that name; empty if there is none.
  resource find(std::string_view section, std::string_view name) const;

  // Drops resources: all, or those of one section. Runs in progress keep what they use; later runs make new ones. A kernel that
  // waits on a dropped queue or mutex ends with an error.
  void clear();
  void clear(std::string_view section);
  // The names of all resources, without their sections.
  std::vector<std::string> names() const;

  // The contents of all resources that are saved so. An error names one that cannot be.
  result<std::vector<saved_resource>> save() const;
  // Gives resources these contents: those that are there at once, others when a node makes them. An error names the
  // resource, and nothing has changed.
  error load(std::vector<saved_resource> contents);

  // Where a session of several devices has placed the nodes that name a resource.
  struct placing {
    std::string device, by;  // by: the node for which it was placed, and its line
  };
  // Empty: no session has placed it yet.
  placing placed(std::string_view section, std::string_view name) const;
  // Notes where sessions that share the container find the resource. What has been noted before stays, until clear().
  void keep_placed(std::string_view section, std::string_view name, const placing& at);

  // Changes with every clear() and rebind(): a plan that has bound resources binds them anew when it differs.
  std::uint64_t generation() const noexcept;
  // Makes every plan bind its resources anew.
  void rebind() noexcept;

  // Whether it takes no lock.
  bool is_of_one_thread() const noexcept;
  // The run has ended that it belongs to: drops what does not serve the next run. Precondition: is_of_one_thread().
  void end_run();

private:
  struct state;
  owned<state> state_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/container.hpp>
#endif
