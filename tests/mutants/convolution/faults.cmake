# Faults in the kernels of convolutions and products: name, header, the statement as it stands and the faulty one. See ../faults.cmake.

fault(result_finished_after_each_block ops/kernel/product.hpp
  "parts::block(left, right, depth, to, height, packed_right);"
  "parts::block(left, right, depth, {to.at, to.step, to.columns, to.accumulate, shape.finish}, height, packed_right);")
fault(columns_finished_as_the_first ops/kernel/finish.hpp
  "if (f.offset) offset = load(f.offset + column);"
  "if (f.offset) offset = load(f.offset);")
fault(columns_finished_in_registers_as_the_first ops/kernel/finish.hpp
  "change(sum[i][v], factor);"
  "change(sum[i][0], factor);")
fault(weights_of_a_skipped_run_read ops/kernel/gather.hpp
  "at += count * product_parts<Level, T>::columns;"
  "")
fault(slopes_of_the_first_pixel_only ops/kernel/taps.hpp
  "from[t] += s.x_step;"
  "")
fault(infinite_weights_skipped ops/nn/detail/convolution.hpp
  "if constexpr (has_level_product<T>) finite = in_place && filter.is_finite(s.pixels());"
  "finite = true;")
fault(last_slopes_of_an_element_forgotten ops/nn/detail/convolution.hpp
  "list.finish(flush);"
  "if (j > 0) list.finish(flush);")
fault(outputs_at_the_first_place ops/nn/impl/convolution.hpp
  "targets += p.count;"
  "")
fault(border_behind_a_copied_window_kept ops/nn/impl/convolution.hpp
  "if (width > done) std::memset(row + done, 0, width - done);"
  "")
fault(columns_of_a_depthwise_filter_as_one ops/nn/detail/depthwise.hpp
  "to[taps] = df + first * s.depth;"
  "to[taps] = df;")
fault(first_line_of_an_image_as_border ops/nn/detail/convolution.hpp
  "places[i * pixels + at + j] = inside ? (from + j * s.columns.step) * s.depth : kernel::gathered_shape::zero;"
  "places[i * pixels + at + j] = inside && row > 0 ? (from + j * s.columns.step) * s.depth : kernel::gathered_shape::zero;")
fault(border_beside_a_line_kept ops/nn/detail/convolution.hpp
  "std::fill_n(to, left * s.depth, T{});"
  "std::fill_n(to, left * s.depth, T{1});")
fault(first_block_of_packed_weights_for_all ops/kernel/product.hpp
  "return panel + packed_row(p, step) * columns;"
  "return panel;")
fault(first_columns_of_packed_weights_for_all ops/shared/detail/product.hpp
  "before.n = column;"
  "before.n = 0;")
fault(last_rows_of_a_transposed_matrix_not_packed ops/kernel/product.hpp
  "if (n > 0) (n >= P::width ? P::load(from + i) : P::load(from + i, n, 0)).store(packed + i);"
  "if (n >= P::width) P::load(from + i).store(packed + i);")
fault(low_tiles_of_a_sum_read_the_next_panel ops/kernel/product.hpp
  "a += Rows == rows ? rows * depth : Rows;"
  "a += rows * depth;")
