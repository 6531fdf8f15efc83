#pragma once
// What the arrays and the stacks of a run have in common: they are counted by their handles and do not outlive their run. A prepared
// step keeps an object whose last handle has gone, emptied, for the next call of the node that made it.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>

#include <atomic>
#include <map>
#include <new>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class run_objects;

// An array or a stack. It is emptied when its run ends, whoever still holds a handle.
class run_object : public resource_base {
public:
  const std::string& name() const noexcept { return name_; }
  const std::shared_ptr<run_objects>& siblings() const noexcept { return siblings_; }
  // Only the thread of its run uses it, and takes no lock; true of objects of prepared steps, until their run ends.
  bool is_alone() const noexcept { return is_alone_.load(std::memory_order_acquire); }
  // Drops what it holds, and refuses every use from then on.
  void close() { shut(life::closed); }

  // The handle by which old ops find it: these two words. Made once, and written anew for another name.
  result<any_tensor> handle_by_name(std::string_view section, std::pmr::memory_resource* memory);
  // The reference behind which old ops find that handle. It is held as long as the object.
  variable_state* reference_to(any_tensor handle);

protected:
  // What is taken out under the lock and destroyed without it: other objects of the run may be among it.
  struct contents {
    std::vector<any_tensor> tensors;
    std::vector<resource> objects;
  };

  explicit run_object(const void* kind) noexcept : resource_base(kind) {}
  ~run_object() override = default;
  // The first thing that a destructor does: from then on the end of the run leaves the object alone.
  void leave();
  // When the last handle has gone: true where the object is kept for the next run, emptied.
  bool retire();
  // Precondition of both: locked. The second is for an object that is alone.
  virtual contents take_contents() = 0;
  virtual void clear() = 0;
  error check_open() const;
  // For the length of a use; no lock where the object is alone.
  threading::unique_lock<threading::mutex> locked() const {
    return is_alone() ? threading::unique_lock<threading::mutex>() : threading::unique_lock<threading::mutex>(mutex_);
  }

  // Of classes of objects: what `delete` does for them.
  template <class T> static void destroy(T* object) {
    if (object->retire()) return;
    object->~T();
    ::operator delete(object);
  }

private:
  friend class run_objects;
  enum class life : std::uint8_t { open, closed, ended };
  void shut(life state);

  mutable threading::mutex mutex_;
  life life_ = life::open;
  std::atomic<bool> is_alone_{false};
  std::string name_;
  std::shared_ptr<run_objects> siblings_;  // null: it is kept
  any_tensor handle_;                      // by name
  resource reference_;
  std::uint32_t maker_ = 0;  // the id of the node
  // Among those of the run that are in use; the second also among those that are kept.
  run_object *before_ = nullptr, *after_ = nullptr;
  run_object* next_orphan_ = nullptr;
  bool is_linked_ = false;
};

// Those of one run, or of one run after the other. A handle that is a resource counts its object; one that is a string names an object
// that stays to the end.
class run_objects {
public:
  explicit run_objects(const container& of) : of_(&of), is_alone_(of.is_of_one_thread()) {}
  run_objects(const run_objects&) = delete;
  run_objects& operator=(const run_objects&) = delete;
  ~run_objects() { drop_kept(); }

  // Of the kernel's run; null, and the kernel failed, when there is no memory for them.
  static std::shared_ptr<run_objects> in_run(cpu ctx);
  // An object that the node of this call makes. Its name: that of the node, or `wished`, and numbers; the same in every run.
  template <class T> static T* make(cpu ctx, std::string_view wished);
  // The same, beside another object: its name is that of the other one, and `source`.
  template <class T> static T* make_beside(cpu ctx, const run_object& other, std::string_view source);

  void remove(run_object& o);
  void keep(std::string_view section, std::string_view name, const resource& object);
  resource find(std::string_view section, std::string_view name);
  void end();
  void drop_kept();

  // Whether the kernel is one of the run that they are of.
  bool is_of(cpu ctx) const noexcept { return ctx.call().run->own_resources == of_; }

private:
  friend class run_object;
  template <class T> static T* made_for(cpu ctx);
  run_object* take_kept(std::uint32_t maker);
  void add(run_object& o, std::shared_ptr<run_objects> self, std::uint32_t maker);
  void unlink(run_object& o) noexcept;
  bool is_own_thread() const noexcept { return thread_.load(std::memory_order_relaxed) == threading::this_thread::get_id(); }
  void retire(run_object& o);
  void retire_elsewhere(run_object& o);
  void end_alone();
  // No lock where they are alone.
  threading::unique_lock<threading::mutex> locked() {
    return is_alone_ ? threading::unique_lock<threading::mutex>() : threading::unique_lock<threading::mutex>(mutex_);
  }
  static void name_made(std::string& name, cpu ctx, std::string_view wished);

  const container* const of_;
  const bool is_alone_;
  std::atomic<threading::thread::id> thread_{};  // of the run in progress, where they are alone
  threading::mutex mutex_;
  run_object* in_use_ = nullptr;
  run_object* orphans_ = nullptr;              // whose last handle has gone on another thread
  std::map<std::uint32_t, run_object*> kept_;  // by the id of the node that made them
  std::map<std::pair<std::string, std::string>, resource, order_of_names> by_name_;  // names stay for the next run
};

template <class T> T* run_objects::made_for(cpu ctx) {
  auto objects = in_run(ctx);
  if (!objects) return nullptr;
  T* made = static_cast<T*>(objects->take_kept(ctx.at()->id));
  if (!made) made = new T;
  run_objects& all = *objects;
  all.add(*made, std::move(objects), ctx.at()->id);
  return made;
}
template <class T> T* run_objects::make(cpu ctx, std::string_view wished) {
  T* const made = made_for<T>(ctx);
  if (made) name_made(made->name_, ctx, wished);
  return made;
}
template <class T> T* run_objects::make_beside(cpu ctx, const run_object& other, std::string_view source) {
  T* const made = made_for<T>(ctx);
  if (!made) return nullptr;
  made->name_.reserve(other.name_.capacity() + 1 + source.size());
  made->name_.assign(other.name_).append(1, '@').append(source);
  return made;
}

// The two words by which old ops name an object: the section and its name. The object stays to the end of the run.
any_tensor handle_by_name(cpu ctx, const resource& object, std::string_view section);
// The same behind a reference, which is null when the kernel has failed.
variable_state* reference_by_name(cpu ctx, const resource& object, std::string_view section);

// The object that input 0 names, by a resource or by words, behind a reference or not. Fails when there is none of that kind.
resource named_object(cpu ctx, const void* kind, std::string_view what);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/run_objects.hpp>
#endif
