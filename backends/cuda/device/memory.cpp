// The memory and the streams of a GPU.
#include <cuda/device/memory.hpp>

#include <flowgraph/core/memory.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <thread>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

// Returns the first error of two.
error first_of(error a, error b) { return a ? a : b; }

// How often a wait queries the driver before it sleeps between two queries.
constexpr int polled_at_once = 200;

// The part of a tensor that is on the host during a copy between two GPUs.
constexpr std::size_t most_host_bytes = std::size_t{32} << 20;

// The memories of all GPUs.
std::mutex living_mutex;
// The list is never destroyed, because a device may have static storage.
std::vector<device_memory*>& living_memories() {
  static auto& all = *new std::vector<device_memory*>;
  return all;
}

}  // namespace

device_memory::device_memory(std::unique_ptr<driver> d, const memory_options& options)
    : driver_(std::move(d)), options_(options), functions_(options.functions ? *options.functions : memory_functions()),
      compute_(options.compute) {
  const std::lock_guard lock(living_mutex);
  living_memories().push_back(this);
}

device_memory* device_memory::find(const std::pmr::memory_resource* memory) {
  const std::lock_guard lock(living_mutex);
  const auto found = std::ranges::find(living_memories(), memory);
  return found == living_memories().end() ? nullptr : *found;
}

result<std::unique_ptr<device_memory>> device_memory::make(std::unique_ptr<driver> d, const memory_options& options) {
  std::unique_ptr<device_memory> result(new device_memory(std::move(d), options));
  if (error why = result->open()) return why;
  return result;
}

error device_memory::open() {
  for (stream* s : {&compute_, &in_, &out_}) {
    if (s == &compute_ && !owns_compute()) continue;
    const auto opened = driver_->make_stream();
    if (!opened) return opened.error();
    *s = *opened;
  }
  for (event* e : {&computed_, &copied_, &foreign_}) {
    const auto opened = driver_->make_event();
    if (!opened) return opened.error();
    *e = *opened;
  }
  const auto word = allocate_bytes(sizeof(fault_word));
  if (!word) return word.error();
  fault_ = *word;
  return reset_fault();
}

device_memory::~device_memory() {
  {
    const std::lock_guard lock(living_mutex);
    std::erase(living_memories(), this);
  }
  if (fault_) static_cast<void>(free_bytes(fault_, sizeof(fault_word)));
  for (const stream s : {compute_, in_, out_})
    if (s) static_cast<void>(driver_->synchronize(s));
  release(std::move(foreign_blocks_));
  for (const event e : {computed_, copied_, foreign_})
    if (e) driver_->destroy_event(e);
  for (const event e : unused_events_) driver_->destroy_event(e);
  for (const stream s : {compute_, in_, out_})
    if (s && (s != compute_ || owns_compute())) driver_->destroy_stream(s);
}

std::size_t device_memory::in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

void device_memory::keep(error why) {
  if (why && !failure_) failure_ = std::move(why);
}

error device_memory::order(stream earlier, event by, stream later) {
  if (error why = driver_->record(by, earlier)) return why;
  return driver_->wait(later, by);
}

error device_memory::complete(stream s) {
  error why = driver_->synchronize(s);
  if (why) static_cast<void>(driver_->synchronize(s));
  return why;
}

error device_memory::reset_fault() {
  static_assert(no_fault == ~fault_word{0});
  return driver_->fill(fault_, 0xff, sizeof(fault_word), compute_);
}

error device_memory::error_of(fault_word found) const {
  const auto call = found >> bits_of_position;
  if (call >= checked_.size())
    return error(error_code::internal, message{"a kernel reported a bad index of call ", std::uint64_t{call},
                                               ", expected a call below ", checked_.size()});
  const checked_call& at = checked_[static_cast<std::size_t>(call)];
  const auto position = static_cast<std::int64_t>(found & ((fault_word{1} << bits_of_position) - 1));
  const error& named = at.found;
  return detail::invalid_argument({at.subject, "[", position, "] is not in ", at.expected})
      .at(named.node(), named.op(), named.where());
}

error device_memory::read_fault() {
  if (checked_.empty()) return {};
  if (has_fault_) return checked_.clear(), error();
  fault_word found = no_fault;
  if (error why = driver_->copy_out(fault_, &found, sizeof found, compute_)) return why;
  if (error why = complete(compute_)) return why;
  error why;
  if (found != no_fault) {
    fault_error_ = why = error_of(found);
    has_fault_ = true;
  }
  checked_.clear();
  return why;
}

