// Lines of use of ops/control_flow, ops/data_flow and ops/debug. Each line stands in docs/reference as it is here.

inline void uses_of_control_flow(fg::graph g) {
  const auto x = g.placeholder<float>("x", {10, 4}), y = g.placeholder<float>("y", {4});
  const auto p = g.placeholder<bool>("p", {});
  const auto n = g.placeholder<std::int32_t>("n", {});

  auto chosen = fg::cond(
      p, [&] { return y * 2.f; }, [&] { return y + 1.f; });
  auto one_of = fg::case_of(
      n, [&] { return y; }, [&] { return y * 2.f; }, [&] { return y * 3.f; });
  auto [no, yes] = fg::switch_(y, p);
  auto [value, index] = fg::merge({no, yes});
  auto total = fg::foldl([](auto sum, auto row) { return sum + row; }, x);
  auto from_last = fg::foldr([](auto sum, auto row) { return sum * 0.5f + row; }, x);
  auto sum = fg::for_range(0, n, g.constant(0), [](auto i, auto s) { return s + i; });
  auto squares = fg::map_fn([](auto row) { return row * row; }, x);
  auto totals = fg::scan([](auto sum, auto row) { return sum + row; }, x, y);
  auto doubled = fg::while_loop(
      y, [](auto v) { return fg::sum(v) < 100.f; }, [](auto v) { return v * 2.f; });

  // while_options:
  auto some = fg::while_loop(
      y, [](auto v) { return fg::sum(v) < 100.f; }, [](auto v) { return v * 2.f; }, {.maximum_iterations = 8});
}

inline void uses_of_data_flow(fg::graph g) {
  const auto image = g.placeholder<float>("image", {28, 28}), images = g.placeholder<float>("images", {8, 28, 28});
  const auto label = g.placeholder<std::int64_t>("label", {}), labels = g.placeholder<std::int64_t>("labels", {8});
  const auto i = g.constant(0), some = g.placeholder<std::int32_t>("some", {3});
  const auto rows = g.placeholder<float>("rows", {3, 4}), row = g.placeholder<float>("row", {4});

  // fifo_queue:
  fg::fifo_queue<float, std::int64_t> q(g, {.capacity = 32, .shapes = {{28, 28}, {}}});

  // padding_fifo_queue:
  fg::padding_fifo_queue<std::int32_t> sentences(g, {.capacity = 32, .shapes = {{fg::any}}});

  // queue:
  auto put = q.enqueue(image, label);
  auto put_all = q.enqueue_many(images, labels);
  auto [one_image, one_label] = q.dequeue();
  auto [batch, batch_labels] = q.dequeue_many(8);
  auto [last_images, last_labels] = q.dequeue_up_to(8);
  auto done = q.close();
  auto waiting = q.size();
  auto closed = q.is_closed();
  fg::out<fg::resource> named = q.handle();

  // random_shuffle_queue:
  fg::random_shuffle_queue<float, std::int64_t> mixed(g, {.capacity = 1000, .min_after_dequeue = 500, .shapes = {{28, 28}, {}}});

  // priority_queue:
  fg::priority_queue<float> urgent(g, {.shapes = {{28, 28}}});
  auto put_urgent = urgent.enqueue(label, image);

  // staging_area:
  fg::staging_area<float, std::int64_t> staged(g, {.capacity = 2});
  auto laid_down = staged.put(image, label);
  auto [next_image, next_label] = staged.get();
  auto [second_image, second_label] = staged.peek(i);
  auto cleared = staged.clear();
  auto lists = staged.size();

  // keyed_staging_area:
  fg::map_staging_area<float> keyed(g, {.capacity = 8});
  auto laid_under = keyed.put(label, image);
  auto of_label = keyed.get(label);
  auto read_only = keyed.peek(label);
  auto keyed_lists = keyed.size();
  auto emptied = keyed.clear();

  // conditional_accumulator:
  fg::conditional_accumulator<float> mean(g, {.shape = {4}});
  auto gave = mean.apply_gradient(row, label);
  auto average = mean.take_gradient(8);
  auto gradients = mean.num_accumulated();
  auto set_step = mean.set_global_step(label);
  fg::out<fg::resource> mean_handle = mean.handle();

  // barrier:
  fg::barrier<float, std::int64_t> joined_by_key(g, {.shapes = {{28, 28}, {}}});
  const auto names = g.placeholder<std::string>("names", {8});
  auto first_parts = joined_by_key.insert_many<0>(names, images);
  auto second_parts = joined_by_key.insert_many<1>(names, labels);
  auto [begun, which, whole_images, whole_labels] = joined_by_key.take_many(16);
  auto no_more_keys = joined_by_key.close();
  auto ready = joined_by_key.ready_size();
  auto incomplete = joined_by_key.incomplete_size();

  // tensor_array:
  fg::tensor_array<float> empty(g.constant(3), {.element_shape = {4}});
  auto written = empty.write(0, row).write(1, row).write(2, row);
  auto element = written.read(i);
  auto all = written.stack();
  auto picked = written.gather(some);
  auto set = empty.scatter(some, rows);
  auto from_rows = empty.unstack(rows);
  auto from_parts = fg::tensor_array<float>(g.constant(3)).split(row, g.constant(fg::tensor<std::int64_t>({3}, {1, 1, 2})));
  auto joined = written.concat();
  auto count = written.size();
  auto dropped = written.close();

  // tensor_list:
  fg::tensor_list<float> unset(g, 3, {.element_shape = {4}});
  auto list = unset.set(0, row).set(1, row);
  auto rows_as_list = fg::tensor_list<float>::of_rows(rows);
  auto parts_as_list = fg::tensor_list<float>::of_parts(row, g.constant(fg::tensor<std::int64_t>({2}, {1, 3})));
  auto item = list.get(i);
  auto longer = list.push_back(row);
  auto [shorter, last] = longer.pop_back();
  auto resized = list.resize(i);
  auto stacked = list.stack();
  auto some_items = list.gather(some);
  auto scattered = list.scatter(some, rows);
  auto concatenated = list.concat();
  auto length = list.size();

  // optional:
  auto both = fg::optional_of(row, i);
  auto [row_again, i_again] = fg::values_of<float, std::int32_t>(both);
  auto nothing = fg::no_optional(g);
  auto is_there = fg::has_value(both);
}

inline void uses_of_checks(fg::graph g) {
  const auto x = g.placeholder<float>("x", {4});

  auto checked = fg::assert_that(fg::all_of(fg::is_finite(x)), {x});
  auto finite = fg::check_numerics(x, "the loss");
  auto shown = fg::print(x, {x}, "x: ");
  auto said = fg::print_text(g.constant(std::string("begin")));
  auto now = fg::timestamp(g);
}
