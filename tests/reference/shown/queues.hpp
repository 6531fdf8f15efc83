// Full entries of the reference: queues, staging areas, accumulators, arrays of tensors.

// fifo_queue
const shown fifo_queue_("fifo_queue", [] {
  fg::graph g;
  const fg::queue_options options{.capacity = 2, .shapes = {{2}, {}}};
  const fg::fifo_queue<float, std::int64_t> q(g, options);
  const auto x = g.placeholder<float>("x", {2});
  const auto put = q.enqueue(x, g.constant(std::int64_t{7}));
  const auto [element, label] = q.dequeue();
  fg::session s(g);
  s.run(put, {{x, fg::tensor<float>({2}, {1, 2})}});
  const auto [row, seven] = s.run(fg::fetch(element, label));
  std::cout << row[1] << " " << seven.scalar() << "\n";
  // prints: 2 7

  const auto empty = s.try_run(fg::fetch(element), {}, {.may_wait = false});
  std::cout << fg::name_of(empty.error().code()) << ": " << empty.error().message() << "\n";
  // error: unavailable: dequeueing would wait, which the run may not: FIFOQueue 'FIFOQueueV2'

  s.run(q.close());
  std::cout << s.try_run(fg::fetch(element)).error().message() << "\n";
  // error: FIFOQueue 'FIFOQueueV2' is closed and has too few elements: requested 1, found 0
});

// padding_fifo_queue
const shown padding_fifo_queue_("padding_fifo_queue", [] {
  fg::graph g;
  const fg::padding_fifo_queue<float> q(g, {.shapes = {{fg::any}}});
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto put = q.enqueue(x);
  const auto batch = q.dequeue_many(2);
  fg::session s(g);
  s.run(put, {{x, fg::tensor<float>({1}, {1})}});
  s.run(put, {{x, fg::tensor<float>({2}, {2, 3})}});
  const auto rows = s.run(fg::fetch(batch));
  std::cout << fg::to_string(rows.shape()) << " " << rows[0] << rows[1] << rows[2] << rows[3] << "\n";
  // prints: [2,2] 1023

  std::cout << s.try_run(q.enqueue(g.constant(1.f))).error().message() << "\n";
  // error: component 0 must have shape [?], found []
});

// random_shuffle_queue
const shown random_shuffle_queue_("random_shuffle_queue", [] {
  fg::graph g;
  const fg::random_shuffle_queue<float> q(g, {.capacity = 8, .min_after_dequeue = 2, .seed = 1, .shapes = {{}}});
  const auto put = q.enqueue_many(g.constant(fg::tensor<float>({4}, {1, 2, 3, 4})));
  const auto two = q.dequeue_many(2);
  fg::session s(g);
  s.run(put);
  const auto drawn = s.run(fg::fetch(two));
  std::cout << drawn[0] << " " << drawn[1] << "\n";
  // prints: 4 3

  std::cout << s.try_run(fg::fetch(two), {}, {.may_wait = false}).error().message() << "\n";
  // error: dequeueing would wait, which the run may not: RandomShuffleQueue 'RandomShuffleQueueV2'
});

// priority_queue
const shown priority_queue_("priority_queue", [] {
  fg::graph g;
  const fg::priority_queue<float> q(g, {.shapes = {{}}});
  const auto priorities = g.constant(fg::tensor<std::int64_t>({3}, {30, 10, 20}));
  const auto put = q.enqueue_many(priorities, g.constant(fg::tensor<float>({3}, {3, 1, 2})));
  const auto [priority, element] = q.dequeue();
  fg::session s(g);
  s.run(put);
  const auto [p, x] = s.run(fg::fetch(priority, element));
  std::cout << p.scalar() << " " << x.scalar() << "\n";
  // prints: 10 1

  s.run(q.close());
  std::cout << s.try_run(put).error().message() << "\n";
  // error: PriorityQueue 'PriorityQueueV2' is closed
});

// staging_area
const shown staging_area_("staging_area", [] {
  fg::graph g;
  const fg::staging_area<float> staged(g, {.capacity = 1});
  const auto put = staged.put(g.constant(5.f));
  const auto next = staged.get();
  const auto count = staged.size();
  fg::session s(g);
  s.run(put);
  std::cout << s.run(fg::fetch(count)).scalar() << " " << s.run(fg::fetch(next)).scalar() << "\n";
  // prints: 1 5

  const auto empty = s.try_run(fg::fetch(next), {}, {.may_wait = false});
  std::cout << empty.error().message() << "\n";
  // error: unstaging would wait, which the run may not: staging area 'StageSize'
});

// barrier
const shown barrier_("barrier", [] {
  fg::graph g;
  const fg::barrier<float, std::int64_t> joined(g, {.shapes = {{}, {}}});
  const auto keys = g.constant(fg::tensor<std::string>({2}, {"a", "b"}));
  const auto first = joined.insert_many<0>(keys, g.constant(fg::tensor<float>({2}, {1, 2})));
  const auto second = joined.insert_many<1>(keys, g.constant(fg::tensor<std::int64_t>({2}, {10, 20})));
  const auto [begun, names, values, labels] = joined.take_many(2);
  const auto waiting = joined.incomplete_size();
  fg::session s(g);
  s.run(first);
  std::cout << s.run(fg::fetch(waiting)).scalar() << "\n";
  s.run(second);
  const auto [name, value, label] = s.run(fg::fetch(names, values, labels));
  std::cout << name[1] << " " << value[1] << " " << label[1] << "\n";
  // prints: 2
  // prints: b 2 20

  s.run(first);
  std::cout << s.try_run(first).error().message() << "\n";
  // error: Barrier 'Barrier': the key 'a' has a value for component 0 already
});

// conditional_accumulator
const shown conditional_accumulator_("conditional_accumulator", [] {
  fg::graph g;
  const fg::conditional_accumulator<float> sum(g, {.shape = {2}});
  const auto x = g.placeholder<float>("x", fg::shape::unknown());
  const auto give = sum.apply_gradient(x, g.constant(std::int64_t{1}));
  const auto mean = sum.take_gradient(2);
  fg::session s(g);
  s.run(give, {{x, fg::tensor<float>({2}, {1, 2})}});
  s.run(give, {{x, fg::tensor<float>({2}, {3, 4})}});
  const auto average = s.run(fg::fetch(mean));
  std::cout << average[0] << " " << average[1] << "\n";
  // prints: 2 3

  std::cout << s.try_run(give, {{x, fg::tensor<float>({3})}}).error().message() << "\n";
  // error: the gradient does not fit: expected shape [2], found [3]
});

// tensor_array
const shown tensor_array_("tensor_array", [] {
  fg::graph g;
  const auto row = g.constant(fg::tensor<float>({2}, {1, 2}));
  const fg::tensor_array<float> empty(g, 2, {.element_shape = {2}});
  const auto written = empty.write(0, row).write(1, row * 10.f);
  fg::session s(g);
  const auto [all, count] = s.run(fg::fetch(written.stack(), written.size()));
  std::cout << fg::to_string(all.shape()) << " " << all(1, 1) << " " << count.scalar() << "\n";
  // prints: [2,2] 20 2

  std::cout << s.try_run(fg::fetch(empty.write(5, row).stack())).error().message() << "\n";
  // error: element 5 of the array 'TensorArrayV3_2' cannot be written: its size is 2, and fixed
});
