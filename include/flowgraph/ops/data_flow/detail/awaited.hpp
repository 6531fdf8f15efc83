#pragma once
// What kernels wait for without holding a thread: who waits, in which order, and how waiting ends.
//
// A kernel's request is a wish, and stands in one of two lines. Whoever makes a wish possible answers it, after the lock is gone.
// What the wishes are about is for the classes made from this one: queues, staging areas, accumulators, barriers.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class awaited : public resource_base {
public:
  enum class side : std::uint8_t { giving, taking };

  // What a kernel asks for. It is answered once: when it has been done, or with the reason why it cannot be.
  struct wish {
    enum class phase : std::uint8_t { asking, waiting, settled };

    wish(cpu c, done to, side of, std::string_view does) : context(c), answer(std::move(to)), doing(does), line(of) {}
    virtual ~wish() = default;
    // Lets go of the elements that it still holds: it is about to be answered.
    virtual void release() {}

    cpu context;
    done answer;
    std::string_view doing;  // for errors: "dequeueing"
    side line;
    bool is_restored = false;   // the run that made it was of another process
    phase now = phase::asking;  // what follows is guarded by the resource
    error why;
    std::int64_t since = 0;  // of a run that is traced: when it began to wait
  };

  const std::string& name() const noexcept { return name_; }
  // "FIFOQueue 'q'"
  std::string called() const { return message{kind_in_words_, " '", name_, "'"}; }

  // Answers at once when it can.
  void submit(const std::shared_ptr<wish>& w);
  // Ends what waits, on either side: whoever comes later uses another resource. What asks from now on and cannot be served at
  // once ends too.
  FLOWGRAPH_INLINE void dropped() override;

  // Loaded elements lie in this memory, as those do that its node brings.
  void lie_in(std::pmr::memory_resource* memory) noexcept { memory_ = memory; }

protected:
  std::pmr::memory_resource* memory_for(std::pmr::memory_resource* loaded) const noexcept { return memory_ ? memory_ : loaded; }

  // What stands behind a wish that waits: waits as well, or is served when it can be.
  enum class order : std::uint8_t { strict, passing };
  enum class progress : std::uint8_t { none, some, complete };
  using settled_wishes = std::vector<std::shared_ptr<wish>>;

  // `noun`: what errors call it, "queue"; `kind_in_words`: the op's name without its version.
  awaited(const void* kind, std::string_view noun, std::string_view kind_in_words, std::string name, order taking, order giving)
      : resource_base(kind), noun_(noun), kind_in_words_(kind_in_words), name_(std::move(name)),
        lines_{{giving, {}}, {taking, {}}} {}
  ~awaited() override = default;

  // Called with the lock held: does as much of a wish as can be done. A wish that is complete with its `why` set has failed.
  virtual progress advance(wish& w) = 0;
  // Called with the lock held, of a run that may not wait: whether the wish would have to, after it had done a part. One that would
  // wait before it does anything is known without that.
  virtual bool would_stop_halfway(const wish&) const { return false; }
  // Called with the lock held: what the wish had gathered goes back to where it was, for it will not be answered with that.
  virtual void give_back(wish&) {}
  // Hands out what a complete wish has got. Called without the lock; on an error it is given back.
  virtual error deliver(wish&) { return {}; }

  // Called with the lock held.
  const std::deque<std::shared_ptr<wish>>& waiting(side s) const { return line_of(s).waiting; }
  void advance_all(settled_wishes& settled);
  // Ends all who wait on one side; the error says `because`, if there is a reason to say.
  void end_waiting(side s, const char* because, settled_wishes& settled);

  // Called with the lock held: wishes that nobody waits for the answers of, restored ones, stand before the others.
  void wait_in_front(side s, std::vector<std::shared_ptr<wish>> restored);

  // To be called without the lock: answers what a change has settled.
  void answer(settled_wishes settled);
  // Changes the state under the lock, and answers those who had waited for that.
  template <class F> void change(F&& f) {
    settled_wishes settled;
    {
      const threading::lock_guard lock(mutex_);
      f(settled);
      advance_all(settled);
    }
    answer(std::move(settled));
  }
  // Answers a wish for which nothing need be there.
  void grant(const std::shared_ptr<wish>& w);
  error cancelled(const wish& w) const;
  error unavailable(const wish& w) const;

  mutable threading::mutex mutex_;

private:
  struct line {
    order kept;
    std::deque<std::shared_ptr<wish>> waiting;  // in the order of asking
  };

  line& line_of(side s) { return lines_[static_cast<std::size_t>(s)]; }
  const line& line_of(side s) const { return lines_[static_cast<std::size_t>(s)]; }
  void cancel(const std::shared_ptr<wish>& w);
  void leave_line(const std::shared_ptr<wish>& w, error why, settled_wishes& settled);
  bool advance_line(line& l, settled_wishes& settled);
  void end_all_waiting(settled_wishes& settled);

  const std::string_view noun_, kind_in_words_;
  const std::string name_;
  bool dropped_ = false;  // out of its container
  std::pmr::memory_resource* memory_ = nullptr;
  line lines_[2];
};

// A wish of a class made from awaited::wish that a run of another process has made: nobody waits for its answer.
template <class Wish> struct restored_wish final : Wish {
  template <class Act> explicit restored_wish(Act asked) : Wish(cpu(call), done(nullptr), asked) {}
  kernel_call call;
};

// The resource that input 0 names, by a handle or by words behind a reference. Empty, and the kernel failed, when what it names is of
// another kind.
resource named_awaited(cpu ctx, const void* kind, std::string_view noun);
// Has the elements of a resource, which a node has just made, lie in cpu::lasting_memory().
inline resource_base* lying_with(cpu ctx, awaited* made) {
  made->lie_in(ctx.lasting_memory());
  return made;
}
// What a node that makes a resource calls it.
std::string name_of_awaited(cpu ctx, const std::string& shared_name);
// The two words by which old ops name that resource, behind a reference.
resource reference_by_words(cpu ctx, const std::string& section, const std::string& shared_name);
// The outputs of the nodes that make a resource: a handle, or the words.
void hand_out(cpu ctx, const resource& made, const unsized<resource>& handle);
void hand_out(cpu ctx, const std::string& section, const std::string& shared_name, const reference_out<std::string>& handle);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/awaited.hpp>
#endif
