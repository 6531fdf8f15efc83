#pragma once
// The parts of a task: the worker and the masters of this process, and its links to other tasks.

#include "master.hpp"
#include "part_ops.hpp"
#include "sleep_watch.hpp"
#include "memory/tensor_memory.hpp"
#include "worker.hpp"

#include <flowgraph/distributed/task.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Lives until all its users have ended: links and runs keep it alive by `owner`.
struct task_state {
  task_state(std::shared_ptr<transport> t, const cluster& c, std::uint32_t n, const registry& r, const task_options& o)
      : by(std::move(t)), all(c), self(n), name(c.name_of(n)), ops(r), others(*by, all,
                                                                              {[of = owner](lost_link gone, const error& why) {
                                                                                 if (const auto alive = of->lock())
                                                                                   alive->lost(gone, why);
                                                                               },
                                                                               [of = owner](frame f) {
                                                                                 if (const auto alive = of->lock())
                                                                                   alive->hear(std::move(f));
                                                                               },
                                                                               o.on_waiting}),
        works(*by, ops.all(), others, o.memory ? o.memory : tensor_memory(), o.limits),
        services{*by, all, n, ops.all(), others, works, {}, o.limits, {o.record, o.on_trace}} {}
  static std::shared_ptr<task_state> make(std::shared_ptr<transport> t, const cluster& c, std::uint32_t n, const registry& r,
                                          const task_options& o) {
    auto result = std::make_shared<task_state>(std::move(t), c, n, r, o);
    *result->owner = result;
    result->on_lost = o.on_lost;
    result->at_end.by = result->by;
    result->works.owner = result;
    result->works.passes.further = further_passes(o.further);
    result->services.owner = result;
    return result;
  }

  // Reports a lost process to the task's owner.
  void report(const error& why);
  // Returns whether the task has ended; then nothing is reported any more.
  bool has_ended() const;
  // A link to a task was lost, and with it the frames on their way.
  void lost(lost_link gone, const error& why);
  void tell_master(std::uint32_t task, const worker::hurt_steps& hurt, const error& why);
  std::vector<std::shared_ptr<link_user>> open_links();
  std::vector<std::shared_ptr<master_session>> open_sessions();
  // Takes news of a worker for the masters of this task.
  void hear(frame news);
  // Returns a number of 32 bits for a session. Each task has numbers of its own, which repeat only after all of them were used. A
  // task that is started again begins with another number.
  std::uint64_t next_session() {
    const std::uint64_t turns = (std::uint64_t{1} << 32) / all.size() - 1;
    return (1 + (first_session + ++sessions_made) % turns) * all.size() + self;
  }

  // Signals the end of the task. It is destroyed after all other members.
  struct last_word {
    std::shared_ptr<std::atomic<bool>> end;
    std::weak_ptr<transport> by;
    ~last_word() {
      end->store(true, std::memory_order_release);
      if (const auto there = by.lock()) there->wake();
    }
  };
  std::shared_ptr<std::atomic<bool>> end = std::make_shared<std::atomic<bool>>(false);
  last_word at_end{end, {}};
  std::shared_ptr<std::weak_ptr<task_state>> owner =
      std::make_shared<std::weak_ptr<task_state>>();  // this object; links keep the pointer longer
  std::shared_ptr<transport> by;
  std::function<void(const error&)> on_lost;
  std::shared_ptr<sleep_watch> watch;
  cluster all;
  std::uint32_t self;
  std::string name, address;
  part_ops ops;
  peers others;
  worker works;
  master_services services;
  const std::uint64_t first_session = static_cast<std::uint64_t>(by->clock().now().count()) * 0x9e3779b97f4a7c15u >> 32;
  std::atomic<std::uint64_t> sessions_made{0};

  mutable std::mutex mutex;  // guards the following members
  bool is_closed = false;    // no client or task is served any more
  std::vector<std::weak_ptr<link_user>> served;
  std::map<std::uint64_t, std::shared_ptr<master_session>> sessions;
};

}  // namespace flowgraph::distributed
