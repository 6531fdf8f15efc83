#pragma once
// The op of a bundle: element-wise nodes of one shape, such as the gates of a cell, that one kernel computes row by row. Unlike a
// group, a bundle has several results. It reads the parts of a split matrix in place, and writes the parts of a concatenation in
// place. Only the pass loop_products makes nodes of this op.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/make_table.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/passes/draft.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The place of a row of a value.
struct bundle_place {
  enum class form : std::uint8_t { input, vector, result, kept };  // vector: an input whose elements serve each row
  form kind = form::kept;
  std::uint32_t index = 0;  // of the input or the result
  std::int64_t column = 0;  // the first one; for kept values, in the memory of the thread
};

// Computes one row of a value from one or two others.
struct bundle_step {
  void (*unary)(const float* x, float* y, std::int64_t n) = nullptr;  // null: the step has two operands
  void (*binary)(const float* a, const float* b, float* y, std::int64_t n) = nullptr;
  bundle_place left = {}, right = {}, result = {};
  std::int64_t columns = 0;
};

struct bundle {
  static constexpr std::size_t most_values = 32;        // inputs and results
  static constexpr std::int64_t most_kept = 8192;       // elements of the memory of a thread
  static constexpr std::int64_t work_in_block = 16384;  // results of steps, for a thread
  static constexpr std::int64_t most_blocks = 16;

  sequence<shape> inputs, results;
  sequence<std::string> readers;  // of each input, for messages
  sequence<bundle_step> steps;

  // The number of rows of a block: it depends only on the shapes. Most numbers of threads divide the number of blocks.
  std::int64_t rows_in_block() const {
    const std::int64_t rows = results[0][0];
    std::int64_t work = 0;
    for (const bundle_step& s : steps) work += s.columns;
    const auto blocks = static_cast<std::uint64_t>(std::clamp<std::int64_t>(work * rows / work_in_block, 1, most_blocks));
    const auto even = static_cast<std::int64_t>(std::bit_floor(blocks));
    return std::max<std::int64_t>((rows + even - 1) / even, 1);
  }
  void run(kernel_call& call) const {
    std::array<const float*, most_values> read;
    std::array<float*, most_values> result;
    for (std::size_t k = 0; k < inputs.size(); ++k) read[k] = static_cast<const float*>(call.inputs[k]->tensor.data());
    for (std::size_t k = 0; k < results.size(); ++k) result[k] = static_cast<float*>(call.outputs[k]->tensor.data());
    cpu(call).parallel_ranges(results[0][0], rows_in_block(), [&](std::int64_t first, std::int64_t end) {
      alignas(64) float kept[most_kept];
      for (std::int64_t row = first; row < end; ++row) run_row(row, read.data(), result.data(), kept);
    });
  }

private:
  void run_row(std::int64_t row, const float* const* read, float* const* outcome, float* kept) const {
    const auto at = [&](const bundle_place& p) -> const float* {
      switch (p.kind) {
        case bundle_place::form::input: return read[p.index] + row * inputs[p.index][1] + p.column;
        case bundle_place::form::vector: return read[p.index] + p.column;
        case bundle_place::form::result: return outcome[p.index] + row * results[p.index][1] + p.column;
        default: return kept + p.column;
      }
    };
    for (const bundle_step& s : steps) {
      float* const y = const_cast<float*>(at(s.result));
      if (s.unary) s.unary(at(s.left), y, s.columns);
      else s.binary(at(s.left), at(s.right), y, s.columns);
    }
  }
};

// The op of one bundle, with its table, which the draft keeps.
struct bundle_table {
  bundle op;
  sequence<output_info> outputs;
  std::string name;  // "_Bundle(Sigmoid, Mul)"
  argument input, output;
  op_description description;
  op_table table;

  void make(std::string named) {
    name = std::move(named);
    for (const shape& s : op.results) outputs.push_back({dtype::float32, false, false, s});
    input.kind = output.kind = argument::form::list;
    input.fixed = output.fixed = dtype::float32;
    output.is_output = true;
    description = describe_made_op(name, false);
    description.inputs = {&input, 1};
    description.outputs = {&output, 1};
    description.output_count = [](const void* b) { return static_cast<const bundle*>(b)->results.size(); };
    table = {};
    table.description = &description;
    table.kernel.run = [](const void* b, kernel_call& call) { static_cast<const bundle*>(b)->run(call); };
    table.infer = &infer;
    table.not_differentiable = true;
  }

private:
  static void infer(const void* b, shape_context& context, const shape_inputs& in, std::span<shape> out) {
    const bundle& op = *static_cast<const bundle*>(b);
    for (std::size_t k = 0; k < op.inputs.size(); ++k)
      if (!fits(*in.shapes[k], op.inputs[k])) {
        context.fail(message{"expected the shape ", op.inputs[k], ", found ", *in.shapes[k], " for '", op.readers[k], "'"});
        return;
      }
    std::copy(op.results.begin(), op.results.end(), out.begin());
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
