package wholesale.service;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.transaction.annotation.Transactional;
import wholesale.dao.CustomerDao;
import wholesale.dao.OrderDao;
import wholesale.dao.StockDao;
import wholesale.dao.WarehouseDao;
import wholesale.model.CustomerName;
import wholesale.model.District;
import wholesale.model.Item;
import wholesale.model.Order;
import wholesale.model.OrderLine;
import wholesale.model.Stock;
import wholesale.model.WholesaleException;

/** New-Order and Order-Status of TPC-C, revision 5.11, clauses 2.4 and 2.6. */
public class OrderService {

    private final DataSource dataSource;
    private final WarehouseDao warehouses = new WarehouseDao();
    private final CustomerDao customers = new CustomerDao();
    private final OrderDao orders = new OrderDao();
    private final StockDao stocks = new StockDao();

    public OrderService(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Transactional
    public String newOrder(int wId, int dId, int cId, int[] itemIds, int[] supplyWIds,
            int[] quantities, Timestamp entryDate) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            BigDecimal discount = customers.discount(connection, wId, dId, cId);
            BigDecimal warehouseTax = warehouses.warehouseTax(connection, wId);
            District district = warehouses.district(connection, wId, dId);
            int orderId = district.nextOrderId();
            warehouses.advanceOrderId(connection, wId, dId);

            int allLocal = allLocal(wId, supplyWIds);
            orders.insert(connection, wId, dId, cId, orderId, entryDate, itemIds.length,
                    allLocal);

            BigDecimal total = BigDecimal.ZERO;
            StringBuilder brandGeneric = new StringBuilder();
            for (int i = 0; i < itemIds.length; i++) {
                Item item = stocks.item(connection, itemIds[i]);
                Stock stock = takeFromStock(connection, wId, dId, itemIds[i], supplyWIds[i],
                        quantities[i]);

                BigDecimal amount = item.price().multiply(BigDecimal.valueOf(quantities[i]));
                total = total.add(amount);
                brandGeneric.append(item.isOriginal() && stock.isOriginal() ? "B" : "G");
                orders.insertLine(connection, wId, dId, orderId, i + 1, itemIds[i],
                        supplyWIds[i], quantities[i], amount, stock);
            }

            BigDecimal tax = BigDecimal.ONE.add(warehouseTax).add(district.tax());
            total = total.multiply(tax).multiply(BigDecimal.ONE.subtract(discount))
                    .setScale(2, RoundingMode.HALF_UP);
            return "order " + orderId + " total " + total + " " + brandGeneric;
        }
    }

    @Transactional(readOnly = true)
    public List<String> orderStatus(int wId, int dId, int cId, String cLast) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            int customerId = cId;
            if (cLast != null) {
                customerId = customers.idByLastName(connection, wId, dId, cLast);
            }
            final int id = customerId;
            CustomerName customer = customers.findName(connection, wId, dId, id)
                    .orElseThrow(() -> new WholesaleException("No customer " + id));
            Order order = orders.newestOf(connection, wId, dId, id)
                    .orElseThrow(() -> new WholesaleException("No orders of customer " + id));

            List<String> report = new ArrayList<>();
            report.add(customer.describe());
            report.add("order " + order.id() + " carrier " + order.carrierId());
            for (OrderLine line : orders.lines(connection, wId, dId, order.id())) {
                report.add(line.describe());
            }
            return report;
        }
    }

    private Stock takeFromStock(Connection connection, int wId, int dId, int itemId,
            int supplyWId, int quantity) throws SQLException {
        Stock stock = stocks.stock(connection, supplyWId, itemId, dId);
        int left;
        if (stock.quantity() >= quantity + 10) {
            left = stock.quantity() - quantity;
        } else {
            left = stock.quantity() - quantity + 91;
        }
        int remote = supplyWId != wId ? 1 : 0;
        stocks.update(connection, supplyWId, itemId, left, quantity, remote);
        return stock;
    }

    private static int allLocal(int wId, int[] supplyWIds) {
        int allLocal = 1;
        for (int supplyWId : supplyWIds) {
            if (supplyWId != wId) {
                allLocal = 0;
            }
        }
        return allLocal;
    }
}
