#pragma once
// Reads and writes NumPy's files: ".npy" contains one array, ".npz" contains several named arrays.
//
//     fg::save_npy("w.npy", w.erased()).value();
//     fg::any_tensor w = fg::load_npy("w.npy").value();
//
//     fg::save_npz("all.npz", {{"w", w}, {"b", b}}).value();
//     std::map all = fg::load_npz("all.npz").value();
//     fg::any_tensor w = fg::npz::open("all.npz").value().read("w").value();     // one array, even if others are unreadable
//
// Reading supports numbers and bool in either byte order, row-major or column-major, in versions 1 to 3 of the format. It does
// not support records, texts, objects, and the compressed archives of numpy.savez_compressed. Files are written in version 1,
// little-endian, row-major and uncompressed. NumPy has no bfloat16.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/formats/file.hpp>

#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Reads an array. If layout and alignment allow it, the tensor shares the mapped file; otherwise the elements are copied.
result<any_tensor> load_npy(const std::string& path);
// Like load_npy, but reads and copies bytes in memory. `name` is the name of the file in error messages.
result<any_tensor> parse_npy(std::span<const std::byte> file, const std::string& name = "(memory)");
// Writes an array. The new file replaces an older file completely. `sync`: see atomic_file.
result<void> save_npy(const std::string& path, const any_tensor& value, bool sync = true);

// Returns whether NumPy's files support elements of this type.
bool has_numpy_elements(dtype type) noexcept;

using named_tensors = std::map<std::string, any_tensor, std::less<>>;

// An archive that is open for reading. Each array is read only on request, so an unreadable array does not affect the others.
// Copies share the file.
class npz {
public:
  // An array of the archive.
  struct entry {
    // Name without ".npy".
    std::string name;
    dtype type = dtype::invalid;  // invalid: the array cannot be read
    flowgraph::shape shape = {};
    error why = {};  // why the array cannot be read
  };

  // Opens an archive. Arrays that cannot be read are listed too, with the reason.
  static result<npz> open(const std::string& path);
  // Like `open`, for bytes in memory. The bytes must not change while `owner` exists. `name` is the name of the file in error
  // messages.
  static result<npz> over(std::span<const std::byte> bytes, std::string name = "(memory)",
                          std::shared_ptr<const void> owner = {});

  // Returns the arrays in the order of the archive.
  const std::vector<entry>& arrays() const noexcept { return arrays_; }
  // Returns the array with this name, or null if it does not exist.
  const entry* find(std::string_view name) const;
  // Copies an array, and verifies its checksum.
  result<any_tensor> read(std::string_view name) const;

private:
  friend class npz_list;
  struct place {
    std::size_t first = 0, size = 0;  // position of the array in the file
    std::uint32_t checksum = 0;
  };
  npz() = default;

  std::string path_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::vector<entry> arrays_;
  std::vector<place> places_;                                // the positions of arrays_
  std::map<std::string, std::size_t, std::less<>> indices_;  // index in arrays_, by name
};

// Reads all arrays of an archive, and returns them by name, without ".npy". Verifies the checksums. If an array cannot be read,
// returns an error.
result<named_tensors> load_npz(const std::string& path);
// Like load_npz, but reads and copies bytes in memory. `name` is the name of the file in error messages.
result<named_tensors> parse_npz(std::span<const std::byte> file, const std::string& name = "(memory)");
// Writes an archive of named arrays. The new file replaces an older file completely. `sync`: see atomic_file.
result<void> save_npz(const std::string& path, std::span<const std::pair<std::string, any_tensor>> values, bool sync = true);
inline result<void> save_npz(const std::string& path, std::initializer_list<std::pair<std::string, any_tensor>> values,
                             bool sync = true) {
  return save_npz(path, std::span(values.begin(), values.size()), sync);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/npy.hpp>
#include <flowgraph/formats/impl/npz.hpp>
#endif
