// Statistics of a DataFrame: frame.stat(), and the columns that have no value: frame.na(). What
// gives a DataFrame runs when that does; what gives a number runs at once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "millstream/data_frame.h"

namespace millstream::api {

class DataFrameStatFunctions {
 public:
  explicit DataFrameStatFunctions(DataFrame input) : input_(std::move(input)) {}

  // How often each pair of values occurs: a row for each value of `row`, whose first column,
  // "<row>_<column>", is that value as a text; then a BIGINT column for each value of `column`.
  DataFrame crosstab(const std::string& row, const std::string& column) const;
  // One row: for each column "<name>_freqItems", an array of the values that are in more than
  // `support` (above 0.0001, at most 1) of the rows, and maybe some others.
  DataFrame freq_items(const std::vector<std::string>& columns, double support = 0.01) const;

  // Of two columns of numbers. Pearson's is the only method; NaN where it is not defined.
  double corr(const std::string& left, const std::string& right,
              const std::string& method = "pearson") const;
  // The sample's covariance.
  double cov(const std::string& left, const std::string& right) const;

  // For each column, the values at `probabilities` (0 to 1), off by at most `relative_error` of the
  // rows' ranks; 0 is exact. A column without a value gives none.
  std::vector<std::vector<double>> approx_quantile(const std::vector<std::string>& columns,
                                                   const std::vector<double>& probabilities,
                                                   double relative_error) const;

  // Each row with the fraction (0 to 1) of its value of `column`; values without one are left out.
  DataFrame sample_by(const ColumnOrName& column,
                      const std::vector<std::pair<Value, double>>& fractions,
                      std::int64_t seed) const;

 private:
  DataFrame input_;
};

// NULL and NaN of columns. No columns: all that the value fits.
class DataFrameNaFunctions {
 public:
  explicit DataFrameNaFunctions(DataFrame input) : input_(std::move(input)) {}

  // `how`: "any" leaves out rows with a NULL or NaN, "all" rows that have nothing else.
  DataFrame drop(const std::string& how = "any",
                 const std::vector<std::string>& columns = {}) const;
  // Leaves out rows with less than `min_non_nulls` values that are neither NULL nor NaN.
  DataFrame drop(std::int32_t min_non_nulls, const std::vector<std::string>& columns = {}) const;

  DataFrame fill(const Value& value, const std::vector<std::string>& columns = {}) const;
  // A value for each column.
  DataFrame fill(const std::vector<std::pair<std::string, Value>>& values) const;

  // Each first value becomes its second: all texts, all numbers or all truth values; the second may
  // be NULL.
  DataFrame replace(const std::vector<std::pair<Value, Value>>& replacements,
                    const std::vector<std::string>& columns = {}) const;

 private:
  DataFrame input_;
};

}  // namespace millstream::api
