#pragma once
// The conversion of a graph_record and a planned_record to an archive of cereal and back. Lists are read item by item, and texts
// block by block: memory is allocated only for bytes that were read, not for the size that a file gives. In text archives all
// values are text:
//
//     element types and kinds are names, floats are text that gives the same bits, tensors have their bytes in base64,
//     text that is not UTF-8 is "base64:" and its encoded bytes; the shape [3, -1] has an unknown second extent, and the shape
//     [-2] an unknown rank.

#include <flowgraph/core/detail/real_from_chars.hpp>
#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/formats/detail/json_text.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/io/detail/visit_attribute.hpp>
#include <flowgraph/io/planned_record.hpp>

#include <cereal/archives/json.hpp>
#include <cereal/archives/portable_binary.hpp>
#include <cereal/cereal.hpp>
#include <cereal/external/base64.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <exception>
#include <istream>
#include <sstream>
#include <streambuf>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline constexpr std::uint32_t archive_version = 1;
inline constexpr std::size_t archive_block = std::size_t{64} << 10;
inline constexpr int archive_nesting = 64;

[[noreturn]] inline void refuse_archive(const message& why) { throw cereal::Exception(why.string()); }

// ---- text

constexpr std::string_view base64_mark = "base64:";
inline std::string base64_of(std::string_view bytes) {
  std::string text(base64_mark);
  if (!bytes.empty()) text += cereal::base64::encode(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return text;
}
inline std::string bytes_of_base64(std::string_view text) {
  return cereal::base64::decode(std::string(text.substr(base64_mark.size())));
}

template <class Archive> inline constexpr bool is_text = cereal::traits::is_text_archive<Archive>::value;

template <class Archive> void put_text(Archive& to, const std::string& text) {
  if constexpr (is_text<Archive>) {
    to(is_utf8(text) && !text.starts_with(base64_mark) ? text : base64_of(text));
  } else {
    to(cereal::make_size_tag(static_cast<cereal::size_type>(text.size())));
    to(cereal::binary_data(text.data(), text.size()));
  }
}
template <class Archive> void take_text(Archive& from, std::string& text) {
  if constexpr (is_text<Archive>) {
    from(text);
    if (text.starts_with(base64_mark)) text = bytes_of_base64(text);
  } else {
    cereal::size_type size = 0;
    from(cereal::make_size_tag(size));
    text.clear();
    while (text.size() < size) {
      const std::size_t at = text.size();
      text.resize(at + static_cast<std::size_t>(std::min<cereal::size_type>(size - at, std::max(at, archive_block))));
      from(cereal::binary_data(text.data() + at, text.size() - at));
    }
  }
}

// A value that cereal must treat as one of its own types: in JSON it has no braces.
template <class List> struct archived_list {
  List& items;
};
template <class List> archived_list(List&) -> archived_list<List>;

// ---- values, by `put` and `take`

template <class Archive, class T>
  requires std::is_arithmetic_v<T> void put(Archive& to, T value) {
  to(value);
}
template <class Archive, class T>
  requires std::is_arithmetic_v<T> void take(Archive& from, T& value) {
  from(value);
}
// Booleans are written as bytes, because a byte of a file may be any number.
template <class Archive> void put(Archive& to, bool value) {
  if constexpr (is_text<Archive>) to(value);
  else to(static_cast<std::uint8_t>(value));
}
template <class Archive> void take(Archive& from, bool& value) {
  if constexpr (is_text<Archive>) {
    from(value);
  } else {
    std::uint8_t byte = 0;
    from(byte);
    value = byte != 0;
  }
}
template <class Archive> void put(Archive& to, const std::string& text) { put_text(to, text); }
template <class Archive> void take(Archive& from, std::string& text) { take_text(from, text); }

template <class Archive> void put(Archive& to, float value) {
  char text[32];
  char* const end = std::isnan(value) ? std::to_chars(text, std::end(text), std::bit_cast<std::uint32_t>(value), 16).ptr
                                      : std::to_chars(text, std::end(text), value).ptr;
  if constexpr (is_text<Archive>) put_text(to, (std::isnan(value) ? "nan:" : "") + std::string(text, end));
  else to(value);
}
template <class Archive> void take(Archive& from, float& value) {
  if constexpr (is_text<Archive>) {
    std::string text;
    take_text(from, text);
    std::uint32_t bits = 0;
    const bool is_nan = text.starts_with("nan:");
    const char *const begin = text.data() + (is_nan ? 4 : 0), *const end = text.data() + text.size();
    const auto read = is_nan ? std::from_chars(begin, end, bits, 16) : real_from_chars(begin, end, value);
    if (read.ec != std::errc() || read.ptr != end) refuse_archive(message{"'", text, "' is not a number"});
    if (is_nan) value = std::bit_cast<float>(bits);
  } else {
    from(value);
  }
}

template <class Archive> void put(Archive& to, dtype type) { put_text(to, std::string(name_of(type))); }
template <class Archive> void take(Archive& from, dtype& type) {
  std::string name;
  take_text(from, name);
  for (int i = 0; i < 256; ++i) {
    type = static_cast<dtype>(i);
    if (name_of(type) == name && (size_of(type) > 0 || type == dtype::invalid)) return;
  }
  refuse_archive(message{"'", name, "' is not an element type"});
}

template <class Archive> void put(Archive& to, const function_name& f) { put_text(to, f.name); }
template <class Archive> void take(Archive& from, function_name& f) { take_text(from, f.name); }

template <class Archive> void put(Archive& to, const shape& s) {
  const std::vector<std::int64_t> extents =
      s.rank < 0 ? std::vector<std::int64_t>{-2} : std::vector<std::int64_t>(s.dims, s.dims + s.rank);
  to(archived_list{extents});
}
template <class Archive> void take(Archive& from, shape& s) {
  std::vector<std::int64_t> extents;
  from(archived_list{extents});
  if (extents.size() > static_cast<std::size_t>(shape::max_rank))
    refuse_archive(message{"a shape has ", extents.size(), " axes"});
  s = extents == std::vector<std::int64_t>{-2} ? shape::unknown() : shape::of(extents.data(), static_cast<int>(extents.size()));
  for (const std::int64_t extent : s)
    if (extent < -1) refuse_archive(message{"a shape has the extent ", extent});
  if (is_too_large(s)) refuse_archive(message{"a tensor of shape ", s, " is too large"});
}

// Types with members are in braces.
template <class T>
concept archived_record =
    std::is_same_v<T, any_tensor> || std::is_same_v<T, edge_record> || std::is_same_v<T, line_record> ||
    std::is_same_v<T, node_record> || std::is_same_v<T, body_record> || std::is_same_v<T, variable_record> ||
    std::is_same_v<T, std::pair<std::string, attribute_value>> || std::is_same_v<T, std::pair<std::string, std::uint32_t>>;
template <class T> struct archived_item {
  T& item;
};
template <class T> archived_item(T&) -> archived_item<T>;
template <class Archive, archived_record T> void put(Archive& to, const T& item) { to(archived_item{item}); }
template <class Archive, archived_record T> void take(Archive& from, T& item) {
  const archived_item<T> at{item};
  from(at);
}
template <class Archive, class T> void put(Archive& to, const std::vector<T>& items) { to(archived_list{items}); }
template <class Archive, class T> void take(Archive& from, std::vector<T>& items) { from(archived_list{items}); }

template <class Archive, class List> void CEREAL_SAVE_FUNCTION_NAME(Archive& to, const archived_list<List>& list) {
  to(cereal::make_size_tag(static_cast<cereal::size_type>(list.items.size())));
  for (const typename List::value_type& item : list.items) put(to, item);
}
template <class Archive, class List>
  requires(!std::is_const_v<List>) void CEREAL_LOAD_FUNCTION_NAME(Archive& from, const archived_list<List>& list) {
  cereal::size_type size = 0;
  from(cereal::make_size_tag(size));
  list.items.clear();
  for (; size > 0; --size) {
    typename List::value_type item{};
    take(from, item);
    list.items.push_back(std::move(item));
  }
}

// ---- members, with their names

// Writes a value with a name. cereal requires a type of its own for that, and JSON a value without braces.
template <class Archive, class T> void put_as(Archive& to, const char* name, const T& value) {
  if constexpr (is_text<Archive>) to.setNextName(name);
  put(to, value);
}
template <class Archive, class T> void take_as(Archive& from, const char* name, T& value) {
  if constexpr (is_text<Archive>) from.setNextName(name);
  take(from, value);
}

// Calls `member` with each member of a record. Both directions use this list of members.
template <class Archive, class T, class F> void each_member(T& r, F&& member) {
  using plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<plain, edge_record>) {
    member("node", r.node), member("port", r.port);
  } else if constexpr (std::is_same_v<plain, line_record>) {
    member("file", r.file), member("function", r.function), member("line", r.line), member("column", r.column);
  } else if constexpr (std::is_same_v<plain, body_record>) {
    member("name", r.name), member("around", r.around);
  } else if constexpr (std::is_same_v<plain, variable_record>) {
    member("of", r.of), member("is_trainable", r.is_trainable);
  } else if constexpr (std::is_same_v<plain, std::pair<std::string, std::uint32_t>>) {
    member("name", r.first), member("count", r.second);
  } else if constexpr (std::is_same_v<plain, node_record>) {
    member("op", r.op), member("name", r.name), member("attributes", r.attributes), member("inputs", r.inputs);
    member("list_sizes", r.list_sizes), member("control_inputs", r.control_inputs), member("device", r.device);
    member("colocated_with", r.colocated_with), member("line", r.line), member("body", r.body);
    member("variable_shape", r.variable_shape);
  } else if constexpr (std::is_same_v<plain, planned_record>) {
    member("feeds", r.feeds), member("fetches", r.fetches), member("targets", r.targets);
  } else {
    member("first", r.first), member("nodes", r.nodes), member("lines", r.lines), member("bodies", r.bodies);
    member("variables", r.variables), member("initializers", r.initializers), member("names", r.names), member("seed", r.seed);
  }
}
template <class Archive, class T> void put_members(Archive& to, const T& r) {
  each_member<Archive>(r, [&](const char* name, const auto& value) { put_as(to, name, value); });
}
template <class Archive, class T> void take_members(Archive& from, T& r) {
  each_member<Archive>(r, [&](const char* name, auto& value) { take_as(from, name, value); });
}

