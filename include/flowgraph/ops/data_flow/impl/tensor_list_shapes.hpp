#pragma once
// The shape rules of lists.

#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/data_flow/tensor_list.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the shape of elements that a tensor gives.
FLOWGRAPH_INLINE result<shape> read_element_shape(const any_tensor& t) {
  if (t.shape().rank > 1)
    return invalid_argument({"the shape of elements must be a vector or the scalar -1, found a tensor of shape ", t.shape()});
  const auto extent = [&](std::size_t i) {
    return t.type() == dtype::int64 ? t.as<std::int64_t>()[i] : std::int64_t{t.as<std::int32_t>()[i]};
  };
  if (t.shape().rank == 0) {
    if (extent(0) == -1) return shape::unknown();
    return invalid_argument({"a scalar as the shape of elements must be -1, for any shape; found ", extent(0)});
  }
  if (t.size() > static_cast<std::size_t>(shape::max_rank))
    return invalid_argument({"elements have at most ", shape::max_rank, " axes, found ", t.size()});
  shape result;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (extent(i) < -1) return invalid_argument({"an extent of elements must be at least -1, found ", extent(i)});
    result.push_back(extent(i));
  }
  if (is_too_large(result)) return invalid_argument({"elements of shape ", result, " are too large"});
  return result;
}

// Returns the shape that an input of a shape rule gives, as far as it is known.
inline shape declared_elements(shape_context& c, std::size_t input, const shape& found) {
  if (found.rank > 1) return c.fail("the shape of elements must be a vector or the scalar -1");
  if (const any_tensor* t = c.constant(input)) {
    auto result = read_element_shape(*t);
    return result ? *result : c.fail(std::string(result.error().message()));
  }
  if (found.rank == 1 && found[0] >= 0 && found[0] <= shape::max_rank) return shape::unknown_of_rank(static_cast<int>(found[0]));
  return shape::unknown();
}

FLOWGRAPH_INLINE shape list_made(shape_context& c, std::size_t elements, const shape& found, const shape& number) {
  if (!fits(number, {})) return c.fail("the number of elements must be a scalar");
  declared_elements(c, elements, found);
  return {};
}
FLOWGRAPH_INLINE shape list_changed(shape_context& c, const shape& list) {
  return fits(list, {}) ? shape{} : c.fail("the list must be a scalar");
}
FLOWGRAPH_INLINE shape list_item_changed(shape_context& c, const shape& list, const shape& index) {
  return fits(index, {}) ? list_changed(c, list) : c.fail("the index or size must be a scalar");
}
FLOWGRAPH_INLINE shape list_of_rows(shape_context& c, const shape& tensor, std::size_t elements, const shape& found) {
  if (tensor.rank == 0) return c.fail("the tensor must have rows, at least a vector");
  const shape declared = declared_elements(c, elements, found);
  if (!c.failed() && tensor.rank > 0 && !fits(shape_of_rows(tensor), declared))
    return c.fail(message{"expected rows of shape ", declared});
  return {};
}
FLOWGRAPH_INLINE shape list_element(shape_context& c, const shape& list, std::size_t elements, const shape& found) {
  list_changed(c, list);
  return declared_elements(c, elements, found);
}
FLOWGRAPH_INLINE shape list_elements_joined(shape_context& c, const shape& list, std::int64_t size, std::size_t elements,
                                            const shape& found) {
  const shape element = list_element(c, list, elements, found);
  if (!element.has_rank()) return shape::unknown();
  return shape_of_batch(size, element);
}
FLOWGRAPH_INLINE shape_list list_concatenated(shape_context& c, const shape& list, const shape& element) {
  list_changed(c, list);
  if (element.rank == 0) c.fail("elements that are concatenated must be at least vectors");
  shape result = element;
  if (result.rank > 0) result[0] = -1;
  return {result, {-1}};
}
FLOWGRAPH_INLINE shape list_pushed_each(shape_context& c, const shape& lists, const shape& tensor) {
  if (!fits(lists, {-1})) return c.fail("the lists must be a vector");
  if (tensor.rank == 0) return c.fail("the tensor must have rows, at least a vector");
  if (lists.rank == 1 && tensor.rank > 0 && !fits({lists[0]}, {tensor[0]})) return c.fail("expected a row for each list");
  return lists;
}
FLOWGRAPH_INLINE shape same_lists(shape_context& c, const shape& a, const shape& b) {
  return fits(a, b) ? merged(a, b) : c.fail("expected as many lists on either side");
}

FLOWGRAPH_INLINE out<std::int32_t> declared_shape(const any_out& beside, const shape& known) {
  if (!known.has_rank()) return constant_beside(beside, tensor<std::int32_t>(-1));
  return shape_constant(beside, known, {});
}

}  // namespace flowgraph::detail
