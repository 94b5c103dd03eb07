package wholesale.service;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.transaction.annotation.Transactional;
import wholesale.dao.CustomerDao;
import wholesale.dao.WarehouseDao;
import wholesale.model.Customer;
import wholesale.model.WholesaleException;

/** Payment of TPC-C, revision 5.11, clause 2.5. */
public class PaymentService {

    private static final int DATA_LENGTH = 500;

    private final DataSource dataSource;
    private final WarehouseDao warehouses = new WarehouseDao();
    private final CustomerDao customers = new CustomerDao();

    public PaymentService(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Transactional
    public BigDecimal payment(int wId, int dId, int cWId, int cDId, int cId, String cLast,
            BigDecimal amount, Timestamp date) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            String warehouseName = warehouses.warehouseName(connection, wId);
            warehouses.addToWarehouse(connection, wId, amount);
            String districtName = warehouses.districtName(connection, wId, dId);
            warehouses.addToDistrict(connection, wId, dId, amount);

            int customerId = cId;
            if (cLast != null) {
                customerId = customers.idByLastName(connection, cWId, cDId, cLast);
            }
            Customer customer = require(connection, cWId, cDId, customerId);
            customer.pay(amount);
            if (customer.hasBadCredit()) {
                String data = customers.data(connection, cWId, cDId, customerId);
                data = customerId + " " + cDId + " " + cWId + " " + dId + " " + wId + " "
                        + amount + " | " + data;
                if (data.length() > DATA_LENGTH) {
                    data = data.substring(0, DATA_LENGTH);
                }
                customer.setData(data);
                customers.update(connection, cWId, cDId, customer, true);
            } else {
                customers.update(connection, cWId, cDId, customer, false);
            }

            customers.insertHistory(connection, cWId, cDId, customerId, wId, dId, date, amount,
                    warehouseName + "    " + districtName);
            return customer.getBalance();
        }
    }

    private Customer require(Connection connection, int wId, int dId, int cId)
            throws SQLException {
        Optional<Customer> customer = customers.find(connection, wId, dId, cId);
        if (!customer.isPresent()) {
            throw new WholesaleException("No customer " + cId);
        }
        return customer.get();
    }
}
