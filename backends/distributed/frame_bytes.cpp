#include "frame_bytes.hpp"

#include "bytes.hpp"

#include <flowgraph/core/message.hpp>
#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/formats/crc32c.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

constexpr std::uint32_t magic = 0x31464746;  // "FGF1"
constexpr std::uint8_t flag_dead = 1, flag_checksum = 2;
constexpr std::size_t tensor_head_bytes = 16;
// Smaller payloads are copied behind the heads of their tensors: one more piece for the system call costs more than the copy.
constexpr std::size_t copied_bytes = 8192;
// The most memory that is reserved for a body before its bytes have arrived.
constexpr std::size_t trusted_bytes = 1 << 16;

std::uint32_t checksum(const void* data, std::size_t bytes, std::uint32_t before) noexcept {
  return crc32c({static_cast<const std::byte*>(data), bytes}, before);
}

std::size_t payload_bytes(const any_tensor& t) {
  if (t.type() != dtype::string) return t.bytes();
  std::size_t bytes = 8 * t.size();
  for (const std::string& s : t.as<std::string>()) bytes += s.size();
  return bytes;
}

// Returns the number of bytes of the tensor's description among the heads of the tensors.
std::size_t described_bytes(const any_tensor& t) {
  return tensor_head_bytes + 8 * static_cast<std::size_t>(std::max(t.shape().rank, 0));
}

FLOWGRAPH_COLD error broken(const message& text) { return {error_code::data_loss, text}; }
FLOWGRAPH_COLD error too_large(const message& text) { return {error_code::resource_exhausted, text}; }

error cannot_travel(const any_tensor& t) {
  if (is_counted(t.type()))
    return {error_code::unimplemented, message{"a tensor of ", name_of(t.type()), " cannot be sent to another process"}};
  if (t.is_far()) return {error_code::internal, "a tensor in a device's memory cannot be sent as it is"};
  return {};
}

// Returns the checksum of the description of a tensor that ends at `end`. The field of the checksum itself counts as 0.
std::uint32_t checksum_of_head(const std::byte* end, int rank) noexcept {
  std::byte copy[tensor_head_bytes + 8 * shape::max_rank];
  const std::size_t bytes = tensor_head_bytes + 8 * static_cast<std::size_t>(rank);
  std::memcpy(copy, end - bytes, bytes);
  put_number(copy + 4, std::uint32_t{0});
  return checksum(copy, bytes, 0);
}

bool is_known(dtype type) { return size_of(type) != 0 && !is_counted(type); }

}  // namespace

void outgoing_bytes::refer(any_tensor owner, const void* data, std::size_t bytes) {
  large_.push_back({small_.size(), static_cast<const std::byte*>(data), bytes});
  held_.push_back(std::move(owner));
  total_ += bytes;
}

std::size_t outgoing_bytes::gather(std::span<std::span<const std::byte>> pieces, std::size_t most) const {
  std::size_t count = 0, small = small_at_, large = large_at_, in_large = in_large_;
  const auto* base = reinterpret_cast<const std::byte*>(small_.data());
  while (count < pieces.size() && most != 0) {
    const std::size_t until = large < large_.size() ? large_[large].at : small_.size();
    std::span<const std::byte> piece;
    if (small < until) {
      piece = {base + small, std::min(until - small, most)};
      small += piece.size();
    } else if (large < large_.size()) {
      piece = {large_[large].data + in_large, std::min(large_[large].bytes - in_large, most)};
      in_large += piece.size();
      if (in_large == large_[large].bytes) ++large, in_large = 0;
    } else {
      break;
    }
    most -= piece.size();
    pieces[count++] = piece;
  }
  return count;
}

void outgoing_bytes::written(std::size_t bytes) {
  written_ += bytes;
  if (written_ == total_) {
    small_.clear();
    large_.clear();
    held_.clear();
    total_ = written_ = small_at_ = large_at_ = in_large_ = 0;
    return;
  }
  while (bytes != 0) {
    const std::size_t until = large_at_ < large_.size() ? large_[large_at_].at : small_.size();
    if (small_at_ < until) {
      const std::size_t some = std::min(until - small_at_, bytes);
      small_at_ += some;
      bytes -= some;
    } else {
      const std::size_t some = std::min(large_[large_at_].bytes - in_large_, bytes);
      in_large_ += some;
      bytes -= some;
      if (in_large_ == large_[large_at_].bytes) {
        held_[large_at_].reset();
        ++large_at_, in_large_ = 0;
      }
    }
  }
}

