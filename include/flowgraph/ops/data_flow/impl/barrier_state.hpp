#pragma once

#include <flowgraph/ops/data_flow/detail/barrier_state.hpp>
#include <flowgraph/ops/data_flow/detail/saved_tensors.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE error barrier_state::check(const barrier_description& d) {
  if (d.types.empty()) return invalid_argument("component_types must name one or more types");
  if (!d.shapes.empty() && d.shapes.size() != d.types.size())
    return invalid_argument(
        {"there must be a shape for each of the ", d.types.size(), " component_types, or none; found ", d.shapes.size()});
  return {};
}

// ---- adding

FLOWGRAPH_INLINE error barrier_state::insert(view<const std::string> keys, std::size_t component_index, any_tensor values) {
  const auto shared = std::make_shared<const any_tensor>(std::move(values));
  error why;
  change([&](settled_wishes&) {
    elements_by_key touched;  // their new state; an element without components has become ready
    std::vector<element> completed;
    why = check_insertion(keys.size());
    for (std::size_t i = 0; i < keys.size() && !why; ++i)
      why = insert_into(touched, completed, keys[i], component_index, {shared, static_cast<std::int64_t>(i)});
    if (why) return;
    bool is_new = false;
    for (const auto& [key, e] : touched) is_new = is_new || e.index == next_index_;
    for (const element& e : completed) is_new = is_new || e.index == next_index_;
    if (is_new) ++next_index_;
    for (auto& [key, e] : touched) {
      if (e.components.empty()) incomplete_.erase(key);
      else incomplete_.insert_or_assign(key, std::move(e));
    }
    for (element& e : completed) {
      const std::int64_t index = e.index;
      ready_.emplace(index, std::move(e));
    }
  });
  return why;
}

FLOWGRAPH_INLINE error barrier_state::check_insertion(std::size_t count) const {
  if (!closed_ || (!cancelled_ && (count == 0 || !incomplete_.empty()))) return {};
  return error(error_code::cancelled, message{called(), " is closed"});
}

FLOWGRAPH_INLINE error barrier_state::insert_into(elements_by_key& touched, std::vector<element>& completed,
                                                  const std::string& key, std::size_t component_index, component value) const {
  auto found = touched.find(key);
  if (found == touched.end()) {
    const auto begun = incomplete_.find(key);
    found = touched.emplace(key, begun == incomplete_.end() ? element{} : begun->second).first;
  }
  element& e = found->second;
  if (e.components.empty()) {
    if (closed_) return error(error_code::cancelled, message{called(), " is closed: the key '", key, "' is new"});
    e = {next_index_, key, std::vector<component>(description_.types.size())};
  }
  if (e.components[component_index].values)
    return invalid_argument({called(), ": the key '", key, "' has a value for component ", component_index, " already"});
  e.components[component_index] = std::move(value);
  for (const component& c : e.components)
    if (!c.values) return {};
  completed.push_back(std::exchange(e, {}));
  return {};
}

FLOWGRAPH_INLINE error barrier_state::close(bool cancel_pending) {
  error why;
  elements_by_key dropped;  // destroyed outside the lock
  change([&](settled_wishes&) {
    if (closed_ && (cancelled_ || !cancel_pending)) {
      why = error(error_code::cancelled, message{called(), " is closed already"});
      return;
    }
    closed_ = true;
    cancelled_ = cancel_pending;
    if (cancel_pending) dropped.swap(incomplete_);
  });
  return why;
}

// ---- taking

