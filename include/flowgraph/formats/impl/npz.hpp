#pragma once
// Archives of arrays: ZIP files whose members are not compressed.

#include <flowgraph/formats/impl/crc32.hpp>
#include <flowgraph/formats/impl/npy.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

inline constexpr std::uint32_t zip_local = 0x04034b50, zip_member = 0x02014b50, zip_end = 0x06054b50;
inline constexpr std::size_t zip_local_bytes = 30, zip_member_bytes = 46, zip_end_bytes = 22;

// Reads the list of members at the end of an archive, and each of them.
class npz_reader {
public:
  npz_reader(std::span<const std::byte> file, const std::string& name) : file_(file), name_(name) {}

  result<named_tensors> read() {
    const std::size_t end = find_end();
    if (end == file_.size()) return refuse(file_.size(), "expected the end of an archive: is the file cut?");
    const std::size_t count = number<std::uint16_t>(end + 10), size = number<std::uint32_t>(end + 12);
    std::size_t at = number<std::uint32_t>(end + 16);
    if (count == 0xffff || at == 0xffffffff)
      return refuse(end, "archives of 4 GiB or 65535 members are not read", error_code::unimplemented);
    if (at > end || size != end - at) return refuse(end, "the list of members lies elsewhere");
    named_tensors made;
    for (std::size_t i = 0; i < count; ++i) {
      if (end - at < zip_member_bytes || number<std::uint32_t>(at) != zip_member) return refuse(at, "expected a member");
      const std::size_t name = number<std::uint16_t>(at + 28);
      const std::size_t all = zip_member_bytes + name + number<std::uint16_t>(at + 30) + number<std::uint16_t>(at + 32);
      if (all > end - at) return refuse(at, "a member is cut");
      if (auto done = read_member(at, std::string(text(at + zip_member_bytes, name)), end, made); !done) return done.error();
      at += all;
    }
    if (at != end) return refuse(at, "expected the end of the list of members");
    return made;
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
    return error(code, message{"'", name_, "': at byte ", at, ": ", why});
  }

  // The record at the end, behind which a comment may stand; the file's size: there is none.
  std::size_t find_end() const {
    for (std::size_t behind = zip_end_bytes; behind <= std::min<std::size_t>(file_.size(), zip_end_bytes + 0xffff); ++behind) {
      const std::size_t at = file_.size() - behind;
      if (number<std::uint32_t>(at) == zip_end && number<std::uint16_t>(at + 20) == behind - zip_end_bytes) return at;
    }
    return file_.size();
  }

  result<void> read_member(std::size_t at, std::string name, std::size_t end, named_tensors& made) {
    const auto fail = [&](std::string_view why, error_code code = error_code::data_loss) {
      return refuse(at, message{"member '", name, "': ", why}.string(), code);
    };
    const unsigned flags = number<std::uint16_t>(at + 8), method = number<std::uint16_t>(at + 10);
    const std::size_t size = number<std::uint32_t>(at + 24), start = number<std::uint32_t>(at + 42);
    if (flags & 1) return fail("is encrypted", error_code::unimplemented);
    if (method == 8) return fail("is deflated, as by numpy.savez_compressed, which is not read", error_code::unimplemented);
    if (method != 0)
      return fail(message{"is compressed by method ", method, ", which is not read"}.string(), error_code::unimplemented);
    if (size == 0xffffffff || start == 0xffffffff) return fail("members of 4 GiB are not read", error_code::unimplemented);
    if (size != number<std::uint32_t>(at + 20)) return fail("has two sizes");
    if (start > end || end - start < zip_local_bytes || number<std::uint32_t>(start) != zip_local)
      return fail("expected its header at its place");
    const std::size_t first = start + zip_local_bytes + number<std::uint16_t>(start + 26) + number<std::uint16_t>(start + 28);
    if (first > end || size > end - first) return fail("lies beyond the file");
    read_ += size;
    if (read_ > file_.size()) return fail("overlaps other members");
    const auto bytes = file_.subspan(first, size);
    if (crc32(bytes) != number<std::uint32_t>(at + 16)) return fail("the checksum is wrong");
    if (!name.ends_with(".npy")) return {};
    auto value = parse_npy(bytes, name_ + "/" + name);
    if (!value) return value.error();
    name.resize(name.size() - 4);
    if (!made.emplace(name, *std::move(value)).second) return fail("is there twice");
    return {};
  }

  std::span<const std::byte> file_;
  const std::string& name_;
  std::size_t read_ = 0;
};

template <class T> void append_little(std::string& to, std::size_t value) {
  const T stored = static_cast<T>(value);
  to.append(reinterpret_cast<const char*>(&stored), sizeof stored);
}

// What the header of a member and the list of members say alike: version, method, time (1980), checksum, sizes, length of the name.
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

FLOWGRAPH_INLINE result<named_tensors> load_npz(const std::string& path) {
  const auto file = mapped_file::open(path);
  if (!file) return file.error();
  return parse_npz(file->bytes(), path);
}

FLOWGRAPH_INLINE result<named_tensors> parse_npz(std::span<const std::byte> file, const std::string& name) {
  return detail::npz_reader(file, name).read();
}

FLOWGRAPH_INLINE result<void> save_npz(const std::string& path, std::span<const std::pair<std::string, any_tensor>> values,
                                       bool sync) {
  const auto refuse = [&](std::string_view name, std::string_view why) {
    return error(error_code::invalid_argument, message{"'", path, "': tensor '", name, "': ", why});
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

}
}  // namespace flowgraph