// ---- attributes and tensors

template <class Archive> void put_members(Archive& to, const std::pair<std::string, attribute_value>& a) {
  put_as(to, "name", a.first);
  put_as(to, "kind", std::string(name_of(a.second.kind())));
  visit_attribute(a.second, [&](const auto& value) { put_as(to, "value", value); });
}
template <class Archive, class T> attribute_value take_value(Archive& from) {
  T value{};
  take_as(from, "value", value);
  return attribute_value(std::move(value));
}
template <class Archive> void take_members(Archive& from, std::pair<std::string, attribute_value>& a) {
  take_as(from, "name", a.first);
  std::string kind;
  take_as(from, "kind", kind);
  bool found = false;
  const auto of_kind = [&]<class T>(type_tag<T>) {
    if (found || name_of(attribute_traits<T>::kind) != kind) return;
    found = true;
    a.second = take_value<Archive, T>(from);
  };
  const auto one_or_list = [&]<class... T>(type_list<T...>) {
    (of_kind(type_tag<T>{}), ...);
    (of_kind(type_tag<std::vector<T>>{}), ...);
  };
  one_or_list(type_list<std::int64_t, float, bool, std::string, dtype, shape, any_tensor, function_name>{});
  if (!found) refuse_archive(message{"attribute '", a.first, "' is of the unknown kind '", kind, "'"});
}

