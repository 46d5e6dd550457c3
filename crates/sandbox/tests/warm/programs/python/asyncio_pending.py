import asyncio
async def main():
    asyncio.ensure_future(asyncio.sleep(10)); print("left")
loop = asyncio.new_event_loop(); loop.run_until_complete(main())
