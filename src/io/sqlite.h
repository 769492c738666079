#pragma once

#include <gass/error.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace gass {

/// The file is no database, a damaged one, or somebody else's; of code model_invalid. Everything else that
/// fails here is a plain Error of code io.
class DamagedDatabase : public Error {
  public:
    DamagedDatabase(std::string_view where, std::string_view reason)
        : Error(ErrorCode::model_invalid, where, reason) {}
};

/// An open SQLite database. Nothing here outlives it.
class Database {
  public:
    /// Opens the file, or makes an empty one. Other processes are waited for as long as `patience_ms`.
    Database(const std::filesystem::path& path, int patience_ms);

    /// Runs one or several statements that give no rows.
    void execute(const std::string& sql);
    /// The first column of the first row of a statement.
    std::int64_t number(std::string_view sql);
    /// Rows that the last INSERT, UPDATE or DELETE changed.
    std::uint64_t changes() const;

    /// The file's name, for messages.
    const std::string& where() const { return where_; }
    [[noreturn]] void fail_now(std::string_view doing) const;

  private:
    friend class Statement;
    struct Close {
        void operator()(sqlite3* connection) const;
    };
    std::string where_;
    std::unique_ptr<sqlite3, Close> connection_;
};

/// A prepared statement. Texts and blobs are not copied: they must live until the next `reset`.
class Statement {
  public:
    Statement(Database& database, std::string_view sql);

    /// Makes it ready to run again, with these values in place of the question marks.
    template <class... Values>
    Statement& bind(const Values&... values) {
        reset();
        int place = 0;
        (bind_at(++place, values), ...);
        return *this;
    }
    /// Goes to the next row; false at the end.
    bool step();
    void reset();

    std::int64_t number(int column) const;
    std::string_view text(int column) const;
    std::span<const std::byte> blob(int column) const;

  private:
    void bind_at(int place, std::string_view text);
    void bind_at(int place, std::span<const std::byte> blob);
    void bind_at(int place, std::int64_t number);

    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    Database& database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// All of what happens during its life, or, without `commit`, nothing of it.
class Transaction {
  public:
    enum class Kind { read, write };
    Transaction(Database& database, Kind kind);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    Database& database_;
    bool open_ = true;
};

}  // namespace gass
