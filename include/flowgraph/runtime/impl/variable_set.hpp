#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/variable_set.hpp>
#include <flowgraph/runtime/queue/call.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/runtime/session_state.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct detail::staging {
  variable_set_state* set;
  variable_set_state::staged* into;
  error why;
};

FLOWGRAPH_INLINE any_tensor* staged_set::find(std::size_t k, dtype type) {
  detail::staging& s = *staging_;
  if (s.why) return nullptr;
  const auto& members = s.set->members();
  if (k >= members.size()) {
    s.why = detail::invalid_argument({"the set '", s.set->name(), "' has ", members.size(), " variables, no variable ", k});
  } else if (type != members[k].type) {
    s.why = detail::invalid_argument({"variable '", members[k].name, "' of the set '", s.set->name(), "' is ",
                                      name_of(members[k].type), ", not ", name_of(type)});
  } else if (auto t = s.into->write(k)) {
    return *t;
  } else {
    s.why = t.error();
  }
  return nullptr;
}

FLOWGRAPH_INLINE void staged_set::put(std::size_t k, const any_tensor& value) {
  detail::staging& s = *staging_;
  if (s.why) return;
  if (k < s.set->members().size()) s.why = s.into->put(k, value);
  else
    s.why =
        detail::invalid_argument({"the set '", s.set->name(), "' has ", s.set->members().size(), " variables, no variable ", k});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error variable_set::empty() {
  return error(error_code::failed_precondition, "an empty variable_set: session::make_set makes one of variables");
}
FLOWGRAPH_INLINE variable_set_state* variable_set::find() const noexcept { return counted_.as<variable_set_state>(); }

FLOWGRAPH_INLINE error variable_set::replace(std::span<const any_tensor> values) {
  if (!find()) return empty();
  variable_set_state& set = *find();
  if (values.size() != set.members().size())
    return detail::invalid_argument(
        {"the set '", set.name(), "' has ", set.members().size(), " variables, found ", values.size(), " values"});
  return set.swap([&](variable_set_state::staged& next) {
    for (std::size_t k = 0; k < values.size(); ++k)
      if (error why = next.put(k, values[k])) return why;
    return error();
  });
}

FLOWGRAPH_INLINE error variable_set::replace(function_ref<void(staged_set&)> fill) {
  if (!find()) return empty();
  variable_set_state& set = *find();
  return set.swap([&](variable_set_state::staged& next) {
    detail::staging s{&set, &next, {}};
    staged_set staged(s);
    fill(staged);
    return s.why;
  });
}

FLOWGRAPH_INLINE std::vector<any_tensor> variable_set::values() const {
  variable_set_state* set = find();
  if (!set) return {};
  const auto& version = set->pin();
  std::vector<any_tensor> all = version.tensors;
  variable_set_state::unpin(version);
  return all;
}
FLOWGRAPH_INLINE std::size_t variable_set::size() const noexcept { return find() ? find()->members().size() : 0; }
FLOWGRAPH_INLINE std::string_view variable_set::name() const noexcept {
  return find() ? std::string_view(find()->name()) : std::string_view();
}
FLOWGRAPH_INLINE std::size_t variable_set::versions() const { return find() ? find()->versions() : 0; }
FLOWGRAPH_INLINE void variable_set::collect() {
  if (find()) find()->collect();
}

namespace detail {

// Returns the variables that the handles name, and keeps them alive.
FLOWGRAPH_INLINE result<sequence<resource>> variables_of(session_state& session, std::span<const any_out> handles,
                                                         const std::string& set) {
  auto found = session.plan_for({{}, handles, {}, &session.devices});
  if (!found) return found.error();
  const plan& p = *(*found)->plan;
  call_frame frame(p);
  sequence<slot> slots(p.frames[0].slots);
  sequence<resource> result;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const node* n = handles[i].source;
    const std::uint32_t at = p.fetch_records[i];
    const bool names = at != no_index && p.records[at].binding != no_index;
    const plan_record* r = names ? &p.records[at] : nullptr;
    resource named;
    if (r && r->on && r->on->is_far())
      return error(error_code::failed_precondition, message{"variable '", n->name, "' cannot join the set '", set,
                                                            "': the host does not touch the memory of the variable's device"})
          .at(n->name, n->op->name(), n->where);
    if (r) {
      if (frame.prepare(p, *r, slots.data(), slots.data(), session.services)) frame.invoke(*r);
      frame.finish();
      if (error why = frame.take_failure()) return why.at(n->name, n->op->name(), n->where);
      const any_tensor& handle = slots[r->first_slot].value.tensor;
      const bool is_handle = handle.type() == dtype::resource && handle.size() == 1;
      named = is_handle ? handle.as<resource>().scalar() : frame.bound;
    }
    if (!named.as<variable_state>())
      return invalid_argument({"a set is made of variables; '", handles[i].name(), "' is the output of ", n->op->name()})
          .at(n->name, n->op->name(), n->where);
    result.push_back(std::move(named));
  }
  return result;
}

// Returns the reason why a variable cannot be in a set. Precondition: the variable is locked.
FLOWGRAPH_COLD FLOWGRAPH_INLINE error refuse_for_set(variable_state& v, const node& n, const std::string& set) {
  std::string why;
  if (v.set()) why = message{"the variable belongs to the set '", v.set()->name(), "'"};
  else if (!v.value().has_value()) why = "the variable has no value yet: run its initializer (session::initialize) first";
  else if (!v.shape().is_known() || v.value().shape() != v.shape())
    why = message{"the declared shape ", v.shape(), " and that of the value, ", v.value().shape(), ", must be equal"};
  if (why.empty()) return {};
  return error(error_code::failed_precondition, message{"variable '", n.name, "' cannot join the set '", set, "': ", why})
      .at(n.name, n.op->name(), n.where);
}

}  // namespace detail

