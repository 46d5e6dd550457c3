import asyncio
async def one(n): await asyncio.sleep(0.01); return n * 2
async def main(): print(await asyncio.gather(*(one(n) for n in range(4))))
asyncio.run(main())
