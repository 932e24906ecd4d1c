//===- PplHeaders.cpp - the C++ functions of PPL from their rows ----------===//
//
// weft-ppl-headers FOLDER writes a header for every group of functions, of
// which the hand-written ones beside them are made up (frontend/ppl/include).
//
//===----------------------------------------------------------------------===//

#include "runtime/chips/Chips.h"
#include "runtime/ppl/Rows.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>

using namespace weft;
using namespace weft::catalog;

namespace {
struct Group {
  std::string_view header; ///< without ".h"
  std::vector<Operation> (*rows)();
};

constexpr Group kGroups[] = {
#define PPL_GROUP(group, engine, header) {#header, group##Operations},
#include "runtime/ppl/Groups.def"
};

/// A word of a spelling.
struct Word {
  const Slot *slot = nullptr;
  size_t index = 0;
  char mark = 0; ///< '&', '!' or none
  bool isOmissible = false;
  std::string_view value; ///< default, or fixed; empty: the slot's default
  bool isFixed = false;
};

/// Writes the functions of one row.
class Printer {
public:
  Printer(const Operation &row, std::ostream &out) : row(row), out(out) {}
  void print();

private:
  void printComment();
  void printFunction(const Spelling &spelling);
  std::vector<Word> wordsOf(const Spelling &spelling) const;
  std::string typeOf(const Word &word);
  std::string tensorType(const Word &word);
  std::string fallbackOf(const Word &word) const;
  std::string argumentOf(size_t slot, const std::vector<Word> &words) const;
  /// A template parameter, "<kind> <letter><number>".
  std::string parameter(std::string_view kind, std::string_view letter);

  const Operation &row;
  std::ostream &out;
  std::vector<std::string> parameters;                  ///< of the template
  std::vector<std::pair<size_t, std::string>> elements; ///< by tied slots
};
} // namespace

static std::string str(std::string_view text) { return std::string(text); }

[[noreturn]] static void fail(const Operation &row, const std::string &what) {
  std::cerr << "weft-ppl-headers: " << row.name << ": " << what << "\n";
  std::exit(70);
}

/// `head`, the items and `tail`, at most 80 columns; a further line begins with
/// `margin`.
static std::string wrapped(std::string head, const std::string &margin,
                           const std::vector<std::string> &items,
                           std::string_view separator, std::string_view tail) {
  std::string text, line = std::move(head);
  for (size_t i = 0; i < items.size(); ++i) {
    bool isLast = i + 1 == items.size();
    std::string item = items[i] + str(isLast ? tail : separator);
    if (line.size() + item.size() > 80 && line.size() > margin.size()) {
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
      line = margin;
    }
    line += item;
  }
  return text + line + str(items.empty() ? tail : "");
}

void Printer::print() {
  printComment();
  if (!row.spellings.empty()) {
    for (const Spelling &spelling : row.spellings)
      printFunction(spelling);
    return;
  }
  std::string all;
  size_t omissible = row.slots.size();
  while (omissible && (row.slots[omissible - 1].optional ||
                       !row.slots[omissible - 1].supplied.empty()))
    --omissible;
  for (size_t i = 0; i < row.slots.size(); ++i)
    if (row.slots[i].supplied.empty())
      all += str(row.slots[i].name) + (i < omissible ? " " : "? ");
  printFunction({all});
}

void Printer::printComment() {
  std::string text = row.section == "header" ? "Newer header: "
                                             : "PPL " + str(row.section) + ": ";
  text += str(row.summary) + ".";
  std::vector<std::string_view> missing;
  for (const Chip *chip : chips::kernelTargets)
    if (!row.existsOn(*chip))
      missing.push_back(chip->targetName);
  if (!missing.empty())
    text += " Not on " + joined(missing, "or") + ".";
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  out << "\n" << wrapped("/// ", "/// ", words, " ", "") << "\n";
}

