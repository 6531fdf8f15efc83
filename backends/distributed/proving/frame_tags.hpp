#pragma once
// Tags of frames. Each frame carries, behind its body, a keyed hash (SipHash-1-3) of its position among the frames of the link, of
// all fields of its head, of its body, and of the types and shapes of its tensors. Nobody without the key can change, repeat, leave
// out or insert a frame unnoticed. If the signer was constructed so, the elements of the tensors are hashed, too.
//
// A wrong tag ends the link, and the next link has other keys. So an attacker has only one guess at 64 bits, and SipHash-1-3 is
// strong enough. SipHash-2-4 would take twice the time, which is a tenth of the time for a small frame.

#include <flowgraph/distributed/transport.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

inline constexpr std::size_t tag_bytes = 8;

// Signs or checks the frames of one direction of a link.
class frame_signer {
public:
  frame_signer(std::uint64_t key0, std::uint64_t key1, bool signs_elements) noexcept
      : key0_(key0), key1_(key1), signs_elements_(signs_elements) {}

  // Adds the tag to the next frame that this end sends.
  void sign(frame& f);
  // Checks the next received frame, and removes its tag. Returns false if the tag is wrong.
  bool check(frame& f);

private:
  std::uint64_t tag_of_next(const frame& f, std::string_view body) noexcept;

  std::uint64_t key0_, key1_, next_ = 0;
  bool signs_elements_;
};

}  // namespace flowgraph::distributed
