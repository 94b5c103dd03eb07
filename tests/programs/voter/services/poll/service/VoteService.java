package poll.service;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import javax.sql.DataSource;
import poll.dao.VoteDao;

/** The vote of Voter, as described for OLTP-Bench, in a transaction that the service ends. */
public class VoteService {

    private static final long ACCEPTED = 0;
    private static final long UNKNOWN_CONTESTANT = 1;
    private static final long TOO_MANY_VOTES = 2;

    private final DataSource dataSource;

    public VoteService(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public long vote(long voteId, long phoneNumber, int contestantNumber,
            long maxVotesPerPhoneNumber, Timestamp created) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                long result = vote(new VoteDao(connection), voteId, phoneNumber,
                        contestantNumber, maxVotesPerPhoneNumber, created);
                connection.commit();
                return result;
            } catch (SQLException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    private static long vote(VoteDao votes, long voteId, long phoneNumber, int contestantNumber,
            long maxVotesPerPhoneNumber, Timestamp created) throws SQLException {
        if (!votes.contestantExists(contestantNumber)) {
            return UNKNOWN_CONTESTANT;
        }
        if (votes.countVotes(phoneNumber) >= maxVotesPerPhoneNumber) {
            return TOO_MANY_VOTES;
        }
        String state = votes.stateOf(phoneNumber).orElse("XX");
        votes.insert(voteId, phoneNumber, state, contestantNumber, created);
        return ACCEPTED;
    }
}
