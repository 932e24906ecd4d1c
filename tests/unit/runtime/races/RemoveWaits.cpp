//===- RemoveWaits.cpp - takes waits out of bmodels -----------------------===//
//
//   remove_waits SEED COUNT FILE.bmodel ..
//
// Of each file: the program as it is must have no race, and give the same
// outputs in every order of the engines. Then waits are lowered, one at a time
// in an order drawn by SEED, until COUNT needed ones were: a wait is needed if
// without it some order gives other outputs. That is found by running, without
// the search for races; which must then find a race in each of these programs.
//
// Prints for each file "NAME commands=N seconds=S tried=N needed=N found=N
// named=N" (named: one of the missing waits reported is that of the command
// whose wait was lowered), the first misses, and exits with 1 if something is
// not as it must be.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/EmulatorDevice.h"
#include "runtime/numeric/SplitMix64.h"
#include "runtime/races/Races.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

using namespace weft;

namespace {

using Bytes = std::vector<uint8_t>;

/// Values of about 1 where floats are stored, so that nothing drowns.
Bytes drawInput(const rt::TensorSpec &tensor, uint64_t &random) {
  Bytes bytes(tensor.storedBytes);
  for (uint8_t &byte : bytes)
    byte = uint8_t(numeric::nextRandom(random));
  unsigned size = numeric::elementBytes(tensor.storedType);
  for (size_t i = size - 1; i < bytes.size(); i += size)
    switch (tensor.storedType) {
    case numeric::ElementType::F32:
    case numeric::ElementType::BF16:
      bytes[i] = (bytes[i] & 0x80) | 0x3f;
      break;
    case numeric::ElementType::F16:
      bytes[i] = (bytes[i] & 0x83) | 0x38;
      break;
    case numeric::ElementType::I32: // names rows of a table
      bytes[i] = bytes[i - 1] = bytes[i - 2] = 0;
      break;
    default:
      break;
    }
  return bytes;
}

/// A command that waits.
struct Wait {
  size_t group;
  isa::Engine engine;
  uint32_t index, dep;
  const uint8_t *word;
  const isa::FormSpec *form;
};

class File {
public:
  static rt::Result<File> load(const std::string &path, uint64_t seed) {
    File file;
    rt::Result<rt::Bmodel> model = rt::Bmodel::load(path);
    if (!model)
      return model.status();
    file.model = *model;
    uint64_t random = seed;
    for (const rt::TensorSpec &input : stageOf(*model).inputs)
      file.inputs.push_back(drawInput(input, random));
    return file;
  }

  static const rt::StageSpec &stageOf(const rt::Bmodel &model) {
    return model.nets()[0].stages[0];
  }
  const rt::Bmodel &original() const { return *model; }

  /// Its outputs in an order; std::nullopt: it does not run.
  std::optional<std::vector<Bytes>> run(const rt::Bmodel &program,
                                        emulator::Order order) const {
    auto device = rt::EmulatorDevice::open(program, program.nets()[0], 0);
    if (!device)
      return std::nullopt;
    (*device)->setOrder(order);
    std::vector<Bytes> outputs;
    std::vector<rt::ByteSpan> from;
    std::vector<rt::MutableBytes> to;
    for (const Bytes &input : inputs)
      from.push_back({input.data(), input.size()});
    for (const rt::TensorSpec &output : stageOf(program).outputs)
      outputs.emplace_back(output.storedBytes);
    for (Bytes &output : outputs)
      to.push_back({output.data(), output.size()});
    if (!(*device)->run(from, to))
      return std::nullopt;
    return outputs;
  }

  /// Those that say more than the waits of the commands before.
  std::vector<Wait> waits() const {
    std::vector<Wait> all;
    const rt::StageSpec &stage = stageOf(*model);
    for (size_t group = 0; group < stage.groups.size(); ++group)
      for (isa::Engine engine : {isa::Engine::Tiu, isa::Engine::Gdma}) {
        const rt::GroupSpec &spec = stage.groups[group];
        rt::ByteSpan bytes = engine == isa::Engine::Tiu ? spec.tiu : spec.gdma;
        uint32_t known = 0;
        for (const isa::Decoded &command :
             isa::decodeStream(*model->chip().instructions, engine, bytes.data,
                               bytes.size)
                 .commands)
          if (command.dep() > known) {
            known = command.dep();
            all.push_back({group, engine, command.id() - 1, command.dep(),
                           command.bytes, command.spec});
          }
      }
    return all;
  }

