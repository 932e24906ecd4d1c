#include "runtime/host/Texts.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "tools/comparison/Metrics.h"
#include "tools/weft/CompareFlags.h"
#include "tools/weft/NpzVerbs.h"
#include "tools/weft/StandardInput.h"
#include "tools/weft/TextTable.h"
#include "tools/weft/VendorNames.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

using namespace weft;
using namespace weft::cli;
using comparison::Limit;
using comparison::Metrics;
using numeric::HostTensor;
using rt::Result;
using rt::Status;
using Json = nlohmann::ordered_json;

namespace {

/// What the vendor's npz_tool asks for.
struct Tolerance {
  double cosine = 0, euclidean = 0;
};

struct NpzCompareFlags {
  std::string file, reference;
  std::vector<std::string> names;
  comparison::Precision precision = comparison::Precision::F32;
  std::map<Limit, double> limits;
  std::optional<Tolerance> tolerance;
  bool needsSameNames = false, json = false;
};

struct Row {
  std::string name, referenceName;
  Metrics metrics;
  double euclidean = 0;
  std::vector<std::string> failures;
};

/// A comparison of two files.
struct Report {
  std::vector<Row> rows;
  std::vector<std::string> onlyHere, onlyThere;
  std::vector<std::string> failures; ///< of no array

  bool isPassed() const {
    return failures.empty() &&
           std::all_of(rows.begin(), rows.end(),
                       [](const Row &row) { return row.failures.empty(); });
  }
};

} // namespace

/// 1 - |a - b| / |(a + b) / 2|, the vendor's measure.
static double euclideanSimilarity(const HostTensor &result,
                                  const HostTensor &reference) {
  double distance = 0, length = 0;
  std::vector<double> a = numeric::loadDoubles(result),
                      b = numeric::loadDoubles(reference);
  for (size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) // both have it, or they would not come here
      continue;
    distance += (a[i] - b[i]) * (a[i] - b[i]);
    length += (a[i] + b[i]) / 2 * ((a[i] + b[i]) / 2);
  }
  if (distance == 0)
    return 1;
  return 1 - std::sqrt(distance) / (std::sqrt(length) + 1e-7);
}

static std::vector<std::string> missesOf(const Row &row,
                                         const Tolerance &tolerance) {
  if (!row.metrics.problem.empty())
    return {row.metrics.problem};
  std::vector<std::string> misses;
  auto check = [&](const char *name, double figure, double least) {
    if (!(figure >= least))
      misses.push_back(
          rt::format("%s is %.6g, must be at least %.6g", name, figure, least));
  };
  check("cosine", row.metrics.cosine, tolerance.cosine);
  check("euclidean similarity", row.euclidean, tolerance.euclidean);
  return misses;
}

/// Strings are the same or not; no number says how far they are apart.
static void compareTexts(bool areBoth, HostTensor here, HostTensor there,
                         Row &row) {
  row.metrics.problem = "only one of both has strings";
  if (!areBoth) {
    row.failures = {row.metrics.problem};
    return;
  }
  int64_t width = std::max(here.shape().back(), there.shape().back());
  (void)host::fitTexts(here, width);
  (void)host::fitTexts(there, width);
  row.metrics.problem = here == there ? "the same strings" : "other strings";
  if (here != there)
    row.failures = {row.metrics.problem};
}

static Status compareArrays(const NpzCompareFlags &flags,
                            const npz::ArrayFile &file,
                            const npz::ArrayFile &reference, Row &row) {
  Result<HostTensor> here = file.read(row.name),
                     there = reference.read(row.referenceName);
  if (!here || !there)
    return here ? there.status() : here.status();
  bool hasTexts = file.isText(row.name);
  if (hasTexts || reference.isText(row.referenceName)) {
    compareTexts(hasTexts && reference.isText(row.referenceName),
                 *std::move(here), *std::move(there), row);
    return Status::ok();
  }
  // One has ONNX's view of a shape, the other that of the chip.
  if (isOtherView(here->shape(), there->shape()))
    (void)here->reshape(there->shape());
  row.metrics = comparison::measure(*here, *there,
                                    {flags.precision, 0, /*anyType=*/true});
  if (row.metrics.problem.empty())
    row.euclidean = euclideanSimilarity(*here, *there);
  comparison::Limits limits(comparison::Subject::Output, flags.precision);
  for (auto [limit, value] : flags.limits)
    limits[limit] = value;
  row.failures = flags.tolerance ? missesOf(row, *flags.tolerance)
                                 : comparison::failures(row.metrics, limits);
  return Status::ok();
}

