import os
print("lost?"); os.close(1)
