#include "tests/oracle/emulator/FuzzWorkers.h"
#include "tests/oracle/emulator/VendorEmulator.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::oracle {
namespace {

/// Commands of a kind in one go: two fillings of memory.
constexpr uint64_t kChunk = 32;
/// A function whose kinds are refused this often will not get its commands.
constexpr unsigned kDrawnPerWanted = 6;

/// What a crash of ours is blamed on. Written before each chunk, read by the
/// signal handler.
char currentWork[256];

void onCrash(int signal) {
  char text[512];
  int size = std::snprintf(text, sizeof(text),
                           "FuzzCommands: signal %d in ours within %s\n",
                           signal, currentWork);
  if (::write(2, text, size_t(size)) != size)
    _exit(71);
  _exit(70);
}

std::vector<const Row *> rowsOf(const Registry &registry,
                                const FuzzPlan &plan) {
  std::vector<const Row *> rows;
  auto has = [&](std::string_view text) {
    return text.find(plan.only) != std::string_view::npos;
  };
  for (const Row &row : registry.rows) {
    bool named = has(row.opcode->mnemonic);
    for (const Kind *kind : row.kinds)
      named |= has(kind->name);
    if (named && !row.kinds.empty())
      rows.push_back(&row);
  }
  return rows;
}

std::vector<const Kind *> kindsOf(const Row &row, const FuzzPlan &plan) {
  std::vector<const Kind *> kinds;
  bool whole = row.opcode->mnemonic.find(plan.only) != std::string_view::npos;
  for (const Kind *kind : row.kinds)
    if (whole || kind->name.find(plan.only) != std::string::npos)
      kinds.push_back(kind);
  return kinds;
}

/// All kinds of a row in turn, until enough commands were taken.
void fuzzRow(Campaign &campaign, const Row &row, const FuzzPlan &plan,
             std::string &problem) {
  std::vector<const Kind *> kinds = kindsOf(row, plan);
  const Tally &tally = campaign.tallies[row.function];
  uint64_t share = (plan.perFunction + kinds.size() - 1) / kinds.size();
  uint64_t chunk = std::min(kChunk, std::max<uint64_t>(4, share));
  for (uint64_t first = 0;; first += chunk) {
    for (const Kind *kind : kinds) {
      if (tally.legal() >= plan.perFunction && first >= chunk)
        return;
      std::snprintf(currentWork, sizeof(currentWork), "%s, seeds from %llu",
                    kind->name.c_str(),
                    static_cast<unsigned long long>(plan.seed << 32 | first));
      problem = campaign.run(*kind, plan.seed << 32 | first, chunk,
                             row.function, plan.findings);
      if (!problem.empty())
        return;
    }
    if (tally.legal() >= plan.perFunction)
      return;
    uint64_t drawn = (first + chunk) * kinds.size();
    if (drawn > uint64_t(plan.perFunction) * kDrawnPerWanted * kinds.size()) {
      problem = mnemonicOf(row.function) + ": only " +
                std::to_string(tally.legal()) + " of " +
                std::to_string(tally.drawn()) + " commands are legal and taken";
      return;
    }
  }
}

/// A line of text for the parent: fields of a finding or tally.
std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '\n' ? '\x1e' : c;
  return out;
}
std::string unescaped(std::string text) {
  std::replace(text.begin(), text.end(), '\x1e', '\n');
  return text;
}

void tell(FILE *out, const Campaign &campaign, const Row &row,
          const std::string &problem) {
  const Tally &t = campaign.tallies.at(row.function);
  std::fprintf(out,
               "T\x1f%d\x1f%u\x1f%u\x1f%u\x1f%u\x1f%u\x1f%u\x1f%u\x1f%u"
               "\x1f%u\x1f%u\x1f%u\x1f%u\n",
               int(row.function.engine), row.function.type, row.function.func,
               t.compared, t.refused, t.crashed, t.hung, t.mismatches,
               t.unrepeatable, t.illegal, t.longForms, t.shortForms,
               t.precisions);
  for (const Finding &f : campaign.findings)
    std::fprintf(out, "F\x1f%s\x1f%llu\x1f%d\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s\n",
                 f.kind.c_str(), static_cast<unsigned long long>(f.seed),
                 int(f.outcome), f.drawn.c_str(), f.minimal.c_str(),
                 f.memory.c_str(), escaped(f.text).c_str(),
                 escaped(f.operands).c_str());
  if (!problem.empty())
    std::fprintf(out, "P\x1f%s\n", escaped(problem).c_str());
  std::fflush(out);
}

