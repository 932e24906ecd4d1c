#include "runtime/numeric/CarrierTypes.h"
#include "runtime/numeric/ConvertValues.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/weft/NpzVerbs.h"
#include "tools/weft/StandardInput.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

using namespace weft;
using namespace weft::cli;
using npz::ArrayFile;
using npz::ArraySource;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Code;
using rt::Result;
using rt::Status;

namespace {

/// What every verb that writes arrays has.
struct EditFlags {
  std::vector<std::string> files; ///< one, but for merge
  std::vector<std::string> words; ///< names, or NAME=VALUE
  std::string output;
  std::optional<ElementType> type, from;
  bool keepsBits = false, replaces = false;
};

using Files = std::vector<std::unique_ptr<ArrayFile>>;
using Sources = std::vector<ArraySource>;
/// Makes what is written of what is read, which outlives it.
using Edit = std::function<Result<Sources>(const EditFlags &, const Files &)>;

} // namespace

static ArraySource sourceOf(const ArrayFile &file, const std::string &name) {
  return {name, file.type(name), file.shape(name),
          [&file, name] { return file.read(name); }, file.isText(name)};
}

static Sources sourcesOf(const ArrayFile &file) {
  Sources sources;
  for (const std::string &name : file.names())
    sources.push_back(sourceOf(file, name));
  return sources;
}

static ArraySource &find(Sources &sources, const std::string &name) {
  return *std::find_if(
      sources.begin(), sources.end(),
      [&](const ArraySource &source) { return source.name == name; });
}

/// Fails for strings, which only whole arrays of are moved.
static Status checkNumbers(const ArrayFile &file, const ArraySource &source) {
  return source.isText
             ? rt::fail(Code::TypeMismatch,
                        file.path() + ": array " + rt::quoteName(source.name) +
                            " is of strings; name an array of numbers")
             : Status::ok();
}

static Status usageProblem(const std::string &word, const char *usage) {
  return rt::fail(Code::InvalidArgument,
                  rt::quoteName(word) + " is no " + usage);
}

/// NAME=VALUE, where both may have a '=' themselves: NAME is an array.
static Result<std::pair<std::string, std::string>>
splitWord(const ArrayFile &file, const std::string &word, const char *usage) {
  std::optional<std::pair<std::string, std::string>> found;
  std::string first;
  for (size_t at = word.find('='); at != word.npos;
       at = word.find('=', at + 1)) {
    std::string name = word.substr(0, at);
    if (first.empty())
      first = name;
    if (!file.has(name))
      continue;
    if (found)
      return rt::fail(Code::InvalidArgument,
                      rt::quoteName(word) + " may mean several arrays");
    found = {name, word.substr(at + 1)};
  }
  if (found && !found->second.empty())
    return *found;
  if (first.empty() || found)
    return usageProblem(word, usage);
  return checkHas(file, first);
}

/// "2x-1x3" or "0,2,1" as numbers of at most nine digits.
static std::optional<std::vector<int64_t>> parseNumbers(const std::string &text,
                                                        char separator) {
  std::vector<int64_t> numbers;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(separator, at), text.size());
    std::string word = text.substr(at, end - at);
    bool isRest = word == "-1";
    if (!isRest && (word.empty() || word.size() > 9 ||
                    word.find_first_not_of("0123456789") != word.npos))
      return std::nullopt;
    numbers.push_back(isRest ? -1 : std::stoll(word));
    at = end + 1;
  }
  return numbers;
}

/// Fills in the one axis that is -1; false if the shape has other elements.
static bool completeShape(std::vector<int64_t> &shape, int64_t elements) {
  auto rest = std::find(shape.begin(), shape.end(), -1);
  if (rest != shape.end()) {
    *rest = 1;
    std::optional<int64_t> others = numeric::elementCount(shape);
    if (!others || *others == 0 || elements % *others != 0)
      return false;
    *rest = elements / *others;
  }
  return numeric::elementCount(shape) == elements;
}

