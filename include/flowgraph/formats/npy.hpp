#pragma once
// NumPy's files: an array in ".npy", several named ones in ".npz".
//
//     fg::save_npy("w.npy", w.erased()).value();
//     fg::any_tensor w = fg::load_npy("w.npy").value();
//
//     fg::save_npz("all.npz", {{"w", w}, {"b", b}}).value();
//     std::map all = fg::load_npz("all.npz").value();
//
// Read: numbers and bool of either byte order, row-major or column-major, versions 1 to 3. Not read: records, texts, objects, and the
// compressed archives of numpy.savez_compressed. Written: version 1, little-endian, row-major, uncompressed. NumPy has no bfloat16.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/formats/file.hpp>

#include <functional>
#include <map>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Shares the mapped file where its elements lie as they are needed; else they are copied.
result<any_tensor> load_npy(const std::string& path);
// The same of bytes in memory, copied. `name` stands for the file in errors.
result<any_tensor> parse_npy(std::span<const std::byte> file, const std::string& name = "(memory)");
// The file takes the place of an older one as a whole. `sync`: see atomic_file.
result<void> save_npy(const std::string& path, const any_tensor& value, bool sync = true);

using named_tensors = std::map<std::string, any_tensor, std::less<>>;

// The arrays of an archive by their names, without ".npy". Checksums are compared.
result<named_tensors> load_npz(const std::string& path);
result<named_tensors> parse_npz(std::span<const std::byte> file, const std::string& name = "(memory)");
result<void> save_npz(const std::string& path, std::span<const std::pair<std::string, any_tensor>> values, bool sync = true);
inline result<void> save_npz(const std::string& path, std::initializer_list<std::pair<std::string, any_tensor>> values,
                             bool sync = true) {
  return save_npz(path, std::span(values.begin(), values.size()), sync);
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/npy.hpp>
#include <flowgraph/formats/impl/npz.hpp>
#endif
