#pragma once
// The state of a session other than its variables, as bytes that outlive the process: positions of random numbers, and the
// contents of queues, readers and similar resources.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The contents of a resource in a container, in a form that its class writes and reads.
struct saved_resource {
  std::string section, name;  // section and name, as in container::find
  std::string bytes;          // the contents, in the format of its class
};

// A file that contains the contents of a resource.
struct saved_file {
  std::string section, name;   // section and name, as in container::find
  std::string path;            // in the bytes of a state: the name of the file without its folder
  std::uint64_t size = 0;      // in bytes
  std::uint32_t checksum = 0;  // the CRC-32C of the file
};

// The state of a session, which session::save_state returns and session::load_state restores.
struct saved_state {
  // The number of random values that a node has drawn in the session.
  struct draws {
    std::string node;
    std::uint64_t runs = 0, numbers = 0;
  };
  std::vector<draws> random;              // numbers drawn by random nodes
  std::vector<saved_resource> resources;  // contents of resources
  std::vector<saved_file> files = {};     // contents that a saver has written to files
};

// A resource whose contents can be saved. Both functions are called while no kernel uses the resource, but kernels may wait for
// it.
class savable {
public:
  // Returns the contents, or an error if they cannot be saved.
  virtual result<std::string> save() const = 0;
  // Replaces the contents with the result of `save` of a resource with the same declaration. Waiting kernels may then continue.
  // If this fails, returns an error, and the contents are unchanged.
  virtual error load(std::string_view bytes, std::pmr::memory_resource* memory) = 0;

protected:
  ~savable() = default;
};

// A resource whose contents can be large, such as a table of rows. A saver stores them in a file. All functions are called while no
// kernel uses the resource.
class savable_file {
public:
  // Writes the contents to `sink`, a part at a time.
  virtual result<void> write(function_ref<result<void>(std::span<const std::byte>)> sink) const = 0;
  // Returns an error if the contents of a file cannot be loaded.
  virtual error check(const std::string& path) const = 0;
  // Replaces the contents with those of a file.
  virtual error load(const std::string& path) = 0;

protected:
  ~savable_file() = default;
};

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
