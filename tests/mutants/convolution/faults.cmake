# Faults in the kernels of convolutions: name, header, the statement as it stands and the faulty one. See ../faults.cmake.

fault(weights_of_a_skipped_run_read ops/kernel/gather.hpp
  "b.at += count * b.step;"
  "")
fault(slopes_of_the_first_pixel_only ops/kernel/taps.hpp
  "from[t] += s.x_step;"
  "")
fault(infinite_weights_skipped ops/nn/detail/convolution.hpp
  "if constexpr (has_level_product<T>) finite = in_place && s.pixels() >= 256 && all_finite(filter, s.inner() * s.outputs);"
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
