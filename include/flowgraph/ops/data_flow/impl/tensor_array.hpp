#pragma once

#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/data_flow/detail/awaited.hpp>
#include <flowgraph/ops/data_flow/detail/tensor_array.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// ---- shapes

FLOWGRAPH_INLINE shape scalar_flow(shape_context& c, const shape& flow) {
  return fits(flow, {}) ? shape{} : c.fail("the flow must be a scalar");
}
FLOWGRAPH_INLINE shape written_flow(shape_context& c, const shape& index, const shape& flow) {
  return fits(index, {}) ? scalar_flow(c, flow) : c.fail("the index must be a scalar");
}
FLOWGRAPH_INLINE shape_list array_shapes(shape_context& c, const shape& size, const shape& handle) {
  if (!fits(size, {})) c.fail("the size must be a scalar");
  return {handle, {}};
}
FLOWGRAPH_INLINE shape_list gradient_array_shapes(shape_context& c, const shape& handle, const shape& flow) {
  return {handle, scalar_flow(c, flow)};
}
FLOWGRAPH_INLINE shape scattered_flow(shape_context& c, const shape& indices, const shape& value, const shape& flow) {
  if (!fits(indices, {-1})) return c.fail("the indices must be a vector");
  if (value.rank == 0) return c.fail("the value must have rows, at least a vector");
  if (indices.rank == 1 && value.rank > 0 && !fits({indices[0]}, {value[0]}))
    return c.fail("expected one index per row of the value");
  return scalar_flow(c, flow);
}
FLOWGRAPH_INLINE shape split_flow(shape_context& c, const shape& value, const shape& lengths, const shape& flow) {
  if (!fits(lengths, {-1})) return c.fail("the lengths must be a vector");
  if (value.rank == 0) return c.fail("the value must have rows, at least a vector");
  return scalar_flow(c, flow);
}
FLOWGRAPH_INLINE shape gathered_shape(shape_context& c, const shape& indices, const shape& element, const shape& flow) {
  scalar_flow(c, flow);
  if (!fits(indices, {-1})) return c.fail("the indices must be a vector");
  if (element.rank < 0) return element;
  return shape_of_batch(indices.rank == 1 ? indices[0] : -1, element);
}
FLOWGRAPH_INLINE shape_list concatenated_shapes(shape_context& c, const shape& element_except0, const shape& flow) {
  return {gathered_shape(c, {-1}, element_except0, flow), {-1}};
}

// ---- kernels

FLOWGRAPH_INLINE resource make_array(cpu ctx, const array_declaration& d, bool identical_shapes, view<const std::int32_t> size) {
  if (size.scalar() < 0) {
    ctx.fail(message{"the size of an array must be at least 0, found ", size.scalar()});
    return {};
  }
  tensor_array_state::settings s;
  s.type = d.element;
  s.element_shape = d.element_shape;
  s.dynamic_size = d.dynamic_size;
  s.clear_after_read = d.clear_after_read;
  s.identical_shapes = identical_shapes;
  const resource object(run_objects::make<tensor_array_state>(ctx, d.tensor_array_name));
  if (ctx.failed()) return {};
  auto& array = *object.as<tensor_array_state>();
  array.begin(s, ctx.memory());
  if (error why = array.resize(size.scalar())) ctx.fail(why);
  return object;
}

FLOWGRAPH_INLINE resource find_array(cpu ctx) { return named_object(ctx, kind_of<tensor_array_state>(), "an array"); }

// Returns the array of input 0, whose elements must have that type.
FLOWGRAPH_INLINE resource find_array(cpu ctx, dtype type) {
  resource found = find_array(ctx);
  if (ctx.failed()) return {};
  const auto& array = *found.as<tensor_array_state>();
  if (array.type() == type) return found;
  ctx.fail(message{"the array '", array.name(), "' has elements of type ", name_of(array.type()), ", expected ", name_of(type)});
  return {};
}

FLOWGRAPH_INLINE resource make_gradient_array(cpu ctx, const std::string& source, const flowgraph::shape& prepended) {
  const resource array = find_array(ctx);
  if (ctx.failed()) return {};
  auto result = array.as<tensor_array_state>()->gradients(ctx, source, prepended);
  if (result) return *std::move(result);
  ctx.fail(result.error());
  return {};
}

FLOWGRAPH_INLINE resource held_gradient_array(cpu ctx, const resource& holder) {
  const resource array = find_array(ctx);
  if (ctx.failed()) return {};
  auto* const arrays = holder.as<gradient_arrays_state>();
  if (!arrays) {
    ctx.fail("the handle does not name arrays of gradients");
    return {};
  }
  auto result = arrays->beside(ctx, array);
  if (result) return *std::move(result);
  ctx.fail(result.error());
  return {};
}

