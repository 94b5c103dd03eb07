import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The five transactions of Wikipedia, as the benchmark is described for OLTP-Bench. */
public class Wikipedia {

    private static final int NAMESPACE_ARTICLE = 0;
    private static final int NAMESPACE_TALK = 1;

    private Connection connection;

    public Wikipedia(Connection connection) {
        this.connection = connection;
    }

    public void addWatchList(int userId, int nameSpace, String pageTitle, String timestamp)
            throws SQLException {
        if (userId <= 0) {
            return;
        }
        PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO watchlist"
                        + " (wl_user, wl_namespace, wl_title, wl_notificationtimestamp)"
                        + " VALUES (?, ?, ?, NULL) ON CONFLICT DO NOTHING");
        insert.setInt(1, userId);
        insert.setInt(2, nameSpace);
        insert.setString(3, pageTitle);
        insert.executeUpdate();

        if (nameSpace == NAMESPACE_ARTICLE) {
            // whoever watches an article watches its talk page as well
            insert.setInt(1, userId);
            insert.setInt(2, NAMESPACE_TALK);
            insert.setString(3, pageTitle);
            insert.executeUpdate();
        }
        touchUser(userId, timestamp);
    }

    public void removeWatchList(int userId, int nameSpace, String pageTitle, String timestamp)
            throws SQLException {
        if (userId <= 0) {
            return;
        }
        PreparedStatement delete = connection.prepareStatement(
                "DELETE FROM watchlist"
                        + " WHERE wl_user = ? AND wl_namespace = ? AND wl_title = ?");
        delete.setInt(1, userId);
        delete.setInt(2, nameSpace);
        delete.setString(3, pageTitle);
        delete.executeUpdate();

        if (nameSpace == NAMESPACE_ARTICLE) {
            delete.setInt(1, userId);
            delete.setInt(2, NAMESPACE_TALK);
            delete.setString(3, pageTitle);
            delete.executeUpdate();
        }
        touchUser(userId, timestamp);
    }

    public String getPageAnonymous(String userIp, int nameSpace, String pageTitle)
            throws SQLException {
        int pageId = selectPage(nameSpace, pageTitle);
        selectPageRestrictions(pageId);

        PreparedStatement blocks = connection.prepareStatement(
                "SELECT ipb_id, ipb_address, ipb_user, ipb_reason, ipb_expiry FROM ipblocks"
                        + " WHERE ipb_address = ?");
        blocks.setString(1, userIp);
        ResultSet rs = blocks.executeQuery();
        while (rs.next()) {
            rs.getString("ipb_expiry");
        }
        rs.close();

        return selectText(pageId);
    }

    public String getPageAuthenticated(int userId, String userIp, int nameSpace,
            String pageTitle) throws SQLException {
        String userName = userIp;
        if (userId > 0) {
            PreparedStatement user = connection.prepareStatement(
                    "SELECT user_id, user_name, user_touched FROM useracct WHERE user_id = ?");
            user.setInt(1, userId);
            ResultSet rs = user.executeQuery();
            if (!rs.next()) {
                throw new SQLException("Invalid user " + userId);
            }
            userName = rs.getString("user_name");
            rs.close();

            PreparedStatement groups = connection.prepareStatement(
                    "SELECT ug_group FROM user_groups WHERE ug_user = ? ORDER BY ug_group");
            groups.setInt(1, userId);
            rs = groups.executeQuery();
            while (rs.next()) {
                userName = userName + "+" + rs.getString(1);
            }
            rs.close();
        }

        int pageId = selectPage(nameSpace, pageTitle);
        selectPageRestrictions(pageId);

        PreparedStatement blocks = connection.prepareStatement(
                "SELECT ipb_id, ipb_address, ipb_user, ipb_reason, ipb_expiry FROM ipblocks"
                        + " WHERE ipb_user = ?");
        blocks.setInt(1, userId);
        ResultSet rs = blocks.executeQuery();
        while (rs.next()) {
            rs.getString("ipb_expiry");
        }
        rs.close();

        return userName + ": " + selectText(pageId);
    }

    public int updatePage(int textId, int pageId, String pageTitle, String pageText,
            int pageNamespace, int userId, String userIp, String userText, int revisionId,
            String revComment, int revMinorEdit, String timestamp) throws SQLException {
        PreparedStatement insertText = connection.prepareStatement(
                "INSERT INTO text (old_page, old_text, old_flags) VALUES (?, ?, 'utf-8')",
                new String[] {"old_id"});
        insertText.setInt(1, pageId);
        insertText.setString(2, pageText);
        insertText.executeUpdate();
        ResultSet textKeys = insertText.getGeneratedKeys();
        textKeys.next();
        int nextTextId = textKeys.getInt(1);

        PreparedStatement insertRevision = connection.prepareStatement(
                "INSERT INTO revision (rev_page, rev_text_id, rev_comment, rev_minor_edit,"
                        + " rev_user, rev_user_text, rev_timestamp, rev_deleted, rev_len,"
                        + " rev_parent_id) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
                new String[] {"rev_id"});
        insertRevision.setInt(1, pageId);
        insertRevision.setInt(2, nextTextId);
        insertRevision.setString(3, revComment);
        insertRevision.setInt(4, revMinorEdit);
        insertRevision.setInt(5, userId);
        insertRevision.setString(6, userText);
        insertRevision.setString(7, timestamp);
        insertRevision.setInt(8, pageText.length());
        insertRevision.setInt(9, revisionId);
        insertRevision.executeUpdate();
        ResultSet revisionKeys = insertRevision.getGeneratedKeys();
        revisionKeys.next();
        int nextRevId = revisionKeys.getInt(1);

        PreparedStatement updatePage = connection.prepareStatement(
                "UPDATE page SET page_latest = ?, page_touched = ?, page_is_new = 0,"
                        + " page_is_redirect = 0, page_len = ? WHERE page_id = ?");
        updatePage.setInt(1, nextRevId);
        updatePage.setString(2, timestamp);
        updatePage.setInt(3, pageText.length());
        updatePage.setInt(4, pageId);
        int updated = updatePage.executeUpdate();
        if (updated != 1) {
            throw new SQLException("Page " + pageId + " was not updated");
        }

        PreparedStatement insertChange = connection.prepareStatement(
                "INSERT INTO recentchanges (rc_timestamp, rc_cur_time, rc_namespace, rc_title,"
                        + " rc_type, rc_minor, rc_cur_id, rc_user, rc_user_text, rc_comment,"
                        + " rc_this_oldid, rc_last_oldid, rc_ip, rc_old_len, rc_new_len)"
                        + " VALUES (?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        insertChange.setString(1, timestamp);
        insertChange.setString(2, timestamp);
        insertChange.setInt(3, pageNamespace);
        insertChange.setString(4, pageTitle);
        insertChange.setInt(5, pageId);
        insertChange.setInt(6, userId);
        insertChange.setString(7, userText);
        insertChange.setString(8, revComment);
        insertChange.setInt(9, nextTextId);
        insertChange.setInt(10, textId);
        insertChange.setString(11, userIp);
        insertChange.setInt(12, pageText.length());
        insertChange.setInt(13, pageText.length());
        insertChange.executeUpdate();

        PreparedStatement selectWatchers = connection.prepareStatement(
                "SELECT wl_user FROM watchlist WHERE wl_title = ? AND wl_namespace = ?"
                        + " AND wl_user != ? AND wl_notificationtimestamp IS NULL"
                        + " ORDER BY wl_user");
        selectWatchers.setString(1, pageTitle);
        selectWatchers.setInt(2, pageNamespace);
        selectWatchers.setInt(3, userId);
        ResultSet watchers = selectWatchers.executeQuery();
        List<Integer> watchingUsers = new ArrayList<>();
        while (watchers.next()) {
            watchingUsers.add(watchers.getInt("wl_user"));
        }
        watchers.close();

        if (!watchingUsers.isEmpty()) {
            PreparedStatement notify = connection.prepareStatement(
                    "UPDATE watchlist SET wl_notificationtimestamp = ?"
                            + " WHERE wl_title = ? AND wl_namespace = ? AND wl_user = ?");
            notify.setString(1, timestamp);
            notify.setString(2, pageTitle);
            notify.setInt(3, pageNamespace);
            for (Integer watcher : watchingUsers) {
                notify.setInt(4, watcher);
                notify.executeUpdate();
            }
        }

        PreparedStatement insertLog = connection.prepareStatement(
                "INSERT INTO logging (log_type, log_action, log_timestamp, log_user,"
                        + " log_user_text, log_namespace, log_title, log_page, log_comment)"
                        + " VALUES ('patrol', 'patrol', ?, ?, ?, ?, ?, ?, '')");
        insertLog.setString(1, timestamp);
        insertLog.setInt(2, userId);
        insertLog.setString(3, userText);
        insertLog.setInt(4, pageNamespace);
        insertLog.setString(5, pageTitle);
        insertLog.setInt(6, pageId);
        insertLog.executeUpdate();

        if (userId > 0) {
            PreparedStatement countEdit = connection.prepareStatement(
                    "UPDATE useracct SET user_editcount = user_editcount + 1"
                            + " WHERE user_id = ?");
            countEdit.setInt(1, userId);
            countEdit.executeUpdate();
            touchUser(userId, timestamp);
        }
        return nextRevId;
    }

    private void touchUser(int userId, String timestamp) throws SQLException {
        try (PreparedStatement stmt = connection.prepareStatement(
                "UPDATE useracct SET user_touched = ? WHERE user_id = ?")) {
            stmt.setString(1, timestamp);
            stmt.setInt(2, userId);
            stmt.executeUpdate();
        }
    }

    private int selectPage(int nameSpace, String pageTitle) throws SQLException {
        try (PreparedStatement stmt = connection.prepareStatement(
                "SELECT page_id, page_latest FROM page"
                        + " WHERE page_namespace = ? AND page_title = ? LIMIT 1")) {
            stmt.setInt(1, nameSpace);
            stmt.setString(2, pageTitle);
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    throw new SQLException("Invalid page " + nameSpace + ":" + pageTitle);
                }
                return rs.getInt("page_id");
            }
        }
    }

    private void selectPageRestrictions(int pageId) throws SQLException {
        try (PreparedStatement stmt = connection.prepareStatement(
                "SELECT pr_id, pr_type, pr_level FROM page_restrictions WHERE pr_page = ?")) {
            stmt.setInt(1, pageId);
            try (ResultSet rs = stmt.executeQuery()) {
                while (rs.next()) {
                    rs.getString("pr_type");
                }
            }
        }
    }

    private String selectText(int pageId) throws SQLException {
        int textId;
        try (PreparedStatement stmt = connection.prepareStatement(
                "SELECT rev_id, rev_text_id FROM page, revision"
                        + " WHERE page_id = rev_page AND rev_page = ?"
                        + " AND page_latest = rev_id LIMIT 1")) {
            stmt.setInt(1, pageId);
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    throw new SQLException("No revision of page " + pageId);
                }
                textId = rs.getInt("rev_text_id");
            }
        }
        try (PreparedStatement stmt = connection.prepareStatement(
                "SELECT old_text, old_flags FROM text WHERE old_id = ? LIMIT 1")) {
            stmt.setInt(1, textId);
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    throw new SQLException("No text " + textId);
                }
                return rs.getString("old_text");
            }
        }
    }
}
