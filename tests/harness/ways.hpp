#pragma once
// The ways in which a session can execute a run. The expectations of a test must hold in all of them.

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

struct ways {
  flowgraph::thread_pool pool{3};

  template <class F> void each(const flowgraph::graph& g, F&& f) {
    for (int way = 0; way < 3; ++way) {
      CAPTURE(way);
      flowgraph::session s{g, {.pool = way == 1 ? &pool : nullptr, .dynamic = way == 2}};
      f(s);
    }
  }
};
