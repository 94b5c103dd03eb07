package wholesale.service;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.transaction.annotation.Transactional;
import wholesale.dao.StockDao;
import wholesale.dao.WarehouseDao;

/** Stock-Level of TPC-C, revision 5.11, clause 2.8. */
@Transactional(readOnly = true)
public class StockService {

    private final DataSource dataSource;
    private final WarehouseDao warehouses;
    private final StockDao stocks;

    public StockService(DataSource dataSource) {
        this.dataSource = dataSource;
        this.warehouses = new WarehouseDao();
        this.stocks = new StockDao();
    }

    public int stockLevel(int wId, int dId, int threshold) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            int nextOrderId = warehouses.nextOrderId(connection, wId, dId);
            return stocks.countBelow(connection, wId, dId, nextOrderId, threshold);
        }
    }
}