// Returns a value that lasts as long as the run.
FLOWGRAPH_INLINE any_tensor lasting(cpu ctx, const any_tensor& value) {
  if (value.owner()) return value;
  auto copy = value.copy(ctx.memory());
  if (copy) return *std::move(copy);
  ctx.fail(copy.error());
  return {};
}
// Returns rows of a tensor, which share its elements.
FLOWGRAPH_INLINE any_tensor rows_of(const any_tensor& value, std::int64_t first, const flowgraph::shape& extents,
                                    std::int64_t row) {
  auto* data = static_cast<std::byte*>(const_cast<void*>(value.data()));
  return any_tensor::over(value.type(), extents, value.owner(),
                          data + static_cast<std::size_t>(first * row) * size_of(value.type()));
}

FLOWGRAPH_INLINE void pass_flow(cpu ctx) { ctx.set_output(0, ctx.input(ctx.input_count() - 1)); }

FLOWGRAPH_INLINE void write_array(cpu ctx) {
  const resource array = find_array(ctx, ctx.input(2).type());
  any_tensor value = lasting(ctx, ctx.input(2));
  if (ctx.failed()) return;
  const std::int32_t index = ctx.input(1).as<std::int32_t>().scalar();
  if (error why = array.as<tensor_array_state>()->write(index, std::move(value), occasion_of(ctx))) return ctx.fail(why);
  pass_flow(ctx);
}

FLOWGRAPH_INLINE void read_array(cpu ctx, dtype type) {
  const resource array = find_array(ctx, type);
  if (ctx.failed()) return;
  auto value = array.as<tensor_array_state>()->read(ctx.input(1).as<std::int32_t>().scalar(), ctx.memory());
  if (!value) return ctx.fail(value.error());
  ctx.set_output(0, *std::move(value));
}

FLOWGRAPH_COLD inline void refuse_list(cpu ctx, std::size_t size) {
  ctx.fail(error_code::resource_exhausted, message{"no memory for a list of ", size, " elements"});
}

// Writes values one after another into an output of the given shape.
FLOWGRAPH_INLINE void join_values(cpu ctx, dtype type, const tensor_list_of_run& values, const flowgraph::shape& extents) {
  auto result = any_tensor::allocate(type, extents, ctx.memory());
  if (!result) return ctx.fail(result.error());
  limited_list<std::int64_t> begins(ctx.memory());
  if (!begins.grow(values.size())) return refuse_list(ctx, values.size());
  std::int64_t size = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    begins[i] = size;
    size += static_cast<std::int64_t>(values[i].size());
  }
  const auto count = static_cast<std::int64_t>(values.size());
  const auto put = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const any_tensor& v = values[static_cast<std::size_t>(i)];
      const std::int64_t begin = begins[static_cast<std::size_t>(i)];
      if (type == dtype::variant) {
        std::copy_n(v.as<variant>().data(), v.size(), result->as_writable<variant>().data() + begin);
      } else {
        const element_layout layout = element_layout_of(type);
        copy_elements(layout, v.data(), element_at(layout, result->data(), begin), static_cast<std::int64_t>(v.size()));
      }
    }
  };
  ctx.parallel_ranges(count, std::max<std::int64_t>(1, moved_per_block * count / std::max<std::int64_t>(1, size)), put);
  ctx.set_output(0, *std::move(result));
}

// An array without elements: its shape must be known.
FLOWGRAPH_INLINE void join_nothing(cpu ctx, dtype type, const flowgraph::shape& element_shape) {
  if (!element_shape.is_known())
    return ctx.fail(error_code::unimplemented,
                    message{"no elements of an array, whose shape is not known: ", element_shape, ", cannot be joined"});
  join_values(ctx, type, tensor_list_of_run(ctx.memory()), shape_of_batch(0, element_shape));
}

FLOWGRAPH_INLINE void gather_array(cpu ctx, dtype type, const flowgraph::shape& element_shape, bool all) {
  const resource found = find_array(ctx, type);
  if (ctx.failed()) return;
  auto& array = *found.as<tensor_array_state>();
  if (error why = array.declare_element_shape(element_shape)) return ctx.fail(why);
  array_indices indices;
  if (all) {
    const auto size = array.filled_size();
    if (!size) return ctx.fail(size.error());
    indices.count = static_cast<std::size_t>(*size);
  } else {
    const auto given = ctx.input(1).as<std::int32_t>();
    indices = {given.data(), given.size()};
  }
  if (indices.size() == 0) return join_nothing(ctx, type, element_shape);
  tensor_list_of_run values(ctx.memory());
  if (!values.grow(indices.size())) return refuse_list(ctx, indices.size());
  if (error why = array.read_many(indices, values, ctx.memory())) return ctx.fail(why);
  const flowgraph::shape first = values[0].shape();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].shape() != first)
      return ctx.fail(message{"the elements of the array '", array.name(), "' differ: ", indices[0], " has the shape ", first,
                              ", ", indices[i], " has ", values[i].shape()});
  if (!fits(first, element_shape)) return ctx.fail(message{"expected elements of shape ", element_shape, ", found ", first});
  if (first.rank == flowgraph::shape::max_rank)
    return ctx.fail(error_code::unimplemented, message{"elements of shape ", first, " cannot be stacked: too many axes"});
  join_values(ctx, type, values, shape_of_batch(static_cast<std::int64_t>(indices.size()), first));
}

