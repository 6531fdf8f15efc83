#pragma once
// The steps of a call, which the ready queue and the schedules share. Each step is a function of the call, the shapes and the
// memory; the caller decides where inputs and outputs are. If a step fails, it sets `failure` and returns false.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/kernel_trace.hpp>
#include <flowgraph/runtime/device_services.hpp>

#include <atomic>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the error with which a run refuses a call, by the ready queue or by a schedule.
error uninitialized(std::string_view variable);
error dead_fetch();
error no_memory_for(const plan_record& r, std::uint32_t output, const flowgraph::shape& wanted, const run_services& run);
error no_scratch(const plan_record& r, std::size_t bytes, const run_services& run);
error too_large(const flowgraph::shape& s);

// ---- shapes

// Infers the shapes of the outputs, which are unknown if the op has no rule. `context` holds the values of inputs that are known.
bool infer_shapes(const plan_record& r, shape_context& context, std::span<const flowgraph::shape* const> in,
                  std::span<flowgraph::shape> out, error& failure);

// Checks the outputs that a kernel has made in shapes of its own. `promised`: the shapes of the rule, on which other calls rely; null:
// no call relies on them. Returns false after an error, which `call` then contains.
bool check_made(const plan_record& r, kernel_call& call, const flowgraph::shape* promised = nullptr);

// ---- memory

// Returns the memory of the outputs and the scratch of a record.
inline std::pmr::memory_resource* memory_of(const plan_record& r, const run_services& run) {
  if (!r.on) [[likely]]
    return run.memory;
  return run.trace ? run.trace->memory_over(r.on->memory()) : r.on->memory();
}

// Returns the memory of one output: some outputs are on the host, whatever device the node is on.
inline std::pmr::memory_resource* memory_of_output(const plan_record& r, std::uint32_t k, const run_services& run) {
  if (!r.on || !r.has_host_outputs || !output_argument(r, k).is_on_host) [[likely]]
    return memory_of(r, run);
  return run.of_host ? run.of_host->memory : run.memory;
}

FLOWGRAPH_ALWAYS_INLINE bool allocate_output(const plan_record& r, std::uint32_t k, dtype type, const flowgraph::shape& s,
                                             any_tensor& output, std::pmr::memory_resource* memory, const run_services& run,
                                             error& failure) {
  if (output.emplace(type, s, memory, run.kept)) [[likely]]
    return true;
  failure = no_memory_for(r, k, s, run);
  return false;
}

// Returns whether the tensor has room for exactly these elements. They may then use its memory, if nothing else reads it.
inline bool has_room_for(const any_tensor& t, dtype type, std::size_t size) noexcept {
  return t.type() == type && t.size() == size;
}

// ---- scratch

// The scratch of kernels that run one after another: one block per memory, as large as the largest block that was requested.
class scratch_memory {
public:
  // Returns null if there is not enough memory. A result is valid only until a larger block of the same memory is requested.
  void* provide(std::size_t bytes, std::pmr::memory_resource* from, large_memory* kept = nullptr);
  void release() { blocks_.clear(); }

private:
  struct block {
    std::pmr::memory_resource* from;
    any_tensor bytes;
  };
  sequence<block> blocks_;
};

// Returns the number of bytes of scratch that the kernel needs for inputs of these shapes.
inline std::size_t scratch_bytes(const plan_record& r, std::span<const flowgraph::shape* const> in) {
  return r.entry->scratch ? r.entry->scratch(r.attributes, {in, r.list_sizes}) : 0;
}
inline bool provide_scratch(const plan_record& r, std::span<const flowgraph::shape* const> in, scratch_memory& memory,
                            kernel_call& call, error& failure) {
  const std::size_t bytes = scratch_bytes(r, in);
  call.scratch = memory.provide(bytes, memory_of(r, *call.run), call.run->kept);
  if (call.scratch || bytes == 0) return true;
  failure = no_scratch(r, bytes, *call.run);
  return false;
}

// ---- variables and resources

// Sets `value` to the current value of a variable, for input `k` of a record. `value` holds a reference to the value.
inline bool read_input(const plan_record& r, std::uint32_t k, variable_state& variable, const run_services& run,
                       any_tensor& value, error& failure) {
  value = read_variable(run, variable);
  if (value.has_value()) [[likely]]
    return true;
  failure = uninitialized(name_of_input(*r.site, k));
  return false;
}

// The resource that a node names. It is looked up in the first run and kept until the container is cleared.
struct binding {
  bool is_of(std::uint64_t now) const noexcept { return known && generation == now; }

  std::uint64_t generation = 0;
  bool known = false;
  edge_value value;
  resource counted;
};
template <> inline constexpr bool moves_as_bytes<binding> = true;

// Sets `out` to the resource. If the resource is not known yet, calls `look_up`, which runs the kernel; the kernel fills `out` and
// `bound`.
template <class LookUp>
bool bind_resource(binding& kept, const run_services& run, edge_value& out, resource& bound, const LookUp& look_up) {
  const std::uint64_t generation = run.resources->generation();
  if (!kept.is_of(generation)) {
    if (!look_up()) return false;
    kept = {generation, true, out, std::move(bound)};
  }
  out = kept.value;
  return true;
}

// ---- random numbers

// The state of a node that draws random numbers, for one run: the ordinal of the run, and the number of values that the
// node has reserved.
struct random_ordinal {
  std::uint64_t run = 0;
  std::atomic<std::uint64_t>* drawn = nullptr;
  std::uint64_t begun = 0;  // number of values reserved when the run began
};

// The state of such a node for all runs of a session.
struct random_counter {
  std::atomic<std::uint64_t> runs{0}, drawn{0};

  random_ordinal next_run() {
    return {runs.fetch_add(1, std::memory_order_relaxed), &drawn, drawn.load(std::memory_order_relaxed)};
  }
};

inline void number_random(kernel_call& call, const random_ordinal& drawn, std::uint64_t iteration) {
  call.ordinal = drawn.run;
  call.drawn = drawn.drawn;
  call.iteration = iteration;
}

// ---- conditions and fetches

// Returns the side of a Switch that its condition selects. If the condition is not a scalar, returns an error.
result<bool> side_of(const any_tensor& condition);

// Replaces a value in memory that the host cannot access by a value that the host can read.
bool bring_to_host(any_tensor& value, const run_services& run, error& failure);

// Sets `value` to the value that the caller of a run gets for an edge; for a reference to a variable, the variable's current value.
// `maker` is the node that computes the edge.
inline bool fetch_value(const edge_value& from, bool dereference, const call_site& maker, const run_services& run,
                        any_tensor& value, error& failure) {
  value = dereference ? read_variable(run, *from.variable) : from.tensor;
  if (!dereference) return true;
  if (value.has_value()) return bring_to_host(value, run, failure);
  failure = uninitialized(maker.name);
  return false;
}

// ---- threads

// Returns the number of bytes from which the work of a kernel is long compared with waking a thread.
inline std::size_t worth_a_thread(const kernel_entry& k) noexcept { return k.facts.expensive ? 8u * 1024 : 128u * 1024; }

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/call_steps.hpp>
#endif
