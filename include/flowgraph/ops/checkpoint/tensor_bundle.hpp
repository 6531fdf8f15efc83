#pragma once
// Ops that save tensors to files and restore them, in TensorFlow's current checkpoint format: formats/tensor_bundle.hpp.
//
//     auto save = fg::save_v2(prefix, {"w", "b"}, {w, b});
//     auto saved = fg::restore_v2(prefix, {"w", "b"}, {fg::dtype::float32, fg::dtype::float32});
//
// Programs usually use fg::saver (train/saver.hpp), which makes such nodes for all variables.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Writes tensors under their names to a checkpoint. The checkpoint appears on disk complete or not at all. Each tensor has a
// slice text: "10 4 0,5:-" saves the tensor as this part of a larger tensor; an empty text saves it as a whole tensor.
struct save_v2_op {
  static constexpr std::string_view name = "SaveV2";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  shape_list shape(shape_context& c, const flowgraph::shape& prefix, const flowgraph::shape& tensor_names,
                   const flowgraph::shape& shape_and_slices, std::span<const flowgraph::shape> tensors) const;
  void operator()(cpu ctx, view<const std::string> prefix, view<const std::string> tensor_names,
                  view<const std::string> shape_and_slices, any_list tensors) const;
};

// Reads tensors, or parts of them, by name from a checkpoint of either format version.
struct restore_v2_op {
  static constexpr std::string_view name = "RestoreV2";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::vector<dtype> dtypes;
  static constexpr auto attrs = flowgraph::attrs(required("dtypes", &restore_v2_op::dtypes));

  const std::vector<dtype>& output_types() const { return dtypes; }
  shape_list shape(shape_context& c, const flowgraph::shape& prefix, const flowgraph::shape& tensor_names,
                   const flowgraph::shape& shape_and_slices) const;
  void operator()(cpu ctx, view<const std::string> prefix, view<const std::string> tensor_names,
                  view<const std::string> shape_and_slices, any_output_list tensors) const;
};

// Merges several checkpoints into one. If `delete_old_dirs` is set, it removes the originals.
struct merge_v2_checkpoints_op {
  static constexpr std::string_view name = "MergeV2Checkpoints";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  bool delete_old_dirs = true, allow_missing_files = false;
  static constexpr auto attrs = flowgraph::attrs(attr("delete_old_dirs", &merge_v2_checkpoints_op::delete_old_dirs),
                                                 attr("allow_missing_files", &merge_v2_checkpoints_op::allow_missing_files));

  shape_list shape(shape_context& c, const flowgraph::shape& checkpoint_prefixes,
                   const flowgraph::shape& destination_prefix) const;
  void operator()(cpu ctx, view<const std::string> checkpoint_prefixes, view<const std::string> destination_prefix) const;
};

// Writes tensors under the given names.
target save_v2(out<std::string> prefix, const std::vector<std::string>& names, const any_out_list& tensors, site s = {});
// Reads the tensors with the given names and types.
any_out_list restore_v2(out<std::string> prefix, const std::vector<std::string>& names, const std::vector<dtype>& types,
                        site s = {});
inline target merge_v2_checkpoints(out<std::string> checkpoint_prefixes, out<std::string> destination_prefix, site s = {}) {
  return apply(merge_v2_checkpoints_op{}, checkpoint_prefixes, destination_prefix, s);
}

using tensor_bundle_ops = type_list<save_v2_op, restore_v2_op, merge_v2_checkpoints_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/checkpoint/detail/tensor_bundle.hpp>
#endif
