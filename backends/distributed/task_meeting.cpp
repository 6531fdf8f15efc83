#include "task_meeting.hpp"

#include "guarded_transport.hpp"
#include "messages.hpp"
#include "peers.hpp"

#include <atomic>
#include <mutex>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr std::uint64_t meeting_protocol = 0x6d656574 + 1;
constexpr nanoseconds between_tries = 100ms, farewell = 5s, late_time = 2s;

std::string rank_name(std::uint32_t rank, std::uint32_t size) { return message{"rank ", rank, " of ", size}; }
std::int64_t seconds(nanoseconds t) { return std::chrono::duration_cast<std::chrono::seconds>(t + 999ms).count(); }

// Returns "10.0.0.2:" for "10.0.0.2:53412".
std::string_view host_with_colon(std::string_view address) { return address.substr(0, address.rfind(':') + 1); }

// The data that rank 0 collects about the other ranks.
class gathering : public std::enable_shared_from_this<gathering> {
public:
  gathering(const std::shared_ptr<transport>& by, const meeting_options& o) : by_(by), options_(o), seats_(o.size) {
    seats_[0].address = complete(o.own, o.at);
    left_ = o.size - 1;
  }

  struct announced final : link_user {
    announced(std::shared_ptr<gathering> g, std::shared_ptr<link> l) : at(std::move(g)), over(std::move(l)) {}
    std::shared_ptr<gathering> at;
    std::shared_ptr<link> over;
    void receive(frame came) override { at->hear(over, came); }
    void lost(const error&) override {
      at->leave(over);
      over.reset();
    }
  };

  bool is_over() const {
    const std::lock_guard lock(mutex_);
    return left_ == 0 || why_;
  }
  bool is_empty() const {
    const std::lock_guard lock(mutex_);
    return guests_ == 0;
  }
  std::string names_missing() const {
    const std::lock_guard lock(mutex_);
    return ranks_missing();
  }
  // Returns whether all tasks have received an answer or an error.
  bool is_known() const {
    const std::lock_guard lock(mutex_);
    return refused_ + answered_ >= options_.size - 1;
  }
  // Answers all tasks that have announced themselves.
  result<std::vector<std::string>> end() {
    const std::lock_guard lock(mutex_);
    if (left_ > 0 && !why_) why_ = missing();
    recycled_text list;
    byte_writer to(list);
    std::vector<std::string> addresses;
    for (const seat& s : seats_) {
      to.text(s.address);
      addresses.push_back(s.address);
    }
    has_ended_ = true;
    for (const seat& s : seats_)
      if (s.over) {
        s.over->send(answer_to(s.number, why_, {}, list));
        ++answered_;
      }
    if (why_) return why_;
    return addresses;
  }

private:
  struct seat {
    std::string address;
    std::shared_ptr<link> over;
    std::uint64_t number = 0;  // of its request
  };

  static std::string complete(const std::string& address, std::string_view seen) {
    return address.starts_with(':') ? message{host_with_colon(seen), address.substr(1)}.string() : address;
  }

  void hear(const std::shared_ptr<link>& over, const frame& came) {
    byte_reader from(came.body);
    const std::string run(from.text());
    const auto size = from.number<std::uint32_t>(), rank = from.number<std::uint32_t>();
    const std::string address(from.text());
    const std::lock_guard lock(mutex_);
    const auto refuse = [&](const error& why) {
      over->send(answer_to(came.number, why));
      ++refused_;
      wake();
    };
    if (came.kind != frame_kind::request || !from.is_done()) return refuse(malformed("how a task announces itself"));
    if (run != options_.run)
      return refuse({error_code::failed_precondition, message{"rank 0 at ", options_.at, " is of the run '", options_.run,
                                                              "', the task that announced itself of '", run, "'"}});
    if (has_ended_) return refuse(why_ ? why_ : error(error_code::already_exists, "all tasks are there already"));
    if (!why_ && (size != options_.size || rank == 0 || rank >= size)) {
      why_ = error(error_code::failed_precondition, message{"tasks disagree: by rank 0 there are ", options_.size,
                                                            ", and one at ", over->address(), " is ", rank_name(rank, size)});
    } else if (!why_ && seats_[rank].over) {
      why_ = error(error_code::failed_precondition, message{"two tasks are ", rank_name(rank, size), ": at ",
                                                            seats_[rank].over->address(), " and at ", over->address()});
    }
    if (why_) {
      refuse(why_);
    } else {
      seats_[rank] = {complete(address, over->address()), over, came.number};
      ++guests_;
      --left_;
    }
    wake();
  }
  void wake() const {
    if (const auto by = by_.lock()) by->wake();
  }
  void leave(const std::shared_ptr<link>& over) {
    const std::lock_guard lock(mutex_);
    for (seat& s : seats_) {
      if (s.over != over) continue;
      s.over.reset();
      --guests_;
      if (!has_ended_) ++left_;
    }
    wake();
  }
  std::string ranks_missing() const {
    std::string names;
    for (std::uint32_t r = 1; r < options_.size; ++r)
      if (!seats_[r].over && names.size() < 60) names += message{names.empty() ? "rank " : ", ", r};
    return names;
  }
  error missing() const {
    return {error_code::deadline_exceeded,
            message{left_, " of ", options_.size, " tasks have not announced themselves to rank 0 at ", options_.at, " within ",
                    seconds(options_.patience), " s: ", ranks_missing()}};
  }

