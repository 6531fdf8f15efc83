#pragma once
// The list of kernels for windows, batch normalization, scans, sorted rows and random numbers, as in list.hpp.

#include <cuda/kernels/batch_norm.hpp>
#include <cuda/kernels/random.hpp>
#include <cuda/kernels/ranks.hpp>
#include <cuda/kernels/scans.hpp>
#include <cuda/kernels/table.hpp>
#include <cuda/kernels/windows.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

template <class Make> class network_list : private kernel_records {
public:
  // Returns the records of all parts, or of one.
  template <int Part = all_parts> std::vector<kernel_record> make() {
    constexpr auto has = [](int part) { return Part == all_parts || Part == part; };
    if constexpr (has(0)) add_windows();
    if constexpr (has(1)) add_normalizations();
    if constexpr (has(1)) add_scans();
    if constexpr (has(2)) add_order();
    if constexpr (has(2)) add_random();
    return take();
  }

private:
  using form = kernel_form;

  template <class Body, class Arguments> static const void* function() { return Make::template function<Body, Arguments>(); }

  template <class Scan, class T> void scan(std::string_view op) {
    add(op, form::scan, {dtype_of<T>}, function<scan_by_threads<Scan, T>, scan_arguments>(),
        function<scan_by_block<Scan, T>, scan_arguments>());
  }
  template <class Body, class T> void draw(std::initializer_list<std::string_view> ops, form how = form::random) {
    for (const std::string_view op : ops) add(op, how, {dtype_of<T>}, function<Body, random_arguments>());
  }

  void add_windows();
  void add_normalizations();
  void add_scans();
  void add_order();
  void add_random();
};

template <class Make> void network_list<Make>::add_windows() {
  each_type(all_numbers(), [&]<class T>(std::type_identity<T>) {
    add("MaxPool", form::pool, {dtype_of<T>}, function<max_pool<T>, window_arguments>());
    add("MaxPoolGrad", form::max_pool_gradient, {dtype_of<T>}, function<max_pool_gradient<T>, window_arguments>());
    add("MaxPoolGradGrad", form::max_pool_gradient, {dtype_of<T>}, function<max_pool_second_gradient<T>, window_arguments>());
  });
  each_type(reals(), [&]<class T>(std::type_identity<T>) {
    add("AvgPool", form::pool, {dtype_of<T>}, function<mean_pool<T>, window_arguments>());
    add("AvgPoolGrad", form::mean_pool_gradient, {dtype_of<T>}, function<mean_pool_gradient<T>, window_arguments>());
    for (const std::string_view op : {"Conv2D", "Conv3D", "DepthwiseConv2dNative"})
      add(op, form::convolution, {dtype_of<T>}, function<convolution<T>, window_arguments>()).by_channel = op[0] == 'D';
    for (const std::string_view op :
         {"Conv2DBackpropInput", "Conv3DBackpropInput", "Conv3DBackpropInputV2", "DepthwiseConv2dNativeBackpropInput"})
      add(op, form::convolution_by_input, {dtype_of<T>}, function<convolution_by_input<T>, window_arguments>()).by_channel =
          op[0] == 'D';
    for (const std::string_view op :
         {"Conv2DBackpropFilter", "Conv3DBackpropFilter", "Conv3DBackpropFilterV2", "DepthwiseConv2dNativeBackpropFilter"})
      add(op, form::convolution_by_filter, {dtype_of<T>}, function<convolution_by_filter<T>, window_arguments>()).by_channel =
          op[0] == 'D';
  });
  using T = float;
  add("MaxPool3D", form::pool, {dtype_of<T>}, function<max_pool_of_volumes<T>, window_arguments>());
  add("MaxPool3DGrad", form::max_pool_gradient, {dtype_of<T>, dtype_of<T>}, function<equal_pool_gradient<T>, window_arguments>());
  add("MaxPool3DGradGrad", form::max_pool_gradient, {dtype_of<T>}, function<equal_pool_second_gradient<T>, window_arguments>());
  add("AvgPool3D", form::pool, {dtype_of<T>}, function<mean_pool<T>, window_arguments>());
  add("AvgPool3DGrad", form::mean_pool_gradient, {dtype_of<T>}, function<mean_pool_gradient<T>, window_arguments>());
}

