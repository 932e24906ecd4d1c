#include "runtime/bmodel/Certificate.h"
#include "runtime/bmodel/Combine.h"
#include "runtime/bmodel/Encryption.h"
#include "runtime/bmodel/StageWeights.h"
#include "runtime/bmodel/Strip.h"
#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"
#include "tools/files/JsonText.h"
#include "tools/files/OutputFile.h"
#include "tools/npz/ArrayFile.h"
#include "tools/npz/Npz.h"
#include "tools/weft/BmodelPrint.h"
#include "tools/weft/CipherLibrary.h"
#include "tools/weft/InputArrays.h"
#include "tools/weft/Program.h"
#include "tools/weft/ProgramListing.h"
#include "tools/weft/StandardInput.h"

#include <cstring>
#include <limits>
#include <map>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using rt::Code;
using rt::Result;
using rt::Status;

namespace {
struct BmodelFlags {
  std::vector<std::string> models;
  std::string output;
  std::string net;
  std::vector<size_t> stages;
  std::string replacement; ///< of --replace
  std::string library;     ///< of --library
  std::string name;        ///< of --to
  bool json = false;
};
} // namespace

/// `verb` stands in messages: "weft bmodel strip".
static Result<std::vector<rt::Bmodel>> loadModels(const BmodelFlags &flags,
                                                  const char *verb) {
  std::vector<rt::Bmodel> models;
  for (const std::string &path : flags.models) {
    WEFT_TRY(wantsBmodel(path, verb));
    Result<rt::Bmodel> model = rt::Bmodel::load(path);
    if (!model)
      return model.status();
    models.push_back(*std::move(model));
  }
  return models;
}

namespace {
/// The only model of `flags`, and the net that --net means.
struct LoadedNet {
  rt::Bmodel model;
  const rt::NetSpec *net; ///< of `model`, wherever that is moved
};
} // namespace

static Result<LoadedNet> loadNet(const BmodelFlags &flags, const char *verb) {
  Result<std::vector<rt::Bmodel>> models = loadModels(flags, verb);
  if (!models)
    return models.status();
  Result<const rt::NetSpec *> net = chooseNet(models->front(), flags.net);
  if (!net)
    return net.status();
  return LoadedNet{std::move(models->front()), *net};
}

static Status checkInputsKept(const BmodelFlags &flags) {
  std::vector<tools::NamedInput> inputs;
  for (const std::string &path : flags.models)
    inputs.push_back({"the model", path});
  if (!flags.replacement.empty())
    inputs.push_back({"the file of --replace", flags.replacement});
  if (!flags.library.empty())
    inputs.push_back({"the library", flags.library});
  return tools::checkInputsKept("--output", flags.output, inputs);
}

/// Whether `file` is `content` byte for byte.
static bool isSame(const rt::PackedFile &file, rt::ByteSpan content) {
  size_t at = 0;
  return file.size() == content.size &&
         file.write([&](const void *bytes, size_t size) {
           bool same = std::memcmp(content.data + at, bytes, size) == 0;
           at += size;
           return same;
         });
}

static void reportDropped(const rt::Bmodel &model) {
  reportRemark(model.path() +
               ": its certificate is left out, because the new file has other "
               "bytes; compare that again with --certify");
}

/// Writes `parts`. A certificate is of bytes, so it goes into the file only
/// where these are still the same.
static Status writeParts(rt::FileParts &parts, const std::string &output) {
  rt::PackedFile file = rt::pack(parts);
  rt::ByteSpan tail;
  for (const rt::Bmodel &model : parts.files) {
    if (!model.certificate())
      continue;
    rt::ByteSpan all = model.fileBytes(), content = rt::contentOf(all);
    if (parts.files.size() == 1 && isSame(file, content))
      tail = {all.data + content.size, all.size - content.size};
    else
      reportDropped(model);
  }
  return tools::writeOutputFile(output, [&](const tools::ByteSink &sink) {
    return file.write(sink) && sink(tail.data, tail.size);
  });
}

