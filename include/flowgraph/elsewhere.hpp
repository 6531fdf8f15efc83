#pragma once
// Written by tools/reference. Declares the functions that flowgraph.hpp does not include. If a program calls one of them without its
// header, the compiler's error shows the line below, which names the header.

#include <flowgraph/config.hpp>

// clang-format off
namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {
template <class Op, class... T> concept is_elsewhere = !requires { sizeof(Op); };
}  // namespace detail

struct freeze_options;
template <class... T> requires detail::is_elsewhere<freeze_options, T...> void freeze(...) = delete;  // include <flowgraph/deploy/freeze.hpp>

struct freeze_options;  // include <flowgraph/deploy/freeze.hpp>

class cluster;  // include <flowgraph/distributed/cluster.hpp>

struct connect_options;
template <class... T> requires detail::is_elsewhere<connect_options, T...> void connect(...) = delete;  // include <flowgraph/distributed/connection.hpp>

struct connect_options;  // include <flowgraph/distributed/connection.hpp>

struct frame_limits;  // include <flowgraph/distributed/frame_limits.hpp>

namespace tcp { struct launch_options; }
namespace tcp { template <class... T> requires detail::is_elsewhere<launch_options, T...> void cluster_from_environment(...) = delete; }  // include <flowgraph/distributed/launch.hpp>

namespace tcp { struct launch_options; }  // include <flowgraph/distributed/launch.hpp>

namespace tcp { struct launched_task; }  // include <flowgraph/distributed/launch.hpp>

template <class T> struct recycled_allocator;  // include <flowgraph/distributed/recycled.hpp>

struct simulated_network_options;  // include <flowgraph/distributed/simulated_network.hpp>

class simulated_network;  // include <flowgraph/distributed/simulated_network.hpp>

struct task_limits;  // include <flowgraph/distributed/task.hpp>

struct task_options;  // include <flowgraph/distributed/task.hpp>

namespace tcp { struct transport_options; }
namespace tcp { template <class... T> requires detail::is_elsewhere<transport_options, T...> void make_transport(...) = delete; }  // include <flowgraph/distributed/tcp.hpp>
namespace tcp { template <class... T> requires detail::is_elsewhere<transport_options, T...> void connect(...) = delete; }  // include <flowgraph/distributed/tcp.hpp>

namespace tcp { struct transport_options; }  // include <flowgraph/distributed/tcp.hpp>

namespace tcp { class server; }  // include <flowgraph/distributed/tcp.hpp>

namespace tcp { struct tls_options; }
namespace tcp { template <class... T> requires detail::is_elsewhere<tls_options, T...> void make_encryption(...) = delete; }  // include <flowgraph/distributed/tls.hpp>

namespace tcp { struct tls_options; }  // include <flowgraph/distributed/tls.hpp>


template <class... T> void read_token(...) = delete;  // include <flowgraph/distributed/token.hpp>; with it: no overload takes these arguments

struct peer_traffic;  // include <flowgraph/distributed/traffic.hpp>

struct task_traffic;  // include <flowgraph/distributed/traffic.hpp>

class traffic_counter;  // include <flowgraph/distributed/traffic.hpp>

struct frame_head;  // include <flowgraph/distributed/transport.hpp>

struct tensor_head;  // include <flowgraph/distributed/transport.hpp>

class link_user;  // include <flowgraph/distributed/transport.hpp>

class task_clock;  // include <flowgraph/distributed/transport.hpp>

struct waiting_for;  // include <flowgraph/distributed/waiting_for.hpp>

struct export_options;
template <class... T> requires detail::is_elsewhere<export_options, T...> void export_graph(...) = delete;  // include <flowgraph/interop/export.hpp>

struct export_options;  // include <flowgraph/interop/export.hpp>

struct attribute_def;
template <class... T> requires detail::is_elsewhere<attribute_def, T...> void read_graph_def(...) = delete;  // include <flowgraph/interop/graph_def.hpp>
template <class... T> requires detail::is_elsewhere<attribute_def, T...> void write_graph_def(...) = delete;  // include <flowgraph/interop/graph_def.hpp>
template <class... T> requires detail::is_elsewhere<attribute_def, T...> void read_graph_def_text(...) = delete;  // include <flowgraph/interop/graph_def.hpp>
template <class... T> requires detail::is_elsewhere<attribute_def, T...> void write_graph_def_text(...) = delete;  // include <flowgraph/interop/graph_def.hpp>
template <class... T> requires detail::is_elsewhere<attribute_def, T...> void load_graph_def(...) = delete;  // include <flowgraph/interop/graph_def.hpp>
template <class... T> requires detail::is_elsewhere<attribute_def, T...> void save_graph_def(...) = delete;  // include <flowgraph/interop/graph_def.hpp>

struct attribute_def;  // include <flowgraph/interop/graph_def.hpp>

struct node_def;  // include <flowgraph/interop/graph_def.hpp>

struct graph_def;  // include <flowgraph/interop/graph_def.hpp>

struct import_options;
template <class... T> requires detail::is_elsewhere<import_options, T...> void import_graph(...) = delete;  // include <flowgraph/interop/import.hpp>
template <class... T> requires detail::is_elsewhere<import_options, T...> void is_call_of_functions(...) = delete;  // include <flowgraph/interop/import.hpp>

struct import_options;  // include <flowgraph/interop/import.hpp>

struct imported;  // include <flowgraph/interop/import.hpp>

struct model_signature;
template <class... T> requires detail::is_elsewhere<model_signature, T...> void save_saved_model(...) = delete;  // include <flowgraph/interop/save_model.hpp>

struct model_signature;  // include <flowgraph/interop/save_model.hpp>

struct save_model_options;  // include <flowgraph/interop/save_model.hpp>

struct signature_def;
template <class... T> requires detail::is_elsewhere<signature_def, T...> void read_meta_graph(...) = delete;  // include <flowgraph/interop/saved_model.hpp>
template <class... T> requires detail::is_elsewhere<signature_def, T...> void read_saved_model(...) = delete;  // include <flowgraph/interop/saved_model.hpp>

struct signature_def;  // include <flowgraph/interop/saved_model.hpp>

struct saver_def;  // include <flowgraph/interop/saved_model.hpp>

struct object_variable;  // include <flowgraph/interop/saved_model.hpp>

struct meta_graph;  // include <flowgraph/interop/saved_model.hpp>

struct saved_model;  // include <flowgraph/interop/saved_model.hpp>

struct served_options;
template <class... T> requires detail::is_elsewhere<served_options, T...> void load_saved_model(...) = delete;  // include <flowgraph/interop/served_model.hpp>

struct served_options;  // include <flowgraph/interop/served_model.hpp>

class served_model;  // include <flowgraph/interop/served_model.hpp>

struct read_limits;
template <class... T> requires detail::is_elsewhere<read_limits, T...> void read_tensor(...) = delete;  // include <flowgraph/interop/tensor_proto.hpp>
template <class... T> requires detail::is_elsewhere<read_limits, T...> void write_tensor(...) = delete;  // include <flowgraph/interop/tensor_proto.hpp>

struct read_limits;  // include <flowgraph/interop/tensor_proto.hpp>

struct edge_record;
template <class... T> requires detail::is_elsewhere<edge_record, T...> void record_of(...) = delete;  // include <flowgraph/io/graph_record.hpp>
template <class... T> requires detail::is_elsewhere<edge_record, T...> void add_record(...) = delete;  // include <flowgraph/io/graph_record.hpp>

struct edge_record;  // include <flowgraph/io/graph_record.hpp>

struct line_record;  // include <flowgraph/io/graph_record.hpp>

struct node_record;  // include <flowgraph/io/graph_record.hpp>

struct body_record;  // include <flowgraph/io/graph_record.hpp>

struct variable_record;  // include <flowgraph/io/graph_record.hpp>

struct graph_record;  // include <flowgraph/io/graph_record.hpp>

struct planned_record;
template <class... T> requires detail::is_elsewhere<planned_record, T...> void planned_record_of(...) = delete;  // include <flowgraph/io/planned_record.hpp>
template <class... T> requires detail::is_elsewhere<planned_record, T...> void planned_graph_of(...) = delete;  // include <flowgraph/io/planned_record.hpp>

struct planned_record;  // include <flowgraph/io/planned_record.hpp>

struct planned_graph;  // include <flowgraph/io/planned_record.hpp>

struct trace_options;
template <class... T> requires detail::is_elsewhere<trace_options, T...> void to_chrome_trace(...) = delete;  // include <flowgraph/observe/trace.hpp>
template <class... T> requires detail::is_elsewhere<trace_options, T...> void trace_files(...) = delete;  // include <flowgraph/observe/trace.hpp>
template <class... T> requires detail::is_elsewhere<trace_options, T...> void time_by_op(...) = delete;  // include <flowgraph/observe/trace.hpp>
template <class... T> requires detail::is_elsewhere<trace_options, T...> void time_by_node(...) = delete;  // include <flowgraph/observe/trace.hpp>
template <class... T> requires detail::is_elsewhere<trace_options, T...> void time_by_scope(...) = delete;  // include <flowgraph/observe/trace.hpp>
template <class... T> requires detail::is_elsewhere<trace_options, T...> void peak_memory(...) = delete;  // include <flowgraph/observe/trace.hpp>
template <class... T> requires detail::is_elsewhere<trace_options, T...> void critical_path(...) = delete;  // include <flowgraph/observe/trace.hpp>
template <class... T> requires detail::is_elsewhere<trace_options, T...> void tables(...) = delete;  // include <flowgraph/observe/trace.hpp>
template <class... T> requires detail::is_elsewhere<trace_options, T...> void node_calls(...) = delete;  // include <flowgraph/observe/trace.hpp>

struct trace_options;  // include <flowgraph/observe/trace.hpp>

struct traced_process;  // include <flowgraph/observe/trace.hpp>

struct traced_thread;  // include <flowgraph/observe/trace.hpp>

struct traced_node;  // include <flowgraph/observe/trace.hpp>

struct trace_event;  // include <flowgraph/observe/trace.hpp>

struct collected_trace;  // include <flowgraph/observe/trace.hpp>

class trace_recorder;  // include <flowgraph/observe/trace.hpp>

struct trace_sum;  // include <flowgraph/observe/trace.hpp>

struct trace_memory;  // include <flowgraph/observe/trace.hpp>

struct path_node;  // include <flowgraph/observe/trace.hpp>

struct bitcast_op;
template <class... T> requires detail::is_elsewhere<bitcast_op, T...> void bitcast(...) = delete;  // include <flowgraph/ops/array/bitcast.hpp>

struct diag_part_op;
template <class... T> requires detail::is_elsewhere<diag_part_op, T...> void tensor_diag(...) = delete;  // include <flowgraph/ops/array/diagonal.hpp>
template <class... T> requires detail::is_elsewhere<diag_part_op, T...> void tensor_diag_part(...) = delete;  // include <flowgraph/ops/array/diagonal.hpp>


template <class... T> void embedding_lookup(...) = delete;  // include <flowgraph/ops/array/embedding.hpp>; with it: no overload takes these arguments
template <class... T> void embedding_lookup_sparse(...) = delete;  // include <flowgraph/ops/array/embedding.hpp>; with it: no overload takes these arguments

struct scatter_nd_op;
template <class... T> requires detail::is_elsewhere<scatter_nd_op, T...> void gather_nd(...) = delete;  // include <flowgraph/ops/array/gather_nd.hpp>
template <class... T> requires detail::is_elsewhere<scatter_nd_op, T...> void scatter_nd(...) = delete;  // include <flowgraph/ops/array/gather_nd.hpp>

struct placeholder_v2_op;
template <class... T> requires detail::is_elsewhere<placeholder_v2_op, T...> void ensure_shape(...) = delete;  // include <flowgraph/ops/array/identity_variants.hpp>
template <class... T> requires detail::is_elsewhere<placeholder_v2_op, T...> void identity_n(...) = delete;  // include <flowgraph/ops/array/identity_variants.hpp>

struct empty_op;
template <class... T> requires detail::is_elsewhere<empty_op, T...> void linspace(...) = delete;  // include <flowgraph/ops/array/lin_space.hpp>

struct pad_v2_op;
template <class... T> requires detail::is_elsewhere<pad_v2_op, T...> void mirror_pad(...) = delete;  // include <flowgraph/ops/array/mirror_pad.hpp>

struct one_hot_op;
template <class... T> requires detail::is_elsewhere<one_hot_op, T...> void one_hot(...) = delete;  // include <flowgraph/ops/array/one_hot.hpp>

