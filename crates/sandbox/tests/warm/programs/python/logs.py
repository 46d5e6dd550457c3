import logging, atexit
atexit.register(print, "mine"); logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s %(process)d" if False else "%(levelname)s %(message)s"); logging.info("info"); logging.error("bad", exc_info=False)
