#pragma once
// The list of kernels for networks and their training, as in list.hpp: batch normalization, scans, order, random numbers.

#include <cuda/kernels/batch_norm.hpp>
#include <cuda/kernels/random.hpp>
#include <cuda/kernels/ranks.hpp>
#include <cuda/kernels/scans.hpp>
#include <cuda/kernels/table.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

template <class Make> class network_list : private kernel_records {
public:
  std::vector<kernel_record> make() {
    add_normalizations();
    add_scans();
    add_order();
    add_random();
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

  void add_normalizations();
  void add_scans();
  void add_order();
  void add_random();
};

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
