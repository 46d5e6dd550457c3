from dataclasses import dataclass, field, asdict
@dataclass(slots=True, order=True)
class P: x: int; y: list = field(default_factory=list)
print(P(1), asdict(P(2, [3])), P(1) < P(2))
