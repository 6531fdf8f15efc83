#pragma once
// The two messages before a link is open, and their results: whether the ends want each other, the proofs, and the keys of later frames.
//
//     hello   u8 version, 4 bytes that show the order of bytes, u64 fingerprint, u8 role, u8 whether its tags cover elements, u64 incarnation,
//             32 bytes that were never used before, text name, text wanted name, text digest of its list of tasks
//     proof   keyed hash of: the role of who proves, both hellos, each behind its side and its length, and the link's binding
//
// The end that connects checks that the other one is who it wants before it proves anything, and proves first; the end that accepts checks that
// it is who is wanted. So a proof is of use for the one peer that it was made for, over the one encrypted connection, if there is one.

#include "frame_tags.hpp"
#include "keyed_hash.hpp"

#include <distributed/guarded_transport.hpp>

#include <optional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

inline constexpr std::size_t most_hello_bytes = 4096;

enum class role : char { connects = 'c', accepts = 'a' };
constexpr role other(role r) noexcept { return r == role::connects ? role::accepts : role::connects; }

// One end's side of it.
class handshake {
public:
  // `o` outlives it. `at`: the other end's address, for errors. `wanted`: its name; empty: any.
  handshake(const guard_options& o, role own, std::string at, std::string wanted, std::string binding, bool signs_elements);

  const recycled_text& own_hello() const noexcept { return own_hello_; }
  // Takes the other end's. An error says why it is refused.
  error hear(std::string_view hello);
  bool has_heard() const noexcept { return !peer_hello_.empty(); }
  const greeting& peer() const noexcept { return peer_; }

  // Whether the other end has another list of tasks than this one. Each then sends its own: the text that fits in a frame of a handshake.
  bool has_other_tasks() const noexcept { return has_other_tasks_; }
  std::string_view own_tasks() const noexcept;
  // The first entry in which they differ.
  error differs_from(std::string_view tasks) const;

  hash_bytes proof_of(role whose) const { return hash_of("flowgraph proof 2", whose); }
  // Of the frames that an end sends after its proof; none without a token.
  std::optional<frame_signer> signer_of(role whose) const;

private:
  hash_bytes hash_of(std::string_view purpose, role whose) const;
  error check() const;
  std::string named() const;

  const guard_options& options_;
  const role role_;
  const std::string at_, wanted_, binding_;
  const bool signs_elements_;
  recycled_text own_hello_, peer_hello_;
  greeting peer_;
  std::string peer_wants_;
  bool peer_signs_elements_ = false, has_other_tasks_ = false;
};

}
}
}  // namespace flowgraph::distributed
