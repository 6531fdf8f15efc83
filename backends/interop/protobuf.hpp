#pragma once
// Reads protobuf fields with checks: a field with an unexpected wire type, or too much nesting, is an error. Functions of this
// folder throw errors; `guarded` turns them into results.

#include <flowgraph/core/message.hpp>
#include <flowgraph/interop/tensor_proto.hpp>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <bit>
#include <new>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

static_assert(std::endian::native == std::endian::little, "flowgraph: tensor_content is little-endian");

using reader = protozero::pbf_reader;
using writer = protozero::pbf_writer;
using bytes = protozero::data_view;

// Thrown for a valid value that flowgraph does not support.
struct unknown_value {
  std::string what;
};

// Returns the number of the field that the reader is at.
inline std::uint32_t field_of(const reader& r) { return static_cast<std::uint32_t>(r.tag()); }

[[noreturn]] inline void broken(const std::string& what) { throw error(error_code::data_loss, what); }

inline void expect(const reader& r, protozero::pbf_wire_type type) {
  if (r.wire_type() != type) broken("field " + std::to_string(field_of(r)) + " has a wrong wire type");
}
inline bytes view_of(reader& r) {
  expect(r, protozero::pbf_wire_type::length_delimited);
  return r.get_view();
}
inline std::string text_of(reader& r) {
  const bytes v = view_of(r);
  return {v.data(), v.size()};
}
inline std::int64_t integer_of(reader& r) {
  expect(r, protozero::pbf_wire_type::varint);
  return r.get_int64();
}
inline std::int32_t small_integer_of(reader& r) { return static_cast<std::int32_t>(integer_of(r)); }
inline float real_of(reader& r) {
  expect(r, protozero::pbf_wire_type::fixed32);
  return r.get_float();
}

// Calls f(std::int64_t) for each value of a repeated varint field, packed or not.
template <class F> void each_integer(reader& r, F&& f) {
  if (r.wire_type() == protozero::pbf_wire_type::varint) return f(r.get_int64());
  const bytes packed = view_of(r);
  const char* at = packed.data();
  const char* const end = at + packed.size();
  while (at != end) f(static_cast<std::int64_t>(protozero::decode_varint(&at, end)));
}

// Calls f(T) for each value of a repeated fixed-width field, packed or not.
template <class T, class F> void each_fixed(reader& r, F&& f) {
  constexpr auto single = sizeof(T) == 4 ? protozero::pbf_wire_type::fixed32 : protozero::pbf_wire_type::fixed64;
  if (r.wire_type() == single) {
    if constexpr (sizeof(T) == 4) return f(r.get_float());
    else return f(r.get_double());
  }
  const bytes packed = view_of(r);
  if (packed.size() % sizeof(T) != 0) broken("a packed field is cut");
  for (std::size_t i = 0; i < packed.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, packed.data() + i, sizeof(T));
    f(value);
  }
}

// The rest of the limits while a file is read.
struct allowance {
  std::size_t expandable;
  int depth;

  explicit allowance(const read_limits& limits) : expandable(limits.expanded_bytes), depth(limits.nesting) {}
};

// Increases the nesting depth by one message during its lifetime.
class deeper {
public:
  explicit deeper(allowance& a) : of_(a) {
    if (--of_.depth < 0) {
      ++of_.depth;
      throw error(error_code::resource_exhausted, "the file nests messages too deeply");
    }
  }
  ~deeper() { ++of_.depth; }
  deeper(const deeper&) = delete;
  deeper& operator=(const deeper&) = delete;

private:
  allowance& of_;
};

inline reader reader_of(std::span<const std::byte> file) {
  return reader(reinterpret_cast<const char*>(file.data()), file.size());
}

// Skips the field at which `r` is, and appends its bytes to `rest`. `start` is the beginning of the field.
inline void keep_field(reader& r, const char* start, std::string& rest) {
  r.skip();
  rest.append(start, r.data().data());
}

// Protobuf messages have at most 2 GiB.
inline void check_size(std::size_t n) {
  if (n > 0x7fffffff) throw error(error_code::resource_exhausted, "a file holds at most 2 GiB");
}

// Writes a nested message, even if it is empty.
template <class F> void add_part(writer& to, std::uint32_t field, F&& f) {
  std::string part;
  writer inner(part);
  f(inner);
  check_size(part.size());
  to.add_message(field, part);
}

template <class F> auto guarded(std::string_view what, F&& f) -> result<decltype(f())> {
  auto fail = [&](error_code code, std::string_view why) { return error(code, message{what, ": ", why}); };
  try {
    return f();
  } catch (const error& why) { return fail(why.code(), why.message()); } catch (const unknown_value& found) {
    return fail(error_code::unimplemented, found.what + " has no counterpart in flowgraph");
  } catch (const protozero::exception& why) {
    return fail(error_code::data_loss, message{"the bytes are damaged or of another format (", why.what(), ")"}.string());
  } catch (const std::bad_alloc&) { return fail(error_code::resource_exhausted, "no memory"); }
}

// Returns a text such as "float" or "type 21".
std::string type_text(std::int64_t number);
// Throws unknown_value if flowgraph has no type with that number.
dtype type_of_number(std::int64_t number);

// Reads and writes a TensorShapeProto.
shape read_shape(bytes from);
void write_shape(const shape& s, writer& to);

any_tensor read_tensor(bytes from, allowance& left);
void write_tensor(const any_tensor& value, writer& to);

}  // namespace flowgraph::protobuf
