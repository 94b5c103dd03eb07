import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;

/** The six transactions of SEATS (airline ticketing), as it is described for OLTP-Bench. */
public class Seats {

    private static final int FIRST_CLASS_SEATS = 10;
    private static final double FIRST_CLASS_FACTOR = 2.0;
    private static final int MAX_NEARBY_AIRPORTS = 2;

    private Connection connection;

    public Seats(Connection connection) {
        this.connection = connection;
    }

    public void deleteReservation(long fId, long cId, String cIdStr, String ffCIdStr, long ffAlId)
            throws SQLException {
        long customerId = cId;
        boolean frequentFlyer = false;
        if (cIdStr != null) {
            PreparedStatement byString = connection.prepareStatement(
                    "SELECT c_id FROM customer WHERE c_id_str = ?");
            byString.setString(1, cIdStr);
            ResultSet rs = byString.executeQuery();
            if (!rs.next()) {
                throw new SQLException("No customer " + cIdStr);
            }
            customerId = rs.getLong(1);
        } else if (ffCIdStr != null) {
            PreparedStatement byFlyer = connection.prepareStatement(
                    "SELECT c_id, ff_al_id FROM customer, frequent_flyer"
                            + " WHERE ff_c_id_str = ? AND ff_al_id = ? AND ff_c_id = c_id");
            byFlyer.setString(1, ffCIdStr);
            byFlyer.setLong(2, ffAlId);
            ResultSet rs = byFlyer.executeQuery();
            if (!rs.next()) {
                throw new SQLException("No frequent flyer " + ffCIdStr);
            }
            customerId = rs.getLong("c_id");
            frequentFlyer = true;
        }

        PreparedStatement getReservation = connection.prepareStatement(
                "SELECT c_sattr00, c_iattr00, f_seats_left, r_id, r_seat, r_price, r_iattr00"
                        + " FROM customer, flight, reservation"
                        + " WHERE c_id = ? AND c_id = r_c_id AND f_id = ? AND f_id = r_f_id");
        getReservation.setLong(1, customerId);
        getReservation.setLong(2, fId);
        ResultSet reservation = getReservation.executeQuery();
        if (!reservation.next()) {
            throw new SQLException("No reservation of customer " + customerId);
        }
        long attribute = reservation.getLong("c_iattr00") + 1;
        long reservationId = reservation.getLong("r_id");
        double price = reservation.getDouble("r_price");
        reservation.close();

        PreparedStatement delete = connection.prepareStatement(
                "DELETE FROM reservation WHERE r_id = ? AND r_c_id = ? AND r_f_id = ?");
        delete.setLong(1, reservationId);
        delete.setLong(2, customerId);
        delete.setLong(3, fId);
        delete.executeUpdate();

        PreparedStatement updateFlight = connection.prepareStatement(
                "UPDATE flight SET f_seats_left = f_seats_left + 1 WHERE f_id = ?");
        updateFlight.setLong(1, fId);
        updateFlight.executeUpdate();

        PreparedStatement updateCustomer = connection.prepareStatement(
                "UPDATE customer SET c_balance = c_balance + ?, c_iattr00 = ?,"
                        + " c_iattr10 = c_iattr10 - 1, c_iattr11 = c_iattr11 - 1"
                        + " WHERE c_id = ?");
        updateCustomer.setDouble(1, -1 * price);
        updateCustomer.setLong(2, attribute);
        updateCustomer.setLong(3, customerId);
        updateCustomer.executeUpdate();

        if (frequentFlyer) {
            PreparedStatement updateFlyer = connection.prepareStatement(
                    "UPDATE frequent_flyer SET ff_iattr10 = ff_iattr10 - 1"
                            + " WHERE ff_c_id = ? AND ff_al_id = ?");
            updateFlyer.setLong(1, customerId);
            updateFlyer.setLong(2, ffAlId);
            updateFlyer.executeUpdate();
        }
    }

