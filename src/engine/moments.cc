#include "engine/moments.h"

#include <cmath>
#include <cstdint>
#include <optional>

#include "engine/duck.h"

namespace millstream::engine {
namespace {

// CentralMomentAgg.
struct Moments {
  double n, mean, m2, m3, m4;

  void add(double x) {
    n += 1;
    const double delta = x - mean;
    const double delta_n = delta / n;
    mean += delta_n;
    m2 += delta * (delta - delta_n);
    const double delta2 = delta * delta;
    const double delta_n2 = delta_n * delta_n;
    m3 += -3.0 * delta_n * m2 + delta * (delta2 - delta_n2);
    m4 += -4.0 * delta_n * m3 - 6.0 * delta_n2 * m2 + delta * (delta * delta2 - delta_n * delta_n2);
  }

  void merge(const Moments& other) {
    if (other.n == 0) return;
    if (n == 0) {
      *this = other;
      return;
    }
    const double n1 = n;
    const double n2 = other.n;
    n = n1 + n2;
    const double delta = other.mean - mean;
    const double delta_n = delta / n;
    const double product = n1 * n2;
    m4 += other.m4 + delta_n * delta_n * delta_n * delta * product * (n1 * n1 - product + n2 * n2) +
          6.0 * delta_n * delta_n * (n1 * n1 * other.m2 + n2 * n2 * m2) +
          4.0 * delta_n * (n1 * other.m3 - n2 * m3);
    m3 += other.m3 + delta_n * delta_n * delta * product * (n1 - n2) +
          3.0 * delta_n * (n1 * other.m2 - n2 * m2);
    m2 += other.m2 + delta * delta_n * product;
    mean += delta_n * n2;
  }
};

// Covariance and PearsonCorrelation.
struct Comoments {
  double n, x_mean, y_mean, ck, x_mk, y_mk;

  void add(double x, double y) {
    n += 1;
    const double dx = x - x_mean;
    const double dy = y - y_mean;
    x_mean += dx / n;
    y_mean += dy / n;
    ck += dx * (y - y_mean);
    x_mk += dx * (x - x_mean);
    y_mk += dy * (y - y_mean);
  }

  void merge(const Comoments& other) {
    if (other.n == 0) return;
    if (n == 0) {
      *this = other;
      return;
    }
    const double n1 = n;
    const double n2 = other.n;
    n = n1 + n2;
    const double dx = other.x_mean - x_mean;
    const double dy = other.y_mean - y_mean;
    ck += other.ck + dx * (dy / n) * n1 * n2;
    x_mk += other.x_mk + dx * (dx / n) * n1 * n2;
    y_mk += other.y_mk + dy * (dy / n) * n1 * n2;
    x_mean += dx / n * n2;
    y_mean += dy / n * n2;
  }
};

// What the regr_ functions of (y, x) come from.
struct Regression {
  Comoments both;
  Moments y;
  Moments x;

  void add(double y_value, double x_value) {
    both.add(x_value, y_value);
    y.add(y_value);
    x.add(x_value);
  }