FLOWGRAPH_INLINE void scatter_array(cpu ctx, bool all) {
  const any_tensor& given = ctx.input(all ? 1 : 2);
  const resource found = find_array(ctx, given.type());
  const any_tensor value = lasting(ctx, given);
  if (ctx.failed()) return;
  auto& array = *found.as<tensor_array_state>();
  const flowgraph::shape element_shape = shape_of_rows(value.shape());
  const auto count = static_cast<std::size_t>(value.shape()[0]);
  tensor_list_of_run rows(ctx.memory());
  if (!rows.grow(count)) return refuse_list(ctx, count);
  for (std::size_t i = 0; i < count; ++i)
    rows[i] = rows_of(value, static_cast<std::int64_t>(i), element_shape, element_shape.size());
  const error why =
      all ? array.write_all(rows, occasion_of(ctx)) : array.scatter(ctx.input(1).as<std::int32_t>(), rows, occasion_of(ctx));
  if (why) return ctx.fail(why);
  pass_flow(ctx);
}

FLOWGRAPH_INLINE void concat_array(cpu ctx, dtype type, const flowgraph::shape& element_shape_except0) {
  const resource found = find_array(ctx, type);
  if (ctx.failed()) return;
  auto& array = *found.as<tensor_array_state>();
  const auto size = array.filled_size();
  if (!size) return ctx.fail(size.error());
  const view<std::int64_t> lengths = ctx.output<std::int64_t>(1, {*size});
  if (ctx.failed()) return;
  if (*size == 0) return join_nothing(ctx, type, element_shape_except0);
  tensor_list_of_run values(ctx.memory());
  if (!values.grow(static_cast<std::size_t>(*size))) return refuse_list(ctx, static_cast<std::size_t>(*size));
  if (error why = array.read_many({nullptr, values.size()}, values, ctx.memory())) return ctx.fail(why);
  flowgraph::shape whole;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const flowgraph::shape& extents = values[i].shape();
    if (extents.rank == 0) return ctx.fail(message{"element ", i, " is a scalar, which cannot be concatenated: stack them"});
    const flowgraph::shape row = shape_of_rows(extents);
    if (!fits(row, element_shape_except0) || (i > 0 && row != shape_of_rows(whole)))
      return ctx.fail(
          error_code::invalid_argument,
          message{"the elements of the array '", array.name(), "' differ in more than their first extent: ", i, " has the shape ",
                  extents, ", expected rows of shape ", i > 0 ? shape_of_rows(whole) : element_shape_except0});
    lengths[i] = extents[0];
    if (i == 0) whole = extents;
    else whole[0] += extents[0];
  }
  join_values(ctx, type, values, whole);
}

FLOWGRAPH_INLINE void split_array(cpu ctx) {
  const resource found = find_array(ctx, ctx.input(1).type());
  const any_tensor value = lasting(ctx, ctx.input(1));
  if (ctx.failed()) return;
  const auto lengths = ctx.input(2).as<std::int64_t>();
  const std::int64_t rows = value.shape()[0], row = shape_of_rows(value.shape()).size();
  tensor_list_of_run parts(ctx.memory());
  if (!parts.grow(lengths.size())) return refuse_list(ctx, lengths.size());
  std::int64_t first = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::int64_t length = lengths[i];
    if (length < 0 || length > rows - first)
      return ctx.fail(message{"lengths must not be negative and their sum must be ", rows, ", as in ", value.shape(), ", found ",
                              length, " after ", first, " rows"});
    flowgraph::shape extents = value.shape();
    extents[0] = length;
    parts[i] = rows_of(value, first, extents, row);
    first += length;
  }
  if (first != rows) return ctx.fail(message{"the lengths sum to ", first, ", expected all ", rows, " rows of ", value.shape()});
  if (error why = found.as<tensor_array_state>()->write_all(parts, occasion_of(ctx))) return ctx.fail(why);
  pass_flow(ctx);
}

