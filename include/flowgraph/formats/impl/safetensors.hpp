#pragma once

#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/formats/detail/json_text.hpp>
#include <flowgraph/formats/safetensors.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

static_assert(std::endian::native == std::endian::little, "flowgraph: files are little-endian, and so must the host be");

struct stored_kind {
  std::string_view name;
  dtype type;
  std::size_t bytes;
};
inline constexpr stored_kind stored_kinds[] = {
    {"BOOL", dtype::boolean, 1},    {"U8", dtype::uint8, 1},      {"I8", dtype::int8, 1},         {"U16", dtype::uint16, 2},
    {"I16", dtype::int16, 2},       {"F16", dtype::float16, 2},   {"BF16", dtype::bfloat16, 2},   {"U32", dtype::uint32, 4},
    {"I32", dtype::int32, 4},       {"F32", dtype::float32, 4},   {"U64", dtype::uint64, 8},      {"I64", dtype::int64, 8},
    {"F64", dtype::float64, 8},     {"C64", dtype::complex64, 8}, {"F8_E4M3", dtype::invalid, 1}, {"F8_E5M2", dtype::invalid, 1},
    {"F8_E8M0", dtype::invalid, 1},
};
inline const stored_kind* find_kind(std::string_view name) {
  for (const stored_kind& k : stored_kinds)
    if (k.name == name) return &k;
  return nullptr;
}
inline const stored_kind* find_kind(dtype type) {
  for (const stored_kind& k : stored_kinds)
    if (k.type == type && type != dtype::invalid) return &k;
  return nullptr;
}

}  // namespace detail

// Reads and checks the header.
class safetensors_header {
public:
  explicit safetensors_header(safetensors& to) : to_(to) {}

  result<void> read() {
    const std::span<const std::byte> file = to_.bytes_;
    std::uint64_t size = 0;
    if (file.size() < sizeof size) return refuse(0, "expected 8 bytes with the size of the header: the file is cut");
    std::memcpy(&size, file.data(), sizeof size);
    constexpr std::uint64_t most = 100'000'000;
    if (size > most) return refuse(0, message{"expected a header of up to ", most, " bytes, found ", size}.string());
    if (size > file.size() - sizeof size)
      return refuse(0, message{"the header has ", size, " bytes, the file ", file.size(), ": the file is cut"}.string());
    first_ = sizeof size + size;
    const std::string_view text(reinterpret_cast<const char*>(file.data()) + sizeof size, static_cast<std::size_t>(size));
    if (text.empty() || text.front() != '{') return refuse(sizeof size, "expected '{' at the beginning of the header");
    detail::json_cursor at(text);
    if (!take_all(at)) return refuse(sizeof size + at.offset(), at.expected());
    return check_places();
  }

private:
  FLOWGRAPH_COLD error refuse(std::uint64_t offset, std::string_view why) const {
    return error(error_code::data_loss, message{"'", to_.path_, "': at byte ", offset, ": ", why});
  }
  FLOWGRAPH_COLD error refuse(const safetensors::entry& e, std::string_view why) const {
    return error(error_code::data_loss, message{"'", to_.path_, "': tensor '", e.name, "' at byte ", e.offset, ": ", why});
  }

