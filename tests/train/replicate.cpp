#include <flowgraph/train/replicate.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <bit>

namespace fg = flowgraph;

namespace {

using numbers = std::vector<float>;
using layout = std::vector<std::string>;

const layout layouts[] = {{"/cpu:0", "/cpu:0", "/cpu:0"},
                          {"/cpu:0", "/cpu:1", "/cpu:2"},
                          {"/cpu:2", "/cpu:0", "/cpu:1"},
                          {"/cpu:1", "/cpu:1", "/cpu:0"}};

fg::tensor<float> values(const fg::shape& shape, int seed) {
  fg::tensor<float> made(shape);
  for (std::size_t i = 0; i < made.size(); ++i)
    made.writable()[i] = static_cast<float>((static_cast<int>(i) + 1) * (seed + 37) % 101) / 53.f - 0.9f;
  return made;
}
fg::tensor<std::int32_t> row_numbers(std::int64_t count, int limit) {
  fg::tensor<std::int32_t> made(fg::shape{count});
  for (std::size_t i = 0; i < made.size(); ++i) made.writable()[i] = static_cast<std::int32_t>(i * 5 + 1) % limit;
  return made;
}
std::vector<std::uint32_t> bits(const fg::tensor<float>& t) {
  std::vector<std::uint32_t> made;
  for (const float f : t) made.push_back(std::bit_cast<std::uint32_t>(f));
  return made;
}

// A loss that is a mean over its batch, of two dense variables and of rows of a table.
struct model {
  fg::graph g;
  std::int64_t declared_rows;
  fg::out<float> x = g.placeholder<float>("x", {declared_rows, 3}), y = g.placeholder<float>("y", {declared_rows, 1});
  fg::out<std::int32_t> r = g.placeholder<std::int32_t>("r", {declared_rows});
  fg::variable<float> w, v, table;

  explicit model(std::string_view device = {}, std::int64_t rows = fg::any.extent) : declared_rows(rows) {
    const auto on = g.on_device(device);
    w = g.variable("w", values({3, 5}, 1));
    v = g.variable("v", values({5, 1}, 2));
    table = g.variable("table", values({7, 1}, 3));
  }
  fg::out<float> loss(fg::out<float> a, fg::out<float> b, fg::out<std::int32_t> rows) const {
    return fg::mean(fg::square(fg::matmul(fg::tanh(fg::matmul(a, w)), v) + fg::gather(table, rows) - b));
  }
  fg::out<float> loss(const fg::replica& i) const { return loss(i.rows(x), i.rows(y), i.rows(r)); }
  fg::replicated<float> replicas(const layout& devices) const {
    return fg::replicate(g, devices, [&](const fg::replica& i) { return loss(i); });
  }
};

// What three steps leave: each loss, then all variables.
std::vector<std::uint32_t> after_training(const model& m, fg::out<float> loss, fg::target train, std::int64_t rows,
                                          const fg::session_options& options, bool is_prepared = true) {
  fg::session s{m.g, options};
  s.initialize();
  std::vector<std::uint32_t> made;
  const auto keep = [&](const fg::tensor<float>& t) {
    const auto b = bits(t);
    made.insert(made.end(), b.begin(), b.end());
  };
  auto step = s.prepare(fg::feed(m.x, m.y, m.r), fg::fetch(loss), train);
  for (int i = 0; i < 3; ++i) {
    const auto x = values({rows, 3}, 10 + i), y = values({rows, 1}, 20 + i);
    const auto r = row_numbers(rows, 7);
    if (is_prepared) keep(step(x, y, r));
    else keep(s.run(fg::fetch(loss), train, {{m.x, x}, {m.y, y}, {m.r, r}}));
  }
  for (const fg::any_out& variable : m.g.variables()) keep(s.run(fg::fetch(fg::out<float>(variable.source, 0))));
  return made;
}
template <class Method>
std::vector<std::uint32_t> trained(const layout& devices, std::string_view variables_on, std::int64_t rows, const Method& method,
                                   const fg::session_options& options, bool is_prepared = true, bool is_known = false) {
  const model m(variables_on, is_known ? rows : fg::any.extent);
  const auto [loss, gradients] = m.replicas(devices);
  return after_training(m, loss, method.apply(gradients), rows, options, is_prepared);
}

template <class F> void check_refused(const char* part, const fg::graph& g, const F& f) {
#ifdef FLOWGRAPH_EXCEPTIONS
  static_cast<void>(g);
  CHECK_THROWS_WITH_AS(f(), doctest::Contains(part), fg::error);
#else
  f();
  CHECK(std::string_view(g.first_error().what()).find(part) != std::string_view::npos);
#endif
}

}  // namespace

