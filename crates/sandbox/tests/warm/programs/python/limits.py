import resource
print([(n, resource.getrlimit(getattr(resource, n))) for n in sorted(dir(resource)) if n.startswith("RLIMIT_") and n != "RLIMIT_NPROC"])
