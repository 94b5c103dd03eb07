TRUNCATE trains, reservations, holds, bookings, free_seats, stations, staff, depots, drivers, gates,
  cleanings, labels, events RESTART IDENTITY;
