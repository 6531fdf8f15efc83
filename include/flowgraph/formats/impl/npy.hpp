#pragma once

#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/formats/npy.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

static_assert(std::endian::native == std::endian::little, "flowgraph: files are little-endian, and so must the host be");

struct numpy_kind {
  std::string_view name;  // without the byte order
  dtype type;
  std::size_t part;  // bytes that change their order together
};
inline constexpr numpy_kind numpy_kinds[] = {
    {"f4", dtype::float32, 4},   {"f8", dtype::float64, 8},     {"f2", dtype::float16, 2}, {"i1", dtype::int8, 1},
    {"i2", dtype::int16, 2},     {"i4", dtype::int32, 4},       {"i8", dtype::int64, 8},   {"u1", dtype::uint8, 1},
    {"u2", dtype::uint16, 2},    {"u4", dtype::uint32, 4},      {"u8", dtype::uint64, 8},  {"b1", dtype::boolean, 1},
    {"c8", dtype::complex64, 4}, {"c16", dtype::complex128, 8},
};

// The contents of the header of an array.
struct npy_header {
  const numpy_kind* kind = nullptr;
  bool is_big = false, is_column_major = false;
  flowgraph::shape shape;
  std::size_t first = 0;  // position of the data, in bytes
};

// Reads the header: a dictionary in Python's syntax.
class npy_reader {
public:
  npy_reader(std::span<const std::byte> file, const std::string& name)
      : file_(reinterpret_cast<const char*>(file.data()), file.size()), name_(name) {}

  result<npy_header> read() {
    if (file_.substr(0, 6) != "\x93NUMPY" || file_.size() < 10)
      return refuse(0, "expected an array of NumPy, or the file is cut");
    const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(file_[i])}; };
    const std::size_t version = byte(6), prefix = version == 1 ? 10 : 12;
    if (version < 1 || version > 3) return refuse(6, message{"expected version 1 to 3, found ", version}.string());
    if (file_.size() < prefix) return refuse(file_.size(), "the file is cut");
    std::size_t size = byte(8) | byte(9) << 8;
    if (version > 1) size |= byte(10) << 16 | byte(11) << 24;
    if (size > file_.size() - prefix) return refuse(8, message{"the header has ", size, " bytes: the file is cut"}.string());
    header_.first = prefix + size;
    rest_ = file_.substr(prefix, size);
    if (!take_dictionary()) return refuse(prefix + size - rest_.size(), expected_);
    return check_size();
  }

