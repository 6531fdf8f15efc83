#pragma once
// The interface by which tasks communicate: links that carry frames in order, a clock, and threads for computations. There are
// two implementations: TCP (distributed/tcp.hpp), and a simulated network with simulated time
// (distributed/simulated_network.hpp).
//
// A link calls its user on a thread of the transport, one call at a time: open(), receive() for each frame, and finally lost()
// once. These functions must return soon; pass computations to transport::compute.

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

namespace flowgraph::inline FLOWGRAPH_ABI {

// The purpose of a frame. The first two kinds open a link, heartbeats keep it alive, and the others belong to the protocol that
// uses the link.
enum class frame_kind : std::uint8_t {
  hello = 1,  // identity of the sender, and a challenge
  proof,      // answer to a challenge
  heartbeat,  // the sender is alive and has nothing else to send
  request,    // `body` contains its kind; the answer is a frame with the same number
  answer,     // answer to a request
  value,      // value that one part of a step sends to another: a tensor, or a signal that it is dead
  news,       // message without an answer: a step has ended, or must end
};

// The unit of data on a link: numbers, text and tensors. The memory of the tensors is shared, not copied. The kind of the frame
// determines the meaning of the numbers.
struct frame {
  frame_kind kind = frame_kind::news;  // the kind of the frame
  bool is_dead = false;                // true: the value is dead, and the frame has no tensor
  std::uint32_t edge = 0;              // number of the value's edge in the session
  std::uint64_t number = 0;            // number of a request and its answer; for a value and for news, the step
  std::uint64_t loop = 0;              // for a value: the id of its loop
  std::uint64_t iteration = 0;         // for a value: the number of the loop iteration
  recycled_text body;                  // text, whose format depends on the kind
  recycled_tensors tensors;            // tensors, which share their memory
};

// The part of a frame that is read before its body and its tensors.
struct frame_head {
  frame_kind kind = frame_kind::news;                 // the kind of the frame
  std::uint32_t edge = 0;                             // the same as in `frame`
  std::uint64_t number = 0, loop = 0, iteration = 0;  // the same as in `frame`
  std::size_t body_bytes = 0, tensor_bytes = 0;       // sizes of the body and of all tensors
};
// The description of a tensor, which is read before the tensor.
struct tensor_head {
  dtype type = dtype::invalid;  // the element type
  flowgraph::shape shape;       // the shape
};

// The identity that a peer states; known when the link is open.
struct greeting {
  // Name of a task, "/job:worker/task:1", or description of a client, "client 1234 on host".
  std::string name;
  std::uint64_t incarnation = 0;  // changes whenever the process starts again
};

// One end of a connection to another process.
class link {
public:
  virtual ~link() = default;
  // Sends a frame, and keeps it until it is written. May be called from any thread. Has no effect when the link is lost.
  virtual void send(frame f) = 0;
  // Sends several frames in order, possibly with one system call.
  virtual void send_all(std::span<frame> frames) {
    for (frame& f : frames) send(std::move(f));
  }
  // Closes the link: the users at both ends are notified, the local user with this cause. May be called from any thread, and
  // several times.
  virtual void close(const error& why) = 0;
  // Returns the address of the other end: "127.0.0.1:4000".
  virtual std::string address() const = 0;
  // Returns the time, by the transport's clock, at which the last data was received from the other end, even if it was only part
  // of a frame. Returns 0 if no data was received yet.
  virtual std::chrono::nanoseconds heard() const { return {}; }
  // Returns bytes that only the two ends of this encrypted connection know, so that an authentication proof that includes them
  // cannot be relayed. Empty without encryption. Valid when the link is open.
  virtual std::string binding() const { return {}; }
  // Marks the link as authenticated: it is no longer closed to make room for new connections. Returns an error if there are too
  // many links. Called by a user that awaits proof, within `receive`.
  virtual error admit() { return {}; }
  // Makes the link call `sign` for each frame sent after this call, just before it is written: one at a time, in the order of
  // writing. Returns false if the link does not support this; the caller must then sign frames in order itself. Called once,
  // within `receive`.
  virtual bool sign_with(unique_function<void(frame&)> sign) {
    (void)sign;
    return false;
  }
};

// Receives the events of a link. The link holds it until the link is lost.
class link_user {
public:
  virtual ~link_user() = default;
  // Called when the link is open: frames may be sent from now on.
  virtual void open(const greeting& peer) { (void)peer; }
  // Called before the content of a frame is read; a frame may have no tensors. If the function returns an error, the frame is
  // refused before memory is allocated for it, and the link is closed.
  virtual error check(const frame_head& head, std::span<const tensor_head> tensors) {
    (void)head, (void)tensors;
    return {};
  }
  // Called with each complete frame.
  virtual void receive(frame came) = 0;
  // Called last: no frame is sent or received any more.
  virtual void lost(const error& why) = 0;
  // Returns whether the peer of an accepted link is not authenticated until link::admit(). A transport limits the number of such
  // links, and their memory.
  virtual bool awaits_proof() const noexcept { return false; }
};

// The clock of a transport, in nanoseconds since the clock's own epoch.
class task_clock {
public:
  virtual ~task_clock() = default;
  // Returns the time, which never decreases.
  virtual std::chrono::nanoseconds now() const = 0;
  // Returns whether this is the steady clock of the process. Deadlines of runs are then moments; otherwise they are lengths of time,
  // which begin with each run.
  virtual bool is_steady() const noexcept { return false; }
  // Calls `f` once at that time, on a thread of the transport. Drops the function if the transport ends earlier.
  virtual void call_at(std::chrono::nanoseconds when, unique_function<void()> f) = 0;
};

// The communication of a process with other processes, with a clock and threads. You can implement your own transport for
// fg::task and fg::connect: tests/distributed/transport.cpp tests what a transport must guarantee.
class transport {
public:
  virtual ~transport() = default;

  // Listens at "host:port"; port 0 is any free port. Calls `accept` for each link that a peer opens; `accept` returns the
  // link's user, or null to refuse the link. Returns the address that peers connect to.
  using acceptor = std::function<std::shared_ptr<link_user>(const std::shared_ptr<link>&)>;
  virtual result<std::string> listen(std::string_view address, acceptor accept) = 0;
  // Opens a link and returns immediately. The user is notified later that the link is open, or lost because nobody listens. The
  // link holds its user until the link is lost.
  virtual std::shared_ptr<link> connect(std::string_view address, std::shared_ptr<link_user> user) = 0;
  // Returns the clock for the times of links and for waits.
  virtual task_clock& clock() noexcept = 0;

  // Runs `f` on a thread for longer work, in no particular order.
  virtual void compute(unique_function<void()> f) = 0;
  // Returns whether users of links may also compute for some microseconds within their functions.
  virtual bool allows_short_work() const noexcept { return false; }
  // Returns whether frames have checksums of all their content. If so, signatures of frames must include the elements of their
  // tensors.
  virtual bool has_checksums() const noexcept { return false; }

  // Waits until `is_done` returns true, or until that time. Called by threads other than the transport's. Simulated time advances
  // meanwhile. `is_done` is called again after each wake(), and may be called at any time, also by several threads.
  virtual bool wait(function_ref<bool()> is_done, std::chrono::nanoseconds until) = 0;
  // Wakes waiting threads. May be called from any thread.
  virtual void wake() = 0;
};

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
