#pragma once

#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/ops/checkpoint/detail/tensor_bundle.hpp>
#include <flowgraph/ops/checkpoint/saved_slices.hpp>

#include <algorithm>
#include <filesystem>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns whether a name matches a pattern: '*' matches any characters, '?' any single character.
FLOWGRAPH_KERNEL_INLINE bool fits_pattern(std::string_view name, std::string_view pattern) {
  std::size_t at = 0, p = 0, star = std::string_view::npos, after_star = 0;
  while (at < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = at;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[at])) {
      ++p;
      ++at;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      at = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// Returns the files of a folder that fit a pattern, sorted.
FLOWGRAPH_KERNEL_INLINE std::vector<std::string> files_of_pattern(const std::string& pattern) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_regular_file(pattern, ignored)) return {pattern};
  std::vector<std::string> found;
  const fs::path path(pattern);
  const std::string last = path.filename().string();
  if (last.find_first_of("*?") == std::string::npos) return found;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored))
    if (entry->is_regular_file(ignored) && fits_pattern(entry->path().filename().string(), last))
      found.push_back((path.parent_path() / entry->path().filename()).string());
  std::sort(found.begin(), found.end());
  return found;
}

FLOWGRAPH_KERNEL_INLINE result<any_tensor> restore_of_pattern(const std::string& pattern, const std::string& name,
                                                              std::string_view slice, dtype type,
                                                              std::pmr::memory_resource* memory) {
  const std::vector<std::string> paths = files_of_pattern(pattern);
  if (paths.empty()) return error(error_code::not_found, message{"no file fits '", pattern, "'"});
  auto from = saved_slices::open(paths);
  if (!from) return from.error();
  return restore_tensor(*from, from->find(name), name, slice, type, memory);
}

FLOWGRAPH_KERNEL_INLINE error save_slices(const std::string& path, view<const std::string> names,
                                          const view<const std::string>* slices, any_list data) {
  auto to = saved_slices_writer::create(path);
  if (!to) return to.error();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto part = shape_and_slice::parse(slices ? std::string_view((*slices)[i]) : std::string_view());
    if (!part) return part.error();
    const auto done = part->is_whole ? to->add(names[i], data[i]) : to->add_slice(names[i], part->whole, part->part, data[i]);
    if (!done) return done.error();
  }
  const auto done = to->finish();
  return done ? error() : done.error();
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape all_scalars(shape_context& c, std::initializer_list<flowgraph::shape> inputs,
                                                         const flowgraph::shape& output) {
  for (const flowgraph::shape& s : inputs)
    if (s.has_rank() && s.rank != 0) return c.fail("scalars");
  return output;
}

// Returns the number in at least five digits.
FLOWGRAPH_KERNEL_INLINE std::string shard_digits(std::int32_t number) {
  const std::string text = std::to_string(number);
  return std::string(text.size() < 5 ? 5 - text.size() : 0, '0') + text;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list save_op::shape(shape_context& c, const flowgraph::shape& filename,
                                                                 const flowgraph::shape& tensor_names,
                                                                 std::span<const flowgraph::shape> data) const {
  detail::check_names(c, filename, tensor_names, tensor_names, data.size());
  return {};
}

FLOWGRAPH_KERNEL_INLINE void save_op::operator()(cpu ctx, view<const std::string> filename, view<const std::string> tensor_names,
                                                 any_list data) const {
  if (error why = detail::save_slices(filename[0], tensor_names, nullptr, data)) ctx.fail(why);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list save_slices_op::shape(shape_context& c, const flowgraph::shape& filename,
                                                                        const flowgraph::shape& tensor_names,
                                                                        const flowgraph::shape& shapes_and_slices,
                                                                        std::span<const flowgraph::shape> data) const {
  detail::check_names(c, filename, tensor_names, shapes_and_slices, data.size());
  return {};
}

FLOWGRAPH_KERNEL_INLINE void save_slices_op::operator()(cpu ctx, view<const std::string> filename,
                                                        view<const std::string> tensor_names,
                                                        view<const std::string> shapes_and_slices, any_list data) const {
  if (error why = detail::save_slices(filename[0], tensor_names, &shapes_and_slices, data)) ctx.fail(why);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape restore_op::shape(shape_context& c, const flowgraph::shape& file_pattern,
                                                               const flowgraph::shape& tensor_name) const {
  return detail::all_scalars(c, {file_pattern, tensor_name}, flowgraph::shape::unknown());
}

template <class T>
void restore_op::operator()(cpu ctx, view<const std::string> file_pattern, view<const std::string> tensor_name,
                            unsized<T> tensor) const {
  auto value = detail::restore_of_pattern(file_pattern[0], tensor_name[0], {}, dtype_of<T>, ctx.memory());
  if (!value) return ctx.fail(value.error());
  tensor.share(*std::move(value));
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape restore_slice_op::shape(shape_context& c, const flowgraph::shape& file_pattern,
                                                                     const flowgraph::shape& tensor_name,
                                                                     const flowgraph::shape& shape_and_slice) const {
  return detail::all_scalars(c, {file_pattern, tensor_name, shape_and_slice}, flowgraph::shape::unknown());
}

template <class T>
void restore_slice_op::operator()(cpu ctx, view<const std::string> file_pattern, view<const std::string> tensor_name,
                                  view<const std::string> shape_and_slice, unsized<T> tensor) const {
  auto value = detail::restore_of_pattern(file_pattern[0], tensor_name[0], shape_and_slice[0], dtype_of<T>, ctx.memory());
  if (!value) return ctx.fail(value.error());
  tensor.share(*std::move(value));
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape sharded_filename_op::shape(shape_context& c, const flowgraph::shape& basename,
                                                                        const flowgraph::shape& shard,
                                                                        const flowgraph::shape& num_shards) const {
  return detail::all_scalars(c, {basename, shard, num_shards}, {});
}

FLOWGRAPH_KERNEL_INLINE void sharded_filename_op::operator()(cpu, view<const std::string> basename,
                                                             view<const std::int32_t> shard, view<const std::int32_t> num_shards,
                                                             view<std::string> filename) const {
  filename[0] = basename[0] + "-" + detail::shard_digits(shard[0]) + "-of-" + detail::shard_digits(num_shards[0]);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape sharded_filespec_op::shape(shape_context& c, const flowgraph::shape& basename,
                                                                        const flowgraph::shape& num_shards) const {
  return detail::all_scalars(c, {basename, num_shards}, {});
}

FLOWGRAPH_KERNEL_INLINE void sharded_filespec_op::operator()(cpu, view<const std::string> basename,
                                                             view<const std::int32_t> num_shards,
                                                             view<std::string> filename) const {
  filename[0] = basename[0] + "-\?\?\?\?\?-of-" + detail::shard_digits(num_shards[0]);
}

}  // namespace flowgraph
