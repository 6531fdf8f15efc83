#pragma once

#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/data_flow/detail/tensor_list.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// ---- lists as inputs and outputs

FLOWGRAPH_COLD inline void refuse_list(cpu ctx, const char* why) { ctx.fail(error_code::invalid_argument, why); }
FLOWGRAPH_COLD inline void refuse_list(cpu ctx, const message& why) { ctx.fail(error_code::invalid_argument, why); }

inline const list_value* list_of(cpu ctx, const variant& v) {
  const auto* const list = v.as<list_value>();
  if (!list)
    refuse_list(ctx, v.base ? "expected a list, found a variant of another kind" : "expected a list, found an empty variant");
  return list;
}
// Returns the list of input 0, whose elements must have that type. Otherwise fails and returns null.
inline const list_value* list_of(cpu ctx, dtype element) {
  const list_value* const list = list_of(ctx, ctx.input(0).as<variant>().scalar());
  if (!list || list->type == element) return list;
  refuse_list(ctx, message{"expected a list of ", name_of(element), ", found one of ", name_of(list->type)});
  return nullptr;
}
inline dtype output_type(cpu ctx, std::size_t k) { return ctx.at()->outputs[k].type; }

FLOWGRAPH_COLD inline void fail_without_memory(cpu ctx, std::int64_t size) {
  ctx.fail(error_code::resource_exhausted, message{"no memory for a list of ", size, " elements"});
}

// Returns the list to change, in `y`: the given list if `y` is at its place and no other handle exists, otherwise a copy. Values
// that are to be added must be read before, since `y` may be at their place.
inline list_value* own_list(cpu ctx, const variant& given, variant& y) {
  if (&given == &y && y.base->is_unique()) return y.as<list_value>();
  const list_value& list = *given.as<list_value>();
  const std::int64_t size = list.size();
  variant copy = list.copy(ctx.memory());
  if (!copy.base) {
    fail_without_memory(ctx, size);
    return nullptr;
  }
  y = std::move(copy);
  return y.as<list_value>();
}
inline list_value* own_list(cpu ctx, view<variant> y) { return own_list(ctx, ctx.input(0).as<variant>().scalar(), y.scalar()); }

inline bool fits_elements(cpu ctx, const list_value& list, const shape& found) {
  if (fits(found, list.element_shape)) return true;
  refuse_list(ctx, message{"the list has elements of shape ", list.element_shape, ", found ", found});
  return false;
}
inline bool has_element(cpu ctx, const list_value& list, std::int64_t i) {
  if (i >= 0 && i < list.size()) return true;
  refuse_list(ctx, message{"there is no element ", i, " in a list of ", list.size()});
  return false;
}

// Returns the shape that the list and input `k` declare together. Fails if they differ.
inline shape declared_together(cpu ctx, const list_value& list, std::size_t k) {
  const auto given = read_element_shape(ctx.input(k));
  if (!given) {
    ctx.fail(given.error());
    return {};
  }
  if (!fits_elements(ctx, list, *given)) return {};
  return merged(*given, list.element_shape);
}
// Combines `known` with the shape of a value.
inline void learn_shape(cpu ctx, shape& known, const any_tensor& value) {
  if (!fits(value.shape(), known))
    return refuse_list(ctx, message{"expected elements of shape ", known, ", found ", value.shape()});
  known = value.shape();
}

inline any_tensor zeros_in_place_of_element(cpu ctx, dtype type, const shape& extents) {
  if (!extents.is_known()) {
    refuse_list(ctx, message{"the element is not set, and its shape is not known: ", extents});
    return {};
  }
  auto result = any_tensor::allocate(type, extents, ctx.memory());
  if (!result) {
    ctx.fail(result.error());
    return {};
  }
  if (is_plain(type) && result->bytes() > 0) std::memset(result->data(), 0, result->bytes());
  return *std::move(result);
}

// ---- making lists

