#pragma once
// Ops that save and restore tensors in the first checkpoint format, for old graphs: formats/saved_slices.hpp. New graphs use
// SaveV2.
//
//     fg::apply(fg::save_op{}, path, names, tensors)

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Writes tensors under their names to one file.
struct save_op {
  static constexpr std::string_view name = "Save";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  shape_list shape(shape_context& c, const flowgraph::shape& filename, const flowgraph::shape& tensor_names,
                   std::span<const flowgraph::shape> data) const;
  void operator()(cpu ctx, view<const std::string> filename, view<const std::string> tensor_names, any_list data) const;
};

// Writes tensors, or parts of larger tensors, under their names to one file.
struct save_slices_op {
  static constexpr std::string_view name = "SaveSlices";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  shape_list shape(shape_context& c, const flowgraph::shape& filename, const flowgraph::shape& tensor_names,
                   const flowgraph::shape& shapes_and_slices, std::span<const flowgraph::shape> data) const;
  void operator()(cpu ctx, view<const std::string> filename, view<const std::string> tensor_names,
                  view<const std::string> shapes_and_slices, any_list data) const;
};

// Reads a tensor from the files that match a pattern. The last part of the path may contain '*' and '?'.
struct restore_op {
  static constexpr std::string_view name = "Restore";
  using types = type_attrs<type_attr<"dt", all_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::int64_t preferred_shard = -1;  // ignored: all files are searched
  static constexpr auto attrs = flowgraph::attrs(attr("preferred_shard", &restore_op::preferred_shard));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& file_pattern, const flowgraph::shape& tensor_name) const;
  template <class T>
  void operator()(cpu ctx, view<const std::string> file_pattern, view<const std::string> tensor_name, unsized<T> tensor) const;
};

// Reads a part of a tensor from the files that match a pattern.
struct restore_slice_op {
  static constexpr std::string_view name = "RestoreSlice";
  using types = type_attrs<type_attr<"dt", all_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::int64_t preferred_shard = -1;
  static constexpr auto attrs = flowgraph::attrs(attr("preferred_shard", &restore_slice_op::preferred_shard));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& file_pattern, const flowgraph::shape& tensor_name,
                         const flowgraph::shape& shape_and_slice) const;
  template <class T>
  void operator()(cpu ctx, view<const std::string> file_pattern, view<const std::string> tensor_name,
                  view<const std::string> shape_and_slice, unsized<T> tensor) const;
};

// Returns the name of one of several files, such as "base-00003-of-00010".
struct sharded_filename_op {
  static constexpr std::string_view name = "ShardedFilename";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& basename, const flowgraph::shape& shard,
                         const flowgraph::shape& num_shards) const;
  void operator()(cpu ctx, view<const std::string> basename, view<const std::int32_t> shard, view<const std::int32_t> num_shards,
                  view<std::string> filename) const;
};

// Returns the pattern that matches the names of several files, such as "base-?????-of-00010".
struct sharded_filespec_op {
  static constexpr std::string_view name = "ShardedFilespec";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& basename, const flowgraph::shape& num_shards) const;
  void operator()(cpu ctx, view<const std::string> basename, view<const std::int32_t> num_shards,
                  view<std::string> filename) const;
};

inline out<std::string> sharded_filename(out<std::string> basename, out<std::int32_t> shard, out<std::int32_t> num_shards,
                                         site s = {}) {
  return apply(sharded_filename_op{}, basename, shard, num_shards, s);
}

using saved_slices_ops =
    type_list<save_op, save_slices_op, restore_op, restore_slice_op, sharded_filename_op, sharded_filespec_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/checkpoint/detail/saved_slices.hpp>
#endif
