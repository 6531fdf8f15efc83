#pragma once

#include <flowgraph/ops/data_flow/detail/tensor_array_state.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE void tensor_array_state::begin(const settings& s, std::pmr::memory_resource* memory) {
  settings_ = s;
  limited_list<element>(memory).swap(elements_);
  limited_list<part>(memory).swap(parts_);
  free_part_ = none;
  filled_ = -1;
}

FLOWGRAPH_INLINE run_object::contents tensor_array_state::take_contents() {
  contents all;
  for (element& e : elements_) all.tensors.push_back(std::move(e.value));
  for (part& p : parts_) all.tensors.push_back(std::move(p.value));
  for (auto& [source, array] : gradients_) all.objects.push_back(std::move(array));
  clear();
  return all;
}

FLOWGRAPH_INLINE void tensor_array_state::clear() {
  elements_.clear();
  parts_.clear();
  gradients_.clear();
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error tensor_array_state::fail(std::int64_t index, const message& why) const {
  return invalid_argument({"element ", index, " of the array '", name(), "' ", why.string()});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error tensor_array_state::no_memory(std::int64_t size) const {
  return error(error_code::resource_exhausted, message{"no memory for ", size, " elements of the array '", name(), "'"});
}

FLOWGRAPH_INLINE error tensor_array_state::grow(std::int64_t size) {
  return elements_.grow(static_cast<std::size_t>(size)) ? error() : no_memory(size);
}
FLOWGRAPH_INLINE error tensor_array_state::resize(std::int64_t size) {
  const auto lock = locked();
  return grow(size);
}

FLOWGRAPH_INLINE result<std::int64_t> tensor_array_state::size() const {
  const auto lock = locked();
  if (error why = check_open()) return why;
  return static_cast<std::int64_t>(elements_.size());
}
FLOWGRAPH_INLINE result<std::int64_t> tensor_array_state::filled_size() const {
  const auto lock = locked();
  if (error why = check_open()) return why;
  return settings_.adds && filled_ >= 0 ? filled_ : static_cast<std::int64_t>(elements_.size());
}

FLOWGRAPH_INLINE error tensor_array_state::declare_element_shape(const flowgraph::shape& s) {
  const auto lock = locked();
  if (!fits(s, settings_.element_shape))
    return invalid_argument(
        {"the elements of the array '", name(), "' have the shape ", settings_.element_shape, ", expected ", s});
  settings_.element_shape = merged(settings_.element_shape, s);
  return {};
}

FLOWGRAPH_INLINE error tensor_array_state::check_index(std::int64_t index) const {
  const auto size = static_cast<std::int64_t>(elements_.size());
  if (index < 0 || (!settings_.dynamic_size && index >= size))
    return fail(index, message{"cannot be written: its size is ", size, settings_.dynamic_size ? "" : ", and fixed"});
  return {};
}

FLOWGRAPH_INLINE error tensor_array_state::put(std::int64_t index, any_tensor value, const occasion& when) {
  if (error why = check_index(index)) return why;
  if (index >= static_cast<std::int64_t>(elements_.size()))
    if (error why = grow(index + 1)) return why;
  element& e = elements_[static_cast<std::size_t>(index)];
  if (!fits(value.shape(), settings_.element_shape))
    return fail(index, message{"cannot have the shape ", value.shape(), ": expected ", settings_.element_shape});
  if (settings_.identical_shapes) settings_.element_shape = merged(settings_.element_shape, value.shape());
  if (e.read) return fail(index, message{"cannot be written: it has been read"});
  if (e.written && !settings_.adds) return fail(index, message{"cannot be written twice"});
  if (e.written) return add(e, index, std::move(value), when);
  e.shape = value.shape();
  e.value = std::move(value);
  e.when = when;
  e.written = true;
  return {};
}

FLOWGRAPH_INLINE error tensor_array_state::add(element& e, std::int64_t index, any_tensor value, const occasion& when) {
  if (value.shape() != e.shape)
    return fail(index, message{"has the shape ", e.shape, ": a gradient of shape ", value.shape(), " cannot be added"});
  if (!e.value.has_value()) {  // zeros
    e.value = std::move(value);
    e.when = when;
    return {};
  }
  if (e.first_part == none && !add_part(e, e.value, e.when)) return no_memory(1);
  return add_part(e, std::move(value), when) ? error() : no_memory(1);
}

// Returns false if there is no memory.
FLOWGRAPH_INLINE bool tensor_array_state::add_part(element& e, any_tensor value, const occasion& when) {
  std::uint32_t at = free_part_;
  if (at != none) {
    free_part_ = parts_[at].next;
  } else {
    at = static_cast<std::uint32_t>(parts_.size());
    if (at == none || !parts_.grow(parts_.size() + 1)) return false;
  }
  part& new_part = parts_[at];
  new_part.when = when;
  new_part.number = e.part_count++;
  new_part.next = std::exchange(e.first_part, at);
  new_part.value = std::move(value);
  return true;
}

FLOWGRAPH_INLINE error tensor_array_state::write(std::int64_t index, any_tensor value, const occasion& when) {
  const auto lock = locked();
  if (error why = check_open()) return why;
  return put(index, std::move(value), when);
}

FLOWGRAPH_INLINE error tensor_array_state::write_all(tensor_list_of_run& values, const occasion& when) {
  const auto lock = locked();
  if (error why = check_open()) return why;
  const std::size_t size = settings_.dynamic_size ? std::max(elements_.size(), values.size()) : elements_.size();
  if (values.size() != size) return invalid_argument({"the array '", name(), "' has ", size, " elements, found ", values.size()});
  for (std::size_t i = 0; i < values.size(); ++i)
    if (error why = put(static_cast<std::int64_t>(i), std::move(values[i]), when)) return why;
  if (!settings_.adds) filled_ = static_cast<std::int64_t>(size);
  return {};
}

FLOWGRAPH_INLINE error tensor_array_state::scatter(view<const std::int32_t> indices, tensor_list_of_run& values,
                                                   const occasion& when) {
  const auto lock = locked();
  if (error why = check_open()) return why;
  for (const std::int32_t index : indices)
    if (error why = check_index(index)) return why;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (error why = put(indices[i], std::move(values[i]), when)) return why;
  if (!settings_.adds) filled_ = static_cast<std::int64_t>(elements_.size());
  return {};
}

// An element that was never written reads as zeros if its shape is known.
FLOWGRAPH_INLINE error tensor_array_state::stand_for_zeros(std::int64_t index) {
  const auto size = static_cast<std::int64_t>(elements_.size());
  if (index < 0 || (index >= size && !settings_.adds)) return fail(index, message{"cannot be read: the size is ", size});
  if (index < size && elements_[static_cast<std::size_t>(index)].written) return {};
  if (!settings_.element_shape.is_known())
    return fail(index, message{"has not been written, and its shape is not known: ", settings_.element_shape});
  if (index >= size)
    if (error why = grow(index + 1)) return why;
  element& e = elements_[static_cast<std::size_t>(index)];
  e.shape = settings_.element_shape;
  e.written = true;
  return {};
}

template <class T> void add_to(T* sum, const T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) sum[i] = static_cast<T>(sum[i] + x[i]);
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error tensor_array_state::refuse_sum() const {
  return invalid_argument({"the array '", name(), "' of ", name_of(settings_.type), " has no zeros and no sums"});
}

// Computes the value of an element that has several parts, or is zeros.
FLOWGRAPH_INLINE error tensor_array_state::complete(element& e, std::pmr::memory_resource* memory) {
  if (e.first_part != none) return add_up(e, memory);
  if (e.value.has_value()) return {};
  if (!is_plain(settings_.type)) return refuse_sum();
  auto zeros = any_tensor::allocate(settings_.type, e.shape, memory);
  if (!zeros) return zeros.error();
  if (zeros->bytes() > 0) std::memset(zeros->data(), 0, zeros->bytes());
  e.value = *std::move(zeros);
  return {};
}

FLOWGRAPH_INLINE error tensor_array_state::add_up(element& e, std::pmr::memory_resource* memory) {
  limited_list<std::uint32_t> order(elements_.memory());
  if (!order.grow(e.part_count)) return no_memory(e.part_count);
  std::uint32_t last = none;
  for (std::uint32_t at = e.first_part, i = 0; at != none; at = parts_[at].next) order[i++] = last = at;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const occasion &first = parts_[a].when, &second = parts_[b].when;
    return first != second ? first < second : parts_[a].number < parts_[b].number;
  });
  auto sum = parts_[order[0]].value.copy(memory);
  if (!sum) return sum.error();
  const bool added = visit_type(
      settings_.type,
      [&]<class T>() {
        if constexpr (in_list<T, numbers>)
          for (std::size_t i = 1; i < order.size(); ++i)
            add_to(sum->as_writable<T>().data(), parts_[order[i]].value.as<T>().data(), sum->size());
        return in_list<T, numbers>;
      },
      [] { return false; });
  if (!added) return refuse_sum();
  for (const std::uint32_t at : order) parts_[at].value.reset();
  parts_[last].next = free_part_;
  free_part_ = std::exchange(e.first_part, none);
  e.part_count = 0;
  e.value = *std::move(sum);
  return {};
}