FLOWGRAPH_INLINE result<variable_set> session::try_make_set(std::string name, std::span<const any_out> variables) {
  if (!state_) return detail::session_state::moved();
  if (state_->elsewhere)
    return error(error_code::unimplemented, message{"a set of variables is one of this process, and the session of '", name,
                                                    "' runs elsewhere, at ", state_->elsewhere->address(),
                                                    ": assign() while it is at rest, pause(), changes variables there as one"});
  if (variables.empty()) return detail::invalid_argument({"the set '", name, "' has no variables"});
  auto found = detail::variables_of(*state_, variables, name);
  if (!found) return found.error();
  detail::sequence<variable_state*> all, by_address;
  for (const resource& r : *found) all.push_back(r.as<variable_state>());
  by_address = all;
  std::sort(by_address.begin(), by_address.end(), std::less<>());
  if (const auto twice = std::adjacent_find(by_address.begin(), by_address.end()); twice != by_address.end()) {
    const node* n = variables[static_cast<std::size_t>(std::find(all.begin(), all.end(), *twice) - all.begin())].source;
    return detail::invalid_argument({"variable '", n->name, "' is named twice for the set '", name, "'"})
        .at(n->name, n->op->name(), n->where);
  }
  error why;
  resource set;
  for (variable_state* v : by_address) v->lock();
  for (std::size_t k = 0; k < all.size() && !why; ++k) why = detail::refuse_for_set(*all[k], *variables[k].source, name);
  if (!why) {
    std::vector<variable_set_state::member> members;
    std::vector<any_tensor> values;
    for (std::size_t k = 0; k < all.size(); ++k) {
      members.push_back({std::string(variables[k].source->name), all[k]->type(), all[k]->shape(), all[k]->memory()});
      values.push_back(std::move(all[k]->value()));
    }
    auto* result = new variable_set_state(std::move(name), std::move(members), std::move(values));
    set = resource(result);
    for (std::size_t k = 0; k < all.size(); ++k) all[k]->join(set, result, static_cast<std::uint32_t>(k));
  }
  for (variable_state* v : by_address) v->unlock();
  if (why) return why;
  state_->services.resources->rebind();  // prepared steps lay out their schedules again
  return variable_set(std::move(set));
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