inline void give_list(cpu ctx, dtype type, const shape& element_shape, std::int64_t size, view<variant> y) {
  auto* const result = new list_value(type, element_shape, ctx.memory());
  result->resize(size);
  y.scalar() = variant(result);
}

FLOWGRAPH_INLINE void make_list(cpu ctx, dtype element, view<const std::int32_t> number, bool is_most, view<variant> list) {
  const auto element_shape = read_element_shape(ctx.input(0));
  if (!element_shape) return ctx.fail(element_shape.error());
  const std::int64_t n = number.scalar();
  if (n < 0 && !is_most) return refuse_list(ctx, message{"the number of elements must not be negative, found ", n});
  give_list(ctx, element, *element_shape, is_most ? 0 : n, list);
  if (is_most) list.scalar().as<list_value>()->most = n;
}

// Returns a part of a tensor along its first axis. It shares the elements.
inline any_tensor part_of_rows(const any_tensor& value, std::int64_t first, const shape& extents, std::int64_t row) {
  auto* const data = static_cast<std::byte*>(const_cast<void*>(value.data()));
  return any_tensor::over(value.type(), extents, value.owner(),
                          data + static_cast<std::size_t>(first * row) * size_of(value.type()));
}
// Sets elements to rows of a tensor: row i to element at(i). Precondition: the list has these elements.
template <class At> void set_rows(cpu ctx, list_value& list, const any_tensor& value, const At& at) {
  const shape extents = shape_of_rows(value.shape());
  const std::int64_t row = extents.size();
  for (std::int64_t i = 0; i < value.shape()[0]; ++i)
    if (!list.set(at(i), part_of_rows(value, i, extents, row))) return fail_without_memory(ctx, list.size());
}

// A tensor whose rows a list receives, and the shape that input `k` declares for them.
struct given_rows {
  any_tensor value;
  shape element_shape;
};
inline given_rows rows_given(cpu ctx, std::size_t k) {
  const auto declared = read_element_shape(ctx.input(k));
  given_rows result;
  if (!declared) {
    ctx.fail(declared.error());
    return result;
  }
  result.element_shape = *declared;
  const shape& found = ctx.input(0).shape();
  if (found.rank < 1) refuse_list(ctx, "the tensor must have rows, at least a vector");
  else if (!fits(shape_of_rows(found), *declared))
    refuse_list(ctx, message{"expected rows of shape ", *declared, ", found ", shape_of_rows(found)});
  else result.value = kept_value(ctx, ctx.input(0), ctx.memory());
  return result;
}

FLOWGRAPH_INLINE void list_rows(cpu ctx, view<variant> list) {
  const given_rows rows = rows_given(ctx, 1);
  if (ctx.failed()) return;
  give_list(ctx, rows.value.type(), rows.element_shape, rows.value.shape()[0], list);
  set_rows(ctx, *list.scalar().as<list_value>(), rows.value, [](std::int64_t i) { return i; });
}

// Returns the number of elements that the indices require. Fails if an index is negative.
inline std::int64_t size_for(cpu ctx, view<const std::int32_t> indices, std::int64_t rows) {
  if (static_cast<std::int64_t>(indices.size()) != rows)
    refuse_list(ctx, message{"expected one index per row, found ", indices.size(), " for ", rows, " rows"});
  std::int64_t size = 0;
  for (const std::int32_t i : indices) {
    if (i < 0) refuse_list(ctx, message{"indices must not be negative, found ", i});
    size = std::max<std::int64_t>(size, std::int64_t{i} + 1);
  }
  return size;
}

FLOWGRAPH_INLINE void scatter_rows(cpu ctx, view<const std::int32_t> indices, std::int64_t size, view<variant> list) {
  if (size < -1) return refuse_list(ctx, message{"num_elements must be at least -1, found ", size});
  const given_rows rows = rows_given(ctx, 2);
  if (ctx.failed()) return;
  const std::int64_t needed = size_for(ctx, indices, rows.value.shape()[0]);
  if (ctx.failed()) return;
  if (size >= 0 && needed > size) return refuse_list(ctx, message{"there is no element ", needed - 1, " in a list of ", size});
  give_list(ctx, rows.value.type(), rows.element_shape, std::max(size, needed), list);
  set_rows(ctx, *list.scalar().as<list_value>(), rows.value,
           [&](std::int64_t i) { return std::int64_t{indices[static_cast<std::size_t>(i)]}; });
}

