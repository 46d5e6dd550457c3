//! The objects agents see.

use super::fixture::{GAME, Host, PLAYER, agent, answer_of};

/// Returns `repr` of what an expression about the sample state gives.
fn seen(expression: &str) -> String {
    let source = format!(
        "from coderone.dungeon.agent import *\nBase = Agent\n{}",
        agent(&format!("return repr({expression})"))
    );
    let (kind, value) = answer_of(&source);
    assert_eq!(kind, "str", "{expression}: {value}");
    value
}

#[test]
fn the_state_has_what_the_original_has() {
    let expression = "[(name, getattr(game_state, name)) for name in 'tick_number is_over size bombs \
                      ammo treasure all_blocks indestructible_blocks soft_blocks ore_blocks'.split()]";
    let expected = "[('tick_number', 7), ('is_over', False), ('size', (12, 10)), ('bombs', [(4, 4)]), \
                    ('ammo', [(6, 6)]), ('treasure', [(6, 7)]), \
                    ('all_blocks', [(0, 1), (0, 2), (3, 1), (5, 3)]), \
                    ('indestructible_blocks', [(0, 1), (0, 2)]), ('soft_blocks', [(3, 1)]), \
                    ('ore_blocks', [(5, 3)])]";
    assert_eq!(seen(expression), expected);
}

#[test]
fn private_attributes_are_there() {
    let expression = "[getattr(game_state, name) for name in '_size _game_map _treasure _ammo _bombs \
                      _blocks _players'.split()]";
    let expected = "[(12, 10), {4: {4: 'b'}, 11: {9: 1}, 0: {1: 'ib', 2: 'ib'}, 3: {1: 'sb'}, \
                    5: {3: 'ob'}, 6: {6: 'a', 7: 't'}}, [(6, 7)], [(6, 6)], [(4, 4)], \
                    [('ib', (0, 1)), ('ib', (0, 2)), ('sb', (3, 1)), ('ob', (5, 3))], \
                    [(0, (4, 4)), (1, (11, 9))]]";
    assert_eq!(seen(expression), expected);
}

#[test]
fn the_player_has_what_the_original_has() {
    let expected = "{'id': 0, 'ammo': 2, 'hp': 3, 'location': (4, 4), 'reward': 12, 'power': 2}";
    assert_eq!(seen("player_state.__dict__"), expected);
}

#[test]
fn locations_are_asked_by_value() {
    for (expression, expected) in [
        ("game_state.entity_at((4, 4))", "'b'"),
        ("game_state.entity_at([11, 9])", "1"),
        ("game_state.entity_at((0.0, 1))", "'ib'"),
        ("game_state.entity_at((1, 1))", "None"),
        ("game_state.entity_at((-1, 40))", "None"),
        ("game_state.is_occupied((11, 9)), game_state.is_occupied((1, 1))", "(True, False)"),
        ("game_state._has_occupancy((3, 1))", "True"),
        ("game_state.is_in_bounds((11, 9)), game_state.is_in_bounds((12, 9))", "(True, False)"),
        ("game_state.is_in_bounds((0, 0)), game_state.is_in_bounds((0, -1))", "(True, False)"),
        ("game_state.opponents(0)", "[(11, 9)]"),
        ("game_state.opponents()", "[(4, 4), (11, 9)]"),
        ("game_state.opponents(excluding_player_pid=1)", "[(4, 4)]"),
        ("game_state.bombs is game_state.bombs", "True"),
        ("game_state.soft_blocks is game_state.soft_blocks", "False"),
    ] {
        assert_eq!(seen(&format!("({expression})")), expected, "{expression}");
    }
}

#[test]
fn a_location_that_is_none_raises() {
    for location in ["None", "(None, 0)", "(0, None)", "(1, None)", "('1', 0)", "([], 0)", "5"] {
        for question in ["entity_at", "is_occupied", "is_in_bounds"] {
            let asked = format!("game_state.{question}({location})");
            let (kind, value) = answer_of(&agent(&format!("return repr({asked})")));
            assert_eq!((kind.as_str(), value.as_str()), ("raised", "TypeError"), "{asked}");
        }
    }
}

#[test]
fn states_can_be_made_by_position_and_by_name() {
    let body = "from coderone.dungeon.agent import GameState, PlayerState\n\
                made = GameState(False, 3, (12, 10), {1: {2: 'a'}}, [(1, 2)], [(3, 4)], \
                [(5, 6)], [('ib', (7, 8))], [(0, (9, 9))])\n\
                named = PlayerState(id=0, ammo=1, hp=2, location=(3, 4), reward=5, power=6)\n\
                return repr((made.ammo, made.treasure, made.bombs, made.all_blocks, \
                made.opponents(), made.entity_at((1, 2)), named.reward))";
    let expected = "([(1, 2)], [(3, 4)], [(5, 6)], [(7, 8)], [(9, 9)], 'a', 5)";
    assert_eq!(answer_of(&agent(body)).1, expected);
}

#[test]
fn what_can_be_imported_has_the_original_names_and_values() {
    let expression = "[(tag.name, tag.value) for tag in EntityTags]";
    let expected = "[('Ammo', 'a'), ('Treasure', 't'), ('Bomb', 'b'), ('SoftBlock', 'sb'), \
                    ('OreBlock', 'ob'), ('IndestructibleBlock', 'ib')]";
    assert_eq!(seen(expression), expected);
    assert_eq!(
        seen("(type(game_state) is GameState, type(player_state) is PlayerState)"),
        "(True, True)"
    );
    assert_eq!(
        seen("(PID, Base().next_move(None, None), Base().on_game_over(None, None))"),
        "(<class 'int'>, None, None)"
    );
    assert_eq!(seen("Point"), "typing.Tuple[int, int]");
    // Annotations of agents that import everything need no import of their own.
    let names = "Any Callable Dict Enum Iterable List NamedTuple Optional Sequence Set Tuple Union";
    let missing = format!("[name for name in '{names}'.split() if name not in globals()]");
    assert_eq!(seen(&missing), "[]");
    let both =
        "import coderone.dungeon.agent as one\nfrom coderone.dungeon import agent as other\n";
    let source = both.to_owned() + &agent("return str(one is other)");
    assert_eq!(answer_of(&source).1, "True");
}

#[test]
fn states_can_be_copied_and_written_on() {
    let body = "import copy, pickle\n\
                twin = copy.deepcopy(game_state)\n\
                twin.bombs.append((1, 1))\n\
                twin.tick_number = 8\n\
                game_state.mine = 'yes'\n\
                again = pickle.loads(pickle.dumps(player_state))\n\
                return repr((game_state.bombs, twin.bombs, game_state.tick_number, again.id))";
    assert_eq!(answer_of(&agent(body)).1, "([(4, 4)], [(4, 4), (1, 1)], 7, 0)");
    assert_eq!(answer_of(&agent("game_state.bombs = []")).1, "AttributeError");
}

#[test]
fn every_state_is_an_object_of_its_own() {
    let source = "class Agent:\n    last = None\n    def next_move(self, game_state, player_state):\n        \
                  new = game_state is not self.last and not hasattr(game_state, 'mark')\n        \
                  game_state.mark = True\n        self.last = game_state\n        return str(new)\n";
    let mut host = Host::of(source);
    assert!(host.is_ready());
    for request in [2, 4, 6] {
        host.show(&[(request, GAME, PLAYER)]);
        assert_eq!(host.answer(), Some((request, "str".into(), "True".into())));
    }
}