error device_memory::known_fault() {
  if (error why = read_fault()) return why;
  return fault_error_;
}

std::uint32_t device_memory::number(checked_call call) {
  if (checked_.size() >= options_.most_checked) keep(read_fault());
  checked_.push_back(std::move(call));
  return static_cast<std::uint32_t>(checked_.size() - 1);
}

void device_memory::copy_in(const void* host, void* here, std::size_t bytes) {
  std::unique_lock lock(mutex_);
  if (error why = order(compute_, computed_, in_)) return keep(std::move(why));
  // The copy may wait for the GPU. Other threads go on meanwhile: the caller holds both blocks, so their work uses neither.
  lock.unlock();
  error why = driver_->copy_in(host, here, bytes, in_);
  lock.lock();
  if (why) return keep(std::move(why));
  why = order(in_, copied_, compute_);
  if (!why) return;
  // The compute stream does not wait for the copy, so the block could get another owner before the copy has ended.
  keep(std::move(why));
  keep(complete(in_));
}

error device_memory::copy_out(const void* here, void* host, std::size_t bytes) {
  bool may_have_fault = false;
  {
    const std::lock_guard lock(mutex_);
    if (error why = order(compute_, computed_, out_)) return why;
    may_have_fault = !checked_.empty() || has_fault_;
  }
  // The copy may wait for the GPU, as in copy_in().
  error why = driver_->copy_out(here, host, bytes, out_);
  fault_word found = no_fault;
  if (!why && may_have_fault) why = driver_->copy_out(fault_, &found, sizeof found, out_);
  why = first_of(std::move(why), complete(out_));
  if (why || found == no_fault) return why;
  const std::lock_guard lock(mutex_);
  return known_fault();
}

void device_memory::copy_within(const void* from, void* to, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  keep(driver_->copy_within(from, to, bytes, compute_));
}

error device_memory::copy_from(far_memory& other, const void* there, void* here, std::size_t bytes) {
  const std::size_t part = std::min(bytes, most_host_bytes);
  const std::unique_ptr<std::byte[]> host(new (std::nothrow) std::byte[part]);
  if (!host)
    return error(error_code::resource_exhausted, message{"the host has no ", part, " bytes for a copy between two GPUs"});
  for (std::size_t at = 0; at < bytes; at += part) {
    const std::size_t size = std::min(part, bytes - at);
    if (error why = other.copy_out(static_cast<const std::byte*>(there) + at, host.get(), size)) return why;
    copy_in(host.get(), static_cast<std::byte*>(here) + at, size);
  }
  return {};
}

std::vector<device_memory::foreign_block> device_memory::take_unread() {
  const std::lock_guard lock(mutex_);
  const auto unread =
      std::partition(foreign_blocks_.begin(), foreign_blocks_.end(), [](const foreign_block& b) { return !b.held->is_unique(); });
  std::vector<foreign_block> taken(std::make_move_iterator(unread), std::make_move_iterator(foreign_blocks_.end()));
  foreign_blocks_.erase(unread, foreign_blocks_.end());
  return taken;
}

void device_memory::release(std::vector<foreign_block> blocks) {
  for (foreign_block& b : blocks) {
    b.held.reset();
    if (b.release) b.release();
  }
}

namespace {

// The elements for which adopt() creates a buffer on this thread; do_allocate() returns their address.
struct adoption {
  const device_memory* by = nullptr;
  void* elements = nullptr;
};
thread_local adoption adopting;

}  // namespace

result<any_tensor> device_memory::adopt(dtype type, const shape& s, void* elements, unique_function<void()> release) {
  adopting = {this, elements};
  auto result = any_tensor::allocate(type, s, this);
  adopting = {};
  if (!result) return result.error();
  const std::lock_guard lock(mutex_);
  foreign_blocks_.push_back({result->owner(), std::move(release)});
  return result;
}

error device_memory::finish() { return finish_since(~std::uint64_t{0}); }

// After finish(), no mark is larger than the number of errors.
error device_memory::finish_since(std::uint64_t mark) {
  // If no tensor refers to a block, its last reader was requested before. The block is released after this reader.
  std::vector<foreign_block> unread = take_unread();
  error found;
  for (const stream s : {in_, compute_, out_}) found = first_of(std::move(found), driver_->synchronize(s));
  release(std::move(unread));
  const std::lock_guard lock(mutex_);
  found = take_failure(std::move(found));
  return found || failures_ <= mark ? found : last_;
}