static Status combineVerb(const BmodelFlags &flags) {
  WEFT_TRY(checkInputsKept(flags));
  Result<std::vector<rt::Bmodel>> models =
      loadModels(flags, "weft bmodel combine");
  if (!models)
    return models.status();
  Result<rt::FileParts> parts = rt::combine(*models);
  return parts ? writeParts(*parts, flags.output) : parts.status();
}

static Status renameVerb(const BmodelFlags &flags) {
  WEFT_TRY(checkInputsKept(flags));
  if (const char *problem = rt::nameProblem(flags.name))
    return rt::fail(Code::InvalidArgument,
                    "--to " + rt::quoteName(flags.name) + " " + problem);
  Result<LoadedNet> loaded = loadNet(flags, "weft bmodel rename");
  if (!loaded)
    return loaded.status();
  const auto &[model, net] = *loaded;
  for (const rt::NetSpec &other : model.nets())
    if (&other != net && other.name == flags.name)
      return rt::fail(Code::InvalidArgument,
                      model.path() + ": has a net " +
                          rt::quoteName(flags.name) +
                          " already; give another name with --to");
  Result<rt::FileParts> parts = rt::takeApart(model);
  if (!parts)
    return parts.status();
  parts->tables.nets[size_t(net - model.nets().data())]->name = flags.name;
  return writeParts(*parts, flags.output);
}

/// One of --stage that the net does not have, or that is given twice.
static Status checkStages(const rt::Bmodel &model, const rt::NetSpec &net,
                          const std::vector<size_t> &stages) {
  std::vector<bool> isGiven(net.stages.size());
  for (size_t stage : stages) {
    if (stage >= net.stages.size())
      return rt::fail(Code::NotFound, model.path() + ": there is no stage " +
                                          std::to_string(stage) + "; net " +
                                          rt::quoteName(net.name) + " has " +
                                          std::to_string(net.stages.size()) +
                                          ", counted from 0");
    if (isGiven[stage])
      return rt::fail(Code::InvalidArgument,
                      "--stage " + std::to_string(stage) +
                          " is given twice; a net has a stage once");
    isGiven[stage] = true;
  }
  return Status::ok();
}

static Status extractVerb(const BmodelFlags &flags) {
  WEFT_TRY(checkInputsKept(flags));
  Result<LoadedNet> loaded = loadNet(flags, "weft bmodel extract");
  if (!loaded)
    return loaded.status();
  const auto &[model, net] = *loaded;
  WEFT_TRY(checkStages(model, *net, flags.stages));
  Result<rt::FileParts> parts = rt::extract(model, *net, flags.stages);
  return parts ? writeParts(*parts, flags.output) : parts.status();
}

/// The weights that --stage means, or the net's only ones.
static Result<rt::StageWeights> chooseWeights(const rt::Bmodel &model,
                                              const rt::NetSpec &net,
                                              const BmodelFlags &flags) {
  WEFT_TRY(checkStages(model, net, flags.stages));
  std::vector<rt::StageWeights> all = rt::weightsOf(net);
  std::string netText = model.path() + ": net " + rt::quoteName(net.name);
  if (flags.stages.empty()) {
    if (all.size() == 1)
      return all.front();
    return rt::fail(Code::NotFound, all.empty()
                                        ? netText + " has no weights"
                                        : netText + ": its stages have " +
                                              std::to_string(all.size()) +
                                              " different weights; choose with "
                                              "--stage");
  }
  for (rt::StageWeights &weights : all)
    for (size_t stage : weights.stages)
      if (stage == flags.stages.front())
        return std::move(weights);
  return rt::fail(Code::NotFound, netText + ": stage " +
                                      std::to_string(flags.stages.front()) +
                                      " has no weights");
}

