#include <flowgraph/op/container.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace fg = flowgraph;

namespace {

struct counter final : fg::resource_base {
  explicit counter(std::atomic<int>& n) : resource_base(fg::kind_of<counter>()), alive(&n) { ++*alive; }
  ~counter() override { --*alive; }
  std::atomic<int>* alive;
};
struct other_kind;

fg::result<fg::resource> find_or_make(fg::container& c, std::string_view section, std::string_view name,
                                      std::atomic<int>& alive) {
  return c.find_or_make(section, name, fg::kind_of<counter>(), [&]() -> fg::resource_base* { return new counter(alive); });
}

}  // namespace

TEST_CASE("a resource is made once for a name in a section") {
  std::atomic<int> alive = 0;
  {
    fg::container c;
    const auto a = find_or_make(c, "", "w", alive);
    const auto b = find_or_make(c, "", "w", alive);
    const auto elsewhere = find_or_make(c, "tower", "w", alive);
    REQUIRE((a && b && elsewhere));
    CHECK(a->base == b->base);
    CHECK(a->base != elsewhere->base);
    CHECK(alive == 2);
    CHECK(c.find("tower", "w").base == elsewhere->base);
    CHECK(c.find("tower", "v").base == nullptr);
    CHECK(c.names() == std::vector<std::string>{"w", "w"});
  }
  CHECK(alive == 0);
}

TEST_CASE("a name that is taken by another kind is an error, and stays") {
  std::atomic<int> alive = 0;
  fg::container c;
  REQUIRE(find_or_make(c, "", "q", alive));
  const auto clash = c.find_or_make("", "q", fg::kind_of<other_kind>(), []() -> fg::resource_base* { return nullptr; });
  REQUIRE_FALSE(clash);
  CHECK(clash.error().code() == fg::error_code::invalid_argument);
  CHECK(clash.error().message() == "resource 'q' exists and is of another kind");
  CHECK(c.find("", "q").as<counter>() != nullptr);
}

TEST_CASE("clearing drops what nobody else holds, and says so by its generation") {
  std::atomic<int> alive = 0;
  fg::container c;
  const fg::resource held = *find_or_make(c, "", "held", alive);
  REQUIRE(find_or_make(c, "", "free", alive));
  REQUIRE(find_or_make(c, "tower", "w", alive));
  const auto before = c.generation();

  c.clear("tower");
  CHECK(alive == 2);
  CHECK(c.find("tower", "w").base == nullptr);
  CHECK(c.find("", "free").base != nullptr);
  CHECK(c.generation() != before);

  const auto between = c.generation();
  c.clear();
  CHECK(c.generation() != between);
  CHECK(c.names().empty());
  CHECK(alive == 1);
  CHECK(find_or_make(c, "", "held", alive)->base != held.base);
}

TEST_CASE("a resource may look at the container while it is destroyed by a clear") {
  struct curious final : fg::resource_base {
    explicit curious(fg::container& in) : resource_base(fg::kind_of<curious>()), container(&in) {}
    ~curious() override { CHECK(container->find("s", "me").base == nullptr); }
    fg::container* container;
  };
  fg::container c;
  auto make = [&]() -> fg::resource_base* { return new curious(c); };
  REQUIRE(c.find_or_make("s", "me", fg::kind_of<curious>(), make));
  c.clear();
  REQUIRE(c.find_or_make("s", "me", fg::kind_of<curious>(), make));
  c.clear("s");
}

TEST_CASE("threads that ask at once get one resource") {
  std::atomic<int> alive = 0;
  {
    fg::container c;
    std::vector<fg::resource> got(8);
    std::vector<std::thread> threads;
    for (fg::resource& r : got) threads.emplace_back([&] { r = *find_or_make(c, "", "w", alive); });
    for (std::thread& t : threads) t.join();
    CHECK(alive == 1);
    CHECK(std::all_of(got.begin(), got.end(), [&](const fg::resource& r) { return r.base == got[0].base; }));
  }
  CHECK(alive == 0);
}

TEST_CASE("a function that makes no resource gives an error, and a later one may make it") {
  std::atomic<int> alive = 0;
  fg::container c;
  const auto none = c.find_or_make("", "w", fg::kind_of<counter>(), []() -> fg::resource_base* { return nullptr; });
  REQUIRE_FALSE(none);
  CHECK(none.error().message() == "the function that makes the resource 'w' returned null");
  CHECK(c.names().empty());
  CHECK(find_or_make(c, "", "w", alive));
}
