import datetime, time
print(datetime.date(2020, 1, 1).strftime("%A %d %B"), time.strftime("%Z"), time.tzname, datetime.datetime.fromtimestamp(0, datetime.timezone.utc))
