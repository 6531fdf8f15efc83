#pragma once

#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/data_flow/detail/run_objects.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// What the container of the run holds: it goes with the run, and says so to the objects.
struct end_of_run final : resource_base {
  end_of_run() : resource_base(kind_of<end_of_run>()), objects(std::make_shared<run_objects>()) {}
  ~end_of_run() override { objects->end(); }

  std::shared_ptr<run_objects> objects;
};

FLOWGRAPH_INLINE run_object::run_object(const void* kind, std::shared_ptr<run_objects> siblings, std::string name)
    : resource_base(kind), name_(std::move(name)), siblings_(std::move(siblings)) {}

FLOWGRAPH_INLINE void run_object::leave() { siblings_->remove(*this); }

FLOWGRAPH_INLINE void run_object::shut(life state) {
  contents dropped;
  const threading::lock_guard lock(mutex_);
  life_ = state;
  dropped = take_contents();
}

FLOWGRAPH_INLINE variable_state* run_object::reference_to(any_tensor handle) {
  const threading::lock_guard lock(mutex_);
  if (!reference_.base) {
    reference_ = resource(new variable_state(dtype::string, handle.shape(), std::pmr::new_delete_resource()));
    reference_.as<variable_state>()->value() = std::move(handle);
  }
  return reference_.as<variable_state>();
}

FLOWGRAPH_INLINE error run_object::check_open() const {
  switch (life_) {
    case life::open: break;
    case life::closed: return error(error_code::invalid_argument, message{"'", name_, "' has been closed"});
    case life::ended: return error(error_code::not_found, message{"'", name_, "' ended with the run that made it"});
  }
  return {};
}

FLOWGRAPH_INLINE std::shared_ptr<run_objects> run_objects::in_run(cpu ctx) {
  const auto found = ctx.run_resources().find_or_make({}, "run_objects", kind_of<end_of_run>(),
                                                      []() -> resource_base* { return new end_of_run; });
  if (found) return found->as<end_of_run>()->objects;
  ctx.fail(found.error());
  return nullptr;
}

FLOWGRAPH_INLINE void run_objects::add(run_object& o) {
  const threading::lock_guard lock(mutex_);
  alive_.insert(&o);
}
FLOWGRAPH_INLINE void run_objects::remove(run_object& o) {
  const threading::lock_guard lock(mutex_);
  alive_.erase(&o);
}

FLOWGRAPH_INLINE void run_objects::keep(const std::string& section, const std::string& name, const resource& object) {
  const threading::lock_guard lock(mutex_);
  by_name_.insert_or_assign({section, name}, object);
}
FLOWGRAPH_INLINE resource run_objects::find(const std::string& section, const std::string& name) {
  const threading::lock_guard lock(mutex_);
  const auto at = by_name_.find({section, name});
  return at == by_name_.end() ? resource{} : at->second;
}

// No kernel of the run is left; but a handle that was fetched may go at any time, and its object waits here before it does.
FLOWGRAPH_INLINE void run_objects::end() {
  std::vector<run_object::contents> dropped;
  std::map<std::pair<std::string, std::string>, resource> named;
  const threading::lock_guard lock(mutex_);
  named.swap(by_name_);
  for (run_object* o : alive_) {
    const threading::lock_guard object(o->mutex_);
    o->life_ = run_object::life::ended;
    dropped.push_back(o->take_contents());
  }
}

FLOWGRAPH_INLINE std::string name_of_made(cpu ctx, std::string_view wished) {
  const std::string_view name = wished.empty() ? ctx.at()->name : wished;
  if (ctx.iteration() == 0) return message{name, '_', ctx.at()->id};
  return message{name, '_', ctx.at()->id, '_', ctx.iteration()};
}

FLOWGRAPH_INLINE any_tensor handle_by_name(cpu ctx, const resource& object, const std::string& section, const std::string& name) {
  auto made = any_tensor::allocate(dtype::string, {2}, ctx.memory());
  if (!made) {
    ctx.fail(made.error());
    return {};
  }
  static_cast<run_object*>(object.base)->siblings()->keep(section, name, object);
  const view<std::string> text = made->as_writable<std::string>();
  text[0] = section;
  text[1] = name;
  return *std::move(made);
}

FLOWGRAPH_INLINE variable_state* reference_by_name(cpu ctx, const resource& object, const std::string& section,
                                                   const std::string& name) {
  any_tensor handle = handle_by_name(ctx, object, section, name);
  return ctx.failed() ? nullptr : static_cast<run_object*>(object.base)->reference_to(std::move(handle));
}

FLOWGRAPH_INLINE resource named_object(cpu ctx, const void* kind, std::string_view what) {
  const edge_value& given = *ctx.call().inputs[0];
  const any_tensor handle = given.variable ? given.variable->read() : given.tensor;
  const bool by_name = handle.type() == dtype::string;
  if (handle.size() != (by_name ? 2u : 1u)) {
    ctx.fail(error_code::invalid_argument,
             message{"the handle of ", what, " must be ", by_name ? "two strings" : "a scalar", ", found ", handle.shape()});
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
  if (!ctx.failed() && (!found.base || found.base->kind() != kind))
    ctx.fail(error_code::invalid_argument, message{"input 0 is not the handle of ", what});
  return ctx.failed() ? resource{} : found;
}

}  // namespace detail

}
}  // namespace flowgraph