static Result<numeric::HostTensor> asTensor(rt::ByteSpan bytes) {
  numeric::HostTensor tensor(numeric::ElementType::U8, {int64_t(bytes.size)});
  if (bytes.size != 0)
    std::memcpy(tensor.bytes(), bytes.data, bytes.size);
  return tensor;
}

/// The named parts as arrays of bytes: the file knows neither types nor shapes.
static Status writeNamed(const rt::Bmodel &model, const rt::StageSpec &stage,
                         const std::string &output) {
  std::vector<rt::NamedWeights> named = rt::namedWeights(stage);
  if (named.empty())
    return rt::fail(Code::NotFound,
                    model.path() +
                        ": the file names none of its weights, so that there "
                        "is nothing to call arrays by; write the bytes to a "
                        "file that is not called .npz");
  uint64_t all = 0;
  for (const rt::NamedWeights &part : named)
    all += part.bytes.size;
  if (all > stage.weightBytes.size)
    return rt::fail(Code::BadFile,
                    model.path() + ": the named parts of its weights overlap; "
                                   "write the bytes to a file that is not "
                                   "called .npz");
  // The vendor's compiler names parts by the kind of their layers.
  std::map<std::string_view, size_t> times;
  for (const rt::NamedWeights &part : named)
    ++times[part.name];
  std::vector<npz::ArraySource> arrays;
  for (const rt::NamedWeights &part : named) {
    std::string name(part.name);
    if (times[part.name] > 1)
      name += "@" + std::to_string(part.bytes.data - stage.weightBytes.data);
    arrays.push_back(
        {name, numeric::ElementType::U8, {int64_t(part.bytes.size)}, [&part] {
           return asTensor(part.bytes);
         }});
  }
  return npz::streamNpz(output, arrays);
}

static Status replaceWeights(const rt::Bmodel &model, const rt::NetSpec &net,
                             const rt::StageWeights &weights,
                             const BmodelFlags &flags) {
  Result<rt::FileBytes> file = rt::FileBytes::map(flags.replacement);
  if (!file)
    return file.status().withContext(flags.replacement);
  Result<rt::FileParts> parts = rt::takeApart(model);
  if (!parts)
    return parts.status();
  WEFT_TRY(rt::replaceWeights(*parts, size_t(&net - model.nets().data()),
                              weights.stages, file->span())
               .withContext(flags.replacement));
  return writeParts(*parts, flags.output);
}

static Status weightsVerb(const BmodelFlags &flags) {
  WEFT_TRY(checkInputsKept(flags));
  Result<LoadedNet> loaded = loadNet(flags, "weft bmodel weights");
  if (!loaded)
    return loaded.status();
  const auto &[model, net] = *loaded;
  Result<rt::StageWeights> weights = chooseWeights(model, *net, flags);
  if (!weights)
    return weights.status();
  if (!flags.replacement.empty())
    return replaceWeights(model, *net, *weights, flags);
  size_t stage =
      flags.stages.empty() ? weights->stages.front() : flags.stages.front();
  if (npz::isArchiveName(flags.output))
    return writeNamed(model, net->stages[stage], flags.output);
  return tools::writeOutputFile(flags.output, weights->bytes.data,
                                weights->bytes.size);
}

static std::string jsonLines(const Json &json) {
  return tools::jsonText(json, 2) + "\n";
}

/// The bytes that the file lost, by what they were.
static Json describeStripped(const rt::Bmodel &model,
                             const std::vector<rt::StrippedPart> &stripped,
                             uint64_t newBytes, const std::string &output) {
  uint64_t before = model.fileBytes().size, told = 0;
  Json json = {{"output_file", output},
               {"bytes_before", before},
               {"bytes", newBytes},
               {"removed", Json::array()}};
  auto add = [&](const char *name, uint64_t bytes) {
    json["removed"].push_back({{"name", name}, {"bytes", bytes}});
    told += bytes;
  };
  for (const rt::StrippedPart &part : stripped)
    add(part.name, part.bytes);
  add("certificate",
      model.certificate() ? before - rt::contentOf(model.fileBytes()).size : 0);
  // What no table named, and what filled pages.
  uint64_t lost = before > newBytes ? before - newBytes : 0;
  add("unused bytes", lost > told ? lost - told : 0);
  return json;
}

