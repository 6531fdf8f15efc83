#pragma once
// TensorFlow's first checkpoint format, which its op Save writes: one file contains all tensors, each in one or several parts.
// Checkpoints are now written as tensor bundles; this format is only needed for old graphs and files. Files are read into memory
// completely.

#include <flowgraph/formats/file.hpp>
#include <flowgraph/formats/tensor_slice.hpp>

#include <functional>
#include <map>
#include <span>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The tensors of one or several files in this format. The files may contain different parts of the same tensor.
class saved_slices {
public:
  struct entry {
    dtype type = dtype::invalid;
    shape extents;
    std::vector<tensor_slice> slices;
  };
  using entries = std::map<std::string, entry, std::less<>>;

  // Opens the files that together contain the tensors.
  static result<saved_slices> open(std::span<const std::string> paths);

  // Returns the entries of the tensors, by name.
  const entries& tensors() const noexcept { return tensors_; }
  // Returns the entry of a tensor, or null if it does not exist.
  const entry* find(std::string_view name) const;
  // Reads a part of a tensor.
  result<any_tensor> read(std::string_view name, const tensor_slice& part,
                          std::pmr::memory_resource* from = std::pmr::new_delete_resource()) const;

private:
  saved_slices() = default;
  result<void> add(const std::string& path);

  struct part {
    std::string path, message;
  };
  std::string path_;  // the first file
  entries tensors_;
  std::map<std::string, part> parts_;  // by key
};

// Returns whether TensorFlow supports elements of this type in this format. It supports all types that files can contain, except
// bfloat16, uint32 and uint64.
bool has_saved_slices_elements(dtype type) noexcept;

// Writes a file. `finish` replaces an older file. Element types that TensorFlow does not support in this format are errors.
class saved_slices_writer {
public:
  // Creates a file. With `sync`, `finish` returns after all data is on the disk.
  static result<saved_slices_writer> create(std::string path, bool sync = true);

  // Adds a part of a tensor of shape `whole`.
  result<void> add_slice(std::string_view name, const shape& whole, const tensor_slice& part, const any_tensor& value);
  // Adds a whole tensor.
  result<void> add(std::string_view name, const any_tensor& value) {
    return add_slice(name, value.shape(), tensor_slice::all(value.shape().rank), value);
  }
  // Writes the file.
  result<void> finish();

private:
  explicit saved_slices_writer(atomic_file file) : file_(std::move(file)) {}

  atomic_file file_;
  saved_slices::entries tensors_;
  std::map<std::string, std::string> messages_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/saved_slices.hpp>
#endif
