import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;

/** What customers mean to buy. */
public class Carts {

    private final Connection connection;

    public Carts(Connection connection) {
        this.connection = connection;
    }

    /** The customer's open cart, which is made if there is none, with so many more of a product. */
    public int addToCart(int customerId, int productId, int quantity, Timestamp now)
            throws SQLException {
        try (PreparedStatement getProduct = connection.prepareStatement(
                "SELECT is_offered FROM product WHERE id = ?")) {
            getProduct.setInt(1, productId);
            try (ResultSet rs = getProduct.executeQuery()) {
                if (!rs.next() || !rs.getBoolean("is_offered")) {
                    throw new SQLException("Product " + productId + " is not offered");
                }
            }
        }
        if (available(productId) < quantity) {
            throw new SQLException("There are not " + quantity + " of product " + productId);
        }

        int cartId = openCart(customerId);
        if (cartId < 0) {
            cartId = newCart(customerId, now);
        } else {
            touch(cartId, now);
        }

        try (PreparedStatement add = connection.prepareStatement(
                "UPDATE cart_line SET quantity = quantity + ?"
                        + " WHERE cart_id = ? AND product_id = ?")) {
            add.setInt(1, quantity);
            add.setInt(2, cartId);
            add.setInt(3, productId);
            if (add.executeUpdate() == 0) {
                try (PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO cart_line (cart_id, product_id, quantity)"
                                + " VALUES (?, ?, ?)")) {
                    insert.setInt(1, cartId);
                    insert.setInt(2, productId);
                    insert.setInt(3, quantity);
                    insert.executeUpdate();
                }
            }
        }
        connection.commit();
        return cartId;
    }

    /** Another quantity of what is in a cart; none takes the product out of it. */
    public int changeQuantity(int customerId, int productId, int quantity, Timestamp now)
            throws SQLException {
        int cartId = openCart(customerId);
        if (cartId < 0) {
            throw new SQLException("Customer " + customerId + " has no cart");
        }
        int before;
        try (PreparedStatement getLine = connection.prepareStatement(
                "SELECT quantity FROM cart_line WHERE cart_id = ? AND product_id = ?")) {
            getLine.setInt(1, cartId);
            getLine.setInt(2, productId);
            try (ResultSet rs = getLine.executeQuery()) {
                if (!rs.next()) {
                    throw new SQLException("Product " + productId + " is not in the cart");
                }
                before = rs.getInt("quantity");
            }
        }

        if (quantity <= 0) {
            try (PreparedStatement delete = connection.prepareStatement(
                    "DELETE FROM cart_line WHERE cart_id = ? AND product_id = ?")) {
                delete.setInt(1, cartId);
                delete.setInt(2, productId);
                delete.executeUpdate();
            }
        } else {
            if (quantity > before && available(productId) < quantity) {
                throw new SQLException("There are not " + quantity + " of product " + productId);
            }
            try (PreparedStatement update = connection.prepareStatement(
                    "UPDATE cart_line SET quantity = ? WHERE cart_id = ? AND product_id = ?")) {
                update.setInt(1, quantity);
                update.setInt(2, cartId);
                update.setInt(3, productId);
                update.executeUpdate();
            }
        }
        touch(cartId, now);
        connection.commit();
        return before;
    }

    private int available(int productId) throws SQLException {
        try (PreparedStatement getInventory = connection.prepareStatement(
                "SELECT on_hand, reserved FROM inventory WHERE product_id = ?")) {
            getInventory.setInt(1, productId);
            try (ResultSet rs = getInventory.executeQuery()) {
                if (!rs.next()) {
                    return 0;
                }
                return rs.getInt("on_hand") - rs.getInt("reserved");
            }
        }
    }

    /** The customer's open cart, or -1. */
    private int openCart(int customerId) throws SQLException {
        try (PreparedStatement getCart = connection.prepareStatement(
                "SELECT id FROM cart WHERE customer_id = ? AND status = 'open'")) {
            getCart.setInt(1, customerId);
            try (ResultSet rs = getCart.executeQuery()) {
                return rs.next() ? rs.getInt("id") : -1;
            }
        }
    }

    private int newCart(int customerId, Timestamp now) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO cart (customer_id, status, changed_at) VALUES (?, 'open', ?)"
                        + " RETURNING id")) {
            insert.setInt(1, customerId);
            insert.setTimestamp(2, now);
            try (ResultSet rs = insert.executeQuery()) {
                rs.next();
                return rs.getInt("id");
            }
        }
    }

    private void touch(int cartId, Timestamp now) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE cart SET changed_at = ? WHERE id = ?")) {
            update.setTimestamp(1, now);
            update.setInt(2, cartId);
            update.executeUpdate();
        }
    }
}
