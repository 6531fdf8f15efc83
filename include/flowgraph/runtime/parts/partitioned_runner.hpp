#pragma once
// Runs the parts of a plan together, as one run of it.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/variable_set.hpp>
#include <flowgraph/runtime/parts/driver.hpp>
#include <flowgraph/runtime/parts/partitions.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class partitioned_runner final : public plan_runner {
public:
  partitioned_runner(std::shared_ptr<const plan> whole, const partitions& parts, const run_services& services);

  std::span<random_ordinal> ordinals() noexcept override { return ordinals_; }
  FLOWGRAPH_INLINE void start(const run_options& options, bool in_pieces) override;
  FLOWGRAPH_INLINE void feed(std::size_t index, const any_tensor& value) override;
  FLOWGRAPH_INLINE error drive() override;
  FLOWGRAPH_INLINE result<any_tensor> take(std::size_t fetch) override;
  FLOWGRAPH_INLINE error missing(std::size_t fetch) const override;
  FLOWGRAPH_INLINE void end(bool complete) override;
  void cancel(const error& why) override { driver_.cancel(why); }
  FLOWGRAPH_INLINE void close() override;
  resting rests() override { return driver_.rests(); }

private:
  error never_sent() const;

  std::shared_ptr<const plan> whole_;  // owns the parts
  const partitions& parts_;
  set_pins pins_;
  std::optional<container> own_resources_;  // set if the plan has ops that need it
  parts_driver driver_;
  sequence<random_ordinal> ordinals_;
  bool in_pieces_ = false;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/partitioned_runner.hpp>
#endif
