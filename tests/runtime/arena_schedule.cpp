#include <flowgraph/runtime/arena_schedule.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;
namespace detail = fg::detail;

namespace {

struct doubled {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
  std::shared_ptr<detail::session_state> session = std::make_shared<detail::session_state>(g, fg::session_options());
  fg::any_out feeds[1]{x}, fetches[1]{add(x, x)};
  std::shared_ptr<detail::planned> plan = *session->plan_for({.feeds = feeds, .fetches = fetches, .targets = {}, .devices = {}});

  std::unique_ptr<detail::root_schedule> schedule(std::int64_t size) {
    return *detail::arena_schedule::make(*session, *plan, {fg::shape{size}});
  }
};

}  // namespace

TEST_CASE("arena_schedule: fits feeds of its types and shapes, until resources are cleared") {
  doubled d;
  const auto made = d.schedule(3);
  const fg::any_tensor three = filled(3, 1).erased(), four = filled(4, 1).erased(),
                       whole = fg::tensor<int>(fg::shape{3}).erased();
  const auto fits = [&](const fg::any_tensor& t) {
    const fg::any_tensor* const feeds[]{&t};
    return made->fits(feeds);
  };
  CHECK(fits(three));
  CHECK_FALSE(fits(four));
  CHECK_FALSE(fits(whole));
  CHECK(made->body() == nullptr);
  d.session->services.resources->clear();
  CHECK(made->is_outdated());
  CHECK_FALSE(fits(three));
}
