//===- Replay.cpp - drive a fuzz target without libFuzzer -----------------===//
//
// usage: <program> MUTATIONS SEED...
//
// A seed is a file or a folder of files. Gives the target each file as it is,
// cut off at 64 places and mutated MUTATIONS times. The random numbers depend
// on the seed file's size and the count only, so that a failure repeats.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
// Present when AddressSanitizer is.
extern "C" __attribute__((weak)) void
__sanitizer_set_death_callback(void (*callback)());

namespace {

using Bytes = std::vector<uint8_t>;

/// A target that thinks longer than this about one small file hangs.
constexpr unsigned kSecondsPerInput = 30;

/// What is being tried, for the report of a crash.
char currentInput[512];

void reportInput() {
  // Only write(2): this runs inside signal handlers.
  ssize_t ignored =
      write(STDERR_FILENO, currentInput, std::strlen(currentInput));
  (void)ignored;
}

void onSignal(int signal) {
  reportInput();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void tryInput(const std::string &what, const Bytes &bytes) {
  std::snprintf(currentInput, sizeof(currentInput), "fuzz: failed on %s\n",
                what.c_str());
  alarm(kSecondsPerInput);
  // An exact copy on the heap, so that reading one byte too far is seen.
  Bytes exact(bytes);
  exact.shrink_to_fit();
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  alarm(0);
}

/// One to four small changes: bytes, bits, extreme integers, moved pieces.
Bytes mutate(const Bytes &seed, std::mt19937_64 &random) {
  static const uint64_t kExtremes[] = {
      0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, ~uint64_t(0)};
  Bytes bytes = seed;
  for (uint64_t left = 1 + random() % 4; left; --left) {
    // Half of the changes hit the front, where headers and tables are.
    uint64_t reach =
        random() % 2 ? bytes.size() : std::min<uint64_t>(bytes.size(), 2048);
    uint64_t at = random() % reach;
    uint64_t room = bytes.size() - at;
    switch (random() % 5) {
    case 0:
      bytes[at] = uint8_t(random());
      break;
    case 1:
      bytes[at] ^= uint8_t(1 << random() % 8);
      break;
    case 2:
      std::memcpy(&bytes[at], &kExtremes[random() % std::size(kExtremes)],
                  std::min<uint64_t>(room, uint64_t(1) << random() % 4));
      break;
    case 3: {
      uint64_t length = std::min<uint64_t>(room, 1 + random() % 64);
      uint64_t from = random() % (bytes.size() - length + 1);
      std::memmove(&bytes[at], &bytes[from], length);
      break;
    }
    default:
      if (room > 64)
        bytes.erase(bytes.begin() + at, bytes.begin() + at + 1 + random() % 16);
      break;
    }
  }
  return bytes;
}

bool replay(const std::string &path, unsigned mutations) {
  std::ifstream file(path, std::ios::binary);
  Bytes seed((std::istreambuf_iterator<char>(file)),
             std::istreambuf_iterator<char>());
  if (seed.empty()) {
    std::fprintf(stderr, "fuzz: %s is missing or empty\n", path.c_str());
    return false;
  }
  tryInput(path, seed);
  for (uint64_t cut = 0; cut < 64; ++cut) {
    Bytes part(seed.begin(), seed.begin() + seed.size() * cut / 64);
    tryInput(path + " cut to " + std::to_string(part.size()), part);
  }
  std::mt19937_64 random(seed.size());
  for (unsigned count = 0; count < mutations; ++count)
    tryInput(path + " mutation " + std::to_string(count), mutate(seed, random));
  return true;
}

} // namespace

/// The files of the arguments, those of a folder by name.
static std::vector<std::string> seedFiles(int count, char **arguments) {
  std::vector<std::string> files;
  for (int index = 0; index < count; ++index) {
    if (!std::filesystem::is_directory(arguments[index])) {
      files.push_back(arguments[index]);
      continue;
    }
    size_t first = files.size();
    for (const auto &entry :
         std::filesystem::directory_iterator(arguments[index]))
      files.push_back(entry.path().string());
    std::sort(files.begin() + first, files.end());
    if (files.size() == first) // reported as missing
      files.push_back(std::string(arguments[index]) + "/*");
  }
  return files;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MUTATIONS SEED...\n", argv[0]);
    return 2;
  }
  for (int signal :
       {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM, SIGILL, SIGTRAP})
    std::signal(signal, onSignal);
  if (__sanitizer_set_death_callback)
    __sanitizer_set_death_callback(reportInput);
  unsigned mutations = unsigned(std::strtoul(argv[1], nullptr, 10));
  bool found = true;
  std::vector<std::string> files = seedFiles(argc - 2, argv + 2);
  for (const std::string &file : files)
    found = replay(file, mutations) && found;
  if (found)
    std::printf("fuzz: %zu seeds, %u inputs each\n", files.size(),
                65 + mutations);
  return found ? 0 : 1;
}