// Calls g(tensor, data, bytes) with the payload of each tensor of `f` that has one. The payloads of strings are in `strings_`.
void frame_writer::each_payload(const frame& f, function_ref<void(const any_tensor&, const char*, std::size_t)> g) const {
  std::size_t in_strings = 0;
  for (const any_tensor& t : f.tensors) {
    if (t.type() == dtype::string) {
      const std::size_t bytes = payload_bytes(t);
      g(t, strings_.data() + in_strings, bytes);
      in_strings += bytes;
    } else if (t.bytes() != 0) {
      g(t, static_cast<const char*>(t.data()), t.bytes());
    }
  }
}

error frame_writer::append(const frame& f, outgoing_bytes& to) {
  std::size_t described = 0;
  for (const any_tensor& t : f.tensors) {
    if (error why = cannot_travel(t)) return why;
    described += described_bytes(t);
  }
  if (f.body.size() > 0xffffffffu || described > 0xffffffffu)
    return too_large({"a frame with a body of ", f.body.size(), " bytes cannot be sent"});
  std::byte* const head = to.extend(head_bytes + described + f.body.size());
  std::byte* at = head + head_bytes;
  strings_.clear();
  for (const any_tensor& t : f.tensors) {
    const std::size_t bytes = described_bytes(t);
    put_number(at, t.type());
    put_number(at + 1, static_cast<std::uint8_t>(t.shape().rank));
    put_number(at + 8, static_cast<std::uint64_t>(payload_bytes(t)));
    std::byte* extents = at + tensor_head_bytes;
    for (const std::int64_t extent : t.shape()) put_number(std::exchange(extents, extents + 8), extent);
    if (with_checksums_) put_number(at + 4, checksum(at, bytes, 0));
    at += bytes;
    if (t.type() != dtype::string) continue;
    byte_writer strings(strings_);
    for (const std::string& s : t.as<std::string>()) strings.number(static_cast<std::uint64_t>(s.size()));
    for (const std::string& s : t.as<std::string>()) strings.raw(s);
  }
  if (!f.body.empty()) std::memcpy(at, f.body.data(), f.body.size());

  put_number(head, magic);
  put_number(head + 4, frame_version);
  put_number(head + 5, f.kind);
  put_number(head + 6, static_cast<std::uint8_t>((f.is_dead ? flag_dead : 0) | (with_checksums_ ? flag_checksum : 0)));
  put_number(head + 8, f.edge);
  put_number(head + 12, static_cast<std::uint32_t>(f.tensors.size()));
  put_number(head + 16, f.number);
  put_number(head + 24, f.loop);
  put_number(head + 32, f.iteration);
  put_number(head + 40, next_++);
  put_number(head + 48, static_cast<std::uint32_t>(f.body.size()));
  put_number(head + 52, static_cast<std::uint32_t>(described));
  if (with_checksums_) {
    std::uint32_t sum = checksum(head + head_bytes, described + f.body.size(), 0);
    each_payload(f, [&](const any_tensor&, const char* data, std::size_t bytes) { sum = checksum(data, bytes, sum); });
    put_number(head + 56, sum);
    put_number(head + 60, checksum(head, 60, 0));
  }

  each_payload(f, [&](const any_tensor& t, const char* data, std::size_t bytes) {
    if (bytes <= copied_bytes || t.type() == dtype::string) to.append(data, bytes);
    else to.refer(t, data, bytes);
  });
  return {};
}

void frame_parser::count(const void* data, std::size_t bytes) noexcept {
  if (has_checksum_) sum_ = checksum(data, bytes, sum_);
}