std::vector<Word> Printer::wordsOf(const Spelling &spelling) const {
  std::vector<Word> words;
  std::istringstream stream{str(spelling.parameters)};
  size_t at = 0;
  for (std::string text; stream >> text;) {
    at = spelling.parameters.find(text, at);
    std::string_view rest = spelling.parameters.substr(at, text.size());
    at += text.size();
    Word word;
    size_t end = std::min(rest.find_first_of("&!?=:"), rest.size());
    int index = row.slotIndex(rest.substr(0, end));
    if (index < 0)
      fail(row, "no slot is called " + str(rest.substr(0, end)));
    word.index = size_t(index);
    word.slot = &row.slots[word.index];
    rest.remove_prefix(end);
    if (!rest.empty() && (rest[0] == '&' || rest[0] == '!')) {
      word.mark = rest[0];
      rest.remove_prefix(1);
    }
    word.isFixed = rest.substr(0, 2) == ":=";
    word.isOmissible = rest == "?" || rest.substr(0, 1) == "=";
    if (word.isFixed || rest.substr(0, 1) == "=")
      word.value = rest.substr(word.isFixed ? 2 : 1);
    else if (!rest.empty() && rest != "?")
      fail(row, "a parameter cannot end with " + str(rest));
    words.push_back(word);
  }
  return words;
}

std::string Printer::parameter(std::string_view kind, std::string_view letter) {
  size_t same = 0;
  for (const std::string &other : parameters)
    same += other.substr(0, kind.size() + 1 + letter.size()) ==
            str(kind) + " " + str(letter);
  std::string name = str(letter) + (same ? std::to_string(same) : "");
  parameters.push_back(str(kind) + " " + name);
  return name;
}

/// The first of the slots that have the type of slot `index`, by whatever
/// rules.
static size_t tiedTo(const Operation &row, size_t index) {
  std::vector<bool> tied(row.slots.size());
  tied[index] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (const Rule &rule : row.rules)
      if (std::any_of(rule.oneType.begin(), rule.oneType.end(),
                      [&](auto name) { return tied[row.slotIndex(name)]; }))
        for (std::string_view name : rule.oneType) {
          size_t other = size_t(row.slotIndex(name));
          grows |= !tied[other];
          tied[other] = true;
        }
  }
  return std::find(tied.begin(), tied.end(), true) - tied.begin();
}

/// Slots of one type share its name; a type that is the only one is written.
std::string Printer::tensorType(const Word &word) {
  std::vector<DataType> types = word.slot->types.members();
  std::string element;
  if (types.size() == 1)
    element = spelling(types[0]);
  size_t root = tiedTo(row, word.index);
  for (const auto &[tied, name] : elements)
    if (tied == root && element.empty())
      element = name;
  if (element.empty()) {
    element = parameter("class", "T");
    elements.push_back({root, element});
  }
  std::string memory = "tensor";
  if (!(word.slot->memories & kLocal))
    memory = "gtensor";
  else if (word.slot->memories & kSystem)
    memory = parameter("template <class> class", "M");
  return "const " + memory + "<" + element + "> &";
}

std::string Printer::typeOf(const Word &word) {
  const Slot &slot = *word.slot;
  switch (slot.kind) {
  case SlotKind::Tensor:
    if (!slot.optional || word.mark == '&')
      return tensorType(word);
    return "detail::Operand ";
  case SlotKind::TensorOrScalar:
    if (word.mark == '&')
      return tensorType(word);
    for (DataType type : slot.types.members())
      if (!isFloat(type))
        return "detail::Operand ";
    return "detail::FloatOperand ";
  case SlotKind::Float:
    return slot.isElement ? "detail::Operand " : "float ";
  case SlotKind::Flag:
    if (word.mark != '!')
      return "bool ";
    {
      std::string name = parameter("class", "B");
      parameters.push_back("detail::Flags<" + name + "> = 0");
      return name + " ";
    }
  case SlotKind::Integer:
  case SlotKind::Choice:
    return slot.enumeration.empty()
               ? "int "
               : "detail::Coded<" + str(slot.enumeration) + "> ";
  case SlotKind::Integers:
    return slot.count == 2 ? "detail::Pair " : "detail::Sides ";
  default:
    fail(row, str(slot.name) + " has a kind without a C++ type");
  }
}

