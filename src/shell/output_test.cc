#include "shell/output.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>

#include "shell/progress.h"

namespace millstream::shell {
namespace {

// What the printer writes for two columns.
template <typename Make>
std::string printed(const Make& make, const std::vector<TextRow>& rows) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = ::open_memstream(&text, &size);
  const auto printer = make(out);
  printer->begin({"id", "name"});
  for (const TextRow& row : rows) printer->row(row);
  printer->end();
  std::fclose(out);
  std::string result(text, size);
  std::free(text);
  return result;
}

TEST(Table, IsAsWideAsItsWidestCell) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  EXPECT_EQ(printed(table_printer, {{"1", "né"}, {"22", std::nullopt}, {"3", "a\nb"}}),
            "+----+------+\n"
            "| id | name |\n"
            "+----+------+\n"
            "| 1  | né   |\n"
            "| 22 | NULL |\n"
            "| 3  | a\\nb |\n"
            "+----+------+\n");
}

TEST(Table, ShowsControlCharactersAsEscapes) {
  EXPECT_NE(printed(table_printer, {{"\x1b[2J", "x"}}).find("\\x1B[2J"), std::string::npos);
}

TEST(Csv, QuotesWhatNeedsIt) {
  const auto make = [](std::FILE* out) { return csv_printer(out, true); };
  EXPECT_EQ(printed(make, {{"1", "a,b"}, {"2", "say \"x\""}, {"3", ""}, {std::nullopt, "c\nd"}}),
            "id,name\n1,\"a,b\"\n2,\"say \"\"x\"\"\"\n3,\"\"\n,\"c\nd\"\n");
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  EXPECT_EQ(display_width("né"), 2);
  EXPECT_EQ(display_width("日本"), 4);
  EXPECT_EQ(display_width("\xff\xfe"), 2);
}

TEST(ProgressText, TellsOfTasksWhereTheyAreKnown) {
  Progress progress;
  EXPECT_EQ(progress_text(progress, 1.25), "running, 1.2 s (^C ends it)");
  progress.tasks = 40;
  progress.completed = 10;
  EXPECT_EQ(progress_text(progress, 3.0), "[=======>                      ] 10 of 40 tasks, 3.0 s");
}

}  // namespace
}  // namespace millstream::shell
