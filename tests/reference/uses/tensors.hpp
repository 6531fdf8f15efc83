// Lines of use of core, and of containers and registries. Each line stands in docs/reference as it is here.

inline void uses_of_tensors() {
  struct counter final : fg::resource_base {
    counter() : resource_base(fg::kind_of<counter>()) {}
  };
  static float samples[512] = {};

  // tensor:
  fg::tensor<float> matrix({2, 3}, {1, 2, 3, 4, 5, 6});
  fg::tensor<float> zeros({100, 100});
  fg::tensor<float> scalar = 2.5f;
  const float* first = matrix.data();
  float element = matrix(1, 2), same = matrix[5], only = scalar.scalar();
  for (float v : matrix.values()) element += v;
  for (float& v : matrix.writable()) v *= 2;
  std::size_t count = matrix.size(), rows = static_cast<std::size_t>(matrix.shape()[0]);
  fg::tensor<float> tall = matrix.reshaped({3, 2});
  fg::tensor<float> block = fg::tensor<float>::borrow({512}, samples);
  fg::result<fg::tensor<float>> typed = fg::tensor<float>::from(matrix.erased());

  // any_tensor:
  fg::any_tensor any = matrix.erased();
  if (any.has_value() && any.type() == fg::dtype_of<float>) element = any.as<float>()[0];
  fg::result<fg::any_tensor> made = fg::any_tensor::allocate(fg::dtype_of<float>, {4});
  made->as_writable<float>()[0] = 1;
  fg::any_tensor flat = any.reshaped({6});
  fg::result<fg::any_tensor> own = any.copy();
  std::size_t bytes = any.bytes(), elements = any.size();
  const void* raw = any.data();
  bool is_elsewhere = any.is_far();
  int rank = any.shape().rank;

  // shape:
  fg::shape image{28, 28, 1}, batch{fg::any, 28, 28, 1}, anything = fg::shape::unknown();
  bool is_open = anything.has_rank() || batch.is_known();
  std::int64_t pixels = image.size(), last = image[-1];
  fg::shape matrices = fg::shape::unknown_of_rank(2);

  bool can_stand = fg::fits(image, {fg::any, fg::any, 1});
  fg::shape both = fg::merged({fg::any, 3}, {2, fg::any});
  bool can_meet = fg::broadcast({2, 1}, {1, 3}, both);
  std::string_view kind = fg::name_of(fg::error_code::not_found);

  // core/shape.hpp:
  std::string text = fg::to_string(image);

  // error:
  fg::error why(fg::error_code::invalid_argument, "expected a positive number");
  if (why && why.code() == fg::error_code::invalid_argument) std::puts(why.what());
  std::string_view message = why.message(), node = why.node();
  unsigned line = why.where().line();
  bool has_reason = why.cause() != nullptr;

  // result:
  fg::result<float> number = 2.f;
  if (number.has_value()) element = number.value();
  if (!number) why = number.error();

  // thread_pool:
  fg::thread_pool pool(4);
  int threads = pool.size();
  pool.submit([] {});
  pool.parallel_for(8, [](std::int64_t) {});
  while (pool.help()) {}

  // container:
  fg::container weights;
  for (const std::string& name : weights.names()) text += name;
  auto found = weights.find_or_make("counters", "mine", fg::kind_of<counter>(), [] { return new counter; });
  fg::resource there = weights.find("counters", "mine");
  weights.keep_placed("", "w", {.device = "/job:localhost/task:0/device:cpu:1", .by = "'w'"});
  fg::container::placing where = weights.placed("", "w");
  weights.clear("counters");
  weights.rebind();
  fg::container of_a_step(std::pmr::new_delete_resource(), fg::container::one_thread{});
  if (of_a_step.is_of_one_thread()) of_a_step.end_run();
  fg::result<std::vector<fg::saved_resource>> contents = weights.save();
  why = weights.load(*contents);

  // savable_file:
  fg::savable_file* large = there.base->as_savable_file();
  if (large) why = large->write([](std::span<const std::byte>) { return fg::result<void>(); }).error();
  if (large) why = large->check("rows.safetensors");
  if (large) why = large->load("rows.safetensors");

  // registry:
  fg::registry ops;
  auto known = fg::add_standard_ops(ops);
  for (std::string_view name : ops.names()) text += name;
}
