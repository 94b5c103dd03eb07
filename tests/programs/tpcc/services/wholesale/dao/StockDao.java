package wholesale.dao;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import wholesale.model.Item;
import wholesale.model.Stock;
import wholesale.model.WholesaleException;

/** The tables item and stock of TPC-C, revision 5.11. */
public class StockDao {

    private static final String[] DISTRICT_COLUMNS = {
        "s_dist_01", "s_dist_02", "s_dist_03", "s_dist_04", "s_dist_05",
        "s_dist_06", "s_dist_07", "s_dist_08", "s_dist_09", "s_dist_10",
    };

    private static final String UPDATE = """
            UPDATE stock
            SET s_quantity = ?, s_ytd = s_ytd + ?,
                s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ?
            WHERE s_i_id = ? AND s_w_id = ?
            """;

    private static final String COUNT_BELOW = """
            SELECT COUNT(DISTINCT s_i_id) AS stock_count
            FROM order_line, stock
            WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ?
              AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?
            """;

    public Item item(Connection connection, int itemId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT i_price, i_name, i_data FROM item WHERE i_id = ?")) {
            statement.setInt(1, itemId);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw new WholesaleException("Item number is not valid");
                }
                return new Item(rows.getBigDecimal("i_price"), rows.getString("i_data"));
            }
        }
    }

    public Stock stock(Connection connection, int wId, int itemId, int dId) throws SQLException {
        StringBuilder sql = new StringBuilder("SELECT s_quantity, s_data");
        for (String column : DISTRICT_COLUMNS) {
            sql.append(", ").append(column);
        }
        sql.append(" FROM stock WHERE s_i_id = ? AND s_w_id = ?");
        try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
            statement.setInt(1, itemId);
            statement.setInt(2, wId);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw new WholesaleException("No stock of item " + itemId);
                }
                return new Stock(rows.getInt("s_quantity"), rows.getString("s_data"),
                        distInfo(rows, dId));
            }
        }
    }

    public void update(Connection connection, int wId, int itemId, int stockQuantity,
            int ordered, int remote) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(UPDATE)) {
            statement.setInt(1, stockQuantity);
            statement.setInt(2, ordered);
            statement.setInt(3, remote);
            statement.setInt(4, itemId);
            statement.setInt(5, wId);
            statement.executeUpdate();
        }
    }

    public int countBelow(Connection connection, int wId, int dId, int nextOrderId,
            int threshold) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(COUNT_BELOW)) {
            statement.setInt(1, wId);
            statement.setInt(2, dId);
            statement.setInt(3, nextOrderId);
            statement.setInt(4, nextOrderId - 20);
            statement.setInt(5, wId);
            statement.setInt(6, threshold);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        }
    }

    private static String distInfo(ResultSet rows, int dId) throws SQLException {
        switch (dId) {
            case 1:
                return rows.getString("s_dist_01");
            case 2:
                return rows.getString("s_dist_02");
            case 3:
                return rows.getString("s_dist_03");
            case 4:
                return rows.getString("s_dist_04");
            case 5:
                return rows.getString("s_dist_05");
            case 6:
                return rows.getString("s_dist_06");
            case 7:
                return rows.getString("s_dist_07");
            case 8:
                return rows.getString("s_dist_08");
            case 9:
                return rows.getString("s_dist_09");
            default:
                return rows.getString("s_dist_10");
        }
    }
}
