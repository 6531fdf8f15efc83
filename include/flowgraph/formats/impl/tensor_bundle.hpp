#pragma once

#include <flowgraph/formats/impl/ordered_code.hpp>
#include <flowgraph/formats/detail/table_file.hpp>
#include <flowgraph/formats/impl/wire_slice.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reads a BundleEntryProto.
inline bool read_wire_entry(std::string_view message, bundle_entry& to) {
  checked_fields r(message);
  bool is_good = true;
  while (r.next()) {
    switch (r.number()) {
      case 1: {
        const std::int64_t number = r.integer();
        to.type = stored_type(number);
        to.unreadable_type = to.type == dtype::invalid ? number : 0;
        break;
      }
      case 2: is_good = is_good && read_wire_shape(r.bytes(), to.extents); break;
      case 3: to.shard = static_cast<std::int32_t>(r.integer()); break;
      case 4: to.offset = static_cast<std::uint64_t>(r.integer()); break;
      case 5: to.size = static_cast<std::uint64_t>(r.integer()); break;
      case 6: to.checksum = r.fixed<std::uint32_t>(); break;
      case 7: is_good = is_good && read_wire_slice(r.bytes(), to.slices.emplace_back()); break;
      default: break;
    }
  }
  is_good = is_good && !r.is_broken();
  for (const tensor_slice& part : to.slices) is_good = is_good && lies_in(part, to.extents);
  return is_good;
}
inline std::string wire_entry(const bundle_entry& entry) {
  std::string all;
  put_number_field(all, 1, entry.type == dtype::invalid ? entry.unreadable_type : static_cast<std::int64_t>(entry.type));
  put_bytes_field(all, 2, wire_shape(entry.extents));
  put_number_field(all, 3, entry.shard);
  put_number_field(all, 4, static_cast<std::int64_t>(entry.offset));
  put_number_field(all, 5, static_cast<std::int64_t>(entry.size));
  if (entry.checksum != 0) {
    put_tag(all, 6, field_form::fixed32);
    append_fixed(all, entry.checksum);
  }
  for (const tensor_slice& part : entry.slices) put_bytes_field(all, 7, wire_slice(part));
  return all;
}

// Returns a BundleHeaderProto.
inline std::string wire_bundle_header(std::int32_t shards) {
  std::string version, all;
  put_number_field(version, 1, 1);
  put_number_field(all, 1, shards);
  put_bytes_field(all, 3, version);
  return all;
}

// Returns a complete index of `entries`, whose keys are those of the table. It has no name yet.
inline result<atomic_file> prepared_index(const std::string& prefix, std::int32_t shards, const tensor_bundle::entries& entries,
                                          bool sync) {
  std::map<std::string, std::string> messages;
  messages[""] = wire_bundle_header(shards);
  for (const auto& [key, entry] : entries) messages[key] = wire_entry(entry);
  auto index = atomic_file::create(prefix + ".index", sync);
  if (!index) return index;
  const error why = write_table(messages, [&](std::string_view bytes) {
    const auto written = index->write(bytes);
    return written ? error() : written.error();
  });
  if (why) return why;
  if (auto done = index->prepare(); !done) return done.error();
  return index;
}

// Removes the index of an older checkpoint, whose data files are about to be replaced. Without it there is no checkpoint.
inline result<void> remove_index(const std::string& prefix, bool sync) {
  std::error_code why;
  const std::string path = prefix + ".index";
  const bool was_there = std::filesystem::remove(path, why);
  if (why) return file_error(path, "cannot be replaced", why.value());
  if (!was_there || !sync) return {};
  const std::string folder = std::filesystem::path(prefix).parent_path().string();
  return sync_folder(folder.empty() ? "." : folder);
}

// The layout of a string tensor: all lengths, their checksum, all characters. The tensor's own checksum covers the lengths as
// plain numbers.
struct string_layout {
  std::string lengths;
  std::uint32_t sum = 0;