static std::string strippedText(const Json &json) {
  std::string text;
  for (const Json &part : json["removed"])
    if (part["bytes"] != 0)
      text += "  " + part["name"].get<std::string>() + ": " +
              part["bytes"].dump() + " bytes\n";
  return json["output_file"].get<std::string>() + ": " + json["bytes"].dump() +
         " bytes, were " + json["bytes_before"].dump() + "\n" + text;
}

static Result<std::string> stripVerb(const BmodelFlags &flags) {
  WEFT_TRY(checkInputsKept(flags));
  Result<std::vector<rt::Bmodel>> models =
      loadModels(flags, "weft bmodel strip");
  if (!models)
    return models.status();
  Result<rt::FileParts> parts = rt::takeApart(models->front());
  if (!parts)
    return parts.status();
  std::vector<rt::StrippedPart> stripped = rt::strip(*parts);
  rt::PackedFile file = rt::pack(*parts);
  WEFT_TRY(
      tools::writeOutputFile(flags.output, [&](const tools::ByteSink &sink) {
        return file.write(sink);
      }));
  // The file itself goes to stdout.
  if (flags.output == "-")
    return std::string();
  Json json =
      describeStripped(models->front(), stripped, file.size(), flags.output);
  return flags.json ? jsonLines(json) : strippedText(json);
}

/// The places of the nets to encrypt: the one of --net, or all.
static Result<std::vector<size_t>> netsToEncrypt(const rt::Bmodel &model,
                                                 const std::string &name) {
  std::vector<size_t> places;
  if (name.empty()) {
    for (size_t i = 0; i < model.nets().size(); ++i)
      places.push_back(i);
    return places;
  }
  Result<const rt::NetSpec *> net = chooseNet(model, name);
  if (!net)
    return net.status();
  places.push_back(size_t(*net - model.nets().data()));
  return places;
}

static Status encryptVerb(const BmodelFlags &flags) {
  WEFT_TRY(checkInputsKept(flags));
  Result<std::vector<rt::Bmodel>> models =
      loadModels(flags, "weft bmodel encrypt");
  if (!models)
    return models.status();
  const rt::Bmodel &model = models->front();
  Result<std::vector<size_t>> nets = netsToEncrypt(model, flags.net);
  if (!nets)
    return nets.status();
  Result<rt::Cipher> cipher = loadCipher(flags.library, "encrypt");
  if (!cipher)
    return cipher.status();
  Result<rt::FileParts> parts = rt::takeApart(model);
  if (!parts)
    return parts.status();
  Result<std::vector<uint8_t>> bytes = rt::encryptFile(*parts, *nets, *cipher);
  if (!bytes)
    return bytes.status().withContext(model.path());
  if (model.certificate())
    reportDropped(model);
  return tools::writeOutputFile(flags.output, bytes->data(), bytes->size());
}

static Status decryptVerb(const BmodelFlags &flags) {
  WEFT_TRY(checkInputsKept(flags));
  Result<std::vector<uint8_t>> bytes =
      decryptModel(flags.models.front(), flags.library);
  if (!bytes)
    return bytes.status();
  // Whoever hid the file may have hidden anything.
  Result<rt::Bmodel> model = rt::Bmodel::load(*bytes, flags.models.front());
  if (!model)
    return model.status();
  return tools::writeOutputFile(flags.output, bytes->data(), bytes->size());
}

static Result<std::string> printVerb(const BmodelFlags &flags) {
  Result<std::vector<rt::Bmodel>> models =
      loadModels(flags, "weft bmodel print");
  if (!models)
    return models.status();
  Result<Json> json = describeTables(models->front());
  if (!json)
    return json.status();
  return flags.json ? jsonLines(*json) : tablesText(*json);
}

