#pragma once

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/op/completion.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/kernel_trace.hpp>
#include <flowgraph/op/variable_set.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE void cpu::fail(const error& why) const {
  if (!*call_->failure) *call_->failure = why;
}
FLOWGRAPH_INLINE void cpu::fail(error_code code, std::string message) const { fail(error(code, std::move(message))); }
FLOWGRAPH_INLINE void cpu::fail(error_code code, const char* message) const { fail(error(code, message)); }
FLOWGRAPH_INLINE void cpu::fail(error_code code, const flowgraph::message& text) const { fail(error(code, text)); }
FLOWGRAPH_INLINE void cpu::fail(const char* message) const { fail(error_code::invalid_argument, message); }
FLOWGRAPH_INLINE void cpu::fail(const flowgraph::message& text) const { fail(error_code::invalid_argument, text); }

FLOWGRAPH_INLINE void cpu::parallel_for(std::int64_t blocks, function_ref<void(std::int64_t)> block) const {
  if (call_->run->trace) [[unlikely]]
    return call_->run->trace->run_blocks(*call_, blocks, block);
  thread_pool* pool = call_->run->pool;
  if (pool && blocks > 1) return pool->parallel_for(blocks, block);
  for (std::int64_t i = 0; i < blocks; ++i) block(i);
}
FLOWGRAPH_INLINE void cpu::parallel_ranges(std::int64_t size, std::int64_t wished,
                                           function_ref<void(std::int64_t, std::int64_t)> body) const {
  const std::int64_t grain = wished > 0 ? wished : 1;
  if (size > 0 && size <= grain && !call_->run->trace) return body(0, size);
  const std::int64_t blocks = (size + grain - 1) / grain;
  parallel_for(blocks, [&](std::int64_t i) { body(i * grain, (i + 1) * grain < size ? (i + 1) * grain : size); });
}

FLOWGRAPH_INLINE any_tensor* cpu::allocate_output(std::size_t index, dtype type, const shape& shape) const {
  any_tensor& tensor = call_->outputs[index]->tensor;
  large_memory* const kept = call_->run->kept;
  if (kept && tensor.emplace(type, shape, call_->run->memory, kept)) return &tensor;
  auto result = any_tensor::allocate(type, shape, call_->run->memory);  // its error names the reason
  if (!result) {
    fail(result.error().code(), message{result.error().message(), detail::limit_in_words(call_->run->budget)});
    return nullptr;
  }
  tensor = *std::move(result);
  return &tensor;
}

FLOWGRAPH_SELDOM void done::drop() {
  state_->answer(error(error_code::internal, "an asynchronous kernel dropped its completion unanswered"));
}
FLOWGRAPH_INLINE void done::operator()(error why) {
  if (const auto state = std::move(state_)) state->answer(std::move(why));
}
FLOWGRAPH_INLINE void done::on_cancel(unique_function<void()> stop) {
  if (auto state = state_) state->register_stop(std::move(stop));
}

FLOWGRAPH_INLINE void done::waits(bool saved) noexcept {
  if (state_) state_->waits.store(saved ? detail::waiting::saved : detail::waiting::to_begin, std::memory_order_relaxed);
}

FLOWGRAPH_INLINE any_tensor cpu::read(variable_state& v) const { return detail::read_variable(*call_->run, v); }

FLOWGRAPH_INLINE any_tensor detail::read_member(const run_services& run, variable_state& v) {
  return run.pins ? run.pins->read(*v.set(), v.place_in_set()) : v.latest();
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE void detail::refuse_member(kernel_call& call, const variable_state& v) {
  const variable_set_state& set = *v.set();
  cpu(call).fail(error_code::failed_precondition,
                 message{"variable '", set.members()[v.place_in_set()].name, "' belongs to the set '", set.name(),
                         "' and is not written to by itself: swap the set (variable_set::swap)"});
}

}  // namespace flowgraph
