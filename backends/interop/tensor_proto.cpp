#include "protobuf.hpp"

#include <complex>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace protobuf {

namespace {

// Field numbers of TensorProto.
enum : std::uint32_t {
  tensor_dtype = 1,
  tensor_shape = 2,
  tensor_version = 3,
  tensor_content = 4,
  float_values = 5,
  double_values = 6,
  int_values = 7,
  string_values = 8,
  complex_values = 9,
  int64_values = 10,
  bool_values = 11,
  double_complex_values = 12,
  half_values = 13,
  uint32_values = 16,
  uint64_values = 17,
};

// A field that contains numbers of type `stored`.
template <class Stored, std::uint32_t Field> struct values_in {
  using stored = Stored;
  static constexpr std::uint32_t field = Field;
};
// The field that contains values of T, and their form in the file: numbers of type `stored`, of which `each` make an element.
template <class T> struct values_of : values_in<std::int64_t, int_values> {};
template <> struct values_of<float> : values_in<float, float_values> {};
template <> struct values_of<double> : values_in<double, double_values> {};
template <> struct values_of<complex64> : values_in<float, complex_values> {};
template <> struct values_of<complex128> : values_in<double, double_complex_values> {};
template <> struct values_of<std::int64_t> : values_in<std::int64_t, int64_values> {};
template <> struct values_of<bool> : values_in<std::int64_t, bool_values> {};
template <> struct values_of<half> : values_in<std::int64_t, half_values> {};
template <> struct values_of<bfloat16> : values_in<std::int64_t, half_values> {};
template <> struct values_of<std::uint32_t> : values_in<std::int64_t, uint32_values> {};
template <> struct values_of<std::uint64_t> : values_in<std::int64_t, uint64_values> {};

template <class T> inline constexpr bool is_complex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;
template <class T> inline constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

// Sets element `i` of a tensor to the number `v` of a file.
template <class T, class Stored> void set_element(T* elements, std::size_t i, Stored v) {
  if constexpr (is_complex<T>) reinterpret_cast<Stored*>(elements)[i] = v;
  else if constexpr (is_half<T>) elements[i] = T::from_bits(static_cast<std::uint16_t>(v));
  else if constexpr (std::is_same_v<T, bool>) elements[i] = v != 0;
  else elements[i] = static_cast<T>(v);
}

template <class T> void read_values(bytes from, any_tensor& value) {
  using stored = typename values_of<T>::stored;
  T* const elements = static_cast<T*>(value.data());
  const std::size_t wanted = value.size() * (is_complex<T> ? 2 : 1);
  std::size_t found = 0;
  auto take = [&](stored v) {
    if (found < wanted) set_element(elements, found, v);  // like TensorFlow, ignores values beyond the size
    ++found;
  };
  reader r(from);
  while (r.next()) {
    if (field_of(r) != values_of<T>::field) r.skip();
    else if constexpr (std::is_same_v<stored, std::int64_t>) each_integer(r, take);
    else each_fixed<stored>(r, take);
  }
  if (is_complex<T> && found % 2 != 0) broken("a complex number has no imaginary part");
  const std::size_t written = std::min(found, wanted) / (is_complex<T> ? 2 : 1);
  const T last = written > 0 ? elements[written - 1] : T{};
  for (std::size_t i = written; i < value.size(); ++i) elements[i] = last;
}

void read_strings(bytes from, any_tensor& value) {
  auto* const elements = static_cast<std::string*>(value.data());
  std::size_t found = 0;
  reader r(from);
  while (r.next()) {
    if (field_of(r) != string_values) {
      r.skip();
      continue;
    }
    const bytes v = view_of(r);
    if (found < value.size()) elements[found++].assign(v.data(), v.size());
  }
  if (found == 0) return;
  for (std::size_t i = found; i < value.size(); ++i) elements[i] = elements[found - 1];
}

// Reads strings: first all lengths, then all characters.
void read_string_content(bytes content, any_tensor& value) {
  auto* const elements = static_cast<std::string*>(value.data());
  const char* at = content.data();
  const char* const end = at + content.size();
  std::vector<std::size_t> lengths(value.size());
  for (std::size_t& n : lengths) n = protozero::decode_varint(&at, end);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (lengths[i] > static_cast<std::size_t>(end - at)) broken("a string is cut");
    elements[i].assign(at, lengths[i]);
    at += lengths[i];
  }
  if (at != end) broken("tensor_content is longer than its strings");
}