/// Takes rows from the shared pipe of row numbers until it is empty.
[[noreturn]] void work(const std::vector<const Row *> &rows,
                       const FuzzPlan &plan, int rowNumbers, FILE *out) {
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    std::signal(signal, onCrash);
  std::string error;
  VendorEmulator vendor(error);
  std::unique_ptr<OurEmulator> ours = OurEmulator::create(error);
  if (!error.empty()) {
    std::fprintf(out, "P\x1f%s\n", error.c_str());
    std::fflush(out);
    _exit(0);
  }
  uint16_t number;
  while (read(rowNumbers, &number, sizeof(number)) == sizeof(number)) {
    const Row &row = *rows[number];
    Campaign campaign(vendor, *ours);
    std::string problem;
    auto start = std::chrono::steady_clock::now();
    fuzzRow(campaign, row, plan, problem);
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    const Tally &t = campaign.tallies[row.function];
    std::printf("%-28s %6u compared, %u differ, %u unrepeatable, %u refused, "
                "%u crashed, %u hung, %u illegal, %.1f s\n",
                mnemonicOf(row.function).c_str(), t.compared, t.mismatches,
                t.unrepeatable, t.refused, t.crashed, t.hung, t.illegal,
                seconds.count());
    for (const auto &[why, example] : campaign.refusals)
      std::printf("  not taken: %s, e.g. %s\n", why.c_str(), example.c_str());
    for (const auto &[rule, example] : campaign.brokenRules)
      std::printf("  not legal: %s\n", example.c_str());
    for (const Finding &finding : campaign.findings)
      std::printf("%s", finding.report().c_str());
    std::fflush(stdout);
    tell(out, campaign, row, problem);
  }
  _exit(0);
}

std::vector<std::string> fieldsOf(const std::string &line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, '\x1f');)
    fields.push_back(field);
  return fields;
}

void listen(const std::string &line, FuzzResult &result) {
  std::vector<std::string> f = fieldsOf(line);
  auto number = [&](size_t i) {
    return unsigned(std::strtoul(f[i].c_str(), nullptr, 10));
  };
  if (f.size() == 14 && f[0] == "T") {
    Tally t;
    unsigned *const members[] = {&t.compared,  &t.refused,    &t.crashed,
                                 &t.hung,      &t.mismatches, &t.unrepeatable,
                                 &t.illegal,   &t.longForms,  &t.shortForms,
                                 &t.precisions};
    for (size_t i = 0; i < 10; ++i)
      *members[i] = number(4 + i);
    result.tallies[{Engine(number(1)), number(2), number(3)}] += t;
  } else if (f.size() >= 8 && f[0] == "F") {
    f.resize(9);
    Finding finding;
    finding.kind = f[1];
    finding.seed = std::strtoull(f[2].c_str(), nullptr, 10);
    finding.outcome = Outcome(number(3));
    finding.drawn = f[4];
    finding.minimal = f[5];
    finding.memory = f[6];
    finding.text = unescaped(f[7]);
    finding.operands = unescaped(f[8]);
    result.findings.push_back(std::move(finding));
  } else if (f.size() == 2 && f[0] == "P") {
    result.problems.push_back(unescaped(f[1]));
  }
}

/// Waits for a worker and reads what it wrote.
void collect(pid_t worker, FILE *answers, FuzzResult &result) {
  int status = 0;
  waitpid(worker, &status, 0);
  if (status != 0)
    result.problems.push_back("a worker died with status " +
                              std::to_string(status) +
                              "; its functions are incomplete");
  std::rewind(answers);
  char *line = nullptr;
  size_t capacity = 0;
  for (ssize_t size; (size = getline(&line, &capacity, answers)) > 0;)
    listen(std::string(line, size_t(size) - 1), result);
  std::free(line);
  std::fclose(answers);
}

} // namespace

FuzzResult fuzz(const Registry &registry, const FuzzPlan &plan) {
  FuzzResult result;
  std::vector<const Row *> rows = rowsOf(registry, plan);
  if (rows.empty())
    result.problems.push_back("nothing is called like '" + plan.only + "'");
  int numbers[2];
  if (pipe(numbers) != 0) {
    result.problems.push_back("no pipe");
    return result;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    auto number = uint16_t(i); // all fit into the pipe at once
    if (write(numbers[1], &number, sizeof(number)) != sizeof(number))
      result.problems.push_back("pipe is full");
  }
  close(numbers[1]);
  std::fflush(stdout);
  std::vector<std::pair<pid_t, FILE *>> workers;
  for (unsigned i = 0; i < plan.jobs; ++i) {
    FILE *answers = std::tmpfile();
    pid_t worker = answers ? fork() : -1;
    if (worker == 0)
      work(rows, plan, numbers[0], answers);
    if (worker > 0)
      workers.emplace_back(worker, answers);
  }
  close(numbers[0]);
  if (workers.size() != plan.jobs)
    result.problems.push_back("cannot start all processes");
  for (auto [worker, answers] : workers)
    collect(worker, answers, result);
  return result;
}

} // namespace weft::oracle
