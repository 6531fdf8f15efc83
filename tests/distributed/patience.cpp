#include <tcp/patience.hpp>

#include <doctest/doctest.h>

#include <chrono>

using namespace std::chrono_literals;
using flowgraph::tcp::patience;

TEST_CASE("patience: a thread looks for work before it sleeps where work has lately come soon, and only there") {
  patience p;
  CHECK(p.length() == 0us);
  int soon = 0;
  for (; p.length() == 0us && soon < 100; ++soon) p.waited(20us, 1);
  CHECK(soon > 2);  // one answer is not enough
  CHECK(soon < 100);
  CHECK(p.length() > 20us);

  p.waited(10s, 1);
  CHECK(p.length() == 0us);
  for (int i = 0; i < 100; ++i) p.waited(5ms, 1);
  CHECK(p.length() == 0us);
  for (soon = 0; p.length() == 0us && soon < 100; ++soon) p.waited(20us, 1);
  CHECK(soon < 100);
}

TEST_CASE("patience: where many frames come at a time, a thread sleeps while they gather") {
  patience p;
  for (int i = 0; i < 100; ++i) p.waited(20us, 1);
  CHECK(p.length() > 0us);
  for (int i = 0; i < 8; ++i) p.waited(20us, 32);
  CHECK(p.length() == 0us);
  for (int i = 0; i < 100; ++i) p.waited(20us, 1);
  CHECK(p.length() > 0us);
}
