// Lines of use of ops/array. Each line stands in docs/reference as it is here.

inline void uses_of_arrays(fg::graph g) {
  const auto x = g.placeholder<float>("x", {2, 6, 4}), image = g.placeholder<float>("image", {1, 4, 4, 4});
  const auto a = g.placeholder<float>("a", {2, 3}), b = g.placeholder<float>("b", {2, 3}), v = g.placeholder<float>("v", {6});
  const auto i = g.placeholder<std::int32_t>("i", {3}), zero = g.constant(0), flat = g.placeholder<std::int32_t>("flat", {5});
  const auto table = g.placeholder<float>("table", {1000, 16}), t = g.placeholder<float>("t", {3});
  const auto words = g.placeholder<std::int32_t>("words", {8, 20});
  const auto lines = g.placeholder<std::int32_t>("lines", {5}), shape_a = fg::shape_of(a);

  auto bits = fg::bitcast<std::int32_t>(x);
  auto wide = fg::concat({a, b}, 1);
  auto stacked = fg::pack({a, b});
  auto rows = fg::unpack(a, 2);
  auto halves = fg::split(x, 2, 1);
  auto parts = fg::split(x, {1, 3, 2}, 1);
  auto begins = fg::concat_offset(zero, fg::shapes_of(fg::out_list<float>{a, b}));
  auto two = fg::constant(g, fg::tensor<float>(2.f));
  auto maybe_fed = fg::placeholder_with_default(two, {});
  auto on_diagonal = fg::tensor_diag(v);
  auto diagonal = fg::tensor_diag_part(fg::tensor_diag(v));
  auto vectors = fg::embedding_lookup(table, words);
  auto means = fg::embedding_lookup_sparse(table, flat, lines, fg::combiner::mean);
  auto full = fg::fill(fg::shape{2, 3}, g.constant(1.f));
  auto zeros = fg::zeros_like(x);
  auto ones = fg::ones_like(x);
  auto numbers = fg::range(g.constant(0), g.constant(10), g.constant(1));
  auto picked = fg::gather(table, words);
  auto columns = fg::gather(x, i, 2);
  auto sums = fg::unsorted_segment_sum(table, g.placeholder<std::int32_t>("ids", {1000}), 4);
  auto elements = fg::gather_nd(a, g.placeholder<std::int32_t>("at", {5, 2}));
  auto same = fg::identity(x);
  auto fixed = fg::stop_gradient(x);
  auto blocked = fg::prevent_gradient(x, "no gradient is known here");
  auto all = fg::group(same, fixed);
  auto grid = fg::linspace(g.constant(0.f), g.constant(1.f), 11);
  auto mirrored = fg::mirror_pad(a, g.constant(fg::tensor<std::int32_t>({2, 2}, {1, 1, 0, 2})), fg::mirror::reflect);
  auto padded = fg::pad(a, {1, 0}, {1, 2});
  auto hot = fg::one_hot<float>(i, 10);
  auto by_kind = fg::dynamic_partition(v, g.placeholder<std::int32_t>("kind", {6}), 2);
  auto stitched = fg::dynamic_stitch<float>({i, i}, {t, t});
  auto put_together = fg::parallel_dynamic_stitch<float>({i, i}, {t, t});
  auto checked = fg::ensure_shape(g.placeholder<float>("unknown", fg::shape::unknown()), {fg::any, 4});
  auto handed_on = fg::identity_n(fg::any_out_list{x, i});
  auto matrix = fg::reshape(x, {12, -1});
  auto column = fg::expand_dims(v, -1);
  auto vector = fg::squeeze(column);
  auto extents = fg::shape_of(x);
  auto count = fg::size_of(x);
  auto axes = fg::rank_of(x);
  auto shapes = fg::shapes_of(fg::out_list<float>{a, b});
  auto shape_now = fg::shape_like(x);
  auto like_v = fg::reshape_like(a, v);
  auto backwards = fg::reverse(x, {1});
  auto turned = fg::reverse_sequence(x, g.constant(fg::tensor<std::int32_t>({2}, {3, 6})), 1);
  auto rolled = fg::roll(x, 1, 0);
  auto scattered =
      fg::scatter_nd(g.placeholder<std::int32_t>("where_to", {2, 1}), a, g.constant(fg::tensor<std::int32_t>({2}, {8, 3})));
  auto replaced = fg::tensor_scatter_nd_update(a, g.placeholder<std::int32_t>("r", {1, 1}), g.placeholder<float>("u", {1, 3}));
  auto added = fg::tensor_scatter_nd_add(a, g.placeholder<std::int32_t>("r", {1, 1}), g.placeholder<float>("u", {1, 3}));
  auto taken = fg::tensor_scatter_nd_sub(a, g.placeholder<std::int32_t>("r", {1, 1}), g.placeholder<float>("u", {1, 3}));
  auto larger = fg::tensor_scatter_nd_max(a, g.placeholder<std::int32_t>("r", {1, 1}), g.placeholder<float>("u", {1, 3}));
  auto smaller = fg::tensor_scatter_nd_min(a, g.placeholder<std::int32_t>("r", {1, 1}), g.placeholder<float>("u", {1, 3}));
  auto first_places = fg::lower_bound(a, b);
  auto last_places = fg::upper_bound(a, b);
  auto buckets = fg::bucketize(v, {0.f, 10.f, 100.f});
  auto index = fg::unravel_index(flat, shape_a);
  auto [missing, places] = fg::setdiff1d(v, v);
  auto block = fg::slice(x, {0, 2, 0}, {-1, 3, -1});
  auto in_batch = fg::space_to_batch_nd(image, g.constant(fg::tensor<std::int32_t>({1}, {2})),
                                        g.constant(fg::tensor<std::int32_t>({1, 2}, {0, 0})));
  auto out_of_batch = fg::batch_to_space_nd(in_batch, g.constant(fg::tensor<std::int32_t>({1}, {2})),
                                            g.constant(fg::tensor<std::int32_t>({1, 2}, {0, 0})));
  auto blocks = fg::space_to_batch(image, g.constant(fg::tensor<std::int32_t>({2, 2}, {0, 0, 0, 0})), 2);
  auto images = fg::batch_to_space(blocks, g.constant(fg::tensor<std::int32_t>({2, 2}, {0, 0, 0, 0})), 2);
  auto deep = fg::space_to_depth(image, 2);
  auto broad = fg::depth_to_space(image, 2);
  auto every_other = fg::strided_slice(x, {fg::slice_spec::all(), fg::slice_spec::from(1, 2), 0});
  auto together = fg::broadcast_dynamic_shape(shape_a, shape_a);
  auto transposed = fg::transpose(x, {0, 2, 1});
  auto turned_around = fg::transpose(x);
  auto adjoint = fg::conjugate_transpose(a, {1, 0});
  auto inverse = fg::invert_permutation(i);
  auto tiled = fg::tile(a, {1, 2});
  auto repeated = fg::broadcast_to(v, {3, 6});
  auto [values, which] = fg::unique(flat);
  auto [different, of, often] = fg::unique_with_counts(flat);
  auto where_true = fg::where(fg::greater(x, 0.f));

  // array/mirror_pad.hpp:
  auto bordered = fg::pad(a, g.constant(fg::tensor<std::int32_t>({2, 2}, {1, 1, 0, 2})), g.constant(-1.f));

  // slice_spec:
  auto last_axis = fg::strided_slice(x, {fg::slice_spec::ellipsis(), 0});
  auto new_first = fg::strided_slice(x, {fg::slice_spec::new_axis(), fg::slice_spec::ellipsis()});
  auto without_ends = fg::strided_slice(x, {fg::slice_spec::all(), fg::slice_spec::between(1, -1)});
  auto first_three = fg::strided_slice(x, {fg::slice_spec::all(), fg::slice_spec::to(3)});
  auto all_but_first = fg::strided_slice(x, {fg::slice_spec::all(), fg::slice_spec::from(1)});
}