// Returns `wanted` contiguous bytes, some of which may have arrived in earlier calls. If not all of them have arrived, keeps the
// available bytes and returns null.
const std::byte* frame_parser::whole(std::span<const std::byte>& bytes, std::size_t wanted) {
  static constexpr std::byte nothing{};
  if (wanted == 0) return &nothing;
  if (kept_.empty() && bytes.size() >= wanted) {
    const std::byte* at = bytes.data();
    bytes = bytes.subspan(wanted);
    return at;
  }
  const std::size_t some = std::min(wanted - kept_.size(), bytes.size());
  kept_.append(reinterpret_cast<const char*>(bytes.data()), some);
  bytes = bytes.subspan(some);
  return kept_.size() == wanted ? reinterpret_cast<const std::byte*>(kept_.data()) : nullptr;
}

bool frame_parser::read_head(const std::byte* head) {
  if (const auto found = get_number<std::uint32_t>(head); found != magic) {
    std::string shown;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto c = static_cast<char>(head[i]);
      shown += c > ' ' && c < 127 ? c : '.';
    }
    return refuse(broken({"the bytes that came begin with '", shown, "', as a frame does not"}));
  }
  if (const auto version = get_number<std::uint8_t>(head + 4); version != frame_version)
    return refuse(
        {error_code::failed_precondition, message{"the other end speaks version ", static_cast<int>(version),
                                                  " of the protocol, this one version ", static_cast<int>(frame_version)}});
  const auto kind = get_number<std::uint8_t>(head + 5), flags = get_number<std::uint8_t>(head + 6);
  if (kind < static_cast<std::uint8_t>(frame_kind::hello) || kind > static_cast<std::uint8_t>(frame_kind::news) ||
      (flags & ~(flag_dead | flag_checksum)) != 0 || head[7] != std::byte{0})
    return refuse(broken({"a frame came of the unknown kind ", static_cast<int>(kind), " and flags ", static_cast<int>(flags)}));
  has_checksum_ = (flags & flag_checksum) != 0;
  if (needs_checksums_ != has_checksum_) {
    // Both ends use checksums, or no checksums, from their first frame on. So only in the first frame does a difference mean
    // different options; in a later frame it means damage.
    const auto code = next_ == 0 ? error_code::failed_precondition : error_code::data_loss;
    return refuse(
        {code, message{"a frame came ", has_checksum_ ? "with" : "without", " a checksum, and this end sends frames ",
                       needs_checksums_ ? "with" : "without", ": transport_options::checksums has to be the same at both ends"}});
  }
  expected_sum_ = get_number<std::uint32_t>(head + 56);
  if (has_checksum_ && checksum(head, 60, 0) != get_number<std::uint32_t>(head + 60))
    return refuse(broken({"the head of a frame has been changed on its way: its checksum is wrong"}));
  if (const auto sequence = get_number<std::uint64_t>(head + 40); sequence != next_)
    return refuse(broken({"frame ", sequence, " of a link came, where ", next_, " is due"}));

  head_ = {static_cast<frame_kind>(kind),
           get_number<std::uint32_t>(head + 8),
           get_number<std::uint64_t>(head + 16),
           get_number<std::uint64_t>(head + 24),
           get_number<std::uint64_t>(head + 32),
           get_number<std::uint32_t>(head + 48),
           0};
  tensors_ = get_number<std::uint32_t>(head + 12);
  heads_bytes_ = get_number<std::uint32_t>(head + 52);
  if (head_.body_bytes > limits_.body_bytes)
    return refuse(
        too_large({"a frame came with a body of ", head_.body_bytes, " bytes, and ", limits_.body_bytes, " are allowed"}));
  if (tensors_ > limits_.tensors)
    return refuse(too_large({"a frame came with ", tensors_, " tensors, and ", limits_.tensors, " are allowed"}));
  if (heads_bytes_ < tensors_ * tensor_head_bytes || heads_bytes_ > tensors_ * (tensor_head_bytes + 8 * shape::max_rank))
    return refuse(broken({"a frame came whose ", tensors_, " tensors are said to be described in ", heads_bytes_, " bytes"}));

  frame_.kind = head_.kind;
  frame_.is_dead = (flags & flag_dead) != 0;
  frame_.edge = head_.edge;
  frame_.number = head_.number;
  frame_.loop = head_.loop;
  frame_.iteration = head_.iteration;
  sum_ = 0;
  return true;
}

