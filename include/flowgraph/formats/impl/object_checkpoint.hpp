#pragma once

#include <flowgraph/formats/detail/object_reader.hpp>
#include <flowgraph/formats/object_checkpoint.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline constexpr std::string_view objects_in_checkpoint = "_CHECKPOINTABLE_OBJECT_GRAPH";

}  // namespace detail

FLOWGRAPH_SELDOM result<std::vector<checkpoint_object>> checkpoint_objects(tensor_bundle& from) {
  const auto refuse = [&](error_code code, std::string_view why) { return error(code, message{"'", from.prefix(), "': ", why}); };
  const bundle_entry* const entry = from.find(detail::objects_in_checkpoint);
  if (!entry) return refuse(error_code::not_found, "is not a checkpoint of objects");
  if (entry->type != dtype::string || entry->extents != shape{})
    return refuse(error_code::data_loss, "the description of its objects is not a string");
  const auto text = from.read(detail::objects_in_checkpoint);
  if (!text) return text.error();
  detail::object_reader reader;
  if (!reader.read(text->as<std::string>()[0])) return refuse(error_code::data_loss, "the description of its objects is broken");
  return reader.values();
}

FLOWGRAPH_SELDOM std::map<std::string, std::string, std::less<>> keys_of_objects(std::span<const checkpoint_object> objects) {
  std::map<std::string, std::string, std::less<>> result;
  for (const checkpoint_object& o : objects)
    if (!o.name.empty()) result.emplace(o.name, o.key);
  return result;
}

}  // namespace flowgraph
