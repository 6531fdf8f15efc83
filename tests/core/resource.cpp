#include <flowgraph/core/resource.hpp>

#include <flowgraph/core/tensor.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace fg = flowgraph;

namespace {

struct table final : fg::resource_base {
  explicit table(int& n) : resource_base(fg::kind_of<table>()), alive(&n) { ++*alive; }
  ~table() override { --*alive; }
  int* alive;
};
struct queue;

}  // namespace

TEST_CASE("a resource lives as long as a handle on it") {
  int alive = 0;
  {
    fg::resource a(new table(alive));
    fg::resource b = a;
    a = fg::resource();
    CHECK(alive == 1);
    const fg::resource c = std::move(b);
    CHECK(b.base == nullptr);
    CHECK(c.as<table>() != nullptr);
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

TEST_CASE("a handle gives its resource as the class it is of, and as no other") {
  int alive = 0;
  const fg::resource r(new table(alive));
  CHECK(r.as<table>() == r.base);
  CHECK(r.as<fg::resource_base>() == nullptr);
  CHECK(fg::kind_of<table>() != fg::kind_of<queue>());
  CHECK(fg::resource().as<table>() == nullptr);
}

TEST_CASE("tensors carry handles: they count, copies of elements as well") {
  int alive = 0;
  fg::tensor<fg::resource> outlives;
  {
    fg::tensor<fg::resource> t(fg::resource(new table(alive)));
    fg::tensor<fg::resource> u = t;
    u.writable()[0] = fg::resource(new table(alive));  // detaches u
    CHECK(alive == 2);
    CHECK(t[0].as<table>() != u[0].as<table>());
    outlives = u;
  }
  CHECK(alive == 1);
  outlives = {};
  CHECK(alive == 0);
}
