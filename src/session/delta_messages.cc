#include "session/delta_messages.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/io/coded_stream.h>

#include "base/text.h"
#include "delta/connect/commands.pb.h"
#include "delta/connect/relations.pb.h"
#include "delta/write.h"
#include "plan/well_formed.h"
#include "session/result_table.h"
#include "session/statements.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"
#include "sql/statement.h"

namespace millstream::session {
namespace {

namespace proto = spark::connect;
namespace messages = ::delta::connect;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr int nesting_max = 20'000;  // as of plans outside

// The message in `any`, which may nest as deep as a plan; false: it is another, or malformed.
bool unpack(const google::protobuf::Any& any, Message* out) {
  if (!any.type_url().ends_with("/" + out->GetDescriptor()->full_name())) return false;
  google::protobuf::io::CodedInputStream in(
      reinterpret_cast<const std::uint8_t*>(any.value().data()),
      static_cast<int>(any.value().size()));
  in.SetRecursionLimit(nesting_max);
  return out->ParseFromCodedStream(&in) && in.ConsumedEntireMessage();
}

// What a client's plan passes, for the relations and expressions inside a message that is only
// bytes to the plan around it.
Status check_parts(const Message& message) {
  const auto* kind = message.GetDescriptor();
  if (kind == proto::Relation::descriptor() || kind == proto::Expression::descriptor())
    return plan::check_well_formed(message);
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      TRY(check_parts(reflection->GetMessage(message, field)));
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i)
      TRY(check_parts(reflection->GetRepeatedMessage(message, field, i)));
  }
  return Status::OK();
}

// Calls `f` with each relation that is an extension, the innermost first.
template <typename F>
Status each_extension(Message* message, const F& f) {
  const auto* reflection = message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      TRY(each_extension(reflection->MutableMessage(message, field), f));
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
      TRY(each_extension(reflection->MutableRepeatedMessage(message, field, i), f));
    }
  }
  if (message->GetDescriptor() != proto::Relation::descriptor()) return Status::OK();
  auto* relation = static_cast<proto::Relation*>(message);
  return relation->has_extension() ? f(relation) : Status::OK();
}

bool is_path(const std::string& name) {
  return name.starts_with('/') || name.find(":/") != std::string::npos;
}

Result<sql::Name> name_of(const messages::DeltaTable& table) {
  if (table.has_path()) return sql::Name{"delta", table.path().path()};
  // What clone() to a path gives back calls its path a name.
  const std::string& name = table.table_or_view_name();
  if (is_path(name)) return sql::Name{"delta", name};
  return sql::parse_identifier(name);
}

std::string quoted(const sql::Name& name) { return quote_identifiers(name); }

// As a client sends rows of its own.
arrow::Result<std::string> ipc_stream(const arrow::RecordBatch& rows) {
  ARROW_ASSIGN_OR_RAISE(const auto sink, arrow::io::BufferOutputStream::Create());
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeStreamWriter(sink, rows.schema()));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(rows));
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_ASSIGN_OR_RAISE(const auto bytes, sink->Finish());
  return bytes->ToString();
}

// The rows of a statement as a relation.
Status put_rows(const CatalogResult& result, proto::Relation* relation) {
  const auto bytes = ipc_stream(*result.rows);
  if (!bytes.ok()) return Status::internal("Arrow: {}", bytes.status().ToString());
  auto common = relation->common();
  relation->Clear();
  *relation->mutable_common() = std::move(common);
  auto* local = relation->mutable_local_relation();
  local->set_data(*bytes);
  local->set_schema(column::schema_to_json(result.schema));
  return Status::OK();
}

using ExpressionPtr = sql::MergeClause::ExpressionPtr;
using Assignments = google::protobuf::RepeatedPtrField<messages::Assignment>;

ExpressionPtr copy(const proto::Expression& expression) {
  return std::make_shared<proto::Expression>(expression);
}