    public List<String> findFlights(long departAirport, long arriveAirport, Timestamp startDate,
            Timestamp endDate, double distance) throws SQLException {
        List<Long> arriveAirports = new ArrayList<>();
        arriveAirports.add(arriveAirport);
        if (distance > 0) {
            PreparedStatement nearby = connection.prepareStatement(
                    "SELECT d_ap_id1, d_distance FROM airport_distance"
                            + " WHERE d_ap_id0 = ? AND d_distance <= ?"
                            + " ORDER BY d_distance ASC LIMIT ?");
            nearby.setLong(1, arriveAirport);
            nearby.setDouble(2, distance);
            nearby.setInt(3, MAX_NEARBY_AIRPORTS);
            try (ResultSet rs = nearby.executeQuery()) {
                while (rs.next()) {
                    arriveAirports.add(rs.getLong(1));
                }
            }
        }

        String sql = "SELECT f_id, f_al_id, f_seats_left, f_depart_ap_id, f_depart_time,"
                + " f_arrive_ap_id, f_arrive_time, al_name, al_iattr00, al_iattr01"
                + " FROM flight, airline"
                + " WHERE f_depart_ap_id = ? AND f_depart_time >= ? AND f_depart_time <= ?"
                + " AND f_al_id = al_id AND f_arrive_ap_id IN (?";
        for (int i = 1; i < arriveAirports.size(); i++) {
            sql += ", ?";
        }
        sql += ") ORDER BY f_id";
        PreparedStatement find = connection.prepareStatement(sql);
        find.setLong(1, departAirport);
        find.setTimestamp(2, startDate);
        find.setTimestamp(3, endDate);
        int index = 4;
        for (long airport : arriveAirports) {
            find.setLong(index++, airport);
        }

        PreparedStatement getAirport = connection.prepareStatement(
                "SELECT ap_code, ap_name, ap_city, ap_longitude, ap_latitude,"
                        + " co_id, co_name, co_code_2, co_code_3 FROM airport, country"
                        + " WHERE ap_id = ? AND ap_co_id = co_id");
        List<String> found = new ArrayList<>();
        ResultSet flights = find.executeQuery();
        while (flights.next()) {
            getAirport.setLong(1, flights.getLong("f_depart_ap_id"));
            ResultSet depart = getAirport.executeQuery();
            depart.next();
            String from = depart.getString("ap_code");
            depart.close();

            getAirport.setLong(1, flights.getLong("f_arrive_ap_id"));
            ResultSet arrive = getAirport.executeQuery();
            arrive.next();
            String to = arrive.getString("ap_code");
            arrive.close();

            found.add(flights.getLong("f_id") + " " + flights.getString("al_name") + " " + from
                    + "-" + to + " " + flights.getLong("f_seats_left"));
        }
        flights.close();
        return found;
    }

    public List<String> findOpenSeats(long fId) throws SQLException {
        PreparedStatement getFlight = connection.prepareStatement(
                "SELECT f_id, f_al_id, f_depart_ap_id, f_depart_time, f_arrive_ap_id,"
                        + " f_arrive_time, f_base_price, f_seats_total, f_seats_left,"
                        + " (f_base_price + (f_base_price * (1 - (f_seats_left::double precision"
                        + " / f_seats_total)))) AS f_price FROM flight WHERE f_id = ?");
        getFlight.setLong(1, fId);
        ResultSet flight = getFlight.executeQuery();
        if (!flight.next()) {
            throw new SQLException("No flight " + fId);
        }
        double price = flight.getDouble("f_price");
        int seatsTotal = flight.getInt("f_seats_total");
        flight.close();

        PreparedStatement getSeats = connection.prepareStatement(
                "SELECT r_id, r_f_id, r_seat FROM reservation WHERE r_f_id = ?");
        getSeats.setLong(1, fId);
        boolean[] taken = new boolean[seatsTotal];
        ResultSet seats = getSeats.executeQuery();
        while (seats.next()) {
            taken[seats.getInt("r_seat")] = true;
        }
        seats.close();

        List<String> open = new ArrayList<>();
        for (int seat = 0; seat < taken.length; seat++) {
            if (taken[seat]) {
                continue;
            }
            double seatPrice = seat < FIRST_CLASS_SEATS ? price * FIRST_CLASS_FACTOR : price;
            open.add(seat + " " + seatPrice);
        }
        return open;
    }

