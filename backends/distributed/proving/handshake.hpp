#pragma once
// The two frames before a link is open, and their results: whether both ends want each other, the proofs, and the keys of later
// frames.
//
//     hello   u8 version, 4 bytes that show the order of bytes, u64 fingerprint, u8 role, u8 whether its tags cover elements, u64 incarnation,
//             32 bytes that were never used before, text name, text wanted name, text digest of its list of tasks
//     proof   keyed hash of: the role of the proving end, both hellos, each after its role and its length, and the link's binding
//
// The connecting end checks the identity of the other end before it proves anything, and then it proves first. The accepting end
// checks that it is the wanted peer. So a proof is useful only for the one peer that it was made for, over the one encrypted
// connection, if there is one.

#include "frame_tags.hpp"
#include "keyed_hash.hpp"

#include <distributed/guarded_transport.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

inline constexpr std::size_t most_hello_bytes = 4096;

// Returns the text of a peer that has proved its identity in a form that a message may contain: its only control characters are
// ends of lines.
std::string shown(std::string_view text);
// Returns the beginning of the text of an unknown peer, which must not look like lines of a log: a short line without control
// characters.
std::string shown_line(std::string_view text);

enum class role : char { connects = 'c', accepts = 'a' };
constexpr role other(role r) noexcept { return r == role::connects ? role::accepts : role::connects; }

// One end's part of the handshake.
class handshake {
public:
  // `o` must outlive this object. `at` is the other end's address, for errors. `wanted` is the expected name of the other end;
  // empty: any name.
  handshake(const guard_options& o, role own, std::string at, std::string wanted, std::string binding, bool signs_elements);

  const recycled_text& own_hello() const noexcept { return own_hello_; }
  // Takes the other end's hello. If it is refused, returns an error with the reason.
  error hear(std::string_view hello);
  bool has_heard() const noexcept { return !peer_hello_.empty(); }
  const greeting& peer() const noexcept { return peer_; }

  // Returns whether the other end has another list of tasks than this end. Each end then sends its list, cut to the size of a frame
  // of the handshake.
  bool has_other_tasks() const noexcept { return has_other_tasks_; }
  std::string_view own_tasks() const noexcept;
  // Returns an error that names the first entry in which the lists differ.
  error differs_from(std::string_view tasks) const;

  hash_bytes proof_of(role whose) const { return hash_of("flowgraph proof 2", whose); }
  // Returns the signer of the frames that an end sends after its proof; empty if there is no token.
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

}  // namespace flowgraph::distributed
