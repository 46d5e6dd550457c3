import asyncio


async def numbers():
    try:
        yield 1
        yield 2
    finally:
        print("closed")


async def main():
    async for number in numbers():
        print(number)
        break


asyncio.run(main())
print("after")
