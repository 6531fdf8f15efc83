#pragma once
// The state of staging areas at run time: lists of tensors in the order of their arrival, or by keys.

#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/ops/data_flow/detail/awaited.hpp>
#include <flowgraph/ops/data_flow/stage.hpp>

#include <map>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

using staged_list = std::vector<any_tensor>;

// Returns the memory that these tensors take. An entry without a tensor takes none.
std::size_t bytes_of(const staged_list& list);

// The common part of both kinds: their limits, and the delivery of a list to the node that requested it.
class limited_stage : public awaited, protected savable {
public:
  struct wish : awaited::wish {
    enum class act : std::uint8_t { put, get, pop, peek };
    wish(cpu c, done to, act asked)
        : awaited::wish(c, std::move(to), asked == act::put ? side::giving : side::taking,
                        asked == act::put    ? "staging"
                        : asked == act::peek ? "peeking"
                                             : "unstaging"),
          what(asked) {}
    void release() override { list.clear(); }

    act what;
    staged_list list;                  // added or taken
    std::span<const dtype> types;      // of the taken list
    std::int64_t key = 0;              // or the place in the line
    std::vector<std::size_t> indices;  // in a map: indices of tensors of the list
    std::size_t width = 0;             // in a map: number of tensors in a complete list
  };

  // Submits a wish to add a list. Answers with an error at once if the list can never be added.
  void put(std::shared_ptr<wish> w);

  savable* as_savable() noexcept override { return this; }

protected:
  limited_stage(const void* kind, std::string_view kind_in_words, std::string name, const stage_attributes& a, order giving)
      : awaited(kind, "staging area", kind_in_words, std::move(name), order::passing, giving),
        capacity_(static_cast<std::size_t>(a.capacity)), limit_(static_cast<std::size_t>(a.memory_limit)) {}

  // Writes the lists that wait to be added, each as a message. Called with the lock held.
  error put_waiting(std::string& to, std::uint32_t field) const;
  error parse_waiting(std::string_view bytes, std::pmr::memory_resource* memory,
                      std::vector<std::shared_ptr<awaited::wish>>& to) const;

  bool has_room(std::size_t bytes) const { return limit_ == 0 || held_ + bytes <= limit_; }
  // Returns an error if the types of the list are not those of the wish.
  error check_types(const wish& w, const staged_list& list) const;
  FLOWGRAPH_INLINE error deliver(awaited::wish& w) override;

  const std::size_t capacity_, limit_;
  std::size_t held_ = 0;  // bytes
};

// First in, first out. The state is the lists in their order.
class stage_state final : public limited_stage {
public:
  stage_state(std::string name, const stage_attributes& a)
      : limited_stage(kind_of<stage_state>(), "staging area", std::move(name), a, order::strict) {}

  std::size_t size() const;
  void clear();

private:
  FLOWGRAPH_INLINE result<std::string> save() const override;
  FLOWGRAPH_INLINE error load(std::string_view bytes, std::pmr::memory_resource* memory) override;
  FLOWGRAPH_INLINE progress advance(awaited::wish& w) override;

  std::deque<staged_list> lists_;
};

// By keys. The state is the complete lists with their keys and order of arrival, and the incomplete lists.
class map_stage_state final : public limited_stage {
public:
  map_stage_state(std::string name, const stage_attributes& a, bool is_ordered)
      : limited_stage(kind_of<map_stage_state>(), "map staging area", std::move(name), a, order::passing),
        is_ordered_(is_ordered) {}

  bool is_ordered() const noexcept { return is_ordered_; }
  std::size_t size() const;
  std::size_t incomplete_size() const;
  void clear();

private:
  FLOWGRAPH_INLINE result<std::string> save() const override;
  FLOWGRAPH_INLINE error load(std::string_view bytes, std::pmr::memory_resource* memory) override;
  struct entry {
    staged_list list;  // an entry whose tensor has been taken is empty
    std::uint64_t came = 0;
  };
  using entries = std::map<std::int64_t, entry>;

  FLOWGRAPH_INLINE progress advance(awaited::wish& w) override;
  progress advance_put(wish& w);
  error check_part(const wish& w, const staged_list& present) const;
  void insert(std::int64_t key, staged_list list);
  entries::iterator chosen(const wish& w);
  error read(wish& w, const entry& from) const;
  void remove(const wish& w, entries::iterator from);

  const bool is_ordered_;  // the smallest key leaves next; otherwise the list that arrived first
  entries whole_;
  std::map<std::uint64_t, std::int64_t> keys_by_coming_;
  std::map<std::int64_t, staged_list> incomplete_;
  std::uint64_t come_ = 0;
};

// Returns the area that a node names. If another kind of object has that name, the kernel fails and the result is empty.
resource find_stage(cpu ctx, const stage_attributes& a);
resource find_map_stage(cpu ctx, const stage_attributes& a, bool is_ordered);
// Returns the node's inputs, in memory that outlives the run. Fails if there is no memory.
staged_list kept_inputs(cpu ctx, const any_list& values);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/stage_state.hpp>
#endif
