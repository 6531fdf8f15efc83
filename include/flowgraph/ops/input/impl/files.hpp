#pragma once

#include <flowgraph/formats/file.hpp>
#include <flowgraph/ops/input/detail/files.hpp>

#include <algorithm>
#include <filesystem>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// ---- patterns

// Returns whether a character is in the set behind the '[' at the beginning of `pattern`, and moves `pattern` past the set.
// Without an end it is no set: only the '[' is taken and compared.
inline bool take_set(std::string_view& pattern, char c) {
  std::size_t at = 1;
  const bool is_negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (is_negated) ++at;
  bool is_in = false;
  for (const std::size_t first = at; at < pattern.size() && (pattern[at] != ']' || at == first);) {
    const char low = pattern[at];
    const bool is_range = at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']';
    const char high = is_range ? pattern[at + 2] : low;
    is_in = is_in || (low <= c && c <= high);
    at += is_range ? 3 : 1;
  }
  if (at >= pattern.size()) {
    is_in = c == '[';
    pattern.remove_prefix(1);
    return is_in;
  }
  pattern.remove_prefix(at + 1);
  return is_in != is_negated;
}

FLOWGRAPH_INLINE bool matches(std::string_view pattern, std::string_view name) {
  std::string_view after_star, rest_of_name;
  bool has_star = false;
  for (;;) {
    if (pattern.starts_with('*')) {
      pattern.remove_prefix(1);
      has_star = true;
      after_star = pattern;
      rest_of_name = name;
      continue;
    }
    if (name.empty() && pattern.empty()) return true;
    bool is_equal = false;
    if (!name.empty() && !pattern.empty()) {
      if (pattern[0] == '[') {
        is_equal = take_set(pattern, name[0]);
      } else {
        if (pattern[0] == '\\' && pattern.size() > 1) {
          pattern.remove_prefix(1);
          is_equal = pattern[0] == name[0];
        } else {
          is_equal = pattern[0] == '?' || pattern[0] == name[0];
        }
        pattern.remove_prefix(1);
      }
    }
    if (is_equal) {
      name.remove_prefix(1);
      continue;
    }
    if (!has_star || rest_of_name.empty()) return false;
    rest_of_name.remove_prefix(1);  // the star matches one more character
    name = rest_of_name;
    pattern = after_star;
  }
}

inline bool is_pattern(std::string_view part) { return part.find_first_of("*?[\\") != std::string_view::npos; }

FLOWGRAPH_INLINE std::vector<std::string> files_matching(const std::string& pattern) {
  namespace fs = std::filesystem;
  std::vector<std::string> found{""};  // the matched beginnings, up to a '/'
  std::error_code ignored;
  for (std::size_t at = 0; at < pattern.size() && !found.empty();) {
    const std::size_t slash = std::min(pattern.find('/', at), pattern.size());
    const std::string part = pattern.substr(at, slash - at), end = slash < pattern.size() ? "/" : "";
    at = slash + 1;
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      if (!is_pattern(part)) {
        next.push_back(folder + part + end);
        continue;
      }
      fs::directory_iterator entry(folder.empty() ? "." : folder, ignored);
      for (; !ignored && entry != fs::directory_iterator(); entry.increment(ignored)) {
        const std::string name = entry->path().filename().string();
        if (matches(part, name)) next.push_back(folder + name + end);
      }
    }
    found = std::move(next);
  }
  std::erase_if(found, [&](const std::string& name) { return !fs::exists(name, ignored); });
  return found;
}

inline shape require_scalar(shape_context& c, const shape& s, const char* what) {
  return fits(s, {}) ? shape{} : c.fail(message{what, " must be a scalar"});
}

}  // namespace detail

FLOWGRAPH_INLINE shape read_file_op::shape(shape_context& c, const flowgraph::shape& filename) const {
  return detail::require_scalar(c, filename, "filename");
}
FLOWGRAPH_INLINE void read_file_op::operator()(cpu ctx, view<const std::string> filename, view<std::string> contents) const {
  auto found = read_file(filename.scalar());
  if (!found) return ctx.fail(found.error());
  contents.scalar() = *std::move(found);
}

FLOWGRAPH_INLINE shape_list write_file_op::shape(shape_context& c, const flowgraph::shape& filename,
                                                 const flowgraph::shape& contents) const {
  detail::require_scalar(c, filename, "filename");
  if (!c.failed()) detail::require_scalar(c, contents, "contents");
  return {};
}
FLOWGRAPH_INLINE void write_file_op::operator()(cpu ctx, view<const std::string> filename,
                                                view<const std::string> contents) const {
  const std::filesystem::path folder = std::filesystem::path(filename.scalar()).parent_path();
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);  // if that fails, the next step fails too
  auto to = file_writer::open(filename.scalar());
  if (!to) return ctx.fail(to.error());
  if (auto written = to->write(contents.scalar()); !written) return ctx.fail(written.error());
  if (auto closed = to->close(); !closed) return ctx.fail(closed.error());
}

FLOWGRAPH_INLINE shape matching_files_op::shape(shape_context& c, const flowgraph::shape& pattern) const {
  return pattern.rank > 1 ? c.fail("pattern must be a scalar or a vector") : flowgraph::shape{-1};
}
FLOWGRAPH_INLINE void matching_files_op::operator()(cpu ctx, view<const std::string> pattern,
                                                    unsized<std::string> filenames) const {
  std::vector<std::string> found;
  for (const std::string& p : pattern) {
    std::vector<std::string> more = detail::files_matching(p);
    found.insert(found.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
  std::sort(found.begin(), found.end());
  const view<std::string> y = filenames.resize({found.size()});
  if (!ctx.failed()) std::move(found.begin(), found.end(), y.begin());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
