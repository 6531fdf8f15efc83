#pragma once
// Files by name: reading and writing whole files, and finding files by pattern.
//
//     auto names = fg::matching_files(g.constant(std::string("data/train-*.tfrecord")));   // sorted by name

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns all bytes of a file.
struct read_file_op {
  static constexpr std::string_view name = "ReadFile";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& filename) const;
  void operator()(cpu ctx, view<const std::string> filename, view<std::string> contents) const;
};

// Writes bytes to a file, and replaces its contents. Creates the folders of the path.
struct write_file_op {
  static constexpr std::string_view name = "WriteFile";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  shape_list shape(shape_context& c, const flowgraph::shape& filename, const flowgraph::shape& contents) const;
  void operator()(cpu ctx, view<const std::string> filename, view<const std::string> contents) const;
};

// Returns the names of the files that match a pattern or one of several patterns. '*' matches any characters except '/', '?'
// matches any single character except '/', and '[a-z]' matches one character of a set.
struct matching_files_op {
  static constexpr std::string_view name = "MatchingFiles";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& pattern) const;
  void operator()(cpu ctx, view<const std::string> pattern, unsized<std::string> filenames) const;
};

using file_ops = type_list<read_file_op, write_file_op, matching_files_op>;

inline out<std::string> read_file(const out<std::string>& filename, site s = {}) { return apply(read_file_op{}, filename, s); }
inline target write_file(const out<std::string>& filename, const out<std::string>& contents, site s = {}) {
  return apply(write_file_op{}, filename, contents, s);
}
inline out<std::string> matching_files(const out<std::string>& pattern, site s = {}) {
  return apply(matching_files_op{}, pattern, s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/files.hpp>
#endif
