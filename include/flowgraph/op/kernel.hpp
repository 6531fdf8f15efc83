#pragma once
// The interface of a CPU kernel: its context `fg::cpu`, and the parameter types that declare its inputs, outputs and variables.
//
//     view<const T>          an input                       view<T>       an output, allocated by the shape rule
//     view_list<const T>     a list input (N tensors of T)  view_list<T>  a list output
//     any_list               a list input of mixed types    unsized<T>    an output whose shape the kernel decides; unsized_list<T>
//     index_view<I>          an input of integers that the kernel only reads, with any width
//     reference<T>           a variable to change, through a reference edge;  variable_handle<T> through a resource handle
//     reference_out<T>       an output that is the reference of the first reference input
//     done                   last parameter: the kernel is asynchronous and completes later, from any thread

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/index_view.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/tensor.hpp>
#include <flowgraph/op/container.hpp>
#include <flowgraph/op/variable_state.hpp>

#include <atomic>
#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The value of an edge: a tensor, or the variable that a reference edge names.
struct edge_value {
  edge_value() = default;
  edge_value(any_tensor t, variable_state* v = nullptr) : variable(v), tensor(std::move(t)) {}

  variable_state* variable = nullptr;
  any_tensor tensor;
};
namespace detail {
template <> inline constexpr bool moves_as_bytes<edge_value> = true;
}  // namespace detail

class device;
class large_memory;
class memory_budget;
class set_pins;
namespace functor {
struct result_finish;
}
namespace detail {
class session_gate;
class kernel_trace;
struct packed_weights;
}

// The services of a run for its kernels. The run owns them; kernels only read them.
struct run_services {
  thread_pool* pool = nullptr;  // null: only the calling thread
  std::pmr::memory_resource* memory = nullptr;
  const memory_budget* budget = nullptr;  // the limit of the session's memory, for error messages; null: no limit
  container* resources = nullptr;
  const std::atomic<bool>* stopping = nullptr;
  bool (*is_late)(const run_services&) = nullptr;  // whether the deadline has passed; null: no deadline
  std::int64_t deadline = 0;                       // the time that is_late compares with the clock
  const run_options* watched = nullptr;            // the options that may end the run early; null: nothing ends it early
  bool may_wait = true;                            // false: a kernel that would wait for another run ends with an error
  container* own_resources = nullptr;              // resources of this run only; null: no op of the run declares `per_run`
  set_pins* pins = nullptr;                        // the versions of variable sets that this run reads
  const run_services* of_devices = nullptr;        // services for the kernels of each device of the plan; null: no devices
  std::uint32_t device_count = 0;                  // of the plan
  std::uint64_t mark = 0;                          // of `memory`, from the beginning of the run; for far memory only
  detail::session_gate* gate = nullptr;            // stops runs while the session is paused; null: no session
  const run_services* of_host = nullptr;           // services of the run for the host; null: these services are for the host
  const device* on = nullptr;                      // the device of these services; null: the session's CPU
  detail::kernel_trace* trace = nullptr;           // the trace of the run; null: the run is not traced
  large_memory* kept = nullptr;                    // keeps large blocks of `memory` for later runs; null: keeps none
  const functor::result_finish* finish = nullptr;  // how a kernel with the fact `finishes` finishes its result; null: not at all
  const detail::packed_weights* packed = nullptr;  // a copy of the second input for an op that packs its weights; null: no copy
};

namespace detail {

struct completion;
struct kernel_call;

// Returns a counted reference to the value of a variable. For a variable in a set, this is the value in the version that the run
// reads.
any_tensor read_member(const run_services& run, variable_state& v);
inline any_tensor read_variable(const run_services& run, variable_state& v) { return v.set() ? read_member(run, v) : v.read(); }
// Ends a call with an error: its kernel would write to a variable that belongs to a set.
void refuse_member(kernel_call& call, const variable_state& v);

// One call of a kernel. The executor fills it. It is valid until the kernel has completed.
struct kernel_call {
  const edge_value* const* inputs = nullptr;
  edge_value* const* outputs = nullptr;
  std::uint32_t input_count = 0;
  std::uint32_t output_count = 0;
  const std::uint32_t* list_sizes = nullptr;  // lengths of lists, inputs first; null: a list has all non-single arguments
  const call_site* at = nullptr;              // null: the call does not belong to a plan
  const run_services* run = nullptr;
  void* scratch = nullptr;
  std::uint64_t ordinal = 0;                    // number of earlier runs of the node in this session
  std::atomic<std::uint64_t>* drawn = nullptr;  // random numbers that the node has reserved in this session; null: not counted
  std::uint64_t iteration = 0;                  // identifies the iteration of a loop; 0: outside of loops
  error* failure = nullptr;                     // set by fail()
  resource* bound = nullptr;                    // receives a counted reference to the variable that the node names
};

}  // namespace detail

