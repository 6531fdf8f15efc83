// Works whose kernels do next to nothing: what is measured is the way from node to node.

#include "values.hpp"
#include "works.hpp"

#include <flowgraph/observe/trace.hpp>

#include <array>

namespace bench {

namespace {

struct small_graph {
  fg::graph g;
  fg::out<float> x, y;
};

small_graph chain(const fg::shape& shape) {
  small_graph made;
  made.x = made.y = made.g.placeholder<float>("x", shape);
  const fg::out<float> half = made.g.constant(0.5f);
  for (int i = 0; i < 10'000; ++i) made.y = made.y + half;
  return made;
}

small_graph fan(const fg::shape& shape) {
  small_graph made;
  made.x = made.g.placeholder<float>("x", shape);
  const fg::out<float> s = fg::identity(made.x);
  fg::out_list<float> all;
  for (int i = 0; i < 1000; ++i) all.push_back(s + static_cast<float>(i) / 1024);
  made.y = fg::add_n(all);
  return made;
}

small_graph random_graph(const fg::shape& shape) {
  const dag d = random_dag(36'000);
  small_graph made;
  made.x = made.g.placeholder<float>("x", shape);
  fg::out_list<float> nodes{made.x}, leaves;
  for (const auto& [a, b] : d.inputs) nodes.push_back(nodes[a] + nodes[b]);
  for (const std::uint32_t k : d.leaves) leaves.push_back(nodes[k]);
  made.y = fg::add_n(leaves);
  return made;
}

small_graph single_add(const fg::shape& shape) {
  small_graph made;
  made.x = made.g.placeholder<float>("x", shape);
  made.y = made.x + 0.5f;
  return made;
}

// `stages`: how long building and the first run take is part of the work.
void run(const options& o, subject s, small_graph (*make)(const fg::shape&), const fg::tensor<float>& x, bool stages = false) {
  const auto pool = make_pool(o);
  for (const std::string_view variant : variants) {
    if (!o.wants(variant)) continue;
    s.variant = variant;
    const double started = now();
    const small_graph g = make(is_dynamic(variant) ? fg::shape::unknown() : x.shape());
    const double built = now();
    // The nodes are what is measured: none is merged with another or left out.
    const fg::pass_options passes{.prune_identities = false, .merge_common = false};
    fg::session session{g.g, {.pool = pool.get(), .dynamic = is_dynamic(variant), .passes = passes}};
    auto finish = [&](auto&& step) {
      const double check = mean_magnitude(step());
      if (stages) s.import_ms = (built - started) * 1e3, s.first_ms = (now() - built) * 1e3;
      measure(o, s, check, [&] { step(); });
    };
    if (is_dynamic(variant)) {
      finish([&] { return session.run(fg::fetch(g.y), {{g.x, x}}); });
    } else {
      auto step = session.prepare(fg::feed(g.x), fg::fetch(g.y));
      finish([&] { return step(x); });
    }
  }
}

// A chain of kernels of about 20 us, with a trace and without, in turns.
void run_traced(const options& o, std::string_view name) {
  constexpr int products = 100;
  fg::graph g;
  auto x = g.placeholder<float>("x", {96, 96});
  const auto w = g.constant(fill(1, {96, 96}, 0.125));
  fg::out<float> y = x;
  for (int i = 0; i < products; ++i) y = fg::matmul(y, w);
  const auto pool = make_pool(o);
  fg::session session{g, {.pool = pool.get()}};
  const auto input = fill(2, {96, 96});
  auto step = session.prepare(fg::feed(x), fg::fetch(y));
  fg::trace_recorder seen;
  std::size_t traced = 0;
  const auto run_by = [&](bool is_queued, bool is_traced) {
    const fg::run_options how{.trace = is_traced ? &seen : nullptr};
    if (is_traced && ++traced % 256 == 0) seen.clear();
    return is_queued ? mean_magnitude(session.run(fg::fetch(y), {{x, input}}, how))
                     : mean_magnitude(step.try_run(how, input).value());
  };
  const auto prepared = [&] { run_by(false, false); };
  const auto prepared_traced = [&] { run_by(false, true); };
  const auto queued = [&] { run_by(true, false); };
  const auto queued_traced = [&] { run_by(true, true); };
  const double check = run_by(true, true);
  const auto subject_of = [&](std::string_view variant) { return subject{variant, name, "us/node", products}; };
  const std::array<contender, 4> all{{{subject_of("prepared"), check, prepared},
                                      {subject_of("prepared, traced"), check, prepared_traced},
                                      {subject_of("dynamic"), check, queued},
                                      {subject_of("dynamic, traced"), check, queued_traced}}};
  measure_in_turns(o, all);
}

constexpr work works[] = {
    {"executor_chain",
     [](const options& o, std::string_view w) { run(o, {.work = w, .unit = "ns/node", .per = 10'000}, chain, 1.f); }},
    {"executor_traced", run_traced},
    {"executor_fan", [](const options& o, std::string_view w) { run(o, {.work = w, .unit = "ns/node", .per = 1002}, fan, 1.f); }},
    {"executor_dag",
     [](const options& o, std::string_view w) { run(o, {.work = w, .unit = "ns/node", .per = 36'000}, random_graph, 0.001f); }},
    {"graph36k",
     [](const options& o, std::string_view w) { run(o, {.work = w, .unit = "ms/run"}, random_graph, fill(700, {32}), true); }},
    {"empty_run", [](const options& o, std::string_view w) { run(o, {.work = w, .unit = "us/run"}, single_add, 1.f); }},
};

}  // namespace

std::span<const work> executor_works() { return works; }

}  // namespace bench
