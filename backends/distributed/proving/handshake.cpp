#include "handshake.hpp"

#include <distributed/bytes.hpp>
#include <flowgraph/core/message.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

constexpr std::uint8_t guard_version = 2;
constexpr std::uint32_t order_mark = 0x01020304;
constexpr std::size_t nonce_bytes = 32;
constexpr std::size_t most_tasks_bytes = most_hello_bytes - 64;

recycled_text fresh_number() {
  std::random_device random;
  recycled_text bytes;
  byte_writer to(bytes);
  while (bytes.size() < nonce_bytes) to.number(random());
  return bytes;
}

// Returns the digest of a list of tasks. Equal lists have equal digests; an empty list has an empty digest.
std::string digest_of(std::string_view tasks) {
  if (tasks.empty()) return {};
  sha256 h;
  h.add(tasks);
  return std::string(as_text(h.finish()));
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }
std::string_view after_line(std::string_view text) { return text.substr(std::min(first_line(text).size() + 1, text.size())); }

constexpr std::size_t most_shown = 100;

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }

std::string entry(std::string_view line) { return line.empty() ? "nothing" : message{"'", shown_line(line), "'"}.string(); }

// Returns whether the text is a valid name: short, and without control characters.
bool is_name(std::string_view text) { return text.size() <= 1024 && std::ranges::none_of(text, is_control); }

std::uint64_t word_of(const hash_bytes& h, std::size_t at) {
  return get_number<std::uint64_t>(reinterpret_cast<const std::byte*>(h.data()) + at);
}

}  // namespace

std::string shown(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(
      result, [](char c) { return is_control(c) && c != '\n'; }, '?');
  return result;
}

std::string shown_line(std::string_view text) {
  std::string result(text.substr(0, most_shown));
  std::ranges::replace_if(result, is_control, '?');
  return result;
}

handshake::handshake(const guard_options& o, role own, std::string at, std::string wanted, std::string binding,
                     bool signs_elements)
    : options_(o), role_(own), at_(std::move(at)), wanted_(std::move(wanted)), binding_(std::move(binding)),
      signs_elements_(signs_elements) {
  byte_writer to(own_hello_);
  to.number(guard_version);
  char mark[4];
  std::memcpy(mark, &order_mark, sizeof mark);
  to.raw({mark, 4});
  to.number(o.fingerprint);
  to.number(role_);
  to.number(static_cast<std::uint8_t>(signs_elements));
  to.number(o.self.incarnation);
  to.raw(fresh_number());
  to.text(o.self.name);
  to.text(wanted_);
  to.text(digest_of(o.tasks));
}

std::string handshake::named() const { return peer_.name.empty() ? at_ : message{peer_.name, " at ", at_}.string(); }

error handshake::hear(std::string_view hello) {
  if (has_heard()) return {error_code::data_loss, message{named(), " said hello twice"}};
  byte_reader in(hello);
  if (const auto version = in.number<std::uint8_t>(); version != guard_version)
    return {error_code::failed_precondition, message{at_, " speaks version ", static_cast<int>(version),
                                                     " of the handshake, this end version ", static_cast<int>(guard_version)}};
  const std::string_view mark = in.raw(4);
  if (in.ok() && std::memcmp(mark.data(), &order_mark, 4) != 0)
    return {error_code::failed_precondition, message{at_, " keeps the bytes of numbers in another order than this machine"}};
  const auto fingerprint = in.number<std::uint64_t>();
  const auto whose = in.number<role>();
  const auto signs = in.number<std::uint8_t>();
  greeting from;
  from.incarnation = in.number<std::uint64_t>();
  in.raw(nonce_bytes);
  from.name = in.text();
  std::string wants(in.text());
  const std::string_view digest = in.text();
  if (!in.is_done() || signs > 1 || !is_name(from.name) || !is_name(wants))
    return {error_code::data_loss, message{at_, " said a hello that makes no sense"}};
  if (whose != other(role_))
    return {error_code::failed_precondition, message{at_, " said the hello of an end that ",
                                                     role_ == role::accepts ? "accepts" : "connects", ", as this end does"}};
  peer_ = std::move(from);
  if (fingerprint != options_.fingerprint)
    return {error_code::failed_precondition, message{named(), " was built from other sources: its fingerprint is ", fingerprint,
                                                     ", that of this end ", options_.fingerprint}};
  peer_hello_ = hello;
  peer_wants_ = std::move(wants);
  peer_signs_elements_ = signs != 0;
  has_other_tasks_ = !digest.empty() && !options_.tasks.empty() && digest != digest_of(options_.tasks);
  return check();
}

// Returns an error if the ends do not want each other.
error handshake::check() const {
  if (peer_.incarnation == options_.self.incarnation)
    return {error_code::failed_precondition, message{"the connection with ", at_, " leads from this process to itself"}};
  if (!wanted_.empty() && peer_.name != wanted_)
    return {error_code::failed_precondition,
            message{"at ", at_, " is ", peer_.name, ", and by the list of this end ", wanted_, " should be there"}};
  if (role_ == role::accepts && !peer_wants_.empty() && peer_wants_ != options_.self.name)
    return {error_code::failed_precondition,
            message{named(), " wants ", peer_wants_, ", and by the list of this end ", options_.self.name, " is here"}};
  return {};
}

std::string_view handshake::own_tasks() const noexcept {
  const std::string_view all = options_.tasks;
  return all.size() <= most_tasks_bytes ? all : all.substr(0, all.rfind('\n', most_tasks_bytes));
}

error handshake::differs_from(std::string_view theirs) const {
  std::string_view ours = own_tasks();
  const auto both = [&](const message& what) {
    return error(error_code::failed_precondition,
                 message{named(), " has another list of tasks than ", options_.self.name, ": ", what.string()});
  };
  for (std::size_t number = 1; !ours.empty() || !theirs.empty(); ++number) {
    const std::string_view our = first_line(ours), their = first_line(theirs);
    if (our != their) return both({"entry ", number, " of that list is ", entry(their), ", of this end's list ", entry(our)});
    ours = after_line(ours), theirs = after_line(theirs);
  }
  return both({"the entries that fit in a message are equal"});
}

// The data of the connecting end is hashed first.
hash_bytes handshake::hash_of(std::string_view purpose, role whose) const {
  const bool is_first = role_ == role::connects;
  const recycled_text &connects = is_first ? own_hello_ : peer_hello_, &accepts = is_first ? peer_hello_ : own_hello_;
  recycled_text lengths[3];
  const std::pair<role, std::size_t> sides[] = {{role::connects, connects.size()}, {role::accepts, accepts.size()}};
  for (std::size_t i = 0; i < 2; ++i) {
    byte_writer to(lengths[i]);
    to.number(sides[i].first);
    to.number(static_cast<std::uint64_t>(sides[i].second));
  }
  byte_writer(lengths[2]).number(static_cast<std::uint64_t>(binding_.size()));
  const char mark = static_cast<char>(whose);
  return keyed_hash(options_.token, {purpose, {&mark, 1}, lengths[0], connects, lengths[1], accepts, lengths[2], binding_});
}

std::optional<frame_signer> handshake::signer_of(role whose) const {
  if (options_.token.empty()) return {};
  const hash_bytes key = hash_of("flowgraph frames 2", whose);
  return frame_signer(word_of(key, 0), word_of(key, 8), whose == role_ ? signs_elements_ : peer_signs_elements_);
}

}  // namespace flowgraph::distributed
