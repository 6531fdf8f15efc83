#pragma once
// Waiting without a thread: the order in which kernels wait for a resource, and the ways in which waiting ends. The request of a
// kernel is a wish, which waits in one of two lines. The call that makes a wish possible answers it, after the lock has been
// released. Derived classes define the subject of the wishes: queues, staging areas, accumulators, barriers.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class awaited : public resource_base {
public:
  enum class side : std::uint8_t { giving, taking };

  // The request of a kernel. It is answered once: when it has been served, or with the reason why it cannot be served.
  struct wish {
    enum class phase : std::uint8_t { asking, waiting, settled };

    wish(cpu c, done to, side of, std::string_view does) : context(c), answer(std::move(to)), doing(does), line(of) {}
    virtual ~wish() = default;
    // Releases the elements that the wish still holds. Called just before it is answered.
    virtual void release() {}

    cpu context;
    done answer;
    std::string_view doing;  // for errors: "dequeueing"
    side line;
    bool is_restored = false;   // a run of another process made it
    phase now = phase::asking;  // this member and the next are guarded by the resource
    error why;
    std::int64_t since = 0;  // in a traced run: the time at which it began to wait
  };

  const std::string& name() const noexcept { return name_; }
  // Returns the kind and the name, such as "FIFOQueue 'q'".
  std::string called() const { return message{kind_in_words_, " '", name_, "'"}; }

  // Answers at once if possible.
  void submit(const std::shared_ptr<wish>& w);
  // Ends the wishes that wait on either side, because later runs use another resource. Later wishes that cannot be served at once
  // end too.
  FLOWGRAPH_INLINE void dropped() override;

  // Sets the memory for loaded elements: the same as for the elements that the resource's node adds.
  void lie_in(std::pmr::memory_resource* memory) noexcept { memory_ = memory; }

protected:
  std::pmr::memory_resource* memory_for(std::pmr::memory_resource* loaded) const noexcept { return memory_ ? memory_ : loaded; }

  // The treatment of wishes behind a waiting wish: they wait too (strict), or are served as soon as possible (passing).
  enum class order : std::uint8_t { strict, passing };
  enum class progress : std::uint8_t { none, some, complete };
  using settled_wishes = std::vector<std::shared_ptr<wish>>;

  // `noun`: the name in errors, such as "queue"; `kind_in_words`: the op's name without its version.
  awaited(const void* kind, std::string_view noun, std::string_view kind_in_words, std::string name, order taking, order giving)
      : resource_base(kind), noun_(noun), kind_in_words_(kind_in_words), name_(std::move(name)),
        lines_{{giving, {}}, {taking, {}}} {}
  ~awaited() override = default;

  // Serves as much of a wish as possible. Called with the lock held. A wish that is complete with its `why` set has failed.
  virtual progress advance(wish& w) = 0;
  // Returns whether a wish would have to wait after a part of it has been served. Called with the lock held, for a run that may
  // not wait. The caller itself finds wishes that would wait from the beginning.
  virtual bool would_stop_halfway(const wish&) const { return false; }
  // Puts the elements of the wish back, because it will not be answered with them. Called with the lock held.
  virtual void give_back(wish&) {}
  // Delivers the elements of a complete wish. Called without the lock. After an error the elements are given back.
  virtual error deliver(wish&) { return {}; }

  // Called with the lock held.
  const std::deque<std::shared_ptr<wish>>& waiting(side s) const { return line_of(s).waiting; }
  void advance_all(settled_wishes& settled);
  // Ends all wishes that wait on one side. The error says `because` unless it is null.
  void end_waiting(side s, const char* because, settled_wishes& settled);

  // Puts restored wishes, whose answers are not needed, before the others. Called with the lock held.
  void wait_in_front(side s, std::vector<std::shared_ptr<wish>> restored);

  // Answers the wishes that a change has settled. Called without the lock.
  void answer(settled_wishes settled);
  // Changes the state under the lock, and answers the wishes that the change settles.
  template <class F> void change(F&& f) {
    settled_wishes settled;
    {
      const threading::lock_guard lock(mutex_);
      f(settled);
      advance_all(settled);
    }
    answer(std::move(settled));
  }
  // Answers a wish that needs no elements.
  void grant(const std::shared_ptr<wish>& w);
  error cancelled(const wish& w) const;
  error unavailable(const wish& w) const;

  mutable threading::mutex mutex_;

private:
  struct line {
    order kept;
    std::deque<std::shared_ptr<wish>> waiting;  // in the order of the requests
  };

  line& line_of(side s) { return lines_[static_cast<std::size_t>(s)]; }
  const line& line_of(side s) const { return lines_[static_cast<std::size_t>(s)]; }
  void cancel(const std::shared_ptr<wish>& w);
  void leave_line(const std::shared_ptr<wish>& w, error why, settled_wishes& settled);
  bool advance_line(line& l, settled_wishes& settled);
  void end_all_waiting(settled_wishes& settled);

  const std::string_view noun_, kind_in_words_;
  const std::string name_;
  bool dropped_ = false;  // removed from its container
  std::pmr::memory_resource* memory_ = nullptr;
  line lines_[2];
};

// A wish that a run of another process has made. Its answer is not needed. `Wish` is derived from awaited::wish.
template <class Wish> struct restored_wish final : Wish {
  template <class Act> explicit restored_wish(Act asked) : Wish(cpu(call), done(nullptr), asked) {}
  kernel_call call;
};

// Returns the resource that input 0 names, by a handle or by two strings behind a reference. If its kind differs, the kernel
// fails and the result is empty.
resource named_awaited(cpu ctx, const void* kind, std::string_view noun);
// Sets cpu::lasting_memory() as the memory for the elements of a resource that a node has just made.
inline resource_base* lying_with(cpu ctx, awaited* result) {
  result->lie_in(ctx.lasting_memory());
  return result;
}
// Returns the name that a node gives to the resource that it makes.
std::string name_of_awaited(cpu ctx, const std::string& shared_name);
// Returns a reference to the two strings by which old ops name that resource.
resource reference_by_words(cpu ctx, const std::string& section, const std::string& shared_name);
// Sets the output of a node that makes a resource: a handle, or the two strings.
void hand_out(cpu ctx, const resource& object, const unsized<resource>& handle);
void hand_out(cpu ctx, const std::string& section, const std::string& shared_name, const reference_out<std::string>& handle);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/awaited.hpp>
#endif
