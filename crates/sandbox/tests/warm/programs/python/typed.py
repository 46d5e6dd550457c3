from typing import NamedTuple, get_type_hints, Optional
class P(NamedTuple): x: int; y: "Optional[P]" = None
print(P(1), get_type_hints(P))
