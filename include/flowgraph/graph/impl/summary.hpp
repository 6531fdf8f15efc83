#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/summary.hpp>

#include <algorithm>
#include <array>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The parts of names as a tree. A part may be a node, a scope or both.
class summarized {
public:
  summarized(const graph& g, const summary_options& options) : options_(options) {
    threading::lock_guard lock(g.state().mutex);
    for (const node* n : g.state().nodes) place(*n);
  }

  std::string text() const {
    sequence<line> lines{{"scope", "ops", "shape", "type", "parameters", "bytes"}};
    add_lines(all_, "(all)", 0, lines);
    std::array<std::size_t, columns> widths{};
    for (const line& l : lines)
      for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], l[c].size());
    std::string result;
    for (const line& l : lines) {
      std::string row;
      for (std::size_t c = 0; c < columns; ++c) {
        const std::string pad(widths[c] - l[c].size(), ' ');
        const bool is_number = c == 1 || c >= 4;
        row += (c == 0 ? "" : "  ") + (is_number ? pad + l[c] : l[c] + pad);
      }
      row.erase(row.find_last_not_of(' ') + 1);
      result += row + '\n';
    }
    return result;
  }

private:
  static constexpr std::size_t columns = 6;
  using line = std::array<std::string, columns>;

  struct part {
    std::string name;
    const node* at = nullptr;
    bool is_counted = false;  // a variable, or a constant that replaces one
    shape extents;
    dtype type = dtype::invalid;
    // Sums for the part and all parts below it.
    std::size_t ops = 0, counted = 0, unknown = 0;
    std::uint64_t parameters = 0, bytes = 0;
    sequence<part> parts = {};
    std::unordered_map<std::string, std::size_t> by_name = {};
  };

  void place(const node& n) {
    part found;
    describe(n, found);
    part* at = &all_;
    std::string_view rest = n.name;
    while (true) {
      at->ops += 1;
      at->counted += found.is_counted ? 1 : 0;
      at->unknown += found.unknown;
      at->parameters += found.parameters;
      at->bytes += found.bytes;
      if (rest.empty()) break;
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      const std::string name(rest.substr(0, slash));
      rest.remove_prefix(std::min(slash + 1, rest.size()));
      const auto [known, is_new] = at->by_name.emplace(name, at->parts.size());
      if (is_new) at->parts.emplace_back().name = name;
      at = &at->parts[known->second];
    }
    at->at = &n;
    at->is_counted = found.is_counted;
    at->extents = found.extents;
    at->type = found.type;
  }
  void describe(const node& n, part& found) const {
    const variable_role role = n.op->of_variable;
    if (role == variable_role::reference || role == variable_role::handle) {
      const attribute_value declared = attribute_of(n, "shape");
      const shape* const extents = declared.get<shape>();
      found.extents = role == variable_role::handle && extents ? *extents : n.outputs[0].shape;
    } else if (options_.constants && n.op->description->constant && n.op->description->constant(n.attributes)->size() > 1) {
      found.extents = n.op->description->constant(n.attributes)->shape();
    } else {
      return;
    }
    found.is_counted = true;
    found.type = n.op->types()[0].type;
    if (!found.extents.is_known()) {
      found.unknown = 1;
      return;
    }
    found.parameters = static_cast<std::uint64_t>(found.extents.size());
    found.bytes = found.parameters * size_of(found.type);
  }

  // An op with helpers below it is no scope. A variable always has a line of its own.
  static bool has_line(const part& p) { return p.counted > 0 || (!p.at && !p.parts.empty()); }
  void add_lines(const part& p, const std::string& name, int depth, sequence<line>& lines) const {
    line l{std::string(static_cast<std::size_t>(2 * depth), ' ') + name, std::to_string(p.ops)};
    if (p.is_counted) {
      l[2] = to_string(p.extents);
      l[3] = name_of(p.type);
    }
    if (p.counted > 0) {
      const char* const more = p.unknown > 0 ? "+" : "";
      l[4] = std::to_string(p.parameters) + more;
      l[5] = std::to_string(p.bytes) + more;
    }
    lines.push_back(std::move(l));
    if (depth >= options_.depth) return;
    for (const part& below : p.parts)
      if (p.is_counted ? below.counted > 0 : has_line(below)) add_lines(below, below.name, depth + 1, lines);
  }

  const summary_options& options_;
  part all_;
};

}  // namespace detail

FLOWGRAPH_INLINE std::string summary(const graph& g, const summary_options& options) {
  return detail::summarized(g, options).text();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
