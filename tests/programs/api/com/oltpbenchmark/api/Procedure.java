package com.oltpbenchmark.api;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Base class of procedures, in the manner of the OLTP-Bench programming interface. */
public abstract class Procedure {

    public final PreparedStatement getPreparedStatement(
            Connection conn, SQLStmt stmt, Object... params) throws SQLException {
        PreparedStatement prepared = conn.prepareStatement(stmt.getSQL());
        for (int i = 0; i < params.length; i++) {
            prepared.setObject(i + 1, params[i]);
        }
        return prepared;
    }

    /** Thrown by a procedure that wants its transaction rolled back. */
    public static class UserAbortException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        public UserAbortException(String message) {
            super(message);
        }
    }
}
