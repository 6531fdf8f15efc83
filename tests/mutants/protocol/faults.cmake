# Faults of what tasks say to each other, each in a source of backends/distributed; as tests/mutants/faults.cmake.

fault(values_of_ended_steps_kept worker.cpp
  "if (closed_ || has_ended(value.number)) return;"
  "if (closed_) return;")
fault(lost_values_not_told worker.cpp
  "made.push_back({s.by, sent.mapped()});"
  "")
fault(part_not_woken_to_end part_run.cpp
  "executor_->look_up(true);
  wake();"
  "executor_->look_up(true);")
