import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;

/** Orders from the checkout until the parcel leaves, or until they are cancelled. */
public class Orders {

    private final Connection connection;

    public Orders(Connection connection) {
        this.connection = connection;
    }

    /** Makes an order of all that is in the customer's cart, and empties the cart. */
    public int checkout(int customerId, int addressId, String couponCode, String method,
            Timestamp now) throws SQLException {
        int cartId;
        try (PreparedStatement getCart = connection.prepareStatement(
                "SELECT id FROM cart WHERE customer_id = ? AND status = 'open'")) {
            getCart.setInt(1, customerId);
            try (ResultSet rs = getCart.executeQuery()) {
                if (!rs.next()) {
                    throw new SQLException("Customer " + customerId + " has no cart");
                }
                cartId = rs.getInt("id");
            }
        }
        try (PreparedStatement getAddress = connection.prepareStatement(
                "SELECT country FROM address WHERE id = ? AND customer_id = ?")) {
            getAddress.setInt(1, addressId);
            getAddress.setInt(2, customerId);
            try (ResultSet rs = getAddress.executeQuery()) {
                if (!rs.next()) {
                    throw new SQLException("No address " + addressId);
                }
            }
        }

        BigDecimal discount = BigDecimal.ZERO;
        if (couponCode != null) {
            discount = redeem(couponCode, now);
        }

        int orderId;
        try (PreparedStatement insertOrder = connection.prepareStatement(
                "INSERT INTO orders"
                        + " (customer_id, address_id, coupon_code, status, total, placed_at)"
                        + " VALUES (?, ?, ?, 'placed', 0, ?) RETURNING id")) {
            insertOrder.setInt(1, customerId);
            insertOrder.setInt(2, addressId);
            insertOrder.setString(3, couponCode);
            insertOrder.setTimestamp(4, now);
            try (ResultSet rs = insertOrder.executeQuery()) {
                rs.next();
                orderId = rs.getInt("id");
            }
        }

        BigDecimal total = BigDecimal.ZERO;
        int count = 0;
        try (PreparedStatement getLines = connection.prepareStatement(
                        "SELECT l.product_id, l.quantity, p.price"
                                + " FROM cart_line l JOIN product p ON p.id = l.product_id"
                                + " WHERE l.cart_id = ? ORDER BY l.product_id");
                PreparedStatement getInventory = connection.prepareStatement(
                        "SELECT on_hand, reserved FROM inventory WHERE product_id = ?");
                PreparedStatement reserve = connection.prepareStatement(
                        "UPDATE inventory SET reserved = reserved + ? WHERE product_id = ?");
                PreparedStatement insertLine = connection.prepareStatement(
                        "INSERT INTO order_line (order_id, product_id, quantity, unit_price)"
                                + " VALUES (?, ?, ?, ?)")) {
            getLines.setInt(1, cartId);
            try (ResultSet line = getLines.executeQuery()) {
                while (line.next()) {
                    int productId = line.getInt("product_id");
                    int quantity = line.getInt("quantity");
                    BigDecimal price = line.getBigDecimal("price");

                    getInventory.setInt(1, productId);
                    try (ResultSet stock = getInventory.executeQuery()) {
                        if (!stock.next()
                                || stock.getInt("on_hand") - stock.getInt("reserved") < quantity) {
                            throw new SQLException("Product " + productId + " is sold out");
                        }
                    }
                    reserve.setInt(1, quantity);
                    reserve.setInt(2, productId);
                    reserve.executeUpdate();

                    insertLine.setInt(1, orderId);
                    insertLine.setInt(2, productId);
                    insertLine.setInt(3, quantity);
                    insertLine.setBigDecimal(4, price);
                    insertLine.executeUpdate();
                    total = total.add(price.multiply(BigDecimal.valueOf(quantity)));
                    count++;
                }
            }
        }
        if (count == 0) {
            throw new SQLException("The cart is empty");
        }

        total = total.multiply(BigDecimal.ONE.subtract(discount))
                .setScale(2, RoundingMode.HALF_UP);
        try (PreparedStatement setTotal = connection.prepareStatement(
                "UPDATE orders SET total = ? WHERE id = ?")) {
            setTotal.setBigDecimal(1, total);
            setTotal.setInt(2, orderId);
            setTotal.executeUpdate();
        }
        try (PreparedStatement insertPayment = connection.prepareStatement(
                "INSERT INTO payment (order_id, amount, method, status)"
                        + " VALUES (?, ?, ?, 'open')")) {
            insertPayment.setInt(1, orderId);
            insertPayment.setBigDecimal(2, total);
            insertPayment.setString(3, method);
            insertPayment.executeUpdate();
        }
        try (PreparedStatement deleteLines = connection.prepareStatement(
                "DELETE FROM cart_line WHERE cart_id = ?")) {
            deleteLines.setInt(1, cartId);
            deleteLines.executeUpdate();
        }
        try (PreparedStatement closeCart = connection.prepareStatement(
                "UPDATE cart SET status = 'ordered', changed_at = ? WHERE id = ?")) {
            closeCart.setTimestamp(1, now);
            closeCart.setInt(2, cartId);
            closeCart.executeUpdate();
        }
        connection.commit();
        return orderId;
    }

