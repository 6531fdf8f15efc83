#include "frame_tags.hpp"

#include "bytes.hpp"

#include <flowgraph/formats/sip_hash.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

namespace {

using flowgraph::detail::sip_hasher;

void add_elements(sip_hasher& to, const any_tensor& t) {
  if (t.type() == dtype::string) {
    for (const std::string& s : t.as<std::string>()) {
      to.add(s.size());
      to.add_padded(s);
    }
  } else if (t.has_value() && !is_counted(t.type()) && !t.is_far()) {  // the others cannot travel
    to.add_padded({static_cast<const char*>(t.data()), t.bytes()});
  }
}

}  // namespace

std::uint64_t frame_signer::tag_of_next(const frame& f, std::string_view body) noexcept {
  sip_hasher h(key0_, key1_);
  h.add(next_++);
  h.add(static_cast<std::uint64_t>(f.is) | std::uint64_t{f.is_dead} << 8 | std::uint64_t{f.edge} << 32);
  h.add(f.number);
  h.add(f.loop);
  h.add(f.iteration);
  h.add(std::uint64_t{body.size()} << 20 | f.tensors.size());  // frame_limits has fewer of both
  for (const any_tensor& t : f.tensors) {
    h.add(static_cast<std::uint64_t>(t.type()) | static_cast<std::uint64_t>(t.shape().rank) << 8);
    for (const std::int64_t extent : t.shape()) h.add(static_cast<std::uint64_t>(extent));
  }
  h.add_padded(body);
  if (signs_elements_)
    for (const any_tensor& t : f.tensors) add_elements(h, t);
  return h.finish();
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

}
}
}  // namespace flowgraph::distributed
