#pragma once

#include <flowgraph/formats/impl/ordered_code.hpp>
#include <flowgraph/formats/detail/table_file.hpp>
#include <flowgraph/formats/impl/wire_slice.hpp>
#include <flowgraph/formats/saved_slices.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The field of TensorProto that contains elements of type T: numbers of fixed width, or varints.
template <class T> struct saved_values {
  static constexpr std::uint32_t field = 7;
};
template <std::uint32_t Field> struct saved_in {
  static constexpr std::uint32_t field = Field;
};
template <> struct saved_values<float> : saved_in<5> {};
template <> struct saved_values<double> : saved_in<6> {};
template <> struct saved_values<complex64> : saved_in<9> {};
template <> struct saved_values<std::int64_t> : saved_in<10> {};
template <> struct saved_values<bool> : saved_in<11> {};
template <> struct saved_values<complex128> : saved_in<12> {};
template <> struct saved_values<half> : saved_in<13> {};
template <> struct saved_values<bfloat16> : saved_in<13> {};
template <> struct saved_values<std::uint32_t> : saved_in<16> {};
template <> struct saved_values<std::uint64_t> : saved_in<17> {};

template <class T>
inline constexpr bool saved_as_they_are =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;
template <class T> inline constexpr bool is_half_type = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

template <class T> std::string save_values(const any_tensor& value) {
  std::string all;
  const view<const T> elements = value.as<T>();
  if constexpr (std::is_same_v<T, std::string>) {
    for (const std::string& s : elements) put_bytes_field(all, 8, s);
  } else {
    std::string packed;
    if constexpr (saved_as_they_are<T>) packed.assign(static_cast<const char*>(value.data()), value.bytes());
    else
      for (const T& e : elements) {
        if constexpr (is_half_type<T>) put_varint(packed, std::bit_cast<std::uint16_t>(e));
        else put_varint(packed, static_cast<std::uint64_t>(e));
      }
    put_bytes_field(all, saved_values<T>::field, packed);
  }
  return all;
}

// Reads elements. Returns false if there are too few, or if they are not of the tensor's type.
template <class T> bool load_values(std::string_view message, any_tensor& to) {
  T* at = static_cast<T*>(to.data());
  T* const end = at + to.size();
  checked_fields r(message);
  while (r.next()) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (r.number() != 8) continue;
      if (at == end) return false;
      *at++ = r.bytes();
    } else {
      if (r.number() != saved_values<T>::field) continue;
      if (r.form() != field_form::bytes) return false;  // TensorFlow writes them packed
      std::string_view packed = r.bytes();
      if constexpr (saved_as_they_are<T>) {
        if (packed.size() != static_cast<std::size_t>(end - at) * sizeof(T)) return false;
        if (!packed.empty()) std::memcpy(static_cast<void*>(at), packed.data(), packed.size());
        at = end;
      } else {
        for (std::uint64_t number = 0; !packed.empty(); ++at) {
          if (at == end || !take_varint(packed, number)) return false;
          if constexpr (is_half_type<T>) *at = T::from_bits(static_cast<std::uint16_t>(number));
          else *at = static_cast<T>(number);
        }
      }
    }
  }
  return !r.is_broken() && at == end;
}

// Reads a SavedSliceMeta.
inline bool read_saved_meta(std::string_view message, std::string& name, saved_slices::entry& to) {
  bool is_good = true;
  checked_fields r(message);
  while (r.next()) {
    switch (r.number()) {
      case 1: name = r.bytes(); break;
      case 2: is_good = is_good && read_wire_shape(r.bytes(), to.extents); break;
      case 3: to.type = stored_type(r.integer()); break;
      case 4: is_good = is_good && read_wire_slice(r.bytes(), to.slices.emplace_back()); break;
      default: break;
    }
  }
  is_good = is_good && !r.is_broken() && to.type != dtype::invalid;
  for (const tensor_slice& part : to.slices) is_good = is_good && lies_in(part, to.extents);
  return is_good;
}
inline std::string wire_saved_meta(std::string_view name, const saved_slices::entry& entry) {
  std::string all;
  put_bytes_field(all, 1, name);
  put_bytes_field(all, 2, wire_shape(entry.extents));
  put_number_field(all, 3, static_cast<std::int64_t>(entry.type));
  for (const tensor_slice& part : entry.slices) put_bytes_field(all, 4, wire_slice(part));
  return all;
}

