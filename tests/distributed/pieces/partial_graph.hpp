#pragma once
// A graph for partial runs, on two tasks or none: the value fed at one task is used at the other, with random numbers, a variable
// and a loop.

#include "../../harness/free_addresses.hpp"
#include "../simulated_cluster.hpp"

#include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/ops/random/random.hpp>

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace flowgraph_test {

inline fg::tensor<float> three(float a, float b, float c) { return fg::tensor<float>({3}, {a, b, c}); }

struct partial_graph {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {3}), y = g.placeholder<float>("y", {3}), z = g.placeholder<float>("z", {3});
  fg::out<float> noisy, product, total, last, looped, yes, no, seven;
  fg::variable<float> v;
  fg::target initial;

  explicit partial_graph(bool is_far) {
    const auto on = [&](std::uint32_t task) { return g.on_device(is_far ? on_worker(task) : ""); };
    {
      const auto first = on(0);
      noisy = x + fg::random_uniform<float>(g, {3}, {.seed = 3});
      seven = g.constant(7.f);
    }
    {
      const auto second = on(1);
      v = g.variable("v", three(1, 2, 3));
      product = noisy * y;
      total = fg::assign_add(v, product) +
              0.f;  // a value, because a reader of the variable itself reads it later in one process than on two tasks
    }
    {
      const auto first = on(0);
      last = total * z + x;
      const auto sides = fg::switch_(z, fg::out<bool>(fg::greater_equal(fg::sum(y), g.constant(0.f))));
      yes = sides.if_true * 2.f;
      no = sides.if_false * 3.f;
    }
    const auto limit = g.constant(5);
    auto [i, end] = fg::while_loop(
        std::tuple{g.constant(0), y}, [&](auto n, auto) { return n < limit; },
        [&](auto n, auto value) {
          const auto second = on(1);
          return std::tuple{n + 1, value * x};
        });
    looped = end;
  }
  std::vector<fg::any_out> feeds() const { return {x, y, z}; }
  std::vector<fg::any_out> fetches() const { return {noisy, product, total, last, looped, yes, no, seven, v}; }

  fg::result<fg::partial_run> try_begin(fg::session& s, const fg::run_options& options = {}) const {
    return s.try_begin_partial(feeds(), fetches(), {}, options);
  }
  fg::partial_run begin(fg::session& s, const fg::run_options& options = {}) const { return try_begin(s, options).value(); }
};

// Two tasks in this process.
struct two_servers {
  std::vector<std::string> addresses = free_addresses(2);
  fg::cluster all{{"worker", addresses}};
  fg::tcp::server first{all, "worker", 0, cluster_ops()}, second{all, "worker", 1, cluster_ops()};
};

inline fg::result<std::vector<fg::any_tensor>> go_on(fg::partial_run& p, const std::vector<fg::fed>& feeds,
                                                     const std::vector<fg::any_out>& fetches) {
  return p.try_continue(feeds, fetches);
}

// Returns the elements of all tensors, one after the other; for an error only its code, as a negative number.
inline std::vector<float> all_elements(const fg::result<std::vector<fg::any_tensor>>& made) {
  if (!made) return {-1000.f - static_cast<float>(made.error().code())};
  std::vector<float> all;
  for (const fg::any_tensor& t : *made) {
    const auto values = t.as<float>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace flowgraph_test
