#include <flowgraph/runtime/partial_run.hpp>

#include <flowgraph/core/threads.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;

namespace {

// sum = x + x; product = sum * y
struct two_feeds {
  fg::graph g;
  std::atomic<int> sums = 0, products = 0;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> y = g.placeholder<float>("y", {});
  fg::out<float> sum = counted(add(x, x), sums, {.name = "sum"});
  fg::out<float> product = counted(multiply(sum, y), products, {.name = "product"});

  fg::partial_run begin(fg::session& s, const fg::run_options& options = {}) {
    return s.try_begin_partial(std::vector<fg::any_out>{x, y}, std::vector<fg::any_out>{sum, product, x}, {}, options).value();
  }
};

auto go_on(fg::partial_run& p, const std::vector<fg::fed>& feeds, const std::vector<fg::any_out>& fetches) {
  return p.try_continue(feeds, fetches);
}
float scalar(const fg::any_tensor& t) { return t.as<float>().scalar(); }

}  // namespace

TEST_CASE("partial run: feeds come one after the other and nothing runs twice") {
  two_feeds m;
  fg::thread_pool pool(2);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
    m.sums = m.products = 0;
    fg::session s{m.g, {.pool = p}};
    auto run = m.begin(s);
    auto first = go_on(run, {{m.x, 3.f}}, {m.sum, m.x});
    REQUIRE(first.has_value());
    CHECK(scalar((*first)[0]) == 6.f);
    CHECK(scalar((*first)[1]) == 3.f);
    CHECK(m.products == 0);
    auto second = go_on(run, {{m.y, 5.f}}, {m.product});
    REQUIRE(second.has_value());
    CHECK(scalar((*second)[0]) == 30.f);
    CHECK(m.sums == 1);
    CHECK(m.products == 1);
  }
}

TEST_CASE("partial run: feeds may come in any order, and without fetching") {
  two_feeds m;
  fg::session s{m.g};
  auto run = m.begin(s);
  CHECK(go_on(run, {{m.y, 5.f}}, {}).has_value());
  CHECK(m.sums == 0);
  CHECK(go_on(run, {}, {}).has_value());
  CHECK(go_on(run, {{m.x, 3.f}}, {}).has_value());
  CHECK(m.products == 1);
  auto both = go_on(run, {}, {m.product, m.sum});
  REQUIRE(both.has_value());
  CHECK(scalar((*both)[0]) == 30.f);
  CHECK(scalar((*both)[1]) == 6.f);
}

TEST_CASE("partial run: what needs edges not yet fed is refused before anything runs") {
  two_feeds m;
  fg::session s{m.g};
  auto run = m.begin(s);
  const fg::error why = go_on(run, {{m.x, 3.f}}, {m.sum, m.product}).error();
  check_error(why, error_code::invalid_argument, "product", "Probe", {"depends on 'y'", "not been fed"});
  CHECK(m.sums == 0);
  auto made = go_on(run, {{m.x, 3.f}, {m.y, 5.f}}, {m.sum, m.product});
  REQUIRE(made.has_value());
  CHECK(scalar((*made)[0]) == 6.f);
  CHECK(scalar((*made)[1]) == 30.f);
}

TEST_CASE("partial run: each edge is fed once and fetched once, and must have been named") {
  two_feeds m;
  auto other = m.g.placeholder<float>("other", {});
  fg::session s{m.g};
  auto run = m.begin(s);
  auto refuse = [&](const std::vector<fg::fed>& feeds, const std::vector<fg::any_out>& fetches, std::string_view part) {
    const fg::error why = go_on(run, feeds, fetches).error();
    check_error(why, error_code::invalid_argument, "", "", {part});
  };
  refuse({{other, 1.f}}, {}, "'other' was not named");
  refuse({}, {other}, "'other' was not named");
  refuse({{m.x, 1.f}, {m.x, 2.f}}, {}, "'x' has been fed already");
  refuse({{fg::any_out(), fg::tensor<float>(1.f).erased()}}, {}, "empty handle");
  check_error(go_on(run, {{fg::any_out(m.x), fg::tensor<std::int32_t>(1).erased()}}, {}).error(), error_code::invalid_argument,
              "x", "Placeholder", {"int32"});
  CHECK(m.sums == 0);
  CHECK(go_on(run, {{m.x, 3.f}}, {}).has_value());
  refuse({{m.x, 4.f}}, {}, "'x' has been fed already");
  refuse({}, {m.sum, m.sum}, "'sum' has been fetched already");
  CHECK(scalar((*go_on(run, {}, {m.sum}))[0]) == 6.f);
  refuse({}, {m.sum}, "'sum' has been fetched already");
  CHECK(scalar((*go_on(run, {{m.y, 2.f}}, {m.product}))[0]) == 12.f);
}