static Result<Report> compareFiles(const NpzCompareFlags &flags,
                                   const npz::ArrayFile &file,
                                   const npz::ArrayFile &reference) {
  Report report;
  // Names are all that is looked at.
  NamedTensors known;
  for (const std::string &name : reference.names())
    known[name];
  std::set<std::string> matched;
  std::vector<std::string> names =
      flags.names.empty() ? file.names() : flags.names;
  for (const std::string &name : names) {
    WEFT_TRY(checkHas(file, name));
    // Either side may be the vendor's.
    std::string other = referenceName(name, /*isOnnxName=*/true, known);
    if (!known.count(other))
      other = referenceName(name, /*isOnnxName=*/false, known);
    if (!known.count(other)) {
      report.onlyHere.push_back(name);
      continue;
    }
    matched.insert(other);
    report.rows.push_back({name, other, {}, 0, {}});
    WEFT_TRY(compareArrays(flags, file, reference, report.rows.back()));
  }
  for (const std::string &name : reference.names())
    if (flags.names.empty() && !matched.count(name))
      report.onlyThere.push_back(name);
  if (report.rows.empty())
    report.failures.push_back("no array has a name that both files have");
  bool areSame = report.onlyHere.empty() && report.onlyThere.empty();
  if (!areSame && (flags.needsSameNames || !flags.names.empty()))
    report.failures.push_back("not every array is in both files");
  return report;
}

/// JSON has no infinity; null is written where nothing differs.
static Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

static Json toJson(const NpzCompareFlags &flags, const Report &report) {
  Json json = {{"file", flags.file},
               {"reference", flags.reference},
               {"passed", report.isPassed()},
               {"arrays", Json::array()},
               {"only_in_file", report.onlyHere},
               {"only_in_reference", report.onlyThere},
               {"failures", report.failures}};
  for (const Row &row : report.rows) {
    bool isMeasured = row.metrics.problem.empty();
    auto figure = [&](double value) {
      return isMeasured ? number(value) : Json(nullptr);
    };
    json["arrays"].push_back({{"name", row.name},
                              {"reference_name", row.referenceName},
                              {"passed", row.failures.empty()},
                              {"failures", row.failures},
                              {"cosine", figure(row.metrics.cosine)},
                              {"euclidean", figure(row.euclidean)},
                              {"sqnr_db", figure(row.metrics.sqnrDb)},
                              {"max_error", figure(row.metrics.maxError)},
                              {"mean_error", figure(row.metrics.meanError)}});
  }
  return json;
}

static std::string listText(const std::vector<std::string> &names,
                            const std::string &where) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + rt::quoteName(name);
  return text.empty() ? "" : "only in " + where + ": " + text + "\n";
}

static std::string toText(const NpzCompareFlags &flags, const Report &report) {
  TextTable table("llrrrr");
  table.addRow(
      {"", "array", "cosine", "euclidean", "sqnr dB", "largest error"});
  std::string failures;
  for (const Row &row : report.rows) {
    bool isMeasured = row.metrics.problem.empty();
    auto figure = [&](const char *format, double value) {
      return isMeasured ? rt::format(format, value) : std::string("-");
    };
    std::string name = rt::quoteName(row.name);
    if (row.name != row.referenceName)
      name += " = " + rt::quoteName(row.referenceName);
    table.addRow({row.failures.empty() ? "pass" : "FAIL", name,
                  figure("%.6f", row.metrics.cosine),
                  figure("%.6f", row.euclidean),
                  figure("%.2f", row.metrics.sqnrDb),
                  figure("%.6g", row.metrics.maxError)});
    for (const std::string &failure : row.failures)
      failures += name + ": " + failure + "\n";
  }
  for (const std::string &failure : report.failures)
    failures += failure + "\n";
  return table.text() + listText(report.onlyHere, flags.file) +
         listText(report.onlyThere, flags.reference) + failures +
         (report.isPassed() ? "comparison passed\n" : "comparison failed\n");
}

