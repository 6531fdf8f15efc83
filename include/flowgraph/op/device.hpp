#pragma once
// A device: memory, and the kernels that run there. Sessions are given devices; nodes ask for them by name.
//
//     const fg::device_list cpus = fg::cpu_devices(4);  // /job:localhost/task:0/device:cpu:0 to 3, each with memory of its own
//     fg::session s{g, {.devices = cpus}};
//
// A device of another kind comes from a library, with the kernels that it has:
//
//     fg::device accelerator("accel:1");
//     accelerator.add<swish, float>([](const swish& op, fg::cpu, fg::view<const float> x, fg::view<float> y) { ... });
//
// Kernels are keyed by op name and element types; the op structs need not know of them. Outlives its sessions.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/far_memory.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/device_name.hpp>
#include <flowgraph/op/table.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class memory_budget;
class thread_pool;

namespace detail {
class placement;
}

// Memory of a device's own, from the heap, that gives out at most so many bytes at a time; 0: no limit.
struct limited_memory {
  std::size_t bytes = 0;
};

class device {
public:
  // `name`: its kind, and which of that kind it is: "accel:1"; "accel" is "accel:0"; or a full name, "/job:worker/task:1/device:accel:1". A
  // "cpu" has the kernels of the ops themselves.
  explicit device(std::string_view name, std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  device(std::string_view name, limited_memory memory);
  ~device();
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  // "/job:localhost/task:0/device:accel:1".
  const device_name& name() const noexcept { return name_; }
  std::string_view kind() const noexcept { return name_.kind; }
  bool is_cpu() const noexcept { return is_cpu_; }
  // Its memory is one that the host does not touch.
  bool is_far() const noexcept { return far_memory::from(memory_) != nullptr; }
  std::pmr::memory_resource* memory() const noexcept { return memory_; }
  // The limit of its memory, for errors; null: none that we know of.
  const memory_budget* budget() const noexcept { return budget_; }

  // Its kernels run on these threads, beside those of other devices, instead of the session's; the pool outlives its sessions. Steps
  // that use the device are not schedules then, but queues.
  void set_pool(thread_pool& own) noexcept { pool_ = &own; }
  thread_pool* pool() const noexcept { return pool_; }

  // `f`, a lambda without captures, runs nodes of Op for these element types, in the order of the op's type attributes. It takes the op
  // and the parameters of the op's own kernel; with an fg::done behind them it may return at once and answer later, from any thread.
  // Defined in op/device_kernel.hpp.
  template <class Op, class... Ts, class F> result<void> add(F f);
  // The op's own kernel runs there too, on the device's memory.
  template <class Op, class... Ts> result<void> add();
  // The same for an op that is known by its name.
  result<void> add(std::string_view name, std::vector<dtype> types, op_table::kernel_function kernel);
  result<void> add(std::string_view name, std::vector<dtype> types, op_table::async_kernel_function kernel);

  // Null: it has no kernel that runs at once.
  op_table::kernel_function find(const op_table& table) const;
  // Null: it has none that answers later.
  op_table::async_kernel_function find_async(const op_table& table) const;
  // Whether nodes of this op run here. Branches, loops, constants and ops that hand their input on need no kernel.
  bool runs(const op_table& table) const;
  // "Swish<float>, Swish<double>": what was added of an op.
  std::string list(std::string_view name) const;

private:
  friend class detail::placement;
  struct entry {
    std::vector<dtype> types;
    op_table::kernel_function kernel;  // null: it answers later
    op_table::async_kernel_function async_kernel;
  };
  struct hash_of_text : std::hash<std::string_view> {
    using is_transparent = void;
  };
  void read_name(std::string_view name);
  result<void> add(std::string_view name, entry added);
  const entry* find(std::string_view name, std::span<const dtype> types) const;

  std::string text_;  // name_ refers to it
  device_name name_;
  bool is_cpu_ = false;
  std::pmr::memory_resource* memory_ = nullptr;
  memory_budget* budget_ = nullptr;
  thread_pool* pool_ = nullptr;
  std::unordered_map<std::string, detail::sequence<entry>, hash_of_text, std::equal_to<>> kernels_;
};

// Owns devices and is given to sessions.
class device_list {
public:
  void push_back(std::unique_ptr<device> d) {
    pointers_.push_back(d.get());
    devices_.push_back(std::move(d));
  }
  std::size_t size() const noexcept { return devices_.size(); }
  device& operator[](std::size_t i) const noexcept { return *devices_[i]; }
  operator std::span<const device* const>() const noexcept { return pointers_; }

private:
  detail::sequence<std::unique_ptr<device>> devices_;
  detail::sequence<const device*> pointers_;
};

// So many CPUs, numbered from 0: one machine's processor seen as several devices, each with memory of its own and its limit.
device_list cpu_devices(std::size_t count, std::size_t memory_limit = 0);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/device.hpp>
#include <flowgraph/op/impl/device_kernels.hpp>
#endif