// As in TensorFlow: a request to a closed barrier gets the ready elements, if fewer are allowed. A request that waits for
// incomplete elements waits until they are completed or dropped.
FLOWGRAPH_INLINE awaited::progress barrier_state::advance(awaited::wish& asked) {
  auto& w = static_cast<wish&>(asked);
  const auto there = static_cast<std::int64_t>(ready_.size());
  if (closed_ && (!w.has_asked || incomplete_.empty())) {
    if (w.allows_less && there > 0) w.wanted = std::min(w.wanted, there);
    const std::int64_t possible = there + (w.allows_less ? 0 : static_cast<std::int64_t>(incomplete_.size()));
    if (possible < std::max<std::int64_t>(w.wanted, 1)) {
      w.why = error(error_code::out_of_range,
                    message{called(), " is closed and has too few elements: requested ", w.wanted, ", found ", possible});
      return progress::complete;
    }
  }
  w.has_asked = true;
  if (there < w.wanted) return progress::none;
  for (std::int64_t i = 0; i < w.wanted; ++i) {
    w.taken.push_back(std::move(ready_.begin()->second));
    ready_.erase(ready_.begin());
  }
  return progress::complete;
}

FLOWGRAPH_INLINE void barrier_state::give_back(awaited::wish& asked) {
  auto& w = static_cast<wish&>(asked);
  for (auto e = w.taken.rbegin(); e != w.taken.rend(); ++e) {
    const std::int64_t index = e->index;
    ready_.emplace_hint(ready_.lower_bound(index), index, std::move(*e));
  }
  w.taken.clear();
}

FLOWGRAPH_INLINE error barrier_state::deliver(awaited::wish& asked) {
  const auto& w = static_cast<const wish&>(asked);
  const auto n = static_cast<std::int64_t>(w.taken.size());
  std::vector<any_tensor> batches;
  for (std::size_t i = 0; i < description_.types.size(); ++i) {
    auto result = batch_of(w, i);
    if (!result) return result.error();
    batches.push_back(*std::move(result));
  }
  auto indices = any_tensor::allocate(dtype::int64, {n}, w.context.memory());
  if (!indices) return indices.error();
  auto keys = any_tensor::allocate(dtype::string, {n}, w.context.memory());
  if (!keys) return keys.error();
  for (std::size_t i = 0; i < w.taken.size(); ++i) {
    indices->as_writable<std::int64_t>()[i] = w.taken[i].index;
    keys->as_writable<std::string>()[i] = w.taken[i].key;
  }
  w.context.set_output(0, *std::move(indices));
  w.context.set_output(1, *std::move(keys));
  for (std::size_t i = 0; i < batches.size(); ++i) w.context.set_output(i + 2, std::move(batches[i]));
  return {};
}

FLOWGRAPH_INLINE result<any_tensor> barrier_state::batch_of(const wish& w, std::size_t component_index) const {
  const dtype type = description_.types[component_index];
  const auto row_of = [&](const element& e) { return shape_of_rows(e.components[component_index].values->shape()); };
  shape row = w.taken.empty() ? description_.shapes.empty() ? shape() : description_.shapes[component_index] : row_of(w.taken[0]);
  for (int k = 0; k < row.rank; ++k) row[k] = std::max<std::int64_t>(row[k], 0);
  for (const element& e : w.taken)
    if (!(row_of(e) == row))
      return invalid_argument({called(), ": the elements of a batch must have one shape, found ", row, " and ", row_of(e),
                               " for component ", component_index});
  auto result = any_tensor::allocate(type, shape_of_batch(static_cast<std::int64_t>(w.taken.size()), row), w.context.memory());
  if (!result) return result;
  const element_layout e = element_layout_of(type);
  std::int64_t at = 0;
  for (const element& taken : w.taken) {
    const component& c = taken.components[component_index];
    const std::byte* from = element_at(e, c.values->data(), c.row * row.size());
    std::byte* to = element_at(e, result->data(), at);
    if (is_counted(type)) std::copy_n(reinterpret_cast<const resource*>(from), row.size(), reinterpret_cast<resource*>(to));
    else copy_elements(e, from, to, row.size());
    at += row.size();
  }
  return result;
}

FLOWGRAPH_INLINE std::size_t barrier_state::ready_size() const {
  const threading::lock_guard lock(mutex_);
  return ready_.size();
}
FLOWGRAPH_INLINE std::size_t barrier_state::incomplete_size() const {
  const threading::lock_guard lock(mutex_);
  return incomplete_.size();
}

// ---- saving

