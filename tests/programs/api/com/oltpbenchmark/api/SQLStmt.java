package com.oltpbenchmark.api;

/** One SQL statement of a procedure, in the manner of the OLTP-Bench programming interface. */
public final class SQLStmt {

    private final String sql;

    public SQLStmt(String sql) {
        this.sql = sql;
    }

    public String getSQL() {
        return sql;
    }

    @Override
    public String toString() {
        return sql;
    }
}
