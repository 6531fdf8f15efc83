#pragma once
// Writes graphs and plans to archives of the library cereal, and reads them. Only programs that include this header need cereal.
//
//     fg::save_graph_record(fg::record_of(g).value(), "model.json").value();          // other extensions: portable binary
//     fg::graph twin = fg::graph_of(fg::load_graph_record("model.json").value(), ops).value();
//
// A graph_record can also be part of a program's own archives: archive(cereal::make_nvp("graph", record)), in cereal's portable
// binary, binary and JSON formats.

#include <flowgraph/io/detail/archive.hpp>
#include <flowgraph/io/planned_record.hpp>

#include <span>
#include <string>
#include <string_view>

#ifndef FLOWGRAPH_EXCEPTIONS
#error "flowgraph/io/graph_archive.hpp: cereal needs exceptions"
#endif

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the bytes of a graph, in a format that is the same on all machines. If the graph contains a tensor of resources or
// variants, returns the error unimplemented.
inline result<std::string> write_graph_record(const graph_record& record) {
  return detail::write_archive<cereal::PortableBinaryOutputArchive>(record, "graph");
}
// Like write_graph_record, but in JSON.
inline result<std::string> write_graph_record_json(const graph_record& record) {
  return detail::write_archive<cereal::JSONOutputArchive>(record, "graph");
}

// Reads a graph from bytes. If the bytes are invalid, returns the error data_loss. The function allocates at most a few times as
// much memory as the bytes occupy.
inline result<graph_record> read_graph_record(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return detail::read_archive<cereal::PortableBinaryInputArchive, graph_record>(text, "graph");
}
inline result<graph_record> read_graph_record_json(std::string_view text) {
  return detail::read_record_json<graph_record>(text, "graph");
}

// Writes a graph to a file. If the file exists, it is replaced. The format is JSON if the name ends in .json, otherwise portable
// binary.
inline result<void> save_graph_record(const graph_record& record, const std::string& path) {
  return detail::save_record(record, path, "graph");
}
// Reads a file that save_graph_record has written.
inline result<graph_record> load_graph_record(const std::string& path) {
  return detail::load_record<graph_record>(path, "graph");
}

// Like save_graph_record, for a plan.
inline result<void> save_planned_record(const planned_record& record, const std::string& path) {
  return detail::save_record(record, path, "plan");
}
inline result<planned_record> load_planned_record(const std::string& path) {
  return detail::load_record<planned_record>(path, "plan");
}

}  // namespace flowgraph