std::string text_of(const proto::Expression& expression) {
  return expression.has_expression_string() ? expression.expression_string().expression() : "";
}

Status add_assignments(const Assignments& assignments,
                       std::vector<std::pair<sql::Name, ExpressionPtr>>& out) {
  for (const auto& assignment : assignments) {
    const auto& field = assignment.field();
    const std::string name = field.has_unresolved_attribute()
                                 ? field.unresolved_attribute().unparsed_identifier()
                                 : text_of(field);
    TRY_ASSIGN(auto path, sql::parse_identifier(name));
    out.emplace_back(std::move(path), copy(assignment.value()));
  }
  return Status::OK();
}

class Expansion {
 public:
  Expansion(Session& session, bool run, const ActionContext& context)
      : session_(session), run_(run), context_(context) {}

  Status expand(proto::Relation* relation) {
    messages::DeltaRelation message;
    if (!unpack(relation->extension(), &message)) {
      return Status::unsupported("the extension {} of relations is not supported",
                                 relation->extension().type_url());
    }
    TRY(check_parts(message));
    // What is inside was not expanded: it was only bytes.
    switch (message.relation_type_case()) {
      case messages::DeltaRelation::kScan:
        return scan(message.scan(), relation);
      case messages::DeltaRelation::kDescribeHistory:
        return describe(message.describe_history().table(), sql::DescribeKind::history, relation);
      case messages::DeltaRelation::kDescribeDetail:
        return describe(message.describe_detail().table(), sql::DescribeKind::detail, relation);
      case messages::DeltaRelation::kIsDeltaTable:
        return is_delta_table(message.is_delta_table().path(), relation);
      case messages::DeltaRelation::kDeleteFromTable:
        return remove(message.delete_from_table(), relation);
      case messages::DeltaRelation::kUpdateTable:
        return update(message.update_table(), relation);
      case messages::DeltaRelation::kMergeIntoTable:
        return merge(*message.mutable_merge_into_table(), relation);
      case messages::DeltaRelation::kRestoreTable:
        return restore(message.restore_table(), relation);
      case messages::DeltaRelation::kOptimizeTable:
        return optimize(message.optimize_table(), relation);
      case messages::DeltaRelation::kConvertToDelta:
        return convert(message.convert_to_delta(), relation);
      default:
        return Status::unsupported("this method of DeltaTable is not supported");
    }
  }

 private:
  static Status scan(const messages::Scan& scan, proto::Relation* relation) {
    TRY_ASSIGN(const auto name, name_of(scan.table()));
    auto common = relation->common();
    relation->Clear();
    *relation->mutable_common() = std::move(common);
    relation->mutable_read()->mutable_named_table()->set_unparsed_identifier(quoted(name));
    return Status::OK();
  }

  Status describe(const messages::DeltaTable& table, sql::DescribeKind kind,
                  proto::Relation* relation) {
    sql::Describe describe;
    describe.kind = kind;
    TRY_ASSIGN(describe.table, name_of(table));
    return statement(describe, relation, true);
  }

  Status is_delta_table(const std::string& path, proto::Relation* relation) {
    TRY_ASSIGN(const std::string directory, io::store_path(path));
    TRY_ASSIGN(const bool there,
               millstream::delta::is_delta_table(session_.runtime().store, directory));
    ResultTable table;
    table.column("value", CellType::flag, false);
    table.row({flag(there)});
    TRY_ASSIGN(const auto result, table.finish());
    return put_rows(result, relation);
  }

  Status optimize(const messages::OptimizeTable& message, proto::Relation* relation) {
    sql::Optimize optimize;
    TRY_ASSIGN(optimize.table, name_of(message.table()));
    std::vector<std::string> filters;
    for (const auto& filter : message.partition_filters()) filters.push_back('(' + filter + ')');
    if (!filters.empty()) {
      optimize.where_text = join(filters, " AND ");
      optimize.text = optimize.where_text;
      optimize.where = std::make_shared<proto::Expression>();
      std::vector<proto::Relation> subqueries;
      TRY(sql::parse_expression(optimize.where_text, optimize.where.get(), &subqueries));
    }
    for (const auto& column : message.zorder_columns()) {
      TRY_ASSIGN(auto path, sql::parse_identifier(column));
      optimize.zorder_by.push_back(std::move(path));
    }
    return statement(optimize, relation, false);
  }