  void add(std::uint64_t size) {
    put_varint(lengths, size);
    const std::size_t bytes = size <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
    sum = crc32c(std::as_bytes(std::span(&size, 1)).first(bytes), sum);
  }
  void finish() {
    const std::uint32_t masked = mask_crc32c(sum);
    append_fixed(lengths, masked);
    sum = crc32c(std::as_bytes(std::span(&masked, 1)), sum);
  }
};

// Blocks of summed_bytes are still in the processor's cache when they are summed after they were read. Blocks of written_bytes
// are larger: modern file systems give them larger pieces of memory, and finish these sooner.
inline constexpr std::size_t summed_bytes = std::size_t{1} << 18, written_bytes = std::size_t{1} << 21;

FLOWGRAPH_COLD inline error broken_tensor(const std::string& path, std::string_view name, const bundle_entry& at,
                                          std::string_view why, error_code code = error_code::data_loss) {
  return error(code, message{"'", path, "': tensor '", name, "', ", at.size, " bytes at byte ", at.offset, ": ", why});
}

inline error make_tensor(const std::string& path, std::string_view name, const bundle_entry& e, std::pmr::memory_resource* from,
                         any_tensor& to) {
  if (to.emplace(e.type, e.extents, from)) return {};
  return broken_tensor(path, name, e, "not enough memory", error_code::resource_exhausted);
}

// Reads the elements of plain types.
inline error read_plain(file_reader& file, std::string_view name, const bundle_entry& e, any_tensor& to) {
  std::span<std::byte> rest(static_cast<std::byte*>(to.data()), to.bytes());
  std::uint32_t sum = 0;
  while (!rest.empty()) {
    const auto part = rest.first(std::min(rest.size(), summed_bytes));
    if (const auto done = file.read_all(part); !done)
      return broken_tensor(file.path(), name, e, done.error().message(), done.error().code());
    sum = crc32c(part, sum);
    rest = rest.subspan(part.size());
  }
  if (unmask_crc32c(e.checksum) != sum) return broken_tensor(file.path(), name, e, "the checksum is wrong");
  if (to.type() == dtype::boolean)
    for (unsigned char& b : std::span(static_cast<unsigned char*>(to.data()), to.size())) b = b != 0;
  return {};
}

inline error read_strings(file_reader& file, std::string_view name, const bundle_entry& e, any_tensor& to) {
  std::string bytes(static_cast<std::size_t>(e.size), '\0');
  if (const auto done = file.read_all(std::as_writable_bytes(std::span(bytes))); !done)
    return broken_tensor(file.path(), name, e, done.error().message(), done.error().code());
  std::string_view rest = bytes;
  string_layout layout;
  std::vector<std::uint64_t> lengths(to.size());
  for (std::uint64_t& length : lengths) {
    if (!take_varint(rest, length) || length > e.size)
      return broken_tensor(file.path(), name, e, "the length of a string is broken");
    layout.add(length);
  }
  if (rest.size() < 4 || unmask_crc32c(load_fixed<std::uint32_t>(rest.data())) != layout.sum)
    return broken_tensor(file.path(), name, e, "the checksum of the strings' lengths is wrong");
  layout.finish();
  rest.remove_prefix(4);
  auto* strings = static_cast<std::string*>(to.data());
  const std::uint32_t sum = crc32c(rest, layout.sum);
  for (const std::uint64_t length : lengths) {
    if (length > rest.size()) return broken_tensor(file.path(), name, e, "a string is cut");
    (strings++)->assign(rest.substr(0, static_cast<std::size_t>(length)));
    rest.remove_prefix(static_cast<std::size_t>(length));
  }
  if (!rest.empty() || unmask_crc32c(e.checksum) != sum) return broken_tensor(file.path(), name, e, "the checksum is wrong");
  return {};
}

}  // namespace detail

