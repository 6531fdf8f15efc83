#pragma once
// The links of a task to the others of its cluster: made when first needed, and anew after a loss.

#include "messages.hpp"
#include "tracing/peer_clock.hpp"
#include "tracing/traffic_table.hpp"

#include <flowgraph/distributed/cluster.hpp>
#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/distributed/waiting_for.hpp>

#include <map>
#include <mutex>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

using answered = unique_function<void(const error& why, frame came)>;

// A link that this process has made, and the requests that wait for answers over it. Frames that are sent before it is open wait.
class asking_link final : public link_user, public std::enable_shared_from_this<asking_link> {
public:
  // `on_lost` is called once, after every request has its error.
  asking_link(std::string peer, unique_function<void(const error& why)> on_lost);

  void connect(transport& by, std::string_view address);
  // False: the link is lost, and the frame with it.
  bool send(frame&& f) { return send_all({&f, 1}); }
  bool send_all(std::span<frame> frames);
  // `on_answer` is called once: with the answer, whose body is read behind the error, or with the error.
  void ask(recycled_text body, recycled_tensors tensors, answered on_answer, std::uint64_t* number = nullptr);
  void close(const error& why);
  bool is_lost() const;
  // Neither open nor lost.
  bool is_opening() const;
  // Why it is lost, where it is.
  error loss() const;
  std::uint64_t incarnation() const;

  // Hears of news. Set before connect().
  unique_function<void(frame)> on_news;
  // Which one of those that a task has made. Set before connect().
  std::uint64_t ordinal = 0;
  // Of the peer, as far as it was asked.
  peer_clock clock;
  // Counts its frames; null: nobody does. Set before connect().
  std::shared_ptr<traffic_counter> traffic;

  void open(const greeting& peer) override;
  void receive(frame came) override;
  void lost(const error& why) override;

private:
  void send_locked(std::span<frame> frames);
  void send_waiting_locked();

  std::string peer_;
  unique_function<void(const error&)> on_lost_;
  mutable std::mutex mutex_;  // guards what follows
  std::string address_;
  std::shared_ptr<link> link_;
  recycled_list<frame> waiting_;
  recycled_map<std::uint64_t, answered> asked_;
  std::uint64_t next_ = 0, incarnation_ = 0;
  bool is_open_ = false;
  error lost_;
};

// Which link to which task. A later one to the same task is another.
struct lost_link {
  std::uint32_t task = 0;
  std::uint64_t ordinal = 0;
};

class peers {
public:
  // What is heard of other tasks, on threads of the transport and without locks, also when the peers are no more.
  struct listener {
    std::function<void(lost_link gone, const error& why)> on_lost;
    std::function<void(frame)> on_news;  // what a task says without being asked
    waiting_listener on_waiting = {};    // who is not there yet; may be empty
  };
  peers(transport& by, const cluster& all, listener heard);
  ~peers();

  std::shared_ptr<asking_link> to(std::uint32_t task);
  // How many tasks there are.
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(links_.size()); }
  // The link that there is; null: there is none.
  std::shared_ptr<asking_link> known(std::uint32_t task);
  void close(const error& why);
  // Counts the frames between this task and others, clients too.
  traffic_table traffic;

private:
  transport& transport_;
  const cluster& cluster_;
  listener heard_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::shared_ptr<asking_link>> links_;
  std::uint64_t made_ = 0;
  bool is_closed_ = false;
};

}
}
}  // namespace flowgraph::distributed
