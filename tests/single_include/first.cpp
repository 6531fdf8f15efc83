#include "model.hpp"

float second_loss_after(int steps);

// Untrained, two classes cost log 2; both translation units see the same training.
int main() {
  const float before = loss_after(0);
  const float after = loss_after(3);
  const bool starts_at_log_2 = before > 0.69f && before < 0.70f;
  return starts_at_log_2 && after < 0.6f && after == second_loss_after(3) ? 0 : 1;
}
