#pragma once
// A container holds resources by name. A session has its own container; sessions that are given the same container share state.
//
//     fg::container weights;
//     fg::session trainer{g, {.resources = &weights}}, evaluator{h, {.resources = &weights}};
//     weights.clear();
//
// A container must outlive the sessions that use it. All members may be called from any thread.

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

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Orders pairs of names, for maps that are searched without creating a string.
struct order_of_names {
  using is_transparent = void;
  using names = std::pair<std::string_view, std::string_view>;
  bool operator()(const names& a, const names& b) const noexcept { return a < b; }
};

}  // namespace detail

// A container of resources, which are found by name and outlive a run.
class container {
public:
  explicit container(std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  // Selects a container without a lock, for resources that exist as long as a run. Only one thread at a time may use the
  // container.
  struct one_thread {};
  container(std::pmr::memory_resource* memory, one_thread);
  ~container();
  container(const container&) = delete;
  container& operator=(const container&) = delete;

  std::pmr::memory_resource* memory() const noexcept;

  // Returns the resource `name` in section `section` (TensorFlow's attribute "container"). If it does not exist, `make` creates
  // it. If a resource of a different kind has this name, returns an error.
  result<resource> find_or_make(std::string_view section, std::string_view name, const void* kind,
                                function_ref<resource_base*()> make);
  // Returns the resource with this name, or an empty handle.
  resource find(std::string_view section, std::string_view name) const;

  // Removes all resources, or those of one section. Runs in progress keep the resources that they use; later runs create new
  // ones. A kernel that waits for a removed queue or mutex ends with an error.
  void clear();
  void clear(std::string_view section);
  // Returns the names of all resources, without their sections.
  std::vector<std::string> names() const;

  // What `save` does with resources whose contents are saved as files.
  enum class large_contents : std::uint8_t { refused, left_out };
  // Returns the contents of all resources that support saving. If a resource cannot be saved now, or only as a file, returns an
  // error that names it.
  result<std::vector<saved_resource>> save(large_contents how = large_contents::refused) const;
  // Restores contents: those of existing resources immediately, the others when a node creates their resources. If this fails,
  // returns an error that names the resource, and nothing has changed.
  error load(std::vector<saved_resource> contents);

  // A resource whose contents are saved as a file. If no node has created it yet, `held` is empty and `file` contains its contents.
  struct large_resource {
    std::string section, name;
    resource held;
    std::string file;
  };
  // Returns the resources whose contents are saved as files.
  std::vector<large_resource> large_resources() const;
  // Returns an error if existing resources cannot load their contents from files.
  error check_files(std::span<const saved_file> files) const;
  // Restores contents from files: those of existing resources immediately, the others when a node creates their resources.
  error load_files(std::span<const saved_file> files);
  // Contents that still wait in a file for their resource are in these files from now on.
  void move_files(std::span<const saved_file> files);

  // The device that a session has chosen for the nodes that name a resource.
  struct placing {
    std::string device, by;  // by: the node for which the device was chosen, and its line
  };
  // Returns the device of a resource. The result is empty if no session has chosen a device yet.
  placing placed(std::string_view section, std::string_view name) const;
  // Records the device of a resource for all sessions that share the container. An earlier record is kept until clear().
  void keep_placed(std::string_view section, std::string_view name, const placing& at);

  // Returns a number that changes with each clear() and rebind(). When the number has changed, a plan looks up its resources
  // again.
  std::uint64_t generation() const noexcept;
  // Makes every plan look up its resources again.
  void rebind() noexcept;

  // Returns whether the container has no lock.
  bool is_of_one_thread() const noexcept;
  // Removes resources that the next run does not reuse. It is called when the run of this container has ended. Precondition:
  // is_of_one_thread() returns true.
  void end_run();

private:
  struct state;
  owned<state> state_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/container.hpp>
#endif
