//! Canonical bytes of a position, which its hash is made of.

use super::super::{GameState, Player};
use crate::bytes::write_length;

impl GameState {
    /// Appends the position's canonical bytes.
    ///
    /// Shape: numbers are little endian. Side (1 byte), seed (4), bounty (8),
    /// round (4); per block ground, power-up and the bits of who touched it (1,
    /// 1 and 2 bytes); number of players (1) and per player block (2), bag,
    /// radius (4 each), points (8), coverage (4) and the round it was killed in
    /// plus 1 or 0 (4); number of bombs (4) and per bomb block (2), owner (1),
    /// timer, radius (4 each); number of blasts (4) and per blast, in order of
    /// blocks, block, the bomb's block (2 each) and owner (1).
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        out.push(self.side);
        out.extend(self.seed.to_le_bytes());
        out.extend(self.bounty.to_le_bytes());
        out.extend(self.round.to_le_bytes());
        for block in &self.blocks {
            let power_up = block.power_up.map_or(0, |power_up| power_up as u8 + 1);
            out.extend([block.ground as u8, power_up]);
            out.extend(block.touched.to_le_bytes());
        }
        out.push(self.players.len() as u8);
        self.players.iter().for_each(|player| write_player(out, player));
        write_length(out, self.bombs.len());
        for bomb in &self.bombs {
            out.extend(bomb.at.0.to_le_bytes());
            out.push(bomb.owner.0);
            out.extend(bomb.timer.to_le_bytes());
            out.extend(bomb.radius.to_le_bytes());
        }
        let mut blasts = self.blasts.clone();
        blasts.sort_unstable();
        write_length(out, blasts.len());
        for blast in blasts {
            out.extend(blast.at.0.to_le_bytes());
            out.extend(blast.bomb_at.0.to_le_bytes());
            out.push(blast.owner.0);
        }
    }
}

fn write_player(out: &mut Vec<u8>, player: &Player) {
    out.extend(player.at.0.to_le_bytes());
    out.extend(player.bag.to_le_bytes());
    out.extend(player.radius.to_le_bytes());
    out.extend(player.points.to_le_bytes());
    out.extend(player.coverage.to_le_bytes());
    let killed = player.killed_round.map_or(0, |round| round.saturating_add(1));
    out.extend(killed.to_le_bytes());
}