    /** What the customer's bank says has been paid; each full ten is a point. */
    public int pay(int orderId, BigDecimal amount, String reference) throws SQLException {
        try (PreparedStatement getPayment = connection.prepareStatement(
                "SELECT amount, status FROM payment WHERE order_id = ?")) {
            getPayment.setInt(1, orderId);
            try (ResultSet rs = getPayment.executeQuery()) {
                if (!rs.next() || !rs.getString("status").equals("open")) {
                    throw new SQLException("Nothing is to be paid for order " + orderId);
                }
                if (rs.getBigDecimal("amount").compareTo(amount) != 0) {
                    throw new SQLException("That is not the amount of order " + orderId);
                }
            }
        }
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE payment SET status = 'paid', reference = ? WHERE order_id = ?")) {
            update.setString(1, reference);
            update.setInt(2, orderId);
            update.executeUpdate();
        }

        int customerId;
        try (PreparedStatement getOrder = connection.prepareStatement(
                "SELECT customer_id, status FROM orders WHERE id = ?")) {
            getOrder.setInt(1, orderId);
            try (ResultSet rs = getOrder.executeQuery()) {
                rs.next();
                if (!rs.getString("status").equals("placed")) {
                    throw new SQLException("Order " + orderId + " is " + rs.getString("status"));
                }
                customerId = rs.getInt("customer_id");
            }
        }
        setStatus(orderId, "paid");

