#include <flowgraph/runtime/variable_set.hpp>

#include <flowgraph/op/variable_set.hpp>
#include <flowgraph/ops/array/identity_variants.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>

#include "../harness/accelerator/kernels.hpp"
#include "../harness/engine_ops.hpp"

#include <optional>

using namespace engine;

namespace {

bool says(const fg::error& why, std::string_view text) { return why.message().find(text) != std::string::npos; }

// Two variables whose values are k and -k after swap k, read one after the other with a kernel between the two readings.
struct two_layers {
  explicit two_layers(fg::session_options options = {}) : s(g, options) {
    w = g.variable("w", filled(4, 1));
    b = g.variable("b", filled(4, -1));
    x = g.placeholder<float>("x", {4});
    first = add(x, w);
    passed = probe(first, [this](fg::cpu) { between(); });
    sum = add(passed, b);
    s.initialize();
  }

  void join() { set = s.make_set("weights", w, b); }
  void swap_to(float k) { set.swap(filled(4, k), filled(4, -k)); }

  fg::graph g;
  fg::session s;
  fg::variable<float> w, b;
  fg::out<float> x, first, passed, sum;
  std::function<void()> between = [] {};
  fg::variable_set set;
};

}  // namespace

TEST_CASE("variable_set: a swap gives all members new values, for runs and prepared steps") {
  two_layers m;
  auto early = m.s.prepare(fg::feed(m.x), fg::fetch(m.sum, m.w));
  const auto zero = filled(4, 0);
  early(zero);
  m.join();
  CHECK(m.set.size() == 2);
  CHECK(m.set.name() == "weights");
  auto step = m.s.prepare(fg::feed(m.x), fg::fetch(m.sum, m.w));
  for (float k = 1; k < 6; ++k) {
    m.swap_to(k);
    for (auto* each : {&step, &early}) {
      const auto [sum, w] = (*each)(zero);
      CHECK(sum[3] == 0.f);
      CHECK(w[3] == k);
    }
    CHECK(m.s.run(fg::fetch(m.w))[0] == k);
    CHECK(m.set.values()[1].as<float>()[0] == -k);
  }
}

TEST_CASE("variable_set: a run sees one version from its start to its end, whichever way it goes") {
  fg::thread_pool pool(2);
  for (const bool dynamic : {false, true})
    for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
      CAPTURE(dynamic);
      two_layers m({.pool = p, .dynamic = dynamic});
      m.join();
      float k = 1;
      m.between = [&] { m.swap_to(++k); };
      auto step = m.s.prepare(fg::feed(m.x), fg::fetch(m.sum, m.w));
      const auto zero = filled(4, 0);
      for (int i = 0; i < 5; ++i) {
        const float before = k;
        const auto [sum, w] = i % 2 == 0 ? step(zero) : m.s.run(fg::fetch(m.sum, m.w), {{m.x, zero}});
        CHECK(sum[0] == 0.f);
        CHECK(w[0] == before);
      }
      CHECK(m.s.run(fg::fetch(m.w))[0] == k);
    }
}

