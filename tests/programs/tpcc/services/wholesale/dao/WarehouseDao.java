package wholesale.dao;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import wholesale.model.District;
import wholesale.model.WholesaleException;

/** The tables warehouse and district of TPC-C, revision 5.11. */
public class WarehouseDao {

    private static final String ADDRESS = "SELECT %1$s_name, %1$s_street_1, %1$s_street_2,"
            + " %1$s_city, %1$s_state, %1$s_zip FROM %2$s WHERE ";

    public BigDecimal warehouseTax(Connection connection, int wId) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT w_tax FROM warehouse WHERE w_id = ?")) {
            statement.setInt(1, wId);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getBigDecimal(1);
            }
        }
    }

    public String warehouseName(Connection connection, int wId) throws SQLException {
        String sql = String.format(ADDRESS, "w", "warehouse") + "w_id = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, wId);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw new WholesaleException("No warehouse " + wId);
                }
                return rows.getString("w_name");
            }
        }
    }

    public void addToWarehouse(Connection connection, int wId, BigDecimal amount)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?")) {
            statement.setBigDecimal(1, amount);
            statement.setInt(2, wId);
            statement.executeUpdate();
        }
    }

    public District district(Connection connection, int wId, int dId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT d_next_o_id, d_tax
                FROM district
                WHERE d_w_id = ? AND d_id = ?
                """)) {
            setKey(statement, 1, wId, dId);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return new District(rows.getInt(1), rows.getBigDecimal(2));
            }
        }
    }

    public int nextOrderId(Connection connection, int wId, int dId) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT d_next_o_id FROM district"
                        + " WHERE d_w_id = " + wId + " AND d_id = " + dId)) {
            if (!rows.next()) {
                throw new WholesaleException("No district " + dId);
            }
            return rows.getInt("d_next_o_id");
        }
    }

    public void advanceOrderId(Connection connection, int wId, int dId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE district SET d_next_o_id = d_next_o_id + 1"
                        + " WHERE d_w_id = ? AND d_id = ?")) {
            setKey(statement, 1, wId, dId);
            statement.executeUpdate();
        }
    }

    public String districtName(Connection connection, int wId, int dId) throws SQLException {
        String sql = String.format(ADDRESS, "d", "district") + "d_w_id = ? AND d_id = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            setKey(statement, 1, wId, dId);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw new WholesaleException("No district " + dId);
                }
                return rows.getString("d_name");
            }
        }
    }

    public void addToDistrict(Connection connection, int wId, int dId, BigDecimal amount)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?")) {
            statement.setBigDecimal(1, amount);
            setKey(statement, 2, wId, dId);
            statement.executeUpdate();
        }
    }

    private static void setKey(PreparedStatement statement, int first, int wId, int dId)
            throws SQLException {
        statement.setInt(first, wId);
        statement.setInt(first + 1, dId);
    }
}
