#pragma once
// How tasks reach each other: links that carry frames in their order, a clock, and threads to compute on. Two kinds exist: TCP
// (distributed/tcp.hpp), and a simulated network whose time is counted, not waited for (distributed/simulated_network.hpp).
//
// A link tells its user what happens to it, on a thread of the transport, never two things at a time: open(), receive() for each frame, and
// lost() once, last. Users of a link return soon: what computes goes to transport::compute.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/tensor.hpp>
#include <flowgraph/distributed/recycled.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// What a frame is for: the first two open a link, a heartbeat keeps it, the others belong to the protocol that uses it.
enum class frame_kind : std::uint8_t {
  hello = 1,  // who the sender is, and a challenge
  proof,      // the answer to a challenge
  heartbeat,  // nothing happened, and the sender is alive
  request,    // `body` says of what kind; is answered by a frame of the same number
  answer,
  value,  // what one part of a step sends another: one tensor, or the news of a dead one
  news,   // what is not answered: a step has ended, or is to end
};

// What travels: numbers, text, and tensors, whose memory is shared and not copied. Numbers mean what its kind says.
struct frame {
  frame_kind is = frame_kind::news;
  bool is_dead = false;      // of a value
  std::uint32_t edge = 0;    // of a value: which one of the session's
  std::uint64_t number = 0;  // of a request and its answer; of a value and of news: the step
  std::uint64_t loop = 0;    // of a value: in which loop, and in which iteration of it
  std::uint64_t iteration = 0;
  recycled_text body;
  recycled_tensors tensors;
};

// What a frame says before its body and its tensors are read.
struct frame_head {
  frame_kind is = frame_kind::news;
  std::uint32_t edge = 0;
  std::uint64_t number = 0, loop = 0, iteration = 0;
  std::size_t body_bytes = 0, tensor_bytes = 0;
};
// What a frame says of each of its tensors before they are read.
struct tensor_head {
  dtype type = dtype::invalid;
  flowgraph::shape shape;
};

// Who a peer says it is; known once a link is open.
struct greeting {
  std::string name;               // "/job:worker/task:1", or of a client "client 1234 on host"
  std::uint64_t incarnation = 0;  // changes whenever the process is started anew
};

// A connection to another process, as one of its two ends has it.
class link {
public:
  virtual ~link() = default;
  // From any thread; keeps the frame until it has been written. Nothing happens once the link is lost.
  virtual void send(frame f) = 0;
  // The same for each of them, in their order: what leaves together may take one call of the system.
  virtual void send_all(std::span<frame> frames) {
    for (frame& f : frames) send(std::move(f));
  }
  // Ends it: both users hear that it is lost, the one here with this cause. From any thread, more than once.
  virtual void close(const error& why) = 0;
  // "127.0.0.1:4000", of the other end.
  virtual std::string address() const = 0;
  // When something last came from the other end, by the transport's clock: also a part of a frame. 0: nothing yet.
  virtual std::chrono::nanoseconds heard() const { return {}; }
  // Bytes that both ends of an encrypted connection know, and no other connection has: a proof that covers them cannot be relayed. Empty where
  // nothing is encrypted. Once the link is open.
  virtual std::string binding() const { return {}; }
  // For a user that awaits proof, when it has come: the link is one of those that may be there from now on, and ends no more to make room for
  // newcomers. An error where there are too many. Called where a frame is received.
  virtual error admit() { return {}; }
  // Calls `sign` with each frame that is sent after this call, just before it is written: one at a time, in the order of writing. False: this
  // link does not, and whoever signs frames keeps them in order. Called once, where a frame is received.
  virtual bool sign_with(unique_function<void(frame&)> sign) {
    (void)sign;
    return false;
  }
};

// Who is told what happens to a link. It is held by the link until that is lost.
class link_user {
public:
  virtual ~link_user() = default;
  // Frames may be sent from now on.
  virtual void open(const greeting& peer) { (void)peer; }
  // A frame is about to be read, which may have no tensors. An error refuses it, before memory is taken for it, and ends the link.
  virtual error check(const frame_head& head, std::span<const tensor_head> tensors) {
    (void)head, (void)tensors;
    return {};
  }
  // The next frame, whole.
  virtual void receive(frame came) = 0;
  // No frame comes or goes any more.
  virtual void lost(const error& why) = 0;
  // Whether the other end of a link that was accepted is a stranger until link::admit(). A transport keeps few of them, in little memory.
  virtual bool awaits_proof() const noexcept { return false; }
};

// Time as a transport has it. Nanoseconds from an epoch of its own.
class task_clock {
public:
  virtual ~task_clock() = default;
  // Never goes back.
  virtual std::chrono::nanoseconds now() const = 0;
  // Calls `f` once, at that time, on a thread of the transport; drops it where the transport ends before.
  virtual void call_at(std::chrono::nanoseconds when, unique_function<void()> f) = 0;
};

// How a process reaches others, and the time and the threads that it has for that. One of your own, over whatever carries bytes, serves
// fg::task and fg::connect as these do: tests/distributed/transport.cpp has what each promises.
class transport {
public:
  virtual ~transport() = default;

  // Gives each link that a peer makes to `accept`, which answers who is to hear of it; null refuses it. "host:port"; port 0 is any free one.
  // Returns the address that peers connect to.
  using acceptor = std::function<std::shared_ptr<link_user>(const std::shared_ptr<link>&)>;
  virtual result<std::string> listen(std::string_view address, acceptor accept) = 0;
  // Returns at once; the user hears later that the link is open, or lost because there is nobody. The link holds its user until it is lost.
  virtual std::shared_ptr<link> connect(std::string_view address, std::shared_ptr<link_user> user) = 0;
  // The time by which its links are heard and its waits end.
  virtual task_clock& clock() noexcept = 0;

  // Runs `f` on a thread that may take its time. In any order with others.
  virtual void compute(unique_function<void()> f) = 0;
  // Users of links may also compute where they are told of a frame, what takes some microseconds.
  virtual bool allows_short_work() const noexcept { return false; }
  // Frames carry checksums of all that they hold: who signs frames signs the elements of their tensors too.
  virtual bool has_checksums() const noexcept { return false; }

  // Returns when `is_done` says so, or at that time. Called by threads that are not the transport's; where time is simulated, it goes on
  // meanwhile. `is_done` is asked again after each wake(), and may be asked at any time, also by several threads.
  virtual bool wait(function_ref<bool()> is_done, std::chrono::nanoseconds until) = 0;
  // From any thread.
  virtual void wake() = 0;
};

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
