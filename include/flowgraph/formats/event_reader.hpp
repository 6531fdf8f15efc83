#pragma once
// Event files, which TensorBoard shows, read back: records, each with a time, a step, and a summary, a graph or something else.
//
//     auto from = fg::event_reader::open("logs/events.out.tfevents.1700000000.host");
//     for (fg::event e; from->next(e).value();)
//       fg::read_summary(e.summary(), [&](const fg::summary_value& v) { ... }).value();
//
// Files are written by observe/event_writer.hpp.

#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/formats/summary_values.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// What a file says of one moment.
struct event {
  enum class form : std::uint8_t { empty, version, graph, summary, log, session_log, run_metadata, meta_graph };

  double time = 0;  // seconds since 1970
  std::int64_t step = 0;
  form kind = form::empty;
  std::string tag = {};      // of run metadata
  std::string content = {};  // the message: GraphDef, Summary, RunMetadata, ...; of a version, its text: "brain.Event:2"

  // The summary; nothing if this holds none.
  std::string_view summary() const { return kind == form::summary ? std::string_view(content) : std::string_view(); }

  // An Event message. Bytes that are none are data_loss.
  static result<event> read(std::string_view message);
};
std::string_view name_of(event::form kind);

// Reads a file of events in order. A file that was cut or changed ends in an error that names file and offset; the events before were given.
// Used by one thread at a time.
class event_reader {
public:
  static result<event_reader> open(std::string path);

  // The next event; false at the end of the file.
  result<bool> next(event& e);

  // Where the next record begins.
  std::uint64_t offset() const noexcept { return from_.offset(); }
  const std::string& path() const noexcept { return from_.path(); }

private:
  explicit event_reader(record_reader from) : from_(std::move(from)) {}

  record_reader from_;
  std::string record_;
  error broken_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/event_reader.hpp>
#endif
