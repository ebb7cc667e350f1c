// spark.read.json, spark.read.csv and spark.read.xml of a DataFrame of texts.
#include "plan/relations.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;

Result<NodePtr> RelationAnalyzer::parse(const sc::Parse& proto, NodePtr input) {
  std::string format;
  switch (proto.format()) {
    case sc::Parse::PARSE_FORMAT_CSV:
      format = "csv";
      break;
    case sc::Parse::PARSE_FORMAT_JSON:
      format = "json";
      break;
    case sc::Parse::PARSE_FORMAT_XML:
      format = "xml";
      break;
    default:
      return Status::invalid("a Parse relation without a format");
  }
  input = visible_only(std::move(input));
  if (input->output.size() != 1) {
    return Status::error("DATAFRAME_INPUT_NOT_SINGLE_COLUMN",
                         {{"numColumns", std::to_string(input->output.size())}});
  }
  if (!input->output[0].type->is_string()) {
    return Status::plain(ErrorKind::analysis,
                         "Dataset[String] expected: a DataFrame of one column of texts");
  }
  Options options;
  for (const auto& [name, value] : proto.options()) options.set(name, value);
  std::string schema;
  if (proto.has_schema()) {
    TRY_ASSIGN(const auto type, type_from_proto(proto.schema()));
    if (type->kind() != column::TypeKind::struct_)
      return Status::invalid("the schema of a Parse relation must be a struct");
    schema = column::schema_to_json(type->fields());
  }
  TRY_ASSIGN(auto table, resolver_.parsed_texts(format, schema, options, input));
  return make_scan(std::move(table));
}

}  // namespace millstream::plan
