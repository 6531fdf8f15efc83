#pragma once
// Archives of arrays: ZIP files whose members are not compressed.

#include <flowgraph/formats/impl/crc32.hpp>
#include <flowgraph/formats/impl/npy.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline constexpr std::uint32_t zip_local = 0x04034b50, zip_member = 0x02014b50, zip_end = 0x06054b50;
inline constexpr std::size_t zip_local_bytes = 30, zip_member_bytes = 46, zip_end_bytes = 22;

template <class T> void append_little(std::string& to, std::size_t value) {
  const T stored = static_cast<T>(value);
  to.append(reinterpret_cast<const char*>(&stored), sizeof stored);
}

// Returns the fields that are the same in the header of a member and in the list of members: version, method, time (1980),
// checksum, sizes, length of the name.
inline std::string zip_fields(std::size_t sum, std::size_t size, std::size_t name) {
  std::string all;
  append_little<std::uint16_t>(all, 20);
  append_little<std::uint16_t>(all, 0x800);  // the name is UTF-8
  append_little<std::uint16_t>(all, 0);
  append_little<std::uint16_t>(all, 0);
  append_little<std::uint16_t>(all, 0x21);
  append_little<std::uint32_t>(all, sum);
  append_little<std::uint32_t>(all, size);
  append_little<std::uint32_t>(all, size);
  append_little<std::uint16_t>(all, name);
  return all;
}

}  // namespace detail

// Reads the list of members at the end of an archive, and the header of each array.
class npz_list {
public:
  explicit npz_list(npz& to) : to_(to), file_(to.bytes_) {}

  result<void> read() {
    const std::size_t end = find_end();
    if (end == file_.size()) return refuse(file_.size(), "expected the end of an archive: is the file cut?");
    const std::size_t count = number<std::uint16_t>(end + 10), size = number<std::uint32_t>(end + 12);
    std::size_t at = number<std::uint32_t>(end + 16);
    if (count == 0xffff || at == 0xffffffff)
      return refuse(end, "archives of 4 GiB or 65535 members are not read", error_code::unimplemented);
    if (at > end || size != end - at) return refuse(end, "the list of members lies elsewhere");
    for (std::size_t i = 0; i < count; ++i) {
      if (end - at < detail::zip_member_bytes || number<std::uint32_t>(at) != detail::zip_member)
        return refuse(at, "expected a member");
      const std::size_t name = number<std::uint16_t>(at + 28);
      const std::size_t all = detail::zip_member_bytes + name + number<std::uint16_t>(at + 30) + number<std::uint16_t>(at + 32);
      if (all > end - at) return refuse(at, "a member is cut");
      if (auto done = add(at, std::string(text(at + detail::zip_member_bytes, name)), end); !done) return done.error();
      at += all;
    }
    if (at != end) return refuse(at, "expected the end of the list of members");
    return {};
  }

private:
  template <class T> T number(std::size_t at) const {
    T value;
    std::memcpy(&value, file_.data() + at, sizeof value);
    return value;
  }
  std::string_view text(std::size_t at, std::size_t size) const {
    return {reinterpret_cast<const char*>(file_.data()) + at, size};
  }
  FLOWGRAPH_COLD error refuse(std::size_t at, std::string_view why, error_code code = error_code::data_loss) const {
    return error(code, message{"'", to_.path_, "': at byte ", at, ": ", why});
  }

  // Returns the position of the record at the end, which a comment may follow; if there is no record, the size of the file.
  std::size_t find_end() const {
    for (std::size_t behind = detail::zip_end_bytes;
         behind <= std::min<std::size_t>(file_.size(), detail::zip_end_bytes + 0xffff); ++behind) {
      const std::size_t at = file_.size() - behind;
      if (number<std::uint32_t>(at) == detail::zip_end && number<std::uint16_t>(at + 20) == behind - detail::zip_end_bytes)
        return at;
    }
    return file_.size();
  }

  // Adds a member. An error means that the whole archive is damaged.
  result<void> add(std::size_t at, std::string member, std::size_t end) {
    const auto fail = [&](std::string_view why, error_code code = error_code::data_loss) {
      return refuse(at, message{"member '", member, "': ", why}.string(), code);
    };
    const unsigned flags = number<std::uint16_t>(at + 8), method = number<std::uint16_t>(at + 10);
    const std::size_t stored = number<std::uint32_t>(at + 20), size = number<std::uint32_t>(at + 24),
                      start = number<std::uint32_t>(at + 42);
    const bool is_large = size == 0xffffffff || stored == 0xffffffff || start == 0xffffffff;
    if (!is_large && method == 0 && size != stored) return fail("has two sizes");
    if (!is_large && (start > end || end - start < detail::zip_local_bytes || number<std::uint32_t>(start) != detail::zip_local))
      return fail("expected its header at its place");
    npz::place place;
    if (!is_large) {
      const std::size_t first =
          start + detail::zip_local_bytes + number<std::uint16_t>(start + 26) + number<std::uint16_t>(start + 28);
      if (first > end || stored > end - first) return fail("lies beyond the file");
      place = {first, stored, number<std::uint32_t>(at + 16)};
      held_ += stored;
      if (held_ > file_.size()) return fail("overlaps other members");
    }
    if (!member.ends_with(".npy")) return {};
    npz::entry e{member.substr(0, member.size() - 4)};
    if (!to_.indices_.emplace(e.name, to_.arrays_.size()).second) return fail("is there twice");
    if (is_large) e.why = fail("members of 4 GiB are not read", error_code::unimplemented);
    else if (flags & 1) e.why = fail("is encrypted", error_code::unimplemented);
    else if (method == 8) e.why = fail("is deflated, as by numpy.savez_compressed, which is not read", error_code::unimplemented);
    else if (method != 0)
      e.why = fail(message{"is compressed by method ", method, ", which is not read"}.string(), error_code::unimplemented);
    else read_header(e, place, member);
    to_.arrays_.push_back(std::move(e));
    to_.places_.push_back(place);
    return {};
  }
  void read_header(npz::entry& e, const npz::place& place, const std::string& member) const {
    const std::string name = to_.path_ + "/" + member;
    const auto header = detail::npy_reader(file_.subspan(place.first, place.size), name).read();
    if (!header) {
      e.why = header.error();
      return;
    }
    e.type = header->kind->type;
    e.shape = header->shape;
  }

