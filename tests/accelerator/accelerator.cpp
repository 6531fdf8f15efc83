#include "kernels.hpp"

#include "../harness/engine_ops.hpp"


using namespace engine;

TEST_CASE("accelerator: arithmetic runs there, and the host finds the answer") {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    accelerator::accelerators all(seed, 2);
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any});
    fg::out<float> y = x;
    for (int i = 0; i < 6; ++i) {
      const auto there = g.on_device(i % 3 == 2 ? "/cpu:0" : i % 3 == 1 ? "/device:accel:1" : "/device:accel:0");
      y = add(multiply(y, y), x);
    }
    all.learn(g);
    fg::session alone{g, {.soft_placement = true}};
    const auto in = filled(4, 1.5f);
    const auto expected = alone.run(fg::fetch(y), {{x, in}});
    for (const bool dynamic : {false, true}) {
      fg::session s{g, {.devices = all.devices(), .dynamic = dynamic}};
      auto step = s.prepare(fg::feed(x), fg::fetch(y));
      for (int run = 0; run < 3; ++run) {
        CHECK(s.run(fg::fetch(y), {{x, in}})[3] == expected[3]);
        CHECK(step(in)[0] == expected[0]);
      }
    }
    CHECK(all.memory_of(0).in_use() == 0);
  }
}

TEST_CASE("accelerator: variables lie there, and are read and written in order") {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    accelerator::accelerators all(seed, 1);
    fg::graph g;
    auto there = g.on_device("/device:accel:0");
    auto w = g.variable<float>("w", filled(3, 3));
    auto more = fg::assign_add(w, add(w, w));
    auto twice = add(w, w);
    all.learn(g);
    {
      fg::session s{g, {.devices = all.devices()}};
      s.initialize();
      CHECK(s.run(fg::fetch(twice))[2] == 6);
      s.run(more);
      CHECK(s.run(fg::fetch(twice))[2] == 18);
      CHECK(s.run(fg::fetch(w))[2] == 9);
      auto step = s.prepare(fg::feed(), fg::fetch(more));
      CHECK(step()[2] == 27);
      CHECK(step()[2] == 81);
      CHECK(s.run(fg::fetch(w))[0] == 81);
      CHECK(all.memory_of(0).in_use() >= 12);
    }
    CHECK(all.memory_of(0).in_use() == 0);
  }
}
