#pragma once
// Staging areas with keys. Each list of tensors has a key. A run finds a list by its key, independently of the order of
// arrival. A list may be put and taken in parts.
//
//     fg::map_staging_area<float, std::int64_t> next(g, {.capacity = 8});
//     auto lay_down = next.put(number, image, label);
//     auto [x, y] = next.get(number);
//
// A request without a key returns the list with the smallest key of an ordered area, and the oldest list of an unordered area.

#include <flowgraph/ops/data_flow/stage.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reports an error if a limit is negative, the key is not a scalar or the indices are not a vector. `key` is null if there is no
// key.
void check_staging_inputs(shape_context& c, const stage_attributes& a, const shape* key, const shape& indices);

// Puts tensors under a key: a whole list, or the tensors at some indices of the list.
template <bool IsOrdered> struct map_stage_put : stage_attributes {
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1);
  std::vector<dtype> dtypes = {};  // the types of the whole list
  static constexpr auto attrs = typed_stage_attrs<map_stage_put>();

  shape_list shape(shape_context& c, const flowgraph::shape& key, const flowgraph::shape& indices,
                   std::span<const flowgraph::shape>) const {
    check_staging_inputs(c, *this, &key, indices);
    return {};
  }
  void operator()(cpu ctx, view<const std::int64_t> key, view<const std::int32_t> indices, any_list values, done answer) const;
};

// Takes or reads the tensors at some indices of the list under a key.
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

// Takes tensors of the list that is next to leave, and returns the key of this list.
template <bool IsOrdered> struct map_stage_pop : typed_stage_attributes {
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr auto attrs = typed_stage_attrs<map_stage_pop>();

  shape_list shape(shape_context& c, const flowgraph::shape& indices) const {
    check_staging_inputs(c, *this, nullptr, indices);
    shape_list shapes(dtypes.size() + 1, flowgraph::shape::unknown());
    shapes[0] = flowgraph::shape{};
    return shapes;
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

// Puts tensors under a key into a staging area. Waits until there is enough space.
struct map_stage_op : detail::map_stage_put<false> {
  static constexpr std::string_view name = "MapStage";
};

// Takes the tensors under a key from a staging area. Waits until they are available.
struct map_unstage_op : detail::map_stage_get<false, true> {
  static constexpr std::string_view name = "MapUnstage";
};

// Takes the oldest tensors from a staging area, and returns them with their key. Waits until there are tensors.
struct map_unstage_no_key_op : detail::map_stage_pop<false> {
  static constexpr std::string_view name = "MapUnstageNoKey";
};

// Returns the tensors under a key in a staging area, without removing them. Waits until they are available.
struct map_peek_op : detail::map_stage_get<false, false> {
  static constexpr std::string_view name = "MapPeek";
};

// Returns the number of complete or partly taken lists in a staging area with keys.
struct map_size_op : detail::map_stage_size<false, false> {
  static constexpr std::string_view name = "MapSize";
};

// Returns the number of incomplete lists in a staging area with keys.
struct map_incomplete_size_op : detail::map_stage_size<false, true> {
  static constexpr std::string_view name = "MapIncompleteSize";
};

// Removes all tensors from a staging area with keys.
struct map_clear_op : detail::map_stage_clear<false> {
  static constexpr std::string_view name = "MapClear";
};

// Puts tensors under a key into a staging area that is ordered by key. Waits until there is enough space.
struct ordered_map_stage_op : detail::map_stage_put<true> {
  static constexpr std::string_view name = "OrderedMapStage";
};

// Takes the tensors under a key from a staging area that is ordered by key. Waits until they are available.
struct ordered_map_unstage_op : detail::map_stage_get<true, true> {
  static constexpr std::string_view name = "OrderedMapUnstage";
};

// Takes the tensors under the smallest key from a staging area, and returns them with the key. Waits until there are tensors.
struct ordered_map_unstage_no_key_op : detail::map_stage_pop<true> {
  static constexpr std::string_view name = "OrderedMapUnstageNoKey";
};

// Returns the tensors under a key in a staging area that is ordered by key, without removing them. Waits until they are
// available.
struct ordered_map_peek_op : detail::map_stage_get<true, false> {
  static constexpr std::string_view name = "OrderedMapPeek";
};

// Returns the number of complete or partly taken lists in a staging area that is ordered by key.
struct ordered_map_size_op : detail::map_stage_size<true, false> {
  static constexpr std::string_view name = "OrderedMapSize";
};

// Returns the number of incomplete lists in a staging area that is ordered by key.
struct ordered_map_incomplete_size_op : detail::map_stage_size<true, true> {
  static constexpr std::string_view name = "OrderedMapIncompleteSize";
};

// Removes all tensors from a staging area that is ordered by key.
struct ordered_map_clear_op : detail::map_stage_clear<true> {
  static constexpr std::string_view name = "OrderedMapClear";
};

using map_stage_ops =
    type_list<map_stage_op, map_unstage_op, map_unstage_no_key_op, map_peek_op, map_size_op, map_incomplete_size_op, map_clear_op,
              ordered_map_stage_op, ordered_map_unstage_op, ordered_map_unstage_no_key_op, ordered_map_peek_op,
              ordered_map_size_op, ordered_map_incomplete_size_op, ordered_map_clear_op>;

// A staging area with keys for lists of tensors of types T. If IsOrdered is true, the list with the smallest key leaves first.
template <bool IsOrdered, class... T> class keyed_staging_area {
  static_assert(sizeof...(T) > 0, "flowgraph: a staging area holds lists of one tensor or more");
  template <class Plain, class Ordered> using op = std::conditional_t<IsOrdered, Ordered, Plain>;

public:
  explicit keyed_staging_area(const graph& g, const staging_options& o = {}, site s = {}) : graph_(g), options_(o) {
    size_ = apply_in<>(g, detail::typed_staging_node<op<map_size_op, ordered_map_size_op>, T...>(options_), s);
    // If there is no shared name, the area gets the unique name of this node, which is the first node of the area.
    if (options_.shared_name.empty() && size_.source) options_.shared_name = size_.source->name;
  }

  // Puts a list under a key. Waits until there is enough space. If the key exists already, its list is not replaced.
  target put(out<std::int64_t> key, out<T>... values, site s = {}) const {
    return apply(detail::typed_staging_node<op<map_stage_op, ordered_map_stage_op>, T...>(options_), key, all(s),
                 any_out_list{values...}, s);
  }
  // Takes the list under a key. Waits until the list is available.
  auto get(out<std::int64_t> key, site s = {}) const {
    return detail::staged_handles<T...>(
        apply(detail::typed_staging_node<op<map_unstage_op, ordered_map_unstage_op>, T...>(options_), key, all(s), s));
  }
  // Returns the list under a key without removing it.
  auto peek(out<std::int64_t> key, site s = {}) const {
    return detail::staged_handles<T...>(
        apply(detail::typed_staging_node<op<map_peek_op, ordered_map_peek_op>, T...>(options_), key, all(s), s));
  }
  // Returns the number of complete lists.
  out<std::int32_t> size() const { return size_; }
  // Removes all lists.
  target clear(site s = {}) const {
    return apply_in<>(graph_, detail::typed_staging_node<op<map_clear_op, ordered_map_clear_op>, T...>(options_), s);
  }

private:
  // Returns the indices of all tensors of a list.
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

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/map_stage.hpp>
#endif
