#pragma once
// TensorFlow's first checkpoints (those of its op Save): one file with all tensors, each in one part or several. Checkpoints are written as
// tensor bundles today; these are for old graphs and files. All of a file is held in memory.

#include <flowgraph/formats/file.hpp>
#include <flowgraph/formats/tensor_slice.hpp>

#include <functional>
#include <map>
#include <span>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Tensors in one or several such files, whose parts of one tensor belong together.
class saved_slices {
public:
  struct entry {
    dtype type = dtype::invalid;
    shape extents;
    std::vector<tensor_slice> slices;
  };
  using entries = std::map<std::string, entry, std::less<>>;

  static result<saved_slices> open(std::span<const std::string> paths);

  const entries& tensors() const noexcept { return tensors_; }
  const entry* find(std::string_view name) const;
  result<any_tensor> read(std::string_view name, const tensor_slice& part,
                          std::pmr::memory_resource* from = std::pmr::new_delete_resource()) const;

private:
  saved_slices() = default;
  result<void> add(const std::string& path);

  struct part {
    std::string path, message;
  };
  std::string path_;  // the first one
  entries tensors_;
  std::map<std::string, part> parts_;  // by their keys
};

// Whether TensorFlow reads and writes elements of this type in its first checkpoints: all that files hold but bfloat16, uint32 and uint64.
bool has_saved_slices_elements(dtype type) noexcept;

// Writes one. It takes the place of an older file in `finish`. Elements that TensorFlow does not read there are refused.
class saved_slices_writer {
public:
  static result<saved_slices_writer> create(std::string path, bool sync = true);

  result<void> add_slice(std::string_view name, const shape& whole, const tensor_slice& part, const any_tensor& value);
  result<void> add(std::string_view name, const any_tensor& value) {
    return add_slice(name, value.shape(), tensor_slice::all(value.shape().rank), value);
  }
  result<void> finish();

private:
  explicit saved_slices_writer(atomic_file file) : file_(std::move(file)) {}

  atomic_file file_;
  saved_slices::entries tensors_;
  std::map<std::string, std::string> messages_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/saved_slices.hpp>
#endif
