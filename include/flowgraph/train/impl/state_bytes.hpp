#pragma once

#include <flowgraph/formats/fields.hpp>
#include <flowgraph/train/state_bytes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM std::string to_bytes(const saved_state& state) {
  std::string text;
  for (const saved_state::draws& d : state.random) {
    std::string one;
    detail::put_bytes_field(one, 1, d.node);
    detail::put_varint_field(one, 2, d.runs);
    detail::put_varint_field(one, 3, d.numbers);
    detail::put_bytes_field(text, 1, one);
  }
  for (const saved_resource& r : state.resources) {
    std::string one;
    detail::put_bytes_field(one, 1, r.section);
    detail::put_bytes_field(one, 2, r.name);
    detail::put_bytes_field(one, 3, r.bytes);
    detail::put_bytes_field(text, 2, one);
  }
  for (const saved_file& f : state.files) {
    std::string one;
    detail::put_bytes_field(one, 1, f.section);
    detail::put_bytes_field(one, 2, f.name);
    detail::put_bytes_field(one, 3, f.path);
    detail::put_varint_field(one, 4, f.size);
    detail::put_varint_field(one, 5, f.checksum);
    detail::put_bytes_field(text, 3, one);
  }
  return text;
}

FLOWGRAPH_SELDOM result<saved_state> parse_saved_state(std::string_view bytes) {
  saved_state result;
  detail::field_reader f(bytes);
  bool is_broken = false;
  while (f.next()) {
    if (!f.is_bytes(1) && !f.is_bytes(2) && !f.is_bytes(3)) continue;
    detail::field_reader one(f.bytes());
    if (f.number() == 1) {
      saved_state::draws& d = result.random.emplace_back();
      while (one.next()) {
        if (one.is_bytes(1)) d.node = one.bytes();
        else if (one.is_varint(2)) d.runs = one.value();
        else if (one.is_varint(3)) d.numbers = one.value();
      }
    } else if (f.number() == 3) {
      saved_file& file = result.files.emplace_back();
      while (one.next()) {
        if (one.is_bytes(1)) file.section = one.bytes();
        else if (one.is_bytes(2)) file.name = one.bytes();
        else if (one.is_bytes(3)) file.path = one.bytes();
        else if (one.is_varint(4)) file.size = one.value();
        else if (one.is_varint(5)) file.checksum = static_cast<std::uint32_t>(one.value());
      }
    } else {
      saved_resource& r = result.resources.emplace_back();
      while (one.next()) {
        if (one.is_bytes(1)) r.section = one.bytes();
        else if (one.is_bytes(2)) r.name = one.bytes();
        else if (one.is_bytes(3)) r.bytes = one.bytes();
      }
    }
    is_broken = is_broken || one.is_broken();
  }
  if (is_broken || f.is_broken()) return error(error_code::data_loss, "the bytes of a session's state are damaged");
  return result;
}

}  // namespace flowgraph
