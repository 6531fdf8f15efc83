// Predictions of a model of clicks that the command saved:
//
//     flowgraph fm train clicks.txt --lines libffm --hash-keys --model click_model

#include <flowgraph/train/saved_click_model.hpp>

#include <cstdio>
#include <string>

namespace fg = flowgraph;

int main(int, char** arguments) {
  auto model = fg::served_click_model::load(std::string(arguments[1]) + "/click_model").value();
  float p[2]{};
  for (int film = 0; film < 2; ++film) {
    p[film] = model.predict("0:user4:1 1:film" + std::to_string(film) + ":1 2:evening:1").value();
    std::printf("user 4 clicks film %d with probability %.2f\n", film, static_cast<double>(p[film]));
  }
  return p[0] > p[1] ? 0 : 1;
}