template <class Archive> void put_members(Archive& to, const any_tensor& t) {
  if (is_counted(t.type())) refuse_archive(message{"a tensor of ", name_of(t.type()), " means nothing outside of its process"});
  put_as(to, "type", t.type());
  put_as(to, "shape", t.shape());
  if (t.type() == dtype::string) {
    const auto texts = t.as<std::string>();
    put_as(to, "values", std::vector<std::string>(texts.begin(), texts.end()));
  } else if constexpr (is_text<Archive>) {
    to.setNextName("content");
    to(base64_of({static_cast<const char*>(t.data()), t.has_value() ? t.bytes() : 0}));
  } else if (t.has_value()) {
    to(cereal::binary_data(static_cast<const char*>(t.data()), t.bytes()));
  }
}
template <class Archive> any_tensor take_texts(Archive& from, const shape& extents) {
  std::vector<std::string> texts;
  take_as(from, "values", texts);
  if (static_cast<std::int64_t>(texts.size()) != extents.size())
    refuse_archive(message{"a tensor of shape ", extents, " has ", texts.size(), " values"});
  auto result = any_tensor::allocate(dtype::string, extents);
  if (!result) refuse_archive(message{result.error().message()});
  const auto to = result->template as_writable<std::string>();
  for (std::size_t i = 0; i < texts.size(); ++i) to[i] = std::move(texts[i]);
  return *std::move(result);
}
// Reads `size` bytes, or fewer if fewer remain.
template <class Archive> std::string take_content(Archive& from, std::size_t size) {
  std::string content;
  if constexpr (is_text<Archive>) {
    take_as(from, "content", content);
  } else {
    while (content.size() < size) {
      const std::size_t at = content.size();
      content.resize(at + std::min(size - at, std::max(at, archive_block)));
      from(cereal::binary_data(content.data() + at, content.size() - at));
    }
  }
  return content;
}
template <class Archive> void take_members(Archive& from, any_tensor& t) {
  dtype type = dtype::invalid;
  shape extents;
  take_as(from, "type", type);
  take_as(from, "shape", extents);
  for (const std::int64_t extent : extents)
    if (extent < 0) refuse_archive(message{"a tensor has the shape ", extents});
  if (is_counted(type) || extents.rank < 0) refuse_archive(message{"a tensor of ", name_of(type), extents, " cannot be read"});
  if (type == dtype::string) return void(t = take_texts(from, extents));
  const std::size_t size = static_cast<std::size_t>(extents.size()) * size_of(type);
  const std::string content = take_content(from, size);
  if (content.size() != size) refuse_archive(message{"a tensor of ", name_of(type), extents, " has ", content.size(), " bytes"});
  if (type == dtype::invalid) return void(t = any_tensor());
  auto result = any_tensor::allocate(type, extents);
  if (!result) refuse_archive(message{result.error().message()});
  if (size > 0) std::memcpy(result->data(), content.data(), size);
  for (std::size_t i = 0; type == dtype::boolean && i < size; ++i) {
    auto* const byte = static_cast<unsigned char*>(result->data()) + i;
    *byte = *byte != 0;
  }
  t = *std::move(result);
}