struct parallel_concat_op;
template <class... T> requires detail::is_elsewhere<parallel_concat_op, T...> void dynamic_partition(...) = delete;  // include <flowgraph/ops/array/partition.hpp>
template <class... T> requires detail::is_elsewhere<parallel_concat_op, T...> void dynamic_stitch(...) = delete;  // include <flowgraph/ops/array/partition.hpp>
template <class... T> requires detail::is_elsewhere<parallel_concat_op, T...> void parallel_dynamic_stitch(...) = delete;  // include <flowgraph/ops/array/partition.hpp>

struct roll_op;
template <class... T> requires detail::is_elsewhere<roll_op, T...> void reverse(...) = delete;  // include <flowgraph/ops/array/reverse.hpp>
template <class... T> requires detail::is_elsewhere<roll_op, T...> void reverse_sequence(...) = delete;  // include <flowgraph/ops/array/reverse.hpp>
template <class... T> requires detail::is_elsewhere<roll_op, T...> void roll(...) = delete;  // include <flowgraph/ops/array/reverse.hpp>

struct scatter_nd_non_aliasing_add_op;
template <class... T> requires detail::is_elsewhere<scatter_nd_non_aliasing_add_op, T...> void tensor_scatter_nd_update(...) = delete;  // include <flowgraph/ops/array/scatter_nd.hpp>
template <class... T> requires detail::is_elsewhere<scatter_nd_non_aliasing_add_op, T...> void tensor_scatter_nd_add(...) = delete;  // include <flowgraph/ops/array/scatter_nd.hpp>
template <class... T> requires detail::is_elsewhere<scatter_nd_non_aliasing_add_op, T...> void tensor_scatter_nd_sub(...) = delete;  // include <flowgraph/ops/array/scatter_nd.hpp>
template <class... T> requires detail::is_elsewhere<scatter_nd_non_aliasing_add_op, T...> void tensor_scatter_nd_max(...) = delete;  // include <flowgraph/ops/array/scatter_nd.hpp>
template <class... T> requires detail::is_elsewhere<scatter_nd_non_aliasing_add_op, T...> void tensor_scatter_nd_min(...) = delete;  // include <flowgraph/ops/array/scatter_nd.hpp>

struct list_diff_op;
template <class... T> requires detail::is_elsewhere<list_diff_op, T...> void lower_bound(...) = delete;  // include <flowgraph/ops/array/search.hpp>
template <class... T> requires detail::is_elsewhere<list_diff_op, T...> void upper_bound(...) = delete;  // include <flowgraph/ops/array/search.hpp>
template <class... T> requires detail::is_elsewhere<list_diff_op, T...> void bucketize(...) = delete;  // include <flowgraph/ops/array/search.hpp>
template <class... T> requires detail::is_elsewhere<list_diff_op, T...> void unravel_index(...) = delete;  // include <flowgraph/ops/array/search.hpp>
template <class... T> requires detail::is_elsewhere<list_diff_op, T...> void setdiff1d(...) = delete;  // include <flowgraph/ops/array/search.hpp>

struct depth_to_space_op;
template <class... T> requires detail::is_elsewhere<depth_to_space_op, T...> void space_to_batch_nd(...) = delete;  // include <flowgraph/ops/array/space.hpp>
template <class... T> requires detail::is_elsewhere<depth_to_space_op, T...> void batch_to_space_nd(...) = delete;  // include <flowgraph/ops/array/space.hpp>
template <class... T> requires detail::is_elsewhere<depth_to_space_op, T...> void space_to_batch(...) = delete;  // include <flowgraph/ops/array/space.hpp>
template <class... T> requires detail::is_elsewhere<depth_to_space_op, T...> void batch_to_space(...) = delete;  // include <flowgraph/ops/array/space.hpp>
template <class... T> requires detail::is_elsewhere<depth_to_space_op, T...> void space_to_depth(...) = delete;  // include <flowgraph/ops/array/space.hpp>
template <class... T> requires detail::is_elsewhere<depth_to_space_op, T...> void depth_to_space(...) = delete;  // include <flowgraph/ops/array/space.hpp>

struct tensor_strided_slice_update_op;
template <class... T> requires detail::is_elsewhere<tensor_strided_slice_update_op, T...> void strided_slice(...) = delete;  // include <flowgraph/ops/array/strided_slice.hpp>

struct slice_masks;  // include <flowgraph/ops/array/strided_slice.hpp>

struct slice_spec;  // include <flowgraph/ops/array/strided_slice.hpp>

struct tile_grad_op;
template <class... T> requires detail::is_elsewhere<tile_grad_op, T...> void broadcast_dynamic_shape(...) = delete;  // include <flowgraph/ops/array/tiling.hpp>

struct unique_with_counts_v2_op;
template <class... T> requires detail::is_elsewhere<unique_with_counts_v2_op, T...> void unique_with_counts(...) = delete;  // include <flowgraph/ops/array/unique_along.hpp>

struct where_op;
template <class... T> requires detail::is_elsewhere<where_op, T...> void where(...) = delete;  // include <flowgraph/ops/array/where.hpp>

struct sharded_filespec_op;
template <class... T> requires detail::is_elsewhere<sharded_filespec_op, T...> void sharded_filename(...) = delete;  // include <flowgraph/ops/checkpoint/saved_slices.hpp>

struct merge_v2_checkpoints_op;
template <class... T> requires detail::is_elsewhere<merge_v2_checkpoints_op, T...> void save_v2(...) = delete;  // include <flowgraph/ops/checkpoint/tensor_bundle.hpp>
template <class... T> requires detail::is_elsewhere<merge_v2_checkpoints_op, T...> void restore_v2(...) = delete;  // include <flowgraph/ops/checkpoint/tensor_bundle.hpp>
template <class... T> requires detail::is_elsewhere<merge_v2_checkpoints_op, T...> void merge_v2_checkpoints(...) = delete;  // include <flowgraph/ops/checkpoint/tensor_bundle.hpp>


template <class... T> void foldl(...) = delete;  // include <flowgraph/ops/control_flow/fold.hpp>; with it: no overload takes these arguments
template <class... T> void foldr(...) = delete;  // include <flowgraph/ops/control_flow/fold.hpp>; with it: no overload takes these arguments


template <class... T> void map_fn(...) = delete;  // include <flowgraph/ops/control_flow/map.hpp>; with it: no overload takes these arguments
template <class... T> void scan(...) = delete;  // include <flowgraph/ops/control_flow/map.hpp>; with it: no overload takes these arguments

struct barrier_options;  // include <flowgraph/ops/data_flow/barrier.hpp>

template <class... T> class barrier;  // include <flowgraph/ops/data_flow/barrier.hpp>

struct conditional_accumulator_options;  // include <flowgraph/ops/data_flow/conditional_accumulator.hpp>

template <class T> class conditional_accumulator;  // include <flowgraph/ops/data_flow/conditional_accumulator.hpp>

template <class... T> class fifo_queue;  // include <flowgraph/ops/data_flow/fifo_queue.hpp>

template <class... T> class padding_fifo_queue;  // include <flowgraph/ops/data_flow/fifo_queue.hpp>

struct optional_get_value_op;
template <class... T> requires detail::is_elsewhere<optional_get_value_op, T...> void optional_of(...) = delete;  // include <flowgraph/ops/data_flow/optional.hpp>
template <class... T> requires detail::is_elsewhere<optional_get_value_op, T...> void no_optional(...) = delete;  // include <flowgraph/ops/data_flow/optional.hpp>
template <class... T> requires detail::is_elsewhere<optional_get_value_op, T...> void has_value(...) = delete;  // include <flowgraph/ops/data_flow/optional.hpp>
template <class... T> requires detail::is_elsewhere<optional_get_value_op, T...> void values_of(...) = delete;  // include <flowgraph/ops/data_flow/optional.hpp>

template <class... T> class priority_queue;  // include <flowgraph/ops/data_flow/priority_queue.hpp>

struct queue_options;  // include <flowgraph/ops/data_flow/queue.hpp>

template <class... T> class queue;  // include <flowgraph/ops/data_flow/queue.hpp>

struct random_shuffle_queue_options;  // include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>

template <class... T> class random_shuffle_queue;  // include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>

struct staging_options;  // include <flowgraph/ops/data_flow/stage.hpp>

template <class... T> class staging_area;  // include <flowgraph/ops/data_flow/stage.hpp>

struct tensor_array_options;  // include <flowgraph/ops/data_flow/tensor_array.hpp>

template <class T> struct tensor_array;  // include <flowgraph/ops/data_flow/tensor_array.hpp>

struct tensor_list_options;  // include <flowgraph/ops/data_flow/tensor_list.hpp>

template <class T> struct tensor_list;  // include <flowgraph/ops/data_flow/tensor_list.hpp>

struct timestamp_op;
template <class... T> requires detail::is_elsewhere<timestamp_op, T...> void assert_that(...) = delete;  // include <flowgraph/ops/debug/diagnostics.hpp>
template <class... T> requires detail::is_elsewhere<timestamp_op, T...> void check_numerics(...) = delete;  // include <flowgraph/ops/debug/diagnostics.hpp>
template <class... T> requires detail::is_elsewhere<timestamp_op, T...> void print(...) = delete;  // include <flowgraph/ops/debug/diagnostics.hpp>
template <class... T> requires detail::is_elsewhere<timestamp_op, T...> void print_text(...) = delete;  // include <flowgraph/ops/debug/diagnostics.hpp>
template <class... T> requires detail::is_elsewhere<timestamp_op, T...> void timestamp(...) = delete;  // include <flowgraph/ops/debug/diagnostics.hpp>

struct merge_summary_op;
template <class... T> requires detail::is_elsewhere<merge_summary_op, T...> void scalar_summary(...) = delete;  // include <flowgraph/ops/debug/summary.hpp>
template <class... T> requires detail::is_elsewhere<merge_summary_op, T...> void histogram_summary(...) = delete;  // include <flowgraph/ops/debug/summary.hpp>
template <class... T> requires detail::is_elsewhere<merge_summary_op, T...> void image_summary(...) = delete;  // include <flowgraph/ops/debug/summary.hpp>
template <class... T> requires detail::is_elsewhere<merge_summary_op, T...> void audio_summary(...) = delete;  // include <flowgraph/ops/debug/summary.hpp>
template <class... T> requires detail::is_elsewhere<merge_summary_op, T...> void tensor_summary(...) = delete;  // include <flowgraph/ops/debug/summary.hpp>
template <class... T> requires detail::is_elsewhere<merge_summary_op, T...> void text_summary(...) = delete;  // include <flowgraph/ops/debug/summary.hpp>
template <class... T> requires detail::is_elsewhere<merge_summary_op, T...> void merge_summaries(...) = delete;  // include <flowgraph/ops/debug/summary.hpp>

struct returned_op;
template <class... T> requires detail::is_elsewhere<returned_op, T...> void add_exchange_ops(...) = delete;  // include <flowgraph/ops/exchange.hpp>

struct adjust_saturation_op;
template <class... T> requires detail::is_elsewhere<adjust_saturation_op, T...> void adjust_contrast(...) = delete;  // include <flowgraph/ops/image/adjust_color.hpp>
template <class... T> requires detail::is_elsewhere<adjust_saturation_op, T...> void adjust_hue(...) = delete;  // include <flowgraph/ops/image/adjust_color.hpp>
template <class... T> requires detail::is_elsewhere<adjust_saturation_op, T...> void adjust_saturation(...) = delete;  // include <flowgraph/ops/image/adjust_color.hpp>

struct hsv_to_rgb_op;
template <class... T> requires detail::is_elsewhere<hsv_to_rgb_op, T...> void rgb_to_hsv(...) = delete;  // include <flowgraph/ops/image/color_space.hpp>
template <class... T> requires detail::is_elsewhere<hsv_to_rgb_op, T...> void hsv_to_rgb(...) = delete;  // include <flowgraph/ops/image/color_space.hpp>

struct combined_non_max_suppression_op;
template <class... T> requires detail::is_elsewhere<combined_non_max_suppression_op, T...> void combined_non_max_suppression(...) = delete;  // include <flowgraph/ops/image/combined_suppression.hpp>

struct combined_suppression_options;  // include <flowgraph/ops/image/combined_suppression.hpp>

struct combined_boxes;  // include <flowgraph/ops/image/combined_suppression.hpp>

struct crop_and_resize_op;
template <class... T> requires detail::is_elsewhere<crop_and_resize_op, T...> void crop_and_resize(...) = delete;  // include <flowgraph/ops/image/crop_and_resize.hpp>

struct crop_attributes;  // include <flowgraph/ops/image/crop_and_resize.hpp>

