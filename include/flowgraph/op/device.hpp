#pragma once
// A device has memory, and kernels that run on it. Programs pass devices to sessions; nodes require devices by name.
//
//     const fg::device_list cpus = fg::cpu_devices(4);  // /job:localhost/task:0/device:cpu:0 to 3, each with its own memory
//     fg::session s{g, {.devices = cpus}};
//
// A device of another kind comes from a library, which registers its kernels:
//
//     fg::device accelerator("accel:1");
//     accelerator.add<swish, float>([](const swish& op, fg::cpu, fg::view<const float> x, fg::view<float> y) { ... });
//
// Kernels are found by op name and element types; op structs do not refer to them. Devices of one kind share the kernels of their
// kind (op/kernel_set.hpp). A device must outlive its sessions.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/far_memory.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/device_name.hpp>
#include <flowgraph/op/kernel_set.hpp>
#include <flowgraph/op/table.hpp>

#include <memory>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

class memory_budget;
class thread_pool;

namespace detail {
class placement;
}

// Heap memory for one device, with a limit on the bytes in use; 0: no limit.
struct limited_memory {
  std::size_t bytes = 0;
};

// A device that can run nodes: it has a name, memory and kernels. A kind of device may derive a class with more, such as streams;
// its kernels get the device from their context (op/device_context.hpp).
class device {
public:
  // `name`: a kind and a number, for example "accel:1" ("accel" means "accel:0"), or a full name, for example
  // "/job:worker/task:1/device:accel:1". Devices of kind "cpu" use the ops' own kernels.
  explicit device(std::string_view name, std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  device(std::string_view name, limited_memory memory);
  // Creates a device that uses the kernels of its kind.
  device(std::string_view name, std::shared_ptr<const kernel_set> kernels,
         std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  FLOWGRAPH_INLINE virtual ~device();
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  // Returns the full name, for example "/job:localhost/task:0/device:accel:1".
  const device_name& name() const noexcept { return name_; }
  // Returns the kind of device, for example "accel".
  std::string_view kind() const noexcept { return name_.kind; }
  // Returns whether the device uses the ops' own CPU kernels.
  bool is_cpu() const noexcept { return is_cpu_; }
  // Returns whether the host cannot access the memory of the device.
  bool is_far() const noexcept { return far_memory::from(memory_) != nullptr; }
  // Returns the memory of the device.
  std::pmr::memory_resource* memory() const noexcept { return memory_; }
  // Returns the limit of the device's memory, for error messages, or null if no limit is known.
  const memory_budget* budget() const noexcept { return budget_; }

  // Runs the kernels of this device on the threads of `own` instead of the session's threads. The pool must outlive the device's
  // sessions. Prepared steps that use the device then run with the ready queue.
  void set_pool(thread_pool& own) noexcept { pool_ = &own; }
  // Returns the device's own threads, or null if the device uses the session's threads.
  thread_pool* pool() const noexcept { return pool_; }

  // Sets the priority of the device: a node that requires no device runs on the device with the highest priority that has a kernel
  // for it. Devices have the priority 0 until it is set; if priorities are equal, the first device is used.
  void set_priority(int priority) noexcept { priority_ = priority; }
  // Returns the priority of the device.
  int priority() const noexcept { return priority_; }

  // Adds a kernel for only this device; see kernel_set::add.
  template <class Op, class... Ts, class F> result<void> add(F f, kernel_facts facts = {}) {
    static_assert(detail::has_kernel_header<Op>, "flowgraph: to add a kernel, include <flowgraph/op/device_kernel.hpp>");
    return own_.add_kernel<Op, Ts...>(f, facts);
  }
  template <class Op, class... Ts, class F, detail::scratch_rule Scratch>
  result<void> add(F f, Scratch scratch, kernel_facts facts = {}) {
    static_assert(detail::has_kernel_header<Op>, "flowgraph: to add a kernel, include <flowgraph/op/device_kernel.hpp>");
    return own_.add_kernel<Op, Ts...>(f, scratch, facts);
  }
  template <class Op, class... Ts> result<void> add() {
    static_assert(detail::has_kernel_header<Op>, "flowgraph: to add a kernel, include <flowgraph/op/device_kernel.hpp>");
    return own_.add_kernel<Op, Ts...>();
  }
  result<void> add(std::string_view name, std::vector<dtype> types, const kernel_entry& kernel) {
    return own_.add(name, std::move(types), kernel);
  }

  // Returns the kernel with which the device runs an op, or null if the device has none: its own kernel, the kernel of its kind, or,
  // on a CPU, the op's own kernel.
  const kernel_entry* find(const op_table& table) const;
  // Returns whether nodes of this op can run on the device. Branches, loops, constants and ops that only pass on their input need
  // no kernel.
  bool runs(const op_table& table) const;
  // Returns the kernels that the device has for an op as text, for example "Swish<float>, Swish<double>". The op's own kernels are
  // not among them.
  std::string list(std::string_view name) const;

protected:
  // Lets error messages name the limit of the device's memory. The device closes the limit.
  void set_budget(memory_budget* limit) noexcept { budget_ = limit; }

private:
  friend class detail::placement;
  void read_name(std::string_view name);

  std::string text_;  // name_ refers to it
  device_name name_;
  bool is_cpu_ = false;
  int priority_ = 0;
  std::pmr::memory_resource* memory_ = nullptr;
  memory_budget* budget_ = nullptr;
  thread_pool* pool_ = nullptr;
  kernel_set own_;
  std::shared_ptr<const kernel_set> of_kind_;  // null: the device uses only its own kernels
};

// A list that owns its devices and can be passed to sessions.
class device_list {
public:
  // Adds a device.
  void push_back(std::unique_ptr<device> d) {
    pointers_.push_back(d.get());
    devices_.push_back(std::move(d));
  }
  // Returns the number of devices.
  std::size_t size() const noexcept { return devices_.size(); }
  device& operator[](std::size_t i) const noexcept { return *devices_[i]; }
  operator std::span<const device* const>() const noexcept { return pointers_; }

private:
  detail::sequence<std::unique_ptr<device>> devices_;
  detail::sequence<const device*> pointers_;
};

// Creates CPU devices numbered from 0. They use the same processor, but each has its own memory and limit.
device_list cpu_devices(std::size_t count, std::size_t memory_limit = 0);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/device.hpp>
#include <flowgraph/op/impl/device_kernels.hpp>
#endif
