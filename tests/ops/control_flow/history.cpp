#include <flowgraph/ops/control_flow/history.hpp>

#include "../evaluate.hpp"

#include <flowgraph/graph/loop_map.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>

namespace {

struct histories {
  fg::graph g;
  fg::out<fg::resource> none = fg::apply_in(g, fg::empty_history_op{});
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown());
  fg::out<std::string> text = g.constant(std::string("text"));
  fg::out<fg::resource> one = fg::apply(fg::push_history_op{}, none, fg::any_out_list{x, text});
  fg::out<fg::resource> two = fg::apply(fg::push_history_op{}, one, fg::any_out_list{text});

  template <class T> auto run(fg::out<T> what) const {
    fg::session s{g};
    return s.try_run(fg::fetch(what), {{x, vector<float>({1, 2, 3})}});
  }
  template <class T> fg::out<T> value(fg::out<fg::resource> of, std::int64_t index) const {
    return fg::apply_as<T>(fg::site{}, fg::history_value_op{index}, of);
  }
  fg::out<bool> has(fg::out<fg::resource> h) const { return fg::apply(fg::has_history_op{}, h); }
  fg::out<fg::resource> shorter(fg::out<fg::resource> h) const { return fg::apply(fg::pop_history_op{}, h); }

  template <class T> static fg::tensor<T> vector(std::initializer_list<T> e) { return ops_test::vector<T>(e); }
};

}  // namespace

TEST_CASE("what was pushed last comes out first, values of any types side by side") {
  histories h;
  CHECK(h.run(h.value<std::string>(h.two, 0))->scalar() == "text");
  CHECK(ops_test::values(*h.run(h.value<float>(h.shorter(h.two), 0))) == std::vector<float>{1, 2, 3});
  CHECK(h.run(h.value<std::string>(h.shorter(h.two), 1))->scalar() == "text");
}

TEST_CASE("a history knows whether an iteration is left") {
  histories h;
  CHECK_FALSE(h.run(h.has(h.none))->scalar());
  CHECK(h.run(h.has(h.two))->scalar());
  CHECK(h.run(h.has(h.shorter(h.two)))->scalar());
  CHECK_FALSE(h.run(h.has(h.shorter(h.shorter(h.two))))->scalar());
}

TEST_CASE("asking for what is not there says so") {
  histories h;
  const auto refuses = [](const auto& made, std::string_view part) {
    REQUIRE_FALSE(made);
    CHECK_MESSAGE(ops_test::says(made.error(), part), made.error().what());
  };
  refuses(h.run(h.value<float>(h.none, 0)), "the history has no iteration left");
  refuses(h.run(h.has(h.shorter(h.none))), "the history has no iteration left");
  refuses(h.run(h.value<float>(h.one, 2)), "the entry of the history has 2 values; there is no value 2");
  refuses(h.run(h.value<double>(h.one, 0)), "value 0 of the history is of type float, expected double");
}

TEST_CASE("a loop that begins with itself has no history, and the search for one ends") {
  histories h;
  const auto entered = fg::apply(fg::enter_op{.frame_name = "round"}, h.none);
  const auto merged = fg::merge({entered, entered}).value;
  h.g.set_back_edge(merged.source, 0, fg::apply(fg::next_iteration_op{}, merged));
  CHECK_FALSE(fg::detail::is_history({merged.source, merged.port}));
  const auto of_it = h.value<fg::resource>(merged, 0);
  CHECK_FALSE(fg::detail::is_history({of_it.source, of_it.port}));
}
