import marshal

code = compile("x = 6 * 7\nprint(x, __name__)", "<made>", "exec")
exec(marshal.loads(marshal.dumps(code)))
try:
    exec(compile("raise KeyError('k')", "<made>", "exec"))
except KeyError as error:
    print(error.__traceback__.tb_next.tb_frame.f_code.co_filename)