  const std::weak_ptr<transport> by_;  // the links end after the transport
  const meeting_options options_;
  mutable std::mutex mutex_;  // guards the following members
  std::vector<seat> seats_;
  std::size_t left_ = 0, guests_ = 0, refused_ = 0, answered_ = 0;
  bool has_ended_ = false;
  error why_;
};

result<std::vector<std::string>> gather(const std::shared_ptr<transport>& by, const meeting_options& o) {
  const auto all = std::make_shared<gathering>(by, o);
  const auto at = by->listen(o.at, [all](const std::shared_ptr<link>& l) -> std::shared_ptr<link_user> {
    return std::make_shared<gathering::announced>(all, l);
  });
  if (!at) return error(at.error().code(), message{"rank 0 cannot meet the other tasks at ", o.at}).because(at.error());
  const nanoseconds begun = by->clock().now();
  for (nanoseconds report = begun + 1s; o.on_waiting && report < begun + o.patience; report += 1s) {
    if (by->wait([&] { return all->is_over(); }, report)) break;
    o.on_waiting({all->names_missing(), o.at, by->clock().now() - begun});
  }
  by->wait([&] { return all->is_over(); }, begun + o.patience);
  auto result = all->end();
  // Tasks that come late get the error, instead of waiting in vain.
  if (!result && result.error().code() != error_code::deadline_exceeded)
    by->wait([&] { return all->is_known(); }, by->clock().now() + late_time);
  // The tasks close their links after they have received the answer.
  by->wait([&] { return all->is_empty(); }, by->clock().now() + farewell);
  return result;
}

// Returns whether the error only means that rank 0 is not there yet. A task that is refused gets another error, or one with a
// cause.
bool is_absence(const error& why) {
  for (const error* e = &why; e != nullptr; e = e->cause())
    if (e->code() != error_code::unavailable && e->code() != error_code::cancelled) return false;
  return true;
}

// Tries once to get the addresses. `may_come_yet` is set if rank 0 was not reached.
result<std::vector<std::string>> announce_once(const std::shared_ptr<transport>& by, const meeting_options& o, nanoseconds until,
                                               bool& may_come_yet) {
  struct answered_once {
    std::atomic<bool> is_there{false};
    error why;
    frame came;
  };
  const auto a = std::make_shared<answered_once>();
  const auto link = std::make_shared<asking_link>("rank 0", [weak = std::weak_ptr(by)](const error&) {
    if (const auto there = weak.lock()) there->wake();
  });
  link->connect(*by, o.at);
  recycled_text body;
  byte_writer to(body);
  to.text(o.run);
  to.number(o.size);
  to.number(o.rank);
  to.text(o.own);
  link->ask(std::move(body), {}, [a, weak = std::weak_ptr(by)](const error& why, frame f) {
    a->why = why;
    a->came = std::move(f);
    a->is_there.store(true, std::memory_order_release);
    if (const auto there = weak.lock()) there->wake();
  });
  const bool is_there = by->wait([&] { return a->is_there.load(std::memory_order_acquire); }, until);
  link->close(error(error_code::cancelled, "the meeting is over"));
  by->wait([&] { return link->is_lost(); }, by->clock().now() + 1s);
  may_come_yet = is_there && a->why && is_absence(a->why);
  if (!is_there) return error(error_code::deadline_exceeded, message{"rank 0 at ", o.at, " has not answered"});
  if (a->why) return a->why;
  byte_reader from(a->came.body);
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < o.size && from.ok(); ++i) names.emplace_back(from.text());
  if (!from.is_done()) return malformed("the addresses of all tasks");
  return names;
}

result<std::vector<std::string>> announce(const std::shared_ptr<transport>& by, const meeting_options& o) {
  const nanoseconds begun = by->clock().now();
  // Rank 0 may have begun later, and it is the rank that reports missing tasks.
  const nanoseconds until = begun + o.patience + farewell;
  nanoseconds report = begun;
  for (;;) {
    if (o.on_waiting && by->clock().now() - report >= 1s) {
      report = by->clock().now();
      o.on_waiting({"rank 0", o.at, report - begun});
    }
    bool may_come_yet = false;
    auto result = announce_once(by, o, until, may_come_yet);
    if (result || !may_come_yet) return result;
    if (by->clock().now() - begun > o.patience)
      return error(error_code::deadline_exceeded,
                   message{rank_name(o.rank, o.size), " has not reached rank 0 at ", o.at, " within ", seconds(o.patience), " s"})
          .because(result.error());
    by->wait([] { return false; }, by->clock().now() + between_tries);
  }
}

}  // namespace

result<std::vector<std::string>> meet(const std::shared_ptr<transport>& by, const meeting_options& o) {
  const auto name = [](std::uint32_t rank) { return message{"rank ", rank}.string(); };
  const guard_options guard{.self = {name(o.rank), incarnation_of(*by)},
                            .token = o.token,
                            .fingerprint = meeting_protocol,
                            .wanted = [name](std::string_view) { return name(0); }};
  const std::shared_ptr<transport> safe = guarded(by, guard);
  return o.rank == 0 ? gather(safe, o) : announce(safe, o);
}

}  // namespace flowgraph::distributed