  bool take_all(detail::json_cursor& at) {
    if (!at.take('{')) return false;
    for (bool is_first = true; !at.takes('}'); is_first = false) {
      std::string name;
      if ((!is_first && !at.take(',')) || !at.text(name) || !at.take(':')) return false;
      if (name == "__metadata__" ? !take_metadata(at) : !take_tensor(at, std::move(name))) return false;
    }
    return at.is_at_end() || at.stop("expected the end of the header");
  }
  bool take_metadata(detail::json_cursor& at) {
    if (std::exchange(has_metadata_, true)) return at.stop("expected '__metadata__' once");
    if (!at.take('{')) return false;
    for (bool is_first = true; !at.takes('}'); is_first = false) {
      std::string name, value;
      if ((!is_first && !at.take(',')) || !at.text(name) || !at.take(':') || !at.text(value)) return false;
      if (!to_.metadata_.emplace(std::move(name), std::move(value)).second) return at.stop("expected each name once");
    }
    return true;
  }
  bool take_tensor(detail::json_cursor& at, std::string name) {
    safetensors::entry e{std::move(name), {}, dtype::invalid, {}, 0, 0};
    bool has_type = false, has_shape = false, has_place = false;
    if (!at.take('{')) return false;
    for (bool is_first = true; !at.takes('}'); is_first = false) {
      std::string field;
      if ((!is_first && !at.take(',')) || !at.text(field) || !at.take(':')) return false;
      const bool is_new = field == "dtype"          ? !std::exchange(has_type, true)
                          : field == "shape"        ? !std::exchange(has_shape, true)
                          : field == "data_offsets" ? !std::exchange(has_place, true)
                                                    : false;
      if (!is_new) return at.stop(message{"tensor '", e.name, "': expected 'dtype', 'shape' and 'data_offsets', once each"});
      if (field == "dtype" ? !take_type(at, e) : field == "shape" ? !take_shape(at, e) : !take_place(at, e)) return false;
    }
    if (!has_type || !has_shape || !has_place)
      return at.stop(message{"tensor '", e.name, "': expected 'dtype', 'shape' and 'data_offsets'"});
    if (!to_.places_.emplace(e.name, 0).second) return at.stop(message{"expected tensor '", e.name, "' once"});
    to_.tensors_.push_back(std::move(e));
    return true;
  }
  static bool take_type(detail::json_cursor& at, safetensors::entry& e) {
    if (!at.text(e.stored_type)) return false;
    const detail::stored_kind* kind = detail::find_kind(e.stored_type);
    if (!kind) return at.stop(message{"tensor '", e.name, "': expected a type such as 'F32', found '", e.stored_type, "'"});
    e.type = kind->type;
    return true;
  }
  static bool take_shape(detail::json_cursor& at, safetensors::entry& e) {
    if (!at.take('[')) return false;
    for (bool is_first = true; !at.takes(']'); is_first = false) {
      std::uint64_t extent = 0;
      if ((!is_first && !at.take(',')) || !at.number(extent)) return false;
      if (e.shape.rank == flowgraph::shape::max_rank)
        return at.stop(message{"tensor '", e.name, "': expected up to ", flowgraph::shape::max_rank, " axes"});
      e.shape.push_back(static_cast<std::int64_t>(extent));
    }
    return true;
  }
  bool take_place(detail::json_cursor& at, safetensors::entry& e) const {
    std::uint64_t begin = 0, end = 0;
    if (!at.take('[') || !at.number(begin) || !at.take(',') || !at.number(end) || !at.take(']')) return false;
    if (begin > end || end > to_.bytes_.size() - first_)
      return at.stop(message{"tensor '", e.name, "': its place ", begin, " to ", end, " lies beyond the file's ",
                             to_.bytes_.size() - first_, " bytes of data"});
    e.offset = first_ + begin;
    e.size = end - begin;
    return true;
  }

  // Checks that the tensors follow one another without gaps, from the header to the end of the file.
  result<void> check_places() {
    std::sort(to_.tensors_.begin(), to_.tensors_.end(), [](const safetensors::entry& a, const safetensors::entry& b) {
      return std::pair(a.offset, a.offset + a.size) < std::pair(b.offset, b.offset + b.size);
    });
    std::uint64_t end = first_;
    for (std::size_t i = 0; i < to_.tensors_.size(); ++i) {
      const safetensors::entry& e = to_.tensors_[i];
      to_.places_.find(e.name)->second = i;
      if (e.offset < end) return refuse(e, "overlaps the tensor before it");
      if (e.offset > end) return refuse(e, message{"expected at byte ", end, ": there is a gap before it"}.string());
      end = e.offset + e.size;
      if (!fits_size(e)) return refuse(e, message{"has ", e.size, " bytes, which are not ", e.stored_type, e.shape}.string());
    }
    if (end != to_.bytes_.size())
      return refuse(end, message{"expected the end of the file at byte ", end, ", found ", to_.bytes_.size()}.string());
    return {};
  }
  static bool fits_size(const safetensors::entry& e) {
    const std::uint64_t elements = e.size / detail::find_kind(e.stored_type)->bytes;
    std::uint64_t count = 1;
    for (const std::int64_t extent : e.shape)
      if (extent == 0) return e.size == 0 && !detail::is_too_large(e.shape);
    for (const std::int64_t extent : e.shape) {
      if (static_cast<std::uint64_t>(extent) > elements / count) return false;
      count *= static_cast<std::uint64_t>(extent);
    }
    return e.size == count * detail::find_kind(e.stored_type)->bytes;
  }

  safetensors& to_;
  std::uint64_t first_ = 0;  // position of the data, in bytes
  bool has_metadata_ = false;
};

FLOWGRAPH_INLINE result<safetensors> safetensors::open(std::string path) {
  auto file = mapped_file::open(path);
  if (!file) return file.error();
  const std::span<const std::byte> bytes = file->bytes();
  return over(bytes, std::move(path), std::make_shared<const mapped_file>(*std::move(file)));
}