static Result<Sources> reshape(const EditFlags &flags, const Files &files) {
  const ArrayFile &file = *files[0];
  Sources sources = sourcesOf(file);
  constexpr const char *kUsage = "NAME=2x3x-1, or NAME=scalar";
  for (const std::string &word : flags.words) {
    auto split = splitWord(file, word, kUsage);
    if (!split)
      return split.status();
    std::optional<std::vector<int64_t>> shape = std::vector<int64_t>();
    if (split->second != "scalar")
      shape = parseNumbers(split->second, 'x');
    if (!shape)
      return usageProblem(word, kUsage);
    ArraySource &source = find(sources, split->first);
    WEFT_TRY(checkNumbers(file, source));
    if (!completeShape(*shape, *numeric::elementCount(source.shape)))
      return rt::fail(Code::ShapeMismatch,
                      file.path() + ": array " + rt::quoteName(split->first) +
                          " is " + numeric::shapeText(source.shape) + ", " +
                          split->second + " has other elements");
    source.shape = *shape;
    source.read = [read = source.read, shape = *shape]() -> Result<HostTensor> {
      Result<HostTensor> tensor = read();
      if (tensor)
        (void)tensor->reshape(shape);
      return tensor;
    };
  }
  return sources;
}

/// Axis i of the result is axis order[i] of `tensor`.
static HostTensor permuted(const HostTensor &tensor,
                           const std::vector<int64_t> &order) {
  const size_t rank = order.size();
  std::vector<int64_t> strides(rank, 1), shape, steps, index(rank, 0);
  for (size_t axis = rank; axis-- > 1;)
    strides[axis - 1] = strides[axis] * tensor.shape()[axis];
  for (int64_t axis : order) {
    shape.push_back(tensor.shape()[size_t(axis)]);
    steps.push_back(strides[size_t(axis)]);
  }
  HostTensor result(tensor.type(), shape);
  const size_t bytes = numeric::elementBytes(tensor.type());
  int64_t from = 0;
  for (int64_t at = 0; at < result.elements(); ++at) {
    std::memcpy(result.bytes() + size_t(at) * bytes,
                tensor.bytes() + size_t(from) * bytes, bytes);
    for (size_t axis = rank; axis-- > 0;) {
      from += steps[axis];
      if (++index[axis] < shape[axis])
        break;
      from -= steps[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}

static Result<Sources> permute(const EditFlags &flags, const Files &files) {
  const ArrayFile &file = *files[0];
  Sources sources = sourcesOf(file);
  for (const std::string &word : flags.words) {
    auto split = splitWord(file, word, "NAME=0,2,3,1");
    if (!split)
      return split.status();
    ArraySource &source = find(sources, split->first);
    WEFT_TRY(checkNumbers(file, source));
    auto order = parseNumbers(split->second, ',');
    std::vector<int64_t> axes(source.shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (!order || !std::is_permutation(axes.begin(), axes.end(), order->begin(),
                                       order->end()))
      return rt::fail(Code::InvalidArgument,
                      rt::quoteName(word) + ": the shape is " +
                          numeric::shapeText(source.shape) +
                          "; name each of its axes, counted from 0, once");
    std::vector<int64_t> shape;
    for (int64_t axis : *order)
      shape.push_back(source.shape[size_t(axis)]);
    source.shape = shape;
    source.read = [read = source.read, order = *order]() -> Result<HostTensor> {
      Result<HostTensor> tensor = read();
      return tensor ? permuted(*tensor, order) : tensor;
    };
  }
  return sources;
}

static Result<Sources> renameArrays(const EditFlags &flags,
                                    const Files &files) {
  std::map<std::string, std::string> names;
  for (const std::string &word : flags.words) {
    auto split = splitWord(*files[0], word, "OLD=NEW");
    if (!split)
      return split.status();
    if (!names.insert(*split).second)
      return rt::fail(Code::InvalidArgument,
                      rt::quoteName(split->first) + " is renamed twice");
  }
  // All at once, so that two can change places.
  Sources sources = sourcesOf(*files[0]);
  for (ArraySource &source : sources)
    if (auto found = names.find(source.name); found != names.end())
      source.name = found->second;
  return sources;
}

static Result<Sources> extract(const EditFlags &flags, const Files &files) {
  Sources sources;
  for (const std::string &name : flags.words) {
    WEFT_TRY(checkHas(*files[0], name));
    sources.push_back(sourceOf(*files[0], name));
  }
  return sources;
}

static Result<Sources> removeArrays(const EditFlags &flags,
                                    const Files &files) {
  for (const std::string &name : flags.words)
    WEFT_TRY(checkHas(*files[0], name));
  Sources sources;
  for (const std::string &name : files[0]->names())
    if (std::find(flags.words.begin(), flags.words.end(), name) ==
        flags.words.end())
      sources.push_back(sourceOf(*files[0], name));
  return sources;
}

static Result<Sources> merge(const EditFlags &flags, const Files &files) {
  Sources sources;
  std::map<std::string, size_t> places;
  for (const std::unique_ptr<ArrayFile> &file : files)
    for (const std::string &name : file->names()) {
      auto [place, isNew] = places.emplace(name, sources.size());
      if (isNew) {
        sources.push_back(sourceOf(*file, name));
        continue;
      }
      if (!flags.replaces)
        return rt::fail(Code::InvalidArgument,
                        file->path() + ": array " + rt::quoteName(name) +
                            " is in a file before it, too; rename it, or take "
                            "the last with --replace");
      sources[place->second] = sourceOf(*file, name);
    }
  return sources;
}

/// `source` in `type`. `from` says what u16 and u8 patterns stand for.
static Result<HostTensor> castArray(const std::string &where,
                                    const ArraySource &source,
                                    std::optional<ElementType> from,
                                    ElementType type, bool keepsBits) {
  Result<HostTensor> tensor = source.read();
  if (!tensor)
    return tensor;
  if (from && !numeric::fromCarrier(*tensor, *from))
    return rt::fail(Code::OutOfRange, where +
                                          " has values out of the range of " +
                                          numeric::elementTypeName(*from));
  if (auto place = numeric::convertValues(*tensor, type))
    return rt::fail(Code::OutOfRange,
                    where + " is " + numeric::elementText(*tensor, *place) +
                        " at " + numeric::placeText(tensor->shape(), *place) +
                        ", which " + numeric::elementTypeName(type) +
                        " does not have");
  if (!keepsBits || numeric::carrierType(type) == type)
    return tensor;
  HostTensor bits(numeric::elementBytes(type) == 2 ? ElementType::U16
                                                   : ElementType::U8,
                  tensor->shape());
  if (bits.sizeBytes())
    std::memcpy(bits.bytes(), tensor->bytes(), bits.sizeBytes());
  return bits;
}

/// Makes a cast of `source`; `file` is for messages.
static Status castSource(const ArrayFile &file, const EditFlags &flags,
                         ElementType type, ArraySource &source) {
  WEFT_TRY(checkNumbers(file, source));
  const std::string where =
      file.path() + ": array " + rt::quoteName(source.name);
  ElementType given = source.type;
  if (flags.from && !numeric::carries(given, *flags.from))
    return rt::fail(Code::TypeMismatch,
                    where + " is " + numeric::elementTypeName(given) +
                        ", which cannot stand for " +
                        numeric::elementTypeName(*flags.from));
  given = flags.from.value_or(given);
  if (!numeric::convertsByValue(given, type))
    return rt::fail(Code::TypeMismatch, where + " is " +
                                            numeric::elementTypeName(given) +
                                            ", which cannot become " +
                                            numeric::elementTypeName(type));
  bool keepsBits = flags.keepsBits && numeric::carrierType(type) != type;
  source.read = [=, from = flags.from, before = source] {
    return castArray(where, before, from, type, keepsBits);
  };
  source.type = !keepsBits                         ? type
                : numeric::elementBytes(type) == 2 ? ElementType::U16
                                                   : ElementType::U8;
  return Status::ok();
}

static Result<Sources> cast(const EditFlags &flags, const Files &files) {
  Sources sources = sourcesOf(*files[0]);
  for (const std::string &name : flags.words)
    WEFT_TRY(checkHas(*files[0], name));
  for (ArraySource &source : sources)
    if (flags.words.empty() || std::find(flags.words.begin(), flags.words.end(),
                                         source.name) != flags.words.end())
      WEFT_TRY(castSource(*files[0], flags, *flags.type, source));
  return sources;
}

static Status writeNpyOutput(const EditFlags &flags, const Sources &sources) {
  if (sources.size() != 1)
    return rt::failf(Code::InvalidArgument,
                     "%s: %zu arrays, a .npy file has one; name it",
                     flags.files[0].c_str(), sources.size());
  Result<HostTensor> tensor = sources[0].read();
  return tensor ? npz::writeNpy(flags.output, *tensor, sources[0].isText)
                : tensor.status();
}

static Status writeBytes(const EditFlags &flags, const Sources &sources) {
  Status problem;
  Status written =
      tools::writeOutputFile(flags.output, [&](const tools::ByteSink &sink) {
        for (const ArraySource &source : sources) {
          Result<HostTensor> tensor = source.read();
          if (!tensor) {
            problem = tensor.status();
            return false;
          }
          if (tensor->sizeBytes() &&
              !sink(tensor->bytes(), tensor->sizeBytes()))
            return false;
        }
        return true;
      });
  return problem ? written : problem;
}

/// Arrays that are named, or all, in the type that is asked for.
static Result<Sources> choose(const EditFlags &flags, const Files &files) {
  Result<Sources> sources = flags.words.empty()
                                ? Result<Sources>(sourcesOf(*files[0]))
                                : extract(flags, files);
  if (sources && flags.type)
    for (ArraySource &source : *sources)
      WEFT_TRY(castSource(*files[0], flags, *flags.type, source));
  return sources;
}

static Status writeArchive(const EditFlags &flags, const Sources &sources) {
  return npz::streamNpz(flags.output, sources);
}

using Write = Status (*)(const EditFlags &, const Sources &);

static ExitCode editCommand(const EditFlags &flags, const Edit &edit,
                            Write write) {
  Files files;
  for (const std::string &path : flags.files) {
    if (Status status = tools::checkInputsKept("--output", flags.output,
                                               {{"the arrays", path}});
        !status)
      return reportError(status);
    Result<std::unique_ptr<ArrayFile>> file = ArrayFile::open(path);
    if (!file)
      return reportError(file.status());
    files.push_back(*std::move(file));
  }
  Result<Sources> sources = edit(flags, files);
  Status status = sources ? write(flags, *sources) : sources.status();
  return status ? ExitCode::Ok : reportError(status);
}

namespace {

/// A verb of one file and words.
struct Verb {
  const char *name, *description, *example;
  Edit edit;
  Write write = writeArchive;
  const char *output = "FILE.npz";
  const char *words, *wordsHelp, *wordsType;
  bool needsWords = true;
};

} // namespace

static CLI::App &addEdit(Program &program, CLI::App &npz, const Verb &verb,
                         EditFlags *&flags) {
  auto shared = std::make_shared<EditFlags>();
  flags = shared.get();
  flags->files.resize(1);
  CLI::App &command =
      program.addVerb(npz, verb.name, verb.description, {verb.example},
                      [shared, edit = verb.edit, write = verb.write] {
                        return editCommand(*shared, edit, write);
                      });
  addArrayFile(command, flags->files[0]);
  command.add_option(verb.words, flags->words, verb.wordsHelp)
      ->required(verb.needsWords)
      ->type_name(verb.wordsType);
  addNpzOutput(command, flags->output, verb.output);
  return command;
}

static CLI::Option *addTypeFlag(CLI::App &command, const std::string &name,
                                std::optional<ElementType> &type,
                                const std::string &help) {
  return command
      .add_option_function<std::string>(
          name,
          [name, &type](const std::string &text) {
            type = numeric::parseElementType(text);
            if (!type)
              throw CLI::ValidationError(
                  name, "'" + text +
                            "' is no type; f32, f16, bf16, f64, bool, i8, u8, "
                            ".. u64 are");
          },
          help)
      ->type_name("TYPE");
}

static void addCasts(Program &program, CLI::App &npz) {
  EditFlags *flags = nullptr;
  CLI::App &cast = addEdit(
      program, npz,
      {"cast",
       "Give arrays another element type; among floats values are rounded, "
       "else they must be exact",
       "weft npz cast values.npz --dtype f16 -o half.npz", ::cast, writeArchive,
       "FILE.npz", "names", "Arrays that are cast (default: all)", "NAME",
       false},
      flags);
  addTypeFlag(cast, "--dtype", flags->type, "The new type")->required();
  addTypeFlag(cast, "--from", flags->from,
              "What the arrays stand for: bf16 for bit patterns in u16");
  cast.add_flag("--bits", flags->keepsBits,
                "Types that NumPy lacks as bit patterns, bf16 as u16, in place "
                "of values");
  CLI::App &bytes = addEdit(
      program, npz,
      {"to-bin",
       "Write the elements of arrays one after the other, little-endian, "
       "without a header",
       "weft npz to-bin inputs.npz x --dtype bf16 -o x.bin", choose, writeBytes,
       "FILE", "names", "Arrays in this order (default: all)", "NAME", false},
      flags);
  addTypeFlag(bytes, "--dtype", flags->type,
              "Cast before; bf16 as its two bytes");
}

static void addMerge(Program &program, CLI::App &npz) {
  auto flags = std::make_shared<EditFlags>();
  CLI::App &verb = program.addVerb(
      npz, "merge",
      "Write the arrays of several files (.npz, or .npy under the "
      "name of the file) into one",
      {"weft npz merge a.npz b.npz -o both.npz"},
      [flags] { return editCommand(*flags, merge, writeArchive); });
  mayBeStandardInput(
      verb.add_option("files", flags->files, "Arrays, .npz or .npy"))
      ->required()
      ->type_name("FILE");
  addNpzOutput(verb, flags->output, "FILE.npz");
  verb.add_flag("--replace", flags->replaces,
                "Of arrays of one name take the last");
}

void cli::addNpzEdits(Program &program, CLI::App &npz) {
  addCasts(program, npz);
  addMerge(program, npz);
  EditFlags *flags = nullptr;
  for (const Verb &verb : {
           Verb{"rename", "Give arrays other names",
                "weft npz rename values.npz y_Relu_f32=y -o y.npz",
                renameArrays, writeArchive, "FILE.npz", "names",
                "Each name with the new one", "OLD=NEW"},
           Verb{"extract", "Keep some arrays",
                "weft npz extract values.npz conv1 conv2 -o two.npz", extract,
                writeArchive, "FILE.npz", "names", "Arrays to keep", "NAME"},
           Verb{"remove", "Leave some arrays out",
                "weft npz remove values.npz conv1 -o rest.npz", removeArrays,
                writeArchive, "FILE.npz", "names", "Arrays to leave out",
                "NAME"},
           Verb{"reshape", "Give arrays another shape of as many elements",
                "weft npz reshape values.npz x=1x3x-1 -o y.npz", reshape,
                writeArchive, "FILE.npz", "shapes",
                "Arrays with their shapes; -1 is what is left", "NAME=SHAPE"},
           Verb{"permute", "Change the order of axes",
                "weft npz permute values.npz x=0,2,3,1 -o nhwc.npz", permute,
                writeArchive, "FILE.npz", "orders",
                "Arrays with the old axes in their new order", "NAME=AXES"},
           Verb{"to-npy", "Write one array as .npy",
                "weft npz to-npy values.npz conv1 -o conv1.npy", choose,
                writeNpyOutput, "FILE.npy", "names",
                "The array (default: the only one)", "NAME", false},
       })
    addEdit(program, npz, verb, flags);
}
