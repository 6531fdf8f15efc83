#pragma once
// A transport over another one, whose links prove who they are before anything else is heard of them, and are lost when their peer falls
// silent.
//
// Both ends send a hello, check the other's, and then prove that they know the token (proving/handshake.hpp). With a token, each later
// frame carries a tag (proving/frame_tags.hpp) under keys that follow from the token and both hellos: a relay of the handshake can
// forward later frames, and can make none. Without a token every process is accepted, and a tag would prove nothing.
//
// An acceptor, and open() of a user, hear of a link when its peer has proved itself. A link on which nothing else was sent carries a
// heartbeat now and then. An end that is closed tells the other one why.
//
// An end that has been asleep for so long that its peers may have given it up does not know which of the frames that it finds are still
// meant: it asks the other end for a sign, and keeps from its users what comes before that.

#include "sleep_watch.hpp"

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

struct guard_options {
  greeting self;                  // what peers hear of this end
  std::string token = {};         // equal at both ends
  std::uint64_t fingerprint = 0;  // of what the frames mean; equal at both ends
  std::string tasks = {};         // a line an entry, equal at all ends that have a list; empty: this one knows none
  std::function<std::string(std::string_view address)> wanted = {};  // the peer name expected there; empty: any peer
  std::chrono::nanoseconds heartbeat = std::chrono::milliseconds(500);
  std::chrono::nanoseconds silence = std::chrono::milliseconds(2500);  // after which a peer is lost; also of a handshake
  std::shared_ptr<sleep_watch> watch = {};                             // null: whether this end sleeps is of no concern
  std::function<void()> on_wake = {};                 // once after each sleep, before any frame that has come since
  std::function<void(const error&)> on_refused = {};  // who connected to this end, and why it was not let in
};

// The order in which things end: links, then this, then `inner`.
std::shared_ptr<transport> guarded(std::shared_ptr<transport> inner, guard_options options);

}
}
}  // namespace flowgraph::distributed
