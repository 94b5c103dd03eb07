import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;

/** The five transactions of Twitter, as the benchmark is described for OLTP-Bench. */
public class Twitter {

    private static final int MAX_TWEETS = 100;
    private static final int MAX_TWEETS_OF_USER = 10;
    private static final int MAX_FOLLOWERS = 20;

    private final Connection connection;

    public Twitter(Connection connection) {
        this.connection = connection;
    }

    public String getTweet(long tweetId) throws SQLException {
        PreparedStatement stmt = connection.prepareStatement(
                "SELECT id, uid, text, createdate FROM tweets WHERE id = ?");
        stmt.setLong(1, tweetId);
        ResultSet rs = stmt.executeQuery();
        if (!rs.next()) {
            return null;
        }
        return rs.getInt("uid") + ": " + rs.getString("text");
    }

    public List<String> getTweetsFromFollowing(int uid) throws SQLException {
        PreparedStatement getFollowing = connection.prepareStatement(
                "SELECT f2 FROM follows WHERE f1 = ? ORDER BY f2 LIMIT " + MAX_FOLLOWERS);
        getFollowing.setInt(1, uid);
        ResultSet following = getFollowing.executeQuery();
        List<Integer> uids = new ArrayList<>();
        while (following.next()) {
            uids.add(following.getInt(1));
        }
        List<String> tweets = new ArrayList<>();
        if (uids.isEmpty()) {
            return tweets;
        }

        StringBuilder sql = new StringBuilder(
                "SELECT id, uid, text, createdate FROM tweets WHERE uid IN (");
        for (int i = 0; i < uids.size(); i++) {
            if (i > 0) {
                sql.append(", ");
            }
            sql.append("?");
        }
        sql.append(") ORDER BY id LIMIT ").append(MAX_TWEETS);
        PreparedStatement getTweets = connection.prepareStatement(sql.toString());
        for (int i = 0; i < uids.size(); i++) {
            getTweets.setInt(i + 1, uids.get(i));
        }
        ResultSet rs = getTweets.executeQuery();
        while (rs.next()) {
            tweets.add(rs.getInt("uid") + ": " + rs.getString("text"));
        }
        return tweets;
    }

    public List<String> getFollowers(int uid) throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement getFollowers = connection.prepareStatement(
                        "SELECT f2 FROM followers WHERE f1 = ? ORDER BY f2 LIMIT "
                                + MAX_FOLLOWERS);
                PreparedStatement getName = connection.prepareStatement(
                        "SELECT uid, name FROM user_profiles WHERE uid = ?")) {
            getFollowers.setInt(1, uid);
            try (ResultSet followers = getFollowers.executeQuery()) {
                while (followers.next()) {
                    int follower = followers.getInt("f2");
                    getName.setInt(1, follower);
                    try (ResultSet profile = getName.executeQuery()) {
                        profile.next();
                        names.add(profile.getString("name"));
                    }
                }
            }
        }
        return names;
    }

    public List<String> getUserTweets(int uid) throws SQLException {
        PreparedStatement stmt = connection.prepareStatement(
                "SELECT id, uid, text, createdate FROM tweets WHERE uid = ?"
                        + " ORDER BY id DESC LIMIT ?");
        stmt.setInt(1, uid);
        stmt.setInt(2, MAX_TWEETS_OF_USER);
        ResultSet rs = stmt.executeQuery();
        List<String> tweets = new ArrayList<>();
        while (rs.next()) {
            tweets.add(rs.getLong("id") + ": " + rs.getString("text"));
        }
        return tweets;
    }

    public long insertTweet(int uid, String text, Timestamp time) throws SQLException {
        PreparedStatement stmt = connection.prepareStatement(
                "INSERT INTO added_tweets (uid, text, createdate) VALUES (?, ?, ?)",
                Statement.RETURN_GENERATED_KEYS);
        stmt.setInt(1, uid);
        stmt.setString(2, text);
        stmt.setTimestamp(3, time);
        stmt.executeUpdate();
        ResultSet keys = stmt.getGeneratedKeys();
        keys.next();
        return keys.getLong(1);
    }
}