FLOWGRAPH_SELDOM error barrier_state::put_element(std::string& to, std::uint32_t field, const element& e) const {
  std::string text;
  put_varint_field(text, 1, static_cast<std::uint64_t>(e.index));
  put_bytes_field(text, 2, e.key);
  std::vector<any_tensor> list;
  for (const component& c : e.components) {
    any_tensor& row = list.emplace_back();
    if (!c.values) continue;
    const shape s = shape_of_rows(c.values->shape());
    auto copied = any_tensor::allocate(c.values->type(), shape_of_batch(1, s), std::pmr::new_delete_resource());
    if (!copied) return copied.error();
    const element_layout layout = element_layout_of(copied->type());
    if (!is_counted(copied->type()))  // otherwise put_list refuses it
      copy_elements(layout, element_at(layout, c.values->data(), c.row * s.size()), copied->data(), s.size());
    row = *std::move(copied);
  }
  if (error why = put_list(text, 3, list)) return why;
  put_bytes_field(to, field, text);
  return {};
}

FLOWGRAPH_SELDOM error barrier_state::parse_element(std::string_view bytes, std::pmr::memory_resource* memory, element& e) const {
  field_reader f(bytes);
  std::vector<any_tensor> list;
  while (f.next()) {
    if (f.is_varint(1)) e.index = static_cast<std::int64_t>(f.value());
    else if (f.is_bytes(2)) e.key = f.bytes();
    else if (f.is_bytes(3))
      if (error why = parse_list(f.bytes(), memory, list)) return why;
  }
  if (f.is_broken()) return damaged_contents();
  if (error why = check_list(list, description_.types, true)) return why;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].has_value()) {
      e.components.emplace_back();
      continue;
    }
    const shape& s = list[i].shape();
    if (s.rank < 1 || s[0] != 1 || (!description_.shapes.empty() && !fits(shape_of_rows(s), description_.shapes[i])))
      return invalid_argument({"component ", i, " of a saved element has shape ", s});
    e.components.push_back({std::make_shared<const any_tensor>(std::move(list[i])), 0});
  }
  return {};
}

// Elements that waiting runs have taken are saved as ready.
FLOWGRAPH_SELDOM result<std::string> barrier_state::save() const {
  const threading::lock_guard lock(mutex_);
  std::string text;
  put_varint_field(text, 1, static_cast<std::uint64_t>(next_index_));
  put_varint_field(text, 2, (closed_ ? 1u : 0u) + (cancelled_ ? 2u : 0u));
  for (const auto& w : waiting(side::taking))
    for (const element& e : static_cast<const wish&>(*w).taken)
      if (error why = put_element(text, 3, e)) return why;
  for (const auto& [index, e] : ready_)
    if (error why = put_element(text, 3, e)) return why;
  for (const auto& [key, e] : incomplete_)
    if (error why = put_element(text, 4, e)) return why;
  return text;
}

FLOWGRAPH_SELDOM error barrier_state::load(std::string_view bytes, std::pmr::memory_resource* memory) {
  memory = memory_for(memory);
  std::int64_t next = std::numeric_limits<std::int64_t>::min();
  std::uint64_t ends = 0;
  elements_by_key incomplete;
  std::multimap<std::int64_t, element> ready;
  field_reader f(bytes);
  while (f.next()) {
    if (f.is_varint(1)) next = static_cast<std::int64_t>(f.value());
    else if (f.is_varint(2)) ends = f.value();
    else if (f.is_bytes(3) || f.is_bytes(4)) {
      element e;
      if (error why = parse_element(f.bytes(), memory, e)) return why;
      const bool is_whole = std::ranges::all_of(e.components, [](const component& c) { return c.values != nullptr; });
      if (is_whole != (f.number() == 3)) return damaged_contents();
      if (is_whole) ready.emplace(e.index, std::move(e));
      else incomplete.insert_or_assign(e.key, std::move(e));
    }
  }
  if (f.is_broken()) return damaged_contents();
  change([&](settled_wishes&) {
    next_index_ = next;
    closed_ = (ends & 1) != 0;
    cancelled_ = (ends & 2) != 0;
    incomplete_.swap(incomplete);
    ready_.swap(ready);
  });
  return {};
}

