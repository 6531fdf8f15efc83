#pragma once
// The links of a task to the other tasks of its cluster. A link is created when it is first needed, and again after a loss.

#include "messages.hpp"
#include "tracing/peer_clock.hpp"
#include "tracing/traffic_table.hpp"

#include <flowgraph/distributed/cluster.hpp>
#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/distributed/waiting_for.hpp>

#include <mutex>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

using answered = unique_function<void(const error& why, frame came)>;

// A link that this process has created, and the requests that wait for answers over it. Frames that are sent before the link is
// open wait.
class asking_link final : public link_user, public std::enable_shared_from_this<asking_link> {
public:
  // `on_lost` is called once, after every request has received its error.
  asking_link(std::string peer, unique_function<void(const error& why)> on_lost);

  void connect(transport& by, std::string_view address);
  // Returns false if the link is lost; the frame is then dropped.
  bool send(frame&& f) { return send_all({&f, 1}); }
  bool send_all(std::span<frame> frames);
  // Sends a request, and calls `on_answer` once: with the answer, whose body begins after the error, or with an error.
  void ask(recycled_text body, recycled_tensors tensors, answered on_answer, std::uint64_t* number = nullptr);
  void close(const error& why);
  bool is_lost() const;
  // Returns whether the link is neither open nor lost.
  bool is_opening() const;
  // Returns why the link is lost; an empty error if it is not.
  error loss() const;
  std::uint64_t incarnation() const;

  // Receives frames of news. Set before connect().
  unique_function<void(frame)> on_news;
  // The number of this link among all links that the task has created. Set before connect().
  std::uint64_t ordinal = 0;
  // The estimate of the peer's clock, as far as it was requested.
  peer_clock clock;
  // Counts the frames of the link; null: they are not counted. Set before connect().
  std::shared_ptr<traffic_counter> traffic;

  void open(const greeting& peer) override;
  void receive(frame came) override;
  void lost(const error& why) override;

private:
  void send_locked(std::span<frame> frames);
  void send_waiting_locked();

  std::string peer_;
  unique_function<void(const error&)> on_lost_;
  mutable std::mutex mutex_;  // guards the following members
  std::string address_;
  std::shared_ptr<link> link_;
  recycled_list<frame> waiting_;
  recycled_map<std::uint64_t, answered> asked_;
  std::uint64_t next_ = 0, incarnation_ = 0;
  bool is_open_ = false;
  error lost_;
};

// Identifies a link to a task. A later link to the same task has another ordinal.
struct lost_link {
  std::uint32_t task = 0;
  std::uint64_t ordinal = 0;
};

class peers {
public:
  // Callbacks about other tasks. They run on threads of the transport and without locks, possibly after the peers object was
  // destroyed.
  struct listener {
    std::function<void(lost_link gone, const error& why)> on_lost;
    std::function<void(frame)> on_news;  // receives the news of a task
    waiting_listener on_waiting = {};    // reports tasks that cannot be reached yet; may be empty
  };
  peers(transport& by, const cluster& all, listener heard);
  ~peers();

  std::shared_ptr<asking_link> to(std::uint32_t task);
  // Returns the number of tasks.
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(links_.size()); }
  // Returns the existing link to a task, or null.
  std::shared_ptr<asking_link> known(std::uint32_t task);
  void close(const error& why);
  // Counts the frames between this task and others, including clients.
  traffic_table traffic;

private:
  transport& transport_;
  const cluster& cluster_;
  listener heard_;
  std::mutex mutex_;  // guards the following members
  std::vector<std::shared_ptr<asking_link>> links_;
  std::uint64_t link_count_ = 0;
  bool is_closed_ = false;
};

}  // namespace flowgraph::distributed
