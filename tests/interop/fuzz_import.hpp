#pragma once
// The fuzz target that needs every op: the others compile without them.

#include "fuzz_targets.hpp"

#include <flowgraph/interop/export.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/ops/all.hpp>

namespace fuzz_targets {

inline const fg::registry& all_ops() {
  static const fg::registry ops = [] {
    fg::registry r;
    fg::add_standard_ops(r).value();
    return r;
  }();
  return ops;
}

// The same, in both forms; and what can be read is imported or refused, and then exported.
inline void graph_def(bytes file) {
  const auto read = fg::read_graph_def(file, limits);
  if (!read) return;
  const std::string written = fg::write_graph_def(*read).value();
  const fg::graph_def again = fg::read_graph_def(bytes_of(written)).value();
  must(fg::write_graph_def(again).value() == written);
  if (const auto text = fg::write_graph_def_text(*read))  // what is kept as it stands may be broken inside
    must(fg::read_graph_def_text(*text).has_value());

  fg::graph g;
  const auto made = fg::import_graph(g, *read, all_ops(), {.nodes_of_calls = 1000});
  must(made ? g.size() >= read->nodes.size() : g.size() == 0);
  if (made) must(fg::write_graph_def(fg::export_graph(g).value()).has_value());
}

}  // namespace fuzz_targets