bool frame_parser::read_tensors(const std::byte* described, link_user& to) {
  count(described, heads_bytes_);
  byte_reader in({described, heads_bytes_});
  heads_.resize(tensors_);
  sizes_.resize(tensors_);
  const int most_rank = std::min(limits_.rank, shape::max_rank);
  for (std::size_t i = 0; i < tensors_; ++i) {
    tensor_head& t = heads_[i];
    t.shape.rank = 0;
    t.type = in.number<dtype>();
    const int rank = in.number<std::uint8_t>();
    const auto unused = in.number<std::uint16_t>();
    const auto sum = in.number<std::uint32_t>();
    const auto bytes = in.number<std::uint64_t>();
    if (!in.ok() || rank > most_rank || unused != 0)
      return refuse(broken({"a frame came with a tensor of rank ", rank, " whose description is wrong"}));
    for (int axis = 0; axis < rank; ++axis) t.shape.push_back(in.number<std::int64_t>());
    if (in.ok() && sum != (has_checksum_ ? checksum_of_head(described + (heads_bytes_ - in.left()), rank) : 0))
      return refuse(broken({"the description of a tensor has been changed on its way: its checksum is wrong"}));
    const bool is_empty = t.type == dtype::invalid && rank == 0 && bytes == 0;  // a tensor without a value
    if (!in.ok() || !(is_empty || is_known(t.type)) || !t.shape.is_known() || flowgraph::detail::is_too_large(t.shape))
      return refuse(broken({"a frame came with a tensor of type ", static_cast<int>(t.type), " and shape ", t.shape}));
    const auto elements = static_cast<std::uint64_t>(t.shape.size());
    const bool fits = t.type == dtype::string ? bytes / 8 >= elements : bytes == elements * size_of(t.type);
    if (!fits)
      return refuse(broken({"a frame came with ", bytes, " bytes for a tensor of ", name_of(t.type), " and shape ", t.shape}));
    if (bytes > limits_.tensor_bytes - head_.tensor_bytes)
      return refuse(too_large({"a frame came with a tensor of ", name_of(t.type), " and shape ", t.shape, ", and ",
                               limits_.tensor_bytes, " bytes are allowed"}));
    head_.tensor_bytes += static_cast<std::size_t>(bytes);
    sizes_[i] = static_cast<std::size_t>(bytes);
  }
  if (!in.is_done()) return refuse(broken({"a frame came with tensors whose description is too long"}));
  if (error why = to.check(head_, heads_)) return refuse(std::move(why));
  return true;
}

bool frame_parser::begin_payloads() {
  stage_ = stage::payload;
  tensor_ = 0;
  if (tensors_ == 0) return true;
  any_tensor none;  // resize() would first fill each element with zeros
  frame_.tensors.assign(tensors_, none);
  return begin_payload();
}

bool frame_parser::begin_payload() {
  const tensor_head& t = heads_[tensor_];
  done_ = 0;
  if (t.type == dtype::string || t.type == dtype::invalid) return true;
  if (!frame_.tensors[tensor_].emplace(t.type, t.shape, memory_))
    return refuse(
        too_large({"no memory for a tensor of ", name_of(t.type), " and shape ", t.shape, " that comes from another process"}));
  return true;
}

bool frame_parser::end_payload() {
  const tensor_head& t = heads_[tensor_];
  any_tensor& value = frame_.tensors[tensor_];
  if (t.type == dtype::boolean) {
    const auto* bytes = static_cast<const std::uint8_t*>(static_cast<const void*>(value.data()));
    if (std::any_of(bytes, bytes + value.size(), [](std::uint8_t b) { return b > 1; }))
      return refuse(broken({"a tensor of bool came with elements that are neither true nor false"}));
  } else if (t.type == dtype::string) {
    byte_reader in{std::string_view(kept_)};
    const auto elements = static_cast<std::size_t>(t.shape.size());
    byte_reader characters(std::string_view(kept_).substr(8 * elements));
    if (!value.emplace(t.type, t.shape, memory_)) return refuse(too_large({"no memory for ", elements, " strings"}));
    for (std::string& s : value.as_writable<std::string>()) {
      const auto length = in.number<std::uint64_t>();
      s = characters.raw(static_cast<std::size_t>(length));
    }
    if (!characters.is_done()) return refuse(broken({"a tensor of string came whose lengths do not add up to its bytes"}));
    kept_.clear();
    if (kept_.capacity() > trusted_bytes) kept_.shrink_to_fit();
  }
  return true;
}