template <class Archive, class T> void CEREAL_SAVE_FUNCTION_NAME(Archive& to, const archived_item<T>& a) {
  put_members(to, a.item);
}
template <class Archive, class T>
  requires(!std::is_const_v<T>) void CEREAL_LOAD_FUNCTION_NAME(Archive& from, const archived_item<T>& a) {
  take_members(from, a.item);
}

// ---- whole graphs

// A stream buffer that reads bytes in place.
class archive_bytes final : public std::streambuf {
public:
  explicit archive_bytes(std::string_view bytes) {
    char* const begin = const_cast<char*>(bytes.data());
    setg(begin, begin, begin + bytes.size());
  }
};

// Checks the depth of JSON text. cereal reads by recursion, so a text of opening brackets would crash the program.
inline error check_nesting(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') ++i;
    else if (text[i] == '"') quoted = !quoted;
    else if (!quoted && (text[i] == '[' || text[i] == '{')) ++depth;
    else if (!quoted && (text[i] == ']' || text[i] == '}')) --depth;
    if (depth > archive_nesting)
      return error(error_code::data_loss, "the text is not a graph: its brackets are nested too deeply");
  }
  return {};
}

}  // namespace detail

template <class Archive> void CEREAL_SAVE_FUNCTION_NAME(Archive& to, const graph_record& record) {
  detail::put_as(to, "flowgraph", detail::archive_version);
  detail::put_members(to, record);
}
template <class Archive> void CEREAL_SAVE_FUNCTION_NAME(Archive& to, const planned_record& record) {
  to(cereal::make_nvp("graph", record.graph));
  detail::put_members(to, record);
}
template <class Archive> void CEREAL_LOAD_FUNCTION_NAME(Archive& from, planned_record& record) {
  from(cereal::make_nvp("graph", record.graph));
  detail::take_members(from, record);
}
template <class Archive> void CEREAL_LOAD_FUNCTION_NAME(Archive& from, graph_record& record) {
  std::uint32_t version = 0;
  detail::take_as(from, "flowgraph", version);
  if (version != detail::archive_version)
    detail::refuse_archive(message{"version ", version, " of graphs is unknown, expected ", detail::archive_version});
  detail::take_members(from, record);
}

namespace detail {

// `name` is the name of the record in a text archive and in errors.
template <class Archive, class Record> result<std::string> write_archive(const Record& record, const char* name) {
  try {
    std::ostringstream bytes;
    {
      Archive to(bytes);
      to(cereal::make_nvp(name, record));
    }
    return std::move(bytes).str();
  } catch (const std::exception& why) {
    return error(error_code::unimplemented, message{"the ", name, " cannot be written: ", why.what()});
  }
}
template <class Archive, class Record> result<Record> read_archive(std::string_view bytes, const char* name) {
  try {
    archive_bytes buffer(bytes);
    std::istream stream(&buffer);
    Archive from(stream);
    Record result;
    from(cereal::make_nvp(name, result));
    return result;
  } catch (const std::exception& why) {
    return error(error_code::data_loss, message{"the bytes are not a ", name, ": ", why.what()});
  }
}

template <class Record> result<void> save_record(const Record& record, const std::string& path, const char* name) {
  const auto result = path.ends_with(".json") ? write_archive<cereal::JSONOutputArchive>(record, name)
                                              : write_archive<cereal::PortableBinaryOutputArchive>(record, name);
  if (!result) return result.error();
  auto file = atomic_file::create(path);
  if (!file) return file.error();
  if (const auto written = file->write(*result); !written) return written.error();
  return file->commit();
}
template <class Record> result<Record> read_record_json(std::string_view text, const char* name) {
  if (error why = check_nesting(text)) return why;
  return read_archive<cereal::JSONInputArchive, Record>(text, name);
}
template <class Record> result<Record> load_record(const std::string& path, const char* name) {
  const auto file = mapped_file::open(path);
  if (!file) return file.error();
  const std::span<const std::byte> bytes = file->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto result = path.ends_with(".json") ? read_record_json<Record>(text, name)
                                        : read_archive<cereal::PortableBinaryInputArchive, Record>(text, name);
  if (!result) return error(result.error().code(), message{"'", path, "': ", result.error().message()});
  return result;
}

}  // namespace detail

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
