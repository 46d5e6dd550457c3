//! Markdown of organisers and games as HTML for a page.
//!
//! Whatever it holds, the result is made of the few elements below: mark-up in it is shown as
//! text, pictures as their descriptions, and only links to `http` and `https` are links.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Returns a text as HTML. Its headings are of lower levels than those of the section that contains
/// it; its tables are called `tables` and numbered.
pub(super) fn html(text: &str, tables: &str) -> String {
    let mut writer = Writer { name: tables, ..Writer::default() };
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        writer.take(event);
    }
    writer.html
}

/// Writes one event after the other.
#[derive(Debug, Default)]
struct Writer<'a> {
    html: String,
    /// True for each open link that leads somewhere.
    links: Vec<bool>,
    /// Caption of tables, before their numbers.
    name: &'a str,
    /// Number of tables so far.
    tables: u32,
    /// True if the row that is open is the head of its table.
    is_head: bool,
}

impl Writer<'_> {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Code(text) => {
                self.html.push_str("<code>");
                self.text(&text);
                self.html.push_str("</code>");
            }
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>"),
            Event::Rule => self.html.push_str("<hr>"),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            // Of extensions that are not enabled.
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let html = match tag {
            Tag::Heading { level, .. } => format!("<{}>", heading(*level)),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                "<pre tabindex=\"0\"><code>".to_owned()
            }
            Tag::List(Some(first)) => format!("<ol start=\"{first}\">"),
            Tag::Link { dest_url, .. } => return self.link(dest_url),
            Tag::Table(_) => {
                self.tables += 1;
                let name = format!("{} {}", self.name, self.tables);
                format!(
                    "<div class=\"scroll\" role=\"region\" aria-label=\"{name}\" tabindex=\"0\">\
                     <table><caption class=\"hidden\">{name}</caption>"
                )
            }
            Tag::TableHead => {
                self.is_head = true;
                "<thead><tr>".to_owned()
            }
            Tag::TableCell if self.is_head => "<th scope=\"col\">".to_owned(),
            _ => element(tag.to_end()).map(|name| format!("<{name}>")).unwrap_or_default(),
        };
        self.html.push_str(&html);
    }

    fn end(&mut self, tag: TagEnd) {
        let html = match tag {
            TagEnd::Heading(level) => format!("</{}>", heading(level)),
            TagEnd::CodeBlock => "</code></pre>".to_owned(),
            TagEnd::List(true) => "</ol>".to_owned(),
            TagEnd::Link if self.links.pop() == Some(true) => "</a>".to_owned(),
            TagEnd::Table => "</tbody></table></div>".to_owned(),
            TagEnd::TableHead => {
                self.is_head = false;
                "</tr></thead><tbody>".to_owned()
            }
            TagEnd::TableCell if self.is_head => "</th>".to_owned(),
            _ => element(tag).map(|name| format!("</{name}>")).unwrap_or_default(),
        };
        self.html.push_str(&html);
        if !matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image) {
            self.html.push('\n');
        }
    }

    fn link(&mut self, address: &str) {
        let leads = address.starts_with("https://") || address.starts_with("http://");
        self.links.push(leads);
        if leads {
            self.html.push_str("<a rel=\"external\" href=\"");
            self.text(address);
            self.html.push_str("\">");
        }
    }

    fn text(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '<' => self.html.push_str("&lt;"),
                '>' => self.html.push_str("&gt;"),
                '&' => self.html.push_str("&amp;"),
                '"' => self.html.push_str("&quot;"),
                other => self.html.push(other),
            }
        }
    }
}

/// Elements that begin and end alike.
fn element(tag: TagEnd) -> Option<&'static str> {
    Some(match tag {
        TagEnd::Paragraph => "p",
        TagEnd::BlockQuote(_) => "blockquote",
        TagEnd::List(false) => "ul",
        TagEnd::Item => "li",
        TagEnd::Emphasis => "em",
        TagEnd::Strong => "strong",
        TagEnd::TableRow => "tr",
        TagEnd::TableCell => "td",
        _ => return None,
    })
}

fn heading(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 | HeadingLevel::H2 => "h3",
        HeadingLevel::H3 => "h4",
        _ => "h5",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lists_code_and_tables_are_elements() {
        let text = "# A\n\nb *c* `d<e`\n\n- f\n\n2. g\n\n```\nh\n```\n\n|i|j|\n|-|-|\n|k|l|\n";
        let expected = "<h3>A</h3>\n<p>b <em>c</em> <code>d&lt;e</code></p>\n<ul><li>f</li>\n</ul>\n\
                        <ol start=\"2\"><li>g</li>\n</ol>\n<pre tabindex=\"0\"><code>h\n</code></pre>\n\
                        <div class=\"scroll\" role=\"region\" aria-label=\"Table 1\" tabindex=\"0\"><table>\
                        <caption class=\"hidden\">Table 1</caption><thead><tr><th scope=\"col\">i</th>\n\
                        <th scope=\"col\">j</th>\n</tr></thead><tbody>\n<tr><td>k</td>\n<td>l</td>\n</tr>\n\
                        </tbody></table></div>\n";
        assert_eq!(html(text, "Table"), expected);
    }

    #[test]
    fn mark_up_is_text_and_only_links_to_the_web_lead_somewhere() {
        let cases = [
            ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
            ("a <b onclick=\"x\">c</b>", "<p>a &lt;b onclick=&quot;x&quot;&gt;c&lt;/b&gt;</p>\n"),
            ("[a](javascript:x)", "<p>a</p>\n"),
            ("![a](https://b.example/c.png)", "<p>a</p>\n"),
            (
                "[a](https://b.example/?c=\"&d)",
                "<p><a rel=\"external\" href=\"https://b.example/?c=&quot;&amp;d\">a</a></p>\n",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(html(text, "Table").trim_end(), expected.trim_end(), "{text}");
        }
    }
}
