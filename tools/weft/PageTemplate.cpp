#include "tools/weft/PageTemplate.h"

#include "tools/files/JsonText.h"
#include "tools/weft/PageParts.h"

#include <cassert>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;

/// JSON that may stand inside a script element: nothing in it ends the element.
static std::string forScript(const Json &json) {
  std::string text = tools::jsonText(tools::printableJson(json));
  std::string safe;
  safe.reserve(text.size());
  for (char c : text) // a '<' is inside a string, or nowhere
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

/// `text` with the first `mark` replaced.
static void fill(std::string &text, const std::string &mark,
                 std::string_view content) {
  size_t at = text.find(mark);
  if (at != std::string::npos)
    text.replace(at, mark.size(), content);
}

std::string cli::fillPage(std::string_view name, const Json &content,
                          const std::set<std::string_view> &without) {
  std::string page;
  for (const PagePart &part : kPageParts)
    if (part.name == name)
      page = part.text;
  assert(!page.empty() && "no such file in page/");
  for (const PagePart &part : kPageParts) {
    std::string_view text = without.count(part.name) ? "" : part.text;
    fill(page, "<!-- " + std::string(part.name) + " -->", text);
    fill(page, "/* " + std::string(part.name) + " */", text);
  }
  // Last: names in the model may look like a mark.
  fill(page, "{/* content */}", forScript(content));
  return page;
}