TEST_CASE("partial run: targets run when they can") {
  two_feeds m;
  fg::session s{m.g};
  const fg::target targets[]{m.product};
  auto run = s.try_begin_partial(std::vector<fg::any_out>{m.x, m.y}, {}, targets).value();
  CHECK(go_on(run, {{m.x, 3.f}, {m.y, 1.f}}, {}).has_value());
  CHECK(m.products == 1);
}

TEST_CASE("partial run: an error ends it and the session stays usable") {
  two_feeds m;
  auto bad = failing(m.y, {.name = "bad"});
  fg::session s{m.g};
  auto run = s.try_begin_partial(std::vector<fg::any_out>{m.x, m.y}, std::vector<fg::any_out>{m.sum, bad}).value();
  CHECK(go_on(run, {{m.x, 3.f}}, {}).has_value());
  check_error(go_on(run, {{m.y, 1.f}}, {m.sum, bad}).error(), error_code::data_loss, "bad", "Probe");
  CHECK(go_on(run, {}, {m.sum}).error().code() == error_code::failed_precondition);
  check_usable(s, m.x, m.sum);
  auto again = m.begin(s);
  CHECK(scalar((*go_on(again, {{m.x, 1.f}}, {m.sum}))[0]) == 2.f);
}

TEST_CASE("partial run: a handle that is dropped or replaced cancels its run, and the session goes on") {
  two_feeds m;
  counting_memory memory;
  {
    fg::session s{m.g, {.memory = &memory}};
    for (int i = 0; i < 3; ++i) {
      auto run = m.begin(s);
      CHECK(go_on(run, {{m.x, 3.f}}, {}).has_value());
    }
    CHECK(memory.in_use() == 0);
    auto run = m.begin(s);
    CHECK(go_on(run, {{m.x, 3.f}}, {}).has_value());
    run = m.begin(s);
    auto moved = std::move(run);
    CHECK(scalar((*go_on(moved, {{m.x, 4.f}}, {m.sum}))[0]) == 8.f);
    check_usable(s, m.x, m.sum);
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("partial run: several of one session do not disturb each other") {
  two_feeds m;
  fg::session s{m.g};
  auto a = m.begin(s), b = m.begin(s);
  CHECK(go_on(a, {{m.x, 1.f}}, {}).has_value());
  CHECK(go_on(b, {{m.x, 10.f}}, {}).has_value());
  check_usable(s, m.x, m.sum);
  CHECK(scalar((*go_on(b, {{m.y, 1.f}}, {m.product}))[0]) == 20.f);
  CHECK(scalar((*go_on(a, {{m.y, 1.f}}, {m.product}))[0]) == 2.f);
}

TEST_CASE("partial run: it outlives the session's handle") {
  two_feeds m;
  auto s = std::make_unique<fg::session>(m.g);
  auto run = m.begin(*s);
  s.reset();
  CHECK(scalar((*go_on(run, {{m.x, 1.f}}, {m.sum}))[0]) == 2.f);
}

TEST_CASE("partial run: a stop token and a deadline end it between two pieces") {
  two_feeds m;
  fg::session s{m.g};
  flowgraph::stop_source source;
  auto stopped = m.begin(s, {.stop = source.get_token()});
  CHECK(go_on(stopped, {{m.x, 1.f}}, {m.sum}).has_value());
  source.request_stop();
  CHECK(go_on(stopped, {{m.y, 1.f}}, {m.product}).error().code() == error_code::cancelled);
  CHECK(m.products == 0);
  auto late = m.begin(s, fg::run_options::within(std::chrono::milliseconds(1)));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(go_on(late, {{m.x, 1.f}}, {m.sum}).error().code() == error_code::deadline_exceeded);
  check_usable(s, m.x, m.sum);
}

TEST_CASE("partial run: loops and asynchronous kernels run as far as they can") {
  fg::graph g;
  answering_threads threads;
  auto x = g.placeholder<float>("x", {});
  auto n = g.placeholder<float>("n", {});
  auto later = async_probe(x, threads.after(std::chrono::microseconds(100)));
  auto end = counting_loop(later, n, x);
  fg::session s{g};
  auto run = s.try_begin_partial(std::vector<fg::any_out>{x, n}, std::vector<fg::any_out>{later, end}).value();
  CHECK(scalar((*go_on(run, {{x, 1.f}}, {later}))[0]) == 1.f);
  CHECK(scalar((*go_on(run, {{n, 10.f}}, {end}))[0]) == 10.f);
}

TEST_CASE("partial run: a handle that has been moved from returns an error") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = x + 1.f;
  fg::session s{g};
  auto run = s.try_begin_partial(std::vector<fg::any_out>{x}, std::vector<fg::any_out>{y}).value();
  auto other = std::move(run);
  CHECK(go_on(run, {{x, 1.f}}, {y}).error().code() == error_code::failed_precondition);
  CHECK(scalar((*go_on(other, {{x, 1.f}}, {y}))[0]) == 2.f);
}
