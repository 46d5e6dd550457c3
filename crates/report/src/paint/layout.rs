//! Layout of a board: the places of its squares. A board of several panels has a row of titles and
//! a row of numbers above them, and the numbers of its rows beside each.

use joust_referee::{Panel, Rows, Scene};

/// Rows above panels.
const ABOVE: f32 = 2.0;

/// A panel and where it is drawn.
struct PlacedLabel {
    panel: Panel,
    at: f32,
}

/// Layout of the squares of a board.
pub(super) struct Layout {
    panels: Vec<PlacedLabel>,
    rows: u16,
    /// Squares across.
    pub(super) width: f32,
    /// Squares down.
    pub(super) height: f32,
}

/// A title or number beside a board; its middle is at `x`, `y`.
pub(super) struct Label {
    pub(super) text: String,
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) height: f32,
    pub(super) most: f32,
    pub(super) seat: Option<u8>,
}

impl Layout {
    pub(super) fn of(scene: &Scene) -> Self {
        let (width, height) = (f32::from(scene.width), f32::from(scene.height));
        let mut layout = Self { panels: Vec::new(), rows: scene.height, width, height };
        if scene.panels.is_empty() {
            return layout;
        }
        let mut at = 0.0;
        for panel in &scene.panels {
            layout.panels.push(PlacedLabel { panel: panel.clone(), at: at + 1.0 });
            at += 1.0 + f32::from(panel.width);
        }
        layout.width = at + 0.5;
        layout.height = height + ABOVE;
        layout
    }

    /// Returns the place of a square; `None` when it is in no panel.
    pub(super) fn place(&self, x: u16, y: u16) -> Option<(f32, f32)> {
        if self.panels.is_empty() {
            return Some((f32::from(x), f32::from(y)));
        }
        let has = |panel: &Panel| x >= panel.left && x - panel.left < panel.width;
        let placed = self.panels.iter().find(|placed| has(&placed.panel))?;
        Some((placed.at + f32::from(x - placed.panel.left), f32::from(y) + ABOVE))
    }

    /// Returns the labels beside the panels; `names` are those of the seats.
    pub(super) fn labels(&self, names: &[String]) -> Vec<Label> {
        self.panels.iter().flat_map(|placed| self.labels_of(placed, names)).collect()
    }

    fn labels_of(&self, placed: &PlacedLabel, names: &[String]) -> Vec<Label> {
        let PlacedLabel { panel, at } = placed;
        let width = f32::from(panel.width);
        let number = |text: u16, x: f32, y: f32| Label {
            text: text.to_string(),
            x,
            y,
            height: 0.5,
            most: 1.0,
            seat: None,
        };
        let owner = panel.owner.and_then(|seat| names.get(usize::from(seat)));
        let mut labels = vec![Label {
            text: owner.cloned().unwrap_or_default(),
            x: at + width / 2.0,
            y: 0.55,
            height: 0.75,
            most: width,
            seat: panel.owner,
        }];
        let columns = (0..panel.width).map(|x| number(x, at + f32::from(x) + 0.5, ABOVE - 0.42));
        labels.extend(columns);
        labels.extend((0..self.rows).map(|y| {
            let named = if panel.rows == Rows::Upwards { self.rows - 1 - y } else { y };
            number(named, at - 0.42, ABOVE + f32::from(y) + 0.5)
        }));
        labels
    }
}