TEST_CASE("replicate: the bits are the same wherever replicas and variables are, prepared or not, on any number of threads") {
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::thread_pool pool(4);
  for (const std::int64_t rows : {3, 7, 12}) {
    const auto on_one = trained(layouts[0], "", rows, fg::adam{.rate = 0.1f}, {});
    CHECK(trained(layouts[0], "", rows, fg::adam{.rate = 0.1f}, {}, true, true) == on_one);
    for (const layout& devices : layouts)
      for (const std::string_view variables_on : {"/cpu:0", "/cpu:2", ""}) {
        CHECK(trained(devices, variables_on, rows, fg::adam{.rate = 0.1f}, {.devices = cpus}) == on_one);
        CHECK(trained(devices, variables_on, rows, fg::adam{.rate = 0.1f}, {.pool = &pool, .devices = cpus}, false) == on_one);
        CHECK(trained(devices, variables_on, rows, fg::adam{.rate = 0.1f}, {.devices = cpus}, false, true) == on_one);
      }
    CHECK(trained(layouts[1], "", rows, fg::adam{.rate = 0.1f}, {.soft_placement = true}) == on_one);
    CHECK(trained(layouts[1], "", rows, fg::adam{.rate = 0.2f}, {.devices = cpus}) != on_one);
  }
}

TEST_CASE("replicate: the bits are those of one program on one device that adds the parts in the order of the replicas") {
  for (const std::int64_t rows : {3, 7, 12}) {
    const std::vector<std::int64_t> sizes{(rows + 2) / 3, (rows + 1) / 3, rows / 3};
    const model m;
    const auto x = fg::split(m.x, sizes, 0), y = fg::split(m.y, sizes, 0);
    const auto r = fg::split(m.r, sizes, 0);
    fg::out_list<float> losses, dw, dv, values_of_table;
    fg::out_list<std::int64_t> rows_of_table;
    fg::grad<float> of_table;
    for (std::size_t i = 0; i < 3; ++i) {
      losses.push_back(m.loss(x[i], y[i], r[i]) * static_cast<float>(static_cast<double>(sizes[i]) / static_cast<double>(rows)));
      const auto [a, b, c] = fg::gradients(losses[i], m.w, m.v, m.table);
      dw.push_back(a);
      dv.push_back(b);
      of_table = c;
      values_of_table.push_back(c.slices().values);
      rows_of_table.push_back(c.slices().indices);
    }
    const fg::any_slices all(fg::concat(rows_of_table, 0), fg::concat(values_of_table, 0), of_table.slices().dense_shape);
    const fg::trained_list<float> parts{
        {m.w, {fg::any_grad(fg::add_n(dw))}}, {m.v, {fg::any_grad(fg::add_n(dv))}}, {m.table, {fg::any_grad(all)}}};
    const auto expected = after_training(m, fg::add_n(losses), fg::adam{.rate = 0.1f}.apply(parts), rows, {});
    const fg::device_list cpus = fg::cpu_devices(3);
    CHECK(trained(layouts[2], "/cpu:1", rows, fg::adam{.rate = 0.1f}, {.devices = cpus}) == expected);
  }
}

