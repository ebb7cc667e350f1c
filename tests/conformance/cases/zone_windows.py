"""Windows over moments in zones whose clocks change: RANGE frames of days and months, session windows of days."""

from cases._sql import queries
from harness import Area

area = Area("zone_windows")

# Every six hours around a change of the clock in both zones.
SPRING = "SELECT id, timestamp'2024-03-29 00:00:00Z' + make_interval(0, 0, 0, 0, 6 * CAST(id AS INT)) AS t FROM range(16)"
AUTUMN = "SELECT id, timestamp'2024-10-25 18:00:00Z' + make_interval(0, 0, 0, 0, 3 * CAST(id AS INT)) AS t FROM range(24)"
WITH_NULLS = "SELECT CASE WHEN id % 5 = 0 THEN NULL ELSE id END AS id, CASE WHEN id % 5 = 0 THEN NULL ELSE t END AS t FROM (" + SPRING + ")"
FRAMES = {
    "day": "INTERVAL '1' DAY PRECEDING AND CURRENT ROW",
    "days and hours": "INTERVAL '1 03' DAY TO HOUR PRECEDING AND INTERVAL '2' HOUR PRECEDING",
    "hours": "INTERVAL '24' HOUR PRECEDING AND CURRENT ROW",
    "minutes": "INTERVAL '90' MINUTE PRECEDING AND CURRENT ROW",
    "following": "CURRENT ROW AND INTERVAL '2' DAY FOLLOWING",
    "month": "INTERVAL '1' MONTH PRECEDING AND INTERVAL '1' DAY FOLLOWING",
}
for rows_name, rows in {"spring": SPRING, "autumn": AUTUMN, "nulls": WITH_NULLS}.items():
    for direction in ("ASC", "DESC"):
        texts = {f"{rows_name} {name} {direction}": f"SELECT id, t, count(*) OVER (ORDER BY t {direction} RANGE BETWEEN {frame}) AS n, min(id) OVER (ORDER BY t {direction} RANGE BETWEEN {frame}) AS low FROM ({rows})"
                 for name, frame in FRAMES.items()}
        for zone in ("Europe/Berlin", "America/New_York", "Asia/Kolkata"):
            queries(area, texts, prefix=f"{zone} ", conf={"spark.sql.session.timeZone": zone})
SESSIONS = {
    "sessions of a day": f"SELECT session_window, count(*) AS n FROM ({SPRING} WHERE id % 5 < 2) GROUP BY session_window(t, '1 day')",
    "sessions of 24 hours": f"SELECT session_window, count(*) AS n FROM ({SPRING} WHERE id % 5 < 2) GROUP BY session_window(t, '24 hours')",
    "sessions of a column": f"SELECT session_window, count(*) AS n FROM ({AUTUMN}) GROUP BY session_window(t, CASE WHEN id % 3 = 0 THEN '1 day' ELSE concat(id, ' minutes') END)",
    "sessions of a calendar interval": f"SELECT session_window, count(*) AS n FROM ({AUTUMN}) GROUP BY session_window(t, make_interval(0, 0, 0, 0, 0, CAST(id AS INT)))",
    "sessions of a month": f"SELECT session_window, count(*) AS n FROM ({SPRING}) GROUP BY session_window(t, '1 month')",
    "sessions of local times": f"SELECT session_window, count(*) AS n FROM (SELECT CAST(t AS TIMESTAMP_NTZ) AS t, id FROM ({SPRING})) GROUP BY session_window(t, '5 hours')",
    "sessions of a bad column": f"SELECT session_window, count(*) AS n FROM ({SPRING}) GROUP BY session_window(t, CASE WHEN id < 3 THEN 'x' ELSE '1 hour' END)",
    "sessions of a number": f"SELECT session_window, count(*) AS n FROM ({SPRING}) GROUP BY session_window(t, 5)",
    "sessions of an interval of days": f"SELECT session_window, count(*) AS n FROM ({SPRING}) GROUP BY session_window(t, INTERVAL '1' DAY)",
}
for zone in ("Europe/Berlin", "UTC"):
    queries(area, SESSIONS, prefix=f"{zone} ", conf={"spark.sql.session.timeZone": zone})
