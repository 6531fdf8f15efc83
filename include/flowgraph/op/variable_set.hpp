#pragma once
// The implementation of fg::variable_set: versions of the values of all members. A run reads one version from its start to its
// end; docs/decisions/variable_sets.md explains why.

#include <flowgraph/core/resource.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/variable_state.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The state of a variable set.
class variable_set_state final : public resource_base {
public:
  struct member {
    std::string name;
    dtype type;
    flowgraph::shape shape;
    std::pmr::memory_resource* memory;
  };
  // The values of all members. A writer accesses a version before it is published and after its last reader has left; readers
  // never change it.
  struct version {
    std::vector<any_tensor> tensors;
    std::uint64_t came = 0;               // number of readers, set when another version has replaced it
    std::atomic<std::uint64_t> left = 0;  // number of readers that are done
    bool is_current = false;
  };

  variable_set_state(std::string name, std::vector<member> members, std::vector<any_tensor> values);

  const std::string& name() const noexcept { return name_; }
  const std::vector<member>& members() const noexcept { return members_; }

  // Returns the current version, which can be read until unpin. Both functions are wait-free: they take no lock and allocate no
  // memory.
  const version& pin() noexcept {
    // One addition selects the version and counts the reader, so the version cannot be retired in between. Acquire: the writer's
    // changes before publishing are visible.
    const std::uint64_t now = current_.fetch_add(1, std::memory_order_acquire);
    return *versions_[now >> place_shift];
  }
  static void unpin(const version& v) noexcept {
    // Release: all reads have happened before a writer sees that the reader has left. Only writers free and reuse memory.
    const_cast<version&>(v).left.fetch_add(1, std::memory_order_release);
  }
  any_tensor latest(std::uint32_t place) {
    const version& v = pin();
    any_tensor value = v.tensors[place];
    unpin(v);
    return value;
  }

  // The values of the next version, for a writer. Members that are not written keep their values.
  class staged {
  public:
    // Sets the value of member `k`: shares the tensor if it owns its elements, and otherwise copies it.
    error put(std::size_t k, const any_tensor& value);
    // Returns the tensor of member `k` for writing, with unspecified elements. If there is not enough memory, returns an error.
    result<any_tensor*> write(std::size_t k);

  private:
    friend class variable_set_state;
    staged(variable_set_state& of, version& result) : of_(of), result_(result), written_(result.tensors.size(), false) {}

    variable_set_state& of_;
    version& result_;
    std::vector<char> written_;
  };
  // Swaps to a version that `fill` writes. Writers run one after the other. If this fails, returns an error, and nothing has
  // changed.
  error swap(function_ref<error(staged&)> fill);
  // Frees the memory of versions that are not read any more.
  void collect();
  // Returns the number of versions with memory: the current version, and retired versions that are read or kept for the next
  // writer.
  std::size_t versions() const;

private:
  static constexpr std::size_t most = 256;  // largest number of versions that are read at the same time
  static constexpr unsigned place_shift = 48;
  static constexpr std::uint64_t reader_mask = (std::uint64_t{1} << place_shift) - 1;

  static bool is_free(const version& v) noexcept { return !v.is_current && v.left.load(std::memory_order_acquire) == v.came; }
  version* take_free(std::size_t& place);

  std::string name_;
  std::vector<member> members_;
  mutable threading::mutex writers_;
  std::unique_ptr<version> versions_[most];  // a reader accesses only the entry that `current_` has named
  // The index of the current version in the upper bits, and the number of its readers in the lower bits.
  alignas(64) std::atomic<std::uint64_t> current_{0};
};

// The versions that one run reads: one per set, from the first read to the end of the run.
class set_pins {
public:
  // `has_threads`: several threads read at the same time.
  explicit set_pins(bool has_threads) : has_threads_(has_threads) {}
  ~set_pins() { release(); }
  set_pins(const set_pins&) = delete;
  set_pins& operator=(const set_pins&) = delete;

  const variable_set_state::version& of(variable_set_state& set);
  any_tensor read(variable_set_state& set, std::uint32_t place) { return of(set).tensors[place]; }
  // Ends the reading of all versions. The run calls this function at its end.
  void release() noexcept {
    if (!pinned_.empty()) leave();
  }

private:
  struct pinned {
    variable_set_state* set;
    const variable_set_state::version* version;
  };
  const variable_set_state::version& find_or_pin(variable_set_state& set);
  void leave() noexcept;

  bool has_threads_;
  std::vector<pinned> pinned_;
  threading::mutex mutex_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/variable_set.hpp>
#endif