  // Answers with the name that the table has then.
  Status convert(const messages::ConvertToDelta& message, proto::Relation* relation) {
    sql::ConvertToDelta convert;
    TRY_ASSIGN(convert.table, sql::parse_identifier(message.identifier()));
    if (message.has_partition_schema_string()) {
      convert.partitions = message.partition_schema_string();
    } else if (message.has_partition_schema_struct()) {
      TRY_ASSIGN(const auto type, plan::type_from_proto(message.partition_schema_struct()));
      if (type->kind() != column::TypeKind::struct_)
        return Status::plain(ErrorKind::invalid_plan, "partition columns are no struct");
      convert.partitions = column::to_ddl(type->fields());
    }
    if (run_) {
      TRY(run_statement(session_, convert, context_, {}).status());
      session_.storage_levels().tables_changed();
    }
    const bool of_path = convert.table.size() == 2 && is_path(convert.table[1]);
    ResultTable table;
    table.column("value", CellType::text, false);
    table.row({text(of_path ? quote_identifiers({"delta", convert.table[1]})
                            : quote_identifiers(convert.table))});
    TRY_ASSIGN(const auto result, table.finish());
    return put_rows(result, relation);
  }

  Status restore(const messages::RestoreTable& message, proto::Relation* relation) {
    sql::Restore restore;
    TRY_ASSIGN(restore.table, name_of(message.table()));
    if (message.has_version()) restore.version = message.version();
    restore.timestamp = message.timestamp();
    return statement(restore, relation, false);
  }

  // The table that is changed: a scan, under an alias or none.
  static Status target_of(const proto::Relation& target, sql::Name* name, std::string* alias) {
    const proto::Relation* at = &target;
    if (at->has_subquery_alias()) {
      *alias = at->subquery_alias().alias();
      at = &at->subquery_alias().input();
    }
    messages::DeltaRelation message;
    if (!unpack(at->extension(), &message) || !message.has_scan()) {
      return Status::plain(ErrorKind::invalid_plan,
                           "the target of a DeltaTable method is no table");
    }
    TRY_ASSIGN(*name, name_of(message.scan().table()));
    return Status::OK();
  }

  Status remove(const messages::DeleteFromTable& message, proto::Relation* relation) {
    sql::Change change;
    TRY(target_of(message.target(), &change.table, &change.alias));
    if (message.has_condition()) {
      change.where = copy(message.condition());
      change.where_text = text_of(message.condition());
    }
    return statement(change, relation, false);
  }

  Status update(const messages::UpdateTable& message, proto::Relation* relation) {
    sql::Change change;
    change.update = true;
    TRY(target_of(message.target(), &change.table, &change.alias));
    if (message.has_condition()) {
      change.where = copy(message.condition());
      change.where_text = text_of(message.condition());
    }
    TRY(add_assignments(message.assignments(), change.values));
    return statement(change, relation, false);
  }

  using Actions = google::protobuf::RepeatedPtrField<messages::MergeIntoTable_Action>;

