//===- GraphFuzz.cpp - mutated ONNX graphs through the compiler -----------===//
//
// usage: GraphFuzz import|convert FIRST COUNT FOLDER [REFUSALS]
//
// Imports models FIRST to FIRST + COUNT - 1 that ModelMutator makes of the
// .onnx files of FOLDER, or converts them to bmodels, all in this process.
// Nothing may crash, hang, leak or be refused without a word; what converts
// must load. A model that fails is written to failed.onnx before the end.
// REFUSALS gets one line for each kind of refusal. `FIRST` beyond the seeds and
// COUNT 1 repeats one model.
//
//===----------------------------------------------------------------------===//

#include "runtime/bmodel/Bmodel.h"
#include "tests/fuzz/ModelMutator.h"
#include "tools/driver/Compile.h"

#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

using namespace weft;

namespace {

/// Of the processor; one small model takes milliseconds, constant folding of
/// large shapes more.
constexpr unsigned kSecondsPerModel = 5;
/// What all models may have had in memory at a time before it counts as a
/// fault, and what one may ask for at most, used or not.
constexpr uint64_t kResidentBytes = uint64_t(1) << 30;
constexpr rlim_t kAddressBytes = rlim_t(6) << 30;

/// What is being tried, for the handlers of signals.
std::string currentModel;
char currentPlace[64];

void report() {
  int file = ::open("failed.onnx", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ssize_t ignored = ::write(file, currentModel.data(), currentModel.size());
  ignored = ::write(STDOUT_FILENO, currentPlace, std::strlen(currentPlace));
  (void)ignored;
}

void onSignal(int signal) {
  report();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

[[noreturn]] void fail(const std::string &why) {
  std::printf("fuzz: %s\n", why.c_str());
  std::fflush(stdout);
  report();
  std::_Exit(1);
}

/// Numbers and quoted names left out, so that one kind counts once.
std::string kindOf(const std::string &message) {
  std::string kind;
  bool quoted = false;
  for (char c : message) {
    if (c == '\'')
      quoted = !quoted;
    if ((quoted && c != '\'') || (c >= '0' && c <= '9'))
      continue;
    kind += c;
  }
  return kind;
}

/// Starts the clock that ends a model by SIGPROF; 0 stops it.
void setTimer(unsigned seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

uint64_t peakResidentBytes() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return uint64_t(usage.ru_maxrss) << 10;
}

class Fuzzer {
public:
  explicit Fuzzer(bool convert) : convert(convert) {}

  void tryModel(const std::string &bytes) {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    auto compilation = std::make_unique<driver::Compilation>(stream);
    driver::Compilation &own = *compilation;
    driver::StageSet stages;
    bool done = mlir::succeeded(
        own.importBytes({bytes.data(), bytes.size()}, "fuzz.onnx"));
    if (done && mlir::failed(mlir::verify(own.module())))
      fail("the importer made a module that does not verify");
    driver::CompileOptions options;
    if (done && convert)
      done = mlir::succeeded(own.lower(options, driver::Stage::Ppl)) &&
             mlir::succeeded(stages.add(std::move(compilation))) &&
             packs(stages, options);
    if (!done && printed.empty())
      fail("a refusal without a word");
    if (!done && own.failureCause().code() == rt::Code::Internal)
      fail("an internal error: " + printed);
    for (size_t at = 0, end; at < printed.size(); at = end + 1) {
      end = std::min(printed.find('\n', at), printed.size());
      std::string line = printed.substr(at, end - at);
      refusals.emplace(kindOf(line), line);
    }
    (done ? accepted : refused)++;
  }

  void writeRefusals(const char *path) const {
    std::ofstream file(path);
    for (const auto &[kind, line] : refusals)
      file << line << "\n";
  }

  uint64_t accepted = 0, refused = 0;

private:
  bool packs(driver::StageSet &stages, const driver::CompileOptions &options) {
    mlir::FailureOr<codegen::PackedFile> file = stages.pack(options);
    if (mlir::failed(file))
      return false;
    rt::Result<rt::Bmodel> model = rt::Bmodel::load(file->bytes(), "fuzz");
    if (!model)
      fail("the bmodel does not load: " + model.status().message());
    return true;
  }

  bool convert;
  std::map<std::string, std::string> refusals;
};

} // namespace

static bool readSeeds(const std::string &folder, fuzz::ModelMutator &mutator) {
  std::vector<std::string> files;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".onnx")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string &path : files) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)),
                      std::istreambuf_iterator<char>());
    if (!mutator.addSeed(bytes))
      std::printf("fuzz: %s is no ONNX model, left out\n", path.c_str());
  }
  return mutator.seeds() != 0;
}

int main(int argc, char **argv) {
  if (argc < 5) {
    std::fprintf(stderr,
                 "usage: %s import|convert FIRST COUNT FOLDER [REFUSALS]\n",
                 argv[0]);
    return 2;
  }
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGPROF, SIGILL})
    std::signal(signal, onSignal);
  rlimit limit = {kAddressBytes, kAddressBytes};
  ::setrlimit(RLIMIT_AS, &limit);
  fuzz::ModelMutator mutator;
  if (!readSeeds(argv[4], mutator)) {
    std::fprintf(stderr, "fuzz: %s has no .onnx file\n", argv[4]);
    return 2;
  }
  Fuzzer fuzzer(std::string(argv[1]) == "convert");
  uint64_t first = std::strtoull(argv[2], nullptr, 10);
  uint64_t count = std::strtoull(argv[3], nullptr, 10);
  for (uint64_t index = first; index < first + count; ++index) {
    currentModel = mutator.model(index);
    std::snprintf(currentPlace, sizeof currentPlace,
                  "fuzz: model %llu failed\n",
                  static_cast<unsigned long long>(index));
    setTimer(kSecondsPerModel);
    fuzzer.tryModel(currentModel);
    setTimer(0);
    if (uint64_t peak = peakResidentBytes(); peak > kResidentBytes)
      fail("a model took " + std::to_string(peak >> 20) + " MiB");
  }
  if (argc > 5)
    fuzzer.writeRefusals(argv[5]);
  std::printf("fuzz: %zu seeds, %llu models, %llu accepted, %llu refused\n",
              mutator.seeds(), static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(fuzzer.accepted),
              static_cast<unsigned long long>(fuzzer.refused));
  return 0;
}
