package wholesale.service;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.transaction.annotation.Transactional;
import wholesale.dao.CustomerDao;
import wholesale.dao.OrderDao;

/** Delivery of TPC-C, revision 5.11, clause 2.7. */
public class DeliveryService {

    private static final int DISTRICTS = 10;

    private final DataSource dataSource;
    private final OrderDao orders = new OrderDao();
    private final CustomerDao customers = new CustomerDao();

    public DeliveryService(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Transactional
    public List<Integer> delivery(int wId, int carrierId, Timestamp deliveryDate)
            throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            List<Integer> delivered = new ArrayList<>();
            for (int dId = 1; dId <= DISTRICTS; dId++) {
                Optional<Integer> orderId = orders.oldestNewOrder(connection, wId, dId);
                if (orderId.isPresent()) {
                    deliver(connection, wId, dId, orderId.get(), carrierId, deliveryDate);
                    delivered.add(orderId.get());
                }
            }
            return delivered;
        }
    }

    private void deliver(Connection connection, int wId, int dId, int orderId, int carrierId,
            Timestamp deliveryDate) throws SQLException {
        orders.deleteNewOrder(connection, wId, dId, orderId);
        int customerId = orders.customerOf(connection, wId, dId, orderId);
        orders.setCarrier(connection, wId, dId, orderId, carrierId);
        orders.setDeliveryDate(connection, wId, dId, orderId, deliveryDate);
        BigDecimal total = orders.total(connection, wId, dId, orderId);
        customers.addDelivery(connection, wId, dId, customerId, total);
    }
}
