#include "millstream/stat_functions.h"

#include "client/expressions.h"
#include "client/relations.h"
#include "millstream/exceptions.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;

using client::derive;

// A relation whose only value is the answer.
template <typename Fill>
Value asked(const DataFrame& input, const Fill& fill) {
  return derive(input, fill).first()[0];
}

// na.fill and na.replace know no INT literal.
void to_wide_literal(const Value& value, proto::Expression_Literal* literal) {
  if (const auto* number = std::get_if<std::int64_t>(&value.storage())) {
    literal->set_long_(*number);
  } else {
    client::to_literal(value, literal);
  }
}

// na.replace compares and puts in numbers as DOUBLE.
void to_double_literal(const Value& value, proto::Expression_Literal* literal) {
  if (const auto* number = std::get_if<std::int64_t>(&value.storage())) {
    literal->set_double_(static_cast<double>(*number));
  } else {
    client::to_literal(value, literal);
  }
}

}  // namespace

DataFrame DataFrameStatFunctions::crosstab(const std::string& row,
                                           const std::string& column) const {
  return derive(input_, [&](proto::Relation* out) {
    *out->mutable_crosstab()->mutable_input() = input_.relation();
    out->mutable_crosstab()->set_col1(row);
    out->mutable_crosstab()->set_col2(column);
  });
}

DataFrame DataFrameStatFunctions::freq_items(const std::vector<std::string>& columns,
                                             double support) const {
  return derive(input_, [&](proto::Relation* out) {
    *out->mutable_freq_items()->mutable_input() = input_.relation();
    for (const std::string& name : columns) out->mutable_freq_items()->add_cols(name);
    out->mutable_freq_items()->set_support(support);
  });
}

double DataFrameStatFunctions::corr(const std::string& left, const std::string& right,
                                    const std::string& method) const {
  return asked(input_,
               [&](proto::Relation* out) {
                 *out->mutable_corr()->mutable_input() = input_.relation();
                 out->mutable_corr()->set_col1(left);
                 out->mutable_corr()->set_col2(right);
                 out->mutable_corr()->set_method(method);
               })
      .as_double();
}

double DataFrameStatFunctions::cov(const std::string& left, const std::string& right) const {
  return asked(input_,
               [&](proto::Relation* out) {
                 *out->mutable_cov()->mutable_input() = input_.relation();
                 out->mutable_cov()->set_col1(left);
                 out->mutable_cov()->set_col2(right);
               })
      .as_double();
}

std::vector<std::vector<double>> DataFrameStatFunctions::approx_quantile(
    const std::vector<std::string>& columns, const std::vector<double>& probabilities,
    double relative_error) const {
  const Value answer = asked(input_, [&](proto::Relation* out) {
    auto* quantile = out->mutable_approx_quantile();
    *quantile->mutable_input() = input_.relation();
    for (const std::string& name : columns) quantile->add_cols(name);
    for (const double probability : probabilities) quantile->add_probabilities(probability);
    quantile->set_relative_error(relative_error);
  });
  std::vector<std::vector<double>> quantiles;
  for (const Value& of_column : answer.as<Values>()) {
    auto& values = quantiles.emplace_back();
    for (const Value& value : of_column.as<Values>()) values.push_back(value.as_double());
  }
  return quantiles;
}

DataFrame DataFrameStatFunctions::sample_by(const ColumnOrName& column,
                                            const std::vector<std::pair<Value, double>>& fractions,
                                            std::int64_t seed) const {
  return derive(input_, [&](proto::Relation* out) {
    auto* sample = out->mutable_sample_by();
    *sample->mutable_input() = input_.relation();
    *sample->mutable_col() = column.column().expression();
    for (const auto& [stratum, fraction] : fractions) {
      auto* one = sample->add_fractions();
      client::to_literal(stratum, one->mutable_stratum());
      one->set_fraction(fraction);
    }
    sample->set_seed(seed);
  });
}

DataFrame DataFrameNaFunctions::drop(const std::string& how,
                                     const std::vector<std::string>& columns) const {
  if (how != "any" && how != "all")
    throw SparkException("na().drop knows any and all, not '" + how + "'");
  return derive(input_, [&](proto::Relation* out) {
    *out->mutable_drop_na()->mutable_input() = input_.relation();
    for (const std::string& name : columns) out->mutable_drop_na()->add_cols(name);
    if (how == "all") out->mutable_drop_na()->set_min_non_nulls(1);
  });
}

DataFrame DataFrameNaFunctions::drop(std::int32_t min_non_nulls,
                                     const std::vector<std::string>& columns) const {
  return derive(input_, [&](proto::Relation* out) {
    *out->mutable_drop_na()->mutable_input() = input_.relation();
    for (const std::string& name : columns) out->mutable_drop_na()->add_cols(name);
    out->mutable_drop_na()->set_min_non_nulls(min_non_nulls);
  });
}

DataFrame DataFrameNaFunctions::fill(const Value& value,
                                     const std::vector<std::string>& columns) const {
  return input_.fill_na(value, columns);
}

DataFrame DataFrameNaFunctions::fill(
    const std::vector<std::pair<std::string, Value>>& values) const {
  return derive(input_, [&](proto::Relation* out) {
    auto* fill = out->mutable_fill_na();
    *fill->mutable_input() = input_.relation();
    for (const auto& [name, value] : values) {
      fill->add_cols(name);
      to_wide_literal(value, fill->add_values());
    }
  });
}

DataFrame DataFrameNaFunctions::replace(const std::vector<std::pair<Value, Value>>& replacements,
                                        const std::vector<std::string>& columns) const {
  return derive(input_, [&](proto::Relation* out) {
    auto* replace = out->mutable_replace();
    *replace->mutable_input() = input_.relation();
    for (const std::string& name : columns) replace->add_cols(name);
    for (const auto& [old_value, new_value] : replacements) {
      auto* one = replace->add_replacements();
      to_double_literal(old_value, one->mutable_old_value());
      to_double_literal(new_value, one->mutable_new_value());
    }
  });
}

DataFrameStatFunctions DataFrame::stat() const { return DataFrameStatFunctions(*this); }
DataFrameNaFunctions DataFrame::na() const { return DataFrameNaFunctions(*this); }

DataFrame DataFrame::describe(const std::vector<std::string>& columns) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_describe()->mutable_input() = relation();
    for (const std::string& name : columns) out->mutable_describe()->add_cols(name);
  });
}

DataFrame DataFrame::summary(const std::vector<std::string>& statistics) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_summary()->mutable_input() = relation();
    for (const std::string& name : statistics) out->mutable_summary()->add_statistics(name);
  });
}

}  // namespace millstream::api
