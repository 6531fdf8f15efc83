#pragma once
// Runs a loop as a straight line: every call laid out once, iteration after iteration in the same memory, without a ready queue.

#include <flowgraph/runtime/call.hpp>
#include <flowgraph/runtime/frame.hpp>

#include <memory>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Of a node that draws random numbers, for one run: which run of its session, and how many numbers the node has set aside.
struct random_ordinal {
  std::uint64_t run = 0;
  std::atomic<std::uint64_t>* drawn = nullptr;
};

// What all loops of a run share.
struct loop_setting {
  const plan* of = nullptr;
  const run_services* services = nullptr;
  const run_options* options = nullptr;  // of the run; null when nothing can end it early
  const random_ordinal* ordinals = nullptr;
};

// One loop in the making. Its memory is kept until reset(). Used by one thread at a time.
class loop_walk {
public:
  loop_walk(const loop_setting& setting, const straight_loop& loop);

  // Where the value of an Enter goes, by its place in straight_loop::enters.
  edge_value& entered(std::size_t k) { return places_[loop_.enters[k].place]; }
  // To the end. False: take_failure() says why, failed_at() where.
  bool run(iteration& parent);
  // After run: the value of an Exit, by its place in straight_loop::exits. `old` gives its memory for it.
  void take(std::size_t exit, edge_value& old);
  // Drops what was entered, and what shows memory of others. The loop's own stays for its next run.
  void leave();
  void reset();

  // The line of a root: once from the first step to the last. False as above.
  bool run_root();
  // Then what is fetched, by its place in straight_loop::exits; and the end of the run, after which only memory is kept.
  result<any_tensor> fetch(std::size_t exit);
  void rest();

  error take_failure() { return std::exchange(failure_, {}); }
  const plan_record& failed_record() const { return *failed_; }
  const iteration& failed_at() const { return *failed_at_; }

private:
  // A step with its call laid out.
  struct laid {
    kernel_call call;
    const loop_step* of = nullptr;
    const plan_record* record = nullptr;
    std::uint32_t input_count = 0, output_count = 0;
    std::uint32_t first_input = 0, first_output = 0, first_shape = 0;  // in the arrays below
    std::uint32_t donor = no_index;                                    // an input whose memory the first output may take
    bool is_sized = false;      // the shapes below are those of the last call, for inputs of these shapes and `asked` values
    bool is_direct = false;     // a kernel, no side of a condition, no variable read, every output of plain elements and sized
    bool is_renewed = false;    // some output begins each call without memory of its own
    bool exchanges = false;     // the calls of these shapes write over their donor
    bool takes_memory = false;  // so does this one
    std::uint64_t asked = 0;    // a bit for each input whose value the shapes depend on
    std::vector<std::byte> asked_values;
  };

  static constexpr std::size_t worth_moving = 4096;  // bytes from which memory is handed on within a run

  void lay(const loop_step& step, laid& made);
  bool walk(std::size_t first, std::size_t last);
  bool run_step(laid& s);
  bool run_kernel(laid& s);
  bool same_shapes(const laid& s) const;
  bool same_asked(const laid& s) const;
  bool has_memory(const laid& s) const;
  bool exchange(laid& s);
  bool prepare(laid& s, bool is_sized);
  bool infer(laid& s);
  bool remember(laid& s, std::uint64_t asked);
  bool allocate(laid& s);
  bool decide(const loop_input& in, const plan_record& asked_by, bool& answer);
  void select(const laid& s);
  void prepare_random();
  void drop_inputs(const laid& s);
  bool read(const plan_record& by, std::uint32_t k, const loop_input& in, edge_value& made);
  bool bind(laid& s);
  bool run_inner(const laid& s);
  void hand_on();
  bool holds(const guard_list& guards) const {
    for (const guard& g : guards)
      if (decided_[g.decision] != static_cast<char>(g.side)) return false;
    return true;
  }
  edge_value& value_of(const loop_input& in) {
    return in.is_constant ? const_cast<edge_value&>(setting_.of->constants[in.place]) : places_[in.place];
  }
  FLOWGRAPH_COLD bool fail(const plan_record& r, const error& why);
  FLOWGRAPH_COLD error check_stop() const;

  const loop_setting& setting_;
  const straight_loop& loop_;
  std::vector<edge_value> places_;
  std::vector<edge_value> read_;  // by input: values of variables, counted for the length of a call
  std::vector<edge_value> moving_;
  std::vector<const edge_value*> inputs_;
  std::vector<edge_value*> outputs_;
  std::vector<shape> shapes_;  // of inputs and outputs at the last call
  std::vector<const shape*> asked_shapes_;
  std::vector<const any_tensor*> asked_tensors_;
  std::vector<char> decided_;
  std::vector<laid> steps_;
  std::vector<std::uint32_t> random_;  // steps that draw
  std::vector<std::unique_ptr<loop_walk>> inner_;
  edge_value spare_;
  any_tensor scratch_;
  std::vector<binding> bindings_;  // of a root
  resource bound_;
  frame_instance frame_;
  iteration at_;
  error failure_;
  const plan_record* failed_ = nullptr;
  const iteration* failed_at_ = nullptr;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/loop_walk.hpp>
#endif
