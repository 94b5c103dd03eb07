package wholesale.dao;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wholesale.model.Order;
import wholesale.model.OrderLine;
import wholesale.model.Stock;
import wholesale.sql.OrderSql;

/** The tables orders, new_order and order_line of TPC-C, revision 5.11. */
public class OrderDao {

    public void insert(Connection connection, int wId, int dId, int cId, int orderId,
            Timestamp entryDate, int lineCount, int allLocal) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(OrderSql.INSERT_ORDER)) {
            statement.setInt(1, orderId);
            statement.setInt(2, dId);
            statement.setInt(3, wId);
            statement.setInt(4, cId);
            statement.setTimestamp(5, entryDate);
            statement.setInt(6, lineCount);
            statement.setInt(7, allLocal);
            statement.executeUpdate();
        }
        try (PreparedStatement statement =
                connection.prepareStatement(OrderSql.INSERT_NEW_ORDER)) {
            setKey(statement, 1, wId, dId, orderId);
            statement.executeUpdate();
        }
    }

    public void insertLine(Connection connection, int wId, int dId, int orderId, int number,
            int itemId, int supplyWId, int quantity, BigDecimal amount, Stock stock)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(OrderSql.INSERT_LINE)) {
            setKey(statement, 1, wId, dId, orderId);
            statement.setInt(4, number);
            statement.setInt(5, itemId);
            statement.setInt(6, supplyWId);
            statement.setInt(7, quantity);
            statement.setBigDecimal(8, amount);
            statement.setString(9, stock.distInfo());
            statement.executeUpdate();
        }
    }

    public Optional<Order> newestOf(Connection connection, int wId, int dId, int cId)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(OrderSql.NEWEST_OF_CUSTOMER)) {
            statement.setInt(1, wId);
            statement.setInt(2, dId);
            statement.setInt(3, cId);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return Optional.empty();
                }
                int id = rows.getInt("o_id");
                int carrier = rows.getInt("o_carrier_id");
                if (rows.wasNull()) {
                    carrier = -1;
                }
                return Optional.of(new Order(id, carrier));
            }
        }
    }

    public List<OrderLine> lines(Connection connection, int wId, int dId, int orderId)
            throws SQLException {
        List<OrderLine> lines = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(OrderSql.LINES)) {
            statement.setInt(1, wId);
            statement.setInt(2, dId);
            statement.setInt(3, orderId);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    lines.add(new OrderLine(rows.getInt(1), rows.getInt(2), rows.getInt(3),
                            rows.getBigDecimal(4), rows.getTimestamp(5)));
                }
            }
        }
        return lines;
    }

    public Optional<Integer> oldestNewOrder(Connection connection, int wId, int dId)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(OrderSql.OLDEST_NEW_ORDER)) {
            statement.setInt(1, dId);
            statement.setInt(2, wId);
            try (ResultSet rows = statement.executeQuery()) {
                if (rows.next()) {
                    return Optional.of(rows.getInt("no_o_id"));
                }
                return Optional.empty();
            }
        }
    }

    public void deleteNewOrder(Connection connection, int wId, int dId, int orderId)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(OrderSql.DELETE_NEW_ORDER)) {
            setKey(statement, 1, wId, dId, orderId);
            statement.executeUpdate();
        }
    }

    public int customerOf(Connection connection, int wId, int dId, int orderId)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(OrderSql.CUSTOMER_OF_ORDER)) {
            setKey(statement, 1, wId, dId, orderId);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getInt("o_c_id");
            }
        }
    }

    public void setCarrier(Connection connection, int wId, int dId, int orderId, int carrierId)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(OrderSql.SET_CARRIER)) {
            statement.setInt(1, carrierId);
            setKey(statement, 2, wId, dId, orderId);
            statement.executeUpdate();
        }
    }

    public void setDeliveryDate(Connection connection, int wId, int dId, int orderId,
            Timestamp date) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(OrderSql.SET_DELIVERY_DATE)) {
            statement.setTimestamp(1, date);
            setKey(statement, 2, wId, dId, orderId);
            statement.executeUpdate();
        }
    }

    public BigDecimal total(Connection connection, int wId, int dId, int orderId)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(OrderSql.SUM_OF_LINES)) {
            setKey(statement, 1, wId, dId, orderId);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getBigDecimal("ol_total");
            }
        }
    }

    private static void setKey(PreparedStatement statement, int first, int wId, int dId,
            int orderId) throws SQLException {
        statement.setInt(first, orderId);
        statement.setInt(first + 1, dId);
        statement.setInt(first + 2, wId);
    }
}
