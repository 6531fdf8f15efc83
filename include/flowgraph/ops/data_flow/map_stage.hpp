#pragma once
// Staging areas whose lists of tensors have keys: whoever knows the key takes the list, however the lists come, also part by part.
//
//     fg::map_staging_area<float, std::int64_t> next(g, {.capacity = 8});
//     auto lay_down = next.put(number, image, label);
//     auto [x, y] = next.get(number);
//
// Whoever takes any list gets the one with the smallest key of an ordered area, of another the one that came first.

#include <flowgraph/ops/data_flow/stage.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Fails where a limit is negative, the key is no scalar or the indices are no vector. `key` is null where there is none.
void check_staging_inputs(shape_context& c, const stage_attributes& a, const shape* key, const shape& indices);

// Lays tensors down under a key: all of a list, or those of some indices.
template <bool IsOrdered> struct map_stage_put : stage_attributes {
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1);
  std::vector<dtype> dtypes = {};  // of a whole list
  static constexpr auto attrs = typed_stage_attrs<map_stage_put>();

  shape_list shape(shape_context& c, const flowgraph::shape& key, const flowgraph::shape& indices,
                   std::span<const flowgraph::shape>) const {
    check_staging_inputs(c, *this, &key, indices);
    return {};
  }
  void operator()(cpu ctx, view<const std::int64_t> key, view<const std::int32_t> indices, any_list values, done answer) const;
};

// Takes tensors of some indices from under a key; or reads them.
template <bool IsOrdered, bool IsTaken> struct map_stage_get : typed_stage_attributes {
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1);
  static constexpr auto attrs = typed_stage_attrs<map_stage_get>();

  shape_list shape(shape_context& c, const flowgraph::shape& key, const flowgraph::shape& indices) const {
    check_staging_inputs(c, *this, &key, indices);
    return shape_list(dtypes.size(), flowgraph::shape::unknown());
  }
  void operator()(cpu ctx, view<const std::int64_t> key, view<const std::int32_t> indices, any_output_list values,
                  done answer) const;
};

// The same of the list that is the next to leave, with its key.
template <bool IsOrdered> struct map_stage_pop : typed_stage_attributes {
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr auto attrs = typed_stage_attrs<map_stage_pop>();

  shape_list shape(shape_context& c, const flowgraph::shape& indices) const {
    check_staging_inputs(c, *this, nullptr, indices);
    shape_list made(dtypes.size() + 1, flowgraph::shape::unknown());
    made[0] = flowgraph::shape{};
    return made;
  }
  void operator()(cpu ctx, view<const std::int32_t> indices, unsized<std::int64_t> key, any_output_list values,
                  done answer) const;
};

template <bool IsOrdered, bool IsIncomplete> struct map_stage_size : stage_attributes {
  std::vector<dtype> dtypes = {};
  static constexpr auto attrs = typed_stage_attrs<map_stage_size>();

  flowgraph::shape shape(shape_context& c) const {
    check_limits(c, *this);
    return {};
  }
  void operator()(cpu ctx, view<std::int32_t> size) const;
};

template <bool IsOrdered> struct map_stage_clear : stage_attributes {
  std::vector<dtype> dtypes = {};
  static constexpr auto attrs = typed_stage_attrs<map_stage_clear>();

  void operator()(cpu ctx) const;
};

}  // namespace detail

// Lays tensors down under a key of a staging area; waits for room.
struct map_stage_op : detail::map_stage_put<false> {
  static constexpr std::string_view name = "MapStage";
};

// Takes the tensors under a key out of a staging area; waits until they are there.
struct map_unstage_op : detail::map_stage_get<false, true> {
  static constexpr std::string_view name = "MapUnstage";
};

// Takes the tensors that came first out of a staging area, with their key; waits for some.
struct map_unstage_no_key_op : detail::map_stage_pop<false> {
  static constexpr std::string_view name = "MapUnstageNoKey";
};

// Reads the tensors under a key of a staging area, which stay; waits until they are there.
struct map_peek_op : detail::map_stage_get<false, false> {
  static constexpr std::string_view name = "MapPeek";
};

// How many keys of a staging area have all their tensors, or some of them still.
struct map_size_op : detail::map_stage_size<false, false> {
  static constexpr std::string_view name = "MapSize";
};

// How many keys of a staging area wait for further tensors.
struct map_incomplete_size_op : detail::map_stage_size<false, true> {
  static constexpr std::string_view name = "MapIncompleteSize";
};

// Empties a staging area with keys.
struct map_clear_op : detail::map_stage_clear<false> {
  static constexpr std::string_view name = "MapClear";
};

