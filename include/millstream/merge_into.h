// MergeIntoWriter: MERGE of a DataFrame's rows into a table that has a name. The condition and the
// actions name columns of the table by its name ("t.id") and of the rows by their alias.
//
//   changes.alias("s")
//       .merge_into("t", expr("t.id = s.id"))
//       .when_matched(expr("s.gone")).delete_rows()
//       .when_matched().update_all()
//       .when_not_matched().insert({{"id", col("s.id")}})
//       .merge();
//
// Of the clauses of a kind, the first whose condition holds decides; only the last may have none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "millstream/data_frame.h"

namespace spark::connect {
class MergeIntoTableCommand;
}  // namespace spark::connect

namespace millstream::api {

class MergeIntoWriter {
 public:
  // A column of the table, and its new value.
  using Assignments = std::vector<std::pair<std::string, Column>>;
  class WhenMatched;
  class WhenNotMatched;
  class WhenNotMatchedBySource;

  MergeIntoWriter(const DataFrame& source, const std::string& table, const Column& condition);

  // A row of the table and a row of the source for which the condition holds.
  WhenMatched when_matched(const std::optional<Column>& condition = std::nullopt) const;
  // A row of the source that has none in the table.
  WhenNotMatched when_not_matched(const std::optional<Column>& condition = std::nullopt) const;
  // A row of the table that has none in the source.
  WhenNotMatchedBySource when_not_matched_by_source(
      const std::optional<Column>& condition = std::nullopt) const;
  // Columns of the source that the table has not become columns of it.
  MergeIntoWriter with_schema_evolution() const;

  // Runs it. Throws MERGE_CARDINALITY_VIOLATION when several rows match one of the table.
  void merge() const;

 private:
  using Command = spark::connect::MergeIntoTableCommand;
  class When;
  MergeIntoWriter(DataFrame source, std::shared_ptr<const Command> command)
      : source_(std::move(source)), command_(std::move(command)) {}

  DataFrame source_;  // what it reads stays while this does
  std::shared_ptr<const Command> command_;
};

// A clause that waits for what it is to do.
class MergeIntoWriter::When {
 protected:
  friend class MergeIntoWriter;
  enum class Kind : std::uint8_t { matched, not_matched, not_matched_by_source };
  enum class Action : std::uint8_t { update, update_all, insert, insert_all, delete_rows };
  When(MergeIntoWriter writer, Kind kind, std::optional<Column> condition)
      : writer_(std::move(writer)), kind_(kind), condition_(std::move(condition)) {}
  MergeIntoWriter with(Action action, const Assignments& assignments = {}) const;

 private:
  MergeIntoWriter writer_;
  Kind kind_;
  std::optional<Column> condition_;
};

class MergeIntoWriter::WhenMatched : private When {
 public:
  using When::When;
  // All columns, by their names.
  MergeIntoWriter update_all() const { return with(Action::update_all); }
  MergeIntoWriter update(const Assignments& assignments) const {
    return with(Action::update, assignments);
  }
  // Spark's `delete`, which is a word of C++.
  MergeIntoWriter delete_rows() const { return with(Action::delete_rows); }

 private:
  friend class MergeIntoWriter;
};

class MergeIntoWriter::WhenNotMatched : private When {
 public:
  using When::When;
  MergeIntoWriter insert_all() const { return with(Action::insert_all); }
  MergeIntoWriter insert(const Assignments& assignments) const {
    return with(Action::insert, assignments);
  }

 private:
  friend class MergeIntoWriter;
};

class MergeIntoWriter::WhenNotMatchedBySource : private When {
 public:
  using When::When;
  MergeIntoWriter update(const Assignments& assignments) const {
    return with(Action::update, assignments);
  }
  MergeIntoWriter delete_rows() const { return with(Action::delete_rows); }

 private:
  friend class MergeIntoWriter;
};

}  // namespace millstream::api
