#include <flowgraph/runtime/session_target.hpp>

#include "../harness/engine_ops.hpp"

#include <flowgraph/runtime/cut.hpp>
#include <flowgraph/runtime/planning/plan.hpp>
#include <flowgraph/runtime/queue/plan_runner.hpp>

using namespace engine;

namespace {

// A place whose runs answer with their feed, whatever is fetched.
struct echoing_runner final : fg::detail::plan_runner {
  fg::any_tensor given;
  std::span<fg::detail::random_ordinal> ordinals() noexcept override { return {}; }
  void start(const fg::run_options&, bool) override {}
  void feed(std::size_t, const fg::any_tensor& value) override { given = value; }
  fg::error drive() override { return {}; }
  fg::result<fg::any_tensor> take(std::size_t) override { return given; }
  fg::error missing(std::size_t) const override { return {}; }
  void end(bool) override {}
  void cancel(const fg::error&) override {}
  resting rests() override { return resting::no; }
  void close() override {}
};
struct echoing_parts final : fg::detail::plan_parts {
  echoing_parts()
      : plan_parts([](const plan_parts&, std::shared_ptr<const fg::detail::plan>,
                      const fg::run_services&) -> std::shared_ptr<fg::detail::plan_runner> {
          return std::make_shared<echoing_runner>();
        }) {}
  fg::detail::parts_report report() const override { return {}; }
};
struct echoing_session final : fg::detail::session_elsewhere {
  int* planned;
  explicit echoing_session(int* p) : planned(p) {}
  fg::result<std::shared_ptr<const fg::detail::plan_parts>> plan_for(const fg::graph&, const fg::detail::plan_request&) override {
    ++*planned;
    return std::shared_ptr<const fg::detail::plan_parts>(std::make_shared<echoing_parts>());
  }
  std::string address() const override { return "the echo"; }
};
struct echoing_place final : fg::detail::session_place {
  int planned = 0;
  std::shared_ptr<fg::detail::session_elsewhere> open(const fg::session_options&) override {
    return std::make_shared<echoing_session>(&planned);
  }
};

}  // namespace

TEST_CASE("session target: runs and steps of a session are those of the place that it names, planned once") {
  const auto place = std::make_shared<echoing_place>();
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = add(x, x);
  fg::session s{g, fg::session_target(place)};
  CHECK(s.run(fg::fetch(y), {{x, 3.f}}).scalar() == 3);
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  CHECK(step(5.f).scalar() == 5);
  CHECK(place->planned == 1);
}

TEST_CASE("session target: a call that works in this process alone names the place") {
  fg::graph g;
  const auto v = g.variable("v", fg::tensor<float>(fg::shape{}, {1}));
  fg::session s{g, fg::session_target(std::make_shared<echoing_place>())};
  const fg::any_out fetches[]{v};
  const fg::edge_or_name explained[]{"v"};
  for (const fg::error& why : {s.try_begin_partial({}, fetches).error(), s.try_save_state().error(), s.try_load_state({}).error(),
                               s.try_make_set("set", fetches).error(), s.try_explain(explained, {}, {}).error()}) {
    CAPTURE(why.what());
    CHECK(why.code() == error_code::unimplemented);
    CHECK(std::string_view(why.what()).find("at the echo") != std::string_view::npos);
  }
}
