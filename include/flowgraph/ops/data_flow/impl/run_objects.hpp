#pragma once

#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/data_flow/detail/run_objects.hpp>

#include <charconv>
#include <iterator>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// An object in the container of the run, which tells the run's objects that the run has ended.
struct end_of_run final : resource_base {
  explicit end_of_run(const container& of) : resource_base(kind_of<end_of_run>()), objects(std::make_shared<run_objects>(of)) {}
  ~end_of_run() override {
    objects->end();
    objects->drop_kept();
  }
  bool renew() override {
    objects->end();
    return true;
  }

  std::shared_ptr<run_objects> objects;
};

FLOWGRAPH_INLINE void run_object::leave() {
  if (siblings_) siblings_->remove(*this);
}

FLOWGRAPH_INLINE bool run_object::retire() {
  if (!is_alone()) return false;
  if (siblings_->is_own_thread()) siblings_->retire(*this);
  else siblings_->retire_elsewhere(*this);
  return true;
}

FLOWGRAPH_INLINE void run_object::shut(life state) {
  contents dropped;
  const auto lock = locked();
  life_ = state;
  if (is_alone()) clear();
  else dropped = take_contents();
}

FLOWGRAPH_INLINE result<any_tensor> run_object::handle_by_name(std::string_view section, std::pmr::memory_resource* memory) {
  const auto lock = locked();
  if (handle_.has_value() && handle_.as<std::string>()[0] == section && handle_.as<std::string>()[1] == name_) return handle_;
  if (!handle_.is_unique()) {
    auto result = any_tensor::allocate(dtype::string, {2}, memory);
    if (!result) return result;
    handle_ = *std::move(result);
  }
  const view<std::string> words = handle_.as_writable<std::string>();
  words[0] = section;
  words[1].reserve(name_.capacity());
  words[1] = name_;
  return handle_;
}

FLOWGRAPH_INLINE variable_state* run_object::reference_to(any_tensor handle) {
  const auto lock = locked();
  if (!reference_.base) reference_ = resource(new variable_state(dtype::string, handle.shape(), std::pmr::new_delete_resource()));
  reference_.as<variable_state>()->value() = std::move(handle);
  return reference_.as<variable_state>();
}

FLOWGRAPH_INLINE error run_object::check_open() const {
  switch (life_) {
    case life::open: break;
    case life::closed: return invalid_argument({"'", name_, "' has been closed"});
    case life::ended: return error(error_code::not_found, message{"'", name_, "' ended with the run that made it"});
  }
  return {};
}

FLOWGRAPH_INLINE std::shared_ptr<run_objects> run_objects::in_run(cpu ctx) {
  container& of = ctx.run_resources();
  const auto found =
      of.find_or_make({}, "run_objects", kind_of<end_of_run>(), [&]() -> resource_base* { return new end_of_run(of); });
  if (found) {
    const std::shared_ptr<run_objects>& objects = found->as<end_of_run>()->objects;
    if (objects->is_alone_) objects->thread_.store(threading::this_thread::get_id(), std::memory_order_relaxed);
    return objects;
  }
  ctx.fail(found.error());
  return nullptr;
}

FLOWGRAPH_INLINE run_object* run_objects::take_kept(std::uint32_t maker) {
  if (!is_alone_) return nullptr;
  const auto at = kept_.find(maker);
  if (at == kept_.end() || !at->second) return nullptr;
  return std::exchange(at->second, at->second->after_);
}

FLOWGRAPH_INLINE void run_objects::add(run_object& o, std::shared_ptr<run_objects> self, std::uint32_t maker) {
  const auto lock = locked();
  o.siblings_ = std::move(self);
  o.maker_ = maker;
  o.life_ = run_object::life::open;
  o.is_alone_.store(is_alone_, std::memory_order_release);
  o.before_ = nullptr;
  o.after_ = in_use_;
  if (in_use_) in_use_->before_ = &o;
  in_use_ = &o;
  o.is_linked_ = true;
}
FLOWGRAPH_INLINE void run_objects::unlink(run_object& o) noexcept {
  if (!std::exchange(o.is_linked_, false)) return;
  (o.before_ ? o.before_->after_ : in_use_) = o.after_;
  if (o.after_) o.after_->before_ = o.before_;
}
FLOWGRAPH_INLINE void run_objects::remove(run_object& o) {
  const threading::lock_guard lock(mutex_);
  unlink(o);
}

