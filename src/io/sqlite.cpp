#include "io/sqlite.h"

#include "core/fail.h"

#include <sqlite3.h>

#include <new>

namespace gass {

void Database::Close::operator()(sqlite3* connection) const {
    sqlite3_close_v2(connection);
}

Database::Database(const std::filesystem::path& path, int patience_ms) : where_(path.string()) {
    sqlite3* connection = nullptr;
    const int result =
        sqlite3_open_v2(path.c_str(), &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    connection_.reset(connection);
    if (connection == nullptr) throw std::bad_alloc();
    if (result != SQLITE_OK) fail_now("open the database");
    sqlite3_busy_timeout(connection, patience_ms);
    // The file may have been tampered with: nothing in its schema is allowed to do more than hold tables.
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
}

void Database::execute(const std::string& sql) {
    if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        fail_now("use the database");
}

std::int64_t Database::number(std::string_view sql) {
    Statement statement(*this, sql);
    return statement.step() ? statement.number(0) : 0;
}

std::uint64_t Database::changes() const {
    return static_cast<std::uint64_t>(sqlite3_changes64(connection_.get()));
}

void Database::fail_now(std::string_view doing) const {
    const int code = sqlite3_errcode(connection_.get()) & 0xFF;
    const char* reason = sqlite3_errmsg(connection_.get());
    // Our statements are right, so what SQLite calls an error in one is a table that is not as we made it.
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR)
        throw DamagedDatabase(where_, reason);
    fail(ErrorCode::io, where_, "cannot {}: {}", doing, reason);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
    sqlite3_stmt* statement = nullptr;
    const int result = sqlite3_prepare_v2(database.connection_.get(), sql.data(),
                                          static_cast<int>(sql.size()), &statement, nullptr);
    statement_.reset(statement);
    if (result != SQLITE_OK) database.fail_now("use the database");
}

bool Statement::step() {
    const int result = sqlite3_step(statement_.get());
    if (result != SQLITE_ROW && result != SQLITE_DONE) database_.fail_now("use the database");
    return result == SQLITE_ROW;
}

void Statement::reset() {
    sqlite3_reset(statement_.get());  // reports once more what `step` has reported
}

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    return {text == nullptr ? "" : text,
            static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::span<const std::byte> Statement::blob(int column) const {
    const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void Statement::bind_at(int place, std::string_view text) {
    if (sqlite3_bind_text64(statement_.get(), place, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8) !=
        SQLITE_OK)
        database_.fail_now("use the database");
}

void Statement::bind_at(int place, std::span<const std::byte> blob) {
    const void* bytes = blob.empty() ? "" : static_cast<const void*>(blob.data());  // nullptr would be NULL
    if (sqlite3_bind_blob64(statement_.get(), place, bytes, blob.size(), SQLITE_STATIC) != SQLITE_OK)
        database_.fail_now("use the database");
}

void Statement::bind_at(int place, std::int64_t number) {
    if (sqlite3_bind_int64(statement_.get(), place, number) != SQLITE_OK)
        database_.fail_now("use the database");
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
    // A transaction that begins by reading could find, when it comes to write, that somebody else wrote
    // since.
    database.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
    if (!open_) return;
    try {
        database_.execute("ROLLBACK");
    } catch (const std::exception&) {
        open_ = false;  // SQLite has rolled back by itself, on a full disk for instance
    }
}

void Transaction::commit() {
    database_.execute("COMMIT");
    open_ = false;
}

}  // namespace gass