TEST_CASE("replicate: it trains as the whole batch does, also where the rows cannot be shared out evenly") {
  const fg::device_list cpus = fg::cpu_devices(3);
  for (const std::int64_t rows : {7, 8, 9}) {
    const model m;
    const auto whole = m.loss(m.x, m.y, m.r);
    const auto expected = after_training(m, whole, fg::sgd{.rate = 0.1f}.minimize(whole), rows, {});
    const auto found = trained(layouts[1], "", rows, fg::sgd{.rate = 0.1f}, {.devices = cpus});
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK(std::bit_cast<float>(found[i]) == doctest::Approx(std::bit_cast<float>(expected[i])).epsilon(1e-5));
    CHECK(trained({"/cpu:1"}, "", rows, fg::sgd{.rate = 0.1f}, {.devices = cpus}) == expected);
  }
}

TEST_CASE("replicate: rows lie behind each other, and the first replicas have those that are left over") {
  model m;
  fg::out_list<float> parts;
  fg::replicate(m.g, layouts[1], [&](const fg::replica& r) {
    const auto later = m.g.after(m.v);  // others do not wait for what one replica waits for
    CHECK(r.number() == parts.size());
    CHECK(r.count() == 3);
    CHECK(r.device() == layouts[1][r.number()]);
    parts.push_back(r.rows(m.y));
    CHECK(r.rows(m.y) == parts.back());
    return m.loss(r);
  });
  CHECK(parts[0].source->control_inputs.size() == 1);
  CHECK(parts[0].source->control_inputs[0]->name == "replicate/enough_rows");
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::session s{m.g, {.devices = cpus}};
  const auto y = values({8, 1}, 5);
  const auto [a, b, c] = s.run(fg::fetch(parts[0], parts[1], parts[2]), {{m.y, y}});
  CHECK(a.shape() == fg::shape{3, 1});
  CHECK(b.shape() == fg::shape{3, 1});
  CHECK(c.shape() == fg::shape{2, 1});
  CHECK(b[0] == y[3]);
  CHECK(c[1] == y[7]);
}

TEST_CASE(
    "replicate: each replica is on its device, sums and updates are where their variable is, and a prepared step is a schedule") {
  const fg::device_list cpus = fg::cpu_devices(3);
  const model m("/cpu:1");
  const auto [loss, gradients] = fg::replicate(m.g, cpus, [&](const fg::replica& r) { return m.loss(r); });
  CHECK(gradients.size() == 3);
  CHECK(gradients[2].gradient.is_slices());
  CHECK(gradients[0].gradient.parts().dense.source->device.empty());
  CHECK(gradients[0].gradient.parts().dense.source->colocated_with[0] == "w");
  CHECK(m.g.find("replicate/replica_2/share")->device == "/job:localhost/task:0/device:cpu:2");
  const auto train = fg::adam{.rate = 0.1f}.apply(gradients);
  fg::session s{m.g, {.devices = cpus}};
  s.initialize();
  CHECK(s.prepare(fg::feed(m.x, m.y, m.r), fg::fetch(loss), train).plan().queued.empty());
  CHECK(fg::to_text(s.explain(fg::fetch(loss), train)).find("update_w/ApplyAdam = ApplyAdam<float>") != std::string::npos);
  CHECK(cpus[1].memory() != nullptr);
}

TEST_CASE("replicate: a variable that is read through an identity crosses once to each replica") {
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 2});
  const auto w = g.variable("w", fg::glorot_uniform<float>({2, 2}));
  const auto [loss, gradients] = fg::replicate(g, cpus, [&](const fg::replica& r) {
    const auto here = fg::identity(w);
    return fg::mean(fg::matmul(fg::tanh(fg::matmul(r.rows(x), here)), here));
  });
  const auto train = fg::sgd{.rate = 1.f}.apply(gradients);
  fg::session s{g, {.devices = cpus}};
  std::size_t crossings = 0;
  for (const fg::explained_node& n : s.explain(fg::fetch(loss), train, {x}).nodes) crossings += n.name.starts_with("w to ");
  CHECK(crossings == 2);
}

