package wholesale.model;

import java.math.BigDecimal;
import java.sql.Timestamp;

/** A row of the table order_line of TPC-C, revision 5.11. */
public record OrderLine(int itemId, int supplyWarehouseId, int quantity, BigDecimal amount,
        Timestamp deliveryDate) {

    public String describe() {
        String delivered = deliveryDate == null ? "open" : deliveryDate.toString();
        return itemId + " " + supplyWarehouseId + " " + quantity + " " + amount + " " + delivered;
    }
}
