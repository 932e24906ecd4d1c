#include "runtime/host/Texts.h"
#include "runtime/numeric/ConvertValues.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "tools/weft/NpzVerbs.h"
#include "tools/weft/TextTable.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Result;
using rt::Status;

namespace {

struct ShowFlags {
  std::string file, values;
  int64_t count = 16;
  bool checksFinite = false, json = false;
};

/// Of the finite elements, and how many others there are.
struct Figures {
  double least = 0, most = 0, mean = 0, deviation = 0;
  int64_t finite = 0, nan = 0, infinite = 0, zeros = 0;
};

} // namespace

static Figures figuresOf(const HostTensor &tensor) {
  Figures figures;
  double around = 0; // so that a large offset costs no digits
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    double value = tensor.toDouble(i);
    figures.nan += std::isnan(value);
    figures.infinite += std::isinf(value);
    figures.zeros += value == 0;
    if (!std::isfinite(value))
      continue;
    if (figures.finite++ == 0)
      around = figures.least = figures.most = value;
    figures.least = std::min(figures.least, value);
    figures.most = std::max(figures.most, value);
    sum += value - around;
    squares += (value - around) * (value - around);
  }
  if (figures.finite == 0)
    return figures;
  double count = double(figures.finite);
  figures.mean = around + sum / count;
  figures.deviation =
      std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
  return figures;
}

static nlohmann::ordered_json toJson(const std::string &name,
                                     const HostTensor &tensor,
                                     const Figures &figures) {
  auto number = [&](double value) {
    return figures.finite && std::isfinite(value)
               ? nlohmann::ordered_json(value)
               : nullptr;
  };
  return {{"name", name},
          {"type", numeric::elementTypeName(tensor.type())},
          {"shape", tensor.shape()},
          {"min", number(figures.least)},
          {"max", number(figures.most)},
          {"mean", number(figures.mean)},
          {"std", number(figures.deviation)},
          {"nan", figures.nan},
          {"infinite", figures.infinite},
          {"zeros", figures.zeros}};
}

static std::vector<std::string> cellsOf(const std::string &name,
                                        const HostTensor &tensor,
                                        const Figures &figures) {
  auto number = [&](double value) {
    return figures.finite ? rt::format("%.6g", value) : std::string("-");
  };
  return {rt::quoteName(name),
          numeric::elementTypeName(tensor.type()),
          numeric::shapeText(tensor.shape()),
          number(figures.least),
          number(figures.most),
          number(figures.mean),
          number(figures.deviation),
          std::to_string(figures.nan),
          std::to_string(figures.infinite),
          std::to_string(figures.zeros)};
}

/// The first elements, a line each.
static std::string valuesText(const HostTensor &tensor, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < std::min(count, tensor.elements()); ++i)
    text += numeric::placeText(tensor.shape(), i) + " " +
            numeric::elementText(tensor, i) + "\n";
  if (count < tensor.elements())
    text += rt::format("and %lld more\n",
                       static_cast<long long>(tensor.elements() - count));
  return text;
}

/// Numbers, and as texts what JSON has no number for.
static nlohmann::ordered_json valuesJson(const HostTensor &tensor,
                                         int64_t count) {
  nlohmann::ordered_json values = nlohmann::json::array();
  for (int64_t i = 0; i < std::min(count, tensor.elements()); ++i) {
    double value = tensor.toDouble(i);
    if (tensor.type() == ElementType::I64)
      values.push_back(tensor.as<int64_t>()[i]);
    else if (tensor.type() == ElementType::U64)
      values.push_back(tensor.as<uint64_t>()[i]);
    else if (!std::isfinite(value))
      values.push_back(numeric::elementText(tensor, i));
    else if (numeric::isFloatType(tensor.type()))
      values.push_back(value);
    else
      values.push_back(int64_t(value));
  }
  return values;
}