TEST_CASE("replicate: gradients that replicas made themselves are averaged too, dense ones and slices") {
  const fg::device_list cpus = fg::cpu_devices(3);
  const auto clipped = [&](const layout& devices, const fg::session_options& options) {
    const model m;
    fg::out_list<float> norms;
    const auto list = fg::replicate(m.g, devices, [&](const fg::replica& r) {
      auto parts = fg::sgd{.rate = 1.f}.gradients(m.loss(r));
      norms.push_back(fg::global_norm(parts));
      if (r.number() == 1) std::swap(parts[0], parts[2]);
      return fg::clip_by_global_norm(parts, 0.1f);
    });
    CHECK(list.size() == 3);
    CHECK(list[2].gradient.is_slices());
    return after_training(m, fg::add_n(norms), fg::sgd{.rate = 1.f}.apply(list), 8, options);
  };
  const auto expected = clipped(layouts[0], {});
  for (const layout& devices : layouts) CHECK(clipped(devices, {.devices = cpus}) == expected);
}

TEST_CASE("replicate: variables that replicas make are made once, under the names of one model, where the options say") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 2});
  const auto dense = [&](const fg::replica& r, fg::out<float> in, std::int64_t width) {
    const auto w = r.variable("w", fg::glorot_uniform<float>({in.shape()[1], width}));
    const auto b = r.variable("b", fg::tensor<float>(fg::shape{width}), {.trainable = width > 1});
    CHECK(b.initializer->name == std::string(b.source->name) + "/Assign");
    return fg::matmul(in, w) + b;
  };
  const auto outer = g.in_scope("model");
  const auto [loss, gradients] = fg::replicate(g, layouts[1],
                                               [&](const fg::replica& r) {
                                                 const auto first = [&] {
                                                   const auto in = g.in_scope("first");
                                                   return dense(r, r.rows(x), 4);
                                                 }();
                                                 return fg::mean(dense(r, first, 1));
                                               },
                                               {.variables = "/cpu:2"});
  std::vector<std::string> names;
  for (const fg::any_out& v : g.variables()) {
    names.push_back(v.name());
    CHECK(v.source->device == "/cpu:2");
  }
  CHECK(names == std::vector<std::string>{"model/first/w", "model/first/b", "model/w", "model/b"});
  CHECK(gradients.size() == 3);
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::session s{g, {.devices = cpus}};
  s.initialize();
  CHECK(std::isfinite(s.run(fg::fetch(loss), fg::sgd{.rate = 0.1f}.apply(gradients), {{x, values({5, 2}, 1)}}).scalar()));
}

TEST_CASE("replicate: the batches of a queue go to the replicas in their order, or one is split by rows") {
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::thread_pool pool(4);
  for (const bool one_each : {true, false})
    for (int repeat = 0; repeat < 10; ++repeat) {
      fg::graph g;
      const fg::fifo_queue<float> q(g, {.capacity = 100, .shapes = {{1}}});
      const auto xs = g.placeholder<float>("xs", {fg::any, 1});
      const auto put = q.enqueue_many(xs);
      const auto w = g.variable("w", fg::ones<float>({}));
      const auto batch = q.dequeue_many(one_each ? 1 : 12);
      fg::out_list<float> parts;
      const auto [loss, gradients] = fg::replicate(g, cpus, [&](const fg::replica& r) {
        if (!one_each) parts.push_back(r.rows(batch));
        else
          parts.push_back(
              fg::concat({r.in_turn([&] { return q.dequeue_many(3); }), r.in_turn([&] { return q.dequeue_many(1); })}, 0));
        return fg::mean(parts.back() * w);
      });
      fg::session s{g, {.pool = &pool, .devices = cpus}};
      s.initialize();
      fg::tensor<float> all({24, 1});
      for (std::size_t i = 0; i < 24; ++i) all.writable()[i] = static_cast<float>(i);
      s.run(put, {{xs, all}});
      const auto train = fg::sgd{.rate = 0.f}.apply(gradients);
      const auto [a, b, c, mean] = s.run(fg::fetch(parts[0], parts[1], parts[2], loss), train);
      for (std::size_t i = 0; i < 4; ++i) {
        CHECK(a[i] == static_cast<float>(i));
        CHECK(b[i] == static_cast<float>(4 + i));
        CHECK(c[i] == static_cast<float>(8 + i));
      }
      CHECK(mean.scalar() == doctest::Approx(5.5));
      for (const char* later : {"replica_0/QueueDequeueManyV2_1", "replica_1/QueueDequeueManyV2"})
        if (one_each) CHECK(g.find(std::string("replicate/") + later)->control_inputs.size() == 1);
    }
}