FLOWGRAPH_INLINE std::string bundle_data_path(std::string_view prefix, std::int32_t shard, std::int32_t shards) {
  const auto digits = [](std::int32_t number) {
    const std::string text = std::to_string(number);
    return std::string(text.size() < 5 ? 5 - text.size() : 0, '0') + text;
  };
  return std::string(prefix) + ".data-" + digits(shard) + "-of-" + digits(shards);
}

FLOWGRAPH_INLINE result<tensor_bundle> tensor_bundle::open(std::string prefix) {
  tensor_bundle result;
  result.prefix_ = std::move(prefix);
  const std::string path = result.index_path();
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  const auto all = detail::table_reader(path, *bytes).read();
  if (!all) return all.error();
  if (all->empty() || !all->front().first.empty())
    return error(error_code::data_loss, message{"'", path, "': is a table without the header of a checkpoint"});
  std::int64_t shards = 0, is_big = 0;
  detail::checked_fields header(all->front().second);
  while (header.next()) {
    if (header.number() == 1) shards = header.integer();
    else if (header.number() == 2) is_big = header.integer();
  }
  if (header.is_broken() || shards < 0 || shards > 99999)
    return error(error_code::data_loss, message{"'", path, "': the header of the checkpoint is broken"});
  if (is_big != 0) return error(error_code::unimplemented, message{"'", path, "': was written by a big-endian machine"});
  result.shards_ = static_cast<std::int32_t>(shards);
  for (std::size_t i = 1; i < all->size(); ++i)
    if (const auto taken = result.take_entry((*all)[i].first, (*all)[i].second); !taken) return taken.error();
  if (const auto checked = result.check_parts(); !checked) return checked.error();
  return result;
}

FLOWGRAPH_INLINE result<void> tensor_bundle::take_entry(const std::string& key, std::string_view message) {
  const bool is_part = key.front() == '\0';
  bundle_entry& entry = (is_part ? parts_ : tensors_)[key];
  const auto broken = [&](std::string_view why) {
    return error(error_code::data_loss, flowgraph::message{"'", index_path(), "': entry '", key, "': ", why});
  };
  if (!detail::read_wire_entry(message, entry)) return broken("is broken");
  if (entry.type == dtype::invalid && entry.unreadable_type <= 0) return broken("has no element type");
  if (is_part && !entry.slices.empty()) return broken("is a part of a tensor, and has parts itself");
  if (!entry.slices.empty()) return {};
  if (entry.shard < 0 || entry.shard >= shards_) return broken("lies in a file that the checkpoint does not have");
  if (entry.type == dtype::invalid) return {};
  const auto elements = static_cast<std::uint64_t>(entry.extents.size());
  if (entry.type == dtype::string ? entry.size < elements + 4 : entry.size != elements * size_of(entry.type))
    return broken(
        flowgraph::message{"has ", entry.size, " bytes, expected those of ", name_of(entry.type), entry.extents}.string());
  return {};
}

FLOWGRAPH_INLINE result<void> tensor_bundle::check_parts() const {
  for (const auto& [name, entry] : tensors_)
    for (const tensor_slice& part : entry.slices) {
      const auto stored = parts_.find(detail::slice_key(name, part));
      if (stored == parts_.end() || stored->second.type != entry.type ||
          stored->second.extents != part.within(entry.extents).extents)
        return error(error_code::data_loss,
                     message{"'", index_path(), "': tensor '", name, "': part ", part.text(), " is missing or differs"});
    }
  return {};
}

FLOWGRAPH_INLINE const bundle_entry* tensor_bundle::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

FLOWGRAPH_INLINE result<tensor_bundle::shard_file*> tensor_bundle::shard(std::int32_t number) {
  if (const auto known = files_.find(number); known != files_.end()) return &known->second;
  const std::string path = bundle_data_path(prefix_, number, shards_);
  auto reader = file_reader::open(path);
  if (!reader) return reader.error();
  std::error_code why;
  const std::uint64_t size = std::filesystem::file_size(path, why);
  if (why) return detail::file_error(path, "has no size", why.value());
  return &files_.emplace(number, shard_file{*std::move(reader), size}).first->second;
}