// The context of a CPU kernel; a cheap handle to one call.
class cpu {
public:
  explicit cpu(detail::kernel_call& call) noexcept : call_(&call) {}

  // Ends the node with an error that names the node, its op and the source line. Only the first error is kept. The kernel must
  // return after the call.
  FLOWGRAPH_COLD void fail(error_code code, std::string message) const;
  FLOWGRAPH_COLD void fail(error_code code, const char* message) const;
  FLOWGRAPH_COLD void fail(error_code code, const flowgraph::message& text) const;
  FLOWGRAPH_COLD void fail(const error& why) const;
  // Ends the node with the code invalid_argument.
  FLOWGRAPH_COLD void fail(const char* message) const;
  FLOWGRAPH_COLD void fail(const flowgraph::message& text) const;
  bool failed() const noexcept { return static_cast<bool>(*call_->failure); }

  // Returns whether the run was cancelled, has failed in another node, or has passed its deadline. Long-running kernels should
  // call this function repeatedly.
  bool stop_requested() const noexcept {
    const run_services& run = *call_->run;
    return (run.stopping && run.stopping->load(std::memory_order_relaxed)) || (run.is_late && run.is_late(run));
  }

  // Returns false if the kernel must fail instead of waiting for another run.
  bool may_wait() const noexcept { return call_->run->may_wait; }

  // Calls call(0..blocks-1) on the threads of the run and returns when all calls have returned. The number of blocks must depend
  // only on sizes, never on the number of threads, so that results are bit-identical.
  void parallel_for(std::int64_t blocks, function_ref<void(std::int64_t block)> call) const;
  // Divides [0, size) into ranges of `grain` elements and calls body(first, last) for each range.
  void parallel_ranges(std::int64_t size, std::int64_t grain,
                       function_ref<void(std::int64_t first, std::int64_t last)> body) const;

  // Returns the memory that the op's `scratch` rule requested. It is aligned for every type and not initialized.
  template <class T = std::byte> T* scratch() const noexcept { return static_cast<T*>(call_->scratch); }

  // Allocates an output whose shape only the kernel knows, and returns its elements, to be written. If there is not enough
  // memory, returns an empty view and marks the context as failed.
  template <class T> view<T> output(std::size_t index, const shape& shape) const {
    any_tensor* result = allocate_output(index, dtype_of<T>, shape);
    return result ? result->as_writable<T>() : view<T>();
  }
  // Returns an input as a whole tensor. The kernel can keep it after the call, or pass it to set_output without a copy.
  const any_tensor& input(std::size_t index) const noexcept { return call_->inputs[index]->tensor; }
  void set_output(std::size_t index, any_tensor tensor) const { call_->outputs[index]->tensor = std::move(tensor); }
  std::size_t input_count() const noexcept { return call_->input_count; }
  std::size_t output_count() const noexcept { return call_->output_count; }

  // Returns a counted reference to a variable's value, for kernels that find the variable by a handle.
  any_tensor read(variable_state& v) const;

