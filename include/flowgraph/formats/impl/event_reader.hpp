#pragma once

#include <flowgraph/formats/event_reader.hpp>
#include <flowgraph/formats/detail/json_text.hpp>

#include <bit>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline error no_event() { return error(error_code::data_loss, "the record is not an event: a field is cut or wrong"); }

// Reads a TaggedRunMetadata: a tag and a message.
inline bool read_run_metadata(std::string_view message, event& result) {
  field_reader fields(message);
  while (fields.next()) {
    if (fields.is_bytes(1)) result.tag = fields.bytes();
    if (fields.is_bytes(2)) result.content = fields.bytes();
  }
  return !fields.is_broken() && is_utf8(result.tag);
}

// Reads a field of Event whose form is bytes.
inline bool read_content(std::uint32_t number, std::string_view bytes, event& result) {
  using enum event::form;
  struct row {
    std::uint32_t number;
    event::form kind;
  };
  for (const row r :
       {row{3, version}, {4, graph}, {5, summary}, {6, log}, {7, session_log}, {8, run_metadata}, {9, meta_graph}}) {
    if (r.number != number) continue;
    result.kind = r.kind;
    result.tag.clear();
    result.content.clear();
    if (r.kind == run_metadata) return read_run_metadata(bytes, result);
    result.content = bytes;
    return r.kind != version || is_utf8(bytes);
  }
  return true;
}

}  // namespace detail

FLOWGRAPH_INLINE std::string_view name_of(event::form kind) {
  switch (kind) {
    case event::form::empty: return "empty";
    case event::form::version: return "version";
    case event::form::graph: return "graph";
    case event::form::summary: return "summary";
    case event::form::log: return "log";
    case event::form::session_log: return "session_log";
    case event::form::run_metadata: return "run_metadata";
    case event::form::meta_graph: return "meta_graph";
  }
  return {};
}

FLOWGRAPH_INLINE result<event> event::read(std::string_view message) {
  event result;
  detail::field_reader fields(message);
  while (fields.next()) {
    if (fields.number() == 1 && fields.form() == detail::field_form::fixed64) result.time = std::bit_cast<double>(fields.value());
    else if (fields.is_varint(2)) result.step = static_cast<std::int64_t>(fields.value());
    else if (fields.form() == detail::field_form::bytes && !detail::read_content(fields.number(), fields.bytes(), result))
      return detail::no_event();
  }
  if (fields.is_broken()) return detail::no_event();
  return result;
}

FLOWGRAPH_INLINE result<event_reader> event_reader::open(std::string path) {
  auto from = record_reader::open(std::move(path));
  if (!from) return from.error();
  return event_reader(*std::move(from));
}

FLOWGRAPH_INLINE result<bool> event_reader::next(event& e) {
  if (broken_) return broken_;
  const std::uint64_t offset = from_.offset();
  auto found = from_.next(record_);
  if (!found || !*found) return found;
  auto result = event::read(record_);
  if (!result)
    return broken_ = error(result.error().code(), message{"'", path(), "': at offset ", offset, ": ", result.error().message()});
  e = *std::move(result);
  return true;
}

}  // namespace flowgraph