struct draw_bounding_boxes_op;
template <class... T> requires detail::is_elsewhere<draw_bounding_boxes_op, T...> void draw_bounding_boxes(...) = delete;  // include <flowgraph/ops/image/draw_boxes.hpp>

struct extract_glimpse_v2_op;
template <class... T> requires detail::is_elsewhere<extract_glimpse_v2_op, T...> void extract_glimpse(...) = delete;  // include <flowgraph/ops/image/glimpse.hpp>

struct glimpse_attributes;  // include <flowgraph/ops/image/glimpse.hpp>

struct decode_image_op;
template <class... T> requires detail::is_elsewhere<decode_image_op, T...> void limit_images(...) = delete;  // include <flowgraph/ops/image/image_file.hpp>
template <class... T> requires detail::is_elsewhere<decode_image_op, T...> void decode_gif(...) = delete;  // include <flowgraph/ops/image/image_file.hpp>
template <class... T> requires detail::is_elsewhere<decode_image_op, T...> void decode_bmp(...) = delete;  // include <flowgraph/ops/image/image_file.hpp>
template <class... T> requires detail::is_elsewhere<decode_image_op, T...> void decode_image(...) = delete;  // include <flowgraph/ops/image/image_file.hpp>

struct decode_image_attributes;  // include <flowgraph/ops/image/image_file.hpp>

struct encode_jpeg_variable_quality_op;
template <class... T> requires detail::is_elsewhere<encode_jpeg_variable_quality_op, T...> void decode_jpeg(...) = delete;  // include <flowgraph/ops/image/jpeg.hpp>
template <class... T> requires detail::is_elsewhere<encode_jpeg_variable_quality_op, T...> void decode_and_crop_jpeg(...) = delete;  // include <flowgraph/ops/image/jpeg.hpp>
template <class... T> requires detail::is_elsewhere<encode_jpeg_variable_quality_op, T...> void jpeg_shape(...) = delete;  // include <flowgraph/ops/image/jpeg.hpp>
template <class... T> requires detail::is_elsewhere<encode_jpeg_variable_quality_op, T...> void encode_jpeg(...) = delete;  // include <flowgraph/ops/image/jpeg.hpp>

struct decode_jpeg_attributes;  // include <flowgraph/ops/image/jpeg.hpp>

struct encode_jpeg_attributes;  // include <flowgraph/ops/image/jpeg.hpp>

struct non_max_suppression_with_overlaps_op;
template <class... T> requires detail::is_elsewhere<non_max_suppression_with_overlaps_op, T...> void non_max_suppression(...) = delete;  // include <flowgraph/ops/image/non_max_suppression.hpp>
template <class... T> requires detail::is_elsewhere<non_max_suppression_with_overlaps_op, T...> void non_max_suppression_padded(...) = delete;  // include <flowgraph/ops/image/non_max_suppression.hpp>
template <class... T> requires detail::is_elsewhere<non_max_suppression_with_overlaps_op, T...> void non_max_suppression_with_scores(...) = delete;  // include <flowgraph/ops/image/non_max_suppression.hpp>
template <class... T> requires detail::is_elsewhere<non_max_suppression_with_overlaps_op, T...> void non_max_suppression_with_overlaps(...) = delete;  // include <flowgraph/ops/image/non_max_suppression.hpp>

struct suppression_options;  // include <flowgraph/ops/image/non_max_suppression.hpp>

struct padded_boxes;  // include <flowgraph/ops/image/non_max_suppression.hpp>

template <class T> struct scored_boxes;  // include <flowgraph/ops/image/non_max_suppression.hpp>

struct extract_volume_patches_op;
template <class... T> requires detail::is_elsewhere<extract_volume_patches_op, T...> void extract_image_patches(...) = delete;  // include <flowgraph/ops/image/patches.hpp>
template <class... T> requires detail::is_elsewhere<extract_volume_patches_op, T...> void extract_volume_patches(...) = delete;  // include <flowgraph/ops/image/patches.hpp>

struct image_patch_options;  // include <flowgraph/ops/image/patches.hpp>

struct volume_patch_options;  // include <flowgraph/ops/image/patches.hpp>

struct image_projective_transform_v2_op;
template <class... T> requires detail::is_elsewhere<image_projective_transform_v2_op, T...> void projective_transform(...) = delete;  // include <flowgraph/ops/image/projective_transform.hpp>

struct transform_options;  // include <flowgraph/ops/image/projective_transform.hpp>

struct sample_distorted_bounding_box_op;
template <class... T> requires detail::is_elsewhere<sample_distorted_bounding_box_op, T...> void random_crop(...) = delete;  // include <flowgraph/ops/image/random_crop.hpp>
template <class... T> requires detail::is_elsewhere<sample_distorted_bounding_box_op, T...> void sample_distorted_bounding_box(...) = delete;  // include <flowgraph/ops/image/random_crop.hpp>

struct distortion_attributes;  // include <flowgraph/ops/image/random_crop.hpp>

template <class T> struct sampled_box;  // include <flowgraph/ops/image/random_crop.hpp>

struct resize_options;
template <class... T> requires detail::is_elsewhere<resize_options, T...> void resize(...) = delete;  // include <flowgraph/ops/image/resize.hpp>

struct resize_options;  // include <flowgraph/ops/image/resize.hpp>

struct resize_area_op;
template <class... T> requires detail::is_elsewhere<resize_area_op, T...> void resize_area(...) = delete;  // include <flowgraph/ops/image/resize_area.hpp>

struct resize_area_options;  // include <flowgraph/ops/image/resize_area.hpp>

struct resize_attributes;  // include <flowgraph/ops/image/resize_attributes.hpp>

struct resize_bicubic_op;
template <class... T> requires detail::is_elsewhere<resize_bicubic_op, T...> void resize_bicubic(...) = delete;  // include <flowgraph/ops/image/resize_bicubic.hpp>

struct resize_bilinear_op;
template <class... T> requires detail::is_elsewhere<resize_bilinear_op, T...> void resize_bilinear(...) = delete;  // include <flowgraph/ops/image/resize_bilinear.hpp>

struct resize_nearest_neighbor_op;
template <class... T> requires detail::is_elsewhere<resize_nearest_neighbor_op, T...> void resize_nearest_neighbor(...) = delete;  // include <flowgraph/ops/image/resize_nearest.hpp>

struct scale_and_translate_op;
template <class... T> requires detail::is_elsewhere<scale_and_translate_op, T...> void scale_and_translate(...) = delete;  // include <flowgraph/ops/image/scale_and_translate.hpp>

struct scale_attributes;  // include <flowgraph/ops/image/scale_and_translate.hpp>

struct queue_filling;
template <class... T> requires detail::is_elsewhere<queue_filling, T...> void batches(...) = delete;  // include <flowgraph/ops/input/batch.hpp>
template <class... T> requires detail::is_elsewhere<queue_filling, T...> void every_nth(...) = delete;  // include <flowgraph/ops/input/batch.hpp>
template <class... T> requires detail::is_elsewhere<queue_filling, T...> void file_names(...) = delete;  // include <flowgraph/ops/input/batch.hpp>

struct queue_filling;  // include <flowgraph/ops/input/batch.hpp>

struct batch_options;  // include <flowgraph/ops/input/batch.hpp>

template <class... T> struct batched;  // include <flowgraph/ops/input/batch.hpp>

struct file_names_options;  // include <flowgraph/ops/input/batch.hpp>

struct bucket_options;
template <class... T> requires detail::is_elsewhere<bucket_options, T...> void bucketed_batches(...) = delete;  // include <flowgraph/ops/input/buckets.hpp>

struct bucket_options;  // include <flowgraph/ops/input/buckets.hpp>

template <class... T> struct bucketed;  // include <flowgraph/ops/input/buckets.hpp>

struct click_source_options;  // include <flowgraph/ops/input/click_source.hpp>

class click_source;  // include <flowgraph/ops/input/click_source.hpp>

struct decode_libffm_op;
template <class... T> requires detail::is_elsewhere<decode_libffm_op, T...> void decode_libsvm(...) = delete;  // include <flowgraph/ops/input/clicks.hpp>
template <class... T> requires detail::is_elsewhere<decode_libffm_op, T...> void decode_libffm(...) = delete;  // include <flowgraph/ops/input/clicks.hpp>

struct decode_clicks_attributes;  // include <flowgraph/ops/input/clicks.hpp>

struct decoded_clicks;  // include <flowgraph/ops/input/clicks.hpp>

struct string_to_number_op;
template <class... T> requires detail::is_elsewhere<string_to_number_op, T...> void decode_raw(...) = delete;  // include <flowgraph/ops/input/decode.hpp>
template <class... T> requires detail::is_elsewhere<string_to_number_op, T...> void string_to_number(...) = delete;  // include <flowgraph/ops/input/decode.hpp>
template <class... T> requires detail::is_elsewhere<string_to_number_op, T...> void decode_compressed(...) = delete;  // include <flowgraph/ops/input/decode.hpp>
template <class... T> requires detail::is_elsewhere<string_to_number_op, T...> void decode_csv(...) = delete;  // include <flowgraph/ops/input/decode.hpp>

struct matching_files_op;
template <class... T> requires detail::is_elsewhere<matching_files_op, T...> void read_file(...) = delete;  // include <flowgraph/ops/input/files.hpp>
template <class... T> requires detail::is_elsewhere<matching_files_op, T...> void write_file(...) = delete;  // include <flowgraph/ops/input/files.hpp>
template <class... T> requires detail::is_elsewhere<matching_files_op, T...> void matching_files(...) = delete;  // include <flowgraph/ops/input/files.hpp>

struct parse_single_example_op;
template <class... T> requires detail::is_elsewhere<parse_single_example_op, T...> void parse_example(...) = delete;  // include <flowgraph/ops/input/parse_example.hpp>

template <class T> struct dense_feature;  // include <flowgraph/ops/input/parse_example.hpp>

struct encode_png_op;
template <class... T> requires detail::is_elsewhere<encode_png_op, T...> void decode_png(...) = delete;  // include <flowgraph/ops/input/png.hpp>
template <class... T> requires detail::is_elsewhere<encode_png_op, T...> void png_files(...) = delete;  // include <flowgraph/ops/input/png.hpp>

struct prefetch_options;
template <class... T> requires detail::is_elsewhere<prefetch_options, T...> void prefetched(...) = delete;  // include <flowgraph/ops/input/prefetch.hpp>

struct prefetch_options;  // include <flowgraph/ops/input/prefetch.hpp>

struct keyed_records;  // include <flowgraph/ops/input/reader.hpp>

class reader;  // include <flowgraph/ops/input/reader.hpp>

struct fixed_length_record_reader_op;
template <class... T> requires detail::is_elsewhere<fixed_length_record_reader_op, T...> void whole_file_reader(...) = delete;  // include <flowgraph/ops/input/record_reader.hpp>
template <class... T> requires detail::is_elsewhere<fixed_length_record_reader_op, T...> void identity_reader(...) = delete;  // include <flowgraph/ops/input/record_reader.hpp>
template <class... T> requires detail::is_elsewhere<fixed_length_record_reader_op, T...> void text_line_reader(...) = delete;  // include <flowgraph/ops/input/record_reader.hpp>
template <class... T> requires detail::is_elsewhere<fixed_length_record_reader_op, T...> void tf_record_reader(...) = delete;  // include <flowgraph/ops/input/record_reader.hpp>
template <class... T> requires detail::is_elsewhere<fixed_length_record_reader_op, T...> void fixed_length_record_reader(...) = delete;  // include <flowgraph/ops/input/record_reader.hpp>

struct reader_options;  // include <flowgraph/ops/input/record_reader.hpp>

struct text_line_options;  // include <flowgraph/ops/input/record_reader.hpp>

struct tf_record_options;  // include <flowgraph/ops/input/record_reader.hpp>

struct fixed_length_options;  // include <flowgraph/ops/input/record_reader.hpp>

struct serialize_tensor_op;
template <class... T> requires detail::is_elsewhere<serialize_tensor_op, T...> void parse_tensor(...) = delete;  // include <flowgraph/ops/input/serialized_tensor.hpp>
template <class... T> requires detail::is_elsewhere<serialize_tensor_op, T...> void serialize_tensor(...) = delete;  // include <flowgraph/ops/input/serialized_tensor.hpp>

struct shuffled_batch_options;
template <class... T> requires detail::is_elsewhere<shuffled_batch_options, T...> void shuffled_batches(...) = delete;  // include <flowgraph/ops/input/shuffled_batches.hpp>

struct shuffled_batch_options;  // include <flowgraph/ops/input/shuffled_batches.hpp>

struct slice_options;
template <class... T> requires detail::is_elsewhere<slice_options, T...> void slices(...) = delete;  // include <flowgraph/ops/input/slices.hpp>