  std::pmr::memory_resource* memory() const noexcept { return call_->run->memory; }
  // Returns memory for data that outlives the run: the memory of the node's device or, if the node has no device, of the
  // container.
  std::pmr::memory_resource* lasting_memory() const noexcept {
    return call_->run->of_host ? call_->run->memory : resources().memory();
  }
  container& resources() const noexcept { return *call_->run->resources; }
  // Returns a container for state that exists as long as the run, for ops that declare `per_run`.
  container& run_resources() const noexcept { return *call_->run->own_resources; }
  // Returns the number of earlier runs of the node in this session, for ops that declare `counts_runs` or `per_run`. Together
  // with iteration(), which identifies the iteration of a loop, this number is a key for random numbers.
  std::uint64_t ordinal() const noexcept { return call_->ordinal; }
  // Reserves `count` random numbers, and returns how many the node had reserved before. In a loop, only the first iteration may
  // call this function, because iterations run in any order.
  std::uint64_t set_aside(std::uint64_t count) const noexcept {
    return call_->drawn ? call_->drawn->fetch_add(count, std::memory_order_relaxed) : call_->ordinal * count;
  }
  std::uint64_t iteration() const noexcept { return call_->iteration; }
  // Returns the node of the call: its name, id, output types and source line (graph/node.hpp). It is valid until the run ends.
  const call_site* at() const noexcept { return call_->at; }

  detail::kernel_call& call() const noexcept { return *call_; }

private:
  any_tensor* allocate_output(std::size_t index, dtype type, const shape& shape) const;

  detail::kernel_call* call_;
};

// The completion of an asynchronous kernel. The kernel calls it once, from any thread; the inputs and outputs of the node are
// valid until then. If a `done` is destroyed without a call, the node ends with an internal error.
class done {
public:
  explicit done(std::shared_ptr<detail::completion> state) noexcept : state_(std::move(state)) {}
  done(done&&) noexcept = default;
  done& operator=(done&&) noexcept = default;
  ~done() {
    if (state_) drop();
  }

  void operator()(error why = {});

  // Registers a function that runs at most once: when the run is cancelled before the kernel has ended, or immediately if the run
  // is already cancelled. The function never runs after the kernel has ended, so it cannot race with the end of the kernel.
  void on_cancel(unique_function<void()> stop);
  // Declares that the kernel waits for another run, for example at a queue. session::pause does not wait for such a kernel.
  // `saved`: true if a saved session state contains the position of the wait; false if the run starts again after a state is
  // loaded.
  void waits(bool saved) noexcept;

private:
  FLOWGRAPH_COLD void drop();
  std::shared_ptr<detail::completion> state_;
};

// A list of tensors of one type.
template <class T> class view_list {
public:
  view_list(detail::kernel_call& call, std::uint32_t first, std::uint32_t size) : call_(&call), first_(first), size_(size) {}
  // Returns the number of tensors.
  std::size_t size() const noexcept { return size_; }
  view<T> operator[](std::size_t i) const {
    if constexpr (std::is_const_v<T>) return call_->inputs[first_ + i]->tensor.template as<std::remove_const_t<T>>();
    else return call_->outputs[first_ + i]->tensor.template as_writable<T>();
  }

private:
  detail::kernel_call* call_;
  std::uint32_t first_, size_;
};

// A list of tensors of any types.
class any_list {
public:
  any_list(const edge_value* const* first, std::uint32_t size) : first_(first), size_(size) {}
  // Returns the number of tensors.
  std::size_t size() const noexcept { return size_; }
  const any_tensor& operator[](std::size_t i) const { return first_[i]->tensor; }

private:
  const edge_value* const* first_;
  std::uint32_t size_;
};

// An output whose shape the kernel decides.
template <class T> class unsized {
public:
  unsized(cpu context, std::size_t index) : context_(context), index_(index) {}
  // Allocates the output with this shape and returns its elements, to be written. If there is not enough memory, returns an empty
  // view and marks the context as failed.
  view<T> resize(const shape& shape) const { return context_.output<T>(index_, shape); }
  // Sets the output to an existing tensor without a copy. Its element type must be T.
  void share(any_tensor tensor) const { context_.set_output(index_, std::move(tensor)); }

private:
  cpu context_;
  std::size_t index_;
};

// A list of outputs of any types. The kernel creates each output.
class any_output_list {
public:
  any_output_list(cpu context, std::uint32_t first, std::uint32_t size) : context_(context), first_(first), size_(size) {}
  // Returns the number of outputs.
  std::size_t size() const noexcept { return size_; }
  // Sets output `i` to an existing tensor without a copy.
  void share(std::size_t i, any_tensor tensor) const { context_.set_output(first_ + i, std::move(tensor)); }

private:
  cpu context_;
  std::uint32_t first_, size_;
};

