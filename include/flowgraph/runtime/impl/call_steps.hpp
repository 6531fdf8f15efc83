#pragma once

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/op/call_kernel.hpp>
#include <flowgraph/runtime/call_steps.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE error uninitialized(std::string_view variable) {
  return error(error_code::failed_precondition, message{"attempting to use uninitialized value '", variable,
                                                        "': run its initializer (session::initialize) first"});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error dead_fetch() {
  return invalid_argument("the fetched edge is dead: it is on a branch that was not taken");
}

// Describes, for errors, the limit of the memory that contains a record's outputs.
FLOWGRAPH_COLD inline std::string limit_in_words(const plan_record& r, const run_services& run) {
  return limit_in_words(r.on ? r.on->budget() : run.budget);
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error no_memory_for(const plan_record& r, std::uint32_t output, const flowgraph::shape& wanted,
                                                    const run_services& run) {
  if (!wanted.is_known())
    return invalid_argument({"the shape rule has not determined output ", output, ", ", name_of(r.site->outputs[output].type),
                             wanted, "; a kernel that determines a shape itself has the parameter unsized<T>"});
  return error(error_code::resource_exhausted, message{"no memory for output ", output, ", ",
                                                       name_of(r.site->outputs[output].type), wanted, limit_in_words(r, run)});
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE error no_scratch(const plan_record& r, std::size_t bytes, const run_services& run) {
  return error(error_code::resource_exhausted,
               message{"no memory for ", bytes, " bytes of the kernel's scratch", limit_in_words(r, run)});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error too_large(const flowgraph::shape& s) {
  return invalid_argument({"a tensor of shape ", s, " is too large"});
}

FLOWGRAPH_SELDOM bool bring_to_host(any_tensor& value, const run_services& run, error& failure) {
  if (!value.is_far()) return true;
  failure = wait_while_running(value.owner()->memory(), run.watched);
  if (failure) return false;
  auto copy = value.copy(run.memory);
  if (copy) value = *std::move(copy);
  else failure = copy.error();
  return static_cast<bool>(copy);
}

FLOWGRAPH_INLINE result<bool> side_of(const any_tensor& condition) {
  if (condition.shape().rank == 0) return *condition.as<bool>().data();
  return invalid_argument({"the condition of a Switch must be a scalar, found ", name_of(condition.type()), condition.shape()});
}

FLOWGRAPH_INLINE bool infer_shapes(const plan_record& r, shape_context& context, std::span<const flowgraph::shape* const> in,
                                   std::span<flowgraph::shape> out, error& failure) {
  for (flowgraph::shape& s : out) s.rank = -1;
  if (!r.table->infer) return true;
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    r.table->infer(r.attributes, context, {in, r.list_sizes}, out);
  } catch (...) {
    failure = error_of_exception("the shape rule");
    return false;
  }
#else
  r.table->infer(r.attributes, context, {in, r.list_sizes}, out);
#endif
  if (context.failed()) {
    const auto refusal = r.table->description->refusal;
    failure = refusal ? refusal(r.attributes, {in, r.list_sizes}) : refused_shapes(*r.site, context, in);
    return false;
  }
  for (const flowgraph::shape& s : out)
    if (is_empty_but_too_large(s)) {
      failure = too_large(s);
      return false;
    }
  return true;
}

FLOWGRAPH_INLINE bool check_made(const plan_record& r, kernel_call& call, const flowgraph::shape* promised) {
  for (std::uint32_t k = 0; k < r.output_count; ++k) {
    if (!is_made_by_kernel(r, k) || call.outputs[k]->variable) continue;
    const any_tensor& value = call.outputs[k]->tensor;
    const dtype type = r.site->outputs[k].type;
    const bool is_made = value.has_value() && (value.size() == 0 || value.data());
    if (is_made && value.type() == type && (!promised || fits(value.shape(), promised[k]))) continue;
    std::string found = is_made ? message{"the kernel has made output ",
                                          k,
                                          " as ",
                                          name_of(value.type()),
                                          value.shape(),
                                          ", although the op declares ",
                                          name_of(type)}
                                      .string()
                                : message{"the kernel has not made output ", k, ", ", name_of(type)}.string();
    if (promised) found += to_string(promised[k]);
    cpu(call).fail(error_code::internal, std::move(found));
    return false;
  }
  return true;
}

FLOWGRAPH_INLINE void* scratch_memory::provide(std::size_t bytes, std::pmr::memory_resource* from, large_memory* kept) {
  auto held = std::find_if(blocks_.begin(), blocks_.end(), [&](const block& b) { return b.from == from; });
  if (held == blocks_.end()) held = &blocks_.emplace_back(from, any_tensor());
  if (bytes > held->bytes.size() && !held->bytes.emplace(dtype::uint8, flowgraph::shape{bytes}, from, kept)) return nullptr;
  return held->bytes.data();
}

}  // namespace flowgraph::detail
