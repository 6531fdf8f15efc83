#pragma once
// Graphs in archives of cereal, which is needed by programs that include this header and by no others.
//
//     fg::save_graph_record(fg::record_of(g).value(), "model.json").value();          // another name than .json: portable binary
//     fg::graph twin = fg::graph_of(fg::load_graph_record("model.json").value(), ops).value();
//
// A graph_record can also be part of a program's own archives: archive(cereal::make_nvp("graph", record)), of cereal's portable binary,
// binary and JSON archives.

#include <flowgraph/formats/file.hpp>
#include <flowgraph/io/detail/archive.hpp>
#include <flowgraph/io/graph_record.hpp>

#include <cereal/archives/json.hpp>
#include <cereal/archives/portable_binary.hpp>

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
  return detail::write_archive<cereal::PortableBinaryOutputArchive>(record);
}
// The same as text, for people and other programs.
inline result<std::string> write_graph_record_json(const graph_record& record) {
  return detail::write_archive<cereal::JSONOutputArchive>(record);
}

// The graph that the bytes hold. data_loss where they hold none: no more memory is taken than a few times their size.
inline result<graph_record> read_graph_record(std::span<const std::byte> bytes) {
  return detail::read_archive<cereal::PortableBinaryInputArchive>({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
inline result<graph_record> read_graph_record_json(std::string_view text) {
  if (error why = detail::check_nesting(text)) return why;
  return detail::read_archive<cereal::JSONInputArchive>(text);
}

// Puts a graph in the place of a file, as JSON where the name ends in .json.
inline result<void> save_graph_record(const graph_record& record, const std::string& path) {
  const auto made = path.ends_with(".json") ? write_graph_record_json(record) : write_graph_record(record);
  if (!made) return made.error();
  auto file = atomic_file::create(path);
  if (!file) return file.error();
  if (const auto written = file->write(*made); !written) return written.error();
  return file->commit();
}
// Reads what save_graph_record has written.
inline result<graph_record> load_graph_record(const std::string& path) {
  const auto file = mapped_file::open(path);
  if (!file) return file.error();
  const std::span<const std::byte> bytes = file->bytes();
  auto made = path.ends_with(".json") ? read_graph_record_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()})
                                      : read_graph_record(bytes);
  if (!made) return error(made.error().code(), message{"'", path, "': ", made.error().message()});
  return made;
}

}
}  // namespace flowgraph
