package poll.dao;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.Optional;

/** The tables of Voter, as the telephone voting benchmark is described for OLTP-Bench. */
public class VoteDao {

    private final Connection connection;

    public VoteDao(Connection connection) {
        this.connection = connection;
    }

    public boolean contestantExists(int number) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT contestant_number FROM contestants WHERE contestant_number = ?")) {
            statement.setInt(1, number);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    public long countVotes(long phoneNumber) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT COUNT(*) FROM votes WHERE phone_number = ?")) {
            statement.setLong(1, phoneNumber);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    public Optional<String> stateOf(long phoneNumber) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT state FROM area_code_state WHERE area_code = ?")) {
            statement.setShort(1, (short) (phoneNumber / 10000000L));
            try (ResultSet rows = statement.executeQuery()) {
                if (rows.next()) {
                    return Optional.of(rows.getString("state"));
                }
                return Optional.empty();
            }
        }
    }

    public void insert(long voteId, long phoneNumber, String state, int contestantNumber,
            Timestamp created) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                INSERT INTO votes (vote_id, phone_number, state, contestant_number, created)
                VALUES (?, ?, ?, ?, ?)
                """)) {
            statement.setLong(1, voteId);
            statement.setLong(2, phoneNumber);
            statement.setString(3, state);
            statement.setInt(4, contestantNumber);
            statement.setTimestamp(5, created);
            statement.executeUpdate();
        }
    }
}