FLOWGRAPH_INLINE void split_to_list(cpu ctx, view<const std::int64_t> lengths, view<variant> list) {
  const auto declared = read_element_shape(ctx.input(1));
  if (!declared) return ctx.fail(declared.error());
  if (declared->rank == 0)
    return refuse_list(ctx, "parts of a tensor are at least vectors: the shape of elements must have an extent");
  const shape whole = ctx.input(0).shape(), row = shape_of_rows(whole);
  if (declared->has_rank() && !fits(row, shape_of_rows(*declared)))
    return refuse_list(ctx, message{"expected parts of shape ", *declared, " of a tensor of shape ", whole});
  const any_tensor value = kept_value(ctx, ctx.input(0), ctx.memory());
  if (ctx.failed()) return;
  give_list(ctx, value.type(), *declared, static_cast<std::int64_t>(lengths.size()), list);
  list_value& result = *list.scalar().as<list_value>();
  std::int64_t first = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0 || lengths[i] > whole[0] - first)
      return refuse_list(ctx, message{"lengths must not be negative and their sum must be ", whole[0], ", found ", lengths[i],
                                      " after ", first, " rows"});
    shape extents = whole;
    extents[0] = lengths[i];
    if (!result.set(static_cast<std::int64_t>(i), part_of_rows(value, first, extents, row.size())))
      return fail_without_memory(ctx, result.size());
    first += lengths[i];
  }
  if (first != whole[0]) refuse_list(ctx, message{"the lengths sum to ", first, ", expected all ", whole[0], " rows"});
}

// ---- reading and changing lists

FLOWGRAPH_INLINE void measure_list(cpu ctx, view<std::int32_t> length) {
  const list_value* const list = list_of(ctx, ctx.input(0).as<variant>().scalar());
  if (!list) return;
  if (list->size() > std::numeric_limits<std::int32_t>::max())
    return refuse_list(ctx, message{"the list has ", list->size(), " elements, which no int32 is"});
  length.scalar() = static_cast<std::int32_t>(list->size());
}

FLOWGRAPH_INLINE shape list_element_shape(cpu ctx) {
  const list_value* const list = list_of(ctx, ctx.input(0).as<variant>().scalar());
  return list ? list->element_shape : shape();
}

FLOWGRAPH_INLINE void resize_list(cpu ctx, view<const std::int32_t> size, view<variant> resized) {
  if (!list_of(ctx, ctx.input(0).as<variant>().scalar())) return;
  if (size.scalar() < 0) return refuse_list(ctx, message{"the size of a list must not be negative, found ", size.scalar()});
  if (list_value* own = own_list(ctx, resized)) own->resize(size.scalar());
}

FLOWGRAPH_INLINE void push_to_list(cpu ctx, view<variant> longer) {
  const list_value* const list = list_of(ctx, ctx.input(1).type());
  if (!list || !fits_elements(ctx, *list, ctx.input(1).shape())) return;
  if (list->most >= 0 && list->size() >= list->most)
    return refuse_list(ctx, message{"the list has all the elements that it may have, ", list->most});
  any_tensor value = kept_value(ctx, ctx.input(1), ctx.memory());
  if (ctx.failed()) return;
  list_value* const own = own_list(ctx, longer);
  if (own && !own->push(std::move(value))) fail_without_memory(ctx, own->size() + 1);
}