struct slice_options;  // include <flowgraph/ops/input/slices.hpp>

template <class... T> struct sliced;  // include <flowgraph/ops/input/slices.hpp>

struct jacobian_options;
template <class... T> requires detail::is_elsewhere<jacobian_options, T...> void flatten(...) = delete;  // include <flowgraph/ops/jacobian.hpp>
template <class... T> requires detail::is_elsewhere<jacobian_options, T...> void unflatten(...) = delete;  // include <flowgraph/ops/jacobian.hpp>
template <class... T> requires detail::is_elsewhere<jacobian_options, T...> void jacobian(...) = delete;  // include <flowgraph/ops/jacobian.hpp>
template <class... T> requires detail::is_elsewhere<jacobian_options, T...> void jacobian_matrix(...) = delete;  // include <flowgraph/ops/jacobian.hpp>
template <class... T> requires detail::is_elsewhere<jacobian_options, T...> void batch_jacobian(...) = delete;  // include <flowgraph/ops/jacobian.hpp>
template <class... T> requires detail::is_elsewhere<jacobian_options, T...> void hessian_vector_product(...) = delete;  // include <flowgraph/ops/jacobian.hpp>

struct banded_triangular_solve_op;
template <class... T> requires detail::is_elsewhere<banded_triangular_solve_op, T...> void banded_triangular_solve(...) = delete;  // include <flowgraph/ops/linear_algebra/banded_solve.hpp>

struct batch_cholesky_grad_op;
template <class... T> requires detail::is_elsewhere<batch_cholesky_grad_op, T...> void cholesky(...) = delete;  // include <flowgraph/ops/linear_algebra/cholesky.hpp>
template <class... T> requires detail::is_elsewhere<batch_cholesky_grad_op, T...> void cholesky_solve(...) = delete;  // include <flowgraph/ops/linear_algebra/cholesky.hpp>

struct cross_op;
template <class... T> requires detail::is_elsewhere<cross_op, T...> void cross(...) = delete;  // include <flowgraph/ops/linear_algebra/cross.hpp>

struct batch_self_adjoint_eig_op;
template <class... T> requires detail::is_elsewhere<batch_self_adjoint_eig_op, T...> void eigh(...) = delete;  // include <flowgraph/ops/linear_algebra/eigenvalues.hpp>

template <class T> struct eigen_decomposition;  // include <flowgraph/ops/linear_algebra/eigenvalues.hpp>

struct einsum_op;
template <class... T> requires detail::is_elsewhere<einsum_op, T...> void einsum(...) = delete;  // include <flowgraph/ops/linear_algebra/einsum.hpp>

struct eig_op;
template <class... T> requires detail::is_elsewhere<eig_op, T...> void eig(...) = delete;  // include <flowgraph/ops/linear_algebra/general_eigenvalues.hpp>

template <class C> struct general_eigen_decomposition;  // include <flowgraph/ops/linear_algebra/general_eigenvalues.hpp>

struct lu_op;
template <class... T> requires detail::is_elsewhere<lu_op, T...> void inverse(...) = delete;  // include <flowgraph/ops/linear_algebra/inverse.hpp>
template <class... T> requires detail::is_elsewhere<lu_op, T...> void det(...) = delete;  // include <flowgraph/ops/linear_algebra/inverse.hpp>
template <class... T> requires detail::is_elsewhere<lu_op, T...> void log_det(...) = delete;  // include <flowgraph/ops/linear_algebra/inverse.hpp>
template <class... T> requires detail::is_elsewhere<lu_op, T...> void lu(...) = delete;  // include <flowgraph/ops/linear_algebra/inverse.hpp>

struct inverse_options;  // include <flowgraph/ops/linear_algebra/inverse.hpp>

template <class T> struct log_determinant;  // include <flowgraph/ops/linear_algebra/inverse.hpp>

template <class T> struct lu_decomposition;  // include <flowgraph/ops/linear_algebra/inverse.hpp>

struct batch_matrix_solve_ls_op;
template <class... T> requires detail::is_elsewhere<batch_matrix_solve_ls_op, T...> void lstsq(...) = delete;  // include <flowgraph/ops/linear_algebra/least_squares.hpp>

struct lstsq_options;  // include <flowgraph/ops/linear_algebra/least_squares.hpp>

struct batch_matrix_band_part_op;
template <class... T> requires detail::is_elsewhere<batch_matrix_band_part_op, T...> void matrix_diag(...) = delete;  // include <flowgraph/ops/linear_algebra/matrix_diagonal.hpp>
template <class... T> requires detail::is_elsewhere<batch_matrix_band_part_op, T...> void matrix_diag_part(...) = delete;  // include <flowgraph/ops/linear_algebra/matrix_diagonal.hpp>
template <class... T> requires detail::is_elsewhere<batch_matrix_band_part_op, T...> void matrix_set_diag(...) = delete;  // include <flowgraph/ops/linear_algebra/matrix_diagonal.hpp>
template <class... T> requires detail::is_elsewhere<batch_matrix_band_part_op, T...> void matrix_band_part(...) = delete;  // include <flowgraph/ops/linear_algebra/matrix_diagonal.hpp>

struct matrix_square_root_op;
template <class... T> requires detail::is_elsewhere<matrix_square_root_op, T...> void matrix_exponential(...) = delete;  // include <flowgraph/ops/linear_algebra/matrix_functions.hpp>
template <class... T> requires detail::is_elsewhere<matrix_square_root_op, T...> void matrix_logarithm(...) = delete;  // include <flowgraph/ops/linear_algebra/matrix_functions.hpp>
template <class... T> requires detail::is_elsewhere<matrix_square_root_op, T...> void matrix_square_root(...) = delete;  // include <flowgraph/ops/linear_algebra/matrix_functions.hpp>

struct qr_op;
template <class... T> requires detail::is_elsewhere<qr_op, T...> void qr(...) = delete;  // include <flowgraph/ops/linear_algebra/qr.hpp>

struct qr_options;  // include <flowgraph/ops/linear_algebra/qr.hpp>

template <class T> struct qr_decomposition;  // include <flowgraph/ops/linear_algebra/qr.hpp>

struct batch_matrix_triangular_solve_op;
template <class... T> requires detail::is_elsewhere<batch_matrix_triangular_solve_op, T...> void solve(...) = delete;  // include <flowgraph/ops/linear_algebra/solve.hpp>
template <class... T> requires detail::is_elsewhere<batch_matrix_triangular_solve_op, T...> void triangular_solve(...) = delete;  // include <flowgraph/ops/linear_algebra/solve.hpp>

struct solve_options;  // include <flowgraph/ops/linear_algebra/solve.hpp>

struct triangular_solve_options;  // include <flowgraph/ops/linear_algebra/solve.hpp>

struct batch_svd_op;
template <class... T> requires detail::is_elsewhere<batch_svd_op, T...> void svd(...) = delete;  // include <flowgraph/ops/linear_algebra/svd.hpp>

struct svd_options;  // include <flowgraph/ops/linear_algebra/svd.hpp>

template <class T> struct singular_value_decomposition;  // include <flowgraph/ops/linear_algebra/svd.hpp>

struct tridiagonal_solve_op;
template <class... T> requires detail::is_elsewhere<tridiagonal_solve_op, T...> void tridiagonal_matmul(...) = delete;  // include <flowgraph/ops/linear_algebra/tridiagonal.hpp>
template <class... T> requires detail::is_elsewhere<tridiagonal_solve_op, T...> void tridiagonal_solve(...) = delete;  // include <flowgraph/ops/linear_algebra/tridiagonal.hpp>

struct tridiagonal_solve_options;  // include <flowgraph/ops/linear_algebra/tridiagonal.hpp>

struct table_options;  // include <flowgraph/ops/lookup/hash_table.hpp>

struct keyed_rows_options;  // include <flowgraph/ops/lookup/keyed_rows.hpp>

struct row_rule;  // include <flowgraph/ops/lookup/keyed_rows.hpp>

struct row_list;  // include <flowgraph/ops/lookup/keyed_rows.hpp>

struct row_part;  // include <flowgraph/ops/lookup/keyed_rows.hpp>

class keyed_rows;  // include <flowgraph/ops/lookup/keyed_rows.hpp>

struct sparse_table_options;  // include <flowgraph/ops/lookup/sparse_table.hpp>

struct table_interactions;  // include <flowgraph/ops/lookup/sparse_table.hpp>

template <class T> class sparse_table;  // include <flowgraph/ops/lookup/sparse_table.hpp>

struct table_update_request;  // include <flowgraph/ops/lookup/table_anchor.hpp>