// Returns the contents of a field that is a message itself. If the field occurs several times, the last one counts.
inline std::string_view field_of(std::string_view message, std::uint32_t field) {
  std::string_view found;
  checked_fields r(message);
  while (r.next())
    if (r.number() == field && r.form() == field_form::bytes) found = r.bytes();
  return found;
}

}  // namespace detail

FLOWGRAPH_INLINE result<saved_slices> saved_slices::open(std::span<const std::string> paths) {
  saved_slices result;
  for (const std::string& path : paths)
    if (auto added = result.add(path); !added) return added.error();
  return result;
}

FLOWGRAPH_INLINE result<void> saved_slices::add(const std::string& path) {
  if (path_.empty()) path_ = path;
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  auto all = detail::table_reader(path, *bytes).read();
  if (!all) return all.error();
  const auto broken = [&](std::string_view what) { return error(error_code::data_loss, message{"'", path, "': ", what}); };
  if (all->empty() || !all->front().first.empty()) return broken("is a table without the header of a checkpoint");
  detail::checked_fields meta(detail::field_of(all->front().second, 1));
  while (meta.next()) {
    if (meta.number() != 1) continue;
    std::string name;
    entry found;
    if (!detail::read_saved_meta(meta.bytes(), name, found))
      return broken(message{"the entry of tensor '", name, "' is broken"}.string());
    entry& known = tensors_[name];
    if (known.type != dtype::invalid && (known.type != found.type || known.extents != found.extents))
      return broken(message{"tensor '", name, "' differs from that in '", path_, "'"}.string());
    known.type = found.type;
    known.extents = found.extents;
    if (known.slices.size() + found.slices.size() > detail::most_parts)
      return broken(message{"tensor '", name, "' has more than ", detail::most_parts, " parts"}.string());
    for (const tensor_slice& slice : found.slices)
      if (std::find(known.slices.begin(), known.slices.end(), slice) == known.slices.end()) known.slices.push_back(slice);
  }
  if (meta.is_broken()) return broken("the header of the checkpoint is broken");
  for (std::size_t i = 1; i < all->size(); ++i) parts_.try_emplace((*all)[i].first, part{path, std::move((*all)[i].second)});
  return {};
}

FLOWGRAPH_INLINE const saved_slices::entry* saved_slices::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

FLOWGRAPH_INLINE result<any_tensor> saved_slices::read(std::string_view name, const tensor_slice& wanted,
                                                       std::pmr::memory_resource* from) const {
  const auto refuse = [&](error_code code, std::string_view why) {
    return error(code, message{"'", path_, "': tensor '", name, "': ", why});
  };
  const entry* const e = find(name);
  if (!e) return refuse(error_code::not_found, "is not there");
  if (!detail::lies_in(wanted, e->extents))
    return refuse(error_code::invalid_argument, message{"of shape ", e->extents, " has no part ", wanted.text()}.string());
  const tensor_slice to = wanted.within(e->extents);
  if (const std::string fault = detail::cover_fault(e->slices, e->extents, to); !fault.empty())
    return refuse(error_code::data_loss, fault);
  // Every element needs at least a byte of the file, so the file bounds the memory that is allocated here.
  any_tensor result;
  const auto allocate = [&](const shape& extents, any_tensor& t) { return t.emplace(e->type, extents, from); };
  std::size_t stored_bytes = 0;
  for (const auto& slice : e->slices)
    if (const auto stored = parts_.find(detail::slice_key(name, slice)); stored != parts_.end())
      stored_bytes += stored->second.message.size();
  if (static_cast<std::size_t>(to.extents.size()) > stored_bytes)
    return refuse(error_code::data_loss, "parts are missing or cut");
  if (!allocate(to.extents, result)) return refuse(error_code::resource_exhausted, "not enough memory");
  for (const tensor_slice& slice : e->slices) {
    const tensor_slice full = slice.within(e->extents);
    const auto stored = parts_.find(detail::slice_key(name, slice));
    if (stored == parts_.end()) return refuse(error_code::data_loss, message{"part ", slice.text(), " is missing"}.string());
    const std::string& bytes = stored->second.message;
    any_tensor value;
    if (static_cast<std::size_t>(full.extents.size()) > bytes.size()) return refuse(error_code::data_loss, "a part is cut");
    if (!allocate(full.extents, value)) return refuse(error_code::resource_exhausted, "not enough memory");
    const std::string_view data = detail::field_of(detail::field_of(bytes, 2), 3);
    const bool is_good = visit_type(
        e->type,
        [&]<class T>() {
          if constexpr (is_counted(dtype_of<T>)) return false;
          else return detail::load_values<T>(data, value);
        },
        [] { return false; });
    if (!is_good) return refuse(error_code::data_loss, message{"part ", slice.text(), " is broken"}.string());
    detail::copy_common_part(value, full, result, to);
  }
  return result;
}

