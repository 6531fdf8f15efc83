#pragma once
// Tags of frames: each frame carries, behind its body, a keyed hash (SipHash-1-3) of its place in the order of the link's frames, of all that
// its head says, of its body, and of its tensors' types and shapes. Without the key nobody can change, repeat, leave out or put in a frame
// unnoticed. The tensors' elements are hashed too where the signer was made to.
//
// A wrong tag ends the link, and the next one has other keys: a stranger has a single guess at 64 bits. SipHash-1-3 for that, since
// SipHash-2-4 takes twice the time, which is a tenth of that of a small frame.

#include <flowgraph/distributed/transport.hpp>

#include <cstdint>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

inline constexpr std::size_t tag_bytes = 8;

// Of the frames that go one way.
class frame_signer {
public:
  frame_signer(std::uint64_t key0, std::uint64_t key1, bool signs_elements) noexcept
      : key0_(key0), key1_(key1), signs_elements_(signs_elements) {}

  // The next frame of the link, as the end that sends it has it.
  void sign(frame& f);
  // The next frame as it came: takes the tag away. False where it is not that of the frame.
  bool check(frame& f);

private:
  std::uint64_t tag_of_next(const frame& f, std::string_view body) noexcept;

  std::uint64_t key0_, key1_, next_ = 0;
  bool signs_elements_;
};

}
}
}  // namespace flowgraph::distributed
