#pragma once
// Kernels of an emulated accelerator: those of the CPU, run later on a copy of their call whose tensors are in the kernels' view
// of the memory. A kernel that reads no element runs when it is called.

#include "memory.hpp"

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/op/device.hpp>

#include <algorithm>
#include <memory>

namespace accelerator {

// A value in the memory of a kernel's view. It provides one block, and ignores its release.
class block_of_view final : public fg::far_memory {
public:
  explicit block_of_view(void* at) : at_(at) {}
  void copy_in(const void* host, void* here, std::size_t bytes) override { std::memcpy(here, host, bytes); }
  fg::error copy_out(const void* here, void* host, std::size_t bytes) override {
    return std::memcpy(host, here, bytes), fg::error();
  }
  void copy_within(const void* from, void* to, std::size_t bytes) override { std::memmove(to, from, bytes); }
  fg::error copy_from(fg::far_memory&, const void* there, void* here, std::size_t bytes) override {
    return std::memcpy(here, there, bytes), fg::error();
  }
  fg::error finish() override { return {}; }

private:
  void* do_allocate(std::size_t, std::size_t) override { return at_; }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  void* at_;
};

// A call that runs later.
class later_call {
public:
  later_call(memory& m, const fg::detail::kernel_call& now) : memory_(m), call_(now), services_(*now.run) {
    inputs_.resize(now.input_count);
    outputs_.resize(now.output_count);
    places_.resize(now.output_count);
    services_.memory = std::pmr::new_delete_resource();
    services_.pool = nullptr;
    services_.stopping = nullptr;
    services_.is_late = nullptr;
    services_.pins = nullptr;
    call_.run = &services_;
    call_.failure = &failure_;
    call_.bound = nullptr;
    call_.scratch = now.scratch && m.holds(now.scratch) ? m.view(now.scratch) : now.scratch;
  }

  // Returns false if a variable has no value yet.
  bool take(const fg::detail::kernel_call& now) {
    for (std::uint32_t k = 0; k < now.input_count; ++k) {
      const fg::edge_value& in = *now.inputs[k];
      if (in.variable) {
        if (!take_variable(*in.variable, inputs_[k])) return false;
      } else if (is_read_here(now, k)) {
        inputs_[k].tensor = in.tensor.copy().value();
      } else {
        inputs_[k].tensor = shown(in.tensor, "an input");
      }
      input_pointers_.push_back(&inputs_[k]);
    }
    for (std::uint32_t k = 0; k < now.output_count; ++k) {
      const fg::any_tensor& out = now.outputs[k]->tensor;
      if (fg::detail::output_argument(*now.at->op, now.output_count, now.list_sizes, k).is_on_host)
        outputs_[k].tensor = fg::any_tensor::over(out.type(), out.shape(), {}, const_cast<void*>(out.data()));
      else if (!now.at->outputs[k].is_reference) outputs_[k].tensor = shown(out, "an output");
      places_[k] = const_cast<void*>(outputs_[k].tensor.data());
      output_pointers_.push_back(&outputs_[k]);
    }
    call_.inputs = input_pointers_.data();
    call_.outputs = output_pointers_.data();
    return true;
  }

  void run(const void* op) {
    const fg::call_site& n = *call_.at;
    n.op->kernel.run(op, call_);
    for (std::uint32_t k = 0; k < call_.output_count && !failure_; ++k) {
      const fg::any_tensor& made = outputs_[k].tensor;  // a kernel may pass its input on instead of writing
      if (made.data() != places_[k] && made.bytes() > 0) std::memcpy(places_[k], made.data(), made.bytes());
    }
    if (failure_) memory_.fail(failure_.at(n.name, n.op->name(), n.where));
  }

private:
  static bool is_read_here(const fg::detail::kernel_call& now, std::uint32_t k) {
    return fg::detail::input_argument(*now.at->op, now.input_count, now.list_sizes, k).is_on_host;
  }
  fg::any_tensor shown(const fg::any_tensor& t, const char* role) const {
    if (t.size() == 0) return fg::any_tensor::over(t.type(), t.shape(), {}, nullptr);
    if (!memory_.holds(t.data()) || !memory_.is_aligned(t.data())) {
      const fg::call_site& n = *call_.at;
      std::fprintf(stderr, "accelerator: %s of node '%s' (%s) %s\n", role, std::string(n.name).c_str(),
                   std::string(n.op->name()).c_str(),
                   memory_.holds(t.data()) ? "is not aligned" : "is not in the memory of its device");
      std::abort();
    }
    return fg::any_tensor::over(t.type(), t.shape(), {}, memory_.view(t.data()));
  }
  // Gives the kernel a variable of its own, which has the elements of the real variable.
  bool take_variable(fg::variable_state& real, fg::edge_value& seen) {
    for (const held& h : variables_)
      if (h.real == &real) {
        seen.variable = h.shadow.as<fg::variable_state>();
        return true;
      }
    real.lock();
    if (!real.value().has_value()) {
      real.unlock();
      return false;
    }
    auto own = real.own(true);
    real.unlock();
    const fg::any_tensor& t = **own;
    held& made = variables_.emplace_back();
    made.real = &real;
    made.block = std::make_unique<block_of_view>(t.size() ? memory_.view(t.data()) : static_cast<void*>(&made));
    auto* const shadow = new fg::variable_state(real.type(), real.shape(), std::pmr::new_delete_resource());
    made.shadow = fg::resource(shadow);
    shadow->value() = fg::any_tensor::allocate(t.type(), t.shape(), made.block.get()).value();
    seen.variable = shadow;
    return true;
  }