// Lays tensors down under a key of a staging area that is in the order of its keys; waits for room.
struct ordered_map_stage_op : detail::map_stage_put<true> {
  static constexpr std::string_view name = "OrderedMapStage";
};

// Takes the tensors under a key out of a staging area that is in the order of its keys; waits until they are there.
struct ordered_map_unstage_op : detail::map_stage_get<true, true> {
  static constexpr std::string_view name = "OrderedMapUnstage";
};

// Takes the tensors under the smallest key out of a staging area, with the key; waits for some.
struct ordered_map_unstage_no_key_op : detail::map_stage_pop<true> {
  static constexpr std::string_view name = "OrderedMapUnstageNoKey";
};

// Reads the tensors under a key of a staging area that is in the order of its keys; waits until they are there.
struct ordered_map_peek_op : detail::map_stage_get<true, false> {
  static constexpr std::string_view name = "OrderedMapPeek";
};

// How many keys of a staging area in the order of its keys have all their tensors, or some of them still.
struct ordered_map_size_op : detail::map_stage_size<true, false> {
  static constexpr std::string_view name = "OrderedMapSize";
};

// How many keys of a staging area in the order of its keys wait for further tensors.
struct ordered_map_incomplete_size_op : detail::map_stage_size<true, true> {
  static constexpr std::string_view name = "OrderedMapIncompleteSize";
};

// Empties a staging area in the order of its keys.
struct ordered_map_clear_op : detail::map_stage_clear<true> {
  static constexpr std::string_view name = "OrderedMapClear";
};

using map_stage_ops =
    type_list<map_stage_op, map_unstage_op, map_unstage_no_key_op, map_peek_op, map_size_op, map_incomplete_size_op, map_clear_op,
              ordered_map_stage_op, ordered_map_unstage_op, ordered_map_unstage_no_key_op, ordered_map_peek_op,
              ordered_map_size_op, ordered_map_incomplete_size_op, ordered_map_clear_op>;

// A staging area of lists of tensors of types T under keys; with IsOrdered, the smallest key is the next to leave.
template <bool IsOrdered, class... T> class keyed_staging_area {
  static_assert(sizeof...(T) > 0, "flowgraph: a staging area holds lists of one tensor or more");
  template <class Plain, class Ordered> using op = std::conditional_t<IsOrdered, Ordered, Plain>;

public:
  explicit keyed_staging_area(const graph& g, const staging_options& o = {}, site s = {}) : graph_(g), options_(o) {
    size_ = apply_in<>(g, detail::typed_staging_node<op<map_size_op, ordered_map_size_op>, T...>(options_), s);
    // The node is the first of the area: its name is as good as any.
    if (options_.shared_name.empty() && size_.source) options_.shared_name = size_.source->name;
  }

  // Lays a list down; waits for room. A key that is there keeps the list that it has.
  target put(out<std::int64_t> key, out<T>... values, site s = {}) const {
    return apply(detail::typed_staging_node<op<map_stage_op, ordered_map_stage_op>, T...>(options_), key, all(s),
                 any_out_list{values...}, s);
  }
  // Takes the list under a key; waits for it.
  auto get(out<std::int64_t> key, site s = {}) const {
    return detail::staged_handles<T...>(
        apply(detail::typed_staging_node<op<map_unstage_op, ordered_map_unstage_op>, T...>(options_), key, all(s), s));
  }
  // The list under a key, which stays.
  auto peek(out<std::int64_t> key, site s = {}) const {
    return detail::staged_handles<T...>(
        apply(detail::typed_staging_node<op<map_peek_op, ordered_map_peek_op>, T...>(options_), key, all(s), s));
  }
  // How many lists are whole.
  out<std::int32_t> size() const { return size_; }
  // Empties it.
  target clear(site s = {}) const {
    return apply_in<>(graph_, detail::typed_staging_node<op<map_clear_op, ordered_map_clear_op>, T...>(options_), s);
  }

private:
  // The indices of a whole list.
  out<std::int32_t> all(const site& s) const {
    tensor<std::int32_t> indices(shape{sizeof...(T)});
    std::int32_t i = 0;
    for (std::int32_t& index : indices.writable()) index = i++;
    return flowgraph::constant(graph_, indices, {.location = s.location});
  }

  graph graph_;
  staging_options options_;
  out<std::int32_t> size_;
};

template <class... T> using map_staging_area = keyed_staging_area<false, T...>;
template <class... T> using ordered_map_staging_area = keyed_staging_area<true, T...>;

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/map_stage.hpp>
#endif