// ---- names, and the kernels

FLOWGRAPH_INLINE resource find_barrier(cpu ctx, barrier_description d, const std::string& section,
                                       const std::string& shared_name) {
  error why = barrier_state::check(d);
  if (why) {
    ctx.fail(why);
    return {};
  }
  const std::string name = name_of_awaited(ctx, shared_name);
  auto found = ctx.resources().find_or_make(section, name, kind_of<barrier_state>(),
                                            [&]() -> resource_base* { return lying_with(ctx, new barrier_state(d, name)); });
  if (!found) why = found.error();
  const barrier_description& there = found ? found->as<barrier_state>()->description() : d;
  if (there.types != d.types)
    why = invalid_argument({"the barrier '", name, "' exists with component_types ", to_string(attribute_value(there.types)),
                            ", expected ", to_string(attribute_value(d.types))});
  else if (there.shapes != d.shapes)
    why = invalid_argument({"the barrier '", name, "' exists with shapes ", to_string(attribute_value(there.shapes)),
                            ", expected ", to_string(attribute_value(d.shapes))});
  if (!why) return *std::move(found);
  ctx.fail(why);
  return {};
}

FLOWGRAPH_INLINE resource named_barrier(cpu ctx) { return named_awaited(ctx, kind_of<barrier_state>(), "a barrier"); }

FLOWGRAPH_INLINE void insert_into_barrier(cpu ctx, view<const std::string> keys, std::int64_t component_index) {
  const resource named = named_barrier(ctx);
  if (ctx.failed()) return;
  auto& b = *named.as<barrier_state>();
  const barrier_description& d = b.description();
  const any_tensor& values = ctx.input(2);
  const auto refuse = [&](const message& why) { ctx.fail(message{b.called(), ": ", why.string()}); };
  if (component_index < 0 || component_index >= static_cast<std::int64_t>(d.types.size()))
    return refuse({"component_index ", component_index, " is out of range: there are ", d.types.size(), " components"});
  const auto i = static_cast<std::size_t>(component_index);
  if (values.type() != d.types[i])
    return refuse({"component ", i, " is of type ", name_of(d.types[i]), ", found ", name_of(values.type())});
  const auto rows = static_cast<std::int64_t>(keys.size());
  const shape expected = d.shapes.empty() || !d.shapes[i].has_rank() ? shape::unknown() : shape_of_batch(rows, d.shapes[i]);
  if (keys.rank() != 1 || values.shape().rank < 1 || values.shape()[0] != rows || !fits(values.shape(), expected))
    return refuse({"component ", i, " must have shape ", expected.has_rank() ? expected : shape_of_batch(rows, {}),
                   ", a row for each key; found keys of shape ", keys.shape(), " and values of shape ", values.shape()});
  any_tensor kept = lasting_value(ctx, values);
  if (ctx.failed()) return;
  if (error why = b.insert(keys, i, std::move(kept))) ctx.fail(why);
}

FLOWGRAPH_INLINE void take_from_barrier(cpu ctx, std::span<const dtype> types, view<const std::int32_t> num_elements,
                                        bool allows_less, done answer) {
  const resource named = named_barrier(ctx);
  if (ctx.failed()) return answer();
  auto& b = *named.as<barrier_state>();
  const std::vector<dtype>& there = b.description().types;
  if (!std::equal(types.begin(), types.end(), there.begin(), there.end()))
    return answer(invalid_argument({b.called(), " has components of types ", to_string(attribute_value(there)), ", expected ",
                                    to_string(attribute_value(std::vector<dtype>(types.begin(), types.end())))}));
  if (num_elements.scalar() < 0)
    return answer(invalid_argument({"num_elements must not be negative, found ", num_elements.scalar()}));
  auto w = std::make_shared<barrier_state::wish>(ctx, std::move(answer));
  w->wanted = num_elements.scalar();
  w->allows_less = allows_less;
  b.submit(w);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