std::string Printer::fallbackOf(const Word &word) const {
  const Slot &slot = *word.slot;
  if (!word.value.empty())
    return str(word.value);
  if (!slot.optional)
    fail(row, str(slot.name) + " has no default");
  bool isWhole = slot.fallback == double(int64_t(slot.fallback));
  if (!isWhole && slot.kind != SlotKind::Float)
    fail(row, "the default of " + str(slot.name) + " is not whole");
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<float>::max_digits10)
       << slot.fallback;
  std::string number = text.str();
  switch (slot.kind) {
  case SlotKind::Flag:
    return slot.fallback != 0 ? "true" : "false";
  case SlotKind::Integer:
    return slot.enumeration.empty()
               ? number
               : str(slot.enumeration) + "(" + number + ")";
  case SlotKind::Choice:
    return str(slot.choices[size_t(slot.fallback)]);
  case SlotKind::Float:
    return "float(" + number + ")";
  default:
    return "detail::kLeftOut";
  }
}

std::string Printer::argumentOf(size_t slot,
                                const std::vector<Word> &words) const {
  for (const Word &word : words)
    if (word.index == slot)
      return str(word.isFixed ? word.value : word.slot->name);
  const Slot &absent = row.slots[slot];
  return absent.supplied.empty() ? "detail::kLeftOut" : str(absent.supplied);
}

void Printer::printFunction(const Spelling &spelling) {
  parameters.clear();
  elements.clear();
  std::vector<Word> words = wordsOf(spelling);
  std::vector<std::string> declared, arguments;
  size_t count = 0;
  for (const Word &word : words) {
    count = std::max(count, word.index + 1);
    if (!word.isFixed)
      declared.push_back(typeOf(word) + str(word.slot->name) +
                         (word.isOmissible ? " = " + fallbackOf(word) : ""));
  }
  declared.push_back("Line at = {}");
  for (size_t i = 0; i < row.slots.size(); ++i)
    if (i < count || !row.slots[i].supplied.empty())
      arguments.push_back(argumentOf(i, words));
  if (!parameters.empty())
    out << wrapped("template <", "          ", parameters, ", ", ">") << "\n";
  std::string_view name = spelling.name;
  if (name.empty())
    name = row.name.substr(row.name.find('.') + 1);
  std::string head =
      (parameters.empty() ? "inline void " : "void ") + str(name) + "(";
  out << wrapped(head, std::string(head.size(), ' '), declared, ", ", ") {")
      << "\n";
  head = "  detail::call(\"" + str(row.name) + "\", at, {";
  std::string call = wrapped(head, "", arguments, ", ", "});");
  if (call.find('\n') != std::string::npos)
    call =
        head.substr(0, head.size() - 2) + "\n" +
        wrapped("               {", "                ", arguments, ", ", "});");
  out << call << "\n}\n";
}

static std::string headerOf(const Group &group) {
  std::vector<Operation> rows = group.rows();
  std::string guard = "WEFT_PPL_" + str(group.header) + "_H";
  for (char &c : guard)
    c = char(std::toupper(static_cast<unsigned char>(c)));
  std::string space =
      "ppl::" + str(rows[0].name.substr(0, rows[0].name.find('.')));
  std::ostringstream out;
  out << "// Made by weft-ppl-headers of the rows in runtime/ppl/rows.\n"
      << "// docs/ppl has a page on each function.\n"
      << "#ifndef " << guard << "\n#define " << guard << "\n\n"
      << "#include \"ppl/arguments.h\"\n\n"
      << "namespace " << space << " {\n";
  for (const Operation &row : rows)
    Printer(row, out).print();
  out << "\n} // namespace " << space << "\n\n#endif\n";
  return out.str();
}

/// Leaves a file with the same text as it is: nothing is compiled again then.
/// Never writes through a link, which leads to a header written by hand.
static bool write(const std::string &path, const std::string &text) {
  std::ifstream old(path, std::ios::binary);
  std::ostringstream found;
  found << old.rdbuf();
  if (old && found.str() == text)
    return true;
  std::string temporary = path + ".new";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  return out && !error;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "weft-ppl-headers FOLDER\n";
    return 2;
  }
  for (const Group &group : kGroups) {
    std::string path = str(argv[1]) + "/" + str(group.header) + ".h";
    if (!write(path, headerOf(group))) {
      std::cerr << "weft-ppl-headers: cannot write " << path << "\n";
      return 2;
    }
  }
  return 0;
}
