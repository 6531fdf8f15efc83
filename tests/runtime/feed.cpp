#include <flowgraph/runtime/feed.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;

namespace {

// x is float, n is int32; `wrong` says that n is float.
struct two_types {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
  fg::out<std::int32_t> n = g.placeholder<std::int32_t>("n", {fg::any});
  fg::out<float> y = fg::identity(x, {.name = "y"});
  fg::out<std::int32_t> count = fg::identity(n, {.name = "count"});
  fg::out<float> wrong{count.source, 0}, wrong_feed{n.source, 0};
  fg::tensor<float> xs{{2}, {1, 2}};
  fg::tensor<std::int32_t> ns{{2}, {3, 4}};
};

void check_refusal(const fg::error& why, std::string_view done) {
  CHECK(why.code() == error_code::invalid_argument);
  CHECK(std::string(why.message()) == "'count:0' has elements of type int32, but is " + std::string(done) + " as float");
  CHECK(why.node() == "count");
  CHECK(std::string(why.where().file_name()) == __FILE__);
}

}  // namespace

TEST_CASE("typed edges: a fetch of another element type is refused by run, whether or not its plan is known") {
  two_types m;
  fg::session s{m.g};
  for (int i = 0; i < 2; ++i) {
    auto made = s.try_run(fg::fetch(m.y, m.wrong), {{m.x, m.xs}, {m.n, m.ns}});
    REQUIRE(!made);
    check_refusal(made.error(), "fetched");
    auto known = s.try_run(fg::fetch(m.y, m.count), {{m.x, m.xs}, {m.n, m.ns}});
    REQUIRE(known.has_value());
    CHECK(std::get<1>(*known)[1] == 4);
  }
  auto with_target = s.try_run(fg::fetch(m.wrong), m.y, {{m.x, m.xs}, {m.n, m.ns}});
  REQUIRE(!with_target);
  check_refusal(with_target.error(), "fetched");
#if defined(__cpp_exceptions)
  CHECK_THROWS_AS(s.run(fg::fetch(m.wrong), {{m.n, m.ns}}), fg::error);
  CHECK_THROWS_AS(s.run(fg::fetch(m.wrong), m.y, {{m.x, m.xs}, {m.n, m.ns}}), fg::error);
#endif
  const fg::any_out fetches[]{m.count};
  const fg::dtype types[]{fg::dtype::float32};
  const fg::fed feeds[]{{m.n, m.ns}};
  auto request = s.try_run(fg::run_request{.feeds = feeds, .fetches = fetches, .fetch_types = types});
  REQUIRE(!request);
  check_refusal(request.error(), "fetched");
}

TEST_CASE("typed edges: a step with a feed or a fetch of another element type is not prepared") {
  two_types m;
  fg::session s{m.g};
  auto fetched = s.try_prepare(fg::feed(m.n), fg::fetch(m.wrong));
  REQUIRE(!fetched);
  check_refusal(fetched.error(), "fetched");
  auto fed = s.try_prepare(fg::feed(fg::out<float>(m.count.source, 0)), fg::fetch(m.count));
  REQUIRE(!fed);
  check_refusal(fed.error(), "fed");
  CHECK(s.try_prepare(fg::feed(m.n), fg::fetch(m.count)).has_value());
}

TEST_CASE("typed edges: a tensor fed through a handle of another element type is refused in runs and in partial runs") {
  two_types m;
  fg::session s{m.g};
  auto made = s.try_run(fg::fetch(m.count), {{m.wrong_feed, m.xs}});
  REQUIRE(!made);
  CHECK(std::string(made.error().message()) == "the tensor fed to 'n' must be int32, found float");
  const fg::any_out feeds[]{m.wrong_feed}, fetches[]{m.wrong};
  for (int i = 0; i < 2; ++i) {
    auto part = s.try_begin_partial(feeds, fetches).value();
    const fg::fed wrong[]{{m.wrong_feed, m.xs}}, right[]{{m.n, m.ns}};
    CHECK(!part.try_continue(wrong, {}));
    const fg::fed unknown[]{{"nobody", m.ns}};
    CHECK(part.try_continue(unknown, {}).error().code() == error_code::not_found);
    const fg::fed right_by_name[]{{"n:0", m.ns}};
    auto rest = part.try_continue(i == 0 ? right : right_by_name, fetches);
    REQUIRE(rest.has_value());
    CHECK((*rest)[0].type() == fg::dtype::int32);
  }
}