// Returns the file of an entry if the file contains the whole entry.
FLOWGRAPH_INLINE result<file_reader*> tensor_bundle::placed(std::string_view name, const bundle_entry& entry) {
  auto opened = shard(entry.shard);
  if (!opened) return opened.error();
  file_reader& file = (*opened)->reader;
  const std::uint64_t size = (*opened)->size;
  if (entry.offset > size || entry.size > size - entry.offset)
    return detail::broken_tensor(file.path(), name, entry, message{"the file ends at byte ", size}.string());
  return &file;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error tensor_bundle::unreadable(std::string_view name, const bundle_entry& entry) const {
  return error(error_code::unimplemented, message{"'", index_path(), "': tensor '", name, "': elements of TensorFlow's type ",
                                                  entry.unreadable_type, " are not read"});
}

FLOWGRAPH_INLINE result<any_tensor> tensor_bundle::read_entry(std::string_view name, const bundle_entry& entry,
                                                              std::pmr::memory_resource* from) {
  const auto found = placed(name, entry);
  if (!found) return found.error();
  file_reader& file = **found;
  if (const auto moved = file.seek(entry.offset); !moved) return moved.error();
  any_tensor value;
  if (error why = detail::make_tensor(file.path(), name, entry, from, value)) return why;
  error why =
      entry.type == dtype::string ? detail::read_strings(file, name, entry, value) : detail::read_plain(file, name, entry, value);
  if (why) return why;
  return value;
}

// Reads the parts of a tensor that cover the wanted part, and puts them into their places. Together they must cover it
// completely.
FLOWGRAPH_INLINE result<any_tensor> tensor_bundle::read_parts(std::string_view name, const bundle_entry& entry,
                                                              const tensor_slice& wanted, std::pmr::memory_resource* from) {
  const tensor_slice to = wanted.within(entry.extents);
  if (error why = check_cover(name, entry, to)) return why;
  // An index may claim more than there is: the files must have the parts before there is memory for the whole.
  const auto part_at = [&](const tensor_slice& part) -> const bundle_entry& {
    return parts_.find(detail::slice_key(name, part))->second;
  };
  for (const tensor_slice& part : entry.slices)
    if (const auto found = placed(name, part_at(part)); !found) return found.error();
  bundle_entry shown = entry;
  shown.extents = to.extents;
  any_tensor result;
  if (error why = detail::make_tensor(index_path(), name, shown, from, result)) return why;
  const auto take = [&](const bundle_entry& stored, const tensor_slice& part) -> error {
    const tensor_slice full = part.within(entry.extents);
    if (result.size() > 0 && detail::common_part_size(full, to) == 0) return {};
    auto value = read_entry(name, stored, from);
    if (!value) return value.error();
    detail::copy_common_part(*value, full, result, to);
    return {};
  };
  if (entry.slices.empty()) {
    if (error why = take(entry, tensor_slice::all(entry.extents.rank))) return why;
  }
  for (const tensor_slice& part : entry.slices)
    if (error why = take(part_at(part), part)) return why;
  return result;
}

FLOWGRAPH_INLINE error tensor_bundle::check_cover(std::string_view name, const bundle_entry& entry,
                                                  const tensor_slice& wanted) const {
  if (entry.slices.empty()) return {};
  const std::string fault = detail::cover_fault(entry.slices, entry.extents, wanted);
  if (fault.empty()) return {};
  return error(error_code::data_loss, message{"'", index_path(), "': tensor '", name, "': ", fault});
}

FLOWGRAPH_INLINE result<any_tensor> tensor_bundle::read(std::string_view name, std::pmr::memory_resource* from) {
  const bundle_entry* const entry = find(name);
  if (entry && entry->type == dtype::invalid) return unreadable(name, *entry);
  if (entry && entry->slices.empty()) return read_entry(name, *entry, from);
  return read(name, tensor_slice::all(entry ? entry->extents.rank : 0), from);
}

FLOWGRAPH_INLINE result<any_tensor> tensor_bundle::read(std::string_view name, const tensor_slice& part,
                                                        std::pmr::memory_resource* from) {
  const bundle_entry* const entry = find(name);
  if (!entry) return error(error_code::not_found, message{"'", index_path(), "': has no tensor '", name, "'"});
  if (entry->type == dtype::invalid) return unreadable(name, *entry);
  if (!detail::lies_in(part, entry->extents))
    return detail::invalid_argument(
        {"'", index_path(), "': tensor '", name, "' of shape ", entry->extents, " has no part ", part.text()});
  return read_parts(name, *entry, part, from);
}

FLOWGRAPH_INLINE result<tensor_bundle_writer> tensor_bundle_writer::create(std::string prefix, bool sync) {
  auto data = atomic_file::create(bundle_data_path(prefix, 0, 1), sync);
  if (!data) return data.error();
  return tensor_bundle_writer(std::move(prefix), *std::move(data), sync);
}

FLOWGRAPH_INLINE result<void> tensor_bundle_writer::add(std::string_view name, const any_tensor& value) {
  if (name.empty() || name.front() == '\0') return detail::invalid_argument({"'", prefix_, "': a tensor needs a name"});
  return write(std::string(name), name, value);
}

FLOWGRAPH_INLINE result<void> tensor_bundle_writer::add_slice(std::string_view name, const shape& whole, const tensor_slice& part,
                                                              const any_tensor& value) {
  const auto refuse = [&](const message& why) {
    return detail::invalid_argument({"'", prefix_, "': tensor '", name, "': ", why.string()});
  };
  if (!whole.is_known() || !detail::lies_in(part, whole)) return refuse({"shape ", whole, " has no part ", part.text()});
  if (part.within(whole).extents != value.shape())
    return refuse({"part ", part.text(), " of shape ", whole, " cannot have the shape ", value.shape()});
  bundle_entry& entry = entries_[std::string(name)];
  if (entry.type == dtype::invalid) {
    entry.type = value.type();
    entry.extents = whole;
  } else if (entry.type != value.type() || entry.extents != whole || entry.slices.empty()) {
    return refuse({"was added before as ", name_of(entry.type), entry.extents});
  }
  const std::string key = detail::slice_key(name, part);
  if (entries_.contains(key)) return refuse({"part ", part.text(), " was added before"});
  entry.slices.push_back(part);
  return write(key, name, value);
}

FLOWGRAPH_INLINE result<void> tensor_bundle_writer::write(const std::string& key, std::string_view name,
                                                          const any_tensor& value) {
  const auto refuse = [&](std::string_view why) {
    return detail::invalid_argument({"'", prefix_, "': tensor '", name, "' ", why});
  };
  if (!value.has_value() || is_counted(value.type())) return refuse("has no elements that a file could hold");
  if (value.is_far()) return refuse("lies in the memory of a device");
  if (entries_.contains(key)) return refuse("was added before");
  bundle_entry entry;
  entry.type = value.type();
  entry.extents = value.shape();
  entry.offset = data_.size();
  const auto put = [&](std::span<const std::byte> bytes, std::uint32_t& sum) -> result<void> {
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), detail::written_bytes));
      sum = crc32c(part, sum);
      if (auto done = data_.write(part); !done) return done.error();
      bytes = bytes.subspan(part.size());
    }
    return {};
  };
  std::uint32_t sum = 0;
  if (value.type() == dtype::string) {
    const std::span strings(static_cast<const std::string*>(value.data()), value.size());
    detail::string_layout layout;
    for (const std::string& s : strings) layout.add(s.size());
    layout.finish();
    if (auto done = data_.write(layout.lengths); !done) return done;
    sum = layout.sum;
    for (const std::string& s : strings)
      if (auto done = put(std::as_bytes(std::span(s)), sum); !done) return done;
  } else if (auto done = put({static_cast<const std::byte*>(value.data()), value.bytes()}, sum); !done) {
    return done;
  }
  entry.size = data_.size() - entry.offset;
  entry.checksum = mask_crc32c(sum);
  entries_.emplace(key, std::move(entry));
  return {};
}