  static Status add_clauses(const Actions& actions, sql::MergeClause::Kind kind,
                            sql::Merge& merge) {
    using Action = sql::MergeClause::Action;
    for (const auto& action : actions) {
      sql::MergeClause clause;
      clause.kind = kind;
      if (action.has_condition()) {
        clause.condition = copy(action.condition());
        clause.condition_text = text_of(action.condition());
      }
      if (action.has_delete_action()) {
        clause.action = Action::remove;
      } else if (action.has_update_action()) {
        clause.action = Action::update;
        TRY(add_assignments(action.update_action().assignments(), clause.values));
      } else if (action.has_update_star_action()) {
        clause.action = Action::update_all;
      } else if (action.has_insert_action()) {
        clause.action = Action::insert;
        TRY(add_assignments(action.insert_action().assignments(), clause.values));
      } else if (action.has_insert_star_action()) {
        clause.action = Action::insert_all;
      } else {
        return Status::plain(ErrorKind::invalid_plan, "an action of a merge is none");
      }
      merge.clauses.push_back(std::move(clause));
    }
    return Status::OK();
  }

  Status merge(messages::MergeIntoTable& message, proto::Relation* relation) {
    using Kind = sql::MergeClause::Kind;
    sql::Merge merge;
    TRY(target_of(message.target(), &merge.table, &merge.alias));
    TRY(expand_delta_messages(session_, message.mutable_source(), run_, context_));
    merge.query = std::make_shared<proto::Relation>(message.source());
    if (!message.has_condition()) {
      return Status::plain(ErrorKind::invalid_plan, "a merge has no condition");
    }
    merge.on = copy(message.condition());
    merge.on_text = text_of(message.condition());
    merge.evolve_schema = message.with_schema_evolution();
    TRY(add_clauses(message.matched_actions(), Kind::matched, merge));
    TRY(add_clauses(message.not_matched_actions(), Kind::not_matched, merge));
    TRY(add_clauses(message.not_matched_by_source_actions(), Kind::not_matched_by_source, merge));
    if (merge.clauses.empty()) return Status::error("DELTA_MERGE_MISSING_WHEN");
    TRY(sql::check_merge_clauses(merge));
    return statement(merge, relation, false);
  }

  // `reads`: it changes nothing, and may run when a plan is only looked at.
  Status statement(const sql::Statement& statement, proto::Relation* relation, bool reads) {
    if (!run_ && !reads) {
      ResultTable none;
      none.column("num_affected_rows", CellType::number);
      TRY_ASSIGN(const auto empty, none.finish());
      return put_rows(empty, relation);
    }
    TRY_ASSIGN(const auto done, run_statement(session_, statement, context_, {}));
    session_.storage_levels().tables_changed();
    return put_rows(*done, relation);
  }

  Session& session_;
  const bool run_;
  const ActionContext& context_;
};

// The columns of a table that is created, as DDL.
Result<std::string> columns_of(const messages::CreateDeltaTable& create) {
  column::Schema schema;
  for (const auto& column : create.columns()) {
    TRY_ASSIGN(auto type, plan::type_from_proto(column.data_type()));
    schema.push_back({column.name(), std::move(type), column.nullable(), ""});
    if (column.has_comment())
      schema.back().metadata = "{\"comment\":" + json_quote(column.comment()) + "}";
  }
  return column::to_ddl(schema);
}

// What it says of them beyond their types.
std::vector<sql::ColumnClause> clauses_of(const messages::CreateDeltaTable& create) {
  std::vector<sql::ColumnClause> out;
  for (const auto& column : create.columns()) {
    if (!column.has_generated_always_as() && !column.has_identity_info()) continue;
    sql::ColumnClause clause;
    clause.column = column.name();
    clause.generation = column.generated_always_as();
    if (column.has_identity_info()) {
      clause.identity = true;
      clause.identity_always = !column.identity_info().allow_explicit_insert();
      clause.start = column.identity_info().start();
      clause.step = column.identity_info().step();
    }
    out.push_back(std::move(clause));
  }
  return out;
}