/// Strings have no figures.
static std::vector<std::string> textCells(const std::string &name,
                                          const host::Texts &texts) {
  std::vector<std::string> cells = {rt::quoteName(name), "string",
                                    numeric::shapeText(texts.shape())};
  cells.resize(10, "-");
  return cells;
}

/// The first strings, a line each.
static std::string textValues(const host::Texts &texts, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < std::min(count, texts.size()); ++i)
    text += numeric::placeText(texts.shape(), i) + " '" +
            rt::printable(texts[i]) + "'\n";
  if (count < texts.size())
    text += rt::format("and %lld more\n",
                       static_cast<long long>(texts.size() - count));
  return text;
}

static std::vector<std::string> textList(const host::Texts &texts,
                                         int64_t count) {
  std::vector<std::string> list;
  for (int64_t i = 0; i < std::min(count, texts.size()); ++i)
    list.emplace_back(texts[i]);
  return list;
}

static ExitCode showCommand(const ShowFlags &flags) {
  Result<std::unique_ptr<npz::ArrayFile>> file =
      npz::ArrayFile::open(flags.file);
  if (!file)
    return reportError(file.status());
  std::vector<std::string> names = (*file)->names();
  if (!flags.values.empty()) {
    if (Status status = checkHas(**file, flags.values); !status)
      return reportError(status);
    names = {flags.values};
  }
  nlohmann::ordered_json json = {{"file", flags.file},
                                 {"arrays", nlohmann::json::array()}};
  TextTable table("llrrrrrrrr");
  table.addRow({"name", "type", "shape", "min", "max", "mean", "std", "nan",
                "inf", "zeros"});
  std::string values, notFinite;
  for (const std::string &name : names) {
    Result<HostTensor> tensor = (*file)->read(name);
    if (!tensor)
      return reportError(tensor.status());
    if ((*file)->isText(name)) {
      host::Texts texts(*tensor);
      table.addRow(textCells(name, texts));
      json["arrays"].push_back(
          {{"name", name}, {"type", "string"}, {"shape", texts.shape()}});
      if (!flags.values.empty()) {
        values = textValues(texts, flags.count);
        json["arrays"].back()["values"] = textList(texts, flags.count);
      }
      continue;
    }
    Figures figures = figuresOf(*tensor);
    table.addRow(cellsOf(name, *tensor, figures));
    json["arrays"].push_back(toJson(name, *tensor, figures));
    if (!flags.values.empty()) {
      values = valuesText(*tensor, flags.count);
      json["arrays"].back()["values"] = valuesJson(*tensor, flags.count);
    }
    if (figures.nan + figures.infinite)
      notFinite += (notFinite.empty() ? "" : ", ") + rt::quoteName(name);
  }
  ExitCode printed =
      flags.json ? printJson(json) : printText(table.text() + values);
  if (printed != ExitCode::Ok || !flags.checksFinite || notFinite.empty())
    return printed;
  return reportCheckFailed(flags.file + ": not all is finite in " + notFinite);
}

void cli::addNpzShow(Program &program, CLI::App &npz) {
  auto flags = std::make_shared<ShowFlags>();
  CLI::App &verb = program.addVerb(
      npz, "show",
      "Print names, types, shapes and figures of arrays; of complex numbers "
      "those of the real parts",
      {"weft npz show values.npz --values conv1 --count 8"},
      [flags] { return showCommand(*flags); });
  addArrayFile(verb, flags->file);
  CLI::Option *values =
      verb.add_option("--values", flags->values,
                      "Print the first elements of this array")
          ->check(nonEmptyValue())
          ->type_name("NAME");
  verb.add_option("--count", flags->count, "How many of them")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40))
      ->needs(values)
      ->capture_default_str()
      ->type_name("N");
  verb.add_flag("--check-finite", flags->checksFinite,
                "Exit code 1 if an array has a NaN or an infinity");
  verb.add_flag("--json", flags->json, "Print as JSON");
}