template <class Make> void network_list<Make>::add_normalizations() {
  each_type(type_list<float, half>(), [&]<class T>(std::type_identity<T>) {
    const void* const statistics = function<batch_statistics<T>, batch_norm_arguments>();
    const void* const normalized = function<normalized_map<T>, batch_norm_arguments>();
    const void* const sums = function<batch_norm_sums<T>, batch_norm_arguments>();
    const void* const gradient = function<batch_norm_gradient<T>, batch_norm_arguments>();
    if (std::is_same_v<T, float>) {
      add("FusedBatchNorm", form::batch_norm, {dtype_of<T>}, statistics, normalized);
      add("FusedBatchNormGrad", form::batch_norm_gradient, {dtype_of<T>}, sums, gradient);
    }
    for (const std::string_view op : {"FusedBatchNormV2", "FusedBatchNormV3"})
      add(op, form::batch_norm, {dtype_of<T>, dtype::float32}, statistics, normalized);
    for (const std::string_view op : {"FusedBatchNormGradV2", "FusedBatchNormGradV3"})
      add(op, form::batch_norm_gradient, {dtype_of<T>, dtype::float32}, sums, gradient);
  });
}

template <class Make> void network_list<Make>::add_scans() {
  each_type(all_numbers(), [&]<class T>(std::type_identity<T>) {
    scan<scan_by<sum_of>, T>("Cumsum");
    scan<scan_by<product_of>, T>("Cumprod");
  });
  each_type(reals(), [&]<class T>(std::type_identity<T>) { scan<scan_by_exponentials, T>("CumulativeLogsumexp"); });
}

template <class Make> void network_list<Make>::add_order() {
  each_type(all_numbers(), [&]<class T>(std::type_identity<T>) {
    const void* const ordered = function<ordered_rows<T, std::int32_t>, rank_arguments>();
    for (const std::string_view op : {"TopK", "NthElement"}) add(op, form::rank, {dtype_of<T>}, ordered);
    add("TopKV2", form::rank, {dtype_of<T>, dtype::int32}, ordered);
    add("TopKV2", form::rank, {dtype_of<T>, dtype::int64}, function<ordered_rows<T, std::int64_t>, rank_arguments>());
  });
  each_type(integers(), [&]<class I>(std::type_identity<I>) {
    for (const std::string_view op : {"InTopK", "InTopKV2"})
      add(op, form::in_top, {dtype_of<I>}, function<in_top<I>, top_arguments>());
  });
}

template <class Make> void network_list<Make>::add_random() {
  each_type(floating(), [&]<class T>(std::type_identity<T>) {
    draw<random_map<unit_numbers, T>, T>({"RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2"});
    draw<random_normal_map<T>, T>({"RandomStandardNormal", "StatelessRandomNormal", "StatelessRandomNormalV2"});
    draw<random_truncated_map<T>, T>({"TruncatedNormal", "StatelessTruncatedNormal", "StatelessTruncatedNormalV2"});
  });
  each_type(integers(), [&]<class T>(std::type_identity<T>) {
    draw<random_map<range_numbers, T>, T>({"RandomUniformInt", "StatelessRandomUniformInt", "StatelessRandomUniformIntV2"},
                                          form::random_range);
  });
  each_type(type_list<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>(), [&]<class T>(std::type_identity<T>) {
    draw<random_map<bit_numbers, T>, T>({"StatelessRandomUniformFullInt", "StatelessRandomUniformFullIntV2"});
  });
}

}
}
}  // namespace flowgraph::cuda
