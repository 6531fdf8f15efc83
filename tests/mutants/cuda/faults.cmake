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
fault(window_without_its_last_row kernels/windows.hpp
  "return last < a.outputs ? last : a.outputs;"
  "return (last < a.outputs ? last : a.outputs) - 1;")

# ---- calls

fault(slice_from_the_beginning calls/moves.cpp
  "first += from.first;"
  "")
fault(select_by_columns calls/maps.cpp
  "run_broadcast<3>(c, c.record().function, {&condition, &a, &b}, {chosen, a.shape(), b.shape()});"
  "const shape turned = by_rows ? along(a.shape(), a.shape().rank - 1) : chosen;
  run_broadcast<3>(c, c.record().function, {&condition, &a, &b}, {turned, a.shape(), b.shape()});")

# ---- memory and streams

fault(copy_before_the_kernels device/memory.cpp
  "if (error why = order(compute_, computed_, out_)) return keep(std::move(why));"
  "")
fault(kernels_before_the_copy device/memory.cpp
  "keep(order(in_, copied_, compute_));"
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
