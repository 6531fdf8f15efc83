#pragma once
// Forward declarations of the names that headers use before they need the definition. This header compiles very fast.

#include <flowgraph/config.hpp>

#include <cstddef>
#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI {

enum class dtype : std::uint8_t;
enum class error_code : std::uint8_t;

struct half;
struct bfloat16;
struct resource;
struct variant;
struct shape;
class error;
class message;
class any_tensor;
class thread_pool;
template <class T> class tensor;
template <class T> struct view;
template <class T> class result;

class cpu;
class done;
class registry;
struct op_table;

class graph;
struct node;
struct call_site;
struct target;
struct any_out;
template <class T> struct out;
template <class T> struct variable;
template <class T> struct operand;
template <class T> struct grad;

class session;
struct planned_record;
class variable_set;
class staged_set;
class container;
class device;
class partial_run;
class any_step;
class stop_signal;
class steady_time;
struct session_options;
struct run_options;
struct close_options;
class run_observer;
class run_tracer;
class trace_recorder;
struct collected_trace;
class placement_policy;
class measurements;
class cost_model;
class cost_placement;
class save_memory;
class delay_transfers;

}  // namespace flowgraph