  void merge(const Regression& other) {
    both.merge(other.both);
    y.merge(other.y);
    x.merge(other.x);
  }
};

using Answer = std::optional<double>;

Answer var_pop(const Moments& m) { return m.n == 0 ? Answer() : m.m2 / m.n; }
Answer var_samp(const Moments& m) { return m.n <= 1 ? Answer() : m.m2 / (m.n - 1); }
Answer stddev_pop(const Moments& m) { return m.n == 0 ? Answer() : std::sqrt(m.m2 / m.n); }
Answer stddev_samp(const Moments& m) { return m.n <= 1 ? Answer() : std::sqrt(m.m2 / (m.n - 1)); }
Answer skewness(const Moments& m) {
  if (m.n == 0 || m.m2 == 0) return {};
  return std::sqrt(m.n) * m.m3 / std::sqrt(m.m2 * m.m2 * m.m2);
}
Answer kurtosis(const Moments& m) {
  if (m.n == 0 || m.m2 == 0) return {};
  return m.n * m.m4 / (m.m2 * m.m2) - 3.0;
}
Answer covar_pop(const Comoments& c) { return c.n == 0 ? Answer() : c.ck / c.n; }
Answer covar_samp(const Comoments& c) { return c.n <= 1 ? Answer() : c.ck / (c.n - 1); }
// corr is the one over the other; of a single row there is none.
Answer comoment(const Comoments& c) { return c.n <= 1 ? Answer() : c.ck; }
Answer comoment_scale(const Comoments& c) {
  return c.n <= 1 ? Answer() : std::sqrt(c.x_mk * c.y_mk);
}

// regr_r2(y, x): none without a spread of x, 1 without one of y.
Answer regr_r2(const Comoments& c) {
  if (c.n == 0 || c.y_mk == 0) return {};
  if (c.x_mk == 0) return 1.0;
  const double corr = c.ck / std::sqrt(c.x_mk * c.y_mk);
  return corr * corr;
}

Answer regr_slope(const Regression& r) { return r.x.m2 == 0 ? Answer() : r.both.ck / r.x.m2; }
Answer regr_intercept(const Regression& r) {
  if (r.x.m2 == 0) return {};
  return r.both.y_mean - r.both.ck / r.x.m2 * r.both.x_mean;
}
Answer regr_sxx(const Regression& r) { return r.x.n == 0 ? Answer() : r.x.m2; }
Answer regr_sxy(const Regression& r) { return r.x.n == 0 ? Answer() : r.both.ck; }
Answer regr_syy(const Regression& r) { return r.x.n == 0 ? Answer() : r.y.m2; }

template <typename State>
State& state_of(duckdb_aggregate_state state) {
  return *reinterpret_cast<State*>(state);
}

bool is_valid(duckdb_vector vector, idx_t row) {
  std::uint64_t* valid = duckdb_vector_get_validity(vector);
  return valid == nullptr || duckdb_validity_row_is_valid(valid, row);
}

template <typename State>
void update(duckdb_function_info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
  const idx_t rows = duckdb_data_chunk_get_size(input);
  duckdb_vector first = duckdb_data_chunk_get_vector(input, 0);
  const auto* x = static_cast<const double*>(duckdb_vector_get_data(first));
  if constexpr (std::is_same_v<State, Moments>) {
    for (idx_t row = 0; row < rows; ++row) {
      if (is_valid(first, row)) state_of<State>(states[row]).add(x[row]);
    }
  } else {
    duckdb_vector second = duckdb_data_chunk_get_vector(input, 1);
    const auto* y = static_cast<const double*>(duckdb_vector_get_data(second));
    for (idx_t row = 0; row < rows; ++row) {
      if (is_valid(first, row) && is_valid(second, row))
        state_of<State>(states[row]).add(x[row], y[row]);
    }
  }
}

template <typename State>
void combine(duckdb_function_info, duckdb_aggregate_state* from, duckdb_aggregate_state* to,
             idx_t count) {
  for (idx_t i = 0; i < count; ++i) state_of<State>(to[i]).merge(state_of<State>(from[i]));
}

template <typename State, Answer (*Finish)(const State&)>
void finalize(duckdb_function_info, duckdb_aggregate_state* states, duckdb_vector result,
              idx_t count, idx_t offset) {
  auto* out = static_cast<double*>(duckdb_vector_get_data(result));
  for (idx_t i = 0; i < count; ++i) {
    const Answer answer = Finish(state_of<State>(states[i]));
    if (answer) {
      out[offset + i] = *answer;
      continue;
    }
    duckdb_vector_ensure_validity_writable(result);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(result), offset + i);
  }
}

template <typename State, Answer (*Finish)(const State&)>
Status add_aggregate(duckdb_connection connection, const char* name) {
  duckdb_aggregate_function function = duckdb_create_aggregate_function();
  duckdb_aggregate_function_set_name(function, name);
  duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
  const int arguments = std::is_same_v<State, Moments> ? 1 : 2;
  for (int i = 0; i < arguments; ++i) duckdb_aggregate_function_add_parameter(function, number);
  duckdb_aggregate_function_set_return_type(function, number);
  duckdb_destroy_logical_type(&number);
  duckdb_aggregate_function_set_functions(
      function, [](duckdb_function_info) -> idx_t { return sizeof(State); },
      [](duckdb_function_info, duckdb_aggregate_state state) { state_of<State>(state) = State{}; },
      update<State>, combine<State>, finalize<State, Finish>);
  duckdb_aggregate_function_set_special_handling(function);
  const duckdb_state done = duckdb_register_aggregate_function(connection, function);
  duckdb_destroy_aggregate_function(&function);
  return done == DuckDBSuccess ? Status::OK()
                               : Status::internal("DuckDB refused the aggregate {}", name);
}

}  // namespace

Status register_moments(duckdb_connection c) {
  TRY((add_aggregate<Moments, var_pop>(c, "ms_var_pop")));
  TRY((add_aggregate<Moments, var_samp>(c, "ms_var_samp")));
  TRY((add_aggregate<Moments, stddev_pop>(c, "ms_stddev_pop")));
  TRY((add_aggregate<Moments, stddev_samp>(c, "ms_stddev_samp")));
  TRY((add_aggregate<Moments, skewness>(c, "ms_skewness")));
  TRY((add_aggregate<Moments, kurtosis>(c, "ms_kurtosis")));
  TRY((add_aggregate<Comoments, covar_pop>(c, "ms_covar_pop")));
  TRY((add_aggregate<Comoments, covar_samp>(c, "ms_covar_samp")));
  TRY((add_aggregate<Comoments, comoment>(c, "ms_comoment")));
  TRY((add_aggregate<Comoments, regr_r2>(c, "ms_regr_r2")));
  TRY((add_aggregate<Regression, regr_slope>(c, "ms_regr_slope")));
  TRY((add_aggregate<Regression, regr_intercept>(c, "ms_regr_intercept")));
  TRY((add_aggregate<Regression, regr_sxx>(c, "ms_regr_sxx")));
  TRY((add_aggregate<Regression, regr_sxy>(c, "ms_regr_sxy")));
  TRY((add_aggregate<Regression, regr_syy>(c, "ms_regr_syy")));
  return add_aggregate<Comoments, comoment_scale>(c, "ms_comoment_scale");
}

}  // namespace millstream::engine