FLOWGRAPH_INLINE void pop_from_list(cpu ctx, view<variant> shorter) {
  const dtype type = output_type(ctx, 1);
  const list_value* const list = list_of(ctx, type);
  if (!list) return;
  if (list->size() == 0) return refuse_list(ctx, "the list has no element to be taken off");
  const any_tensor* const last = list->find(list->size() - 1);
  any_tensor value = last ? *last : zeros_in_place_of_element(ctx, type, declared_together(ctx, *list, 1));
  if (ctx.failed()) return;
  if (list_value* own = own_list(ctx, shorter)) own->resize(own->size() - 1);
  ctx.set_output(1, std::move(value));
}

FLOWGRAPH_INLINE void get_from_list(cpu ctx, view<const std::int32_t> index) {
  const dtype type = output_type(ctx, 0);
  const list_value* const list = list_of(ctx, type);
  if (!list || !has_element(ctx, *list, index.scalar())) return;
  if (const any_tensor* value = list->find(index.scalar())) return ctx.set_output(0, *value);
  shape known = declared_together(ctx, *list, 2);
  if (!ctx.failed() && !known.is_known())
    for (const any_tensor& other : list->kept())
      if (other.has_value() && !ctx.failed()) learn_shape(ctx, known, other);
  if (ctx.failed()) return;
  ctx.set_output(0, zeros_in_place_of_element(ctx, type, known));
}

FLOWGRAPH_INLINE void set_in_list(cpu ctx, view<const std::int32_t> index, bool resizes, view<variant> changed) {
  const std::int64_t i = index.scalar();
  const list_value* const list = list_of(ctx, ctx.input(2).type());
  if (!list || !fits_elements(ctx, *list, ctx.input(2).shape())) return;
  if (!(resizes && i >= list->size()) && !has_element(ctx, *list, i)) return;
  any_tensor value = kept_value(ctx, ctx.input(2), ctx.memory());
  if (ctx.failed()) return;
  list_value* const own = own_list(ctx, changed);
  if (!own) return;
  if (i >= own->size()) own->resize(i + 1);
  if (!own->set(i, std::move(value))) fail_without_memory(ctx, own->size());
}

FLOWGRAPH_INLINE void scatter_into_list(cpu ctx, view<const std::int32_t> indices, view<variant> changed) {
  const any_tensor& given = ctx.input(1);
  const list_value* const list = list_of(ctx, given.type());
  if (!list) return;
  if (given.shape().rank < 1) return refuse_list(ctx, "the tensor must have rows, at least a vector");
  if (!fits_elements(ctx, *list, shape_of_rows(given.shape()))) return;
  const std::int64_t needed = size_for(ctx, indices, given.shape()[0]);
  if (ctx.failed()) return;
  const any_tensor value = kept_value(ctx, given, ctx.memory());
  if (ctx.failed()) return;
  list_value* const own = own_list(ctx, changed);
  if (!own) return;
  if (needed > own->size()) own->resize(needed);
  set_rows(ctx, *own, value, [&](std::int64_t i) { return std::int64_t{indices[static_cast<std::size_t>(i)]}; });
}

FLOWGRAPH_INLINE void join_lists(cpu ctx, dtype element, view<const variant> a, view<const variant> b, view<variant> joined) {
  const std::vector<variant> behind(b.begin(), b.end());  // `joined` may be at their place
  for (std::size_t k = 0; k < joined.size() && !ctx.failed(); ++k) {
    const list_value *first = list_of(ctx, a[k]), *second = ctx.failed() ? nullptr : list_of(ctx, behind[k]);
    if (!first || !second) return;
    if (first->type != element || second->type != element)
      return refuse_list(
          ctx, message{"expected lists of ", name_of(element), ", found ", name_of(first->type), " and ", name_of(second->type)});
    if (!fits(first->element_shape, second->element_shape))
      return refuse_list(
          ctx, message{"lists to be joined have elements of shape ", first->element_shape, " and ", second->element_shape});
    const std::int64_t size = first->size();
    list_value* const own = own_list(ctx, a[k], joined[k]);
    if (!own) return;
    own->resize(size + second->size());
    for (std::size_t i = 0; i < second->kept().size(); ++i)
      if (const any_tensor& value = second->kept()[i]; value.has_value())
        if (!own->set(size + second->first() + static_cast<std::int64_t>(i), value)) return fail_without_memory(ctx, own->size());
  }
}

