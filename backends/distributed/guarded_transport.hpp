#pragma once
// A transport on top of another transport. Its links prove the identity of both ends before they deliver any frame to their users,
// and they are lost if the peer becomes silent.
//
// Both ends send a hello, check the other's hello, and then prove that they know the token (proving/handshake.hpp). If there is a
// token, each later frame carries a tag (proving/frame_tags.hpp) under keys that are derived from the token and both hellos. So a
// process that relays the handshake can forward later frames, but cannot create any. Without a token every process is accepted, and
// tags would prove nothing.
//
// An acceptor, and open() of a user, are called only after the peer has proved its identity. If no other frame was sent, a link
// sends a heartbeat from time to time. An end that closes the link sends the reason to the other end.
//
// If a process was asleep for so long that its peers may have given it up, it cannot know which of the frames that it finds are
// still valid. It requests a sign of life from the other end, and delivers frames to its users only after the answer.

#include "sleep_watch.hpp"

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

struct guard_options {
  greeting self;                  // the greeting that peers receive
  std::string token = {};         // equal at both ends
  std::uint64_t fingerprint = 0;  // identifies the meaning of frames; equal at both ends
  std::string tasks = {};         // one entry per line, equal at all ends that have a list; empty: this end has no list
  std::function<std::string(std::string_view address)> wanted = {};  // the peer name expected there; empty: any peer
  std::chrono::nanoseconds heartbeat = std::chrono::milliseconds(500);
  std::chrono::nanoseconds silence = std::chrono::milliseconds(2500);  // a peer silent for longer is lost; in handshakes too
  std::shared_ptr<sleep_watch> watch = {};                             // null: sleeps of this process are ignored
  std::function<void()> on_wake = {};                 // called once after each sleep, before any frame that came since
  std::function<void(const error&)> on_refused = {};  // reports a connection that was not accepted, and the reason
};

// The objects must end in this order: links, the returned transport, then `inner`.
std::shared_ptr<transport> guarded(std::shared_ptr<transport> inner, guard_options options);

}  // namespace flowgraph::distributed
