package wholesale.model;

/** A row of the table stock of TPC-C, revision 5.11, for one district. */
public record Stock(int quantity, String data, String distInfo) {

    public boolean isOriginal() {
        return data.contains("ORIGINAL");
    }
}
