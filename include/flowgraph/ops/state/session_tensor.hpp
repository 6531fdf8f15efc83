#pragma once
// Tensors that a session stores between runs. A program fetches the handle of a tensor and feeds the handle to later runs.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Stores a tensor in the session and returns a handle for it. The tensor is stored until DeleteSessionTensor runs with its handle
// or the session's container is cleared.
struct get_session_handle_op {
  static constexpr std::string_view name = "GetSessionHandle";
  using types = all_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  template <class T> void operator()(cpu ctx, view<const T> value, view<std::string> handle) const;
};

// Stores a tensor in the session and returns a resource handle for it. The tensor is freed when the last copy of the handle is
// destroyed.
struct get_session_handle_v2_op {
  static constexpr std::string_view name = "GetSessionHandleV2";
  using types = all_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  template <class T> void operator()(cpu ctx, view<const T> value, unsized<resource> handle) const;
};

// Returns the tensor that a session stores under a handle.
struct get_session_tensor_op {
  static constexpr std::string_view name = "GetSessionTensor";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return flowgraph::shape::unknown(); }
  template <class T> void operator()(cpu ctx, view<const std::string> handle, unsized<T> value) const;
};

// Deletes the tensor that the session stores under a handle.
struct delete_session_tensor_op {
  static constexpr std::string_view name = "DeleteSessionTensor";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  void operator()(cpu ctx, view<const std::string> handle) const;
};

template <class T> out<std::string> session_handle(const out<T>& value, site s = {}) {
  return apply(get_session_handle_op{}, value, s);
}
template <class T> out<T> session_tensor(const out<std::string>& handle, site s = {}) {
  return apply_as<T>(s, get_session_tensor_op{}, handle);
}
inline target delete_session_tensor(const out<std::string>& handle, site s = {}) {
  return apply(delete_session_tensor_op{}, handle, s);
}

using session_tensor_ops =
    type_list<get_session_handle_op, get_session_handle_v2_op, get_session_tensor_op, delete_session_tensor_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/session_tensor.hpp>
#endif