static ExitCode finish(const Result<std::string> &text) {
  if (!text)
    return reportError(text.status());
  return text->empty() ? ExitCode::Ok : printText(*text);
}

static ExitCode finish(const Status &status) {
  return status ? ExitCode::Ok : reportError(status);
}

static void addOutput(CLI::App &verb, std::string &output,
                      const std::string &what) {
  verb.add_option("-o,--output", output, what + ", - for stdout")
      ->required()
      ->type_name("FILE");
}

static void addModel(CLI::App &verb, std::vector<std::string> &models) {
  mayBeStandardInput(
      verb.add_option("bmodel", models, "The model ('-': stdin)"))
      ->required()
      ->expected(1)
      ->type_name("FILE");
}

static void addNet(CLI::App &verb, std::string &net) {
  verb.add_option("--net", net, "Which net, if there are several")
      ->check(nonEmptyValue())
      ->type_name("NAME");
}

static CLI::Option *addStages(CLI::App &verb, std::vector<size_t> &stages,
                              const std::string &what) {
  return verb.add_option("--stage", stages, what)
      ->check(CLI::Range(0, std::numeric_limits<int>::max()))
      ->allow_extra_args(false)
      ->type_name("N");
}

static void addCombineVerb(Program &program, CLI::App &command) {
  auto flags = std::make_shared<BmodelFlags>();
  CLI::App &verb = program.addVerb(
      command, "combine",
      "Put the nets of several files into one; nets of one name and of equal "
      "interfaces in different shapes become stages of one net",
      {"weft bmodel combine det.bmodel rec.bmodel -o ocr.bmodel"},
      [flags] { return finish(combineVerb(*flags)); });
  mayBeStandardInput(
      verb.add_option("bmodels", flags->models, "The models ('-': stdin)"))
      ->required()
      ->type_name("FILE..");
  addOutput(verb, flags->output, "The file of all of them");
}

static void addRenameVerb(Program &program, CLI::App &command) {
  auto flags = std::make_shared<BmodelFlags>();
  CLI::App &verb = program.addVerb(
      command, "rename",
      "Give a net another name; those that weft convert writes are 'main'",
      {"weft bmodel rename det.bmodel --to det -o det.bmodel2"},
      [flags] { return finish(renameVerb(*flags)); });
  addModel(verb, flags->models);
  addNet(verb, flags->net);
  verb.add_option("--to", flags->name, "The new name")
      ->required()
      ->check(nonEmptyValue())
      ->type_name("NAME");
  addOutput(verb, flags->output, "The file with the new name");
}

static void addExtractVerb(Program &program, CLI::App &command) {
  auto flags = std::make_shared<BmodelFlags>();
  CLI::App &verb = program.addVerb(
      command, "extract", "Make a file of one net, or of some of its stages",
      {"weft bmodel extract ocr.bmodel --net det -o det.bmodel",
       "weft bmodel extract net.bmodel --stage 2 -o large.bmodel"},
      [flags] { return finish(extractVerb(*flags)); });
  addModel(verb, flags->models);
  addNet(verb, flags->net);
  addStages(verb, flags->stages,
            "Only this stage; may be repeated, for stages in this order");
  addOutput(verb, flags->output, "The file of the net");
}

static void addWeightsVerb(Program &program, CLI::App &command) {
  auto flags = std::make_shared<BmodelFlags>();
  CLI::App &verb = program.addVerb(
      command, "weights",
      "Write the weights of a net to a file, or a model with other ones",
      {"weft bmodel weights cls.bmodel -o weights.bin",
       "weft bmodel weights cls.bmodel -o weights.npz",
       "weft bmodel weights cls.bmodel --replace weights.bin -o new.bmodel"},
      [flags] { return finish(weightsVerb(*flags)); });
  addModel(verb, flags->models);
  addNet(verb, flags->net);
  addStages(verb, flags->stages,
            "The weights of this stage, if not all have the same")
      ->expected(1);
  mayBeStandardInput(
      verb.add_option("--replace", flags->replacement,
                      "Make a model that has these bytes as its weights, as "
                      "many as it has ('-': stdin)"))
      ->check(nonEmptyValue())
      ->type_name("FILE.bin");
  addOutput(verb, flags->output,
            "The weights as they lie in memory; FILE.npz: those that the model "
            "names, as arrays of bytes; with --replace: the new model");
}