FLOWGRAPH_INLINE void push_to_each(cpu ctx, view<const variant> lists, view<variant> longer) {
  const any_tensor value = kept_value(ctx, ctx.input(1), ctx.memory());
  if (ctx.failed()) return;
  const shape extents = shape_of_rows(value.shape());
  for (std::size_t k = 0; k < lists.size(); ++k) {
    const list_value* const list = list_of(ctx, lists[k]);
    if (!list || !fits_elements(ctx, *list, extents)) return;
    if (list->type != value.type())
      return refuse_list(ctx, message{"expected a list of ", name_of(value.type()), ", found one of ", name_of(list->type)});
  }
  for (std::size_t k = 0; k < lists.size(); ++k) {
    list_value* const own = own_list(ctx, lists[k], longer[k]);
    if (!own) return;
    if (!own->push(part_of_rows(value, static_cast<std::int64_t>(k), extents, extents.size())))
      return fail_without_memory(ctx, own->size() + 1);
  }
}

// ---- joining elements

// Writes `count` values one after another into output 0. at(i) is value i, or null for zeros; begin(i) is its first element in
// the output.
template <class At, class Begin>
void join_elements(cpu ctx, const shape& extents, std::int64_t count, const At& at, const Begin& begin) {
  const dtype type = output_type(ctx, 0);
  auto result = any_tensor::allocate(type, extents, ctx.memory());
  if (!result) return ctx.fail(result.error());
  const element_layout layout = element_layout_of(type);
  const auto put = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const any_tensor* const value = at(i);
      const std::int64_t to = begin(i), size = begin(i + 1) - to;
      if (!value) {
        if (is_plain(type) && size > 0)
          std::memset(element_at(layout, result->data(), to), 0, static_cast<std::size_t>(size) * layout.size);
      } else if (is_counted(type)) {
        std::copy_n(static_cast<const resource*>(value->data()), size, static_cast<resource*>(result->data()) + to);
      } else {
        copy_elements(layout, value->data(), element_at(layout, result->data(), to), size);
      }
    }
  };
  const std::int64_t size = extents.size();
  if (size > 0) ctx.parallel_ranges(count, std::max<std::int64_t>(1, moved_per_block * count / size), put);
  ctx.set_output(0, *std::move(result));
}

// Writes values of one shape: the elements of a list with the indices index(i).
template <class Index>
void stack_elements(cpu ctx, const list_value& list, std::int64_t count, shape element, const Index& index) {
  if (ctx.failed()) return;
  if (!element.is_known())
    return refuse_list(ctx, message{"none of the elements is set, and their shape is not known: ", element});
  if (element.rank == shape::max_rank)
    return refuse_list(ctx, message{"elements of shape ", element, " cannot be stacked: too many axes"});
  const shape extents = shape_of_batch(count, element);
  if (is_too_large(extents))
    return ctx.fail(error_code::resource_exhausted, message{"a tensor of shape ", extents, " is too large"});
  const std::int64_t size = element.size();
  join_elements(
      ctx, extents, count, [&](std::int64_t i) { return list.find(index(i)); }, [&](std::int64_t i) { return i * size; });
}

FLOWGRAPH_INLINE void stack_list(cpu ctx, std::int64_t num_elements) {
  const list_value* const list = list_of(ctx, output_type(ctx, 0));
  if (!list) return;
  if (num_elements != -1 && list->size() != num_elements)
    return refuse_list(ctx, message{"expected a list of ", num_elements, " elements, found ", list->size()});
  shape element = declared_together(ctx, *list, 1);
  for (const any_tensor& value : list->kept())
    if (value.has_value() && !ctx.failed()) learn_shape(ctx, element, value);
  stack_elements(ctx, *list, list->size(), element, [](std::int64_t i) { return i; });
}

