#pragma once
// The list of kernels that change rows by index, as in list.hpp: scatters, segments, and the optimizers' steps for rows.

#include <cuda/kernels/moves.hpp>
#include <cuda/kernels/scatters.hpp>
#include <cuda/kernels/table.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

template <class Make> class row_list : private kernel_records {
public:
  std::vector<kernel_record> make() {
    each_type(integers(), [&]<class I>(std::type_identity<I>) {
      add_scatters<I>();
      add_segments<I>();
      add_updates<I>();
    });
    return take();
  }

private:
  using form = kernel_form;

  template <class Body, class Arguments> static const void* function() { return Make::template function<Body, Arguments>(); }

  template <class Change, class T, class I> void scatter(std::initializer_list<std::string_view> ops, dtype type = dtype_of<T>) {
    for (const std::string_view op : ops)
      add(op, form::scatter, {type, dtype_of<I>}, function<scatter_rows<Change, T, I>, scatter_arguments>()).check =
          function<check_rows<I>, scatter_arguments>();
  }
  template <class Step, class I> void update(std::initializer_list<std::string_view> ops, std::uint8_t after_gradient = 0) {
    each_type(full_reals(), [&]<class T>(std::type_identity<T>) {
      for (const std::string_view op : ops) {
        kernel_record& result =
            add(op, form::sparse_update, {dtype_of<T>, dtype_of<I>}, function<update_rows<Step, T, I>, update_arguments>());
        result.after_gradient = after_gradient;
        result.check = function<check_rows<I>, scatter_arguments>();
        if constexpr (requires { Step::wants_columns; }) result.wants_columns = true;
        if constexpr (requires { Step::template refused<T>({}, false); })
          result.scalars = function<check_scalars<Step, T>, update_arguments>();
      }
    });
  }

  template <class Terms, class T, class I> void unsorted(std::string_view op, T start) {
    kernel_record& result =
        add(op, form::segment_sum, {dtype_of<T>, dtype_of<I>}, function<segment_rows<Terms, T, I>, scatter_arguments>(),
            function<fill<sizeof(T)>, fill_arguments>());
    __builtin_memcpy(result.value, &start, sizeof(T));
  }
  template <class Terms, bool Mean, class T, class I> void sorted(std::string_view op) {
    add(op, form::sorted_segments, {dtype_of<T>, dtype_of<I>}, function<sorted_segments<Terms, Mean, T, I>, scatter_arguments>())
        .check = function<check_order<I>, scatter_arguments>();
  }

  template <class I> void add_scatters();
  template <class I> void add_segments();
  template <class I> void add_updates();
};

template <class Make> template <class I> void row_list<Make>::add_scatters() {
  each_type(all_numbers(), [&]<class T>(std::type_identity<T>) {
    scatter<changed_by<functor::add>, T, I>({"ScatterAdd", "ResourceScatterAdd"});
    scatter<changed_by<functor::sub>, T, I>({"ScatterSub", "ResourceScatterSub"});
    scatter<changed_by<functor::mul>, T, I>({"ScatterMul", "ResourceScatterMul"});
    scatter<changed_by<functor::larger>, T, I>({"ScatterMax", "ResourceScatterMax"});
    scatter<changed_by<functor::smaller>, T, I>({"ScatterMin", "ResourceScatterMin"});
  });
  each_type(reals(), [&]<class T>(std::type_identity<T>) {
    scatter<changed_by<functor::div>, T, I>({"ScatterDiv", "ResourceScatterDiv"});
  });
  each_type(cast_types(), [&]<class T>(std::type_identity<T>) {
    scatter<replaced, typename moved<sizeof(T)>::type, I>({"ScatterUpdate", "ResourceScatterUpdate"}, dtype_of<T>);
  });
}

template <class Make> template <class I> void row_list<Make>::add_segments() {
  each_type(all_numbers(), [&]<class T>(std::type_identity<T>) {
    unsorted<added_terms, T, I>("UnsortedSegmentSum", T{});
    unsorted<multiplied_terms, T, I>("UnsortedSegmentProd", T(1));
    unsorted<largest_term, T, I>("UnsortedSegmentMax", T(lowest_finite<T>()));
    unsorted<smallest_term, T, I>("UnsortedSegmentMin", T(highest_finite<T>()));
    sorted<added_terms, false, T, I>("SegmentSum");
    sorted<added_terms, true, T, I>("SegmentMean");
    sorted<multiplied_terms, false, T, I>("SegmentProd");
    sorted<largest_term, false, T, I>("SegmentMax");
    sorted<smallest_term, false, T, I>("SegmentMin");
  });
  each_type(full_numbers(), [&]<class T>(std::type_identity<T>) {
    const void* const filled = function<fill<sizeof(T)>, fill_arguments>();
    add("ScatterNd", form::scatter_slices, {dtype_of<T>, dtype_of<I>}, function<scatter_slices<T, I>, vector_arguments>(),
        filled);
  });
  each_type(cast_types(), [&]<class T>(std::type_identity<T>) {
    add("ResourceGather", form::gather_variable, {dtype_of<T>, dtype_of<I>},
        function<gather_rows<sizeof(T), I>, gather_arguments>(), function<gather_packs<I>, gather_arguments>());
  });
  each_type(moved_types(), [&]<class T>(std::type_identity<T>) {
    add("GatherNd", form::gather_slices, {dtype_of<T>, dtype_of<I>}, function<gather_slices<sizeof(T), I>, vector_arguments>());
    add("OneHot", form::one_hot, {dtype_of<T>, dtype_of<I>}, function<one_hot_map<sizeof(T), I>, one_hot_arguments>());
  });
}

template <class Make> template <class I> void row_list<Make>::add_updates() {
  update<momentum, I>({"SparseApplyMomentum", "ResourceSparseApplyMomentum"}, 1);
  update<adagrad, I>({"SparseApplyAdagrad", "ResourceSparseApplyAdagrad"});
  update<adagrad_v2, I>({"SparseApplyAdagradV2", "ResourceSparseApplyAdagradV2"});
  update<adadelta, I>({"SparseApplyAdadelta", "ResourceSparseApplyAdadelta"});
  update<rms_prop<true>, I>({"SparseApplyRMSProp", "ResourceSparseApplyRMSProp"});
  update<centered_rms_prop<true>, I>({"SparseApplyCenteredRMSProp", "ResourceSparseApplyCenteredRMSProp"});
  update<ftrl<false, true>, I>({"SparseApplyFtrl", "ResourceSparseApplyFtrl"}, 4);
  update<ftrl<true, true>, I>({"SparseApplyFtrlV2", "ResourceSparseApplyFtrlV2"}, 5);
  update<adam, I>({"SparseApplyLazyAdam", "ResourceSparseApplyLazyAdam"});
  update<decayed_adam, I>({"SparseApplyLazyAdamW", "ResourceSparseApplyLazyAdamW"});
  update<proximal_gradient_descent, I>({"SparseApplyProximalGradientDescent", "ResourceSparseApplyProximalGradientDescent"});
  update<proximal_adagrad, I>({"SparseApplyProximalAdagrad", "ResourceSparseApplyProximalAdagrad"});
  update<adagrad_da<true>, I>({"SparseApplyAdagradDA", "ResourceSparseApplyAdagradDA"}, 4);
}

}
}
}  // namespace flowgraph::cuda