void read_content(bytes content, any_tensor& value) {
  if (value.type() == dtype::string) return read_string_content(content, value);
  if (content.size() != value.bytes())
    broken("tensor_content has " + std::to_string(content.size()) + " bytes; a tensor of " + std::string(name_of(value.type())) +
           to_string(value.shape()) + " has " + std::to_string(value.bytes()));
  if (content.size() > 0) std::memcpy(value.data(), content.data(), content.size());
  if (value.type() == dtype::boolean)
    for (unsigned char* b = static_cast<unsigned char*>(value.data());
         b != static_cast<unsigned char*>(value.data()) + value.size(); ++b)
      *b = *b != 0;
}

// Returns the number of elements of a shape that comes from a file. Throws if the shape is invalid or too large.
std::size_t checked_size(const shape& s) {
  if (!s.is_known()) broken("a tensor has the shape " + to_string(s));
  constexpr std::int64_t most = std::int64_t{1} << 48;
  std::int64_t size = 1;
  for (const std::int64_t extent : s)
    if (extent == 0) return 0;
  for (const std::int64_t extent : s) {
    if (extent > most / size) throw error(error_code::resource_exhausted, "a tensor of shape " + to_string(s) + " is too large");
    size *= extent;
  }
  return static_cast<std::size_t>(size);
}

bool same_elements(const any_tensor& t) {
  const std::size_t width = size_of(t.type());
  const auto* first = static_cast<const std::byte*>(t.data());
  return t.size() < 2 || std::memcmp(first, first + width, (t.size() - 1) * width) == 0;
}

}  // namespace

std::string type_text(std::int64_t number) {
  const bool reference = number > 100 && number < 200;
  const std::int64_t base = reference ? number - 100 : number;
  if (base <= 0 || base > 255 || size_of(static_cast<dtype>(base)) == 0) return "type " + std::to_string(number);
  return std::string(name_of(static_cast<dtype>(base))) + (reference ? " reference" : "");
}

dtype type_of_number(std::int64_t number) {
  if (number == 0) return dtype::invalid;
  if (number < 0 || number > 255 || size_of(static_cast<dtype>(number)) == 0) throw unknown_value{type_text(number)};
  return static_cast<dtype>(number);
}

shape read_shape(bytes from) {
  shape s;
  bool unknown = false;
  int rank = 0;
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 2) {
      reader d(view_of(r));
      std::int64_t extent = 0;
      while (d.next()) {
        if (field_of(d) == 1) extent = integer_of(d);
        else d.skip();
      }
      if (extent < -1) broken("a shape has an extent of " + std::to_string(extent));
      ++rank;
      s.push_back(extent);
    } else if (field_of(r) == 3) {
      unknown = integer_of(r) != 0;
    } else {
      r.skip();
    }
  }
  if (rank > shape::max_rank) throw unknown_value{"a shape of rank " + std::to_string(rank)};
  return unknown ? shape::unknown() : s;
}

void write_shape(const shape& s, writer& to) {
  if (!s.has_rank()) return to.add_bool(3, true);
  for (const std::int64_t extent : s) add_part(to, 2, [&](writer& dim) { dim.add_int64(1, extent); });
}

