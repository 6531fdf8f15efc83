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
  fg::detail::draft_node& b = d.add_behind(a, 1, 0);
  fg::detail::draft_node& e = d.add_behind(c, 1, 0);
  CHECK(order_of(d) == drafted{&a, &b, &c, &e});
  CHECK(d.size() == 4);
  CHECK(c.inputs.size() == 2);
  CHECK(c.controls.size() == 1);
  fg::detail::draft_node& last = d.add(0, 0);
  CHECK(order_of(d) == drafted{&a, &b, &c, &e, &last});
}

TEST_CASE("draft: the data of made nodes lives as long as a plan that shares it") {
  static constexpr fg::op_table table{};
  std::shared_ptr<const fg::detail::made_node_list> kept;
  std::string_view name;
  std::weak_ptr<int> owned;
  {
    fg::detail::draft d, part;
    CHECK(d.made_nodes() == nullptr);
    fg::detail::draft_node& user = d.add(0, 0);
    user.name = "user";
    user.id = 7;
    const auto attributes = std::make_shared<int>(3);
    owned = attributes;
    fg::detail::made_node data{.name = "made for user", .owned = attributes};
    data.outputs[0].type = fg::dtype::int32;
    fg::detail::draft_node& made = d.make(nullptr, user, table, attributes.get(), std::move(data), 1, 1, 2);
    made.inputs[0] = {&user, 0};
    CHECK(order_of(d) == drafted{&user, &made});
    CHECK(made.id == 7);
    CHECK(made.outputs.size() == 1);
    CHECK(made.outputs[0].type == fg::dtype::int32);
    CHECK(made.controls.size() == 2);
    fg::detail::draft_node& again = d.repeat(user, made, "made again", 0);
    CHECK(order_of(d) == drafted{&user, &again, &made});
    CHECK(again.table == &table);
    CHECK(again.inputs[0].from == &user);
    CHECK(again.name == "made again");
    part.share_made(d);
    CHECK(part.made_nodes() == d.made_nodes());
    kept = d.made_nodes();
    name = made.name;
  }
  CHECK(name == "made for user");
  CHECK_FALSE(owned.expired());
  kept.reset();
  CHECK(owned.expired());
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
