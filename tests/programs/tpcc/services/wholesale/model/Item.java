package wholesale.model;

import java.math.BigDecimal;

/** A row of the table item of TPC-C, revision 5.11. */
public record Item(BigDecimal price, String data) {

    public boolean isOriginal() {
        return data.contains("ORIGINAL");
    }
}
