#pragma once
// TensorFlow's checkpoints (version 2, "tensor bundles"): named tensors in files "<prefix>.index" and
// "<prefix>.data-00000-of-00001" and so on.
//
//     auto to = fg::tensor_bundle_writer::create("model.ckpt-100").value();
//     to.add("w", w.erased()).value();
//     to.finish().value();
//
//     auto from = fg::tensor_bundle::open("model.ckpt-100").value();
//     fg::any_tensor w = from.read("w").value();
//
// All element types except resource and variant are supported; a checkpoint that has tensors of these types can be read except for
// these tensors. Checksums are written, and verified whenever a tensor is read.
// Errors name the file, the tensor and the offset.

#include <flowgraph/formats/file.hpp>
#include <flowgraph/formats/tensor_slice.hpp>

#include <functional>
#include <map>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// An entry of the index, which describes one tensor.
struct bundle_entry {
  dtype type = dtype::invalid;         // element type; invalid: the tensor cannot be read
  shape extents;                       // shape of the tensor
  std::int32_t shard = 0;              // number of the data file
  std::uint64_t offset = 0, size = 0;  // position and size in the data file, in bytes
  std::uint32_t checksum = 0;          // masked CRC-32C
  std::vector<tensor_slice> slices;    // for a tensor that is stored in parts: the parts, each with its own entry
  std::int64_t unreadable_type = 0;    // if `type` is invalid: the number of the type in TensorFlow, for example 21 (variant)
};

// A checkpoint that is open for reading. Its index is in memory; each tensor is read on request. Only one thread at a time may
// use it.
class tensor_bundle {
public:
  using entries = std::map<std::string, bundle_entry, std::less<>>;

  // Opens a checkpoint by its prefix, and reads its index.
  static result<tensor_bundle> open(std::string prefix);

  // Returns the entries of the tensors, by name. Parts of tensors have no entries here.
  const entries& tensors() const noexcept { return tensors_; }
  // Returns the entry of a tensor, or null if it does not exist.
  const bundle_entry* find(std::string_view name) const;
  // Returns the number of data files.
  std::int32_t shards() const noexcept { return shards_; }
  // Returns the prefix of the checkpoint.
  const std::string& prefix() const noexcept { return prefix_; }

  // Reads a tensor, or only a part of it. The tensor may be stored in parts.
  result<any_tensor> read(std::string_view name, std::pmr::memory_resource* from = std::pmr::new_delete_resource());
  result<any_tensor> read(std::string_view name, const tensor_slice& part,
                          std::pmr::memory_resource* from = std::pmr::new_delete_resource());

private:
  friend class bundle_merger;
  struct shard_file {
    file_reader reader;
    std::uint64_t size;
  };

  tensor_bundle() = default;
  result<void> take_entry(const std::string& key, std::string_view message);
  result<void> check_parts() const;
  error check_cover(std::string_view name, const bundle_entry& entry, const tensor_slice& wanted) const;
  result<shard_file*> shard(std::int32_t number);
  result<file_reader*> placed(std::string_view name, const bundle_entry& entry);
  error unreadable(std::string_view name, const bundle_entry& entry) const;
  result<any_tensor> read_entry(std::string_view name, const bundle_entry& entry, std::pmr::memory_resource* from);
  result<any_tensor> read_parts(std::string_view name, const bundle_entry& entry, const tensor_slice& wanted,
                                std::pmr::memory_resource* from);
  std::string index_path() const { return prefix_ + ".index"; }

  std::string prefix_;
  std::int32_t shards_ = 1;
  entries tensors_, parts_;                   // parts by their keys
  std::map<std::int32_t, shard_file> files_;  // files that were opened
};

// Writes a checkpoint with one data file. Older files remain unchanged until the new files are complete. `finish` then removes the
// older index, and gives the new files their names, the index last: an index never belongs to the data of another checkpoint.
class tensor_bundle_writer {
public:
  // Creates a checkpoint. With `sync`, `finish` returns after all data is on the disk.
  static result<tensor_bundle_writer> create(std::string prefix, bool sync = true);

  // Adds a tensor.
  result<void> add(std::string_view name, const any_tensor& value);
  // Adds a part of a tensor of shape `whole`. Add the other parts by further calls, to this checkpoint or to a checkpoint that is
  // merged with it.
  result<void> add_slice(std::string_view name, const shape& whole, const tensor_slice& part, const any_tensor& value);
  // Completes both files, and replaces older files.
  result<void> finish();

private:
  tensor_bundle_writer(std::string prefix, atomic_file data, bool sync)
      : prefix_(std::move(prefix)), data_(std::move(data)), sync_(sync) {}
  result<void> write(const std::string& key, std::string_view name, const any_tensor& value);

  std::string prefix_;
  atomic_file data_;
  bool sync_;
  tensor_bundle::entries entries_;
};

// Options of merge_tensor_bundles.
struct merge_options {
  // True: removes the folders of the merged checkpoints if they are empty afterwards. Default: they are kept.
  bool remove_folders = false;
  // True: checkpoints that do not exist are ignored, if at least one exists. Default: they are an error.
  bool allow_missing = false;
};

// Merges several checkpoints into one: renames their data files, and combines parts of the same tensor.
result<void> merge_tensor_bundles(std::span<const std::string> prefixes, const std::string& destination,
                                  const merge_options& options = {});

// Returns the path of a data file: "<prefix>.data-00002-of-00004".
std::string bundle_data_path(std::string_view prefix, std::int32_t shard, std::int32_t shards);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/tensor_bundle.hpp>
#endif
