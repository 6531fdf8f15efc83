# Faults in the backend of GPUs: name, file, the statement as it stands and the faulty one. See ../faults.cmake.

# ---- bodies of kernels

fault(tree_of_threads_in_one_phase kernels/reductions.hpp
  "for (std::int64_t half = threads_per_block / 2; half > 0; half /= 2)
    b.each(half, [=](std::int64_t i) { parts[i] = joined<R>(parts[i], parts[i + half]); });"
  "b.each(threads_per_block / 2, [=](std::int64_t i) {
    for (std::int64_t half = threads_per_block / 2; half > i; half /= 2) parts[i] = joined<R>(parts[i], parts[i + half]);
  });")
fault(rows_of_the_first_batch kernels/moves.hpp
  "*to = static_cast<const T*>(g.x)[(block * g.rows + row) * g.inner + k];"
  "*to = static_cast<const T*>(g.x)[row * g.inner + k];")
fault(sum_of_another_thread kernels/products.hpp
  "sum[t] = total;"
  "sum[(t + 1) % threads_per_block] = total;")
fault(update_after_a_fault kernels/updates.hpp
  "if (*static_cast<const fault_word*>(u.fault) != no_fault) return;"
  "")
fault(bad_row_changed kernels/scatters.hpp
  "if (row < 0 || row >= u.rows) return;"
  "")
fault(window_without_its_last_row kernels/windows.hpp
  "return last < a.outputs ? last : a.outputs;"
  "return (last < a.outputs ? last : a.outputs) - 1;")

fault(scan_without_the_parts_before kernels/scans.hpp
  "totals[thread] = before;"
  "totals[thread] = Scan::template start<P>();")
fault(ties_in_any_order kernels/ranks.hpp
  "return of_a != of_b ? of_a > of_b : a < b;"
  "return of_a > of_b;")
fault(blocks_that_overlap kernels/random.hpp
  "words.skip(static_cast<std::uint64_t>(first + i) * blocks);"
  "words.skip(static_cast<std::uint64_t>(first + i) * blocks / 2);")
fault(sum_of_the_first_thread kernels/batch_norm.hpp
  "join_threads<sum_of>(b, parts);"
  "")
fault(stripe_of_another_row kernels/scatters.hpp
  "if (stripes == 1 || (row % stripes == stripe)) f(row, i, column);"
  "f(row, i, column);")
fault(part_of_another_sum kernels/reductions.hpp
  "b.each(1, [=](std::int64_t) { *to = parts[0]; });"
  "b.each(1, [parts, other = to - (b.index() + 1) / 2](std::int64_t) { *other = parts[0]; });")
fault(columns_of_the_first_strip kernels/reductions.hpp
  "if (begin + i < columns) to[i] = parts[i];"
  "if (begin + i < columns && begin == 0) to[i] = parts[i];")
fault(columns_of_the_first_matrix calls/reductions.cpp
  "c.launch(k.by_columns, r.results / columns * gpu_call::parts_of(columns, k.columns) * r.parts, r);"
  "c.launch(k.by_columns, gpu_call::parts_of(columns, k.columns) * r.parts, r);")
fault(packs_across_runs kernels/reductions.hpp
  "if (last > 0 && r.reduced_extents[last] % pack_size<T> != 0) return false;"
  "")
fault(product_of_the_operands_in_order device/product_library.cpp
  "return to_error(functions_,
                  functions_.multiply(handle_, p.product.get(), alpha, b, p.b.get(), a, p.a.get(), beta, y, p.y.get(), y,
                                      p.y.get(), &p.chosen.by, workspace, workspace_of(p), s),
                  \"cublasLtMatmul\");"
  "return to_error(functions_,
                  functions_.multiply(handle_, p.product.get(), alpha, a, p.b.get(), b, p.a.get(), beta, y, p.y.get(), y,
                                      p.y.get(), &p.chosen.by, workspace, workspace_of(p), s),
                  \"cublasLtMatmul\");")
fault(algorithm_with_a_divided_inner_axis device/product_library.cpp
  "return (parts == 0 || parts == 1) && reduction == cublaslt::no_reduction;"
  "return true;")
fault(algorithm_for_aligned_addresses device/product_library.cpp
  "if (!p.aligned) alignment = static_cast<std::uint32_t>(size_of(p.type));"
  "")
fault(stack_without_a_step device/product_library.cpp
  "set(cublaslt::of_layout::batch_step, step);"
  "")
fault(library_on_another_gpu device/product_library.cpp
  "if (error lost = now.select()) return lost;"
  "")