TEST_CASE("replicate: loops, branches and random numbers in replicas give the same bits on any devices") {
  const fg::device_list cpus = fg::cpu_devices(3);
  const auto trained_by = [&](const layout& devices, const fg::session_options& options) {
    model m;
    m.g.set_seed(5);
    const auto [loss, gradients] = fg::replicate(m.g, devices, [&](const fg::replica& r) {
      const auto x = fg::dropout(r.rows(m.x), 0.25f);
      const auto [n, h] = fg::while_loop(
          std::tuple{m.g.constant(0), fg::matmul(x, m.w)}, [](const auto& i, const auto&) { return i < 3; },
          [&](const auto& i, const auto& state) {
            return std::tuple{i + 1, fg::tanh(state * fg::sum(m.v))};
          });
      const auto guess = fg::cond(
          fg::sum(h) > 0.f, [&] { return fg::matmul(h, m.v); }, [&] { return fg::matmul(h, m.v) * 2.f; });
      return fg::mean(fg::square(guess + fg::gather(m.table, r.rows(m.r)) - r.rows(m.y)));
    });
    return after_training(m, loss, fg::momentum{.rate = 0.1f}.apply(gradients), 7, options);
  };
  const auto expected = trained_by(layouts[0], {});
  for (const layout& devices : layouts) CHECK(trained_by(devices, {.devices = cpus}) == expected);
}

TEST_CASE("replicate: no devices, no loss and no gradients are refused by name") {
  const model m;
  const auto loss = [&](const fg::replica& r) { return m.loss(r); };
  check_refused("replicate needs at least one device, found none", m.g,
                [&] { fg::replicate(m.g, std::vector<std::string>(), loss); });
  const model n;
  check_refused("replica 1 on /cpu:1 gave no loss, but an empty handle", n.g, [&] {
    fg::replicate(n.g, layouts[1], [&](const fg::replica& r) { return r.number() == 1 ? fg::out<float>() : n.loss(r); });
  });
  const model o;
  check_refused("gave 'replicate/replica_0/Square' of shape [?,1] as its loss, which is a scalar", o.g,
                [&] { fg::replicate(o.g, layouts[1], [&](const fg::replica& r) { return fg::square(r.rows(o.y)); }); });
  const model p;
  check_refused("replica 2 on /cpu:2 gave no gradients", p.g, [&] {
    fg::replicate(p.g, layouts[1], [&](const fg::replica& r) {
      return r.number() == 2 ? fg::trained_list<float>() : fg::sgd{.rate = 1.f}.gradients(p.loss(r));
    });
  });
  const model q;
  check_refused("depends on no variable", q.g,
                [&] { fg::replicate(q.g, layouts[1], [&](const fg::replica& r) { return fg::mean(r.rows(q.x)); }); });
}