    public void newReservation(long rId, long cId, long fId, long seat, double price,
            long[] attributes, Timestamp created) throws SQLException {
        PreparedStatement getFlight = connection.prepareStatement(
                "SELECT f_al_id, f_seats_left, al_name FROM flight, airline"
                        + " WHERE f_id = ? AND f_al_id = al_id");
        getFlight.setLong(1, fId);
        ResultSet flight = getFlight.executeQuery();
        if (!flight.next()) {
            throw new SQLException("No flight " + fId);
        }
        long airlineId = flight.getLong("f_al_id");
        long seatsLeft = flight.getLong("f_seats_left");
        if (seatsLeft <= 0) {
            throw new SQLException("No more seats on flight " + fId);
        }

        PreparedStatement checkSeat = connection.prepareStatement(
                "SELECT r_id FROM reservation WHERE r_f_id = ? AND r_seat = ?");
        checkSeat.setLong(1, fId);
        checkSeat.setLong(2, seat);
        ResultSet seatTaken = checkSeat.executeQuery();
        if (seatTaken.next()) {
            throw new SQLException("Seat " + seat + " is taken on flight " + fId);
        }

        PreparedStatement checkCustomer = connection.prepareStatement(
                "SELECT r_id FROM reservation WHERE r_f_id = ? AND r_c_id = ?");
        checkCustomer.setLong(1, fId);
        checkCustomer.setLong(2, cId);
        ResultSet hasSeat = checkCustomer.executeQuery();
        if (hasSeat.next()) {
            throw new SQLException("Customer " + cId + " has a seat on flight " + fId);
        }

        PreparedStatement getCustomer = connection.prepareStatement(
                "SELECT c_base_ap_id, c_balance, c_sattr00 FROM customer WHERE c_id = ?");
        getCustomer.setLong(1, cId);
        ResultSet customer = getCustomer.executeQuery();
        if (!customer.next()) {
            throw new SQLException("No customer " + cId);
        }

        PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO reservation (r_id, r_c_id, r_f_id, r_seat, r_price, r_iattr00,"
                        + " r_iattr01, r_iattr02, r_iattr03, r_iattr04, r_iattr05, r_iattr06,"
                        + " r_iattr07, r_iattr08, r_created)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        insert.setLong(1, rId);
        insert.setLong(2, cId);
        insert.setLong(3, fId);
        insert.setLong(4, seat);
        insert.setDouble(5, price);
        for (int i = 0; i < 9; i++) {
            insert.setLong(6 + i, attributes[i]);
        }
        insert.setTimestamp(15, created);
        insert.executeUpdate();

        PreparedStatement updateFlight = connection.prepareStatement(
                "UPDATE flight SET f_seats_left = f_seats_left - 1 WHERE f_id = ?");
        updateFlight.setLong(1, fId);
        updateFlight.executeUpdate();

        PreparedStatement updateCustomer = connection.prepareStatement(
                "UPDATE customer SET c_iattr10 = c_iattr10 + 1, c_iattr11 = c_iattr11 + 1,"
                        + " c_iattr12 = ?, c_iattr13 = ?, c_iattr14 = ?, c_iattr15 = ?"
                        + " WHERE c_id = ?");
        updateCustomer.setLong(1, attributes[0]);
        updateCustomer.setLong(2, attributes[1]);
        updateCustomer.setLong(3, attributes[2]);
        updateCustomer.setLong(4, attributes[3]);
        updateCustomer.setLong(5, cId);
        updateCustomer.executeUpdate();

        // not every customer is a frequent flyer of the airline
        PreparedStatement updateFlyer = connection.prepareStatement(
                "UPDATE frequent_flyer SET ff_iattr10 = ff_iattr10 + 1, ff_iattr11 = ?,"
                        + " ff_iattr12 = ?, ff_iattr13 = ?, ff_iattr14 = ?"
                        + " WHERE ff_c_id = ? AND ff_al_id = ?");
        updateFlyer.setLong(1, attributes[4]);
        updateFlyer.setLong(2, attributes[5]);
        updateFlyer.setLong(3, attributes[6]);
        updateFlyer.setLong(4, attributes[7]);
        updateFlyer.setLong(5, cId);
        updateFlyer.setLong(6, airlineId);
        updateFlyer.executeUpdate();
    }

    public void updateCustomer(long cId, String cIdStr, long updateFlyer, long attr0, long attr1)
            throws SQLException {
        long customerId = cId;
        if (cIdStr != null) {
            PreparedStatement byString = connection.prepareStatement(
                    "SELECT c_id FROM customer WHERE c_id_str = ?");
            byString.setString(1, cIdStr);
            ResultSet rs = byString.executeQuery();
            if (!rs.next()) {
                throw new SQLException("No customer " + cIdStr);
            }
            customerId = rs.getLong("c_id");
        }

        PreparedStatement getCustomer = connection.prepareStatement(
                "SELECT c_id, c_id_str, c_base_ap_id, c_balance FROM customer WHERE c_id = ?");
        getCustomer.setLong(1, customerId);
        ResultSet customer = getCustomer.executeQuery();
        if (!customer.next()) {
            throw new SQLException("No customer " + customerId);
        }
        long baseAirport = customer.getLong("c_base_ap_id");

        PreparedStatement getAirport = connection.prepareStatement(
                "SELECT ap_id, ap_code, co_name FROM airport, country"
                        + " WHERE ap_id = ? AND ap_co_id = co_id");
        getAirport.setLong(1, baseAirport);
        ResultSet airport = getAirport.executeQuery();
        airport.next();

        if (updateFlyer == 1) {
            PreparedStatement getFlyers = connection.prepareStatement(
                    "SELECT ff_al_id FROM frequent_flyer WHERE ff_c_id = ? ORDER BY ff_al_id");
            getFlyers.setLong(1, customerId);
            ResultSet flyers = getFlyers.executeQuery();
            PreparedStatement update = connection.prepareStatement(
                    "UPDATE frequent_flyer SET ff_iattr00 = ?, ff_iattr01 = ?"
                            + " WHERE ff_c_id = ? AND ff_al_id = ?");
            while (flyers.next()) {
                update.setLong(1, attr0);
                update.setLong(2, attr1);
                update.setLong(3, customerId);
                update.setLong(4, flyers.getLong(1));
                update.executeUpdate();
            }
        }

        PreparedStatement update = connection.prepareStatement(
                "UPDATE customer SET c_iattr00 = ?, c_iattr01 = ? WHERE c_id = ?");
        update.setLong(1, attr0);
        update.setLong(2, attr1);
        update.setLong(3, customerId);
        update.executeUpdate();
    }

    public void updateReservation(long rId, long fId, long cId, long seat, int attribute,
            long value) throws SQLException {
        PreparedStatement checkSeat = connection.prepareStatement(
                "SELECT r_id FROM reservation WHERE r_f_id = ? AND r_seat = ?");
        checkSeat.setLong(1, fId);
        checkSeat.setLong(2, seat);
        if (checkSeat.executeQuery().next()) {
            throw new SQLException("Seat " + seat + " is taken on flight " + fId);
        }

        PreparedStatement checkCustomer = connection.prepareStatement(
                "SELECT r_id FROM reservation WHERE r_f_id = ? AND r_c_id = ?");
        checkCustomer.setLong(1, fId);
        checkCustomer.setLong(2, cId);
        if (!checkCustomer.executeQuery().next()) {
            throw new SQLException("Customer " + cId + " has no seat on flight " + fId);
        }

        String column;
        switch (attribute) {
            case 0:
                column = "r_iattr00";
                break;
            case 1:
                column = "r_iattr01";
                break;
            case 2:
                column = "r_iattr02";
                break;
            case 3:
                column = "r_iattr03";
                break;
            default:
                throw new IllegalArgumentException("No attribute " + attribute);
        }
        PreparedStatement update = connection.prepareStatement(
                "UPDATE reservation SET r_seat = ?, " + column + " = ?"
                        + " WHERE r_id = ? AND r_c_id = ? AND r_f_id = ?");
        update.setLong(1, seat);
        update.setLong(2, value);
        update.setLong(3, rId);
        update.setLong(4, cId);
        update.setLong(5, fId);
        if (update.executeUpdate() != 1) {
            throw new SQLException("Reservation " + rId + " was not updated");
        }
    }
}
