//! What is left of a normal distribution when its one side, or both, are cut off.

use std::f64::consts::PI;

use crate::ratings::normal::phi;

/// Below this a probability is taken for none, as the reference does.
const NONE: f64 = 2.2e-16;

/// The same for the two-sided step: what is between two near edges is small, and
/// still known well enough.
const LITTLE: f64 = 1e-12;

fn density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * PI).sqrt()
}

/// How far a win moves a mean that leads by `lead`.
pub(super) fn win_step(lead: f64, margin: f64) -> f64 {
    let x = lead - margin;
    let chance = phi(x);
    if chance < NONE { -x } else { density(x) / chance }
}

/// What part of the variance a win takes.
pub(super) fn win_width(lead: f64, margin: f64) -> f64 {
    let x = lead - margin;
    if phi(x) < NONE {
        return f64::from(u8::from(lead < 0.0));
    }
    let step = win_step(lead, margin);
    step * (step + x)
}

/// How far a draw moves a mean that leads by `lead`.
pub(super) fn draw_step(lead: f64, margin: f64) -> f64 {
    let x = lead.abs();
    let chance = phi(margin - x) - phi(-margin - x);
    if chance < LITTLE {
        return if lead < 0.0 { -lead - margin } else { -lead + margin };
    }
    let way = density(-margin - x) - density(margin - x);
    if lead < 0.0 { -way / chance } else { way / chance }
}

/// What part of the variance a draw takes.
pub(super) fn draw_width(lead: f64, margin: f64) -> f64 {
    let x = lead.abs();
    let chance = phi(margin - x) - phi(-margin - x);
    if chance < NONE {
        return 1.0;
    }
    let edges = (margin - x) * density(margin - x) + (margin + x) * density(-margin - x);
    edges / chance + draw_step(lead, margin).powi(2)
}
