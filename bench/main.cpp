// Runs the works named and prints one line of JSON for each and each variant.
//
//     bench --work NAME[,NAME] --threads N [--spin MICROSECONDS] [--samples 5] [--seconds 0.1] [--variant NAME]
//           [--files FOLDER] [--megabytes 64]

#include "works.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool parse(int count, char** arguments, bench::options& o) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    const char* value = arguments[i + 1];
    if (name == "--work") o.works = bench::split(value);
    else if (name == "--variant") o.variants = bench::split(value);
    else if (name == "--threads") o.threads = std::atoi(value);
    else if (name == "--spin") o.spin = std::atoi(value);
    else if (name == "--samples") o.samples = std::atoi(value);
    else if (name == "--files") o.files = value;
    else if (name == "--megabytes") o.megabytes = std::atoi(value);
    else if (name == "--seconds") o.seconds = std::atof(value);
    else return false;
  }
  return count % 2 == 1 && o.threads > 0 && o.samples > 0 && o.seconds > 0 && o.megabytes > 0;
}

}  // namespace

int main(int count, char** arguments) {
  bench::options o;
  if (!parse(count, arguments, o)) {
    std::fprintf(stderr,
                 "usage: %s --work NAME[,NAME] --threads N [--spin MICROSECONDS] [--samples 5] [--seconds 0.1] "
                 "[--variant NAME] [--files FOLDER] [--megabytes 64]\n",
                 arguments[0]);
    return 2;
  }
  if (o.works.size() == 1 && o.works[0] == "all") o.works.clear();

  std::size_t known = 0;
  for (const auto works :
       {bench::executor_works(), bench::loop_works(), bench::model_works(), bench::recurrent_works(), bench::op_works(),
        bench::kernel_works(), bench::block_works(), bench::matrix_works(), bench::image_works(), bench::device_works(),
        bench::queue_works(), bench::input_works(), bench::checkpoint_works(), bench::table_works()}) {
    for (const bench::work& w : works) {
      if (!o.works.empty() && std::find(o.works.begin(), o.works.end(), w.name) == o.works.end()) continue;
      ++known;
      w.run(o, w.name);
    }
  }
  if (known < o.works.size()) std::fprintf(stderr, "%zu of the works named are not among ours\n", o.works.size() - known);
  return known < o.works.size();
}