FLOWGRAPH_INLINE bool has_saved_slices_elements(dtype type) noexcept {
  return type != dtype::invalid && !is_counted(type) && type != dtype::bfloat16 && type != dtype::uint32 && type != dtype::uint64;
}

FLOWGRAPH_INLINE result<saved_slices_writer> saved_slices_writer::create(std::string path, bool sync) {
  auto file = atomic_file::create(std::move(path), sync);
  if (!file) return file.error();
  return saved_slices_writer(*std::move(file));
}

FLOWGRAPH_INLINE result<void> saved_slices_writer::add_slice(std::string_view name, const shape& whole, const tensor_slice& part,
                                                             const any_tensor& value) {
  const auto refuse = [&](const message& why) {
    return detail::invalid_argument({"'", file_.path(), "': tensor '", name, "': ", why.string()});
  };
  if (name.empty() || !value.has_value() || is_counted(value.type()))
    return refuse({"expected a name and elements that a file can hold"});
  if (!has_saved_slices_elements(value.type()))
    return refuse(
        {"TensorFlow's checkpoints of version 1 have no elements of type ", name_of(value.type()), "; those of version 2 have"});
  if (!whole.is_known() || !detail::lies_in(part, whole) || part.within(whole).extents != value.shape())
    return refuse({"shape ", whole, " has no part ", part.text(), " of shape ", value.shape()});
  saved_slices::entry& entry = tensors_[std::string(name)];
  if (entry.type != dtype::invalid && (entry.type != value.type() || entry.extents != whole))
    return refuse({"was added before as ", name_of(entry.type), entry.extents});
  entry.type = value.type();
  entry.extents = whole;
  std::string slice, all;
  detail::put_bytes_field(slice, 1, name);
  detail::put_bytes_field(slice, 2, detail::wire_slice(part));
  detail::put_bytes_field(slice, 3,
                          visit_type(
                              value.type(),
                              [&]<class T>() {
                                if constexpr (is_counted(dtype_of<T>)) return std::string();
                                else return detail::save_values<T>(value);
                              },
                              [] { return std::string(); }));
  detail::put_bytes_field(all, 2, slice);
  if (!messages_.emplace(detail::slice_key(name, part), std::move(all)).second)
    return refuse({"part ", part.text(), " was added before"});
  entry.slices.push_back(part);
  return {};
}

FLOWGRAPH_INLINE result<void> saved_slices_writer::finish() {
  std::string meta, version, all;
  for (const auto& [name, entry] : tensors_) detail::put_bytes_field(meta, 1, detail::wire_saved_meta(name, entry));
  detail::put_number_field(version, 1, 1);
  detail::put_bytes_field(meta, 2, version);
  detail::put_bytes_field(all, 1, meta);
  messages_[""] = std::move(all);
  const error why = detail::write_table(messages_, [&](std::string_view bytes) {
    const auto written = file_.write(bytes);
    return written ? error() : written.error();
  });
  if (why) return why;
  return file_.commit();
}

}  // namespace flowgraph
