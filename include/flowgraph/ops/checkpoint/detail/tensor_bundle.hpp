#pragma once

#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>
#include <flowgraph/ops/checkpoint/tensor_bundle.hpp>

#include <filesystem>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns a list of texts as a constant beside a node, with a name below the user's name for the node.
FLOWGRAPH_KERNEL_INLINE out<std::string> texts_beside(const any_out& handle, const std::vector<std::string>& texts, const site& s,
                                                      std::string_view part) {
  const flowgraph::shape extents{texts.size()};
  const std::string name = s.name.empty() ? std::string() : message{s.name, "/", part}.string();
  return constant_beside(handle, tensor<std::string>(extents, std::span<const std::string>(texts)), part_of(s, name));
}

// Returns an error text about the names of tensors in a checkpoint; empty if they are right.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::string fault_of_names(std::size_t prefixes, std::size_t names, std::size_t slices,
                                                                  std::size_t tensors) {
  if (prefixes != 1) return message{"one prefix, found ", prefixes};
  if (names != tensors || slices != tensors)
    return message{"a name and a shape for each of ", tensors, " tensors, found ", names, " and ", slices};
  return {};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE void check_names(shape_context& c, const shape& prefix, const shape& names,
                                                        const shape& slices, std::size_t tensors) {
  if (!prefix.is_known() || !names.is_known() || !slices.is_known()) return;
  const auto count = [](const shape& s) { return static_cast<std::size_t>(s.size()); };
  if (auto fault = fault_of_names(count(prefix), count(names), count(slices), tensors); !fault.empty()) c.fail(std::move(fault));
}

FLOWGRAPH_KERNEL_INLINE error make_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code why;
  if (!folder.empty()) std::filesystem::create_directories(folder, why);
  return why ? file_error(folder.string(), "cannot be made", why.value()) : error();
}

FLOWGRAPH_KERNEL_INLINE error save_tensors(const std::string& prefix, view<const std::string> names,
                                           view<const std::string> slices, any_list tensors) {
  if (error why = make_folder_of(prefix)) return why;
  auto to = tensor_bundle_writer::create(prefix);
  if (!to) return to.error();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto part = shape_and_slice::parse(slices[i]);
    if (!part) return part.error();
    const auto done =
        part->is_whole ? to->add(names[i], tensors[i]) : to->add_slice(names[i], part->whole, part->part, tensors[i]);
    if (!done) return done.error();
  }
  const auto done = to->finish();
  return done ? error() : done.error();
}

// Restores a tensor from a checkpoint of either version. `found`: the tensor's entry in it.
template <class Checkpoint, class Entry>
result<any_tensor> restore_tensor(Checkpoint& from, const Entry* found, const std::string& name, std::string_view slice,
                                  dtype type, std::pmr::memory_resource* memory) {
  const auto refuse = [&](const message& why, error_code code = error_code::invalid_argument) {
    return error(code, message{"tensor '", name, "': ", why.string()});
  };
  const auto part = shape_and_slice::parse(slice);
  if (!part) return part.error();
  if (!found) return refuse({"is not in the checkpoint"}, error_code::not_found);
  if (found->type != type) return refuse({"expected ", name_of(type), ", found ", name_of(found->type), " in the checkpoint"});
  if (part->is_whole) return from.read(name, tensor_slice::all(found->extents.rank), memory);
  if (part->whole != found->extents)
    return refuse({"expected shape ", part->whole, ", found ", found->extents, " in the checkpoint"});
  return from.read(name, part->part, memory);
}

FLOWGRAPH_KERNEL_INLINE result<any_tensor> restore_from(tensor_bundle& from, const std::string& name, std::string_view slice,
                                                        dtype type, std::pmr::memory_resource* memory) {
  if (slice.empty())  // read as a whole
    if (const bundle_entry* found = from.find(name); found && found->type == type) return from.read(name, memory);
  return restore_tensor(from, from.find(name), name, slice, type, memory);
}

