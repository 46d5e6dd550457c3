async def f(): pass
f()
