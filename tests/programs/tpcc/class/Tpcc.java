import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;

/** The five transactions of TPC-C, revision 5.11, clause 2. */
public class Tpcc {

    private static final int DISTRICTS_PER_WAREHOUSE = 10;

    private Connection connection;

    public Tpcc(Connection connection) {
        this.connection = connection;
    }

    public String newOrder(int wId, int dId, int cId, int[] itemIds, int[] supplyWIds,
            int[] quantities, Timestamp entryDate) throws SQLException {
        PreparedStatement getCustomer = connection.prepareStatement(
                "SELECT c_discount, c_last, c_credit FROM customer"
                        + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
        getCustomer.setInt(1, wId);
        getCustomer.setInt(2, dId);
        getCustomer.setInt(3, cId);
        ResultSet customer = getCustomer.executeQuery();
        if (!customer.next()) {
            throw new SQLException("No customer " + cId);
        }
        BigDecimal discount = customer.getBigDecimal("c_discount");

        PreparedStatement getWarehouse = connection.prepareStatement(
                "SELECT w_tax FROM warehouse WHERE w_id = ?");
        getWarehouse.setInt(1, wId);
        ResultSet warehouse = getWarehouse.executeQuery();
        warehouse.next();
        BigDecimal warehouseTax = warehouse.getBigDecimal("w_tax");

        PreparedStatement getDistrict = connection.prepareStatement(
                "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ?");
        getDistrict.setInt(1, wId);
        getDistrict.setInt(2, dId);
        ResultSet district = getDistrict.executeQuery();
        district.next();
        int orderId = district.getInt("d_next_o_id");
        BigDecimal districtTax = district.getBigDecimal("d_tax");

        PreparedStatement updateDistrict = connection.prepareStatement(
                "UPDATE district SET d_next_o_id = d_next_o_id + 1"
                        + " WHERE d_w_id = ? AND d_id = ?");
        updateDistrict.setInt(1, wId);
        updateDistrict.setInt(2, dId);
        updateDistrict.executeUpdate();

        int allLocal = 1;
        for (int supplyWId : supplyWIds) {
            if (supplyWId != wId) {
                allLocal = 0;
            }
        }

        PreparedStatement insertOrder = connection.prepareStatement(
                "INSERT INTO orders"
                        + " (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?)");
        insertOrder.setInt(1, orderId);
        insertOrder.setInt(2, dId);
        insertOrder.setInt(3, wId);
        insertOrder.setInt(4, cId);
        insertOrder.setTimestamp(5, entryDate);
        insertOrder.setInt(6, itemIds.length);
        insertOrder.setInt(7, allLocal);
        insertOrder.executeUpdate();

        PreparedStatement insertNewOrder = connection.prepareStatement(
                "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)");
        insertNewOrder.setInt(1, orderId);
        insertNewOrder.setInt(2, dId);
        insertNewOrder.setInt(3, wId);
        insertNewOrder.executeUpdate();

        PreparedStatement getItem = connection.prepareStatement(
                "SELECT i_price, i_name, i_data FROM item WHERE i_id = ?");
        PreparedStatement getStock = connection.prepareStatement(
                "SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04,"
                        + " s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10"
                        + " FROM stock WHERE s_i_id = ? AND s_w_id = ?");
        PreparedStatement updateStock = connection.prepareStatement(
                "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?,"
                        + " s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ?"
                        + " WHERE s_i_id = ? AND s_w_id = ?");
        PreparedStatement insertOrderLine = connection.prepareStatement(
                "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id,"
                        + " ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");

        BigDecimal total = BigDecimal.ZERO;
        String brandGeneric = "";
        for (int i = 0; i < itemIds.length; i++) {
            int number = i + 1;
            int itemId = itemIds[i];
            int supplyWId = supplyWIds[i];
            int quantity = quantities[i];

            getItem.setInt(1, itemId);
            ResultSet item = getItem.executeQuery();
            if (!item.next()) {
                throw new SQLException("Item number is not valid");
            }
            BigDecimal price = item.getBigDecimal("i_price");
            String itemData = item.getString("i_data");

            getStock.setInt(1, itemId);
            getStock.setInt(2, supplyWId);
            ResultSet stock = getStock.executeQuery();
            if (!stock.next()) {
                throw new SQLException("No stock of item " + itemId);
            }
            int stockQuantity = stock.getInt("s_quantity");
            String stockData = stock.getString("s_data");
            String distInfo;
            switch (dId) {
                case 1:
                    distInfo = stock.getString("s_dist_01");
                    break;
                case 2:
                    distInfo = stock.getString("s_dist_02");
                    break;
                case 3:
                    distInfo = stock.getString("s_dist_03");
                    break;
                case 4:
                    distInfo = stock.getString("s_dist_04");
                    break;
                case 5:
                    distInfo = stock.getString("s_dist_05");
                    break;
                case 6:
                    distInfo = stock.getString("s_dist_06");
                    break;
                case 7:
                    distInfo = stock.getString("s_dist_07");
                    break;
                case 8:
                    distInfo = stock.getString("s_dist_08");
                    break;
                case 9:
                    distInfo = stock.getString("s_dist_09");
                    break;
                default:
                    distInfo = stock.getString("s_dist_10");
                    break;
            }

            if (stockQuantity >= quantity + 10) {
                stockQuantity -= quantity;
            } else {
                stockQuantity = stockQuantity - quantity + 91;
            }
            int remote = 0;
            if (supplyWId != wId) {
                remote = 1;
            }
            updateStock.setInt(1, stockQuantity);
            updateStock.setInt(2, quantity);
            updateStock.setInt(3, remote);
            updateStock.setInt(4, itemId);
            updateStock.setInt(5, supplyWId);
            updateStock.executeUpdate();

            BigDecimal amount = price.multiply(BigDecimal.valueOf(quantity));
            total = total.add(amount);
            if (itemData.contains("ORIGINAL") && stockData.contains("ORIGINAL")) {
                brandGeneric += "B";
            } else {
                brandGeneric += "G";
            }

            insertOrderLine.setInt(1, orderId);
            insertOrderLine.setInt(2, dId);
            insertOrderLine.setInt(3, wId);
            insertOrderLine.setInt(4, number);
            insertOrderLine.setInt(5, itemId);
            insertOrderLine.setInt(6, supplyWId);
            insertOrderLine.setInt(7, quantity);
            insertOrderLine.setBigDecimal(8, amount);
            insertOrderLine.setString(9, distInfo);
            insertOrderLine.executeUpdate();
        }

        BigDecimal tax = BigDecimal.ONE.add(warehouseTax).add(districtTax);
        total = total.multiply(tax).multiply(BigDecimal.ONE.subtract(discount))
                .setScale(2, RoundingMode.HALF_UP);
        return "order " + orderId + " total " + total + " " + brandGeneric;
    }

    public BigDecimal payment(int wId, int dId, int cWId, int cDId, int cId, String cLast,
            BigDecimal amount, Timestamp date) throws SQLException {
        PreparedStatement getWarehouse = connection.prepareStatement(
                "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip"
                        + " FROM warehouse WHERE w_id = ?");
        getWarehouse.setInt(1, wId);
        ResultSet warehouse = getWarehouse.executeQuery();
        if (!warehouse.next()) {
            throw new SQLException("No warehouse " + wId);
        }
        String warehouseName = warehouse.getString("w_name");

        PreparedStatement updateWarehouse = connection.prepareStatement(
                "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?");
        updateWarehouse.setBigDecimal(1, amount);
        updateWarehouse.setInt(2, wId);
        updateWarehouse.executeUpdate();

        PreparedStatement getDistrict = connection.prepareStatement(
                "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip"
                        + " FROM district WHERE d_w_id = ? AND d_id = ?");
        getDistrict.setInt(1, wId);
        getDistrict.setInt(2, dId);
        ResultSet district = getDistrict.executeQuery();
        if (!district.next()) {
            throw new SQLException("No district " + dId);
        }
        String districtName = district.getString("d_name");

        PreparedStatement updateDistrict = connection.prepareStatement(
                "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?");
        updateDistrict.setBigDecimal(1, amount);
        updateDistrict.setInt(2, wId);
        updateDistrict.setInt(3, dId);
        updateDistrict.executeUpdate();

        int customerId = cId;
        if (cLast != null) {
            PreparedStatement byName = connection.prepareStatement(
                    "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?"
                            + " ORDER BY c_first");
            byName.setInt(1, cWId);
            byName.setInt(2, cDId);
            byName.setString(3, cLast);
            ResultSet rs = byName.executeQuery();
            List<Integer> ids = new ArrayList<>();
            while (rs.next()) {
                ids.add(rs.getInt("c_id"));
            }
            if (ids.isEmpty()) {
                throw new SQLException("No customer with the last name " + cLast);
            }
            customerId = ids.get((ids.size() - 1) / 2);
        }

        PreparedStatement getCustomer = connection.prepareStatement(
                "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state,"
                        + " c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount,"
                        + " c_balance, c_ytd_payment, c_payment_cnt FROM customer"
                        + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
        getCustomer.setInt(1, cWId);
        getCustomer.setInt(2, cDId);
        getCustomer.setInt(3, customerId);
        ResultSet customer = getCustomer.executeQuery();
        if (!customer.next()) {
            throw new SQLException("No customer " + customerId);
        }
        String credit = customer.getString("c_credit");
        BigDecimal balance = customer.getBigDecimal("c_balance").subtract(amount);
        BigDecimal ytdPayment = customer.getBigDecimal("c_ytd_payment").add(amount);
        int paymentCount = customer.getInt("c_payment_cnt") + 1;

        if (credit.equals("BC")) {
            PreparedStatement getData = connection.prepareStatement(
                    "SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
            getData.setInt(1, cWId);
            getData.setInt(2, cDId);
            getData.setInt(3, customerId);
            ResultSet rs = getData.executeQuery();
            rs.next();
            String data = customerId + " " + cDId + " " + cWId + " " + dId + " " + wId + " "
                    + amount + " | " + rs.getString("c_data");
            if (data.length() > 500) {
                data = data.substring(0, 500);
            }

            PreparedStatement update = connection.prepareStatement(
                    "UPDATE customer SET c_balance = ?, c_ytd_payment = ?, c_payment_cnt = ?,"
                            + " c_data = ? WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
            update.setBigDecimal(1, balance);
            update.setBigDecimal(2, ytdPayment);
            update.setInt(3, paymentCount);
            update.setString(4, data);
            update.setInt(5, cWId);
            update.setInt(6, cDId);
            update.setInt(7, customerId);
            update.executeUpdate();
        } else {
            PreparedStatement update = connection.prepareStatement(
                    "UPDATE customer SET c_balance = ?, c_ytd_payment = ?, c_payment_cnt = ?"
                            + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
            update.setBigDecimal(1, balance);
            update.setBigDecimal(2, ytdPayment);
            update.setInt(3, paymentCount);
            update.setInt(4, cWId);
            update.setInt(5, cDId);
            update.setInt(6, customerId);
            update.executeUpdate();
        }

        PreparedStatement insertHistory = connection.prepareStatement(
                "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date,"
                        + " h_amount, h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
        insertHistory.setInt(1, cDId);
        insertHistory.setInt(2, cWId);
        insertHistory.setInt(3, customerId);
        insertHistory.setInt(4, dId);
        insertHistory.setInt(5, wId);
        insertHistory.setTimestamp(6, date);
        insertHistory.setBigDecimal(7, amount);
        insertHistory.setString(8, warehouseName + "    " + districtName);
        insertHistory.executeUpdate();
        return balance;
    }

    public List<String> orderStatus(int wId, int dId, int cId, String cLast) throws SQLException {
        int customerId = cId;
        if (cLast != null) {
            PreparedStatement byName = connection.prepareStatement(
                    "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?"
                            + " ORDER BY c_first");
            byName.setInt(1, wId);
            byName.setInt(2, dId);
            byName.setString(3, cLast);
            ResultSet rs = byName.executeQuery();
            List<Integer> ids = new ArrayList<>();
            while (rs.next()) {
                ids.add(rs.getInt("c_id"));
            }
            if (ids.isEmpty()) {
                throw new SQLException("No customer with the last name " + cLast);
            }
            customerId = ids.get((ids.size() - 1) / 2);
        }

        PreparedStatement getCustomer = connection.prepareStatement(
                "SELECT c_first, c_middle, c_last, c_balance FROM customer"
                        + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
        getCustomer.setInt(1, wId);
        getCustomer.setInt(2, dId);
        getCustomer.setInt(3, customerId);
        ResultSet customer = getCustomer.executeQuery();
        if (!customer.next()) {
            throw new SQLException("No customer " + customerId);
        }
        List<String> report = new ArrayList<>();
        report.add(customer.getString("c_first") + " " + customer.getString("c_last") + " "
                + customer.getBigDecimal("c_balance"));

        PreparedStatement getOrder = connection.prepareStatement(
                "SELECT o_id, o_entry_d, o_carrier_id FROM orders"
                        + " WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ?"
                        + " ORDER BY o_id DESC LIMIT 1");
        getOrder.setInt(1, wId);
        getOrder.setInt(2, dId);
        getOrder.setInt(3, customerId);
        ResultSet order = getOrder.executeQuery();
        if (!order.next()) {
            throw new SQLException("No orders of customer " + customerId);
        }
        int orderId = order.getInt("o_id");
        int carrier = order.getInt("o_carrier_id");
        if (order.wasNull()) {
            carrier = -1;
        }
        report.add("order " + orderId + " carrier " + carrier);

        PreparedStatement getLines = connection.prepareStatement(
                "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d"
                        + " FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?"
                        + " ORDER BY ol_number");
        getLines.setInt(1, wId);
        getLines.setInt(2, dId);
        getLines.setInt(3, orderId);
        ResultSet line = getLines.executeQuery();
        while (line.next()) {
            Timestamp delivered = line.getTimestamp("ol_delivery_d");
            report.add(line.getInt("ol_i_id") + " " + line.getInt("ol_supply_w_id") + " "
                    + line.getInt("ol_quantity") + " " + line.getBigDecimal("ol_amount") + " "
                    + (delivered == null ? "open" : delivered.toString()));
        }
        return report;
    }

    public List<Integer> delivery(int wId, int carrierId, Timestamp deliveryDate)
            throws SQLException {
        PreparedStatement getNewOrder = connection.prepareStatement(
                "SELECT no_o_id FROM new_order WHERE no_d_id = ? AND no_w_id = ?"
                        + " ORDER BY no_o_id ASC LIMIT 1");
        PreparedStatement deleteNewOrder = connection.prepareStatement(
                "DELETE FROM new_order WHERE no_o_id = ? AND no_d_id = ? AND no_w_id = ?");
        PreparedStatement getCustomer = connection.prepareStatement(
                "SELECT o_c_id FROM orders WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?");
        PreparedStatement updateOrder = connection.prepareStatement(
                "UPDATE orders SET o_carrier_id = ?"
                        + " WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?");
        PreparedStatement updateLines = connection.prepareStatement(
                "UPDATE order_line SET ol_delivery_d = ?"
                        + " WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?");
        PreparedStatement sumLines = connection.prepareStatement(
                "SELECT SUM(ol_amount) AS ol_total FROM order_line"
                        + " WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?");
        PreparedStatement updateCustomer = connection.prepareStatement(
                "UPDATE customer SET c_balance = c_balance + ?,"
                        + " c_delivery_cnt = c_delivery_cnt + 1"
                        + " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");

        List<Integer> delivered = new ArrayList<>();
        for (int dId = 1; dId <= DISTRICTS_PER_WAREHOUSE; dId++) {
            getNewOrder.setInt(1, dId);
            getNewOrder.setInt(2, wId);
            ResultSet newOrder = getNewOrder.executeQuery();
            if (!newOrder.next()) {
                continue;
            }
            int orderId = newOrder.getInt("no_o_id");

            deleteNewOrder.setInt(1, orderId);
            deleteNewOrder.setInt(2, dId);
            deleteNewOrder.setInt(3, wId);
            deleteNewOrder.executeUpdate();

            getCustomer.setInt(1, orderId);
            getCustomer.setInt(2, dId);
            getCustomer.setInt(3, wId);
            ResultSet order = getCustomer.executeQuery();
            order.next();
            int customerId = order.getInt("o_c_id");

            updateOrder.setInt(1, carrierId);
            updateOrder.setInt(2, orderId);
            updateOrder.setInt(3, dId);
            updateOrder.setInt(4, wId);
            updateOrder.executeUpdate();

            updateLines.setTimestamp(1, deliveryDate);
            updateLines.setInt(2, orderId);
            updateLines.setInt(3, dId);
            updateLines.setInt(4, wId);
            updateLines.executeUpdate();

            sumLines.setInt(1, orderId);
            sumLines.setInt(2, dId);
            sumLines.setInt(3, wId);
            ResultSet sum = sumLines.executeQuery();
            sum.next();
            BigDecimal total = sum.getBigDecimal("ol_total");

            updateCustomer.setBigDecimal(1, total);
            updateCustomer.setInt(2, wId);
            updateCustomer.setInt(3, dId);
            updateCustomer.setInt(4, customerId);
            updateCustomer.executeUpdate();
            delivered.add(orderId);
        }
        return delivered;
    }

    public int stockLevel(int wId, int dId, int threshold) throws SQLException {
        PreparedStatement getDistrict = connection.prepareStatement(
                "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?");
        getDistrict.setInt(1, wId);
        getDistrict.setInt(2, dId);
        ResultSet district = getDistrict.executeQuery();
        if (!district.next()) {
            throw new SQLException("No district " + dId);
        }
        int nextOrderId = district.getInt("d_next_o_id");

        PreparedStatement count = connection.prepareStatement(
                "SELECT COUNT(DISTINCT s_i_id) AS stock_count FROM order_line, stock"
                        + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ?"
                        + " AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?");
        count.setInt(1, wId);
        count.setInt(2, dId);
        count.setInt(3, nextOrderId);
        count.setInt(4, nextOrderId - 20);
        count.setInt(5, wId);
        count.setInt(6, threshold);
        ResultSet rs = count.executeQuery();
        rs.next();
        return rs.getInt("stock_count");
    }
}
