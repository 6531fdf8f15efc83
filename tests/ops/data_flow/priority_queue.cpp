#include <flowgraph/ops/data_flow/priority_queue.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/accumulate.hpp>

#include <chrono>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::chrono_literals;

namespace {

using numbers = std::vector<std::int64_t>;
using texts = std::vector<std::string>;

numbers sorted_list_of(const fg::tensor<std::int64_t>& t) { return {t.begin(), t.end()}; }
texts sorted_list_of(const fg::tensor<std::string>& t) { return {t.begin(), t.end()}; }

struct jobs {
  fg::graph g;
  fg::priority_queue<std::string> q{g, {.shapes = {{}}}};
  fg::out<std::int64_t> urgency = g.placeholder<std::int64_t>("urgency", fg::shape::unknown());
  fg::out<std::string> text = g.placeholder<std::string>("text", fg::shape::unknown());
  fg::out<std::int32_t> n = g.placeholder<std::int32_t>("n", {});
  fg::target put = q.enqueue(urgency, text), put_many = q.enqueue_many(urgency, text), close = q.close();
  std::tuple<fg::out<std::int64_t>, fg::out<std::string>> one = q.dequeue(), batch = q.dequeue_many(n), rest = q.dequeue_up_to(n);
  fg::session s{g};

  void fill(const numbers& priorities, const texts& names) {
    s.run(put_many, {{urgency, fg::tensor<std::int64_t>(fg::shape{priorities.size()}, priorities)},
                     {text, fg::tensor<std::string>(fg::shape{names.size()}, names)}});
  }
};

}  // namespace

TEST_CASE("a priority queue: the smallest number leaves first, equal ones in the order of TensorFlow") {
  jobs t;
  CHECK(std::get<0>(t.one).shape() == fg::shape{});
  t.fill({4, 4, 9}, {"a", "b", "c"});
  t.fill({4, -1}, {"d", "e"});
  t.s.run(t.put, {{t.urgency, std::int64_t{9}}, {t.text, std::string("f")}});
  {
    auto [number, name] = t.s.run(fg::fetch(std::get<0>(t.one), std::get<1>(t.one)));
    CHECK(number.scalar() == -1);
    CHECK(name.scalar() == "e");
  }
  auto [priorities, names] = t.s.run(fg::fetch(std::get<0>(t.batch), std::get<1>(t.batch)), {{t.n, 5}});
  CHECK(sorted_list_of(priorities) == numbers{4, 4, 4, 9, 9});
  CHECK(sorted_list_of(names) == texts{"a", "b", "d", "f", "c"});
}

TEST_CASE("a priority queue: what a cancelled batch had gathered goes before its equals, and after what is more urgent") {
  jobs t;
  t.fill({2, 1, 2}, {"a", "b", "c"});
  const auto stuck = t.s.try_run(fg::target(std::get<0>(t.batch)), {{t.n, 5}}, fg::run_options::within(5ms));
  CHECK(stuck.error().code() == error_code::deadline_exceeded);
  t.fill({2, 0}, {"d", "e"});
  t.s.run(t.close);
  auto [priorities, names] = t.s.run(fg::fetch(std::get<0>(t.rest), std::get<1>(t.rest)), {{t.n, 9}});
  CHECK(sorted_list_of(priorities) == numbers{0, 1, 2, 2, 2});
  CHECK(sorted_list_of(names) == texts{"e", "b", "a", "c", "d"});
}

TEST_CASE("a priority queue: priorities alone, and one that is no scalar") {
  fg::graph g;
  fg::priority_queue<> alone(g);
  fg::priority_queue<float> loose(g);
  auto p = g.placeholder<std::int64_t>("p", fg::shape::unknown());
  auto put = alone.enqueue(p), put_loose = loose.enqueue(p, g.constant(1.f));
  auto least = alone.dequeue();
  fg::session s{g};
  s.run(put, {{p, std::int64_t{7}}});
  s.run(put, {{p, std::int64_t{3}}});
  CHECK(s.run(fg::fetch(least)).scalar() == 3);
  CHECK(s.run(fg::fetch(least)).scalar() == 7);
  for (const fg::target& wrong : {put, put_loose}) {
    const auto made = s.try_run(wrong, {{p, fg::tensor<std::int64_t>({2}, {1, 2})}});
    REQUIRE_FALSE(made);
    CHECK(made.error().code() == error_code::invalid_argument);
    CHECK(std::string_view(made.error().what()).find("component 0") != std::string_view::npos);
  }
}

TEST_CASE("a priority queue behind a reference does the same") {
  fg::graph g;
  fg::priority_queue_op op;
  op.shapes = {};
  auto handle = fg::apply_in<>(g, op);
  auto p = g.placeholder<std::int64_t>("p", {});
  auto put = fg::apply(fg::queue_enqueue_op{}, handle, fg::any_out_list{p});
  fg::queue_dequeue_op one;
  one.component_types = {fg::dtype_of<std::int64_t>};
  const auto made = fg::apply(one, handle);
  const fg::out<std::int64_t> least{made[0].source, made[0].port};
  fg::session s{g};
  for (const std::int64_t priority : {5, 2}) s.run(put, {{p, priority}});
  CHECK(s.run(fg::fetch(least)).scalar() == 2);
}