// Precondition of this function and the next ones: the objects are alone.
FLOWGRAPH_INLINE void run_objects::retire(run_object& o) {
  unlink(o);
  o.is_alone_.store(false, std::memory_order_relaxed);
  o.clear();
  if (o.reference_.base) o.reference_.as<variable_state>()->value() = {};
  const std::shared_ptr<run_objects> self = std::move(o.siblings_);
  run_object*& first = kept_[o.maker_];
  o.after_ = first;
  first = &o;
}
// Another thread runs the run in progress, and keeps the object at its end; or the run has just ended.
FLOWGRAPH_INLINE void run_objects::retire_elsewhere(run_object& o) {
  const std::shared_ptr<run_objects> self = o.siblings_;
  {
    const threading::lock_guard lock(mutex_);
    if (o.is_alone()) {
      o.next_orphan_ = orphans_;
      orphans_ = &o;
      return;
    }
  }
  delete &o;
}
FLOWGRAPH_INLINE void run_objects::end_alone() {
  if (!in_use_) return;  // no object has a handle
  const threading::lock_guard lock(mutex_);
  while (run_object* const o = orphans_) {
    orphans_ = o->next_orphan_;
    retire(*o);
  }
  for (run_object* o = in_use_; o; o = o->after_) o->is_alone_.store(false, std::memory_order_release);
}
FLOWGRAPH_INLINE void run_objects::drop_kept() {
  for (auto& [maker, first] : kept_)
    while (first) delete std::exchange(first, first->after_);
}

FLOWGRAPH_INLINE void run_objects::keep(std::string_view section, std::string_view name, const resource& object) {
  const auto lock = locked();
  const auto at = by_name_.find(order_of_names::names{section, name});
  if (at != by_name_.end()) at->second = object;
  else by_name_.try_emplace({std::string(section), std::string(name)}, object);
}
FLOWGRAPH_INLINE resource run_objects::find(std::string_view section, std::string_view name) {
  const auto lock = locked();
  const auto at = by_name_.find(order_of_names::names{section, name});
  return at == by_name_.end() ? resource{} : at->second;
}

// No kernel of the run is left. But a fetched handle may be destroyed at any time, and its object's destructor waits for this
// function.
FLOWGRAPH_INLINE void run_objects::end() {
  if (is_alone_) {
    for (auto& [names, object] : by_name_) object = {};
    end_alone();
  } else if (!by_name_.empty()) {
    decltype(by_name_) named;
    const threading::lock_guard lock(mutex_);
    named.swap(by_name_);
  }
  thread_.store(threading::thread::id(), std::memory_order_relaxed);
  if (is_alone_ && !in_use_) return;
  std::vector<run_object::contents> dropped;
  const threading::lock_guard lock(mutex_);
  while (run_object* const o = in_use_) {
    unlink(*o);
    const threading::lock_guard object(o->mutex_);
    o->life_ = run_object::life::ended;
    dropped.push_back(o->take_contents());
  }
}

// Reserves room for the longest iteration number, so that the name allocates no memory in a later run.
FLOWGRAPH_INLINE void run_objects::name_made(std::string& name, cpu ctx, std::string_view wished) {
  const auto append = [&](std::uint64_t number) {
    char digits[20];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
    name.append(1, '_').append(digits, end);
  };
  if (wished.empty()) wished = ctx.at()->name;
  name.reserve(wished.size() + 1 + 10 + 1 + 20);
  name.assign(wished);
  append(ctx.at()->id);
  if (ctx.iteration() != 0) append(ctx.iteration());
}

FLOWGRAPH_INLINE any_tensor handle_by_name(cpu ctx, const resource& object, std::string_view section) {
  auto& named = *static_cast<run_object*>(object.base);
  auto result = named.handle_by_name(section, ctx.memory());
  if (!result) {
    ctx.fail(result.error());
    return {};
  }
  named.siblings()->keep(section, named.name(), object);
  return *std::move(result);
}

FLOWGRAPH_INLINE variable_state* reference_by_name(cpu ctx, const resource& object, std::string_view section) {
  any_tensor handle = handle_by_name(ctx, object, section);
  return ctx.failed() ? nullptr : static_cast<run_object*>(object.base)->reference_to(std::move(handle));
}

FLOWGRAPH_INLINE resource named_object(cpu ctx, const void* kind, std::string_view what) {
  const edge_value& given = *ctx.call().inputs[0];
  const any_tensor handle = given.variable ? given.variable->read() : given.tensor;
  const bool by_name = handle.type() == dtype::string;
  if (handle.size() != (by_name ? 2u : 1u)) {
    ctx.fail(message{"the handle of ", what, " must be ", by_name ? "two strings" : "a scalar", ", found ", handle.shape()});
    return {};
  }
  resource found;
  if (!by_name) {
    found = handle.as<resource>().scalar();
  } else if (const auto objects = run_objects::in_run(ctx)) {
    const view<const std::string> name = handle.as<std::string>();
    found = objects->find(name[0], name[1]);
    if (!found.base) ctx.fail(error_code::not_found, message{"the run has no ", what, " '", name[0], name[1], "'"});
  }
  if (!ctx.failed() && (!found.base || found.base->kind() != kind)) ctx.fail(message{"input 0 is not the handle of ", what});
  if (ctx.failed()) return {};
  const auto& object = *static_cast<const run_object*>(found.base);
  if (object.is_alone() && !object.siblings()->is_of(ctx)) [[unlikely]]
    ctx.fail(error_code::failed_precondition,
             message{"'", object.name(), "' belongs to a prepared step that runs now: no other run can use it"});
  return ctx.failed() ? resource{} : found;
}

}  // namespace flowgraph::detail