  npz& to_;
  std::span<const std::byte> file_;
  std::size_t held_ = 0;
};

FLOWGRAPH_INLINE result<npz> npz::over(std::span<const std::byte> bytes, std::string name, std::shared_ptr<const void> owner) {
  npz result;
  result.path_ = std::move(name);
  result.bytes_ = bytes;
  result.owner_ = std::move(owner);
  if (auto read = npz_list(result).read(); !read) return read.error();
  return result;
}

FLOWGRAPH_INLINE result<npz> npz::open(const std::string& path) {
  const auto file = mapped_file::open(path);
  if (!file) return file.error();
  return over(file->bytes(), path, std::make_shared<mapped_file>(*file));
}

FLOWGRAPH_INLINE const npz::entry* npz::find(std::string_view name) const {
  const auto found = indices_.find(name);
  return found == indices_.end() ? nullptr : &arrays_[found->second];
}

FLOWGRAPH_INLINE result<any_tensor> npz::read(std::string_view name) const {
  const entry* const e = find(name);
  if (!e) return error(error_code::not_found, message{"'", path_, "': has no array '", name, "'"});
  if (e->why) return e->why;
  const place& at = places_[static_cast<std::size_t>(e - arrays_.data())];
  const auto bytes = bytes_.subspan(at.first, at.size);
  if (detail::crc32(bytes) != at.checksum)
    return error(error_code::data_loss, message{"'", path_, "': member '", name, ".npy': the checksum is wrong"});
  return parse_npy(bytes, message{path_, "/", name, ".npy"}.string());
}

FLOWGRAPH_INLINE result<named_tensors> parse_npz(std::span<const std::byte> file, const std::string& name) {
  const auto from = npz::over(file, name);
  if (!from) return from.error();
  named_tensors result;
  for (const npz::entry& e : from->arrays()) {
    auto value = from->read(e.name);
    if (!value) return value.error();
    result.emplace(e.name, *std::move(value));
  }
  return result;
}

FLOWGRAPH_INLINE result<named_tensors> load_npz(const std::string& path) {
  const auto file = mapped_file::open(path);
  if (!file) return file.error();
  return parse_npz(file->bytes(), path);
}

FLOWGRAPH_INLINE result<void> save_npz(const std::string& path, std::span<const std::pair<std::string, any_tensor>> values,
                                       bool sync) {
  const auto refuse = [&](std::string_view name, std::string_view why) {
    return detail::invalid_argument({"'", path, "': tensor '", name, "': ", why});
  };
  auto file = atomic_file::create(path, sync);
  if (!file) return file.error();
  named_tensors seen;
  std::string list, header;
  for (const auto& [name, value] : values) {
    const auto begin = detail::npy_begin(path + "/" + name, value);
    if (!begin) return begin.error();
    if (!seen.emplace(name, any_tensor()).second) return refuse(name, "expected each name once");
    const std::string member = name + ".npy";
    const std::span<const std::byte> elements(static_cast<const std::byte*>(value.data()), value.bytes());
    const std::uint64_t start = file->size(), size = begin->size() + elements.size();
    if (start + size + list.size() > 0xf0000000u || member.size() > 0xffff || seen.size() > 0xfff0)
      return refuse(name, "an archive holds less than 4 GiB");
    const std::uint32_t sum = detail::crc32(elements, detail::crc32(std::as_bytes(std::span(*begin))));
    const std::string fields = detail::zip_fields(sum, static_cast<std::size_t>(size), member.size());
    header.clear();
    detail::append_little<std::uint32_t>(header, detail::zip_local);
    header += fields;
    detail::append_little<std::uint16_t>(header, 0);
    header += member;
    for (const std::string_view part : {std::string_view(header), std::string_view(*begin)})
      if (auto done = file->write(part); !done) return done;
    if (auto done = file->write(elements); !done) return done;
    detail::append_little<std::uint32_t>(list, detail::zip_member);
    detail::append_little<std::uint16_t>(list, 20);
    list += fields;
    for (int i = 0; i < 4; ++i) detail::append_little<std::uint16_t>(list, 0);  // extra, comment, disk, attributes
    detail::append_little<std::uint32_t>(list, 0);
    detail::append_little<std::uint32_t>(list, static_cast<std::size_t>(start));
    list += member;
  }
  header.clear();
  detail::append_little<std::uint32_t>(header, detail::zip_end);
  detail::append_little<std::uint32_t>(header, 0);
  detail::append_little<std::uint16_t>(header, values.size());
  detail::append_little<std::uint16_t>(header, values.size());
  detail::append_little<std::uint32_t>(header, list.size());
  detail::append_little<std::uint32_t>(header, static_cast<std::size_t>(file->size()));
  detail::append_little<std::uint16_t>(header, 0);
  for (const std::string& part : {list, header})
    if (auto done = file->write(part); !done) return done;
  return file->commit();
}

}  // namespace flowgraph
