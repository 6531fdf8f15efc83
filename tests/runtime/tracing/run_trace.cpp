#include <flowgraph/runtime/tracing/run_trace.hpp>

#include <flowgraph/runtime/schedule/schedule.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;

namespace {

// Counts runs, and the calls of schedules in them.
class counting_tracer final : public fg::run_tracer {
public:
  int begun = 0, ended = 0, walks = 0;

private:
  class one_run final : public fg::detail::run_trace {
  public:
    explicit one_run(counting_tracer& of) : of_(of) {}
    ~one_run() override { ++of_.ended; }
    std::unique_ptr<fg::detail::executor_trace> join(const fg::detail::plan&, fg::run_services&) override { return nullptr; }
    void attach(fg::run_services& services) override { services.trace = this; }
    void detach(fg::run_services& services) override { services.trace = nullptr; }
    bool walk(fg::detail::schedule& s, std::size_t first, std::size_t last, const fg::run_options&) override {
      ++of_.walks;
      return s.walk(first, last, nullptr);
    }
    std::int64_t now() const override { return 0; }
    void run_blocks(const fg::detail::kernel_call&, std::int64_t, fg::function_ref<void(std::int64_t)>) override {}
    void waited(const fg::detail::kernel_call&, std::string_view, std::string_view, std::int64_t) override {}
    void copied(const fg::call_site&, std::size_t, std::int64_t) override {}
    std::pmr::memory_resource* memory_over(std::pmr::memory_resource* from) override { return from; }

  private:
    counting_tracer& of_;
  };
  std::unique_ptr<fg::detail::run_trace> begin() override {
    ++begun;
    return std::make_unique<one_run>(*this);
  }
};

}  // namespace

TEST_CASE("run_trace: a run begins one where its options ask for it, and ends it") {
  counting_tracer tracer;
  const fg::run_options plain, asked{.trace = &tracer};
  {
    const fg::detail::traced_run none(plain), one(asked), other(asked);
    CHECK(&none.options() == &plain);
    CHECK(fg::detail::traced_run::of(none.options()) == nullptr);
    CHECK(fg::detail::traced_run::of(one.options()) != nullptr);
    CHECK(fg::detail::traced_run::of(one.options()) != fg::detail::traced_run::of(other.options()));
    CHECK(fg::detail::traced_run::of(asked) == nullptr);
    CHECK(tracer.begun == 2);
    CHECK(tracer.ended == 0);
  }
  CHECK(tracer.ended == 2);
}

TEST_CASE("run_trace: whoever is no trace of ours runs the step as it is, and hears of each walk") {
  counting_tracer tracer;
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(chain(x, 3)));
  CHECK(step(1.f).scalar() == 4);
  CHECK(step.try_run({.trace = &tracer}, 1.f)->scalar() == 4);
  CHECK(s.run(fg::fetch(chain(x, 2)), {{x, 1.f}}, {.trace = &tracer}).scalar() == 3);
  CHECK(tracer.begun == 2);
  CHECK(tracer.ended == 2);
  CHECK(tracer.walks == 1);
}