static ExitCode compareCommand(const NpzCompareFlags &flags) {
  if (flags.tolerance && !flags.limits.empty())
    return reportError(rt::fail(
        rt::Code::InvalidArgument,
        "--tolerance is given beside --limit, and decides alone; give one"));
  Result<std::unique_ptr<npz::ArrayFile>> file =
      npz::ArrayFile::open(flags.file);
  if (!file)
    return reportError(file.status());
  Result<std::unique_ptr<npz::ArrayFile>> reference =
      npz::ArrayFile::open(flags.reference);
  if (!reference)
    return reportError(reference.status());
  Result<Report> report = compareFiles(flags, **file, **reference);
  if (!report)
    return reportError(report.status());
  ExitCode printed = flags.json ? printJson(toJson(flags, *report))
                                : printText(toText(flags, *report));
  if (printed != ExitCode::Ok)
    return printed;
  return report->isPassed() ? ExitCode::Ok : ExitCode::ComparisonFailed;
}

/// "0.99,0.9"; the vendor's third number, of decibels, is --limit sqnr.
static Tolerance parseTolerance(const std::string &text) {
  Tolerance tolerance;
  size_t comma = text.find(',');
  bool isGood =
      comma != text.npos &&
      CLI::detail::lexical_cast(text.substr(0, comma), tolerance.cosine) &&
      CLI::detail::lexical_cast(text.substr(comma + 1), tolerance.euclidean) &&
      std::fabs(tolerance.cosine) <= 1 && tolerance.euclidean <= 1;
  if (!isGood)
    throw CLI::ValidationError("--tolerance", "'" + text +
                                                  "' is no COSINE,EUCLIDEAN of "
                                                  "numbers up to 1");
  return tolerance;
}

void cli::addNpzCompare(Program &program, CLI::App &npz) {
  auto flags = std::make_shared<NpzCompareFlags>();
  CLI::App &verb = program.addVerb(
      npz, "compare",
      "Compare arrays of equal names (or the vendor's names for them) by the "
      "measures of weft compare",
      {"weft npz compare values.npz reference.npz --precision f16"},
      [flags] { return compareCommand(*flags); });
  addArrayFile(verb, flags->file);
  mayBeStandardInput(verb.add_option("reference", flags->reference,
                                     "What they should be, .npz or .npy"))
      ->required()
      ->type_name("REFERENCE");
  verb.add_option("--name", flags->names,
                  "Only this array, which both must have; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  verb.add_option_function<std::string>(
          "--precision",
          [flags = flags.get()](const std::string &name) {
            for (size_t i = 0; i < comparison::kPrecisions; ++i)
              if (name == comparison::precisionName(comparison::Precision(i)))
                flags->precision = comparison::Precision(i);
          },
          "Whose limits of outputs count (weft compare --help has them): f32 "
          "(default), f16, bf16 or int8")
      ->check(CLI::IsMember({"f32", "f16", "bf16", "int8"}));
  verb.add_option_function<std::vector<std::string>>(
          "--limit",
          [flags = flags.get()](const std::vector<std::string> &texts) {
            for (const std::string &text : texts)
              parseLimit("--limit", text, flags->limits);
          },
          "Another value of a limit; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  verb.add_option_function<std::string>(
          "--tolerance",
          [flags = flags.get()](const std::string &text) {
            flags->tolerance = parseTolerance(text);
          },
          "In place of the limits: least cosine and least euclidean "
          "similarity, as the vendor's npz_tool takes them")
      ->type_name("COSINE,EUCLIDEAN");
  verb.add_flag("--same-names", flags->needsSameNames,
                "Fail if an array is in one file alone");
  verb.add_flag("--json", flags->json, "Print as JSON");
}
