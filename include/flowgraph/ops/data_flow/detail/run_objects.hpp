#pragma once
// What the arrays and the stacks of a run have in common: they are counted by their handles and do not outlive their run.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>

#include <map>
#include <set>
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
  // Drops what it holds, and refuses every use from then on.
  void close() { shut(life::closed); }

  // The reference behind which old ops find its handle: made of that at first, and held as long as the object.
  variable_state* reference_to(any_tensor handle);

protected:
  // What is taken out under the lock and destroyed without it: other objects of the run may be among it.
  struct contents {
    std::vector<any_tensor> tensors;
    std::vector<resource> objects;
  };

  run_object(const void* kind, std::shared_ptr<run_objects> siblings, std::string name);
  ~run_object() override = default;
  // The first thing that a destructor does: from then on the end of the run leaves the object alone.
  void leave();
  // Precondition of both: locked.
  virtual contents take_contents() = 0;
  error check_open() const;

  mutable threading::mutex mutex_;

private:
  friend class run_objects;
  enum class life : std::uint8_t { open, closed, ended };
  void shut(life state);

  life life_ = life::open;
  std::string name_;
  std::shared_ptr<run_objects> siblings_;
  resource reference_;
};

// Those of one run. A handle that is a resource counts its object; one that is a string names an object that stays to the end.
class run_objects {
public:
  // Of the kernel's run; null, and the kernel failed, when there is no memory for them.
  static std::shared_ptr<run_objects> in_run(cpu ctx);

  void add(run_object& o);
  void remove(run_object& o);
  void keep(const std::string& section, const std::string& name, const resource& object);
  resource find(const std::string& section, const std::string& name);
  void end();

private:
  threading::mutex mutex_;
  std::set<run_object*> alive_;
  std::map<std::pair<std::string, std::string>, resource> by_name_;
};

// What an object that this call of a kernel makes is called: the same in every run.
std::string name_of_made(cpu ctx, std::string_view wished);

// The two words by which old ops name an object, which stays to the end of the run.
any_tensor handle_by_name(cpu ctx, const resource& object, const std::string& section, const std::string& name);
// The same behind a reference, which is null when the kernel has failed.
variable_state* reference_by_name(cpu ctx, const resource& object, const std::string& section, const std::string& name);

// The object that input 0 names, by a resource or by words, behind a reference or not. Fails when there is none of that kind.
resource named_object(cpu ctx, const void* kind, std::string_view what);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/run_objects.hpp>
#endif
