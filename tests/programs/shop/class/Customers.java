import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;

/** The customers of the shop, and what they see of themselves. */
public class Customers {

    private final Connection connection;

    public Customers(Connection connection) {
        this.connection = connection;
    }

    /** A new customer with a first address and an empty cart. */
    public int register(String email, String name, String street, String city, String zip,
            String country, Timestamp now) throws SQLException {
        try (PreparedStatement taken = connection.prepareStatement(
                "SELECT id FROM customer WHERE email = ?")) {
            taken.setString(1, email);
            try (ResultSet rs = taken.executeQuery()) {
                if (rs.next()) {
                    throw new SQLException("There is a customer with the address " + email);
                }
            }
        }

        int customerId;
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO customer (email, name, registered_at) VALUES (?, ?, ?)"
                        + " RETURNING id")) {
            insert.setString(1, email);
            insert.setString(2, name);
            insert.setTimestamp(3, now);
            try (ResultSet rs = insert.executeQuery()) {
                rs.next();
                customerId = rs.getInt("id");
            }
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO address (customer_id, street, city, zip, country)"
                        + " VALUES (?, ?, ?, ?, ?)")) {
            insert.setInt(1, customerId);
            insert.setString(2, street);
            insert.setString(3, city);
            insert.setString(4, zip);
            insert.setString(5, country);
            insert.executeUpdate();
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO cart (customer_id, status, changed_at) VALUES (?, 'open', ?)")) {
            insert.setInt(1, customerId);
            insert.setTimestamp(2, now);
            insert.executeUpdate();
        }
        connection.commit();
        return customerId;
    }

    /** The orders of a customer, newest first, each with its lines and whether it is sent. */
    public List<String> orderHistory(int customerId) throws SQLException {
        List<String> report = new ArrayList<>();
        try (PreparedStatement getCustomer = connection.prepareStatement(
                "SELECT name, points FROM customer WHERE id = ?")) {
            getCustomer.setInt(1, customerId);
            try (ResultSet rs = getCustomer.executeQuery()) {
                if (!rs.next()) {
                    throw new SQLException("No customer " + customerId);
                }
                report.add(rs.getString("name") + " has " + rs.getInt("points") + " points");
            }
        }

        try (PreparedStatement getOrders = connection.prepareStatement(
                        "SELECT id, status, total FROM orders WHERE customer_id = ?"
                                + " ORDER BY id DESC");
                PreparedStatement getLines = connection.prepareStatement(
                        "SELECT p.name AS product, l.quantity, l.unit_price"
                                + " FROM order_line l JOIN product p ON p.id = l.product_id"
                                + " WHERE l.order_id = ? ORDER BY l.product_id");
                PreparedStatement getShipment = connection.prepareStatement(
                        "SELECT carrier, tracking_code FROM shipment WHERE order_id = ?")) {
            getOrders.setInt(1, customerId);
            try (ResultSet order = getOrders.executeQuery()) {
                while (order.next()) {
                    int orderId = order.getInt("id");
                    String status = order.getString("status");
                    report.add("order " + orderId + " " + status + " "
                            + order.getBigDecimal("total"));

                    getLines.setInt(1, orderId);
                    try (ResultSet line = getLines.executeQuery()) {
                        while (line.next()) {
                            report.add(line.getInt("quantity") + " " + line.getString("product")
                                    + " " + line.getBigDecimal("unit_price"));
                        }
                    }
                    if (status.equals("shipped")) {
                        getShipment.setInt(1, orderId);
                        try (ResultSet shipment = getShipment.executeQuery()) {
                            if (shipment.next()) {
                                report.add(shipment.getString("carrier") + " "
                                        + shipment.getString("tracking_code"));
                            }
                        }
                    }
                }
            }
        }
        connection.commit();
        return report;
    }
}