any_tensor read_tensor(bytes from, allowance& left) {
  std::int64_t type = 0;
  shape extents;
  bytes content;
  bool has_content = false;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case tensor_dtype: type = integer_of(r); break;
      case tensor_shape: extents = read_shape(view_of(r)); break;
      case tensor_version:
        if (const std::int64_t version = integer_of(r); version != 0)
          throw error(error_code::unimplemented, "a tensor is of version " + std::to_string(version) + ", not 0");
        break;
      case tensor_content:
        content = view_of(r);
        has_content = content.size() > 0;
        break;
      default: r.skip();
    }
  }
  if (type == 0) broken("a tensor has no element type");
  const dtype element = type_of_number(type);
  if (is_counted(element)) throw unknown_value{message{"a tensor of ", name_of(element), "s"}};
  const std::size_t size = checked_size(extents);

  // Each byte of a file may become at most 16 bytes in memory, the size of an empty string. Larger tensors repeat values, and count
  // against the limit.
  const std::size_t bytes_wanted = size * size_of(element), bytes_there = from.size() * 16;
  if (has_content && element == dtype::string && size > content.size()) broken("tensor_content is shorter than its strings");
  if (bytes_wanted > bytes_there) {
    if (has_content)
      broken("tensor_content has " + std::to_string(content.size()) + " bytes for a tensor of shape " + to_string(extents));
    if (bytes_wanted - bytes_there > left.expandable)
      throw error(error_code::resource_exhausted, "a tensor of " + std::string(name_of(element)) + to_string(extents) + " in " +
                                                      std::to_string(from.size()) + " bytes is beyond the limit");
    left.expandable -= bytes_wanted - bytes_there;
  }
  auto result = any_tensor::allocate(element, extents);
  if (!result) throw result.error();
  if (has_content) read_content(content, *result);
  else if (element == dtype::string) read_strings(from, *result);
  else
    visit_type(
        element,
        [&]<class T>() {
          if constexpr (is_plain(dtype_of<T>)) read_values<T>(from, *result);
        },
        [] {});
  return *std::move(result);
}

void write_tensor(const any_tensor& value, writer& to) {
  if (!value.has_value()) throw detail::invalid_argument("a tensor without a value cannot be written");
  if (is_counted(value.type())) throw detail::invalid_argument({"a tensor of ", name_of(value.type()), "s cannot be written"});
  to.add_int32(tensor_dtype, static_cast<std::int32_t>(value.type()));
  add_part(to, tensor_shape, [&](writer& extents) { write_shape(value.shape(), extents); });
  if (value.size() == 0) return;
  if (value.type() == dtype::string) {
    for (const std::string& s : value.as<std::string>()) to.add_bytes(string_values, s);
    return;
  }
  if (!same_elements(value)) {
    check_size(value.bytes());
    return to.add_bytes(tensor_content, static_cast<const char*>(value.data()), value.bytes());
  }
  visit_type(
      value.type(),
      [&]<class T>() {
        if constexpr (is_plain(dtype_of<T>)) {
          const T& first = *static_cast<const T*>(value.data());
          const protozero::pbf_tag_type field = values_of<T>::field;
          if constexpr (is_complex<T>) {
            const typename values_of<T>::stored pair[2] = {first.real(), first.imag()};
            if constexpr (std::is_same_v<T, complex64>) to.add_packed_float(field, pair, pair + 2);
            else to.add_packed_double(field, pair, pair + 2);
          } else if constexpr (std::is_same_v<T, float>) {
            to.add_packed_float(field, &first, &first + 1);
          } else if constexpr (std::is_same_v<T, double>) {
            to.add_packed_double(field, &first, &first + 1);
          } else {
            std::int64_t number = 0;
            if constexpr (is_half<T>) number = first.bits;
            else number = static_cast<std::int64_t>(first);
            to.add_packed_int64(field, &number, &number + 1);
          }
        }
      },
      [] {});
}

}  // namespace protobuf

result<any_tensor> read_tensor(std::span<const std::byte> file, const read_limits& limits) {
  return protobuf::guarded("TensorProto", [&] {
    protobuf::allowance left(limits);
    return protobuf::read_tensor({reinterpret_cast<const char*>(file.data()), file.size()}, left);
  });
}

result<std::string> write_tensor(const any_tensor& value) {
  return protobuf::guarded("TensorProto", [&] {
    std::string text;
    protobuf::writer to(text);
    protobuf::write_tensor(value, to);
    return text;
  });
}

}  // namespace flowgraph
