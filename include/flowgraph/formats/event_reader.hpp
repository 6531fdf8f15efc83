#pragma once
// Reads event files, the files that TensorBoard shows. Each record has a time, a step and a content: a summary, a graph or other
// data.
//
//     auto from = fg::event_reader::open("logs/events.out.tfevents.1700000000.host");
//     for (fg::event e; from->next(e).value();)
//       fg::read_summary(e.summary(), [&](const fg::summary_value& v) { ... }).value();
//
// observe/event_writer.hpp writes such files.

#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/formats/summary_values.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// One record of an event file.
struct event {
  enum class form : std::uint8_t { empty, version, graph, summary, log, session_log, run_metadata, meta_graph };

  double time = 0;          // seconds since 1970
  std::int64_t step = 0;    // number of the training step
  form kind = form::empty;  // the kind of content
  std::string tag = {};     // tag of run metadata
  // The message (GraphDef, Summary, RunMetadata, ...), or the text of a version: "brain.Event:2".
  std::string content = {};

  // Returns the summary, or an empty text if the event does not contain a summary.
  std::string_view summary() const { return kind == form::summary ? std::string_view(content) : std::string_view(); }

  // Parses an Event message. If the bytes are invalid, returns the error data_loss.
  static result<event> read(std::string_view message);
};
std::string_view name_of(event::form kind);

// Reads the events of a file in order. If the file is truncated or damaged, the reader returns the events before the damage, and
// then an error that names the file and the offset. Only one thread at a time may use the reader.
class event_reader {
public:
  // Opens an event file.
  static result<event_reader> open(std::string path);

  // Reads the next event. Returns false at the end of the file.
  result<bool> next(event& e);

  // Returns the offset of the next record.
  std::uint64_t offset() const noexcept { return from_.offset(); }
  // Returns the path of the file.
  const std::string& path() const noexcept { return from_.path(); }

private:
  explicit event_reader(record_reader from) : from_(std::move(from)) {}

  record_reader from_;
  std::string record_;
  error broken_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/event_reader.hpp>
#endif
