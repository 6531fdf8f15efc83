#include <flowgraph/passes/draft.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;

namespace {

std::vector<const fg::detail::draft_node*> order_of(const fg::detail::draft& d) {
  std::vector<const fg::detail::draft_node*> all;
  for (const fg::detail::draft_node& n : d) all.push_back(&n);
  return all;
}
using drafted = std::vector<const fg::detail::draft_node*>;

}  // namespace

TEST_CASE("draft: nodes stand in the order of their addition, or behind another") {
  fg::detail::draft d;
  CHECK(order_of(d).empty());
  fg::detail::draft_node& a = d.add(0, 0);
  fg::detail::draft_node& c = d.add(2, 1);
  a.position = 3;
  c.position = 7;
  fg::detail::draft_node& b = d.add_behind(a, 1, 0);
  fg::detail::draft_node& e = d.add_behind(c, 1, 0);
  CHECK(order_of(d) == drafted{&a, &b, &c, &e});
  CHECK(d.size() == 4);
  CHECK(b.position == 3);
  CHECK(e.position == 7);
  CHECK(c.inputs.size() == 2);
  CHECK(c.controls.size() == 1);
  fg::detail::draft_node& last = d.add(0, 0);
  CHECK(order_of(d) == drafted{&a, &b, &c, &e, &last});
}

TEST_CASE("draft: a node moves behind another") {
  fg::detail::draft d;
  fg::detail::draft_node &a = d.add(0, 0), &b = d.add(0, 0), &c = d.add(0, 0);
  d.move_behind(c, a);
  CHECK(order_of(d) == drafted{&b, &c, &a});
  d.move_behind(b, a);
  CHECK(order_of(d) == drafted{&b, &a, &c});
  CHECK(&d.add(0, 0) == c.after);
  CHECK(d.size() == 4);
}

TEST_CASE("draft: nodes can be removed, the one at which an iteration stands too") {
  fg::detail::draft d;
  fg::detail::draft_node &a = d.add(0, 0), &b = d.add(0, 0), &c = d.add(0, 0);
  d.remove(b);
  CHECK(order_of(d) == drafted{&a, &c});
  d.remove(c);
  fg::detail::draft_node& e = d.add(0, 0);
  CHECK(order_of(d) == drafted{&a, &e});
  for (auto at = d.begin(); at != d.end();) d.remove(*at++);
  CHECK(order_of(d).empty());
  CHECK(d.size() == 0);
  fg::detail::draft_node& again = d.add(0, 0);
  CHECK(order_of(d) == drafted{&again});
}
