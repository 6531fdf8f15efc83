#pragma once
// What must hold for any bytes: for the fuzzers in tests/fuzz, and for the mutations with a fixed seed that every test run makes.

#include <flowgraph/interop/saved_model.hpp>

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
