#pragma once

#include <flowgraph/ops/data_flow/detail/tensor_array_state.hpp>

#include <algorithm>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE tensor_array_state::tensor_array_state(std::shared_ptr<run_objects> siblings, std::string name,
                                                        const settings& s, std::pmr::memory_resource* memory)
    : run_object(kind_of<tensor_array_state>(), std::move(siblings), std::move(name)), settings_(s), elements_(memory) {
  this->siblings()->add(*this);
}

FLOWGRAPH_INLINE run_object::contents tensor_array_state::take_contents() {
  contents all;
  for (element& e : elements_) {
    all.tensors.push_back(std::move(e.value));
    for (part& p : e.parts) all.tensors.push_back(std::move(p.value));
  }
  for (auto& [source, array] : gradients_) all.objects.push_back(std::move(array));
  elements_.clear();
  gradients_.clear();
  return all;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error tensor_array_state::fail(std::int64_t index, const message& why) const {
  return error(error_code::invalid_argument, message{"element ", index, " of the array '", name(), "' ", why.string()});
}

FLOWGRAPH_INLINE error tensor_array_state::grow(std::int64_t size) {
  if (!elements_.grow(static_cast<std::size_t>(size)))
    return error(error_code::resource_exhausted, message{"no memory for ", size, " elements of the array '", name(), "'"});
  return {};
}
FLOWGRAPH_INLINE error tensor_array_state::resize(std::int64_t size) {
  const threading::lock_guard lock(mutex_);
  return grow(size);
}

FLOWGRAPH_INLINE result<std::int64_t> tensor_array_state::size() const {
  const threading::lock_guard lock(mutex_);
  if (error why = check_open()) return why;
  return static_cast<std::int64_t>(elements_.size());
}
FLOWGRAPH_INLINE result<std::int64_t> tensor_array_state::filled_size() const {
  const threading::lock_guard lock(mutex_);
  if (error why = check_open()) return why;
  return settings_.adds && filled_ >= 0 ? filled_ : static_cast<std::int64_t>(elements_.size());
}

FLOWGRAPH_INLINE error tensor_array_state::declare_element_shape(const flowgraph::shape& s) {
  const threading::lock_guard lock(mutex_);
  if (!fits(s, settings_.element_shape))
    return error(error_code::invalid_argument,
                 message{"the elements of the array '", name(), "' have the shape ", settings_.element_shape, ", expected ", s});
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
  if (e.parts.empty()) e.parts.push_back({e.when, e.value});
  e.parts.push_back({when, std::move(value)});
  return {};
}

FLOWGRAPH_INLINE error tensor_array_state::write(std::int64_t index, any_tensor value, const occasion& when) {
  const threading::lock_guard lock(mutex_);
  if (error why = check_open()) return why;
  return put(index, std::move(value), when);
}

FLOWGRAPH_INLINE error tensor_array_state::write_all(std::vector<any_tensor> values, const occasion& when) {
  const threading::lock_guard lock(mutex_);
  if (error why = check_open()) return why;
  const std::size_t size = settings_.dynamic_size ? std::max(elements_.size(), values.size()) : elements_.size();
  if (values.size() != size)
    return error(error_code::invalid_argument,
                 message{"the array '", name(), "' has ", size, " elements, found ", values.size()});
  for (std::size_t i = 0; i < values.size(); ++i)
    if (error why = put(static_cast<std::int64_t>(i), std::move(values[i]), when)) return why;
  if (!settings_.adds) filled_ = static_cast<std::int64_t>(size);
  return {};
}

FLOWGRAPH_INLINE error tensor_array_state::scatter(view<const std::int32_t> indices, std::vector<any_tensor> values,
                                                   const occasion& when) {
  const threading::lock_guard lock(mutex_);
  if (error why = check_open()) return why;
  for (const std::int32_t index : indices)
    if (error why = check_index(index)) return why;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (error why = put(indices[i], std::move(values[i]), when)) return why;
  if (!settings_.adds) filled_ = static_cast<std::int64_t>(elements_.size());
  return {};
}

// An element that nobody has written reads as zeros where its shape is known.
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

// Gives an element that is several parts, or zeros, its value.
FLOWGRAPH_INLINE error tensor_array_state::complete(element& e, std::pmr::memory_resource* memory) const {
  if (e.value.has_value() && e.parts.empty()) return {};
  const auto refuse = [&] {
    return error(error_code::invalid_argument,
                 message{"the array '", name(), "' of ", name_of(settings_.type), " has no zeros and no sums"});
  };
  if (e.parts.empty()) {
    if (!is_plain(settings_.type)) return refuse();
    auto zeros = any_tensor::allocate(settings_.type, e.shape, memory);
    if (!zeros) return zeros.error();
    if (zeros->bytes() > 0) std::memset(zeros->data(), 0, zeros->bytes());
    e.value = *std::move(zeros);
    return {};
  }
  std::vector<std::uint32_t> order(e.parts.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const occasion &first = e.parts[a].when, &second = e.parts[b].when;
    return first != second ? first < second : a < b;
  });
  auto sum = e.parts[order[0]].value.copy(memory);
  if (!sum) return sum.error();
  const bool added = visit_type(
      settings_.type,
      [&]<class T>() {
        if constexpr (in_list<T, numbers>)
          for (std::size_t i = 1; i < e.parts.size(); ++i)
            add_to(sum->as_writable<T>().data(), e.parts[order[i]].value.as<T>().data(), sum->size());
        return in_list<T, numbers>;
      },
      [] { return false; });
  if (!added) return refuse();
  e.value = *std::move(sum);
  e.parts.clear();
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
  const threading::lock_guard lock(mutex_);
  if (error why = check_open()) return why;
  return take(index, memory);
}
FLOWGRAPH_INLINE result<std::vector<any_tensor>> tensor_array_state::read_many(const std::vector<std::int64_t>& indices,
                                                                               std::pmr::memory_resource* memory) {
  std::vector<any_tensor> values;
  values.reserve(indices.size());
  const threading::lock_guard lock(mutex_);
  if (error why = check_open()) return why;
  for (const std::int64_t index : indices) {
    auto value = take(index, memory);
    if (!value) return value.error();
    values.push_back(*std::move(value));
  }
  return values;
}

