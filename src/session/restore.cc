// RESTORE of Delta tables.
#include "delta/restore.h"

#include "delta/time_travel.h"
#include "session/statement_run.h"
#include "session/time_travel.h"

namespace millstream::session {

StatementRun::Outcome StatementRun::operator()(const sql::Restore& restore) {
  TRY_ASSIGN(const Target target, target_of(restore.table, "RESTORE"));
  if (!target.is_delta) {
    return Status::unsupported("RESTORE of a table of format {} is not supported",
                               target.entry->provider);
  }
  delta::RestoreTarget to;
  to.version = restore.version;
  to.time_text = restore.timestamp;
  to.within_retention = stays_within_retention(session_.conf());
  if (!to.version) {
    TRY_ASSIGN(to.time_ms, delta::parse_time_ms(restore.timestamp, session_.conf().time_zone()));
  }
  TRY_ASSIGN(const auto done, delta::restore_table(warehouse_.store(), target.directory, to));
  ResultTable table;
  for (const char* name :
       {"table_size_after_restore", "num_of_files_after_restore", "num_removed_files",
        "num_restored_files", "removed_files_size", "restored_files_size"}) {
    table.column(name, CellType::number);
  }
  if (done) {
    table.row({number(done->table_bytes), number(done->table_files), number(done->removed_files),
               number(done->restored_files), number(done->removed_bytes),
               number(done->restored_bytes)});
  }
  return finish(table);
}

}  // namespace millstream::session