Status create_table(Session& session, const messages::CreateDeltaTable& message,
                    const ActionContext& context) {
  sql::CreateTable create;
  if (!message.table_name().empty()) {
    TRY_ASSIGN(create.name, sql::parse_identifier(message.table_name()));
  } else {
    create.name = {"delta", message.location()};
  }
  using Mode = messages::CreateDeltaTable;
  create.if_not_exists = message.mode() == Mode::MODE_CREATE_IF_NOT_EXISTS;
  create.must_exist = message.mode() == Mode::MODE_REPLACE;
  create.replace = create.must_exist || message.mode() == Mode::MODE_CREATE_OR_REPLACE;
  create.provider = "delta";
  TRY_ASSIGN(create.columns, columns_of(message));
  create.clauses = clauses_of(message);
  create.partition_by.assign(message.partitioning_columns().begin(),
                             message.partitioning_columns().end());
  create.clustered = message.clustering_columns_size() > 0;
  create.cluster_by.assign(message.clustering_columns().begin(),
                           message.clustering_columns().end());
  for (const auto& [key, value] : message.properties()) create.properties[key] = value;
  create.comment = message.comment();
  if (!message.table_name().empty()) create.location = message.location();
  return run_statement(session, create, context, {}).status();
}

Status clone_table(Session& session, const messages::CloneTable& message,
                   const ActionContext& context) {
  if (!message.is_shallow())
    return Status::unsupported("DeltaTable: a clone that is not shallow is not supported");
  sql::CreateTable create;
  if (is_path(message.target())) {
    create.name = {"delta", message.target()};
  } else {
    TRY_ASSIGN(create.name, sql::parse_identifier(message.target()));
  }
  create.replace = message.replace();
  for (const auto& [key, value] : message.properties()) create.properties[key] = value;
  sql::Clone clone;
  TRY_ASSIGN(clone.source, name_of(message.table()));
  if (message.has_version()) clone.version = message.version();
  clone.timestamp = message.timestamp();
  create.clone = std::move(clone);
  return run_statement(session, create, context, {}).status();
}

}  // namespace

bool has_delta_messages(const Message& message) {
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (field->message_type() == google::protobuf::Any::descriptor()) {
      if (field->is_repeated()) continue;
      const auto& any =
          static_cast<const google::protobuf::Any&>(reflection->GetMessage(message, field));
      if (any.type_url().find("delta.connect.") != std::string::npos) return true;
      continue;
    }
    if (!field->is_repeated()) {
      if (has_delta_messages(reflection->GetMessage(message, field))) return true;
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      if (has_delta_messages(reflection->GetRepeatedMessage(message, field, i))) return true;
    }
  }
  return false;
}

Status expand_delta_messages(Session& session, Message* message, bool run,
                             const ActionContext& context) {
  Expansion expansion(session, run, context);
  return each_extension(message,
                        [&](proto::Relation* relation) { return expansion.expand(relation); });
}

Status run_delta_command(Session& session, const google::protobuf::Any& command,
                         const ActionContext& context) {
  messages::DeltaCommand message;
  if (!unpack(command, &message)) {
    return Status::unsupported("the command extension {} is not supported", command.type_url());
  }
  if (message.has_create_delta_table())
    return create_table(session, message.create_delta_table(), context);
  if (message.has_clone_table()) return clone_table(session, message.clone_table(), context);
  if (message.has_vacuum_table()) {
    sql::Vacuum vacuum;
    TRY_ASSIGN(vacuum.table, name_of(message.vacuum_table().table()));
    if (message.vacuum_table().has_retention_hours()) {
      vacuum.retain_hours = message.vacuum_table().retention_hours();
    }
    return run_statement(session, vacuum, context, {}).status();
  }
  if (message.has_generate()) {
    sql::Generate generate;
    generate.mode = message.generate().mode();
    TRY_ASSIGN(generate.table, name_of(message.generate().table()));
    return run_statement(session, generate, context, {}).status();
  }
  const auto* field =
      messages::DeltaCommand::descriptor()->FindFieldByNumber(message.command_type_case());
  return Status::unsupported("DeltaTable: {} is not supported by Millstream yet",
                             field == nullptr ? "this method" : field->name());
}

}  // namespace millstream::session
