package wholesale.model;

/** A refused transaction of TPC-C, revision 5.11. */
public class WholesaleException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public WholesaleException(String message) {
        super(message);
    }
}
