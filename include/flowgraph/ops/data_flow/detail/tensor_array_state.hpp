#pragma once
// The state of an array of tensors in a run: its elements, their allowed uses, and the arrays of its gradients.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/shared/detail/limited_list.hpp>
#include <flowgraph/ops/data_flow/detail/run_objects.hpp>

#include <compare>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// An execution of a node. Gradients of one element are added in the order of executions, whatever their order of arrival.
struct occasion {
  std::uint64_t iteration = 0;
  std::uint32_t node = 0;
  auto operator<=>(const occasion&) const = default;
};
inline occasion occasion_of(cpu ctx) { return {ctx.iteration(), ctx.at()->id}; }

using tensor_list_of_run = limited_list<any_tensor>;

// Indices of elements of an array: the given ones, or the first ones.
struct array_indices {
  const std::int32_t* given = nullptr;  // null: 0, 1, ...
  std::size_t count = 0;

  std::size_t size() const noexcept { return count; }
  std::int64_t operator[](std::size_t i) const noexcept { return given ? given[i] : static_cast<std::int64_t>(i); }
};

// An array at run time. Any thread may use it; in a prepared step, only the thread of its run.
class tensor_array_state final : public run_object {
public:
  struct settings {
    dtype type = dtype::invalid;
    flowgraph::shape element_shape = flowgraph::shape::unknown();
    bool dynamic_size = false, clear_after_read = true, identical_shapes = false;
    bool adds = false;  // an array of gradients
  };

  tensor_array_state() noexcept
      : run_object(kind_of<tensor_array_state>()), elements_(std::pmr::new_delete_resource()),
        parts_(std::pmr::new_delete_resource()) {}
  ~tensor_array_state() override { leave(); }
  static void operator delete(tensor_array_state* a, std::destroying_delete_t) { destroy(a); }

  // Must be called before all other functions. `memory` holds the list of the elements.
  void begin(const settings& s, std::pmr::memory_resource* memory);

  dtype type() const noexcept { return settings_.type; }

  error resize(std::int64_t size);
  result<std::int64_t> size() const;
  // Returns the number of elements to join. For an array of gradients, this is the number that filled the original array.
  result<std::int64_t> filled_size() const;
  error declare_element_shape(const flowgraph::shape& s);

  error write(std::int64_t index, any_tensor value, const occasion& when);
  // Write all elements from 0 on, and no others unless the array can grow; or the elements with these indices. The values are
  // moved from.
  error write_all(tensor_list_of_run& values, const occasion& when);
  error scatter(view<const std::int32_t> indices, tensor_list_of_run& values, const occasion& when);
  result<any_tensor> read(std::int64_t index, std::pmr::memory_resource* memory);
  // Sets `values`, one for each index.
  error read_many(const array_indices& indices, tensor_list_of_run& values, std::pmr::memory_resource* memory);

  // Returns the array of gradients of that source, and makes it if there is none. `prepended` precedes the elements' shapes.
  // `source` must exist as long as the run.
  result<resource> gradients(cpu ctx, const std::string& source, const flowgraph::shape& prepended);
  // Returns a new array of gradients, which the caller keeps.
  result<resource> new_gradients(cpu ctx, std::string_view source, const flowgraph::shape& prepended);

protected:
  FLOWGRAPH_INLINE contents take_contents() override;
  FLOWGRAPH_INLINE void clear() override;

private:
  static constexpr std::uint32_t none = 0xffffffffu;

  // One of several values of one element that are to be added.
  struct part {
    occasion when;
    std::uint32_t number = 0;   // the number of parts before it
    std::uint32_t next = none;  // the next part of the element, or the next free part
    any_tensor value;
  };
  struct element {
    any_tensor value;  // empty after `written`: zeros
    flowgraph::shape shape;
    std::uint32_t first_part = none;  // the parts to add, if there are more than `value`; the latest first
    std::uint32_t part_count = 0;
    occasion when;
    bool written = false, read = false, cleared = false;
  };

  error fail(std::int64_t index, const message& why) const;
  error no_memory(std::int64_t size) const;
  error grow(std::int64_t size);
  error check_index(std::int64_t index) const;
  error put(std::int64_t index, any_tensor value, const occasion& when);
  error add(element& e, std::int64_t index, any_tensor value, const occasion& when);
  bool add_part(element& e, any_tensor value, const occasion& when);
  const resource* find_gradients(const std::string& source) const;
  result<any_tensor> take(std::int64_t index, std::pmr::memory_resource* memory);
  error stand_for_zeros(std::int64_t index);
  error complete(element& e, std::pmr::memory_resource* memory);
  error add_up(element& e, std::pmr::memory_resource* memory);
  error refuse_sum() const;

  settings settings_;
  limited_list<element> elements_;
  limited_list<part> parts_;
  std::uint32_t free_part_ = none;
  std::int64_t filled_ = -1;  // elements in the last write of many (for gradients, in the original array); -1: none
  sequence<std::pair<const std::string*, resource>> gradients_;  // by source: a few
};

// Arrays of gradients for other arrays, of one execution of the node that makes it.
class gradient_arrays_state final : public run_object {
public:
  gradient_arrays_state() noexcept : run_object(kind_of<gradient_arrays_state>()) {}
  ~gradient_arrays_state() override { leave(); }
  static void operator delete(gradient_arrays_state* a, std::destroying_delete_t) { destroy(a); }

  result<resource> beside(cpu ctx, const resource& array);

protected:
  FLOWGRAPH_INLINE contents take_contents() override;
  FLOWGRAPH_INLINE void clear() override { arrays_.clear(); }

private:
  const resource* find(const resource& array) const;

  sequence<std::pair<resource, resource>> arrays_;  // arrays and their gradient arrays; few
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/tensor_array_state.hpp>
#endif
