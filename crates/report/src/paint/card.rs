//! Card: the preview of a page that chats show beside its link, 1200 pixels wide and 630 high.

use tiny_skia::Pixmap;

use super::board::BoardPainter;
use super::canvas::{Align, Area, Canvas, Point, StrokeStyle};
use super::colours::{Palette, opaque};
use super::layout::Layout;
use super::{StillPicture, Theme};

const WIDTH: u32 = 1200;
const HEIGHT: u32 = 630;

/// Place of the board, and its greatest size.
const BOARD: Area = Area::new(560.0, 55.0, 600.0, 520.0);

/// Greatest width of texts.
const TEXT_WIDTH: f32 = 460.0;

/// Contents of a card.
#[derive(Clone, Debug, Default)]
pub struct Card {
    /// Above the title: where it belongs.
    pub above: String,
    /// The title.
    pub title: String,
    /// Lines below it; at most six are shown.
    pub lines: Vec<String>,
    /// The position to show.
    pub still: Option<StillPicture>,
}

/// Returns a card as a PNG file.
pub fn png(card: &Card) -> Vec<u8> {
    // The theme of a chat is unknown.
    let colours = Theme::Light.colours();
    let mut pixels = Pixmap::new(WIDTH, HEIGHT).expect("the size is not zero");
    pixels.fill(opaque(colours.of("bg")));
    let mut canvas = Canvas::whole(&mut pixels, colours);
    band(&mut canvas);
    words(&mut canvas, card);
    if let Some(still) = &card.still {
        board(&mut pixels, still, colours);
    }
    pixels.encode_png().expect("writing to memory does not fail")
}

/// The stripes at the top of every page.
fn band(canvas: &mut Canvas<'_>) {
    canvas.rect(Area::new(0.0, 0.0, 1200.0, 16.0), canvas.colours.of("accent"));
    for number in 0_u8..20 {
        let x = f32::from(number) * 64.0;
        let stripe = [(x + 40.0, 0.0), (x + 52.0, 0.0), (x + 45.0, 16.0), (x + 33.0, 16.0)];
        canvas.corners(&stripe, canvas.colours.of("gold"));
    }
}

fn words(canvas: &mut Canvas<'_>, card: &Card) {
    let most = if card.still.is_some() { TEXT_WIDTH } else { 1080.0 };
    let colours = canvas.colours;
    let mut write = |text: &str, y: f32, height: f32, colour: u32| {
        let style = StrokeStyle { height, colour, align: Align::Left, most };
        canvas.write(text, Point { x: 60.0, y }, style);
    };
    write(&card.above, 95.0, 28.0, colours.of("muted"));
    let title = lines(&card.title);
    for (line, y) in title.iter().zip([170.0, 236.0, 302.0]) {
        write(line, y, 54.0, colours.of("fg"));
    }
    let mut y = if title.len() > 2 { 385.0 } else { 170.0 + 75.0 * title_lines(title.len()) };
    for line in card.lines.iter().take(6) {
        write(line, y, 30.0, colours.of("accent"));
        y += 46.0;
    }
}

fn title_lines(lines: usize) -> f32 {
    f32::from(u8::try_from(lines.clamp(1, 3)).unwrap_or(3))
}

/// Breaks a title at words into lines of about sixteen letters, at most three.
fn lines(title: &str) -> Vec<String> {
    const LETTERS: usize = 16;
    let mut lines: Vec<String> = Vec::new();
    for word in title.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LETTERS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.len() > 3 {
        let rest = lines.split_off(2).join(" ");
        lines.push(rest);
    }
    lines
}

fn board(pixels: &mut Pixmap, still: &StillPicture, colours: &'static Palette) {
    let layout = Layout::of(&still.scene);
    if layout.width < 1.0 || layout.height < 1.0 {
        return;
    }
    let tile = (BOARD.width / layout.width).min(BOARD.height / layout.height).floor().max(1.0);
    let (width, height) = (tile * layout.width, tile * layout.height);
    let x = (BOARD.x + (BOARD.width - width) / 2.0).floor();
    let y = (BOARD.y + (BOARD.height - height) / 2.0).floor();
    let mut canvas = Canvas::whole(pixels, colours);
    let frame = Area::new(x - 12.0, y - 12.0, width + 24.0, height + 24.0);
    canvas.box_of(frame, 14.0, colours.of("panel"));
    let (scene, layout, bots) = (&still.scene, &layout, &still.names[..]);
    BoardPainter { scene, layout, names: bots, x, y, tile, colours }.draw(pixels);
    names(&mut Canvas::whole(pixels, colours), still);
}

/// Draws the names of the players below the board.
fn names(canvas: &mut Canvas<'_>, still: &StillPicture) {
    let colour = canvas.colours.of("muted");
    let style = StrokeStyle { height: 24.0, colour, align: Align::Middle, most: 600.0 };
    canvas.write(&still.names.join(" – "), Point { x: 860.0, y: 605.0 }, style);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_a_png_of_the_size_that_chats_want() {
        let card = Card { title: "A cup of robots".to_owned(), ..Card::default() };
        let file = png(&card);
        assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&file[16..24], [0, 0, 4, 0xb0, 0, 0, 2, 0x76]);
        assert_eq!(png(&card), file);
    }

    #[test]
    fn a_title_is_broken_at_words() {
        assert_eq!(lines("Battleships of the Challenge"), ["Battleships of", "the Challenge"]);
        assert_eq!(lines("a"), ["a"]);
        assert_eq!(lines(&"wordword ".repeat(9)).len(), 3);
    }
}