TEST_CASE("replicate: replicas that train different variables are refused, and the variable is named") {
  const model m;
  check_refused(
      "replica 0 on /cpu:0 gave 3 gradients, one of them for 'v', replica 1 on /cpu:1 gave 2 and none for it: variables of all",
      m.g, [&] {
        fg::replicate(m.g, layouts[1], [&](const fg::replica& r) {
          auto list = fg::sgd{.rate = 1.f}.gradients(m.loss(r));
          if (r.number() == 1) list.erase(list.begin() + 1);
          return list;
        });
      });
  const model n;
  check_refused("gave 2 gradients, one of them for 'replicate/replica_0/own', replica 1", n.g, [&] {
    fg::replicate(n.g, layouts[1], [&](const fg::replica& r) {
      fg::graph g = n.g;
      return fg::mean(fg::matmul(r.rows(n.x), n.w) * g.variable("own", fg::ones<float>({})));
    });
  });
  const model o;
  check_refused("variable 1 of replica 1 on /cpu:1 is 'b', float[2], that of replica 0 on /cpu:0 is 'a', float[2]", o.g, [&] {
    fg::replicate(o.g, layouts[1],
                  [&](const fg::replica& r) { return fg::sum(r.variable(r.number() == 0 ? "a" : "b", fg::ones<float>({2}))); });
  });
  const model p;
  check_refused("replica 1 on /cpu:1 has a variable 'b' more than replica 0 on /cpu:0, which has 1", p.g, [&] {
    fg::replicate(p.g, layouts[1], [&](const fg::replica& r) {
      auto a = fg::sum(r.variable("a", fg::ones<float>({2})));
      return r.number() == 0 ? a : a + fg::sum(r.variable("b", fg::ones<float>({2})));
    });
  });
}

TEST_CASE("replicate: batches that cannot be split are refused: too few rows, none, different numbers of them, within a branch") {
  const model m("", 2);
  check_refused("'x' of shape [2,3] has fewer rows than the 3 replicas: each needs at least one", m.g, [&] {
    fg::replicate(m.g, layouts[1], [&](const fg::replica& r) { return fg::mean(fg::matmul(r.rows(m.x), m.w)); });
  });
  model n;
  const auto scalar = n.g.placeholder<float>("scalar", {});
  check_refused("replica 0 on /cpu:0: 'scalar' is a scalar and has no rows", n.g,
                [&] { fg::replicate(n.g, layouts[1], [&](const fg::replica& r) { return fg::mean(r.rows(scalar)); }); });
  model o;
  check_refused("replica 0 on /cpu:0: rows and in_turn are called before the loop or the branch", o.g, [&] {
    fg::replicate(o.g, layouts[1], [&](const fg::replica& r) {
      const auto zero = o.g.constant(0.f);
      return fg::mean(fg::cond(
          zero < 1.f, [&] { return r.rows(o.x); }, [&] { return r.rows(o.x); }));
    });
  });
  const fg::device_list cpus = fg::cpu_devices(3);
  const model p;
  const auto [loss, gradients] = p.replicas(layouts[1]);
  fg::session s{p.g, {.devices = cpus}};
  s.initialize();
  const auto check_run = [&](std::int64_t rows, std::int64_t others, std::string_view part) {
    const auto x = values({rows, 3}, 1), y = values({others, 1}, 2);
    const auto r = row_numbers(rows, 7);
    const auto once = s.try_run(fg::fetch(loss), {{p.x, x}, {p.y, y}, {p.r, r}});
    const auto prepared = s.prepare(fg::feed(p.x, p.y, p.r), fg::fetch(loss)).try_run(fg::run_options(), x, y, r);
    CHECK(std::string_view(once.error().what()).find(part) != std::string_view::npos);
    CHECK(std::string_view(prepared.error().what()).find(part) != std::string_view::npos);
  };
  check_run(2, 2, "has fewer rows than there are replicas, each of which needs one; rows, replicas:] [2] [3]");
  check_run(7, 6, "size_splits must add up to extent 6 of axis 0; found y float[6,1]");
}
