import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;

/** The vote of Voter, as the telephone voting benchmark is described for OLTP-Bench. */
public class Voter {

    public static final long ACCEPTED = 0;
    public static final long UNKNOWN_CONTESTANT = 1;
    public static final long TOO_MANY_VOTES = 2;

    private static final String FIND_CONTESTANT =
            "SELECT contestant_number FROM contestants WHERE contestant_number = ?";
    private static final String COUNT_VOTES =
            "SELECT COUNT(*) FROM votes WHERE phone_number = ?";
    private static final String FIND_STATE =
            "SELECT state FROM area_code_state WHERE area_code = ?";
    private static final String ADD_VOTE =
            "INSERT INTO votes (vote_id, phone_number, state, contestant_number, created)"
                    + " VALUES (?, ?, ?, ?, ?)";

    private Connection connection;

    public Voter(Connection connection) {
        this.connection = connection;
    }

    public long vote(long voteId, long phoneNumber, int contestantNumber,
            long maxVotesPerPhoneNumber, Timestamp created) throws SQLException {
        try (PreparedStatement ps = connection.prepareStatement(FIND_CONTESTANT)) {
            ps.setInt(1, contestantNumber);
            try (ResultSet rs = ps.executeQuery()) {
                if (!rs.next()) {
                    return UNKNOWN_CONTESTANT;
                }
            }
        }

        try (PreparedStatement ps = connection.prepareStatement(COUNT_VOTES)) {
            ps.setLong(1, phoneNumber);
            try (ResultSet rs = ps.executeQuery()) {
                rs.next();
                if (rs.getLong(1) >= maxVotesPerPhoneNumber) {
                    return TOO_MANY_VOTES;
                }
            }
        }

        String state = null;
        try (PreparedStatement ps = connection.prepareStatement(FIND_STATE)) {
            ps.setShort(1, (short) (phoneNumber / 10000000L));
            try (ResultSet rs = ps.executeQuery()) {
                // calls from outside of the known states are counted as XX
                state = rs.next() ? rs.getString(1) : "XX";
            }
        }

        try (PreparedStatement ps = connection.prepareStatement(ADD_VOTE)) {
            ps.setLong(1, voteId);
            ps.setLong(2, phoneNumber);
            ps.setString(3, state);
            ps.setInt(4, contestantNumber);
            ps.setTimestamp(5, created);
            ps.execute();
        }
        return ACCEPTED;
    }
}
