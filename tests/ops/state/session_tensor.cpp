#include <flowgraph/ops/state/session_tensor.hpp>

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("a tensor outlives its run under a handle, until it is deleted") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto handle = g.placeholder<std::string>("handle", {});
  auto kept = fg::session_handle(x * 2.f);
  auto back = fg::session_tensor<float>(handle);
  auto wrong = fg::session_tensor<std::int32_t>(handle);
  auto gone = fg::delete_session_tensor(handle);
  fg::session s{g};
  auto keep = s.prepare(fg::feed(x), fg::fetch(kept));
  const fg::tensor<std::string> first = keep(fg::tensor<float>({2}, {1, 2}));
  const fg::tensor<std::string> second = s.run(fg::fetch(kept), {{x, fg::tensor<float>({2}, {3, 4})}});
  keep(fg::tensor<float>({2}, {7, 8}));
  CHECK(s.run(fg::fetch(back), {{handle, first}})[1] == 4.f);
  CHECK(s.run(fg::fetch(back), {{handle, second}})[1] == 8.f);
  CHECK_FALSE(s.try_run(fg::fetch(wrong), {{handle, first}}));
  s.run(gone, {{handle, first}});
  const auto lost = s.try_run(fg::fetch(back), {{handle, first}});
  REQUIRE_FALSE(lost);
  CHECK(lost.error().code() == fg::error_code::invalid_argument);
  CHECK_FALSE(s.try_run(gone, {{handle, first}}));
  CHECK(s.run(fg::fetch(back), {{handle, second}})[0] == 6.f);
}

TEST_CASE("a handle that is a resource") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto kept = fg::apply(fg::get_session_handle_v2_op{}, x);
  fg::session s{g};
  CHECK(s.run(fg::fetch(kept), {{x, fg::tensor<float>({2}, {1, 2})}}).scalar().base != nullptr);
}