// A list of outputs of one type. The kernel decides their shapes.
template <class T> class unsized_list {
public:
  unsized_list(cpu context, std::uint32_t first, std::uint32_t size) : context_(context), first_(first), size_(size) {}
  // Returns the number of outputs.
  std::size_t size() const noexcept { return size_; }
  // Allocates output `i` with this shape and returns its elements, to be written. If there is not enough memory, returns an empty
  // view and marks the context as failed.
  view<T> resize(std::size_t i, const shape& shape) const { return context_.output<T>(first_ + i, shape); }

private:
  cpu context_;
  std::uint32_t first_, size_;
};

// A variable that the kernel may change. It is locked during the call.
template <class T> class variable_access {
public:
  variable_access(cpu context, variable_state* state) : context_(context), state_(state) {}

  // Returns true if the variable has a value.
  bool is_initialized() const noexcept { return state_->value().has_value(); }
  // Returns the shape of the variable's value.
  const flowgraph::shape& shape() const noexcept { return state_->value().shape(); }
  // Returns the elements of the variable's value. If the variable has another element type, returns an empty view and marks the
  // context as failed: a handle does not determine the type.
  view<const T> values() const { return has_type() ? std::as_const(state_->value()).template as<T>() : view<const T>(); }

  // Returns the elements of the variable, to be changed in place: no other code sees them before the kernel returns. If there is
  // not enough memory, or the variable has another element type or no value yet, returns an empty view and marks the context as
  // failed. The kernel should validate its other inputs first, because changes are not undone.
  view<T> update(bool keep = true) const {
    if (!has_type()) return {};
    if (!is_initialized()) {
      context_.fail(error_code::failed_precondition,
                    "attempting to use uninitialized value: run its initializer (session::initialize) first");
      return {};
    }
    auto own = state_->own(keep);
    if (!own) {
      context_.fail(own.error());
      return {};
    }
    return (*own)->template as_writable<T>();
  }
  // Assigns a tensor as the new value and shares its elements.
  void assign(any_tensor tensor) const { state_->value() = std::move(tensor); }
  // Returns the variable itself, for cpu::read and reference_out::set.
  variable_state& state() const noexcept { return *state_; }

private:
  bool has_type() const {
    if (state_->type() == dtype_of<T>) return true;
    mistyped();
    return false;
  }
  FLOWGRAPH_COLD void mistyped() const {
    context_.fail(error_code::invalid_argument,
                  message{"expected a variable of type ", name_of(dtype_of<T>), ", found type ", name_of(state_->type())});
  }

  cpu context_;
  variable_state* state_;
};

template <class T> struct reference : variable_access<T> {
  using variable_access<T>::variable_access;
};
// A variable given by a resource handle, as a parameter of a kernel.
template <class T> struct variable_handle : variable_access<T> {
  using variable_access<T>::variable_access;
};

// A reference input that the kernel only passes on or queries. Its variable is therefore not locked.
template <class T> class reference_in {
public:
  explicit reference_in(variable_state* state) : state_(state) {}
  // Returns the variable itself, for cpu::read and reference_out::set.
  variable_state& state() const noexcept { return *state_; }

private:
  variable_state* state_;
};

// A list of reference inputs that the kernel only passes on or queries.
template <class T> class reference_list {
public:
  reference_list(const edge_value* const* first, std::uint32_t size) : first_(first), size_(size) {}
  // Returns the number of references.
  std::size_t size() const noexcept { return size_; }
  // Returns the variable that reference `i` refers to.
  variable_state& operator[](std::size_t i) const { return *first_[i]->variable; }

private:
  const edge_value* const* first_;
  std::uint32_t size_;
};

// An output that is a reference to a variable. If the kernel does not set it, it refers to the variable of the first reference
// input.
template <class T> class reference_out {
public:
  reference_out(detail::kernel_call& call, edge_value* edge) : call_(&call), edge_(edge) {}
  // Sets the variable that the output refers to. The caller must own the variable during this call; the executor then shares the
  // ownership.
  void set(variable_state* state) const {
    edge_->variable = state;
    if (call_->bound) *call_->bound = resource(state);
  }

private:
  detail::kernel_call* call_;
  edge_value* edge_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/kernel.hpp>
#endif