error device_memory::take_failure(error found) {
  found = first_of(read_fault(), std::move(found));
  if (std::exchange(has_fault_, false)) {
    found = first_of(fault_error_, std::move(found));
    found = first_of(std::move(found), reset_fault());
  }
  found = first_of(std::exchange(failure_, {}), std::move(found));
  if (!found) return {};
  last_ = found;
  ++failures_;
  return found;
}

event device_memory::mark_work() {
  const std::lock_guard lock(mutex_);
  if (unused_events_.empty()) {
    auto result = driver_->make_event();
    if (!result) return keep(result.error()), nullptr;
    unused_events_.push_back(*result);
  }
  // The compute stream waits for all copies to the device. Copies from it are waited for by the threads that requested them.
  if (error why = driver_->record(unused_events_.back(), compute_)) return keep(std::move(why)), nullptr;
  const event result = unused_events_.back();
  unused_events_.pop_back();
  return result;
}

bool device_memory::wait(function_ref<bool()> is_over) {
  const event all = mark_work();
  if (!all) return true;  // finish() returns the error
  constexpr auto longest = std::chrono::microseconds(500);
  auto pause = std::chrono::microseconds(0);
  result<bool> passed = false;
  for (int i = 0;; ++i) {
    passed = driver_->has_passed(all);
    if (!passed || *passed || is_over()) break;
    if (i < polled_at_once) continue;
    pause = std::min(longest, pause + std::chrono::microseconds(5));
    std::this_thread::sleep_for(pause);
  }
  const std::lock_guard lock(mutex_);
  unused_events_.push_back(all);
  if (!passed) keep(passed.error());
  return !passed || *passed;
}

error device_memory::run(const void* function, std::int64_t blocks, const kernel_arguments& arguments) {
  error why = driver_->launch(function, blocks, arguments, compute_);
  return why || !options_.synchronous ? why : driver_->synchronize(compute_);
}

error device_memory::launch(function_ref<error(stream)> request) {
  const std::lock_guard lock(mutex_);
  error why = request(compute_);
  return why || !options_.synchronous ? why : driver_->synchronize(compute_);
}

memory_budget* device_memory::make_budget(std::string whose) {
  return budget_ = memory_budget::make(options_.memory_limit, &pool_, std::move(whose));
}

result<void*> device_memory::allocate_bytes(std::size_t bytes) {
  if (!functions_.allocate) return driver_->allocate(bytes, compute_);
  selection now(*driver_);
  if (error why = now.select()) return why;
  if (void* const result = functions_.allocate(bytes, compute_, functions_.user)) return result;
  return error(error_code::resource_exhausted, message{"the program's memory functions have no ", bytes, " bytes"});
}

error device_memory::free_bytes(void* p, std::size_t bytes) {
  if (!functions_.allocate) return driver_->free(p, compute_);
  selection now(*driver_);
  error why = now.select();
  functions_.free(p, bytes, compute_, functions_.user);
  return why;
}

void* device_memory::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto result = allocate_bytes(bytes == 0 ? 1 : bytes);
  if (!result) {
    // The caller only learns that it gets no memory. If the GPU failed, the end of the run reports why.
    if (result.error().code() != error_code::resource_exhausted) keep(result.error());
    return detail::refuse_memory();
  }
  in_use_ += bytes;
  return *result;
}

void device_memory::give_back(void* p, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  in_use_ -= bytes;
  keep(free_bytes(p, bytes == 0 ? 1 : bytes));
}

// Returns whether `p` is the address of adopted elements, and removes the address from the list.
bool device_memory::forget_adopted(void* p) {
  const std::lock_guard lock(mutex_);
  const auto foreign = std::find(foreign_addresses_.begin(), foreign_addresses_.end(), p);
  if (foreign == foreign_addresses_.end()) return false;
  foreign_addresses_.erase(foreign);
  return true;
}

void* device_memory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (adopting.by == this) {
    const std::lock_guard lock(mutex_);
    foreign_addresses_.push_back(adopting.elements);
    return adopting.elements;
  }
  return budget_ ? budget_->allocate(bytes, alignment) : take(bytes);
}

void device_memory::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  if (forget_adopted(p)) return;
  if (budget_) budget_->deallocate(p, bytes, alignment);
  else give_back(p, bytes);
}

}
}
}  // namespace flowgraph::cuda
