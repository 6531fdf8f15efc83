#pragma once

#include <flowgraph/formats/example.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE feature_view feature_view::of(std::string_view message) {
  feature_view result;
  if (message.empty()) return result;
  detail::field_reader fields(message);
  constexpr dtype types[] = {dtype::string, dtype::float32, dtype::int64};
  if (fields.next() && fields.form() == detail::field_form::bytes && fields.number() <= std::size(types)) {
    result.type = types[fields.number() - 1];
    result.list = fields.bytes();
  } else {
    result.is_broken = true;
  }
  return result;
}

FLOWGRAPH_INLINE std::int64_t count_values(const feature_view& feature) {
  std::int64_t count = 0;
  const auto next = [&](const auto&) { ++count; };
  bool is_whole = true;
  if (feature.type == dtype::float32) is_whole = for_each_value<float>(feature, next);
  else if (feature.type == dtype::int64) is_whole = for_each_value<std::int64_t>(feature, next);
  else if (feature.type == dtype::string) is_whole = for_each_value<std::string_view>(feature, next);
  return is_whole && !feature.is_broken ? count : -1;
}

namespace detail {

// Calls f(key, message of the value) for each entry of a map.
inline bool each_entry(std::string_view map, function_ref<void(std::string_view, std::string_view)> f) {
  field_reader entries(map);
  while (entries.next()) {
    if (!entries.is_bytes(1)) return false;
    std::string_view key, value;
    field_reader entry(entries.bytes());
    while (entry.next()) {
      if (entry.is_bytes(1)) key = entry.bytes();
      else if (entry.is_bytes(2)) value = entry.bytes();
      else return false;
    }
    if (entry.is_broken()) return false;
    f(key, value);
  }
  return !entries.is_broken();
}

// Calls `f` for each entry of the maps that are field `number` of a message.
inline bool each_entry_below(std::string_view message, std::uint32_t number,
                             function_ref<void(std::string_view, std::string_view)> f) {
  field_reader fields(message);
  while (fields.next())
    if (fields.number() == number && !(fields.form() == field_form::bytes && each_entry(fields.bytes(), f))) return false;
  return !fields.is_broken();
}

}  // namespace detail

FLOWGRAPH_INLINE bool for_each_feature(std::string_view example,
                                       function_ref<void(std::string_view key, const feature_view& feature)> f) {
  return detail::each_entry_below(example, 1,
                                  [&](std::string_view key, std::string_view value) { f(key, feature_view::of(value)); });
}
FLOWGRAPH_INLINE bool for_each_feature_list(std::string_view example,
                                            function_ref<void(std::string_view key, std::string_view list)> f) {
  return detail::each_entry_below(example, 2, f);
}

// ---- writing

FLOWGRAPH_INLINE void example_writer::add_list(std::string_view key, std::uint32_t kind, std::string_view list) {
  std::string feature, entry;
  detail::put_bytes_field(feature, kind, list);
  detail::put_bytes_field(entry, 1, key);
  detail::put_bytes_field(entry, 2, feature);
  detail::put_bytes_field(features_, 1, entry);
}
FLOWGRAPH_INLINE void example_writer::add(std::string_view key, std::span<const float> values) {
  std::string list;
  detail::put_bytes_field(list, 1, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  add_list(key, 2, list);
}
FLOWGRAPH_INLINE void example_writer::add(std::string_view key, std::span<const std::int64_t> values) {
  std::string packed, list;
  for (const std::int64_t v : values) detail::put_varint(packed, static_cast<std::uint64_t>(v));
  detail::put_bytes_field(list, 1, packed);
  add_list(key, 3, list);
}
FLOWGRAPH_INLINE void example_writer::add(std::string_view key, std::span<const std::string> values) {
  std::string list;
  for (const std::string& v : values) detail::put_bytes_field(list, 1, v);
  add_list(key, 1, list);
}
FLOWGRAPH_INLINE std::string example_writer::bytes() const {
  std::string text;
  detail::put_bytes_field(text, 1, features_);
  return text;
}

}  // namespace flowgraph