  struct held {
    fg::variable_state* real = nullptr;
    std::unique_ptr<block_of_view> block;  // outlives the variable
    fg::resource shadow;
  };
  memory& memory_;
  fg::detail::kernel_call call_;
  fg::run_services services_;
  fg::error failure_;
  std::deque<held> variables_;
  std::vector<fg::edge_value> inputs_, outputs_;
  std::vector<const fg::edge_value*> input_pointers_;
  std::vector<fg::edge_value*> output_pointers_;
  std::vector<void*> places_;
};

// Returns whether a kernel reads no element: it names a variable, moves a value, or returns shapes.
inline bool runs_at_once(const fg::op_table& t) {
  const bool moves = t.of_variable == fg::variable_role::assign;
  const auto is_name = [](const fg::argument& a) { return a.is_reference && !a.writes; };
  const bool names =
      !t.outputs().empty() && std::ranges::all_of(t.inputs(), is_name) && std::ranges::all_of(t.outputs(), is_name);
  const bool tells = !t.outputs().empty() && std::ranges::all_of(t.outputs(), [](const fg::argument& a) { return a.is_on_host; });
  return moves || names || tells;
}

// Sets each output that is a reference to the first reference input.
inline void name_references(const fg::detail::kernel_call& call) {
  fg::variable_state* first = nullptr;
  for (std::uint32_t k = 0; k < call.input_count && !first; ++k) first = call.inputs[k]->variable;
  for (std::uint32_t k = 0; k < call.output_count; ++k)
    if (call.at->outputs[k].is_reference) call.outputs[k]->variable = first;
}

// An emulated accelerator. All accelerators share the kernels of their kind.
class emulated_device final : public fg::device {
public:
  emulated_device(std::string_view name, std::shared_ptr<const fg::kernel_set> kernels, accelerator::memory& own)
      : device(name, std::move(kernels), &own), at_(own) {}
  accelerator::memory& own_memory() const { return at_; }

private:
  accelerator::memory& at_;
};

inline void launch(const void* op, fg::detail::kernel_call& call) {
  if (runs_at_once(*call.at->op)) return call.at->op->kernel.run(op, call);
  memory& m = static_cast<const emulated_device&>(*call.run->on).own_memory();
  const auto made = std::make_shared<later_call>(m, call);
  if (!made->take(call)) return call.at->op->kernel.run(op, call);  // reports that a variable has no value
  name_references(call);
  m.launch([made, op] { made->run(op); });
  if (std::ranges::any_of(call.at->op->outputs(), [](const fg::argument& a) { return a.is_on_host; })) m.wait();
}

inline fg::dtype type_of(const fg::op_table& t, const fg::argument& a) {
  return a.type_parameter < 0 ? a.fixed : t.bound_types[static_cast<std::size_t>(a.type_parameter)];
}

// Returns whether the accelerator has a kernel for the op: its elements are plain, its shapes are known before it runs, and its
// failure is not its answer, as that of CountUpTo at its limit is, because failures come late here.
inline bool has_kernel_for(const fg::op_table& t) {
  if (t.name() == "CountUpTo" || !t.kernel.run || t.description->constant || t.description->placeholder || t.alias || t.per_run ||
      t.control != fg::control_flow::none)
    return false;
  const auto fits = [&](const fg::argument& a) {
    return a.kind != fg::argument::form::mixed_list && (a.is_reference || !a.is_unsized) && !a.is_handle &&
           fg::is_plain(type_of(t, a));
  };
  const bool is_asked_only = std::ranges::any_of(t.inputs(), [](const fg::argument& a) { return a.is_reference && !a.writes; });
  if (is_asked_only && !runs_at_once(t)) return false;
  return std::ranges::all_of(t.inputs(), fits) && std::ranges::all_of(t.outputs(), fits) &&
         (t.infer || t.outputs().empty() || runs_at_once(t));
}

// A number of emulated accelerators, with kernels for all ops of the graphs that were added.
class accelerators {
public:
  // `is_preferred`: nodes that require no device run on the first accelerator.
  accelerators(std::uint64_t seed, std::size_t count, std::size_t bytes = std::size_t{1} << 26, bool is_preferred = false)
      : machine_(seed) {
    for (std::size_t i = 0; i < count; ++i) {
      memories_.push_back(std::make_unique<memory>(machine_, bytes));
      devices_.push_back(std::make_unique<emulated_device>(fg::message{"accel:", i}.string(), kernels_, *memories_.back()));
      if (is_preferred) devices_[i].set_priority(1);
    }
  }
  void learn(const fg::graph& g) {
    for (const fg::node* n : g.state().nodes)
      if (n->op) learn(*n->op);
  }
  void learn(const fg::op_table& t) {
    if (!has_kernel_for(t)) return;
    const auto types = t.element_types();
    fg::kernel_entry made = t.kernel;
    made.run = &launch;
    static_cast<void>(kernels_->add(t.name(), {types.begin(), types.end()}, made));  // an existing kernel is not replaced
  }
  const fg::device_list& devices() const { return devices_; }
  memory& memory_of(std::size_t i) { return *memories_[i]; }

private:
  std::shared_ptr<fg::kernel_set> kernels_ = std::make_shared<fg::kernel_set>();
  machine machine_;
  std::vector<std::unique_ptr<memory>> memories_;
  fg::device_list devices_;
};

}  // namespace accelerator