bool frame_parser::complete(link_user& to) {
  if (has_checksum_ && sum_ != expected_sum_)
    return refuse(broken({"a frame has been changed on its way: its checksum is wrong"}));
  ++next_;
  stage_ = stage::head;
  tensors_ = 0;
  to.receive(std::move(frame_));
  frame_.body.clear();  // it is in an unspecified state after the move
  frame_.tensors.clear();
  return true;
}

error frame_parser::take(std::span<const std::byte> bytes, link_user& to) {
  while (step(bytes, to)) {}
  return wrong_;
}

// Processes the next section of a frame. Returns false if all bytes have been taken, or if there is an error.
bool frame_parser::step(std::span<const std::byte>& bytes, link_user& to) {
  if (stage_ == stage::payload && tensor_ == tensors_) return complete(to);
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    return read_section(bytes, to);
  } catch (const std::bad_alloc&) {
    // Frees memory, which the error needs.
    { const auto dropped = std::tuple(std::move(frame_), std::move(kept_), std::move(heads_), std::move(sizes_)); }
    tensors_ = 0;
    return refuse(too_large({"no memory for a frame with a body of ", head_.body_bytes, " bytes and tensors of ",
                             head_.tensor_bytes, " bytes that comes from another process"}));
  }
#else
  return read_section(bytes, to);
#endif
}

bool frame_parser::read_section(std::span<const std::byte>& bytes, link_user& to) {
  switch (stage_) {
    case stage::head: {
      if (bytes.empty()) return false;
      const std::byte* head = whole(bytes, head_bytes);
      if (head == nullptr || !read_head(head)) return false;
      kept_.clear();
      stage_ = stage::tensors;
      return true;
    }
    case stage::tensors: {
      const std::byte* described = whole(bytes, heads_bytes_);
      if (described == nullptr || !read_tensors(described, to)) return false;
      kept_.clear();
      if (head_.body_bytes == 0) return begin_payloads();
      frame_.body.reserve(std::min(head_.body_bytes, trusted_bytes));
      stage_ = stage::body;
      return true;
    }
    case stage::body: {
      const std::size_t some = std::min(head_.body_bytes - frame_.body.size(), bytes.size());
      frame_.body.append(reinterpret_cast<const char*>(bytes.data()), some);
      count(bytes.data(), some);
      bytes = bytes.subspan(some);
      return frame_.body.size() == head_.body_bytes && begin_payloads();
    }
    case stage::payload: {
      const std::size_t some = std::min(sizes_[tensor_] - done_, bytes.size());
      if (heads_[tensor_].type == dtype::string) kept_.append(reinterpret_cast<const char*>(bytes.data()), some);
      else if (some != 0) std::memcpy(static_cast<std::byte*>(frame_.tensors[tensor_].data()) + done_, bytes.data(), some);
      count(bytes.data(), some);
      done_ += some;
      bytes = bytes.subspan(some);
      if (done_ < sizes_[tensor_] || !end_payload()) return false;
      return ++tensor_ == tensors_ || begin_payload();
    }
  }
  return false;
}

bool frame_parser::refuse(error why) {
  wrong_ = std::move(why);
  return false;
}

std::span<std::byte> frame_parser::room() noexcept {
  if (stage_ != stage::payload || tensor_ >= tensors_ || heads_[tensor_].type == dtype::string) return {};
  return {static_cast<std::byte*>(frame_.tensors[tensor_].data()) + done_, sizes_[tensor_] - done_};
}

error frame_parser::filled(std::size_t bytes, link_user& to) {
  if (bytes == 0) return {};
  count(static_cast<std::byte*>(frame_.tensors[tensor_].data()) + done_, bytes);
  done_ += bytes;
  return done_ < sizes_[tensor_] ? error() : take({}, to);
}

std::size_t bytes_of(const frame& f) {
  std::size_t bytes = head_bytes + f.body.size();
  for (const any_tensor& t : f.tensors) bytes += described_bytes(t) + payload_bytes(t);
  return bytes;
}

}  // namespace flowgraph::distributed