TEST_CASE("named edges: a run and a step by names have types") {
  two_types m;
  auto total = m.g.variable("total", fg::tensor<std::int32_t>({2}, {0, 0}));
  fg::assign_add(total, m.n, {.name = "add"});
  fg::session s{m.g};
  s.initialize();

  const fg::tensor<float> y = s.run(fg::fetch<float>("y:0"), {{"x:0", m.xs}});
  CHECK(to_vector(y) == std::vector<float>{1, 2});
  CHECK(to_vector(s.run(fg::fetch(m.y), {{std::string("x"), m.xs}})) == std::vector<float>{1, 2});
  CHECK(s.try_run(fg::fetch(m.y), {{"nobody", m.xs}}).error().code() == error_code::not_found);
  auto [z, count] = s.run(fg::fetch<float, std::int32_t>("y", "count:0"), "add", {{"x", m.xs}, {m.n, m.ns}});
  CHECK(to_vector(z) == std::vector<float>{1, 2});
  CHECK(count[1] == 4);

  auto step = s.prepare(fg::feed<float, std::int32_t>("x:0", m.n), fg::fetch<std::int32_t, float>("count", "y:0"), "add");
  for (int i = 0; i < 2; ++i) {
    auto [c, v] = step(m.xs, m.ns);
    CHECK(c[0] == 3);
    CHECK(v[1] == 2);
  }
  CHECK(s.run(fg::fetch<std::int32_t>("total"))[1] == 12);
  // Handles and names may be mixed, in one step and in one list.
  auto mixed = s.prepare(fg::feed(m.n), fg::fetch<std::int32_t>(std::string("count")), "add", m.count);
  CHECK(mixed(m.ns)[0] == 3);
  auto named_feed = s.prepare(fg::feed<std::int32_t>("n"), fg::fetch(m.count));
  CHECK(named_feed(m.ns)[1] == 4);
  auto alone = s.prepare(fg::feed<std::int32_t>("n"), "add");
  alone(m.ns);
  CHECK(s.run(fg::fetch<std::int32_t>("total"))[1] == 20);
}

TEST_CASE("named edges: what does not fit is refused by name") {
  two_types m;
  fg::session s{m.g};
  auto wrong = s.try_prepare(fg::feed<std::int32_t>("n"), fg::fetch<float>("count:0"));
  REQUIRE(!wrong);
  check_refusal(wrong.error(), "fetched");
  auto fed = s.try_prepare(fg::feed<float>("count:0"), fg::fetch(m.count));
  REQUIRE(!fed);
  check_refusal(fed.error(), "fed");
  auto run = s.try_run(fg::fetch<float>("count"), {{"n", m.ns}});
  REQUIRE(!run);
  check_refusal(run.error(), "fetched");
  CHECK(s.try_run(fg::fetch<float>("z:0")).error().code() == error_code::not_found);
  CHECK(s.try_run(fg::fetch<float>("y:0"), "nobody", {{"x", m.xs}}).error().code() == error_code::not_found);
  CHECK(s.try_prepare(fg::feed<float>("q"), fg::fetch(m.y)).error().code() == error_code::not_found);
  CHECK(s.try_prepare(fg::feed(m.x), fg::fetch(m.y), "nobody").error().code() == error_code::not_found);
}

TEST_CASE("a list of fetches known at run time gives a list of tensors, typed where the handles are") {
  two_types t;
  fg::session s{t.g};
  const std::vector<fg::out<float>> floats{t.y, t.x, t.y};
  const std::vector<fg::tensor<float>> made = s.run(fg::fetch(floats), {{t.x, t.xs}});
  REQUIRE(made.size() == 3);
  CHECK(made[2][1] == 2);
  const std::array<fg::any_out, 2> mixed{t.y, t.count};
  const std::vector<fg::any_tensor> both = s.run(fg::fetch(mixed), t.y, {{t.x, t.xs}, {t.n, t.ns}});
  REQUIRE(both.size() == 2);
  CHECK(both[0].as<float>()[1] == 2);
  CHECK(both[1].as<std::int32_t>()[0] == 3);
  CHECK(s.run(fg::fetch(std::vector<fg::out<float>>())).empty());
  const auto refused = s.try_run(fg::fetch(fg::out_list<float>{t.y, t.wrong}), {{t.x, t.xs}, {t.n, t.ns}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code() == fg::error_code::invalid_argument);
}
