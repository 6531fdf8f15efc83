// One run in pieces: the second feed is computed from the first fetch, and nothing runs twice.
//
//     x ──> Count ──> Mul ──> y ──(the program decides)──> z ──> Add ──> w
//                      └──────────────────────────────────────────^

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

static int runs = 0;

// Its input, and a note that it ran.
struct count {
  static constexpr std::string_view name = "Count";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    ++runs;
    y[0] = x[0];
  }
};

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto z = g.placeholder<float>("z", {});
  auto y = fg::apply(count{}, x) * 2.f;
  auto w = y + z;

  fg::session s{g};
  const fg::any_out feeds[]{x, z}, fetches[]{y, w};
  auto run = s.try_begin_partial(feeds, fetches).value();

  const fg::fed early[]{{x, 3.f}};
  const float half_way = run.try_continue(early, {fetches, 1}).value()[0].as<float>()[0];

  // w needs z: asking for it now is refused, and the run goes on.
  auto refused = run.try_continue({}, {fetches + 1, 1});
  std::printf("%s\n", refused.error().what());

  const fg::fed late[]{{z, half_way * 10}};
  const float end = run.try_continue(late, {fetches + 1, 1}).value()[0].as<float>()[0];
  std::printf("y = %g, w = %g, Count ran %d time(s)\n", half_way, end, runs);
  return half_way == 6 && end == 66 && runs == 1 && !refused ? 0 : 1;
}
