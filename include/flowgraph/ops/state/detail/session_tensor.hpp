#pragma once

#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/state/session_tensor.hpp>

#include <map>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// All tensors that a container keeps by handle.
struct kept_tensors final : resource_base {
  kept_tensors() : resource_base(kind_of<kept_tensors>()) {}

  threading::mutex mutex;
  std::uint64_t count = 0;
  std::map<std::string, any_tensor> by_handle;
};
// A tensor that a handle keeps.
struct kept_tensor final : resource_base {
  explicit kept_tensor(any_tensor t) : resource_base(kind_of<kept_tensor>()), value(std::move(t)) {}
  any_tensor value;
};

// Returns a counted handle of the kept tensors. If it is not available, fails and returns an empty handle.
FLOWGRAPH_KERNEL_INLINE resource find_kept(cpu ctx) {
  auto found = ctx.resources().find_or_make({}, "flowgraph/session_tensors", kind_of<kept_tensors>(),
                                            []() -> resource_base* { return new kept_tensors; });
  if (found) return *std::move(found);
  ctx.fail(found.error());
  return {};
}

// Returns input 0 with its own elements, which later runs do not change.
inline any_tensor kept_input(cpu ctx) { return lasting_value(ctx, ctx.input(0)); }

FLOWGRAPH_KERNEL_INLINE void keep_input(cpu ctx, std::string& handle) {
  const resource all = find_kept(ctx);
  any_tensor value = kept_input(ctx);
  if (ctx.failed()) return;
  auto& kept = *all.as<kept_tensors>();
  const threading::lock_guard lock(kept.mutex);
  handle = message{ctx.at()->name, ";", kept.count++, ";/device:CPU:0"}.string();
  kept.by_handle.insert_or_assign(handle, std::move(value));
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE void fail_unkept(cpu ctx, const std::string& handle) {
  ctx.fail(message{"the session keeps no tensor under the handle '", handle, "'"});
}

// Returns the tensor that a handle names. If there is none of that type, fails and returns no value.
FLOWGRAPH_KERNEL_INLINE any_tensor take_kept(cpu ctx, view<const std::string> handle, dtype type) {
  if (handle.size() != 1) {
    ctx.fail(message{"a handle must be a scalar, found ", handle.shape()});
    return {};
  }
  const resource all = find_kept(ctx);
  if (ctx.failed()) return {};
  auto& kept = *all.as<kept_tensors>();
  any_tensor value;
  {
    const threading::lock_guard lock(kept.mutex);
    if (const auto at = kept.by_handle.find(handle.scalar()); at != kept.by_handle.end()) value = at->second;
  }
  if (!value.has_value()) fail_unkept(ctx, handle.scalar());
  else if (value.type() != type)
    ctx.fail(message{"the tensor under the handle '", handle.scalar(), "' has type ", name_of(value.type()), ", expected ",
                     name_of(type)});
  return value;
}

}  // namespace detail

template <class T> void get_session_handle_op::operator()(cpu ctx, view<const T>, view<std::string> handle) const {
  detail::keep_input(ctx, handle.scalar());
}

template <class T> void get_session_handle_v2_op::operator()(cpu ctx, view<const T>, unsized<resource> handle) const {
  any_tensor value = detail::kept_input(ctx);
  if (ctx.failed()) return;
  const view<resource> result = handle.resize(flowgraph::shape{});
  if (!ctx.failed()) result.scalar() = resource(new detail::kept_tensor(std::move(value)));
}

template <class T> void get_session_tensor_op::operator()(cpu ctx, view<const std::string> handle, unsized<T> value) const {
  any_tensor kept = detail::take_kept(ctx, handle, dtype_of<T>);
  if (!ctx.failed()) value.share(std::move(kept));
}

FLOWGRAPH_KERNEL_INLINE void delete_session_tensor_op::operator()(cpu ctx, view<const std::string> handle) const {
  if (handle.size() != 1) return ctx.fail(message{"a handle must be a scalar, found ", handle.shape()});
  const resource all = detail::find_kept(ctx);
  if (ctx.failed()) return;
  auto& kept = *all.as<detail::kept_tensors>();
  any_tensor dropped;  // freed without the lock
  const threading::lock_guard lock(kept.mutex);
  const auto at = kept.by_handle.find(handle.scalar());
  if (at == kept.by_handle.end()) return detail::fail_unkept(ctx, handle.scalar());
  dropped = std::move(at->second);
  kept.by_handle.erase(at);
}

}  // namespace flowgraph
