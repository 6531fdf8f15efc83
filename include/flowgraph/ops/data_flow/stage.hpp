#pragma once
// Staging areas. One run puts lists of tensors into an area, and another run takes them out, first in, first out. For example,
// inputs are fetched while a step computes. The nodes with the same `shared_name` use the same area; there is no handle.
//
//     fg::staging_area<float, std::int64_t> next(g, {.capacity = 2});
//     auto lay_down = next.put(images, labels);
//     auto [x, y] = next.get();

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The attributes that all nodes of a staging area have. The first node that runs makes the area.
struct stage_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  std::int64_t capacity = 0;      // the largest number of lists; 0: no limit
  std::int64_t memory_limit = 0;  // the largest number of bytes of the tensors in all lists; 0: no limit
  std::string container = {}, shared_name = {};
};
struct typed_stage_attributes : stage_attributes {
  std::vector<dtype> dtypes = {};
  const std::vector<dtype>& output_types() const { return dtypes; }
};
template <class Op> constexpr auto stage_attrs() {
  return flowgraph::attrs(attr("capacity", &Op::capacity), attr("memory_limit", &Op::memory_limit),
                          attr("container", &Op::container), attr("shared_name", &Op::shared_name));
}
template <class Op> constexpr auto typed_stage_attrs() {
  return flowgraph::attrs(attr("capacity", &Op::capacity), attr("memory_limit", &Op::memory_limit),
                          required("dtypes", &Op::dtypes), attr("container", &Op::container),
                          attr("shared_name", &Op::shared_name));
}
// Reports an error if a limit is negative.
void check_limits(shape_context& c, const stage_attributes& a);

}  // namespace detail

// Puts a list of tensors into a staging area. Waits until there is enough space.
struct stage_op : detail::stage_attributes {
  static constexpr std::string_view name = "Stage";
  static constexpr auto attrs = detail::stage_attrs<stage_op>();

  shape_list shape(shape_context& c, std::span<const flowgraph::shape> values) const;
  void operator()(cpu ctx, any_list values, done answer) const;
};

// Takes the oldest list of tensors from a staging area. Waits until there is a list.
struct unstage_op : detail::typed_stage_attributes {
  static constexpr std::string_view name = "Unstage";
  static constexpr auto attrs = detail::typed_stage_attrs<unstage_op>();

  shape_list shape(shape_context& c) const;
  void operator()(cpu ctx, any_output_list values, done answer) const;
};

// Returns the list of tensors at position `index` of a staging area, without removing it. Waits until there is a list at this
// position.
struct stage_peek_op : detail::typed_stage_attributes {
  static constexpr std::string_view name = "StagePeek";
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr auto attrs = detail::typed_stage_attrs<stage_peek_op>();

  shape_list shape(shape_context& c, const flowgraph::shape& index) const;
  void operator()(cpu ctx, view<const std::int32_t> index, any_output_list values, done answer) const;
};

// Returns the number of lists of tensors in a staging area.
struct stage_size_op : detail::stage_attributes {
  static constexpr std::string_view name = "StageSize";
  std::vector<dtype> dtypes = {};
  static constexpr auto attrs = detail::typed_stage_attrs<stage_size_op>();

  flowgraph::shape shape(shape_context& c) const;
  void operator()(cpu ctx, view<std::int32_t> size) const;
};

// Removes all lists from a staging area.
struct stage_clear_op : detail::stage_attributes {
  static constexpr std::string_view name = "StageClear";
  std::vector<dtype> dtypes = {};
  static constexpr auto attrs = detail::typed_stage_attrs<stage_clear_op>();

  void operator()(cpu ctx) const;
};

using stage_ops = type_list<stage_op, unstage_op, stage_peek_op, stage_size_op, stage_clear_op>;

// Options of a staging area.
struct staging_options {
  std::int64_t capacity = 0;      // the largest number of lists; 0: no limit
  std::int64_t memory_limit = 0;  // the largest number of bytes of the tensors in all lists; 0: no limit
  std::string container = {};     // nodes with the same container and shared_name share an area
  std::string shared_name = {};   // the shared name; empty: the area is not shared
};

namespace detail {

// Returns a node's op with the attributes of its area.
template <class Op> Op staging_node(const staging_options& o) {
  Op op;
  op.capacity = o.capacity;
  op.memory_limit = o.memory_limit;
  op.container = o.container;
  op.shared_name = o.shared_name;
  return op;
}
template <class Op, class... T> Op typed_staging_node(const staging_options& o) {
  Op op = staging_node<Op>(o);
  op.dtypes = {dtype_of<T>...};
  return op;
}

// Returns the outputs from index `first` as handles: a handle, or a tuple of handles if there are several.
template <class... T> auto staged_handles(const any_out_list& outputs, std::size_t first = 0) {
  using components = std::conditional_t<sizeof...(T) == 1, std::tuple_element_t<0, std::tuple<out<T>...>>, std::tuple<out<T>...>>;
  if (outputs.size() != first + sizeof...(T)) return components{};
  std::size_t i = first;
  const auto next = [&]<class U>(out<U>) {
    const any_out o = outputs[i++];
    return out<U>{o.source, o.port};
  };
  return components{next(out<T>{})...};
}

}  // namespace detail

// A staging area of lists of tensors of types T.
template <class... T> class staging_area {
  static_assert(sizeof...(T) > 0, "flowgraph: a staging area holds lists of one tensor or more");

public:
  explicit staging_area(const graph& g, const staging_options& o = {}, site s = {}) : graph_(g), options_(o) {
    size_ = apply_in<>(g, detail::typed_staging_node<stage_size_op, T...>(options_), s);
    // If there is no shared name, the area gets the unique name of this node, which is the first node of the area.
    if (options_.shared_name.empty() && size_.source) options_.shared_name = size_.source->name;
  }

  // Puts a list into the area. Waits until there is enough space.
  target put(out<T>... values, site s = {}) const {
    return apply(detail::staging_node<stage_op>(options_), any_out_list{values...}, s);
  }
  // Takes the oldest list. Waits until there is a list.
  auto get(site s = {}) const {
    return detail::staged_handles<T...>(apply_in<>(graph_, detail::typed_staging_node<unstage_op, T...>(options_), s));
  }
  // Returns the list at position `index` without removing it.
  auto peek(out<std::int32_t> index, site s = {}) const {
    return detail::staged_handles<T...>(apply(detail::typed_staging_node<stage_peek_op, T...>(options_), index, s));
  }
  // Returns the number of lists.
  out<std::int32_t> size() const { return size_; }
  // Removes all lists.
  target clear(site s = {}) const { return apply_in<>(graph_, detail::typed_staging_node<stage_clear_op, T...>(options_), s); }

private:
  graph graph_;
  staging_options options_;
  out<std::int32_t> size_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/stage.hpp>
#endif
