#pragma once
// Named tensors in one file, as the safetensors package of Python and others write them.
//
//     fg::save_safetensors("weights.safetensors", {{"w", w.erased()}, {"b", b.erased()}}).value();
//
//     auto from = fg::safetensors::open("weights.safetensors").value();     // mapped, not read
//     fg::any_tensor w = from.read("w").value();                            // shares the mapping where its place is aligned
//
// The format has no checksums. A header that does not describe the file exactly is refused: places beyond the end, gaps, overlaps, names
// given twice, sizes that do not fit type and shape. Element types: numbers without complex128, and bool.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/formats/file.hpp>

#include <map>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A file that is open for reading. Copies share it; tensors that were read outlive it.
class safetensors {
public:
  struct entry {
    std::string name;
    std::string stored_type;  // "F32", as the file says
    dtype type;               // invalid: flowgraph has no such elements
    flowgraph::shape shape;
    std::uint64_t offset, size;  // in the file, in bytes
  };

  static result<safetensors> open(std::string path);
  // The same of bytes in memory, which stay as they are for as long as `owner` is held, or for ever: weights that are part of the program.
  // `name` stands for the file in errors.
  static result<safetensors> over(std::span<const std::byte> bytes, std::string name = "(memory)",
                                  std::shared_ptr<const void> owner = {});

  // In the order of their places.
  const std::vector<entry>& tensors() const noexcept { return tensors_; }
  const entry* find(std::string_view name) const;
  // Texts that the writer added.
  const std::map<std::string, std::string, std::less<>>& metadata() const noexcept { return metadata_; }

  result<any_tensor> read(std::string_view name) const;

private:
  friend class safetensors_header;
  safetensors() = default;

  std::string path_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::vector<entry> tensors_;
  std::map<std::string, std::size_t, std::less<>> places_;  // in tensors_, by name
  std::map<std::string, std::string, std::less<>> metadata_;
};

// Whether a file of safetensors can hold elements of this type.
bool has_safetensors_elements(dtype type) noexcept;

struct safetensors_options {
  std::map<std::string, std::string> metadata = {};
  bool sync = true;  // see atomic_file
};

// The file takes the place of an older one as a whole.
result<void> save_safetensors(const std::string& path, std::span<const std::pair<std::string, any_tensor>> tensors,
                              const safetensors_options& options = {});
inline result<void> save_safetensors(const std::string& path, std::initializer_list<std::pair<std::string, any_tensor>> tensors,
                                     const safetensors_options& options = {}) {
  return save_safetensors(path, std::span(tensors.begin(), tensors.size()), options);
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/safetensors.hpp>
#endif
