#pragma once
// Named tensors in one file, in the format of Python's safetensors package.
//
//     fg::save_safetensors("weights.safetensors", {{"w", w.erased()}, {"b", b.erased()}}).value();
//
//     auto from = fg::safetensors::open("weights.safetensors").value();     // mapped, not read
//     fg::any_tensor w = from.read("w").value();                            // shares the mapping if its data is aligned
//
// The format has no checksums. If the header does not describe the file exactly, opening returns an error. Examples are offsets
// beyond the end, gaps, overlaps, duplicate names, and sizes that do not match type and shape. Supported elements: numbers except
// complex128, and bool.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/formats/file.hpp>

#include <map>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A file that is open for reading. Copies share the file. Tensors that were read from the file may outlive the object.
class safetensors {
public:
  struct entry {
    std::string name;
    // Element type as the file states it: "F32".
    std::string stored_type;
    dtype type;  // invalid: flowgraph does not support the type
    flowgraph::shape shape;
    std::uint64_t offset, size;  // position in the file, in bytes
  };

  // Opens a file, and checks its header. The tensors are mapped, not read.
  static result<safetensors> open(std::string path);
  // Like `open`, for bytes in memory, for example weights that are part of the program. The bytes must not change while `owner`
  // exists. Without an owner, they must not change until the program ends. `name` is the name of the file in error messages.
  static result<safetensors> over(std::span<const std::byte> bytes, std::string name = "(memory)",
                                  std::shared_ptr<const void> owner = {});

  // Returns the tensors in the order of their offsets.
  const std::vector<entry>& tensors() const noexcept { return tensors_; }
  // Returns the entry of a tensor, or null if it does not exist.
  const entry* find(std::string_view name) const;
  // Returns the texts that the writer of the file has added.
  const std::map<std::string, std::string, std::less<>>& metadata() const noexcept { return metadata_; }

  // Returns a tensor. It shares the mapped file if its data is aligned; otherwise it is copied.
  result<any_tensor> read(std::string_view name) const;

private:
  friend class safetensors_header;
  safetensors() = default;

  std::string path_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::vector<entry> tensors_;
  std::map<std::string, std::size_t, std::less<>> places_;  // index in tensors_, by name
  std::map<std::string, std::string, std::less<>> metadata_;
};

// Returns whether safetensors files support elements of this type.
bool has_safetensors_elements(dtype type) noexcept;

// Options of save_safetensors.
struct safetensors_options {
  std::map<std::string, std::string> metadata = {};  // texts to store with the tensors
  bool sync = true;                                  // see atomic_file
};

// Writes a file. The new file replaces an older file completely.
result<void> save_safetensors(const std::string& path, std::span<const std::pair<std::string, any_tensor>> tensors,
                              const safetensors_options& options = {});
inline result<void> save_safetensors(const std::string& path, std::initializer_list<std::pair<std::string, any_tensor>> tensors,
                                     const safetensors_options& options = {}) {
  return save_safetensors(path, std::span(tensors.begin(), tensors.size()), options);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/safetensors.hpp>
#endif