struct bessel_y1_op;
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_i0(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_i0e(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_i1(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_i1e(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_j0(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_j1(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_k0(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_k0e(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_k1(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_k1e(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_y0(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>
template <class... T> requires detail::is_elsewhere<bessel_y1_op, T...> void bessel_y1(...) = delete;  // include <flowgraph/ops/math/bessel.hpp>

struct population_count_op;
template <class... T> requires detail::is_elsewhere<population_count_op, T...> void bitwise_and(...) = delete;  // include <flowgraph/ops/math/bitwise.hpp>
template <class... T> requires detail::is_elsewhere<population_count_op, T...> void bitwise_or(...) = delete;  // include <flowgraph/ops/math/bitwise.hpp>
template <class... T> requires detail::is_elsewhere<population_count_op, T...> void bitwise_xor(...) = delete;  // include <flowgraph/ops/math/bitwise.hpp>
template <class... T> requires detail::is_elsewhere<population_count_op, T...> void left_shift(...) = delete;  // include <flowgraph/ops/math/bitwise.hpp>
template <class... T> requires detail::is_elsewhere<population_count_op, T...> void right_shift(...) = delete;  // include <flowgraph/ops/math/bitwise.hpp>
template <class... T> requires detail::is_elsewhere<population_count_op, T...> void invert(...) = delete;  // include <flowgraph/ops/math/bitwise.hpp>
template <class... T> requires detail::is_elsewhere<population_count_op, T...> void population_count(...) = delete;  // include <flowgraph/ops/math/bitwise.hpp>


template <class... T> void clip_by_value(...) = delete;  // include <flowgraph/ops/math/clip.hpp>; with it: no overload takes these arguments
template <class... T> void clip_by_norm(...) = delete;  // include <flowgraph/ops/math/clip.hpp>; with it: no overload takes these arguments
template <class... T> void clip_by_average_norm(...) = delete;  // include <flowgraph/ops/math/clip.hpp>; with it: no overload takes these arguments

struct complex_abs_op;
template <class... T> requires detail::is_elsewhere<complex_abs_op, T...> void real(...) = delete;  // include <flowgraph/ops/math/complex.hpp>
template <class... T> requires detail::is_elsewhere<complex_abs_op, T...> void imag(...) = delete;  // include <flowgraph/ops/math/complex.hpp>
template <class... T> requires detail::is_elsewhere<complex_abs_op, T...> void angle(...) = delete;  // include <flowgraph/ops/math/complex.hpp>

struct mod_op;
template <class... T> requires detail::is_elsewhere<mod_op, T...> void floor_div(...) = delete;  // include <flowgraph/ops/math/division.hpp>
template <class... T> requires detail::is_elsewhere<mod_op, T...> void floor_mod(...) = delete;  // include <flowgraph/ops/math/division.hpp>
template <class... T> requires detail::is_elsewhere<mod_op, T...> void truncate_div(...) = delete;  // include <flowgraph/ops/math/division.hpp>
template <class... T> requires detail::is_elsewhere<mod_op, T...> void truncate_mod(...) = delete;  // include <flowgraph/ops/math/division.hpp>

struct histogram_fixed_width_op;
template <class... T> requires detail::is_elsewhere<histogram_fixed_width_op, T...> void bincount(...) = delete;  // include <flowgraph/ops/math/histogram.hpp>
template <class... T> requires detail::is_elsewhere<histogram_fixed_width_op, T...> void histogram_fixed_width(...) = delete;  // include <flowgraph/ops/math/histogram.hpp>

struct spence_op;
template <class... T> requires detail::is_elsewhere<spence_op, T...> void dawsn(...) = delete;  // include <flowgraph/ops/math/integral.hpp>
template <class... T> requires detail::is_elsewhere<spence_op, T...> void expint(...) = delete;  // include <flowgraph/ops/math/integral.hpp>
template <class... T> requires detail::is_elsewhere<spence_op, T...> void fresnel_cos(...) = delete;  // include <flowgraph/ops/math/integral.hpp>
template <class... T> requires detail::is_elsewhere<spence_op, T...> void fresnel_sin(...) = delete;  // include <flowgraph/ops/math/integral.hpp>
template <class... T> requires detail::is_elsewhere<spence_op, T...> void spence(...) = delete;  // include <flowgraph/ops/math/integral.hpp>

struct xlog1py_op;
template <class... T> requires detail::is_elsewhere<xlog1py_op, T...> void pow(...) = delete;  // include <flowgraph/ops/math/power.hpp>
template <class... T> requires detail::is_elsewhere<xlog1py_op, T...> void mul_no_nan(...) = delete;  // include <flowgraph/ops/math/power.hpp>
template <class... T> requires detail::is_elsewhere<xlog1py_op, T...> void div_no_nan(...) = delete;  // include <flowgraph/ops/math/power.hpp>
template <class... T> requires detail::is_elsewhere<xlog1py_op, T...> void xdivy(...) = delete;  // include <flowgraph/ops/math/power.hpp>
template <class... T> requires detail::is_elsewhere<xlog1py_op, T...> void xlogy(...) = delete;  // include <flowgraph/ops/math/power.hpp>
template <class... T> requires detail::is_elsewhere<xlog1py_op, T...> void xlog1py(...) = delete;  // include <flowgraph/ops/math/power.hpp>

struct approximate_equal_op;
template <class... T> requires detail::is_elsewhere<approximate_equal_op, T...> void ceil(...) = delete;  // include <flowgraph/ops/math/rounding.hpp>
template <class... T> requires detail::is_elsewhere<approximate_equal_op, T...> void rint(...) = delete;  // include <flowgraph/ops/math/rounding.hpp>
template <class... T> requires detail::is_elsewhere<approximate_equal_op, T...> void round(...) = delete;  // include <flowgraph/ops/math/rounding.hpp>
template <class... T> requires detail::is_elsewhere<approximate_equal_op, T...> void is_finite(...) = delete;  // include <flowgraph/ops/math/rounding.hpp>
template <class... T> requires detail::is_elsewhere<approximate_equal_op, T...> void is_inf(...) = delete;  // include <flowgraph/ops/math/rounding.hpp>
template <class... T> requires detail::is_elsewhere<approximate_equal_op, T...> void is_nan(...) = delete;  // include <flowgraph/ops/math/rounding.hpp>
template <class... T> requires detail::is_elsewhere<approximate_equal_op, T...> void next_after(...) = delete;  // include <flowgraph/ops/math/rounding.hpp>
template <class... T> requires detail::is_elsewhere<approximate_equal_op, T...> void approximate_equal(...) = delete;  // include <flowgraph/ops/math/rounding.hpp>

struct betainc_op;
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void erf(...) = delete;  // include <flowgraph/ops/math/special.hpp>
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void erfc(...) = delete;  // include <flowgraph/ops/math/special.hpp>
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void erfinv(...) = delete;  // include <flowgraph/ops/math/special.hpp>
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void ndtri(...) = delete;  // include <flowgraph/ops/math/special.hpp>
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void lgamma(...) = delete;  // include <flowgraph/ops/math/special.hpp>
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void digamma(...) = delete;  // include <flowgraph/ops/math/special.hpp>
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void polygamma(...) = delete;  // include <flowgraph/ops/math/special.hpp>
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void zeta(...) = delete;  // include <flowgraph/ops/math/special.hpp>
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void igamma(...) = delete;  // include <flowgraph/ops/math/special.hpp>
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void igammac(...) = delete;  // include <flowgraph/ops/math/special.hpp>
template <class... T> requires detail::is_elsewhere<betainc_op, T...> void betainc(...) = delete;  // include <flowgraph/ops/math/special.hpp>

struct atan2_op;
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void sin(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void cos(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void tan(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void asin(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void acos(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void atan(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void sinh(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void cosh(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void asinh(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void acosh(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void atanh(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>
template <class... T> requires detail::is_elsewhere<atan2_op, T...> void atan2(...) = delete;  // include <flowgraph/ops/math/trigonometry.hpp>

struct fused_batch_norm_v3_op;
template <class... T> requires detail::is_elsewhere<fused_batch_norm_v3_op, T...> void fused_batch_norm(...) = delete;  // include <flowgraph/ops/nn/batch_norm.hpp>

template <class T> struct batch_normalized;  // include <flowgraph/ops/nn/batch_norm.hpp>

struct conv3d_backprop_filter_v1_op;
template <class... T> requires detail::is_elsewhere<conv3d_backprop_filter_v1_op, T...> void conv3d(...) = delete;  // include <flowgraph/ops/nn/convolution_3d.hpp>

struct conv3d_options;  // include <flowgraph/ops/nn/convolution_3d.hpp>

struct depthwise_conv2d_backprop_filter_op;
template <class... T> requires detail::is_elsewhere<depthwise_conv2d_backprop_filter_op, T...> void depthwise_conv2d(...) = delete;  // include <flowgraph/ops/nn/depthwise.hpp>

struct dilation2d_backprop_filter_op;
template <class... T> requires detail::is_elsewhere<dilation2d_backprop_filter_op, T...> void dilation2d(...) = delete;  // include <flowgraph/ops/nn/dilation.hpp>

struct dilation2d_options;  // include <flowgraph/ops/nn/dilation.hpp>

struct fractional_avg_pool_op;
template <class... T> requires detail::is_elsewhere<fractional_avg_pool_op, T...> void fractional_max_pool(...) = delete;  // include <flowgraph/ops/nn/fractional_pool.hpp>
template <class... T> requires detail::is_elsewhere<fractional_avg_pool_op, T...> void fractional_avg_pool(...) = delete;  // include <flowgraph/ops/nn/fractional_pool.hpp>

struct fractional_pool_attributes;  // include <flowgraph/ops/nn/fractional_pool.hpp>

template <class T> struct fractional_pooled;  // include <flowgraph/ops/nn/fractional_pool.hpp>

struct lrn_op;
template <class... T> requires detail::is_elsewhere<lrn_op, T...> void local_response_normalization(...) = delete;  // include <flowgraph/ops/nn/local_response.hpp>

struct local_response_options;  // include <flowgraph/ops/nn/local_response.hpp>

struct l2_loss_op;
template <class... T> requires detail::is_elsewhere<l2_loss_op, T...> void l2_loss(...) = delete;  // include <flowgraph/ops/nn/loss.hpp>

struct avg_pool_3d_grad_op;
template <class... T> requires detail::is_elsewhere<avg_pool_3d_grad_op, T...> void max_pool3d(...) = delete;  // include <flowgraph/ops/nn/pool_3d.hpp>
template <class... T> requires detail::is_elsewhere<avg_pool_3d_grad_op, T...> void avg_pool3d(...) = delete;  // include <flowgraph/ops/nn/pool_3d.hpp>

struct pool_3d_options;  // include <flowgraph/ops/nn/pool_3d.hpp>

struct max_pool_grad_with_argmax_op;
template <class... T> requires detail::is_elsewhere<max_pool_grad_with_argmax_op, T...> void max_pool_with_argmax(...) = delete;  // include <flowgraph/ops/nn/pool_argmax.hpp>

struct argmax_pool_attributes;  // include <flowgraph/ops/nn/pool_argmax.hpp>

struct max_pool_grad_grad_v2_op;
template <class... T> requires detail::is_elsewhere<max_pool_grad_grad_v2_op, T...> void max_pool_v2(...) = delete;  // include <flowgraph/ops/nn/pool_v2.hpp>

struct max_pool_v2_attributes;  // include <flowgraph/ops/nn/pool_v2.hpp>

struct softsign_op;
template <class... T> requires detail::is_elsewhere<softsign_op, T...> void leaky_relu(...) = delete;  // include <flowgraph/ops/nn/rectifier.hpp>
template <class... T> requires detail::is_elsewhere<softsign_op, T...> void relu6(...) = delete;  // include <flowgraph/ops/nn/rectifier.hpp>
template <class... T> requires detail::is_elsewhere<softsign_op, T...> void selu(...) = delete;  // include <flowgraph/ops/nn/rectifier.hpp>
template <class... T> requires detail::is_elsewhere<softsign_op, T...> void softsign(...) = delete;  // include <flowgraph/ops/nn/rectifier.hpp>

struct nth_element_op;
template <class... T> requires detail::is_elsewhere<nth_element_op, T...> void top_k(...) = delete;  // include <flowgraph/ops/nn/top_k.hpp>
template <class... T> requires detail::is_elsewhere<nth_element_op, T...> void in_top_k(...) = delete;  // include <flowgraph/ops/nn/top_k.hpp>

struct fake_quant_with_min_max_vars_per_channel_op;
template <class... T> requires detail::is_elsewhere<fake_quant_with_min_max_vars_per_channel_op, T...> void fake_quantize(...) = delete;  // include <flowgraph/ops/quantize/fake_quantize.hpp>
template <class... T> requires detail::is_elsewhere<fake_quant_with_min_max_vars_per_channel_op, T...> void fake_quantize_per_channel(...) = delete;  // include <flowgraph/ops/quantize/fake_quantize.hpp>

struct fake_quantize_attributes;  // include <flowgraph/ops/quantize/fake_quantize.hpp>

struct quantize_and_dequantize_v4_op;
template <class... T> requires detail::is_elsewhere<quantize_and_dequantize_v4_op, T...> void quantize_and_dequantize(...) = delete;  // include <flowgraph/ops/quantize/quantize_and_dequantize.hpp>

struct quantize_options;  // include <flowgraph/ops/quantize/quantize_and_dequantize.hpp>

struct parameterized_truncated_normal_op;
template <class... T> requires detail::is_elsewhere<parameterized_truncated_normal_op, T...> void multinomial(...) = delete;  // include <flowgraph/ops/random/distribution.hpp>

struct random_shuffle_op;
template <class... T> requires detail::is_elsewhere<random_shuffle_op, T...> void random_shuffle(...) = delete;  // include <flowgraph/ops/random/shuffle.hpp>

struct stateless_random_get_key_counter_alg_op;
template <class... T> requires detail::is_elsewhere<stateless_random_get_key_counter_alg_op, T...> void stateless_random_uniform(...) = delete;  // include <flowgraph/ops/random/stateless.hpp>
template <class... T> requires detail::is_elsewhere<stateless_random_get_key_counter_alg_op, T...> void stateless_random_normal(...) = delete;  // include <flowgraph/ops/random/stateless.hpp>
template <class... T> requires detail::is_elsewhere<stateless_random_get_key_counter_alg_op, T...> void stateless_truncated_normal(...) = delete;  // include <flowgraph/ops/random/stateless.hpp>

struct euclidean_norm_op;
template <class... T> requires detail::is_elsewhere<euclidean_norm_op, T...> void euclidean_norm(...) = delete;  // include <flowgraph/ops/reduction/norm.hpp>

struct cumulative_logsumexp_op;
template <class... T> requires detail::is_elsewhere<cumulative_logsumexp_op, T...> void cumsum(...) = delete;  // include <flowgraph/ops/reduction/scan.hpp>
template <class... T> requires detail::is_elsewhere<cumulative_logsumexp_op, T...> void cumprod(...) = delete;  // include <flowgraph/ops/reduction/scan.hpp>
template <class... T> requires detail::is_elsewhere<cumulative_logsumexp_op, T...> void cumulative_logsumexp(...) = delete;  // include <flowgraph/ops/reduction/scan.hpp>

struct unsorted_segment_min_op;
template <class... T> requires detail::is_elsewhere<unsorted_segment_min_op, T...> void segment_sum(...) = delete;  // include <flowgraph/ops/reduction/segment.hpp>
template <class... T> requires detail::is_elsewhere<unsorted_segment_min_op, T...> void segment_mean(...) = delete;  // include <flowgraph/ops/reduction/segment.hpp>
template <class... T> requires detail::is_elsewhere<unsorted_segment_min_op, T...> void segment_prod(...) = delete;  // include <flowgraph/ops/reduction/segment.hpp>
template <class... T> requires detail::is_elsewhere<unsorted_segment_min_op, T...> void segment_max(...) = delete;  // include <flowgraph/ops/reduction/segment.hpp>
template <class... T> requires detail::is_elsewhere<unsorted_segment_min_op, T...> void segment_min(...) = delete;  // include <flowgraph/ops/reduction/segment.hpp>
template <class... T> requires detail::is_elsewhere<unsorted_segment_min_op, T...> void unsorted_segment_prod(...) = delete;  // include <flowgraph/ops/reduction/segment.hpp>
template <class... T> requires detail::is_elsewhere<unsorted_segment_min_op, T...> void unsorted_segment_max(...) = delete;  // include <flowgraph/ops/reduction/segment.hpp>
template <class... T> requires detail::is_elsewhere<unsorted_segment_min_op, T...> void unsorted_segment_min(...) = delete;  // include <flowgraph/ops/reduction/segment.hpp>

struct sparse_segment_sqrt_n_with_num_segments_op;
template <class... T> requires detail::is_elsewhere<sparse_segment_sqrt_n_with_num_segments_op, T...> void sparse_segment_sum(...) = delete;  // include <flowgraph/ops/reduction/sparse_segment.hpp>
template <class... T> requires detail::is_elsewhere<sparse_segment_sqrt_n_with_num_segments_op, T...> void sparse_segment_mean(...) = delete;  // include <flowgraph/ops/reduction/sparse_segment.hpp>
template <class... T> requires detail::is_elsewhere<sparse_segment_sqrt_n_with_num_segments_op, T...> void sparse_segment_sqrt_n(...) = delete;  // include <flowgraph/ops/reduction/sparse_segment.hpp>

template <class T> struct attended;  // include <flowgraph/ops/rnn/attention.hpp>

template <class T> struct attention_options;  // include <flowgraph/ops/rnn/attention.hpp>

template <class T> struct luong_attention;  // include <flowgraph/ops/rnn/attention.hpp>

template <class T> struct bahdanau_attention;  // include <flowgraph/ops/rnn/attention.hpp>

template <class T> struct basic_rnn_cell;  // include <flowgraph/ops/rnn/basic_rnn_cell.hpp>


template <class... T> void gather_tree(...) = delete;  // include <flowgraph/ops/rnn/beam_search.hpp>; with it: no overload takes these arguments
template <class... T> void beam_search(...) = delete;  // include <flowgraph/ops/rnn/beam_search.hpp>; with it: no overload takes these arguments

template <class State> struct beam_search_options;  // include <flowgraph/ops/rnn/beam_search.hpp>

template <class T> struct found_sequences;  // include <flowgraph/ops/rnn/beam_search.hpp>


template <class... T> void bidirectional_rnn(...) = delete;  // include <flowgraph/ops/rnn/bidirectional.hpp>; with it: no overload takes these arguments

struct gru_block_cell_op;
template <class... T> requires detail::is_elsewhere<gru_block_cell_op, T...> void gru_block_cell(...) = delete;  // include <flowgraph/ops/rnn/block_gru.hpp>

template <class T> struct block_gru_weights;  // include <flowgraph/ops/rnn/block_gru.hpp>

struct block_lstm_v2_op;
template <class... T> requires detail::is_elsewhere<block_lstm_v2_op, T...> void lstm_block_cell(...) = delete;  // include <flowgraph/ops/rnn/block_lstm.hpp>
template <class... T> requires detail::is_elsewhere<block_lstm_v2_op, T...> void block_lstm(...) = delete;  // include <flowgraph/ops/rnn/block_lstm.hpp>

template <class T> struct block_lstm_weights;  // include <flowgraph/ops/rnn/block_lstm.hpp>

struct block_lstm_options;  // include <flowgraph/ops/rnn/block_lstm.hpp>

template <class T> struct block_lstm_states;  // include <flowgraph/ops/rnn/block_lstm.hpp>


template <class... T> void tiled_cell(...) = delete;  // include <flowgraph/ops/rnn/cell.hpp>; with it: no overload takes these arguments

template <class T> struct cell_options;  // include <flowgraph/ops/rnn/cell.hpp>


template <class... T> void teacher_forced(...) = delete;  // include <flowgraph/ops/rnn/decoder.hpp>; with it: no overload takes these arguments
template <class... T> void sequence_loss(...) = delete;  // include <flowgraph/ops/rnn/decoder.hpp>; with it: no overload takes these arguments
template <class... T> void greedy_search(...) = delete;  // include <flowgraph/ops/rnn/decoder.hpp>; with it: no overload takes these arguments

template <class State> struct decoding_options;  // include <flowgraph/ops/rnn/decoder.hpp>

template <class State> struct decoded;  // include <flowgraph/ops/rnn/decoder.hpp>

struct keep_probabilities;  // include <flowgraph/ops/rnn/dropout_cell.hpp>

struct sequence_lengths;
template <class... T> requires detail::is_elsewhere<sequence_lengths, T...> void dynamic_rnn(...) = delete;  // include <flowgraph/ops/rnn/dynamic_rnn.hpp>

struct sequence_lengths;  // include <flowgraph/ops/rnn/dynamic_rnn.hpp>

template <class State> struct rnn_options;  // include <flowgraph/ops/rnn/dynamic_rnn.hpp>

template <class T> struct gru_cell;  // include <flowgraph/ops/rnn/gru_cell.hpp>

template <class T> struct lstm_state;  // include <flowgraph/ops/rnn/lstm_cell.hpp>

template <class T> struct lstm_options;  // include <flowgraph/ops/rnn/lstm_cell.hpp>

template <class T> struct lstm_cell;  // include <flowgraph/ops/rnn/lstm_cell.hpp>


template <class... T> void tile_batch(...) = delete;  // include <flowgraph/ops/rnn/state.hpp>; with it: no overload takes these arguments

struct compute_accidental_hits_op;
template <class... T> requires detail::is_elsewhere<compute_accidental_hits_op, T...> void compute_accidental_hits(...) = delete;  // include <flowgraph/ops/sampling/accidental_hits.hpp>

struct accidental_hits;  // include <flowgraph/ops/sampling/accidental_hits.hpp>

struct all_candidate_sampler_op;
template <class... T> requires detail::is_elsewhere<all_candidate_sampler_op, T...> void uniform_candidate_sampler(...) = delete;  // include <flowgraph/ops/sampling/candidate_sampler.hpp>
template <class... T> requires detail::is_elsewhere<all_candidate_sampler_op, T...> void log_uniform_candidate_sampler(...) = delete;  // include <flowgraph/ops/sampling/candidate_sampler.hpp>
template <class... T> requires detail::is_elsewhere<all_candidate_sampler_op, T...> void learned_unigram_candidate_sampler(...) = delete;  // include <flowgraph/ops/sampling/candidate_sampler.hpp>
template <class... T> requires detail::is_elsewhere<all_candidate_sampler_op, T...> void fixed_unigram_candidate_sampler(...) = delete;  // include <flowgraph/ops/sampling/candidate_sampler.hpp>
template <class... T> requires detail::is_elsewhere<all_candidate_sampler_op, T...> void all_candidate_sampler(...) = delete;  // include <flowgraph/ops/sampling/candidate_sampler.hpp>

struct candidates;  // include <flowgraph/ops/sampling/candidate_sampler.hpp>

struct sampler_options;  // include <flowgraph/ops/sampling/candidate_sampler.hpp>

struct unigram_options;  // include <flowgraph/ops/sampling/candidate_sampler.hpp>

struct sampled_loss_options;
template <class... T> requires detail::is_elsewhere<sampled_loss_options, T...> void sampled_softmax_loss(...) = delete;  // include <flowgraph/ops/sampling/sampled_loss.hpp>
template <class... T> requires detail::is_elsewhere<sampled_loss_options, T...> void nce_loss(...) = delete;  // include <flowgraph/ops/sampling/sampled_loss.hpp>

struct sampled_loss_options;  // include <flowgraph/ops/sampling/sampled_loss.hpp>

struct ctc_beam_search_decoder_op;
template <class... T> requires detail::is_elsewhere<ctc_beam_search_decoder_op, T...> void ctc_beam_search_decode(...) = delete;  // include <flowgraph/ops/sequence/ctc_beam_search_decoder.hpp>

struct ctc_beam_search_options;  // include <flowgraph/ops/sequence/ctc_beam_search_decoder.hpp>

template <class T> struct ctc_read_paths;  // include <flowgraph/ops/sequence/ctc_beam_search_decoder.hpp>

struct ctc_greedy_decoder_op;
template <class... T> requires detail::is_elsewhere<ctc_greedy_decoder_op, T...> void ctc_greedy_decode(...) = delete;  // include <flowgraph/ops/sequence/ctc_greedy_decoder.hpp>

struct ctc_greedy_options;  // include <flowgraph/ops/sequence/ctc_greedy_decoder.hpp>

template <class T> struct ctc_read_labels;  // include <flowgraph/ops/sequence/ctc_greedy_decoder.hpp>

struct ctc_loss_op;
template <class... T> requires detail::is_elsewhere<ctc_loss_op, T...> void ctc_loss(...) = delete;  // include <flowgraph/ops/sequence/ctc_loss.hpp>

struct ctc_loss_options;  // include <flowgraph/ops/sequence/ctc_loss.hpp>

struct ifft3d_op;
template <class... T> requires detail::is_elsewhere<ifft3d_op, T...> void fft(...) = delete;  // include <flowgraph/ops/signal/fourier.hpp>
template <class... T> requires detail::is_elsewhere<ifft3d_op, T...> void ifft(...) = delete;  // include <flowgraph/ops/signal/fourier.hpp>
template <class... T> requires detail::is_elsewhere<ifft3d_op, T...> void fft2d(...) = delete;  // include <flowgraph/ops/signal/fourier.hpp>
template <class... T> requires detail::is_elsewhere<ifft3d_op, T...> void ifft2d(...) = delete;  // include <flowgraph/ops/signal/fourier.hpp>
template <class... T> requires detail::is_elsewhere<ifft3d_op, T...> void fft3d(...) = delete;  // include <flowgraph/ops/signal/fourier.hpp>
template <class... T> requires detail::is_elsewhere<ifft3d_op, T...> void ifft3d(...) = delete;  // include <flowgraph/ops/signal/fourier.hpp>

struct mfcc_op;
template <class... T> requires detail::is_elsewhere<mfcc_op, T...> void mfcc(...) = delete;  // include <flowgraph/ops/signal/mfcc.hpp>

struct mfcc_options;  // include <flowgraph/ops/signal/mfcc.hpp>

struct irfft3d_op;
template <class... T> requires detail::is_elsewhere<irfft3d_op, T...> void rfft(...) = delete;  // include <flowgraph/ops/signal/real_fourier.hpp>
template <class... T> requires detail::is_elsewhere<irfft3d_op, T...> void irfft(...) = delete;  // include <flowgraph/ops/signal/real_fourier.hpp>
template <class... T> requires detail::is_elsewhere<irfft3d_op, T...> void rfft2d(...) = delete;  // include <flowgraph/ops/signal/real_fourier.hpp>
template <class... T> requires detail::is_elsewhere<irfft3d_op, T...> void irfft2d(...) = delete;  // include <flowgraph/ops/signal/real_fourier.hpp>
template <class... T> requires detail::is_elsewhere<irfft3d_op, T...> void rfft3d(...) = delete;  // include <flowgraph/ops/signal/real_fourier.hpp>
template <class... T> requires detail::is_elsewhere<irfft3d_op, T...> void irfft3d(...) = delete;  // include <flowgraph/ops/signal/real_fourier.hpp>

struct audio_spectrogram_op;
template <class... T> requires detail::is_elsewhere<audio_spectrogram_op, T...> void audio_spectrogram(...) = delete;  // include <flowgraph/ops/signal/spectrogram.hpp>

struct encode_wav_op;
template <class... T> requires detail::is_elsewhere<encode_wav_op, T...> void decode_wav(...) = delete;  // include <flowgraph/ops/signal/wav.hpp>
template <class... T> requires detail::is_elsewhere<encode_wav_op, T...> void encode_as_wav(...) = delete;  // include <flowgraph/ops/signal/wav.hpp>

struct decoded_wav;  // include <flowgraph/ops/signal/wav.hpp>

struct decode_wav_options;  // include <flowgraph/ops/signal/wav.hpp>

struct sparse_tensor_dense_add_op;
template <class... T> requires detail::is_elsewhere<sparse_tensor_dense_add_op, T...> void sparse_add(...) = delete;  // include <flowgraph/ops/sparse/add.hpp>
template <class... T> requires detail::is_elsewhere<sparse_tensor_dense_add_op, T...> void sparse_tensor_dense_add(...) = delete;  // include <flowgraph/ops/sparse/add.hpp>

struct sparse_bincount_op;
template <class... T> requires detail::is_elsewhere<sparse_bincount_op, T...> void ragged_bincount(...) = delete;  // include <flowgraph/ops/sparse/bincount.hpp>
template <class... T> requires detail::is_elsewhere<sparse_bincount_op, T...> void sparse_bincount(...) = delete;  // include <flowgraph/ops/sparse/bincount.hpp>

struct sparse_split_op;
template <class... T> requires detail::is_elsewhere<sparse_split_op, T...> void sparse_concat(...) = delete;  // include <flowgraph/ops/sparse/concat.hpp>
template <class... T> requires detail::is_elsewhere<sparse_split_op, T...> void sparse_split(...) = delete;  // include <flowgraph/ops/sparse/concat.hpp>

struct ragged_count_sparse_output_op;
template <class... T> requires detail::is_elsewhere<ragged_count_sparse_output_op, T...> void sparse_counts(...) = delete;  // include <flowgraph/ops/sparse/counts.hpp>

struct count_options;  // include <flowgraph/ops/sparse/counts.hpp>

struct sparse_dense_cwise_div_op;
template <class... T> requires detail::is_elsewhere<sparse_dense_cwise_div_op, T...> void sparse_dense_cwise_add(...) = delete;  // include <flowgraph/ops/sparse/elementwise.hpp>
template <class... T> requires detail::is_elsewhere<sparse_dense_cwise_div_op, T...> void sparse_dense_cwise_mul(...) = delete;  // include <flowgraph/ops/sparse/elementwise.hpp>
template <class... T> requires detail::is_elsewhere<sparse_dense_cwise_div_op, T...> void sparse_dense_cwise_div(...) = delete;  // include <flowgraph/ops/sparse/elementwise.hpp>

struct sparse_sparse_minimum_op;
template <class... T> requires detail::is_elsewhere<sparse_sparse_minimum_op, T...> void sparse_maximum(...) = delete;  // include <flowgraph/ops/sparse/extremes.hpp>
template <class... T> requires detail::is_elsewhere<sparse_sparse_minimum_op, T...> void sparse_minimum(...) = delete;  // include <flowgraph/ops/sparse/extremes.hpp>

struct sparse_fill_empty_rows_op;
template <class... T> requires detail::is_elsewhere<sparse_fill_empty_rows_op, T...> void sparse_fill_empty_rows(...) = delete;  // include <flowgraph/ops/sparse/fill_empty_rows.hpp>

template <class T> struct filled_rows;  // include <flowgraph/ops/sparse/fill_empty_rows.hpp>

struct sparse_tensor_dense_mat_mul_op;
template <class... T> requires detail::is_elsewhere<sparse_tensor_dense_mat_mul_op, T...> void sparse_tensor_dense_matmul(...) = delete;  // include <flowgraph/ops/sparse/matmul.hpp>

struct sparse_matmul_options;  // include <flowgraph/ops/sparse/matmul.hpp>

struct field_pair_interactions_op;
template <class... T> requires detail::is_elsewhere<field_pair_interactions_op, T...> void pair_interactions(...) = delete;  // include <flowgraph/ops/sparse/pair_interactions.hpp>
template <class... T> requires detail::is_elsewhere<field_pair_interactions_op, T...> void field_pair_interactions(...) = delete;  // include <flowgraph/ops/sparse/pair_interactions.hpp>

struct ragged_gather_op;
template <class... T> requires detail::is_elsewhere<ragged_gather_op, T...> void ragged_gather(...) = delete;  // include <flowgraph/ops/sparse/ragged_gather.hpp>

struct ragged_range_op;
template <class... T> requires detail::is_elsewhere<ragged_range_op, T...> void ragged_range(...) = delete;  // include <flowgraph/ops/sparse/ragged_range.hpp>

struct ragged_tensor_to_tensor_op;
template <class... T> requires detail::is_elsewhere<ragged_tensor_to_tensor_op, T...> void ragged_to_dense(...) = delete;  // include <flowgraph/ops/sparse/ragged_to_dense.hpp>

struct ragged_tensor_to_sparse_op;
template <class... T> requires detail::is_elsewhere<ragged_tensor_to_sparse_op, T...> void ragged_to_sparse(...) = delete;  // include <flowgraph/ops/sparse/ragged_to_sparse.hpp>

struct sparse_reduce_max_sparse_op;
template <class... T> requires detail::is_elsewhere<sparse_reduce_max_sparse_op, T...> void sparse_reduce_sum(...) = delete;  // include <flowgraph/ops/sparse/reduce.hpp>
template <class... T> requires detail::is_elsewhere<sparse_reduce_max_sparse_op, T...> void sparse_reduce_max(...) = delete;  // include <flowgraph/ops/sparse/reduce.hpp>
template <class... T> requires detail::is_elsewhere<sparse_reduce_max_sparse_op, T...> void sparse_reduce_sum_sparse(...) = delete;  // include <flowgraph/ops/sparse/reduce.hpp>
template <class... T> requires detail::is_elsewhere<sparse_reduce_max_sparse_op, T...> void sparse_reduce_max_sparse(...) = delete;  // include <flowgraph/ops/sparse/reduce.hpp>

struct sparse_reorder_op;
template <class... T> requires detail::is_elsewhere<sparse_reorder_op, T...> void sparse_reorder(...) = delete;  // include <flowgraph/ops/sparse/reorder.hpp>

struct sparse_reshape_op;
template <class... T> requires detail::is_elsewhere<sparse_reshape_op, T...> void sparse_reshape(...) = delete;  // include <flowgraph/ops/sparse/reshape.hpp>

struct deserialize_many_sparse_op;
template <class... T> requires detail::is_elsewhere<deserialize_many_sparse_op, T...> void serialize_sparse(...) = delete;  // include <flowgraph/ops/sparse/serialized_sparse.hpp>
template <class... T> requires detail::is_elsewhere<deserialize_many_sparse_op, T...> void serialize_many_sparse(...) = delete;  // include <flowgraph/ops/sparse/serialized_sparse.hpp>
template <class... T> requires detail::is_elsewhere<deserialize_many_sparse_op, T...> void deserialize_sparse(...) = delete;  // include <flowgraph/ops/sparse/serialized_sparse.hpp>

struct set_size_op;
template <class... T> requires detail::is_elsewhere<set_size_op, T...> void set_union(...) = delete;  // include <flowgraph/ops/sparse/sets.hpp>
template <class... T> requires detail::is_elsewhere<set_size_op, T...> void set_intersection(...) = delete;  // include <flowgraph/ops/sparse/sets.hpp>
template <class... T> requires detail::is_elsewhere<set_size_op, T...> void set_difference(...) = delete;  // include <flowgraph/ops/sparse/sets.hpp>
template <class... T> requires detail::is_elsewhere<set_size_op, T...> void set_size(...) = delete;  // include <flowgraph/ops/sparse/sets.hpp>

struct sparse_slice_op;
template <class... T> requires detail::is_elsewhere<sparse_slice_op, T...> void sparse_slice(...) = delete;  // include <flowgraph/ops/sparse/slice.hpp>

struct sparse_softmax_op;
template <class... T> requires detail::is_elsewhere<sparse_softmax_op, T...> void sparse_softmax(...) = delete;  // include <flowgraph/ops/sparse/softmax.hpp>


template <class... T> void sparse_placeholder(...) = delete;  // include <flowgraph/ops/sparse/sparse_tensor.hpp>; with it: no overload takes these arguments

template <class T> struct sparse_tensor;  // include <flowgraph/ops/sparse/sparse_tensor.hpp>

struct sparse_to_dense_op;
template <class... T> requires detail::is_elsewhere<sparse_to_dense_op, T...> void sparse_to_dense(...) = delete;  // include <flowgraph/ops/sparse/to_dense.hpp>

struct sparse_mat_mul_op;
template <class... T> requires detail::is_elsewhere<sparse_mat_mul_op, T...> void zero_skipping_matmul(...) = delete;  // include <flowgraph/ops/sparse/zero_skipping_matmul.hpp>

struct zero_skipping_options;  // include <flowgraph/ops/sparse/zero_skipping_matmul.hpp>

struct resource_count_up_to_op;
template <class... T> requires detail::is_elsewhere<resource_count_up_to_op, T...> void count_up_to(...) = delete;  // include <flowgraph/ops/state/counter.hpp>

struct resource_scatter_min_op;
template <class... T> requires detail::is_elsewhere<resource_scatter_min_op, T...> void scatter_mul(...) = delete;  // include <flowgraph/ops/state/scatter_arithmetic.hpp>
template <class... T> requires detail::is_elsewhere<resource_scatter_min_op, T...> void scatter_div(...) = delete;  // include <flowgraph/ops/state/scatter_arithmetic.hpp>
template <class... T> requires detail::is_elsewhere<resource_scatter_min_op, T...> void scatter_max(...) = delete;  // include <flowgraph/ops/state/scatter_arithmetic.hpp>
template <class... T> requires detail::is_elsewhere<resource_scatter_min_op, T...> void scatter_min(...) = delete;  // include <flowgraph/ops/state/scatter_arithmetic.hpp>

struct resource_scatter_nd_min_op;
template <class... T> requires detail::is_elsewhere<resource_scatter_nd_min_op, T...> void scatter_nd_update(...) = delete;  // include <flowgraph/ops/state/scatter_nd.hpp>
template <class... T> requires detail::is_elsewhere<resource_scatter_nd_min_op, T...> void scatter_nd_add(...) = delete;  // include <flowgraph/ops/state/scatter_nd.hpp>
template <class... T> requires detail::is_elsewhere<resource_scatter_nd_min_op, T...> void scatter_nd_sub(...) = delete;  // include <flowgraph/ops/state/scatter_nd.hpp>

struct delete_session_tensor_op;
template <class... T> requires detail::is_elsewhere<delete_session_tensor_op, T...> void session_handle(...) = delete;  // include <flowgraph/ops/state/session_tensor.hpp>
template <class... T> requires detail::is_elsewhere<delete_session_tensor_op, T...> void session_tensor(...) = delete;  // include <flowgraph/ops/state/session_tensor.hpp>
template <class... T> requires detail::is_elsewhere<delete_session_tensor_op, T...> void delete_session_tensor(...) = delete;  // include <flowgraph/ops/state/session_tensor.hpp>

struct resource_strided_slice_assign_op;
template <class... T> requires detail::is_elsewhere<resource_strided_slice_assign_op, T...> void strided_slice_assign(...) = delete;  // include <flowgraph/ops/state/slice_assign.hpp>

struct variable_of_handle_op;
template <class... T> requires detail::is_elsewhere<variable_of_handle_op, T...> void variable_behind(...) = delete;  // include <flowgraph/ops/state/variable_behind.hpp>

struct string_format_op;
template <class... T> requires detail::is_elsewhere<string_format_op, T...> void as_string(...) = delete;  // include <flowgraph/ops/strings/as_string.hpp>
template <class... T> requires detail::is_elsewhere<string_format_op, T...> void string_format(...) = delete;  // include <flowgraph/ops/strings/as_string.hpp>

struct sparse_cross_hashed_op;
template <class... T> requires detail::is_elsewhere<sparse_cross_hashed_op, T...> void sparse_cross(...) = delete;  // include <flowgraph/ops/strings/cross.hpp>
template <class... T> requires detail::is_elsewhere<sparse_cross_hashed_op, T...> void sparse_cross_hashed(...) = delete;  // include <flowgraph/ops/strings/cross.hpp>

class crossed_columns;  // include <flowgraph/ops/strings/cross.hpp>

struct hashed_cross_options;  // include <flowgraph/ops/strings/cross.hpp>

struct string_to_hash_bucket_op;
template <class... T> requires detail::is_elsewhere<string_to_hash_bucket_op, T...> void string_to_hash_bucket(...) = delete;  // include <flowgraph/ops/strings/hash_bucket.hpp>
template <class... T> requires detail::is_elsewhere<string_to_hash_bucket_op, T...> void string_to_hash_bucket_strong(...) = delete;  // include <flowgraph/ops/strings/hash_bucket.hpp>

struct unsorted_segment_join_op;
template <class... T> requires detail::is_elsewhere<unsorted_segment_join_op, T...> void string_join(...) = delete;  // include <flowgraph/ops/strings/join.hpp>
template <class... T> requires detail::is_elsewhere<unsorted_segment_join_op, T...> void reduce_join(...) = delete;  // include <flowgraph/ops/strings/join.hpp>
template <class... T> requires detail::is_elsewhere<unsorted_segment_join_op, T...> void unsorted_segment_join(...) = delete;  // include <flowgraph/ops/strings/join.hpp>

struct string_ngrams_op;
template <class... T> requires detail::is_elsewhere<string_ngrams_op, T...> void string_ngrams(...) = delete;  // include <flowgraph/ops/strings/ngrams.hpp>

struct ngram_options;  // include <flowgraph/ops/strings/ngrams.hpp>

struct static_regex_replace_op;
template <class... T> requires detail::is_elsewhere<static_regex_replace_op, T...> void regex_full_match(...) = delete;  // include <flowgraph/ops/strings/regex.hpp>
template <class... T> requires detail::is_elsewhere<static_regex_replace_op, T...> void regex_replace(...) = delete;  // include <flowgraph/ops/strings/regex.hpp>

struct string_split_v2_op;
template <class... T> requires detail::is_elsewhere<string_split_v2_op, T...> void string_split(...) = delete;  // include <flowgraph/ops/strings/split.hpp>

struct split_strings;  // include <flowgraph/ops/strings/split.hpp>

struct unicode_script_op;
template <class... T> requires detail::is_elsewhere<unicode_script_op, T...> void string_strip(...) = delete;  // include <flowgraph/ops/strings/text.hpp>
template <class... T> requires detail::is_elsewhere<unicode_script_op, T...> void string_lower(...) = delete;  // include <flowgraph/ops/strings/text.hpp>
template <class... T> requires detail::is_elsewhere<unicode_script_op, T...> void string_upper(...) = delete;  // include <flowgraph/ops/strings/text.hpp>
template <class... T> requires detail::is_elsewhere<unicode_script_op, T...> void string_length(...) = delete;  // include <flowgraph/ops/strings/text.hpp>
template <class... T> requires detail::is_elsewhere<unicode_script_op, T...> void substr(...) = delete;  // include <flowgraph/ops/strings/text.hpp>
template <class... T> requires detail::is_elsewhere<unicode_script_op, T...> void encode_base64(...) = delete;  // include <flowgraph/ops/strings/text.hpp>
template <class... T> requires detail::is_elsewhere<unicode_script_op, T...> void decode_base64(...) = delete;  // include <flowgraph/ops/strings/text.hpp>
template <class... T> requires detail::is_elsewhere<unicode_script_op, T...> void unicode_script(...) = delete;  // include <flowgraph/ops/strings/text.hpp>

struct unicode_transcode_op;
template <class... T> requires detail::is_elsewhere<unicode_transcode_op, T...> void unicode_decode(...) = delete;  // include <flowgraph/ops/strings/unicode.hpp>
template <class... T> requires detail::is_elsewhere<unicode_transcode_op, T...> void unicode_encode(...) = delete;  // include <flowgraph/ops/strings/unicode.hpp>
template <class... T> requires detail::is_elsewhere<unicode_transcode_op, T...> void unicode_transcode(...) = delete;  // include <flowgraph/ops/strings/unicode.hpp>

struct decode_attributes;  // include <flowgraph/ops/strings/unicode.hpp>

struct device_speed;  // include <flowgraph/placement/cost_model.hpp>

struct link_speed;  // include <flowgraph/placement/cost_model.hpp>

struct cost_defaults;  // include <flowgraph/placement/cost_model.hpp>

struct sized_value;  // include <flowgraph/placement/cost_model.hpp>

class cost_model;  // include <flowgraph/placement/cost_model.hpp>

struct placement_forecast;  // include <flowgraph/placement/cost_placement.hpp>

class cost_placement;  // include <flowgraph/placement/cost_placement.hpp>

class delay_transfers;  // include <flowgraph/placement/delay_transfers.hpp>

struct node_times;  // include <flowgraph/placement/measurements.hpp>

class measurements;  // include <flowgraph/placement/measurements.hpp>

struct memory_options;  // include <flowgraph/placement/save_memory.hpp>

class save_memory;  // include <flowgraph/placement/save_memory.hpp>

struct joint_graph;
template <class... T> requires detail::is_elsewhere<joint_graph, T...> void try_run_together(...) = delete;  // include <flowgraph/runtime/joint_run.hpp>
template <class... T> requires detail::is_elsewhere<joint_graph, T...> void run_together(...) = delete;  // include <flowgraph/runtime/joint_run.hpp>

struct joint_graph;  // include <flowgraph/runtime/joint_run.hpp>

struct placement_question;  // include <flowgraph/runtime/placement.hpp>

class placement_policy;  // include <flowgraph/runtime/placement.hpp>

struct accumulation_options;  // include <flowgraph/train/accumulate_gradients.hpp>

template <class Method> class accumulate_gradients;  // include <flowgraph/train/accumulate_gradients.hpp>

struct adagrad;  // include <flowgraph/train/adagrad.hpp>

struct adagrad_da;  // include <flowgraph/train/adagrad.hpp>

struct adadelta;  // include <flowgraph/train/adagrad.hpp>

struct adamw;  // include <flowgraph/train/adamw.hpp>

struct checkpoint_times;  // include <flowgraph/train/checkpoint_hook.hpp>

class checkpoint_hook;  // include <flowgraph/train/checkpoint_hook.hpp>

struct click_model_options;  // include <flowgraph/train/click_models.hpp>

struct click_model;  // include <flowgraph/train/click_models.hpp>


template <class... T> void global_norm(...) = delete;  // include <flowgraph/train/clip.hpp>; with it: no overload takes these arguments
template <class... T> void clip_by_global_norm(...) = delete;  // include <flowgraph/train/clip.hpp>; with it: no overload takes these arguments

class coordinator;  // include <flowgraph/train/coordinator.hpp>

struct ftrl;  // include <flowgraph/train/ftrl.hpp>

struct lazy_adam;  // include <flowgraph/train/lazy_adam.hpp>

struct lazy_adamw;  // include <flowgraph/train/lazy_adam.hpp>

struct loss_scale_options;  // include <flowgraph/train/loss_scale.hpp>

class loss_scale;  // include <flowgraph/train/loss_scale.hpp>

struct metric;
template <class... T> requires detail::is_elsewhere<metric, T...> void accuracy(...) = delete;  // include <flowgraph/train/metrics.hpp>
template <class... T> requires detail::is_elsewhere<metric, T...> void auc(...) = delete;  // include <flowgraph/train/metrics.hpp>

struct metric;  // include <flowgraph/train/metrics.hpp>

struct accuracy_options;  // include <flowgraph/train/metrics.hpp>

struct auc_options;  // include <flowgraph/train/metrics.hpp>

struct exponential_moving_average;  // include <flowgraph/train/moving_average.hpp>

struct proximal_sgd;  // include <flowgraph/train/proximal.hpp>

struct proximal_adagrad;  // include <flowgraph/train/proximal.hpp>

class queue_runner;  // include <flowgraph/train/queue_runner.hpp>

struct polynomial_options;
template <class... T> requires detail::is_elsewhere<polynomial_options, T...> void exponential_decay(...) = delete;  // include <flowgraph/train/rate_schedule.hpp>
template <class... T> requires detail::is_elsewhere<polynomial_options, T...> void natural_exp_decay(...) = delete;  // include <flowgraph/train/rate_schedule.hpp>
template <class... T> requires detail::is_elsewhere<polynomial_options, T...> void inverse_time_decay(...) = delete;  // include <flowgraph/train/rate_schedule.hpp>
template <class... T> requires detail::is_elsewhere<polynomial_options, T...> void polynomial_decay(...) = delete;  // include <flowgraph/train/rate_schedule.hpp>
template <class... T> requires detail::is_elsewhere<polynomial_options, T...> void piecewise_constant(...) = delete;  // include <flowgraph/train/rate_schedule.hpp>
template <class... T> requires detail::is_elsewhere<polynomial_options, T...> void cosine_decay(...) = delete;  // include <flowgraph/train/rate_schedule.hpp>
template <class... T> requires detail::is_elsewhere<polynomial_options, T...> void cosine_decay_restarts(...) = delete;  // include <flowgraph/train/rate_schedule.hpp>
template <class... T> requires detail::is_elsewhere<polynomial_options, T...> void linear_cosine_decay(...) = delete;  // include <flowgraph/train/rate_schedule.hpp>
template <class... T> requires detail::is_elsewhere<polynomial_options, T...> void noisy_linear_cosine_decay(...) = delete;  // include <flowgraph/train/rate_schedule.hpp>

struct polynomial_options;  // include <flowgraph/train/rate_schedule.hpp>

struct restart_options;  // include <flowgraph/train/rate_schedule.hpp>

struct linear_cosine_options;  // include <flowgraph/train/rate_schedule.hpp>

struct noisy_linear_cosine_options;  // include <flowgraph/train/rate_schedule.hpp>

struct rate_schedule_options;  // include <flowgraph/train/rate_schedule_hook.hpp>

class rate_schedule_hook;  // include <flowgraph/train/rate_schedule_hook.hpp>

struct training_recovery;  // include <flowgraph/train/recovery_hook.hpp>

struct recovery_options;  // include <flowgraph/train/recovery_hook.hpp>

class recovery_hook;  // include <flowgraph/train/recovery_hook.hpp>

struct device_names;
template <class... T> requires detail::is_elsewhere<device_names, T...> void replicate(...) = delete;  // include <flowgraph/train/replicate.hpp>

struct device_names;  // include <flowgraph/train/replicate.hpp>

struct replicate_options;  // include <flowgraph/train/replicate.hpp>

template <class T> struct replicated;  // include <flowgraph/train/replicate.hpp>

class replica;  // include <flowgraph/train/replicate.hpp>

struct rms_prop;  // include <flowgraph/train/rms_prop.hpp>

struct sample_options;
template <class... T> requires detail::is_elsewhere<sample_options, T...> void samples(...) = delete;  // include <flowgraph/train/samples.hpp>
template <class... T> requires detail::is_elsewhere<sample_options, T...> void start_feeding(...) = delete;  // include <flowgraph/train/samples.hpp>

struct sample_options;  // include <flowgraph/train/samples.hpp>

template <class... T> struct sampled;  // include <flowgraph/train/samples.hpp>

template <class... T> class sample_feeder;  // include <flowgraph/train/samples.hpp>

struct save_click_model_options;
template <class... T> requires detail::is_elsewhere<save_click_model_options, T...> void save_click_model(...) = delete;  // include <flowgraph/train/saved_click_model.hpp>
template <class... T> requires detail::is_elsewhere<save_click_model_options, T...> void describe_click_model(...) = delete;  // include <flowgraph/train/saved_click_model.hpp>
template <class... T> requires detail::is_elsewhere<save_click_model_options, T...> void load_click_model(...) = delete;  // include <flowgraph/train/saved_click_model.hpp>

struct save_click_model_options;  // include <flowgraph/train/saved_click_model.hpp>

struct click_model_description;  // include <flowgraph/train/saved_click_model.hpp>

class served_click_model;  // include <flowgraph/train/saved_click_model.hpp>

struct saver_options;
template <class... T> requires detail::is_elsewhere<saver_options, T...> void latest_checkpoint(...) = delete;  // include <flowgraph/train/saver.hpp>

struct saver_options;  // include <flowgraph/train/saver.hpp>

class saver;  // include <flowgraph/train/saver.hpp>


template <class... T> void select_scopes(...) = delete;  // include <flowgraph/train/scopes.hpp>; with it: no overload takes these arguments
template <class... T> void leave_out_scopes(...) = delete;  // include <flowgraph/train/scopes.hpp>; with it: no overload takes these arguments

class frozen_scopes;  // include <flowgraph/train/scopes.hpp>

struct screening_options;
template <class... T> requires detail::is_elsewhere<screening_options, T...> void screen_gradients(...) = delete;  // include <flowgraph/train/screen_gradients.hpp>

struct screening_options;  // include <flowgraph/train/screen_gradients.hpp>

struct screened_gradients;  // include <flowgraph/train/screen_gradients.hpp>


template <class... T> void to_bytes(...) = delete;  // include <flowgraph/train/state_bytes.hpp>; with it: no overload takes these arguments
template <class... T> void parse_saved_state(...) = delete;  // include <flowgraph/train/state_bytes.hpp>; with it: no overload takes these arguments

struct progress_options;  // include <flowgraph/train/training_hooks.hpp>

class progress_hook;  // include <flowgraph/train/training_hooks.hpp>

struct summary_hook_options;  // include <flowgraph/train/training_hooks.hpp>

class summary_hook;  // include <flowgraph/train/training_hooks.hpp>

struct stop_early_options;  // include <flowgraph/train/training_hooks.hpp>

class stop_early;  // include <flowgraph/train/training_hooks.hpp>

struct training_progress;  // include <flowgraph/train/training_loop.hpp>

class training_hook;  // include <flowgraph/train/training_loop.hpp>

struct training_options;  // include <flowgraph/train/training_loop.hpp>

class training_loop;  // include <flowgraph/train/training_loop.hpp>

struct weights_options;
template <class... T> requires detail::is_elsewhere<weights_options, T...> void save_variables(...) = delete;  // include <flowgraph/train/weights.hpp>
template <class... T> requires detail::is_elsewhere<weights_options, T...> void load_variables(...) = delete;  // include <flowgraph/train/weights.hpp>

struct weights_options;  // include <flowgraph/train/weights.hpp>

struct weights_report;  // include <flowgraph/train/weights.hpp>

}  // namespace flowgraph
// clang-format on
