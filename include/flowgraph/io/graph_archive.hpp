#pragma once
// Graphs and plans in archives of cereal, which is needed by programs that include this header and by no others.
//
//     fg::save_graph_record(fg::record_of(g).value(), "model.json").value();          // another name than .json: portable binary
//     fg::graph twin = fg::graph_of(fg::load_graph_record("model.json").value(), ops).value();
//
// A graph_record can also be part of a program's own archives: archive(cereal::make_nvp("graph", record)), of cereal's portable binary,
// binary and JSON archives.

#include <flowgraph/io/detail/archive.hpp>
#include <flowgraph/io/planned_record.hpp>

#include <span>
#include <string>
#include <string_view>

#ifndef FLOWGRAPH_EXCEPTIONS
#error "flowgraph/io/graph_archive.hpp: cereal needs exceptions"
#endif

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The bytes of a graph, of the same meaning on all machines. Refuses tensors of resources and variants, by node.
inline result<std::string> write_graph_record(const graph_record& record) {
  return detail::write_archive<cereal::PortableBinaryOutputArchive>(record, "graph");
}
// The same as text, for people and other programs.
inline result<std::string> write_graph_record_json(const graph_record& record) {
  return detail::write_archive<cereal::JSONOutputArchive>(record, "graph");
}

// The graph that the bytes hold. data_loss where they hold none: no more memory is taken than a few times their size.
inline result<graph_record> read_graph_record(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return detail::read_archive<cereal::PortableBinaryInputArchive, graph_record>(text, "graph");
}
inline result<graph_record> read_graph_record_json(std::string_view text) {
  return detail::read_record_json<graph_record>(text, "graph");
}

// Puts a graph in the place of a file, as JSON where the name ends in .json.
inline result<void> save_graph_record(const graph_record& record, const std::string& path) {
  return detail::save_record(record, path, "graph");
}
// Reads what save_graph_record has written.
inline result<graph_record> load_graph_record(const std::string& path) {
  return detail::load_record<graph_record>(path, "graph");
}

// The same of a plan.
inline result<void> save_planned_record(const planned_record& record, const std::string& path) {
  return detail::save_record(record, path, "plan");
}
inline result<planned_record> load_planned_record(const std::string& path) {
  return detail::load_record<planned_record>(path, "plan");
}

}
}  // namespace flowgraph
