#pragma once
// What staging areas are at run time: lists of tensors in the order in which they came, or by keys.

#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/ops/data_flow/detail/awaited.hpp>
#include <flowgraph/ops/data_flow/stage.hpp>

#include <map>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

using staged_list = std::vector<any_tensor>;

// How much memory these tensors take; an entry without a tensor takes none.
std::size_t bytes_of(const staged_list& list);

// What both kinds have in common: their limits, and how a list gets to the node that has asked for it.
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
    staged_list list;                  // brought, or taken
    std::span<const dtype> types;      // of what is taken
    std::int64_t key = 0;              // or the place in the line
    std::vector<std::size_t> indices;  // of a map: which tensors of the list
    std::size_t width = 0;             // of a map: how many tensors a whole list has
  };

  // Asks for the wish of one that brings a list; at once an error where it can never be laid down.
  void put(std::shared_ptr<wish> w);

  savable* as_savable() noexcept override { return this; }

protected:
  limited_stage(const void* kind, std::string_view kind_in_words, std::string name, const stage_attributes& a, order giving)
      : awaited(kind, "staging area", kind_in_words, std::move(name), order::passing, giving),
        capacity_(static_cast<std::size_t>(a.capacity)), limit_(static_cast<std::size_t>(a.memory_limit)) {}

  // Called with the lock held: what waits to be laid down, each as a message of its own.
  error put_waiting(std::string& to, std::uint32_t field) const;
  error parse_waiting(std::string_view bytes, std::pmr::memory_resource* memory,
                      std::vector<std::shared_ptr<awaited::wish>>& to) const;

  bool has_room(std::size_t bytes) const { return limit_ == 0 || held_ + bytes <= limit_; }
  // Why the wish cannot have this list, if so: it is of other types.
  error check_types(const wish& w, const staged_list& list) const;
  FLOWGRAPH_INLINE error deliver(awaited::wish& w) override;

  const std::size_t capacity_, limit_;
  std::size_t held_ = 0;  // bytes
};

// First in, first out. All that it is: the lists in their order.
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

// By keys. All that it is: the whole lists with their keys and when they came, and those of which parts are missing.
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
    staged_list list;  // without a tensor where one has been taken
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

  const bool is_ordered_;  // whether the smallest key, or the list that came first, is the next to leave
  entries whole_;
  std::map<std::uint64_t, std::int64_t> keys_by_coming_;
  std::map<std::int64_t, staged_list> incomplete_;
  std::uint64_t come_ = 0;
};

// The area that a node names. Empty, and the kernel failed, when the name is that of something else.
resource find_stage(cpu ctx, const stage_attributes& a);
resource find_map_stage(cpu ctx, const stage_attributes& a, bool is_ordered);
// What a node brings, to be kept. Failed where there is no memory.
staged_list kept_inputs(cpu ctx, const any_list& values);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/stage_state.hpp>
#endif