FLOWGRAPH_INLINE result<void> tensor_bundle_writer::finish() {
  auto index = detail::prepared_index(prefix_, 1, entries_, sync_);
  if (!index) return index.error();
  if (auto done = data_.prepare(); !done) return done;
  if (auto done = detail::remove_index(prefix_, sync_); !done) return done;
  if (auto done = data_.commit(); !done) return done;
  return index->commit();
}

// Merges the contents of several checkpoints.
class bundle_merger {
public:
  bundle_merger(const std::string& destination, const merge_options& options) : destination_(destination), options_(options) {}

  result<void> merge(std::span<const std::string> prefixes) {
    for (const std::string& prefix : prefixes) {
      auto found = tensor_bundle::open(prefix);
      if (!found && options_.allow_missing && found.error().code() == error_code::not_found) continue;
      if (!found) return found.error();
      if (auto done = take(*found); !done) return done;
    }
    if (files_.empty()) return error(error_code::not_found, message{"'", destination_, "': there is no checkpoint to merge"});
    const auto shards = static_cast<std::int32_t>(files_.size());
    // All that may be missing or full is found before the first file has another name.
    for (const std::string& file : files_)
      if (auto there = file_reader::open(file); !there) return there.error();
    auto index = detail::prepared_index(destination_, shards, all_, true);
    if (!index) return index.error();
    if (auto done = detail::remove_index(destination_, true); !done) return done;
    for (std::int32_t i = 0; i < shards; ++i)
      if (auto done = rename(files_[static_cast<std::size_t>(i)], bundle_data_path(destination_, i, shards)); !done) return done;
    if (auto done = index->commit(); !done) return done;
    remove(prefixes);
    return {};
  }

private:
  result<void> take(const tensor_bundle& from) {
    const auto first = static_cast<std::int32_t>(files_.size());
    for (std::int32_t i = 0; i < from.shards_; ++i) files_.push_back(bundle_data_path(from.prefix_, i, from.shards_));
    for (const auto* entries : {&from.tensors_, &from.parts_})
      for (auto [key, entry] : *entries) {
        if (entry.slices.empty()) entry.shard += first;
        if (all_.try_emplace(key, entry).second) continue;
        bundle_entry& known = all_.find(key)->second;
        const bool is_alike =
            known.type == entry.type && known.unreadable_type == entry.unreadable_type && known.extents == entry.extents;
        if (entry.slices.empty() || known.slices.empty() || !is_alike)
          return detail::invalid_argument({"'", from.prefix_, "': tensor '", key, "' is in another checkpoint as well"});
        known.slices.insert(known.slices.end(), entry.slices.begin(), entry.slices.end());
      }
    return {};
  }
  static result<void> rename(const std::string& from, const std::string& to) {
    std::error_code why;
    std::filesystem::rename(from, to, why);
    if (why) return detail::file_error(from, message{"cannot become '", to, "'"}.string(), why.value());
    return {};
  }
  void remove(std::span<const std::string> prefixes) const {
    std::error_code ignored;
    for (const std::string& prefix : prefixes)
      if (prefix != destination_) std::filesystem::remove(prefix + ".index", ignored);
    if (!options_.remove_folders) return;
    for (const std::string& prefix : prefixes)
      if (const auto folder = std::filesystem::path(prefix).parent_path(); !folder.empty())
        std::filesystem::remove(folder, ignored);  // does nothing if the folder is not empty
  }

  const std::string& destination_;
  const merge_options& options_;
  std::vector<std::string> files_;
  tensor_bundle::entries all_;
};

FLOWGRAPH_INLINE result<void> merge_tensor_bundles(std::span<const std::string> prefixes, const std::string& destination,
                                                   const merge_options& options) {
  return bundle_merger(destination, options).merge(prefixes);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