template <class Read> void restore_each(cpu ctx, const std::vector<dtype>& types, any_output_list to, Read&& read) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    auto value = read(i);
    if (!value) return ctx.fail(value.error());
    to.share(i, *std::move(value));
    if (ctx.stop_requested()) return;
  }
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list save_v2_op::shape(shape_context& c, const flowgraph::shape& prefix,
                                                                    const flowgraph::shape& tensor_names,
                                                                    const flowgraph::shape& shape_and_slices,
                                                                    std::span<const flowgraph::shape> tensors) const {
  detail::check_names(c, prefix, tensor_names, shape_and_slices, tensors.size());
  return {};
}

FLOWGRAPH_KERNEL_INLINE void save_v2_op::operator()(cpu ctx, view<const std::string> prefix, view<const std::string> tensor_names,
                                                    view<const std::string> shape_and_slices, any_list tensors) const {
  if (error why = detail::save_tensors(prefix[0], tensor_names, shape_and_slices, tensors)) ctx.fail(why);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list restore_v2_op::shape(shape_context& c, const flowgraph::shape& prefix,
                                                                       const flowgraph::shape& tensor_names,
                                                                       const flowgraph::shape& shape_and_slices) const {
  detail::check_names(c, prefix, tensor_names, shape_and_slices, dtypes.size());
  return shape_list(dtypes.size(), flowgraph::shape::unknown());
}

FLOWGRAPH_KERNEL_INLINE void restore_v2_op::operator()(cpu ctx, view<const std::string> prefix,
                                                       view<const std::string> tensor_names,
                                                       view<const std::string> shape_and_slices, any_output_list tensors) const {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(prefix[0], ignored)) {
    auto from = saved_slices::open(std::span(&prefix[0], 1));
    if (!from) return ctx.fail(from.error());
    return detail::restore_each(ctx, dtypes, tensors, [&](std::size_t i) {
      return detail::restore_tensor(*from, from->find(tensor_names[i]), tensor_names[i], shape_and_slices[i], dtypes[i],
                                    ctx.memory());
    });
  }
  auto from = tensor_bundle::open(prefix[0]);
  if (!from) return ctx.fail(from.error());
  detail::restore_each(ctx, dtypes, tensors, [&](std::size_t i) {
    return detail::restore_from(*from, tensor_names[i], shape_and_slices[i], dtypes[i], ctx.memory());
  });
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list merge_v2_checkpoints_op::shape(
    shape_context& c, const flowgraph::shape& checkpoint_prefixes, const flowgraph::shape& destination_prefix) const {
  if (checkpoint_prefixes.has_rank() && checkpoint_prefixes.rank != 1) c.fail("a list of prefixes");
  else if (destination_prefix.has_rank() && destination_prefix.rank != 0) c.fail("one destination");
  return {};
}

FLOWGRAPH_KERNEL_INLINE void merge_v2_checkpoints_op::operator()(cpu ctx, view<const std::string> checkpoint_prefixes,
                                                                 view<const std::string> destination_prefix) const {
  const merge_options options{delete_old_dirs, allow_missing_files};
  error why = detail::make_folder_of(destination_prefix[0]);
  if (!why) {
    const auto done =
        merge_tensor_bundles(std::span(checkpoint_prefixes.data(), checkpoint_prefixes.size()), destination_prefix[0], options);
    if (!done) why = done.error();
  }
  if (!why) return;
  // As in TensorFlow, a missing checkpoint is an invalid argument.
  if (why.code() == error_code::not_found) why = error(error_code::invalid_argument, std::string(why.message()));
  ctx.fail(why);
}

FLOWGRAPH_KERNEL_INLINE target save_v2(out<std::string> prefix, const std::vector<std::string>& names,
                                       const any_out_list& tensors, site s) {
  const std::vector<std::string> whole(names.size());
  return apply(s, save_v2_op{}, prefix, detail::texts_beside(prefix, names, s, "tensor_names"),
               detail::texts_beside(prefix, whole, s, "shape_and_slices"), tensors);
}

FLOWGRAPH_KERNEL_INLINE any_out_list restore_v2(out<std::string> prefix, const std::vector<std::string>& names,
                                                const std::vector<dtype>& types, site s) {
  const std::vector<std::string> whole(names.size());
  return apply(s, restore_v2_op{types}, prefix, detail::texts_beside(prefix, names, s, "tensor_names"),
               detail::texts_beside(prefix, whole, s, "shape_and_slices"));
}

}  // namespace flowgraph
