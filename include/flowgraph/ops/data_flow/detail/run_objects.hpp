#pragma once
// The common part of the arrays and the stacks of a run. Their handles count them, and they do not outlive their run. A prepared
// step keeps an object after its last handle has been destroyed: empty, for the next call of the node that made it.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>

#include <atomic>
#include <map>
#include <new>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class run_objects;

// An array or a stack. It is emptied when its run ends, even if a handle still exists.
class run_object : public resource_base {
public:
  const std::string& name() const noexcept { return name_; }
  const std::shared_ptr<run_objects>& siblings() const noexcept { return siblings_; }
  // Returns whether only the thread of its run uses it, without a lock. This is so for objects of prepared steps until their run
  // ends.
  bool is_alone() const noexcept { return is_alone_.load(std::memory_order_acquire); }
  // Drops the content, and refuses every later use.
  void close() { shut(life::closed); }

  // Returns the handle of old ops: these two strings. Makes it once, and writes it again for another name.
  result<any_tensor> handle_by_name(std::string_view section, std::pmr::memory_resource* memory);
  // Returns the reference to that handle for old ops. The object keeps the reference as long as it exists.
  variable_state* reference_to(any_tensor handle);

protected:
  // Content that is removed under the lock and destroyed without it, because it may contain other objects of the run.
  struct contents {
    std::vector<any_tensor> tensors;
    std::vector<resource> objects;
  };

  explicit run_object(const void* kind) noexcept : resource_base(kind) {}
  ~run_object() override = default;
  // Leaves the run's list. A destructor calls this first, so that the end of the run ignores the object.
  void leave();
  // Called after the last handle has been destroyed. Returns true if the object is emptied and kept for the next run.
  bool retire();
  // Both functions require the lock. The second is for an object that is alone.
  virtual contents take_contents() = 0;
  virtual void clear() = 0;
  error check_open() const;
  // Returns a lock for the time of a use, without a mutex if the object is alone.
  threading::unique_lock<threading::mutex> locked() const {
    return is_alone() ? threading::unique_lock<threading::mutex>() : threading::unique_lock<threading::mutex>(mutex_);
  }

  // Implements `delete` for the derived classes.
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
  std::shared_ptr<run_objects> siblings_;  // null if the object is kept
  any_tensor handle_;                      // by name
  resource reference_;
  std::uint32_t maker_ = 0;  // the id of the node
  // Neighbours among the run's objects in use. `after_` also links the kept objects.
  run_object *before_ = nullptr, *after_ = nullptr;
  run_object* next_orphan_ = nullptr;
  bool is_linked_ = false;
};

// The objects of one run, or of several runs one after the other. A resource handle counts its object. A string handle names an
// object that exists until the end of the run.
class run_objects {
public:
  explicit run_objects(const container& of) : of_(&of), is_alone_(of.is_of_one_thread()) {}
  run_objects(const run_objects&) = delete;
  run_objects& operator=(const run_objects&) = delete;
  ~run_objects() { drop_kept(); }

  // Returns the objects of the kernel's run. If there is no memory for them, the kernel fails and the result is null.
  static std::shared_ptr<run_objects> in_run(cpu ctx);
  // Makes an object for the node of this call. Its name is that of the node, or `wished`, with numbers; it is the same in every
  // run.
  template <class T> static T* make(cpu ctx, std::string_view wished);
  // Makes an object beside another: its name is that of the other, followed by `source`.
  template <class T> static T* make_beside(cpu ctx, const run_object& other, std::string_view source);

  void remove(run_object& o);
  void keep(std::string_view section, std::string_view name, const resource& object);
  resource find(std::string_view section, std::string_view name);
  void end();
  void drop_kept();

  // Returns whether the kernel belongs to the run of these objects.
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
  // Takes no lock if the objects are alone.
  threading::unique_lock<threading::mutex> locked() {
    return is_alone_ ? threading::unique_lock<threading::mutex>() : threading::unique_lock<threading::mutex>(mutex_);
  }
  static void name_made(std::string& name, cpu ctx, std::string_view wished);

  const container* const of_;
  const bool is_alone_;
  std::atomic<threading::thread::id> thread_{};  // of the run in progress, if the objects are alone
  threading::mutex mutex_;
  run_object* in_use_ = nullptr;
  run_object* orphans_ = nullptr;              // their last handles were destroyed on another thread
  std::map<std::uint32_t, run_object*> kept_;  // by the id of the node that made them
  std::map<std::pair<std::string, std::string>, resource, order_of_names> by_name_;  // names stay for the next run
};

template <class T> T* run_objects::made_for(cpu ctx) {
  auto objects = in_run(ctx);
  if (!objects) return nullptr;
  T* result = static_cast<T*>(objects->take_kept(ctx.at()->id));
  if (!result) result = new T;
  run_objects& all = *objects;
  all.add(*result, std::move(objects), ctx.at()->id);
  return result;
}
template <class T> T* run_objects::make(cpu ctx, std::string_view wished) {
  T* const result = made_for<T>(ctx);
  if (result) name_made(result->name_, ctx, wished);
  return result;
}
template <class T> T* run_objects::make_beside(cpu ctx, const run_object& other, std::string_view source) {
  T* const result = made_for<T>(ctx);
  if (!result) return nullptr;
  result->name_.reserve(other.name_.capacity() + 1 + source.size());
  result->name_.assign(other.name_).append(1, '@').append(source);
  return result;
}

// Returns the two strings by which old ops name an object: the section and its name. The object exists until the end of the run.
any_tensor handle_by_name(cpu ctx, const resource& object, std::string_view section);
// Returns the same behind a reference, or null if the kernel has failed.
variable_state* reference_by_name(cpu ctx, const resource& object, std::string_view section);

// Returns the object that input 0 names, by a resource or by strings, behind a reference or not. Fails if no object of that kind
// exists.
resource named_object(cpu ctx, const void* kind, std::string_view what);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/run_objects.hpp>
#endif