FLOWGRAPH_INLINE result<resource> tensor_array_state::gradients(const std::string& source, const flowgraph::shape& prepended) {
  {
    const threading::lock_guard lock(mutex_);
    if (error why = check_open()) return why;
    if (const auto at = gradients_.find(source); at != gradients_.end()) return at->second;
  }
  auto fresh = new_gradients(source, prepended);
  if (!fresh) return fresh;
  const threading::lock_guard lock(mutex_);
  return gradients_.try_emplace(source, *fresh).first->second;
}

FLOWGRAPH_INLINE result<resource> tensor_array_state::new_gradients(std::string_view source, const flowgraph::shape& prepended) {
  const auto behind = [&](const flowgraph::shape& s) {
    flowgraph::shape whole = s.rank < 0 ? s : prepended;
    for (const std::int64_t extent : s) whole.push_back(extent);
    return whole;
  };
  settings made_with;
  {
    const threading::lock_guard lock(mutex_);
    if (error why = check_open()) return why;
    settings_.dynamic_size = false;
    made_with = settings_;
  }
  made_with.element_shape = behind(made_with.element_shape);
  made_with.clear_after_read = !made_with.adds;  // what several additions made has a gradient that each of them reads
  made_with.adds = true;
  resource fresh(new tensor_array_state(siblings(), message{name(), '@', source}, made_with,
                                        elements_.memory()));  // without the lock: it has its own
  const threading::lock_guard lock(mutex_);
  auto& array = *fresh.as<tensor_array_state>();
  if (error why = array.resize(static_cast<std::int64_t>(elements_.size()))) return why;
  array.filled_ = filled_;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (!elements_[i].written) continue;
    array.elements_[i].shape = behind(elements_[i].shape);
    array.elements_[i].written = true;
  }
  return fresh;
}

FLOWGRAPH_INLINE gradient_arrays_state::gradient_arrays_state(std::shared_ptr<run_objects> siblings, std::string name)
    : run_object(kind_of<gradient_arrays_state>(), std::move(siblings), std::move(name)) {
  this->siblings()->add(*this);
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
FLOWGRAPH_INLINE result<resource> gradient_arrays_state::beside(const resource& array) {
  const auto find = [&]() -> const resource* {
    for (const auto& [of, gradients] : arrays_)
      if (of.base == array.base) return &gradients;
    return nullptr;
  };
  {
    const threading::lock_guard lock(mutex_);
    if (error why = check_open()) return why;
    if (const resource* found = find()) return *found;
  }
  auto fresh = array.as<tensor_array_state>()->new_gradients(name(), {});  // without the lock: it has its own
  if (!fresh) return fresh;
  const threading::lock_guard lock(mutex_);
  if (const resource* found = find()) return *found;
  arrays_.emplace_back(array, *fresh);
  return fresh;
}

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
