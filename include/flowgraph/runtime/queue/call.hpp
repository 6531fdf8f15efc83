#pragma once
// One call of a kernel by the ready queue: gathers inputs from slots, infers shapes, finds memory for outputs, and runs.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/call_kernel.hpp>
#include <flowgraph/runtime/call_steps.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The memory cell of an output during a run. The members that every consumer accesses come first, in one cache line for a rank of
// at most 1. After its last planned read, a slot is empty again.
struct alignas(64) slot {
  enum content : std::uint32_t { empty, live, dead };

  std::uint32_t uses = 0;               // consumers that have not read it yet
  std::uint32_t readers_and_state = 0;  // one word, since reading a word right after a partial write stalls the processor
  edge_value value;

  std::uint32_t planned() const noexcept { return readers_and_state >> 2; }  // total number of consumers
  content state() const noexcept { return static_cast<content>(readers_and_state & 3u); }
  void become(content now) noexcept { readers_and_state = (readers_and_state & ~3u) | now; }
  void set(std::uint32_t readers) noexcept {
    uses = readers;
    readers_and_state = readers << 2 | state();
  }
  void release() {
    value.tensor.reset();
    value.variable = nullptr;
  }
  // Called when one consumer has read the slot.
  void read() {
    if (--uses == 0) {
      uses = planned();
      release();
    }
  }
};

// The arrays of a call, which are kept for the next call. Only one thread at a time may use the object.
struct call_frame {
  FLOWGRAPH_COLD explicit call_frame(const plan& p);

  // Fills the call for record `r`, whose input slots are in `in` and whose outputs go to `out`. If it fails, returns
  // false, and `failure` is the reason.
  bool prepare(const plan& p, const plan_record& r, slot* in, slot* out, const run_services& run);
  // Does the same for a simple record, with the services of its device.
  bool prepare_simple(const plan& p, const plan_record& r, slot* in, slot& out, const run_services& run);
  // Runs a synchronous kernel. If it fails, returns false, and `failure` is the reason.
  bool invoke(const plan_record& r) { return invoke_simple(r) && check_outputs(r); }
  // Does the same for a simple record.
  bool invoke_simple(const plan_record& r) {
    call_kernel(r.kernel, r.attributes, call);
    return !failure;
  }
  // Checks the outputs of a kernel that has succeeded, as invoke() does.
  bool check_outputs(const plan_record& r) { return !r.has_unsized || check_made(r, call); }
  // Releases the references that the call holds. Must be called at the end of every call, even if it failed.
  void finish() {
    for (; reads_ > 0; --reads_) read_[reads_ - 1].tensor.reset();
  }
  // Releases the memory that is kept for the next call.
  void release() {
    scratch_.release();
    bound = {};
  }
  error take_failure() { return std::exchange(failure, {}); }

  kernel_call call;
  error failure;
  resource bound;  // holds the variable that the node of the latest call names

private:
  bool gather(const plan& p, const plan_record& r, slot* in, slot* out);
  bool infer(const plan_record& r);
  bool allocate(const plan& p, const plan_record& r, slot* in);
  static bool forward(const plan& p, const plan_record& r, dtype type, const flowgraph::shape& shape, any_tensor& output,
                      slot* in);
  FLOWGRAPH_COLD bool refuse_placeholder(const plan_record& r);

  shape_context context_;
  sequence<const edge_value*> inputs_;
  sequence<edge_value*> outputs_;
  sequence<edge_value> read_;  // values of variables, referenced for the duration of the call
  sequence<const flowgraph::shape*> input_shapes_;
  sequence<const any_tensor*> input_tensors_;
  sequence<flowgraph::shape> output_shapes_;
  scratch_memory scratch_;
  std::uint32_t reads_ = 0;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/queue/impl/call.hpp>
#endif
