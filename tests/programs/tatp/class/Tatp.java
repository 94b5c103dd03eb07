import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The seven transactions of the TATP benchmark description, version 1.0. */
public class Tatp {

    private Connection connection;

    public Tatp(Connection connection) {
        this.connection = connection;
    }

    public List<Long> getSubscriberData(int sId) throws SQLException {
        String sql = "SELECT s_id, sub_nbr,"
                + " bit_1, bit_2, bit_3, bit_4, bit_5, bit_6, bit_7, bit_8, bit_9, bit_10,"
                + " hex_1, hex_2, hex_3, hex_4, hex_5, hex_6, hex_7, hex_8, hex_9, hex_10,"
                + " byte2_1, byte2_2, byte2_3, byte2_4, byte2_5,"
                + " byte2_6, byte2_7, byte2_8, byte2_9, byte2_10,"
                + " msc_location, vlr_location"
                + " FROM subscriber WHERE s_id = ?";
        try (PreparedStatement stmt = connection.prepareStatement(sql)) {
            stmt.setInt(1, sId);
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    return null;
                }
                List<Long> data = new ArrayList<>();
                for (int i = 1; i <= 10; i++) {
                    data.add(rs.getLong("bit_" + i));
                }
                data.add(rs.getLong("msc_location"));
                data.add(rs.getLong("vlr_location"));
                return data;
            }
        }
    }

    public List<String> getNewDestination(int sId, int sfType, int startTime, int endTime)
            throws SQLException {
        PreparedStatement stmt = connection.prepareStatement(
                "SELECT cf.numberx FROM special_facility AS sf, call_forwarding AS cf"
                        + " WHERE sf.s_id = ? AND sf.sf_type = ? AND sf.is_active = 1"
                        + " AND cf.s_id = sf.s_id AND cf.sf_type = sf.sf_type"
                        + " AND cf.start_time <= ? AND ? < cf.end_time");
        stmt.setInt(1, sId);
        stmt.setInt(2, sfType);
        stmt.setInt(3, startTime);
        stmt.setInt(4, endTime);
        ResultSet rs = stmt.executeQuery();
        List<String> numbers = new ArrayList<>();
        while (rs.next()) {
            numbers.add(rs.getString(1));
        }
        rs.close();
        stmt.close();
        return numbers;
    }

    public String getAccessData(int sId, int aiType) throws SQLException {
        PreparedStatement stmt = connection.prepareStatement(
                "SELECT data1, data2, data3, data4 FROM access_info"
                        + " WHERE s_id = ? AND ai_type = ?");
        stmt.setInt(1, sId);
        stmt.setInt(2, aiType);
        ResultSet rs = stmt.executeQuery();
        if (rs.next()) {
            return rs.getShort(1) + " " + rs.getShort(2) + " " + rs.getString(3) + " "
                    + rs.getString(4);
        }
        return null;
    }

    public void updateSubscriberData(int sId, int bit1, int dataA, int sfType)
            throws SQLException {
        PreparedStatement updateSubscriber = connection.prepareStatement(
                "UPDATE subscriber SET bit_1 = ? WHERE s_id = ?");
        updateSubscriber.setInt(1, bit1);
        updateSubscriber.setInt(2, sId);
        updateSubscriber.executeUpdate();

        PreparedStatement updateFacility = connection.prepareStatement(
                "UPDATE special_facility SET data_a = ? WHERE s_id = ? AND sf_type = ?");
        updateFacility.setInt(1, dataA);
        updateFacility.setInt(2, sId);
        updateFacility.setInt(3, sfType);
        int updated = updateFacility.executeUpdate();
        if (updated == 0) {
            throw new SQLException("No facility " + sfType + " of subscriber " + sId);
        }
    }

    public int updateLocation(long location, String subNbr) throws SQLException {
        PreparedStatement getSubscriber = connection.prepareStatement(
                "SELECT s_id FROM subscriber WHERE sub_nbr = ?");
        getSubscriber.setString(1, subNbr);
        ResultSet rs = getSubscriber.executeQuery();
        if (!rs.next()) {
            return 0;
        }
        int sId = rs.getInt("s_id");

        PreparedStatement update = connection.prepareStatement(
                "UPDATE subscriber SET vlr_location = ? WHERE s_id = ?");
        update.setLong(1, location);
        update.setInt(2, sId);
        return update.executeUpdate();
    }

    public int insertCallForwarding(String subNbr, int sfType, int startTime, int endTime,
            String numberx) throws SQLException {
        PreparedStatement getSubscriber = connection.prepareStatement(
                "SELECT s_id FROM subscriber WHERE sub_nbr = ?");
        getSubscriber.setString(1, subNbr);
        ResultSet subscriber = getSubscriber.executeQuery();
        if (!subscriber.next()) {
            throw new SQLException("No subscriber " + subNbr);
        }
        int sId = subscriber.getInt("s_id");

        PreparedStatement getFacilities = connection.prepareStatement(
                "SELECT sf_type FROM special_facility WHERE s_id = ? ORDER BY sf_type");
        getFacilities.setInt(1, sId);
        ResultSet facilities = getFacilities.executeQuery();
        boolean found = false;
        while (facilities.next()) {
            if (facilities.getInt("sf_type") == sfType) {
                found = true;
                break;
            }
        }
        if (!found) {
            throw new SQLException("No facility " + sfType + " of subscriber " + sId);
        }

        PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO call_forwarding (s_id, sf_type, start_time, end_time, numberx)"
                        + " VALUES (?, ?, ?, ?, ?)");
        insert.setInt(1, sId);
        insert.setInt(2, sfType);
        insert.setInt(3, startTime);
        insert.setInt(4, endTime);
        insert.setString(5, numberx);
        return insert.executeUpdate();
    }

    public void deleteCallForwarding(String subNbr, int sfType, int startTime)
            throws SQLException {
        PreparedStatement getSubscriber = connection.prepareStatement(
                "SELECT s_id FROM subscriber WHERE sub_nbr = ?");
        getSubscriber.setString(1, subNbr);
        ResultSet subscriber = getSubscriber.executeQuery();
        if (!subscriber.next()) {
            throw new SQLException("No subscriber " + subNbr);
        }
        int sId = subscriber.getInt("s_id");

        PreparedStatement delete = connection.prepareStatement(
                "DELETE FROM call_forwarding"
                        + " WHERE s_id = ? AND sf_type = ? AND start_time = ?");
        delete.setInt(1, sId);
        delete.setInt(2, sfType);
        delete.setInt(3, startTime);
        if (delete.executeUpdate() == 0) {
            throw new SQLException("No call forwarding of subscriber " + sId);
        }
    }
}