private:
  FLOWGRAPH_COLD error refuse(std::size_t offset, std::string_view why, error_code code = error_code::data_loss) const {
    return error(code, message{"'", name_, "': at byte ", offset, ": ", why});
  }
  bool stop(std::string expected) {
    if (expected_.empty()) expected_ = std::move(expected);
    return false;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size())); }
  bool takes(std::string_view text) {
    skip_blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool take(std::string_view text) { return takes(text) || stop(message{"expected '", text, "'"}); }
  bool take_text(std::string& to) {
    skip_blanks();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') return stop("expected a text: arrays of records are not read");
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return stop("expected the end of a text");
    to = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool take_dictionary() {
    if (!take("{")) return false;
    bool has_kind = false, has_order = false, has_shape = false;
    while (!takes("}")) {
      std::string key;
      if (!take_text(key) || !take(":")) return false;
      bool* const seen = key == "descr" ? &has_kind : key == "fortran_order" ? &has_order : key == "shape" ? &has_shape : nullptr;
      if (!seen || std::exchange(*seen, true)) return stop("expected 'descr', 'fortran_order' and 'shape', once each");
      if (seen == &has_kind ? !take_kind() : seen == &has_order ? !take_order() : !take_shape()) return false;
      if (takes(",")) continue;
      if (!take("}")) return false;
      break;
    }
    skip_blanks();
    if (!has_kind || !has_order || !has_shape) return stop("expected 'descr', 'fortran_order' and 'shape'");
    return rest_.empty() || stop("expected the end of the header");
  }
  bool take_kind() {
    std::string text;
    if (!take_text(text)) return false;
    const char order = text.empty() ? '\0' : text.front();
    header_.is_big = order == '>';
    for (const numpy_kind& k : numpy_kinds)
      if (std::string_view(text).substr(std::min<std::size_t>(1, text.size())) == k.name &&
          std::string_view("<>=").find(k.part == 1 && order == '|' ? '=' : order) != std::string_view::npos)
        header_.kind = &k;
    return header_.kind != nullptr || stop(message{"elements of type '", text, "' are not read"});
  }
  bool take_order() {
    header_.is_column_major = takes("True");
    return header_.is_column_major || takes("False") || stop("expected True or False");
  }
  bool take_shape() {
    if (!take("(")) return false;
    while (!takes(")")) {
      skip_blanks();
      const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
      if (digits == 0 || digits > 18) return stop("expected an extent");
      std::int64_t extent = 0;
      for (const char c : rest_.substr(0, digits)) extent = extent * 10 + (c - '0');
      rest_.remove_prefix(digits);
      if (header_.shape.rank == flowgraph::shape::max_rank)
        return stop(message{"expected up to ", flowgraph::shape::max_rank, " axes"});
      header_.shape.push_back(extent);
      if (takes(",")) continue;
      if (!take(")")) return false;
      break;
    }
    return true;
  }

  result<npy_header> check_size() const {
    const std::size_t found = file_.size() - header_.first, element = size_of(header_.kind->type);
    std::size_t count = 1;
    bool fits = true;
    const bool is_empty = std::find(header_.shape.begin(), header_.shape.end(), 0) != header_.shape.end();
    for (const std::int64_t extent : header_.shape) {
      if (is_empty) continue;
      fits = fits && static_cast<std::size_t>(extent) <= found / element / count;
      if (fits) count *= static_cast<std::size_t>(extent);
    }
    const std::size_t wanted = is_empty ? 0 : count * element;
    if (fits && wanted == found && !is_too_large(header_.shape)) return header_;
    return refuse(
        header_.first,
        message{"expected the elements of ", name_of(header_.kind->type), header_.shape, ", found ", found, " bytes"}.string());
  }

  std::string_view file_, rest_;
  const std::string& name_;
  npy_header header_;
  std::string expected_;
};

// Copies elements. Elements of a column-major array are copied to their places in a row-major one.
inline void copy_npy(const npy_header& h, const std::byte* from, any_tensor& to) {
  auto* const all = static_cast<std::byte*>(to.data());
  const std::size_t element = size_of(h.kind->type);
  if (!h.is_column_major || h.shape.rank < 2) {
    if (to.bytes() > 0) std::memcpy(all, from, to.bytes());
  } else {
    std::int64_t index[flowgraph::shape::max_rank] = {}, stride[flowgraph::shape::max_rank];
    std::int64_t at = 0, step = 1;
    for (int axis = h.shape.rank - 1; axis >= 0; step *= h.shape[axis--]) stride[axis] = step;
    for (std::size_t i = 0; i < to.size(); ++i, from += element) {
      std::memcpy(all + static_cast<std::size_t>(at) * element, from, element);
      for (int axis = 0; axis < h.shape.rank; ++axis) {
        at += stride[axis];
        if (++index[axis] < h.shape[axis]) break;
        at -= stride[axis] * h.shape[axis];
        index[axis] = 0;
      }
    }
  }
  if (h.is_big)
    for (std::size_t i = 0; i < to.bytes(); i += h.kind->part) std::reverse(all + i, all + i + h.kind->part);
  if (h.kind->type == dtype::boolean)
    for (std::size_t i = 0; i < to.bytes(); ++i) all[i] = std::byte{all[i] != std::byte{0}};
}

inline result<any_tensor> make_npy(const npy_header& h, std::span<const std::byte> file, const std::string& name) {
  auto result = any_tensor::allocate(h.kind->type, h.shape);
  if (!result) return error(result.error().code(), message{"'", name, "': ", result.error().message()});
  copy_npy(h, file.data() + h.first, *result);
  return result;
}

// Returns the header of a tensor, with which its file begins.
inline result<std::string> npy_begin(const std::string& name, const any_tensor& value) {
  const numpy_kind* kind = nullptr;
  for (const numpy_kind& k : numpy_kinds)
    if (k.type == value.type()) kind = &k;
  if (!kind) return invalid_argument({"'", name, "': NumPy has no elements of type ", name_of(value.type())});
  if (value.is_far()) return invalid_argument({"'", name, "': the tensor lies in the memory of a device"});
  std::string text =
      message{"{'descr': '", kind->part == 1 ? "|" : "<", kind->name, "', 'fortran_order': False, 'shape': ("}.string();
  for (const std::int64_t extent : value.shape()) text += message{extent, value.shape().rank == 1 ? "," : ", "}.string();
  if (text.ends_with(", ")) text.resize(text.size() - 2);
  text += "), }";
  text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 11, ' ');  // the elements begin at a multiple of 64
  text += '\n';
  std::string all = "\x93NUMPY";
  all += '\1';
  all += '\0';
  all += static_cast<char>(text.size() & 255);
  all += static_cast<char>(text.size() >> 8);
  return all + text;
}

}  // namespace detail

FLOWGRAPH_INLINE bool has_numpy_elements(dtype type) noexcept {
  return std::any_of(std::begin(detail::numpy_kinds), std::end(detail::numpy_kinds),
                     [&](const detail::numpy_kind& k) { return k.type == type; });
}

FLOWGRAPH_INLINE result<any_tensor> load_npy(const std::string& path) {
  auto file = mapped_file::open(path);
  if (!file) return file.error();
  const auto header = detail::npy_reader(file->bytes(), path).read();
  if (!header) return header.error();
  const std::byte* const from = file->bytes().data() + header->first;
  const bool is_ready = !header->is_big && (!header->is_column_major || header->shape.rank < 2) &&
                        header->kind->type != dtype::boolean && reinterpret_cast<std::uintptr_t>(from) % header->kind->part == 0;
  if (!is_ready) return detail::make_npy(*header, file->bytes(), path);
  const std::size_t size = file->bytes().size() - header->first;
  void* const data = const_cast<std::byte*>(from);  // borrowed memory is never written to
  return any_tensor::over(header->kind->type, header->shape, buffer_ref(buffer::borrow(data, size, [held = *file] {})), data);
}

FLOWGRAPH_INLINE result<any_tensor> parse_npy(std::span<const std::byte> file, const std::string& name) {
  const auto header = detail::npy_reader(file, name).read();
  if (!header) return header.error();
  return detail::make_npy(*header, file, name);
}

FLOWGRAPH_INLINE result<void> save_npy(const std::string& path, const any_tensor& value, bool sync) {
  const auto begin = detail::npy_begin(path, value);
  if (!begin) return begin.error();
  auto file = atomic_file::create(path, sync);
  if (!file) return file.error();
  if (auto done = file->write(*begin); !done) return done;
  if (auto done = file->write({static_cast<const std::byte*>(value.data()), value.bytes()}); !done) return done;
  return file->commit();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
