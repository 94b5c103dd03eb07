package wholesale.model;

import java.math.BigDecimal;

/** What New-Order reads of a district in TPC-C, revision 5.11, clause 2.4. */
public record District(int nextOrderId, BigDecimal tax) {
}