TEST_CASE("variable_set: so do the iterations of a loop, a branch of it, and a partial run") {
  two_layers m;
  m.join();
  auto n = m.g.placeholder<float>("n", {});
  auto zero = m.g.constant(0.f), one = m.g.constant(1.f);
  float k = 1;
  const values done = loop(
      {fg::identity(zero), fg::identity(m.x)}, [&](const values& v) { return less(v[0], invariant(n)); },
      [&](const values& v) {
        auto w = fg::identity(fg::out<float>(m.w)), b = fg::identity(fg::out<float>(m.b));
        auto swapped = probe(add(v[1], invariant(w)), [&](fg::cpu) { m.swap_to(++k); });
        return values{add(v[0], invariant(one)), add(swapped, invariant(b))};
      });
  auto y = add(done[1], add(m.w, probe(m.b, [&](fg::cpu) { m.swap_to(++k); })));
  auto step = m.s.prepare(fg::feed(m.x, n), fg::fetch(y, m.w));
  CHECK(step.plan().queued == "");
  for (int i = 0; i < 4; ++i) {
    const auto [same, w] = step(filled(4, 3), static_cast<float>(i));
    CHECK(same[2] == 3.f);
  }
  CHECK(m.s.run(fg::fetch(y), {{m.x, filled(4, 3)}, {n, 4.f}})[0] == 3.f);

  const fg::any_out feeds[]{m.x, n}, fetches[]{m.first, m.sum};
  auto partial = m.s.try_begin_partial(feeds, fetches).value();
  const float before = k;
  const fg::fed given[]{{m.x, filled(4, 0)}};
  const auto first = partial.try_continue(given, std::span(fetches).first(1));
  REQUIRE(first.has_value());
  CHECK((*first)[0].as<float>()[0] == before);
  m.swap_to(++k);
  const auto second = partial.try_continue({}, std::span(fetches).last(1));
  REQUIRE(second.has_value());
  CHECK((*second)[0].as<float>()[0] == 0.f);
}

TEST_CASE("variable_set: nobody writes to a member by itself") {
  two_layers m;
  auto assigned = fg::assign(m.w, m.x);
  auto added = fg::assign_add(m.b, fg::out<float>(m.x));
  auto prepared = m.s.prepare(fg::feed(m.x), assigned.source);
  m.join();
  const auto ones = filled(4, 1);
  for (const fg::error& why :
       {m.s.try_run(assigned.source, {{m.x, ones}}).error(), prepared.try_run({}, ones).error(), m.s.try_initialize().error()}) {
    CHECK(why.code() == error_code::failed_precondition);
    CHECK(says(why, "'w'"));
    CHECK(says(why, "'weights'"));
  }
  CHECK(says(m.s.try_run(added.source, {{m.x, ones}}).error(), "'b'"));
  const auto [w, b] = m.s.run(fg::fetch(m.w, m.b));
  CHECK(w[0] == 1.f);
  CHECK(b[0] == -1.f);
}

TEST_CASE("variable_set: what does not fit is refused, and nothing is swapped") {
  two_layers m;
  m.join();
  const auto refused = [&](std::vector<fg::any_tensor> values) { return m.set.try_swap(values).error(); };
  const auto four = filled(4, 9).erased();
  CHECK(says(refused({four}), "2 variables, found 1"));
  CHECK(says(refused({four, filled(5, 9).erased()}), "'b'"));
  CHECK(says(refused({four, filled(5, 9).erased()}), "[5]"));
  CHECK(says(refused({fg::tensor<double>({4}).erased(), four}), "double"));
  const auto by_hand = m.set.try_swap([&](fg::staged_set& next) {
    next.write<float>(0)[0] = 9;
    CHECK(next.write<double>(1).empty());
    next.put(7, four);
  });
  REQUIRE(!by_hand.has_value());
  CHECK(says(by_hand.error(), "'b'"));
  CHECK(says(m.set.try_swap([&](fg::staged_set& next) { next.put(7, four); }).error(), "no variable 7"));
  CHECK(m.set.values()[0].as<float>()[0] == 1.f);
  m.swap_to(3);
  CHECK(m.set.values()[0].as<float>()[3] == 3.f);
}

TEST_CASE("variable_set: what cannot be a member is named") {
  two_layers m;
  auto late = m.g.variable("late", filled(2, 1));
  const auto refused = [&](std::vector<fg::any_out> all) {
    const auto made = m.s.try_make_set("layers", all);
    return made ? fg::error() : made.error();
  };
  CHECK(says(refused({m.w, late}), "'late' cannot join the set 'layers': the variable has no value yet"));
  CHECK(says(refused({m.w, m.w}), "named twice"));
  CHECK(says(refused({m.first}), "is the output of TestAdd"));
  CHECK(says(refused({}), "no variables"));
  m.join();
  CHECK(says(refused({m.b}), "the variable belongs to the set 'weights'"));
  fg::variable_set empty;
  CHECK(!empty.try_swap(std::span<const fg::any_tensor>()).has_value());
  CHECK((empty.size() == 0 && empty.name().empty() && empty.values().empty() && empty.versions() == 0));
  empty.collect();
}

