// An op that remembers: a one-pole filter, y[t] = y[t-1] + coefficient * (x[t] - y[t-1]), that goes on in the next run where the
// last one ended. What it remembers is an object in the session's container, found by the node's name.
//
//     x [steps, channels] ──> OnePole ──> y        memory: section "one_pole", name "filter", a number a channel

#include <flowgraph/flowgraph.hpp>

#include <cmath>
#include <cstdio>
#include <mutex>
#include <vector>

namespace fg = flowgraph;

// The state: any class. The container and whoever uses it count it, and the last one deletes it.
struct filter_memory final : fg::resource_base {
  explicit filter_memory(std::size_t channels) : resource_base(fg::kind_of<filter_memory>()), last(channels) {}

  std::mutex mutex;  // runs of one session may overlap
  std::vector<float> last;
};

struct one_pole {
  static constexpr std::string_view name = "OnePole";
  // Two nodes that look alike are two filters, and no run leaves one out as a constant.
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  float coefficient = 0.1f;
  static constexpr auto attrs = fg::attrs(fg::attr("coefficient", &one_pole::coefficient));

  fg::shape shape(fg::shape_context& c, const fg::shape& x) const {
    return fg::fits(x, {fg::any, fg::any}) ? x : c.fail("expected x of shape [steps, channels]");
  }

  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float> y) const {
    const auto channels = static_cast<std::size_t>(x.dim(1));
    const auto found = ctx.resources().find_or_make("one_pole", ctx.at()->name, fg::kind_of<filter_memory>(),
                                                    [&] { return new filter_memory(channels); });
    if (!found) return ctx.fail(found.error());
    auto& memory = *found->as<filter_memory>();

    std::lock_guard lock(memory.mutex);
    if (memory.last.size() != channels)
      return ctx.fail(fg::error_code::invalid_argument,
                      fg::message{"expected ", memory.last.size(), " channels, as in earlier runs, found ", channels});
    for (std::size_t i = 0; i < x.size(); ++i) {
      float& last = memory.last[i % channels];
      y[i] = last += coefficient * (x[i] - last);
    }
  }
};

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, fg::any});
  auto y = fg::apply(one_pole{.coefficient = 0.5f}, x, {"filter"});

  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  const fg::tensor<float> block({2, 1}, {1, 1});
  const float a = step(block)[1], b = step(block)[1];                 // 1 - 1/4, then 1 - 1/16: the second block goes on
  const float c = fg::session{g}.run(fg::fetch(y), {{x, block}})[1];  // another session has a container of its own
  std::printf("first block %.4f, second block %.4f, another session %.4f\n", a, b, c);

  const auto refused = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({1, 2}, {1, 1})}});
  std::printf("%s\n", refused.error().what());

  s.resources().clear("one_pole");  // the next run begins with silence
  const float d = step(block)[1];
  return a == 0.75f && b == 0.9375f && c == a && !refused && d == a ? 0 : 1;
}
