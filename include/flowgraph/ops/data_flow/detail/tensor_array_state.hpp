#pragma once
// An array of tensors as a run has it: elements, what may be done to them in which state, and the arrays of its gradients.

#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/shared/detail/limited_list.hpp>
#include <flowgraph/ops/data_flow/detail/run_objects.hpp>

#include <compare>
#include <map>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Which execution of which node: in that order gradients of one element are added, whatever the order they arrive in.
struct occasion {
  std::uint64_t iteration = 0;
  std::uint32_t node = 0;
  auto operator<=>(const occasion&) const = default;
};
inline occasion occasion_of(cpu ctx) { return {ctx.iteration(), ctx.at()->id}; }

// An array at run time. Any thread may use it.
class tensor_array_state final : public run_object {
public:
  struct settings {
    dtype type = dtype::invalid;
    flowgraph::shape element_shape = flowgraph::shape::unknown();
    bool dynamic_size = false, clear_after_read = true, identical_shapes = false;
    bool adds = false;  // an array of gradients
  };

  // `memory` holds the list of the elements.
  tensor_array_state(std::shared_ptr<run_objects> siblings, std::string name, const settings& s,
                     std::pmr::memory_resource* memory);
  ~tensor_array_state() override { leave(); }

  dtype type() const noexcept { return settings_.type; }
  bool is_of_gradients() const noexcept { return settings_.adds; }

  error resize(std::int64_t size);
  result<std::int64_t> size() const;
  // Elements that joining all takes: of an array of gradients, those that the array beside it was filled with.
  result<std::int64_t> filled_size() const;
  error declare_element_shape(const flowgraph::shape& s);

  error write(std::int64_t index, any_tensor value, const occasion& when);
  // All elements from 0 on, and no others unless the array can grow; or those of the indices.
  error write_all(std::vector<any_tensor> values, const occasion& when);
  error scatter(view<const std::int32_t> indices, std::vector<any_tensor> values, const occasion& when);
  result<any_tensor> read(std::int64_t index, std::pmr::memory_resource* memory);
  result<std::vector<any_tensor>> read_many(const std::vector<std::int64_t>& indices, std::pmr::memory_resource* memory);

  // The array of gradients of that source, made when there is none. `prepended` stands in front of the elements' shapes.
  result<resource> gradients(const std::string& source, const flowgraph::shape& prepended);
  // Another one, which the caller keeps.
  result<resource> new_gradients(std::string_view source, const flowgraph::shape& prepended);

protected:
  FLOWGRAPH_INLINE contents take_contents() override;

private:
  struct part {
    occasion when;
    any_tensor value;
  };
  struct element {
    any_tensor value;  // none: zeros, once `written`
    flowgraph::shape shape;
    std::vector<part> parts;  // what is to be added up, when there is more than `value`
    occasion when;
    bool written = false, read = false, cleared = false;
  };

  error fail(std::int64_t index, const message& why) const;
  error grow(std::int64_t size);
  error check_index(std::int64_t index) const;
  error put(std::int64_t index, any_tensor value, const occasion& when);
  error add(element& e, std::int64_t index, any_tensor value, const occasion& when);
  result<any_tensor> take(std::int64_t index, std::pmr::memory_resource* memory);
  error stand_for_zeros(std::int64_t index);
  error complete(element& e, std::pmr::memory_resource* memory) const;

  settings settings_;
  limited_list<element> elements_;
  std::int64_t filled_ = -1;  // elements that the last write of many left; of gradients, in the array beside. -1: there was none
  std::map<std::string, resource> gradients_;
};

// Arrays of gradients beside others, of one execution of the node that makes it.
class gradient_arrays_state final : public run_object {
public:
  gradient_arrays_state(std::shared_ptr<run_objects> siblings, std::string name);
  ~gradient_arrays_state() override { leave(); }

  result<resource> beside(const resource& array);

protected:
  FLOWGRAPH_INLINE contents take_contents() override;

private:
  std::vector<std::pair<resource, resource>> arrays_;  // and those of their gradients: a few
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/tensor_array_state.hpp>
#endif