FLOWGRAPH_INLINE void gather_from_list(cpu ctx, view<const std::int32_t> indices) {
  const list_value* const list = list_of(ctx, output_type(ctx, 0));
  if (!list) return;
  shape element = declared_together(ctx, *list, 2);
  for (const std::int32_t i : indices) {
    if (ctx.failed() || !has_element(ctx, *list, i)) return;
    if (const any_tensor* value = list->find(i)) learn_shape(ctx, element, *value);
  }
  stack_elements(ctx, *list, static_cast<std::int64_t>(indices.size()), element,
                 [&](std::int64_t i) { return std::int64_t{indices[static_cast<std::size_t>(i)]}; });
}

// The known shape of the rows of concatenated elements, and the length of elements that are not set (-1: unknown).
struct concatenated {
  shape row;
  std::int64_t length = -1;
};
inline concatenated known_parts(cpu ctx, const list_value& list, const shape& element) {
  concatenated result{element.has_rank() ? shape_of_rows(element) : shape::unknown(), element.rank > 0 ? element[0] : -1};
  if (element.rank == 1) result.row = {};
  std::int64_t found = -1;
  bool is_one = true;
  for (const any_tensor& value : list.kept()) {
    if (!value.has_value()) continue;
    if (value.shape().rank == 0) refuse_list(ctx, "an element is a scalar, which cannot be concatenated: stack them");
    if (ctx.failed()) return result;
    const shape row = shape_of_rows(value.shape());
    if (!fits(row, result.row) || (result.length >= 0 && value.shape()[0] != result.length))
      refuse_list(ctx,
                  message{"elements that are concatenated have the shape ", value.shape(), " and rows of shape ", result.row});
    if (ctx.failed()) return result;
    result.row = row;
    is_one = is_one && (found < 0 || found == value.shape()[0]);
    found = value.shape()[0];
  }
  if (result.length < 0 && is_one && !list.element_shape.is_known()) result.length = found;
  return result;
}

FLOWGRAPH_INLINE void concat_list(cpu ctx, const shape& element_shape, const view<const std::int64_t>* lengths) {
  const list_value* const list = list_of(ctx, output_type(ctx, 0));
  if (!list) return;
  shape element = element_shape;
  if (lengths) element = declared_together(ctx, *list, 1);
  else if (element.has_rank() && element.rank > 0) element[0] = -1;
  if (ctx.failed()) return;
  if (element.rank == 0) return refuse_list(ctx, "elements that are concatenated must be at least vectors");
  const concatenated known = known_parts(ctx, *list, element);
  if (ctx.failed()) return;
  if (!known.row.is_known())
    return refuse_list(ctx, message{"none of the elements is set, and the shape of their rows is not known: ", known.row});
  const view<std::int64_t> found = ctx.output<std::int64_t>(1, {list->size()});
  if (ctx.failed()) return;
  std::int64_t rows = 0;
  for (std::int64_t i = 0; i < list->size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const any_tensor* const value = list->find(i);
    std::int64_t length = value ? value->shape()[0] : known.length;
    if (!value && lengths && k < lengths->size()) length = (*lengths)[k];
    if (length < 0) return refuse_list(ctx, message{"element ", i, " is not set, and nothing says how long it is"});
    if (length > most_elements - rows)
      return ctx.fail(error_code::resource_exhausted, message{"the elements of the list are too long: ", length});
    found[k] = length;
    rows += length;
  }
  const shape extents = shape_of_batch(rows, known.row);
  if (is_too_large(extents))
    return ctx.fail(error_code::resource_exhausted, message{"a tensor of shape ", extents, " is too large"});
  std::vector<std::int64_t> begins{0};
  begins.reserve(found.size() + 1);
  for (const std::int64_t length : found) begins.push_back(begins.back() + length * known.row.size());
  join_elements(
      ctx, extents, list->size(), [&](std::int64_t i) { return list->find(i); },
      [&](std::int64_t i) { return begins[static_cast<std::size_t>(i)]; });
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
