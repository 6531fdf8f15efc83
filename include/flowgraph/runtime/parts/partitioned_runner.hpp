#pragma once
// Runs the parts of a plan together: an executor for each, driven in turn by the calling thread, and by those of the pool that help it.

#include <flowgraph/op/variable_set.hpp>
#include <flowgraph/runtime/executor.hpp>
#include <flowgraph/runtime/parts/partitions.hpp>
#include <flowgraph/runtime/parts/rendezvous.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class partitioned_runner final : public plan_runner, private run_parts {
public:
  partitioned_runner(std::shared_ptr<const plan> whole, const partitions& parts, const run_services& services);
  ~partitioned_runner() override;

  std::span<random_ordinal> ordinals() noexcept override { return ordinals_; }
  void start(const run_options& options, bool in_pieces) override;
  void feed(std::size_t index, const any_tensor& value) override;
  error drive() override;
  result<any_tensor> take(std::size_t fetch) override;
  error missing(std::size_t fetch) const override;
  void end(bool complete) override;
  void close() override;

private:
  struct on_stop {
    partitioned_runner* r;
    void operator()() const {
      for (const auto& e : r->executors_) e->look_up(true);
      r->wake();
    }
  };

  void fail(const error& why) override;
  void wake() override;
  void bring_news(executor& to) override;
  void send(std::uint32_t edge, const iteration& in, rendezvous_parcel given) override;
  bool receive(std::uint32_t edge, const iteration& in, const waiting_record& where, rendezvous_parcel& came) override;

  error failure() const;
  void stop_if_asked();
  void wait();
  error never_sent() const;

  std::shared_ptr<const plan> whole_;  // owns the parts
  const partitions& parts_;
  set_pins pins_;
  std::optional<container> own_resources_;  // when the plan has ops that want it
  std::vector<std::shared_ptr<executor>> executors_;
  rendezvous meeting_;
  std::vector<random_ordinal> ordinals_;
  const run_options* options_ = nullptr;
  bool in_pieces_ = false;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable woken_;
  bool signal_ = false;
  error failure_;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/partitioned_runner.hpp>
#endif