FLOWGRAPH_INLINE result<safetensors> safetensors::over(std::span<const std::byte> bytes, std::string name,
                                                       std::shared_ptr<const void> owner) {
  safetensors result;
  result.path_ = std::move(name);
  result.bytes_ = bytes;
  result.owner_ = std::move(owner);
  if (auto read = safetensors_header(result).read(); !read) return read.error();
  return result;
}

FLOWGRAPH_INLINE const safetensors::entry* safetensors::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &tensors_[found->second];
}

FLOWGRAPH_INLINE result<any_tensor> safetensors::read(std::string_view name) const {
  const entry* const e = find(name);
  if (!e) return error(error_code::not_found, message{"'", path_, "': has no tensor '", name, "'"});
  if (e->type == dtype::invalid)
    return error(error_code::unimplemented,
                 message{"'", path_, "': tensor '", name, "': flowgraph has no elements of type ", e->stored_type});
  const std::byte* const from = bytes_.data() + e->offset;
  const auto size = static_cast<std::size_t>(e->size);
  const bool is_boolean = e->type == dtype::boolean;
  const bool is_plain_boolean = is_boolean && std::all_of(from, from + size, [](std::byte b) { return b <= std::byte{1}; });
  const std::size_t element = std::min<std::size_t>(size_of(e->type), e->type == dtype::complex64 ? 4 : 8);
  if (reinterpret_cast<std::uintptr_t>(from) % element == 0 && (!is_boolean || is_plain_boolean)) {
    // Borrowed memory is never written to.
    void* const data = const_cast<std::byte*>(from);
    return any_tensor::over(e->type, e->shape, buffer_ref(buffer::borrow(data, size, [held = owner_] {})), data);
  }
  auto result = any_tensor::allocate(e->type, e->shape);
  if (!result) return error(result.error().code(), message{"'", path_, "': tensor '", name, "': ", result.error().message()});
  auto* const to = static_cast<unsigned char*>(result->data());
  if (size > 0) std::memcpy(to, from, size);
  if (is_boolean)
    for (std::size_t i = 0; i < size; ++i) to[i] = to[i] != 0;
  return result;
}

FLOWGRAPH_INLINE bool has_safetensors_elements(dtype type) noexcept { return detail::find_kind(type) != nullptr; }

FLOWGRAPH_INLINE result<void> save_safetensors(const std::string& path,
                                               std::span<const std::pair<std::string, any_tensor>> tensors,
                                               const safetensors_options& options) {
  std::vector<const std::pair<std::string, any_tensor>*> order;
  for (const auto& t : tensors) order.push_back(&t);
  // Tensors with the largest elements come first, so that every tensor is aligned for its elements.
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    const std::size_t x = size_of(a->second.type()), y = size_of(b->second.type());
    return x != y ? x > y : a->first < b->first;
  });
  std::string header = "{";
  if (!options.metadata.empty()) {
    header += "\"__metadata__\":{";
    for (const auto& [name, value] : options.metadata) {
      if (header.back() != '{') header += ',';
      detail::append_json(header, name);
      header += ':';
      detail::append_json(header, value);
    }
    header += '}';
  }
  std::uint64_t offset = 0;
  std::map<std::string_view, bool> seen;
  for (const auto* t : order) {
    const auto& [name, value] = *t;
    const auto refuse = [&](std::string_view why) {
      return detail::invalid_argument({"'", path, "': tensor '", name, "': ", why});
    };
    const detail::stored_kind* const kind = detail::find_kind(value.type());
    if (!kind) return refuse(message{"safetensors has no elements of type ", name_of(value.type())}.string());
    if (value.is_far()) return refuse("lies in the memory of a device");
    if (name == "__metadata__" || !detail::is_utf8(name)) return refuse("expected another name, in UTF-8");
    if (!seen.emplace(name, true).second) return refuse("expected each name once");
    if (header.size() > 1) header += ',';
    detail::append_json(header, name);
    header += message{":{\"dtype\":\"", kind->name, "\",\"shape\":["}.string();
    for (int axis = 0; axis < value.shape().rank; ++axis) header += message{axis > 0 ? "," : "", value.shape()[axis]}.string();
    header += message{"],\"data_offsets\":[", offset, ",", offset + value.bytes(), "]}"}.string();
    offset += value.bytes();
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  auto file = atomic_file::create(path, options.sync);
  if (!file) return file.error();
  const std::uint64_t size = header.size();
  if (auto done = file->write(std::as_bytes(std::span(&size, 1))); !done) return done;
  if (auto done = file->write(header); !done) return done;
  for (const auto* t : order)
    if (auto done = file->write({static_cast<const std::byte*>(t->second.data()), t->second.bytes()}); !done) return done;
  return file->commit();
}

}  // namespace flowgraph
