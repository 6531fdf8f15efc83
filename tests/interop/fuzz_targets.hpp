#pragma once
// What must hold for any bytes: for the fuzzers in tests/fuzz, and for the mutations with a fixed seed that every test run makes.

#include <flowgraph/interop/export.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/interop/saved_model.hpp>
#include <flowgraph/ops/all.hpp>

#include <cstdlib>

namespace fuzz_targets {

namespace fg = flowgraph;
using bytes = std::span<const std::byte>;

inline bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

inline void must(bool holds) {
  if (!holds) std::abort();
}

// So little that a file which asks for more is found out by its size.
inline constexpr fg::read_limits limits{.expanded_bytes = 1 << 20, .nesting = 32};

// What can be read can be written, and says the same when it is read again.
inline void tensor_proto(bytes file) {
  const auto read = fg::read_tensor(file, limits);
  if (!read) return;
  const std::string written = fg::write_tensor(*read).value();
  const fg::any_tensor again = fg::read_tensor(bytes_of(written)).value();
  must(again.type() == read->type() && again.shape() == read->shape());
  must(fg::write_tensor(again).value() == written);
}

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
  const auto made = fg::import_graph(g, *read, all_ops());
  must(made ? g.size() == read->nodes.size() : g.size() == 0);
  if (made) must(fg::write_graph_def(fg::export_graph(g).value()).has_value());
}

inline void graph_def_text(bytes file) {
  const auto read = fg::read_graph_def_text({reinterpret_cast<const char*>(file.data()), file.size()}, limits);
  if (!read) return;
  const std::string written = fg::write_graph_def_text(*read).value();
  must(fg::write_graph_def_text(fg::read_graph_def_text(written).value()).value() == written);
}

inline void saved_model(bytes file) {
  static_cast<void>(fg::read_saved_model(file, limits));
  static_cast<void>(fg::read_meta_graph(file, limits));
}

}  // namespace fuzz_targets
