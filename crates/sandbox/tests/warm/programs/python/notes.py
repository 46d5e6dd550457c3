e = ValueError("noted"); e.add_note("a note"); raise e