        int points = amount.intValue() / 10;
        if (points > 0) {
            try (PreparedStatement reward = connection.prepareStatement(
                    "UPDATE customer SET points = points + ? WHERE id = ?")) {
                reward.setInt(1, points);
                reward.setInt(2, customerId);
                reward.executeUpdate();
            }
        }
        connection.commit();
        return points;
    }

    /** Gives back what an order that has not left the house had reserved, redeemed and paid. */
    public void cancelOrder(int customerId, int orderId) throws SQLException {
        String couponCode;
        try (PreparedStatement getOrder = connection.prepareStatement(
                "SELECT status, coupon_code FROM orders WHERE id = ? AND customer_id = ?")) {
            getOrder.setInt(1, orderId);
            getOrder.setInt(2, customerId);
            try (ResultSet rs = getOrder.executeQuery()) {
                if (!rs.next()) {
                    throw new SQLException("No order " + orderId);
                }
                String status = rs.getString("status");
                if (status.equals("shipped") || status.equals("cancelled")) {
                    throw new SQLException("Order " + orderId + " is " + status);
                }
                couponCode = rs.getString("coupon_code");
            }
        }
        setStatus(orderId, "cancelled");

        try (PreparedStatement getLines = connection.prepareStatement(
                        "SELECT product_id, quantity FROM order_line WHERE order_id = ?"
                                + " ORDER BY product_id");
                PreparedStatement release = connection.prepareStatement(
                        "UPDATE inventory SET reserved = reserved - ? WHERE product_id = ?")) {
            getLines.setInt(1, orderId);
            try (ResultSet line = getLines.executeQuery()) {
                while (line.next()) {
                    release.setInt(1, line.getInt("quantity"));
                    release.setInt(2, line.getInt("product_id"));
                    release.executeUpdate();
                }
            }
        }

        if (couponCode != null) {
            try (PreparedStatement giveBack = connection.prepareStatement(
                    "UPDATE coupon SET uses_left = uses_left + 1 WHERE code = ?")) {
                giveBack.setString(1, couponCode);
                giveBack.executeUpdate();
            }
        }

        String payment;
        BigDecimal amount;
        try (PreparedStatement getPayment = connection.prepareStatement(
                "SELECT status, amount FROM payment WHERE order_id = ?")) {
            getPayment.setInt(1, orderId);
            try (ResultSet rs = getPayment.executeQuery()) {
                rs.next();
                payment = rs.getString("status");
                amount = rs.getBigDecimal("amount");
            }
        }
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE payment SET status = ? WHERE order_id = ?")) {
            update.setString(1, payment.equals("paid") ? "refunded" : "void");
            update.setInt(2, orderId);
            update.executeUpdate();
        }
        if (payment.equals("paid")) {
            try (PreparedStatement takeBack = connection.prepareStatement(
                    "UPDATE customer SET points = points - ? WHERE id = ?")) {
                takeBack.setInt(1, amount.intValue() / 10);
                takeBack.setInt(2, customerId);
                takeBack.executeUpdate();
            }
        }
        connection.commit();
    }

    /** Hands a paid order to a carrier; what it had reserved is gone from the shelves. */
    public int ship(int orderId, String carrier, String trackingCode, Timestamp now)
            throws SQLException {
        try (PreparedStatement getOrder = connection.prepareStatement(
                "SELECT status FROM orders WHERE id = ?")) {
            getOrder.setInt(1, orderId);
            try (ResultSet rs = getOrder.executeQuery()) {
                if (!rs.next() || !rs.getString("status").equals("paid")) {
                    throw new SQLException("Order " + orderId + " is not to be sent");
                }
            }
        }

        int items = 0;
        try (PreparedStatement getLines = connection.prepareStatement(
                        "SELECT product_id, quantity FROM order_line WHERE order_id = ?"
                                + " ORDER BY product_id");
                PreparedStatement take = connection.prepareStatement(
                        "UPDATE inventory SET on_hand = on_hand - ?, reserved = reserved - ?"
                                + " WHERE product_id = ?")) {
            getLines.setInt(1, orderId);
            try (ResultSet line = getLines.executeQuery()) {
                while (line.next()) {
                    int quantity = line.getInt("quantity");
                    take.setInt(1, quantity);
                    take.setInt(2, quantity);
                    take.setInt(3, line.getInt("product_id"));
                    take.executeUpdate();
                    items += quantity;
                }
            }
        }

        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO shipment (order_id, carrier, tracking_code, shipped_at)"
                        + " VALUES (?, ?, ?, ?)")) {
            insert.setInt(1, orderId);
            insert.setString(2, carrier);
            insert.setString(3, trackingCode);
            insert.setTimestamp(4, now);
            insert.executeUpdate();
        }
        setStatus(orderId, "shipped");
        connection.commit();
        return items;
    }

    private BigDecimal redeem(String code, Timestamp now) throws SQLException {
        BigDecimal discount;
        try (PreparedStatement getCoupon = connection.prepareStatement(
                "SELECT discount, uses_left FROM coupon WHERE code = ? AND valid_until >= ?")) {
            getCoupon.setString(1, code);
            getCoupon.setTimestamp(2, now);
            try (ResultSet rs = getCoupon.executeQuery()) {
                if (!rs.next() || rs.getInt("uses_left") <= 0) {
                    throw new SQLException("The coupon " + code + " is not valid");
                }
                discount = rs.getBigDecimal("discount");
            }
        }
        try (PreparedStatement use = connection.prepareStatement(
                "UPDATE coupon SET uses_left = uses_left - 1 WHERE code = ?")) {
            use.setString(1, code);
            use.executeUpdate();
        }
        return discount;
    }

    private void setStatus(int orderId, String status) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE orders SET status = ? WHERE id = ?")) {
            update.setString(1, status);
            update.setInt(2, orderId);
            update.executeUpdate();
        }
    }
}