FLOWGRAPH_INLINE std::int32_t array_size_of(cpu ctx) {
  const resource array = find_array(ctx);
  if (ctx.failed()) return 0;
  const auto size = array.as<tensor_array_state>()->size();
  if (size) return static_cast<std::int32_t>(*size);
  ctx.fail(size.error());
  return 0;
}

FLOWGRAPH_INLINE void close_array(cpu ctx) {
  const resource array = find_array(ctx);
  if (!ctx.failed()) array.as<tensor_array_state>()->close();
}

// ---- gradients

FLOWGRAPH_INLINE std::string gradient_source(graph_state& g) {
  const auto is_used = [&](const std::string& source) {
    return std::any_of(g.nodes.begin(), g.nodes.end(), [&](const node* n) {
      if (!n->op->name().starts_with("TensorArrayGrad")) return false;
      const attribute_value used = attribute_of(*n, "source");
      return used.get<std::string>() && *used.get<std::string>() == source;
    });
  };
  for (int i = 0; g.differentiation.source.empty(); ++i) {
    std::string wished = i == 0 ? std::string("gradients") : message{"gradients_", i}.string();
    if (!is_used(wished)) g.differentiation.source = std::move(wished);
  }
  return g.differentiation.source;
}

// Returns whether the array is the same in all iterations of the loop in whose body gradients are being made.
inline bool is_made_outside(const graph_state& g, const any_out& array) {
  if (g.differentiation.loop == 0) return false;
  const node* maker = array.source;
  while (maker->op->control == control_flow::enter || maker->op->control == control_flow::switch_) maker = maker->inputs[0].from;
  return !maker->op->name().starts_with("TensorArray") || !is_within(g, maker->body, g.differentiation.loop);
}
FLOWGRAPH_INLINE out<resource> gradient_holder(graph_state& g, const any_out& array) {
  if (!is_made_outside(g, array)) return {};
  if (!g.differentiation.array_holder.source) {
    const open_body inside(g, g.differentiation.body, g.differentiation.body_number);
    node_request r;
    const gradient_arrays_op op;
    r.table = &table_of<gradient_arrays_op>;
    r.op = &op;
    g.differentiation.array_holder = {add_node(g, r, {}), 0};
  }
  return {g.differentiation.array_holder.source, 0};
}
FLOWGRAPH_INLINE void refuse_array_outside(graph_state& g, const any_out& array) {
  if (is_made_outside(g, array))
    refuse_construction(
        g, error(error_code::unimplemented,
                 message{"gradients are taken in the body of a loop, through '", array.name(),
                         "', an array outside of it that is named by strings: only arrays whose handle is a resource "
                         "(TensorArrayV3) have gradients of their own in each iteration"}));
}

}  // namespace detail

FLOWGRAPH_INLINE void gradient_arrays_op::operator()(cpu ctx, unsized<resource> holder) const {
  detail::hand_out(ctx, resource(detail::run_objects::make<detail::gradient_arrays_state>(ctx, {})), holder);
}
FLOWGRAPH_INLINE void held_gradient_array_op::operator()(cpu ctx, view<const resource>, view<const float>,
                                                         view<const resource> holder, unsized<resource> gradients,
                                                         view<float> flow_out) const {
  detail::hand_out(ctx, detail::held_gradient_array(ctx, holder.scalar()), gradients);
  flow_out.scalar() = 0;
}

FLOWGRAPH_INLINE void tensor_array_v3_op::operator()(cpu ctx, view<const std::int32_t> size, unsized<resource> handle,
                                                     view<float> flow) const {
  detail::hand_out(ctx, detail::make_array(ctx, *this, identical_element_shapes, size), handle);
  flow.scalar() = 0;
}
FLOWGRAPH_INLINE void tensor_array_grad_v3_op::operator()(cpu ctx, view<const resource>, view<const float>,
                                                          unsized<resource> gradients, view<float> flow_out) const {
  detail::hand_out(ctx, detail::make_gradient_array(ctx, source, {}), gradients);
  flow_out.scalar() = 0;
}
FLOWGRAPH_INLINE void tensor_array_grad_with_shape_op::operator()(cpu ctx, view<const resource>, view<const float>,
                                                                  view<const std::int32_t> shape_to_prepend,
                                                                  unsized<resource> gradients, view<float> flow_out) const {
  flowgraph::shape prepended;
  for (const std::int32_t extent : shape_to_prepend) prepended.push_back(extent);
  if (!prepended.is_known()) return ctx.fail(message{"shape_to_prepend must have extents of at least 0, found ", prepended});
  detail::hand_out(ctx, detail::make_gradient_array(ctx, source, prepended), gradients);
  flow_out.scalar() = 0;
}

}  // namespace flowgraph
