#pragma once
// What a session holds besides its variables, as bytes that outlive the process: how many random numbers were drawn, and the contents of
// queues, readers and the like.

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The contents of a resource of a container: what its class wrote, and reads again.
struct saved_resource {
  std::string section, name;  // as container::find takes them
  std::string bytes;
};

// The state of a session: session::save_state makes one, session::load_state takes it.
struct saved_state {
  // What a node with random numbers has drawn in the session.
  struct draws {
    std::string node;
    std::uint64_t runs = 0, numbers = 0;
  };
  std::vector<draws> random;
  std::vector<saved_resource> resources;
};

// Resources whose contents are saved so. Both are called while no kernel works with the resource, though kernels may wait for it.
class savable {
public:
  // An error: what it holds cannot be saved.
  virtual result<std::string> save() const = 0;
  // Takes what `save` gave for one of the same description, in place of what it holds; who waits may be served by that. On an error
  // it holds what it held.
  virtual error load(std::string_view bytes, std::pmr::memory_resource* memory) = 0;

protected:
  ~savable() = default;
};

}
}  // namespace flowgraph