FLOWGRAPH_INLINE result<any_tensor> tensor_array_state::take(std::int64_t index, std::pmr::memory_resource* memory) {
  if (error why = stand_for_zeros(index)) return why;
  element& e = elements_[static_cast<std::size_t>(index)];
  if (e.cleared) return fail(index, message{"cannot be read twice: the array was made with clear_after_read"});
  if (error why = complete(e, memory)) return why;
  e.read = true;
  if (!settings_.clear_after_read) return e.value;
  e.cleared = true;
  return std::exchange(e.value, {});
}
FLOWGRAPH_INLINE result<any_tensor> tensor_array_state::read(std::int64_t index, std::pmr::memory_resource* memory) {
  const auto lock = locked();
  if (error why = check_open()) return why;
  return take(index, memory);
}
FLOWGRAPH_INLINE error tensor_array_state::read_many(const array_indices& indices, tensor_list_of_run& values,
                                                     std::pmr::memory_resource* memory) {
  const auto lock = locked();
  if (error why = check_open()) return why;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    auto value = take(indices[i], memory);
    if (!value) return value.error();
    values[i] = *std::move(value);
  }
  return {};
}

FLOWGRAPH_INLINE const resource* tensor_array_state::find_gradients(const std::string& source) const {
  for (const auto& [of, array] : gradients_)
    if (*of == source) return &array;
  return nullptr;
}
FLOWGRAPH_INLINE result<resource> tensor_array_state::gradients(cpu ctx, const std::string& source,
                                                                const flowgraph::shape& prepended) {
  {
    const auto lock = locked();
    if (error why = check_open()) return why;
    if (const resource* const found = find_gradients(source)) return *found;
  }
  auto fresh = new_gradients(ctx, source, prepended);
  if (!fresh) return fresh;
  const auto lock = locked();
  if (const resource* const found = find_gradients(source)) return *found;
  gradients_.emplace_back(&source, *fresh);
  return fresh;
}

