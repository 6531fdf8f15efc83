#include "frame_tags.hpp"

#include <distributed/bytes.hpp>
#include <flowgraph/formats/sip_hash.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

using tag_hasher = flowgraph::detail::sip_hasher<1, 3>;

void add_elements(tag_hasher& to, const any_tensor& t) {
  if (t.type() == dtype::string) {
    for (const std::string& s : t.as<std::string>()) {
      to.add(s.size());
      to.add_padded(s);
    }
  } else if (t.has_value() && !is_counted(t.type()) && !t.is_far()) {  // other tensors cannot travel
    to.add_padded({static_cast<const char*>(t.data()), t.bytes()});
  }
}

}  // namespace

// Fields that are usually zero or empty take no word of the hash; the first word states which of them are present.
std::uint64_t frame_signer::tag_of_next(const frame& f, std::string_view body) noexcept {
  tag_hasher h(key0_, key1_);
  const bool is_in_loop = (f.loop | f.iteration) != 0, is_usual = f.tensors.size() == 1;
  h.add(static_cast<std::uint64_t>(f.kind) | std::uint64_t{f.is_dead} << 8 | std::uint64_t{is_in_loop} << 9 |
        std::uint64_t{!body.empty()} << 10 | std::uint64_t{is_usual} << 11 | std::uint64_t{f.edge} << 32);
  h.add(f.number);
  if (is_in_loop) {
    h.add(f.loop);
    h.add(f.iteration);
  }
  if (!is_usual) h.add(f.tensors.size());
  for (const any_tensor& t : f.tensors) {
    const shape& s = t.shape();
    const std::uint64_t first = s.rank > 0 ? static_cast<std::uint64_t>(s[0]) : 0;
    const bool is_wide = first >> 48 != 0;
    h.add(static_cast<std::uint64_t>(t.type()) | static_cast<std::uint64_t>(s.rank) << 8 | std::uint64_t{is_wide} << 15 |
          (is_wide ? 0 : first << 16));
    for (int axis = is_wide ? 0 : 1; axis < s.rank; ++axis) h.add(static_cast<std::uint64_t>(s[axis]));
  }
  if (!body.empty()) {
    h.add(body.size());
    h.add_padded(body);
  }
  if (signs_elements_)
    for (const any_tensor& t : f.tensors) add_elements(h, t);
  return h.finish_with(next_++);
}

void frame_signer::sign(frame& f) {
  std::byte tag[tag_bytes];
  put_number(tag, tag_of_next(f, f.body));
  f.body.append(reinterpret_cast<const char*>(tag), sizeof tag);
}

bool frame_signer::check(frame& f) {
  if (f.body.size() < tag_bytes) return false;
  const std::size_t bytes = f.body.size() - tag_bytes;
  const auto found = get_number<std::uint64_t>(reinterpret_cast<const std::byte*>(f.body.data() + bytes));
  if (tag_of_next(f, std::string_view(f.body).substr(0, bytes)) != found) return false;
  f.body.resize(bytes);
  return true;
}

}  // namespace flowgraph::distributed