fault(tile_with_another_permutation kernels/moves.hpp
  "tile[r * side + (column ^ r)] = kept[i];"
  "tile[r * side + column] = kept[i];")
fault(bad_row_of_packs kernels/moves.hpp
  "if (!is_row) b.report(g.fault, g.call, named);"
  "")
fault(segments_in_any_order kernels/scatters.hpp
  "if (ids[at] < before) b.report(s.fault, s.call, at);"
  "")
fault(pixel_before_the_nearest kernels/resizes.hpp
  "return inside(axis, a.rounds && at - below >= 0.5f ? below + 1 : below);"
  "return inside(axis, below);")
fault(wait_without_end device/memory.cpp
  "if (!passed || *passed || is_over()) break;"
  "if (!passed || *passed) break;")
fault(row_at_another_position kernels/scatters.hpp
  "if (row < 0 || row >= s.rows) b.report(s.fault, s.call, first + i);"
  "if (row < 0 || row >= s.rows) b.report(s.fault, s.call, first);")
fault(first_plane_of_a_filter_only kernels/windows.hpp
  "if (column >= 0) f((p * w.rows.size + r) * w.columns.size + c, plane * steps[1] + row * steps[2] + column * steps[3]);"
  "if (column >= 0 && p == 0) f(r * w.columns.size + c, plane * steps[1] + row * steps[2] + column * steps[3]);")

# ---- calls

fault(scalars_not_checked calls/updates.cpp
  "if (c.record().scalars) c.launch_checked_in(all, c.record().scalars, 1, u, \"scalars\", \"the range that the op accepts\");"
  "")
fault(slice_from_the_beginning calls/moves.cpp
  "first += from.first;"
  "")
fault(select_by_columns calls/maps.cpp
  "run_broadcast<3>(c, c.record().function, {&condition, &a, &b}, {chosen, a.shape(), b.shape()});"
  "const shape turned = by_rows ? along(a.shape(), a.shape().rank - 1) : chosen;
  run_broadcast<3>(c, c.record().function, {&condition, &a, &b}, {turned, a.shape(), b.shape()});")

# ---- memory and streams

fault(copy_before_the_kernels device/memory.cpp
  "if (error why = order(compute_, computed_, out_)) return why;"
  "")
fault(kernels_before_the_copy device/memory.cpp
  "why = order(in_, copied_, compute_);"
  "")
fault(limit_not_counted device/memory.cpp
  "in_use_ += bytes;"
  "")
fault(failure_of_a_copy_forgotten device/memory.cpp
  "if (why && !failure_) failure_ = std::move(why);"
  "")
fault(faults_not_read device/memory.cpp
  "found = first_of(read_fault(), std::move(found));"
  "")
fault(fault_copied_as_elements device/memory.cpp
  "if (why || found == no_fault) return why;"
  "return why;")
fault(overlapping_fault_forgotten device/memory.cpp
  "return found || failures_ <= mark ? found : last_;"
  "return found;")
fault(calls_numbered_without_end device/memory.cpp
  "if (checked_.size() >= options_.most_checked) keep(read_fault());"
  "")
fault(error_of_an_allocation_forgotten device/memory.cpp
  "if (result.error().code() != error_code::resource_exhausted) keep(result.error());"
  "")

# ---- tensors of other libraries

fault(foreign_stream_not_awaited device/memory.hpp
  "return order(foreign, foreign_, compute_);"
  "return {};")
fault(foreign_stream_does_not_wait device/memory.hpp
  "return order(compute_, foreign_, foreign);"
  "return {};")
fault(released_while_read device/memory.cpp
  "return !b.held->is_unique();"
  "return false;")
fault(deleted_twice device/memory.cpp
  "if (b.release) b.release();"
  "if (b.release) b.release(), b.release();")
fault(foreign_block_freed device/memory.cpp
  "if (forget_adopted(p)) return;"
  "static_cast<void>(forget_adopted(p));")
fault(tensor_of_another_gpu device/device_tensor.cpp
  "return d.kind != device_kind::cuda || d.index != memory.by().index();"
  "return d.kind != device_kind::cuda;")
fault(memory_of_the_driver device/memory.cpp
  "if (!functions_.allocate) return driver_->free(p, compute_);"
  "return driver_->free(p, compute_);")
fault(exported_memory_freed_at_once device/device_tensor.cpp
  "if (ended->consumer) ended->memory.release_after(ended->consumer);"
  "")
fault(memory_functions_on_another_gpu device/memory.cpp
  "if (error why = now.select()) return why;"
  "")