static void addStripVerb(Program &program, CLI::App &command) {
  auto flags = std::make_shared<BmodelFlags>();
  CLI::App &verb = program.addVerb(
      command, "strip",
      "Take out what no runtime needs: debug map, decisions, conversion "
      "record, names of weights, certificate, unused bytes",
      {"weft bmodel strip cls.bmodel -o small.bmodel"},
      [flags] { return finish(stripVerb(*flags)); });
  addModel(verb, flags->models);
  addOutput(verb, flags->output, "The file without them");
  verb.add_flag("--json", flags->json,
                "Print what was taken out as JSON (nothing is printed when the "
                "file goes to stdout)");
}

static void addPrintVerb(Program &program, CLI::App &command) {
  auto flags = std::make_shared<BmodelFlags>();
  CLI::App &verb = program.addVerb(
      command, "print",
      "Show every field of the file's tables, and where its bytes lie",
      {"weft bmodel print cls.bmodel", "weft bmodel print cls.bmodel --json"},
      [flags] { return finish(printVerb(*flags)); });
  addModel(verb, flags->models);
  verb.add_flag("--json", flags->json, "Print as JSON");
}

static void addLibrary(CLI::App &verb, std::string &library,
                       const std::string &symbol) {
  verb.add_option("--library", library,
                  "A library whose function " + symbol +
                      "() does it; its code runs inside weft")
      ->required()
      ->check(nonEmptyValue())
      ->type_name("LIB.so");
}

static void addEncryptVerb(Program &program, CLI::App &command) {
  auto flags = std::make_shared<BmodelFlags>();
  CLI::App &verb = program.addVerb(
      command, "encrypt",
      "Hide tables and weights by a library of yours, as libbmrt decrypts them",
      {"weft bmodel encrypt cls.bmodel --library ./cipher.so -o hidden.bmodel"},
      [flags] { return finish(encryptVerb(*flags)); });
  addModel(verb, flags->models);
  verb.add_option("--net", flags->net,
                  "The net whose weights are encrypted (default: all)")
      ->check(nonEmptyValue())
      ->type_name("NAME");
  addLibrary(verb, flags->library, "encrypt");
  addOutput(verb, flags->output, "The encrypted file");
}

static void addDecryptVerb(Program &program, CLI::App &command) {
  auto flags = std::make_shared<BmodelFlags>();
  CLI::App &verb = program.addVerb(
      command, "decrypt", "Make a plain file of an encrypted one",
      {"weft bmodel decrypt hidden.bmodel --library ./cipher.so -o cls.bmodel"},
      [flags] { return finish(decryptVerb(*flags)); });
  addModel(verb, flags->models);
  addLibrary(verb, flags->library, "decrypt");
  addOutput(verb, flags->output, "The plain file");
}

void cli::addBmodelCommand(Program &program) {
  CLI::App &command = program.addCommand(
      "bmodel",
      "Combine bmodels, take them apart, strip them, look into them and change "
      "their weights",
      {"weft bmodel combine det.bmodel rec.bmodel -o ocr.bmodel",
       "weft bmodel extract ocr.bmodel --net det -o det.bmodel",
       "weft bmodel print ocr.bmodel"},
      nullptr);
  command.require_subcommand(0, 1);
  addCombineVerb(program, command);
  addRenameVerb(program, command);
  addExtractVerb(program, command);
  addWeightsVerb(program, command);
  addStripVerb(program, command);
  addPrintVerb(program, command);
  addEncryptVerb(program, command);
  addDecryptVerb(program, command);
}
