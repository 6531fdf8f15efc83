#pragma once

#include <flowgraph/op/variable_set.hpp>

#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE variable_set_state::variable_set_state(std::string name, std::vector<member> members,
                                                        std::vector<any_tensor> values)
    : resource_base(kind_of<variable_set_state>()), name_(std::move(name)), members_(std::move(members)) {
  versions_[0] = std::make_unique<version>();
  versions_[0]->tensors = std::move(values);
  versions_[0]->is_current = true;
}

FLOWGRAPH_INLINE error variable_set_state::staged::put(std::size_t k, const any_tensor& value) {
  const member& m = of_.members_[k];
  if (value.type() != m.type || value.shape() != m.shape)
    return detail::invalid_argument({"variable '", m.name, "' of the set '", of_.name_, "' is ", name_of(m.type), m.shape,
                                     ", found a value of ", name_of(value.type()), value.shape()});
  if (value.is_owned()) {
    result_.tensors[k] = value;
    written_[k] = true;
    return {};
  }
  auto own = write(k);
  if (!own) return own.error();
  if (m.type == dtype::string) {
    for (std::size_t i = 0; i < value.size(); ++i) (*own)->as_writable<std::string>()[i] = value.as<std::string>()[i];
  } else if (value.bytes() > 0) {
    std::memcpy((*own)->data(), value.data(), value.bytes());
  }
  return {};
}

FLOWGRAPH_INLINE result<any_tensor*> variable_set_state::staged::write(std::size_t k) {
  any_tensor& t = result_.tensors[k];
  written_[k] = true;
  if (t.is_unique()) return &t;
  const member& m = of_.members_[k];
  auto fresh = any_tensor::allocate(m.type, m.shape, m.memory);
  if (!fresh) return fresh.error();
  t = *std::move(fresh);
  return &t;
}

// Returns a version that no run reads, preferably a version that has memory.
FLOWGRAPH_INLINE variable_set_state::version* variable_set_state::take_free(std::size_t& place) {
  version* found = nullptr;
  for (std::size_t i = 0; i < most && (!found || found->tensors.empty()); ++i) {
    if (!versions_[i]) {
      if (found) break;
      versions_[i] = std::make_unique<version>();
    }
    if (!is_free(*versions_[i]) || (found && versions_[i]->tensors.empty())) continue;
    found = versions_[i].get();
    place = i;
  }
  return found;
}

FLOWGRAPH_INLINE error variable_set_state::swap(function_ref<error(staged&)> fill) {
  threading::lock_guard lock(writers_);
  std::size_t place = 0;
  version* result = take_free(place);
  if (!result)
    return error(error_code::resource_exhausted, message{"all ", most, " versions of the set '", name_, "' are being read"});
  result->tensors.resize(members_.size());
  staged s(*this, *result);
  if (error why = fill(s)) {
    result->tensors.clear();
    return why;
  }
  // Only a writer changes the current version, so it remains current while its tensors are shared.
  version& old = *versions_[current_.load(std::memory_order_relaxed) >> place_shift];
  for (std::size_t k = 0; k < members_.size(); ++k)
    if (!s.written_[k]) result->tensors[k] = old.tensors[k];
  result->came = 0;
  result->left.store(0, std::memory_order_relaxed);
  result->is_current = true;
  // Release: a reader that finds this version finds its tensors. The returned value contains the number of readers of the old
  // version.
  const std::uint64_t before = current_.exchange(static_cast<std::uint64_t>(place) << place_shift, std::memory_order_release);
  old.came = before & reader_mask;
  old.is_current = false;
  for (auto& v : versions_)  // the old version is kept for the next writer
    if (v && v.get() != &old && is_free(*v)) v->tensors.clear();
  return {};
}

FLOWGRAPH_INLINE void variable_set_state::collect() {
  threading::lock_guard lock(writers_);
  for (auto& v : versions_)
    if (v && is_free(*v)) v->tensors.clear();
}

FLOWGRAPH_INLINE std::size_t variable_set_state::versions() const {
  threading::lock_guard lock(writers_);
  std::size_t n = 0;
  for (const auto& v : versions_) n += v && !v->tensors.empty() ? 1U : 0U;
  return n;
}

FLOWGRAPH_INLINE const variable_set_state::version& set_pins::of(variable_set_state& set) {
  if (!has_threads_) return find_or_pin(set);
  threading::lock_guard lock(mutex_);
  return find_or_pin(set);
}

FLOWGRAPH_INLINE const variable_set_state::version& set_pins::find_or_pin(variable_set_state& set) {
  for (const pinned& p : pinned_)
    if (p.set == &set) return *p.version;
  set.acquire();
  pinned_.push_back({&set, &set.pin()});
  return *pinned_.back().version;
}

FLOWGRAPH_INLINE void set_pins::leave() noexcept {
  for (const pinned& p : pinned_) {
    variable_set_state::unpin(*p.version);
    p.set->release();
  }
  pinned_.clear();
}

FLOWGRAPH_INLINE any_tensor variable_state::latest() const { return member_of_.load(std::memory_order_acquire)->latest(place_); }

}  // namespace flowgraph
