import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;

/** The products of the shop: what they are, how many there are, and what is thought of them. */
public class Catalog {

    private final Connection connection;

    public Catalog(Connection connection) {
        this.connection = connection;
    }

    /** A product's page. */
    public String browseProduct(int productId) throws SQLException {
        String page;
        boolean isOffered;
        try (PreparedStatement getProduct = connection.prepareStatement(
                "SELECT p.name AS product, p.price, p.is_offered, c.name AS category, c.products"
                        + " FROM product p JOIN category c ON c.id = p.category_id"
                        + " WHERE p.id = ?")) {
            getProduct.setInt(1, productId);
            try (ResultSet rs = getProduct.executeQuery()) {
                if (!rs.next()) {
                    throw new SQLException("No product " + productId);
                }
                isOffered = rs.getBoolean("is_offered");
                page = rs.getString("product") + " for " + rs.getBigDecimal("price") + " in "
                        + rs.getString("category") + " of " + rs.getInt("products");
            }
        }

        if (isOffered) {
            try (PreparedStatement getInventory = connection.prepareStatement(
                    "SELECT on_hand, reserved FROM inventory WHERE product_id = ?")) {
                getInventory.setInt(1, productId);
                try (ResultSet rs = getInventory.executeQuery()) {
                    if (rs.next()) {
                        page = page + ", " + (rs.getInt("on_hand") - rs.getInt("reserved"))
                                + " left";
                    }
                }
            }
        } else {
            page = page + ", not offered";
        }

        try (PreparedStatement getReviews = connection.prepareStatement(
                "SELECT COUNT(*) AS written, SUM(stars) AS stars FROM review"
                        + " WHERE product_id = ?")) {
            getReviews.setInt(1, productId);
            try (ResultSet rs = getReviews.executeQuery()) {
                rs.next();
                page = page + ", " + rs.getInt("stars") + " stars in " + rs.getInt("written")
                        + " reviews";
            }
        }
        connection.commit();
        return page;
    }

    /** Goods that arrive; what is counted for the first time is offered from now on. */
    public void restock(int[] productIds, int[] quantities, Timestamp now) throws SQLException {
        try (PreparedStatement getCategory = connection.prepareStatement(
                        "SELECT category_id FROM product WHERE id = ?");
                PreparedStatement add = connection.prepareStatement(
                        "UPDATE inventory SET on_hand = on_hand + ?, counted_at = ?"
                                + " WHERE product_id = ?");
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO inventory (product_id, on_hand, reserved, counted_at)"
                                + " VALUES (?, ?, 0, ?)");
                PreparedStatement offer = connection.prepareStatement(
                        "UPDATE product SET is_offered = true WHERE id = ?");
                PreparedStatement count = connection.prepareStatement(
                        "UPDATE category SET products = products + 1 WHERE id = ?")) {
            for (int i = 0; i < productIds.length; i++) {
                getCategory.setInt(1, productIds[i]);
                int categoryId;
                try (ResultSet rs = getCategory.executeQuery()) {
                    if (!rs.next()) {
                        throw new SQLException("No product " + productIds[i]);
                    }
                    categoryId = rs.getInt("category_id");
                }
                add.setInt(1, quantities[i]);
                add.setTimestamp(2, now);
                add.setInt(3, productIds[i]);
                if (add.executeUpdate() == 0) {
                    insert.setInt(1, productIds[i]);
                    insert.setInt(2, quantities[i]);
                    insert.setTimestamp(3, now);
                    insert.executeUpdate();
                    offer.setInt(1, productIds[i]);
                    offer.executeUpdate();
                    count.setInt(1, categoryId);
                    count.executeUpdate();
                }
            }
        }
        connection.commit();
    }

    /** A customer's first review of a product that he bought, or another one in its place. */
    public int reviewProduct(int customerId, int productId, int stars, String text, Timestamp now)
            throws SQLException {
        try (PreparedStatement bought = connection.prepareStatement(
                "SELECT COUNT(*) AS bought FROM orders o"
                        + " JOIN order_line l ON l.order_id = o.id"
                        + " WHERE o.customer_id = ? AND o.status = 'shipped'"
                        + " AND l.product_id = ?")) {
            bought.setInt(1, customerId);
            bought.setInt(2, productId);
            try (ResultSet rs = bought.executeQuery()) {
                rs.next();
                if (rs.getInt("bought") == 0) {
                    throw new SQLException("Reviews are for customers who have the product");
                }
            }
        }

        boolean isFirst = true;
        int before = 0;
        try (PreparedStatement getReview = connection.prepareStatement(
                "SELECT stars FROM review WHERE product_id = ? AND customer_id = ?")) {
            getReview.setInt(1, productId);
            getReview.setInt(2, customerId);
            try (ResultSet rs = getReview.executeQuery()) {
                if (rs.next()) {
                    isFirst = false;
                    before = rs.getInt("stars");
                }
            }
        }

        if (isFirst) {
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO review (product_id, customer_id, stars, text, written_at)"
                            + " VALUES (?, ?, ?, ?, ?)")) {
                insert.setInt(1, productId);
                insert.setInt(2, customerId);
                insert.setInt(3, stars);
                insert.setString(4, text);
                insert.setTimestamp(5, now);
                insert.executeUpdate();
            }
            try (PreparedStatement count = connection.prepareStatement(
                    "UPDATE product SET stars_total = stars_total + ?, reviews = reviews + 1"
                            + " WHERE id = ?")) {
                count.setInt(1, stars);
                count.setInt(2, productId);
                count.executeUpdate();
            }
        } else {
            try (PreparedStatement update = connection.prepareStatement(
                    "UPDATE review SET stars = ?, text = ?, written_at = ?"
                            + " WHERE product_id = ? AND customer_id = ?")) {
                update.setInt(1, stars);
                update.setString(2, text);
                update.setTimestamp(3, now);
                update.setInt(4, productId);
                update.setInt(5, customerId);
                update.executeUpdate();
            }
            try (PreparedStatement change = connection.prepareStatement(
                    "UPDATE product SET stars_total = stars_total + ? WHERE id = ?")) {
                change.setInt(1, stars - before);
                change.setInt(2, productId);
                change.executeUpdate();
            }
        }
        connection.commit();
        return before;
    }
}
