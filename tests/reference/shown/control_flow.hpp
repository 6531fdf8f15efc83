// Full entries of the reference: control flow.

// cond
// predicate: a boolean that selects the branch
// when_true: a function that adds the nodes of this branch and returns its result: a handle or a std::tuple of handles
// when_false: a function for the other branch, which must return the same types
// Returns a handle to the result of the selected branch.
const shown cond_("cond", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::cond(
      x < 0.f, [&] { return -x; }, [&] { return fg::sqrt(x); });
  fg::session s(g);
  std::cout << s.run(fg::fetch(y), {{x, -3.f}}).scalar() << " " << s.run(fg::fetch(y), {{x, 9.f}}).scalar() << "\n";
  // prints: 3 3

  try {
    fg::cond(
        fg::out<bool>(), [&] { return x; }, [&] { return x; });
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: all inputs are empty handles
});

// case_of
// index: the index of the branch; an index out of range selects the last branch
// branches: functions that each add the nodes of a branch and return its result; all must return the same types
// Returns a handle to the result of the selected branch.
// No error: every index selects a branch.
const shown case_of_("case_of", [] {
  fg::graph g;
  const auto x = g.constant(8.f);
  const auto n = g.placeholder<std::int32_t>("n", {});
  const auto y = fg::case_of(
      n, [&] { return x; }, [&] { return x / 2.f; }, [&] { return -x; });
  fg::session s(g);
  for (const std::int32_t i : {0, 1, 7}) std::cout << s.run(fg::fetch(y), {{n, i}}).scalar() << "\n";
  // prints: 8
  // prints: 4
  // prints: -8
});

// while_loop
// initial: the state before the first iteration: a handle, a list of handles or a std::tuple
// condition: a function that receives the state and returns a handle to a boolean: whether to run another iteration
// body: a function that receives the state and returns the next state
// o: an iteration limit, shapes that change between iterations, the number of iterations that may overlap
// Returns the state after the last iteration.
const shown while_loop_("while_loop", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::while_loop(
      x, [](auto v) { return v < 100.f; }, [](auto v) { return v * 2.f; });
  const fg::while_options three{.maximum_iterations = 3};
  const auto z = fg::while_loop(
      x, [](auto v) { return v < 100.f; }, [](auto v) { return v * 2.f; }, three);
  fg::session s(g);
  const auto [to_the_end, of_three] = s.run(fg::fetch(y, z), {{x, 3.f}});
  std::cout << to_the_end.scalar() << " " << of_three.scalar() << "\n";
  // prints: 192 24

  try {
    fg::while_loop(
        g.constant(fg::tensor<float>({1})), [](auto v) { return fg::sum(v) < 10.f; },
        [](auto v) {
          return fg::concat({v, v}, 0);
        });
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: variable 0 of the loop has, after an iteration, the shape [2], and is expected to keep the shape [1];
  //   while_options::shapes can declare another shape
});

// for_range
// first: the first number
// last: the end of the range, which is not included
// initial: the state before the first iteration: a handle, a list of handles or a std::tuple
// body: a function that receives the number and the state and returns the next state
// o: as for while_loop
// Returns the state after the last iteration.
// No error: an empty range returns the initial state.
const shown for_range_("for_range", [] {
  fg::graph g;
  const auto n = g.placeholder<std::int32_t>("n", {});
  const auto sum = fg::for_range(0, n, g.constant(0), [](auto i, auto s) { return s + i; });
  fg::session s(g);
  std::cout << s.run(fg::fetch(sum), {{n, std::int32_t{5}}}).scalar() << "\n";
  // prints: 10
});

// map_fn
// f: a function that receives a row and returns a handle or a std::tuple of handles
// rows: a tensor, or a list or std::tuple of tensors with the same number of rows
// o: as for while_loop
// Returns the results of all rows, stacked along a new first axis.
const shown map_fn_("map_fn", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  const auto sums = fg::map_fn([](auto row) { return fg::sum(row); }, x);
  fg::session s(g);
  const auto y = s.run(fg::fetch(sums));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 3 7

  try {
    fg::map_fn([](auto row) { return row; }, g.constant(1.f));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: 'Const_2' is a scalar, which has no rows
});

// scan
// f: a function that receives the state and a row and returns the next state
// rows: a tensor, or a list or std::tuple of tensors with the same number of rows
// initial: the state before the first row
// o: as for while_loop
// Returns the state after each row, stacked along a new first axis.
const shown scan_("scan", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({3}, {1, 2, 3}));
  const auto totals = fg::scan([](auto sum, auto row) { return sum + row; }, x, g.constant(10.f));
  fg::session s(g);
  const auto y = s.run(fg::fetch(totals));
  std::cout << y[0] << " " << y[1] << " " << y[2] << "\n";
  // prints: 11 13 16

  try {
    fg::scan([](auto sum, auto row) { return sum + row; }, g.constant(1.f), g.constant(10.f));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: 'Const_4' is a scalar, which has no rows
});

// foldl
// f: a function that receives the state and a row and returns the next state
// rows: a tensor, or a list or std::tuple of tensors with the same number of rows
// initial: the state before the first row; if omitted, the first row is the initial state
// o: as for while_loop
// Returns the state after the last row.
const shown foldl_("foldl", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto total = fg::foldl([](auto sum, auto row) { return sum * 10.f + row; }, x);
  fg::session s(g);
  std::cout << s.run(fg::fetch(total), {{x, fg::tensor<float>({3}, {1, 2, 3})}}).scalar() << "\n";
  // prints: 123

  std::cout << s.try_run(fg::fetch(total), {{x, fg::tensor<float>({0})}}).error().message() << "\n";
  // error: indices[0] = 0 is not in [0, 0)
});

// switch_
// x: the value to forward
// predicate: selects the output that receives the value; true selects the second output
// Returns two handles, `auto [when_false, when_true]`. Nodes that need the other output do not run.
// Guide: control_flow.md
const shown switch__("switch_", [] {
  fg::graph g;
  const auto x = g.constant(4.f);
  const auto p = g.placeholder<bool>("p", {});
  const auto [no, yes] = fg::switch_(x, p);
  const auto [value, index] = fg::merge({-no, fg::sqrt(yes)});
  fg::session s(g);
  std::cout << s.run(fg::fetch(value), {{p, true}}).scalar() << " " << s.run(fg::fetch(value), {{p, false}}).scalar() << "\n";
  // prints: 2 -4

  try {
    fg::switch_(x, g.constant(fg::tensor<bool>({2})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the predicate must be a scalar; found Const float[], Const_1 bool[2]
});

// merge
// inputs: handles, exactly one of which receives a value in each run
// Returns the value and the index of its input: `auto [value, index]`.
// Guide: control_flow.md
const shown merge_("merge", [] {
  fg::graph g;
  const auto p = g.placeholder<bool>("p", {});
  const auto [no, yes] = fg::switch_(g.constant(4.f), p);
  const auto [value, index] = fg::merge({no, yes});
  fg::session s(g);
  const auto [v, i] = s.run(fg::fetch(value, index), {{p, true}});
  std::cout << v.scalar() << " " << i.scalar() << "\n";
  // prints: 4 1

  try {
    fg::merge(fg::out_list<float>{});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: all inputs are empty handles
});
