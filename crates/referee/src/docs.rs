//! Rules of the games as their originals have them: the pages of `crates/referee/docs`.
//!
//! Comments name a heading as the source of a rule. What players read is
//! [`GameSpec::rules_text`](crate::GameSpec::rules_text).

pub mod all_games {
    #![doc = include_str!("../docs/all-games.md")]
}

pub mod battlebots {
    #![doc = include_str!("../docs/battlebots.md")]
}

pub mod battleships_2017 {
    #![doc = include_str!("../docs/battleships-2017.md")]
}

pub mod battlesnake {
    #![doc = include_str!("../docs/battlesnake.md")]
}

pub mod bomberman_2016 {
    #![doc = include_str!("../docs/bomberman-2016.md")]
}

pub mod coderone_dungeon {
    #![doc = include_str!("../docs/coderone-dungeon.md")]
}

pub mod uwcs_bomberman {
    #![doc = include_str!("../docs/uwcs-bomberman.md")]
}
