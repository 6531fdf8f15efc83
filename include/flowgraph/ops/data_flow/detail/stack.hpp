#pragma once

#include <flowgraph/ops/data_flow/stack.hpp>
#include <flowgraph/ops/data_flow/detail/run_objects.hpp>
#include <flowgraph/ops/shared/detail/limited_list.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A stack at run time. Any thread may use it; in a prepared step, only the thread of its run.
class stack_state final : public run_object {
public:
  stack_state() noexcept : run_object(kind_of<stack_state>()), values_(std::pmr::new_delete_resource()) {}
  ~stack_state() override { leave(); }
  static void operator delete(stack_state* s, std::destroying_delete_t) { destroy(s); }

  // Must be called before all other functions. `memory` holds the list of the values.
  void begin(dtype type, std::int64_t max_size, std::pmr::memory_resource* memory) {
    type_ = type;
    max_size_ = max_size;
    limited_list<any_tensor>(memory).swap(values_);
  }
  error push(const any_tensor& value);
  result<any_tensor> pop(dtype expected);

protected:
  contents take_contents() override {
    contents all;
    for (any_tensor& value : values_) all.tensors.push_back(std::move(value));
    clear();
    return all;
  }
  void clear() override { values_.clear(); }

private:
  dtype type_ = dtype::invalid;
  std::int64_t max_size_ = -1;  // negative: no limit
  limited_list<any_tensor> values_;
};

resource make_stack(cpu ctx, dtype type, const std::string& wished_name, std::int64_t max_size);
void push_on_stack(cpu ctx);
void pop_from_stack(cpu ctx, dtype type);
void close_stack(cpu ctx);

template <class Handle>
template <class T>
void stack_push<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const T>, unsized<T>) const {
  push_on_stack(ctx);
}
template <class Handle>
template <class T>
void stack_pop<Handle>::operator()(cpu ctx, typename Handle::parameter, unsized<T>) const {
  pop_from_stack(ctx, dtype_of<T>);
}
template <class Handle> void stack_close<Handle>::operator()(cpu ctx, typename Handle::parameter) const { close_stack(ctx); }

FLOWGRAPH_KERNEL_INLINE error stack_state::push(const any_tensor& value) {
  if (value.type() != type_)
    return invalid_argument(
        {"the stack '", name(), "' holds values of type ", name_of(type_), ", found ", name_of(value.type()), value.shape()});
  const auto lock = locked();
  if (error why = check_open()) return why;
  if (max_size_ >= 0 && static_cast<std::int64_t>(values_.size()) >= max_size_)
    return invalid_argument({"the stack '", name(), "' is full: it holds ", max_size_, " values at most"});
  const std::size_t size = values_.size();
  if (!values_.grow(size + 1))
    return error(error_code::resource_exhausted, message{"no memory for ", size + 1, " values of the stack '", name(), "'"});
  values_[size] = value;
  return {};
}

// TensorFlow detects a wrong type only in the op's result, and reports an internal error.
FLOWGRAPH_KERNEL_INLINE result<any_tensor> stack_state::pop(dtype expected) {
  if (expected != type_)
    return error(error_code::internal,
                 message{"the stack '", name(), "' holds values of type ", name_of(type_), ", expected ", name_of(expected)});
  const auto lock = locked();
  if (error why = check_open()) return why;
  if (values_.size() == 0) return invalid_argument({"the stack '", name(), "' is empty"});
  const std::size_t last = values_.size() - 1;
  any_tensor top = std::move(values_[last]);
  values_.shrink(last);
  return top;
}

FLOWGRAPH_KERNEL_INLINE resource make_stack(cpu ctx, dtype type, const std::string& wished_name, std::int64_t max_size) {
  const resource object(run_objects::make<stack_state>(ctx, wished_name));
  if (!ctx.failed()) object.as<stack_state>()->begin(type, max_size, ctx.memory());
  return object;
}

FLOWGRAPH_KERNEL_INLINE resource find_stack(cpu ctx) { return named_object(ctx, kind_of<stack_state>(), "a stack"); }

FLOWGRAPH_KERNEL_INLINE void push_on_stack(cpu ctx) {
  const resource stack = find_stack(ctx);
  if (ctx.failed()) return;
  any_tensor value = ctx.input(1);
  if (!value.owner()) {
    auto copy = value.copy(ctx.memory());
    if (!copy) return ctx.fail(copy.error());
    value = *std::move(copy);
  }
  if (error why = stack.as<stack_state>()->push(value)) return ctx.fail(why);
  ctx.set_output(0, std::move(value));
}

FLOWGRAPH_KERNEL_INLINE void pop_from_stack(cpu ctx, dtype type) {
  const resource stack = find_stack(ctx);
  if (ctx.failed()) return;
  auto top = stack.as<stack_state>()->pop(type);
  if (!top) return ctx.fail(top.error());
  ctx.set_output(0, *std::move(top));
}

FLOWGRAPH_KERNEL_INLINE void close_stack(cpu ctx) {
  const resource stack = find_stack(ctx);
  if (!ctx.failed()) stack.as<stack_state>()->close();
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void stack_v2_op::operator()(cpu ctx, view<const std::int32_t> max_size, unsized<resource> handle) const {
  const resource object = detail::make_stack(ctx, element, stack_name, max_size.scalar());
  if (ctx.failed()) return;
  const view<resource> y = handle.resize(flowgraph::shape{});
  if (!ctx.failed()) y.scalar() = object;
}
FLOWGRAPH_KERNEL_INLINE void stack_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  const resource object = detail::make_stack(ctx, element, stack_name, -1);
  if (ctx.failed()) return;
  if (variable_state* v = detail::reference_by_name(ctx, object, "_stacks")) handle.set(v);
}

}  // namespace flowgraph
