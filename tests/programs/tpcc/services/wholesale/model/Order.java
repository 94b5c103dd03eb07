package wholesale.model;

/** A row of the table orders of TPC-C, revision 5.11. */
public record Order(int id, int carrierId) {
}