TEST_CASE("variable_set: a variable in memory that the host does not touch is refused by name") {
  accelerator::accelerators all(5, 1);
  fg::graph g;
  const auto near = g.variable("near", filled(2, 1));
  const auto far = [&] {
    const auto there = g.on_device("/device:accel:0");
    return g.variable("far", filled(2, 3));
  }();
  all.learn(g);
  fg::session s{g, {.devices = all.devices()}};
  s.initialize();
  const fg::any_out members[] = {near, far};
  const auto made = s.try_make_set("layers", members);
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == error_code::failed_precondition);
  CHECK(says(made.error(), "'far' cannot join the set 'layers': the host does not touch the memory of the variable's device"));
  CHECK(s.run(fg::fetch(far))[1] == 3);
}

TEST_CASE("variable_set: members that are not written stay; memory of old versions is used again") {
  counting_memory memory;
  {
    two_layers m({.memory = &memory});
    m.join();
    auto step = m.s.prepare(fg::feed(m.x), fg::fetch(m.first));
    const auto zero = filled(4, 0);
    std::size_t warm = 0;
    for (int i = 0; i < 100; ++i) {
      m.set.swap([&](fg::staged_set& next) {
        for (float& f : next.write<float>(0)) f = static_cast<float>(i);
      });
      CHECK(step(zero)[3] == static_cast<float>(i));
      CHECK(m.set.values()[1].as<float>()[0] == -1.f);
      if (i == 10) warm = memory.allocations();
    }
    CHECK(memory.allocations() == warm);
    CHECK(m.set.versions() == 2);
    m.set.collect();
    CHECK(m.set.versions() == 1);
    const float borrowed[]{5, 6, 7, 8};
    m.set.swap([&](fg::staged_set& next) { next.put(0, fg::tensor<float>::borrow({4}, borrowed)); });
    CHECK(m.set.values()[0].data() != static_cast<const void*>(borrowed));
    CHECK(step(zero)[3] == 8.f);
    m.between = [&] {
      for (int i = 0; i < 3; ++i) m.swap_to(static_cast<float>(i));
      CHECK(m.set.versions() == 3);  // the one that this run reads, the current one, the one for the next swap
    };
    CHECK(m.s.run(fg::fetch(m.passed), {{m.x, zero}})[0] == 5.f);
    m.set.collect();
    CHECK(m.set.versions() == 1);
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("variable_set: a value that was fetched stays what it was") {
  two_layers m;
  m.join();
  auto named = fg::identity(fg::out<float>(m.w));
  auto step = m.s.prepare(fg::feed(), fg::fetch(m.w, named));
  m.swap_to(2);
  const auto [w, same] = step();
  const auto values = m.set.values();
  CHECK(w.data() == values[0].data());
  CHECK(same.data() == w.data());
  for (int k = 3; k < 6; ++k)
    m.set.swap([&](fg::staged_set& next) {
      for (float& f : next.write<float>(0)) f = static_cast<float>(k);
    });
  CHECK(w[0] == 2.f);
  CHECK(std::get<1>(step())[0] == 5.f);
}

TEST_CASE("variable_set: variables behind handles are members too") {
  fg::graph g;
  auto handle = fg::apply_in<float>(g, fg::var_handle_op{.declared = {4}});
  auto x = g.placeholder<float>("x", {4});
  auto init = fg::apply_as<float>(fg::site{}, fg::assign_variable_op{}, handle, x);
  auto read = fg::apply_as<float>(fg::site{}, fg::read_variable_op{}, handle);
  std::function<void()> between = [] {};
  auto passed = probe(x, [&](fg::cpu) { between(); });
  auto after = [&] {
    auto in = g.after(passed.source);
    return fg::apply_as<float>(fg::site{}, fg::read_variable_op{}, handle);
  }();
  auto y = add(multiply(read, passed), after);
  fg::session s{g};
  s.run(init, {{x, filled(4, 1)}});
  auto set = s.make_set("weights", handle);
  CHECK(says(s.try_run(init, {{x, filled(4, 1)}}).error(), "'weights'"));
  float k = 1;
  between = [&] { set.swap(filled(4, ++k)); };
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  for (int i = 0; i < 4; ++i) {
    const float before = k;
    CHECK(step(filled(4, 1))[0] == 2 * before);
  }
}

TEST_CASE("variable_set: sessions that share a container share it; after clear the variables are new") {
  fg::container weights;
  two_layers m({.resources = &weights});
  m.join();
  fg::session other{m.g, {.resources = &weights}};
  auto step = other.prepare(fg::feed(), fg::fetch(m.w));
  m.swap_to(7);
  CHECK(step()[0] == 7.f);
  weights.clear();
  m.s.initialize();
  CHECK(step()[0] == 1.f);
  m.swap_to(8);
  CHECK(step()[0] == 1.f);
}

TEST_CASE("variable_set: as many versions as may be read at the same time, and then an error") {
  std::vector<fg::variable_set_state::member> members{{"w", fg::dtype::float32, {1}, std::pmr::new_delete_resource()}};
  const fg::resource counted(new fg::variable_set_state("weights", members, {filled(1, 0).erased()}));
  auto& set = *counted.as<fg::variable_set_state>();
  const auto put = [&](float k) {
    return set.swap([&](fg::variable_set_state::staged& s) { return s.put(0, filled(1, k).erased()); });
  };
  std::vector<const fg::variable_set_state::version*> read;
  fg::error why;
  for (int k = 1; k < 300 && !why; ++k) {
    read.push_back(&set.pin());
    why = put(static_cast<float>(k));
  }
  CHECK(why.code() == error_code::resource_exhausted);
  CHECK(read.size() == 256);
  for (std::size_t k = 0; k < read.size(); ++k) {
    CHECK(read[k]->tensors[0].as<float>()[0] == static_cast<float>(k));
    fg::variable_set_state::unpin(*read[k]);
  }
  CHECK(!put(1000));
  CHECK(set.latest(0).as<float>()[0] == 1000.f);
}

TEST_CASE("variable_set: several threads step and run while two swap") {
  two_layers m;
  m.join();
  std::atomic<bool> ended = false;
  std::atomic<int> torn = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; !ended; ++k) {
        const float value = static_cast<float>(k % 1000);
        if (t == 0) m.swap_to(value);
        else
          m.set.swap([&](fg::staged_set& next) {
            for (float& f : next.write<float>(0)) f = value;
            for (float& f : next.write<float>(1)) f = -value;
          });
      }
    });
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t)
    readers.emplace_back([&] {
      auto step = m.s.prepare(fg::feed(m.x), fg::fetch(m.sum));
      const auto zero = filled(4, 0);
      for (int i = 0; i < 1000; ++i) {
        const auto made = step(zero);
        for (const float f : made.values()) torn += f != 0.f;
        if (i % 10 != 0) continue;
        const auto run = m.s.run(fg::fetch(m.sum), {{m.x, zero}});
        for (const float f : run.values()) torn += f != 0.f;
      }
    });
  for (std::thread& t : readers) t.join();
  ended = true;
  for (std::thread& t : threads) t.join();
  CHECK(torn == 0);
}

TEST_CASE("a set of variables known at run time only") {
  two_layers m;
  const std::vector<fg::variable<float>> all{m.w, m.b};
  fg::variable_set set = m.s.make_set("weights", all);
  CHECK(set.size() == 2);
  set.swap(filled(4, 7), filled(4, 8));
  CHECK(m.s.run(fg::fetch(all))[1][3] == 8);
  two_layers other;
  CHECK(other.s.make_set("erased", fg::any_out_list{other.w, other.b}).size() == 2);
}