FLOWGRAPH_INLINE result<resource> tensor_array_state::new_gradients(cpu ctx, std::string_view source,
                                                                    const flowgraph::shape& prepended) {
  const auto behind = [&](const flowgraph::shape& s) {
    flowgraph::shape whole = s.rank < 0 ? s : prepended;
    for (const std::int64_t extent : s) whole.push_back(extent);
    return whole;
  };
  settings made_with;
  {
    const auto lock = locked();
    if (error why = check_open()) return why;
    settings_.dynamic_size = false;
    made_with = settings_;
  }
  made_with.element_shape = behind(made_with.element_shape);
  made_with.clear_after_read = !made_with.adds;  // the gradient of a sum is read by each of the additions
  made_with.adds = true;
  resource fresh(run_objects::make_beside<tensor_array_state>(ctx, *this, source));  // unlocked: the new array has its own lock
  if (ctx.failed()) return *ctx.call().failure;
  auto& array = *fresh.as<tensor_array_state>();
  array.begin(made_with, elements_.memory());
  const auto lock = locked();
  if (error why = array.resize(static_cast<std::int64_t>(elements_.size()))) return why;
  array.filled_ = filled_;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (!elements_[i].written) continue;
    array.elements_[i].shape = behind(elements_[i].shape);
    array.elements_[i].written = true;
  }
  return fresh;
}

FLOWGRAPH_INLINE run_object::contents gradient_arrays_state::take_contents() {
  contents all;
  for (auto& [array, gradients] : arrays_) {
    all.objects.push_back(std::move(array));
    all.objects.push_back(std::move(gradients));
  }
  arrays_.clear();
  return all;
}
FLOWGRAPH_INLINE const resource* gradient_arrays_state::find(const resource& array) const {
  for (const auto& [of, gradients] : arrays_)
    if (of.base == array.base) return &gradients;
  return nullptr;
}
FLOWGRAPH_INLINE result<resource> gradient_arrays_state::beside(cpu ctx, const resource& array) {
  {
    const auto lock = locked();
    if (error why = check_open()) return why;
    if (const resource* const found = find(array)) return *found;
  }
  auto fresh = array.as<tensor_array_state>()->new_gradients(ctx, name(), {});  // without the lock: the new array has its own
  if (!fresh) return fresh;
  const auto lock = locked();
  if (const resource* const found = find(array)) return *found;
  arrays_.emplace_back(array, *fresh);
  return fresh;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
