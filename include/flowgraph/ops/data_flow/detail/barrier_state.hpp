#pragma once
// The state of a barrier at run time: incomplete elements, and complete ones.

#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/ops/data_flow/detail/awaited.hpp>

#include <limits>
#include <map>
#include <span>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A node's description of its barrier. All nodes that share the barrier must give the same description.
struct barrier_description {
  std::vector<dtype> types;
  std::vector<flowgraph::shape> shapes;  // empty: any
};

class barrier_state final : public awaited, private savable {
public:
  // A row of the values of one call. Without values, the component is missing.
  struct component {
    std::shared_ptr<const any_tensor> values;
    std::int64_t row = 0;
  };
  struct element {
    std::int64_t index = 0;  // of the call that added the first component
    std::string key;
    std::vector<component> components;
  };
  struct wish : awaited::wish {
    wish(cpu c, done to) : awaited::wish(c, std::move(to), side::taking, "taking") {}
    void release() override { taken.clear(); }

    std::int64_t wanted = 0;
    bool allows_less = false, has_asked = false;
    std::vector<element> taken;
  };

  static error check(const barrier_description& d);

  barrier_state(barrier_description d, std::string name)
      : awaited(kind_of<barrier_state>(), "barrier", "Barrier", std::move(name), order::strict, order::strict),
        description_(std::move(d)) {}

  const barrier_description& description() const noexcept { return description_; }

  // Sets the values of all keys, or of none.
  error insert(view<const std::string> keys, std::size_t component_index, any_tensor values);
  error close(bool cancel_pending);
  std::size_t ready_size() const;
  std::size_t incomplete_size() const;

  savable* as_savable() noexcept override { return this; }

private:
  FLOWGRAPH_INLINE result<std::string> save() const override;
  FLOWGRAPH_INLINE error load(std::string_view bytes, std::pmr::memory_resource* memory) override;
  error put_element(std::string& to, std::uint32_t field, const element& e) const;
  error parse_element(std::string_view bytes, std::pmr::memory_resource* memory, element& e) const;
  using elements_by_key = std::map<std::string, element, std::less<>>;

  FLOWGRAPH_INLINE progress advance(awaited::wish& w) override;
  FLOWGRAPH_INLINE void give_back(awaited::wish& w) override;
  FLOWGRAPH_INLINE error deliver(awaited::wish& w) override;
  error check_insertion(std::size_t count) const;
  error insert_into(elements_by_key& touched, std::vector<element>& completed, const std::string& key,
                    std::size_t component_index, component value) const;
  result<any_tensor> batch_of(const wish& w, std::size_t component_index) const;

  const barrier_description description_;
  std::int64_t next_index_ = std::numeric_limits<std::int64_t>::min();  // as TensorFlow counts
  bool closed_ = false, cancelled_ = false;
  elements_by_key incomplete_;
  std::multimap<std::int64_t, element> ready_;  // by index; elements of one call are in the order of their completion
};

resource find_barrier(cpu ctx, barrier_description d, const std::string& section, const std::string& shared_name);
// Returns the barrier that input 0 names. If there is none, the kernel fails and the result is empty.
resource named_barrier(cpu ctx);
void insert_into_barrier(cpu ctx, view<const std::string> keys, std::int64_t component_index);
void take_from_barrier(cpu ctx, std::span<const dtype> types, view<const std::int32_t> num_elements, bool allows_less,
                       done answer);

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/barrier_state.hpp>
#endif
