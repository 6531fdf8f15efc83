// Works over several CPUs of one process: what it costs that each value crosses. Variants: "prepared" and "run" in one plan, "cut" with an
// executor for each device; bench/peers/devices.py measures TensorFlow in turns with them.

#include "works.hpp"

#include <flowgraph/ops/control_flow/while_loop.hpp>

namespace bench {

namespace {

constexpr int chain_length = 10'000, iterations = 1000;

fg::out<float> on(fg::graph g, std::size_t place, fg::function_ref<fg::out<float>()> make) {
  const auto there = g.on_device(fg::message{"/cpu:", place}.string());
  return make();
}

// Half is added so many times, on each device in turn.
fg::out<float> chain(fg::graph g, fg::out<float> x, std::size_t places) {
  const fg::out<float> half = g.constant(0.5f);
  for (std::size_t i = 0; i < chain_length; ++i) x = on(g, i % places, [&] { return x + half; });
  return x;
}

// One is added on each device in turn, in each iteration.
fg::out<float> loop(fg::graph g, fg::out<float> x, std::size_t places) {
  const auto there = g.on_device("/cpu:0");
  const auto [count, sum] = fg::while_loop(
      std::tuple{g.constant(std::int32_t{0}), x}, [&](fg::out<std::int32_t> i, fg::out<float>) { return i < iterations; },
      [&](fg::out<std::int32_t> i, fg::out<float> a) {
        for (std::size_t k = 0; k < places; ++k) a = on(g, k, [&] { return a + 1.f; });
        return std::tuple(i + 1, a);
      });
  return sum;
}

using build_function = fg::out<float>(fg::graph g, fg::out<float> x, std::size_t places);

void run(const options& o, subject s, build_function build, std::size_t places) {
  const auto pool = make_pool(o);
  const fg::device_list cpus = fg::cpu_devices(places);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = build(g, x, places);
  // The nodes are what is measured: none is merged with another or left out.
  const fg::pass_options passes{.prune_identities = false, .merge_common = false};
  fg::session whole{g, {.pool = pool.get(), .devices = cpus, .passes = passes}},
      parts{g, {.pool = pool.get(), .devices = cpus, .cut = fg::per_device, .passes = passes}};
  auto prepared = whole.prepare(fg::feed(x), fg::fetch(y)), cut = parts.prepare(fg::feed(x), fg::fetch(y));
  const auto step_prepared = [&] { prepared(1.f); };
  const auto step_run = [&] { whole.run(fg::fetch(y), {{x, 1.f}}); };
  const auto step_cut = [&] { cut(1.f); };
  std::vector<contender> all;
  const auto add = [&](std::string_view variant, float check, fg::function_ref<void()> step) {
    if (!o.variants.empty() && !o.wants(variant)) return;
    s.variant = variant;
    all.push_back({s, check, step});
  };
  add("prepared", prepared(1.f).scalar(), step_prepared);
  add("run", fg::tensor<float>(whole.run(fg::fetch(y), {{x, 1.f}})).scalar(), step_run);
  add("cut", cut(1.f).scalar(), step_cut);
  measure_in_turns(o, all);
}

void run_loop(const options& o, std::string_view name, std::size_t places) {
  run(o, {.work = name, .unit = "ns/iteration", .per = iterations}, loop, places);
}

constexpr work works[] = {
    {"devices_chain",
     [](const options& o, std::string_view w) { run(o, {.work = w, .unit = "ns/node", .per = chain_length}, chain, 2); }},
    {"devices_loop_2", [](const options& o, std::string_view w) { run_loop(o, w, 2); }},
    {"devices_loop_3", [](const options& o, std::string_view w) { run_loop(o, w, 3); }},
};

}  // namespace

std::span<const work> device_works() { return works; }

}  // namespace bench