  rt::Result<rt::Bmodel> lowered(const Wait &wait, uint32_t dep) const {
    rt::ByteSpan whole = model->fileBytes();
    Bytes bytes(whole.data, whole.data + whole.size);
    wait.form->set(bytes.data() + (wait.word - whole.data),
                   isa::Field::cmd_id_dep, dep);
    return rt::Bmodel::load(std::move(bytes), "lowered");
  }

private:
  std::optional<rt::Bmodel> model;
  std::vector<Bytes> inputs;
};

class Experiment {
public:
  Experiment(File file, const std::string &name)
      : file(std::move(file)), name(name) {}

  bool run(uint64_t seed, size_t count) {
    const rt::Bmodel &model = file.original();
    auto begin = std::chrono::steady_clock::now();
    auto honest = races::findRaces(File::stageOf(model), model.chip());
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - begin;
    if (!honest)
      return fail(honest.status().message());
    for (const races::Race &race : honest->races)
      fail("as it is: " + races::raceText(race));
    wanted = file.run(model, {});
    if (!wanted)
      return fail("does not run");
    for (emulator::Order order : orders())
      if (file.run(model, order) != wanted)
        fail("another order gives other outputs");
    std::vector<Wait> waits = file.waits();
    for (size_t i = waits.size(); i > 1; --i)
      std::swap(waits[i - 1], waits[numeric::nextRandom(seed) % i]);
    for (const Wait &wait : waits) {
      if (needed == count)
        break;
      // Lost as a whole, or waiting for a command too early.
      tryWait(wait, numeric::nextRandom(seed) % 2 ? 0 : wait.dep - 1);
    }
    std::printf("%s commands=%zu seconds=%.3f tried=%zu needed=%zu found=%zu "
                "named=%zu\n",
                name.c_str(), size_t(honest->commands), seconds.count(), tried,
                needed, found, named);
    return failures == 0;
  }

private:
  static std::vector<emulator::Order> orders() {
    std::vector<emulator::Order> all = {{emulator::Schedule::Alternating}};
    for (uint64_t number : {0, 1, 2, 3})
      all.push_back(emulator::adversarialOrder(number));
    return all;
  }

  void tryWait(const Wait &wait, uint32_t dep) {
    ++tried;
    rt::Result<rt::Bmodel> lowered = file.lowered(wait, dep);
    if (!lowered) {
      fail(lowered.status().message());
      return;
    }
    bool differs = false;
    for (emulator::Order order : orders())
      differs = differs || file.run(*lowered, order) != wanted;
    if (!differs)
      return;
    ++needed;
    auto races = races::findRaces(File::stageOf(*lowered), lowered->chip());
    if (!races || races->races.empty()) {
      fail("group " + std::to_string(wait.group) + " " +
           std::string(isa::engineName(wait.engine)) + " command " +
           std::to_string(wait.index) + ", whose wait for " +
           std::to_string(wait.dep) + " became one for " + std::to_string(dep) +
           ": no race was found");
      return;
    }
    ++found;
    named += std::any_of(
        races->races.begin(), races->races.end(), [&](const races::Race &race) {
          return race.group == wait.group && race.second.index == wait.index &&
                 race.second.command.engine == wait.engine;
        });
  }

  bool fail(const std::string &text) {
    if (++failures <= 10)
      std::printf("%s: FAILED %s\n", name.c_str(), text.c_str());
    return false;
  }

  File file;
  std::string name;
  std::optional<std::vector<Bytes>> wanted;
  size_t tried = 0, needed = 0, found = 0, named = 0, failures = 0;
};

} // namespace

int main(int count, char **arguments) {
  if (count < 4)
    return 2;
  uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
  size_t needed = std::strtoull(arguments[2], nullptr, 10);
  bool passed = true;
  for (int i = 3; i < count; ++i) {
    std::string path = arguments[i];
    rt::Result<File> file = File::load(path, seed);
    if (!file) {
      std::printf("%s\n", file.status().message().c_str());
      passed = false;
      continue;
    }
    Experiment experiment(*std::move(file), path.substr(path.rfind('/') + 1));
    passed &= experiment.run(seed, needed);
  }
  return passed ? 0 : 1;
}
