//! Drift as a picture: a panel for each thing that is counted, the old one and the new one over each other, worst first.
//!
//! One SVG without scripts or fonts of its own, for a page, a mail or a CI's artifacts; dark where the viewer is dark.

use std::fmt::Write as _;

use super::drift::{Drift, Kind, Part, Row};

const COLUMNS: usize = 2;
const PANEL: [usize; 2] = [460, 226];
const GAP: usize = 20;
const MARGIN: usize = 24;
const HEAD: usize = 96;
/// Names of a panel; the rest is counted.
const BARS: usize = 7;
/// Letters of a name that fit beside its bars.
const LETTERS: usize = 17;
/// Where the bars of names begin.
const BESIDE: usize = 144;

const STYLE: &str = "\
:root{color-scheme:light dark;--bg:#fff;--panel:#f6f7f9;--line:#d5d9e0;--text:#1c2129;--soft:#5b6472;--old:#9aa5b5;\
--new:#d9480f;--bad:#b42318}\
@media(prefers-color-scheme:dark){:root{--bg:#14171c;--panel:#1d2128;--line:#3a414d;--text:#e8ebf0;--soft:#a0a9b8;\
--old:#66738a;--new:#ff922b;--bad:#ff7b72}}\
text{font:13px system-ui,sans-serif;fill:var(--text)}.bg{fill:var(--bg)}.panel{fill:var(--panel);stroke:var(--line)}\
.h{font-size:20px;font-weight:600}.t{font-size:14px;font-weight:600}.s{fill:var(--soft);font-size:12px}\
.e{text-anchor:end}.m{text-anchor:middle}.bad{fill:var(--bad);font-weight:600}.badbox{stroke:var(--bad)}\
.old{fill:var(--old)}.new{fill:var(--new)}.line{fill:var(--new);fill-opacity:.16;stroke:var(--new);stroke-width:2;\
stroke-linejoin:round}.axis{stroke:var(--line)}";

impl Drift {
    /// The picture. Rows above `most` are marked.
    pub fn to_svg(&self, most: Option<f64>) -> String {
        let panels: Vec<&Row> =
            self.rows.iter().filter(|row| row.kind != Kind::Number && row.values != [0, 0]).collect();
        let numbers: Vec<&Row> = self.rows.iter().filter(|row| row.kind == Kind::Number).collect();
        let lines = panels.len().div_ceil(COLUMNS);
        let width = 2 * MARGIN + COLUMNS * PANEL[0] + (COLUMNS - 1) * GAP;
        let list = if numbers.is_empty() { 0 } else { 40 + 22 * numbers.len() };
        let below = HEAD + lines * (PANEL[1] + GAP);
        let height = below + list + self.notes.len() * 20 + MARGIN;
        let mut svg = String::new();
        let _ = write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\"><title>Drift of a warehouse</title><style>{STYLE}</style>\
             <rect class=\"bg\" width=\"{width}\" height=\"{height}\"/>"
        );
        self.head(&mut svg, most);
        for (k, row) in panels.iter().enumerate() {
            let x = MARGIN + k % COLUMNS * (PANEL[0] + GAP);
            let y = HEAD + k / COLUMNS * (PANEL[1] + GAP);
            let _ = write!(svg, "<g transform=\"translate({x} {y})\">");
            panel(&mut svg, row, most);
            svg.push_str("</g>");
        }
        let mut y = below + 16;
        if !numbers.is_empty() {
            let _ = write!(svg, "<text class=\"t\" x=\"{MARGIN}\" y=\"{y}\">Pixels, from 0 to 1</text>");
            for (k, name) in ["old", "new", "distance"].iter().enumerate() {
                text(&mut svg, "s e", MARGIN + 260 + k * 100, y, name);
            }
            for row in &numbers {
                y += 22;
                text(&mut svg, "", MARGIN, y, &row.name.replace('_', " "));
                text(&mut svg, "e", MARGIN + 260, y, &number(row.old));
                text(&mut svg, "e", MARGIN + 360, y, &number(row.new));
                text(&mut svg, if is_above(row, most) { "e bad" } else { "e" }, MARGIN + 460, y, &number(row.distance));
            }
            y += 24;
        }
        for note in &self.notes {
            text(&mut svg, "s", MARGIN, y, &cut(note, 150));
            y += 20;
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn head(&self, svg: &mut String, most: Option<f64>) {
        let above = most.map_or(0, |most| self.above(most).count());
        let title = match (most, above) {
            (None, _) => "Drift".to_owned(),
            (Some(most), 0) => format!("Drift: nothing is above {most}"),
            (Some(most), 1) => format!("Drift: 1 row is above {most}"),
            (Some(most), n) => format!("Drift: {n} rows are above {most}"),
        };
        text(svg, if above > 0 { "h bad" } else { "h" }, MARGIN, 40, &title);
        for (side, class) in ["old", "new"].iter().enumerate() {
            let x = MARGIN + side * (PANEL[0] + GAP);
            let _ = write!(svg, "<rect class=\"{class}\" x=\"{x}\" y=\"60\" width=\"12\" height=\"12\" rx=\"2\"/>");
            let version: String = self.versions[side].chars().take(12).collect();
            let said = format!("{class} {version}: {} samples, {} boxes", self.samples[side], self.boxes[side]);
            text(svg, "", x + 20, 71, &said);
        }
    }
}

fn is_above(row: &Row, most: Option<f64>) -> bool {
    most.zip(row.distance).is_some_and(|(most, distance)| distance > most)
}

fn panel(svg: &mut String, row: &Row, most: Option<f64>) {
    let [width, height] = PANEL;
    let bad = is_above(row, most);
    let class = if bad { "panel badbox" } else { "panel" };
    let _ = write!(svg, "<rect class=\"{class}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>");
    text(svg, "t", 16, 26, &row.name.replace('_', " "));
    text(svg, if bad { "t e bad" } else { "t e" }, width - 16, 26, &number(row.distance));
    let mut said = match (row.old, row.new) {
        (Some(old), Some(new)) => format!("mean {} → {}", number(Some(old)), number(Some(new))),
        _ => format!("{} → {}", row.values[0], row.values[1]),
    };
    if let Some(chance) = row.chance {
        let _ = write!(said, ", by chance about {}", number(Some(chance)));
    }
    text(svg, "s", 16, 46, &said);
    match row.kind {
        Kind::Histogram => histogram(svg, row),
        _ => bars(svg, row),
    }
}

/// The old one filled, the new one as a line over it.
fn histogram(svg: &mut String, row: &Row) {
    let [width, height] = PANEL;
    let (left, top, right, bottom) = (16.0, 60.0, (width - 16) as f64, (height - 30) as f64);
    // What neither has at the ends is not drawn.
    let first = row.parts.iter().position(Part::is_filled).unwrap_or(0);
    let last = row.parts.iter().rposition(Part::is_filled).unwrap_or(0);
    let parts = row.parts.get(first..=last).unwrap_or_default();
    let most = parts.iter().flat_map(|part| row.shares(part)).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let step = (right - left) / parts.len().max(1) as f64;
    let at = |share: f64| bottom - share / most * (bottom - top);
    let mut line = format!("M{left:.1} {bottom:.1}");
    for (k, part) in parts.iter().enumerate() {
        let ([old, new], x) = (row.shares(part), left + k as f64 * step);
        let said = format!("from {}: {} → {}", part.name, percent(old), percent(new));
        let (y, wide) = (at(old), (step - 1.0).max(0.5));
        let _ = write!(
            svg,
            "<rect class=\"old\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{:.1}\"><title>",
            bottom - y
        );
        escape(svg, &said);
        svg.push_str("</title></rect>");
        let _ = write!(line, "V{:.1}H{:.1}", at(new), x + step);
    }
    let _ = write!(line, "V{bottom:.1}");
    let _ = write!(svg, "<path class=\"line\" d=\"{line}\"/>");
    let _ = write!(svg, "<line class=\"axis\" x1=\"{left}\" x2=\"{right}\" y1=\"{bottom}\" y2=\"{bottom}\"/>");
    // About six names fit.
    let every = parts.len().div_ceil(6).max(1);
    for (k, part) in parts.iter().enumerate().step_by(every) {
        let name = part.name.parse().map_or(part.name.clone(), |from: f64| number(Some(from)));
        text(svg, "s", (left + k as f64 * step) as usize, height - 12, &name);
    }
}

/// A pair of bars for each name, those whose shares changed most first.
fn bars(svg: &mut String, row: &Row) {
    let [width, height] = PANEL;
    let mut parts: Vec<(&Part, [f64; 2])> = row.parts.iter().map(|part| (part, row.shares(part))).collect();
    parts.retain(|(part, _)| part.is_filled());
    let change = |[old, new]: [f64; 2]| (new - old).abs();
    parts.sort_by(|a, b| change(b.1).total_cmp(&change(a.1)));
    let more = parts.len().saturating_sub(BARS);
    parts.truncate(BARS);
    let most = parts.iter().flat_map(|(_, shares)| *shares).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    // Two numbers stand behind the bars.
    let room = (width - BESIDE - 124) as f64;
    for (k, (part, [old, new])) in parts.into_iter().enumerate() {
        let y = 60 + k * 20;
        let _ = write!(svg, "<g><title>");
        escape(svg, &format!("{}: {} → {}", part.name, part.old, part.new));
        svg.push_str("</title>");
        text(svg, "e", BESIDE - 8, y + 13, &cut(&part.name, LETTERS));
        for (class, share, y) in [("old", old, y), ("new", new, y + 8)] {
            let wide = (share / most * room).max(if share > 0.0 { 1.0 } else { 0.0 });
            let _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{BESIDE}\" y=\"{}\" width=\"{wide:.1}\" height=\"7\"/>",
                y + 1
            );
        }
        text(svg, "s e", width - 16, y + 13, &format!("{} → {}", percent(old), percent(new)));
        svg.push_str("</g>");
    }
    if more > 0 {
        text(svg, "s", 16, height - 10, &format!("and {more} more"));
    }
}

fn text(svg: &mut String, class: &str, x: usize, y: usize, words: &str) {
    let _ = write!(svg, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">");
    escape(svg, words);
    svg.push_str("</text>");
}

/// Text from a file, which must not become tags; what XML cannot hold becomes a mark.
fn escape(svg: &mut String, words: &str) {
    for c in words.chars() {
        match c {
            '<' => svg.push_str("&lt;"),
            '>' => svg.push_str("&gt;"),
            '&' => svg.push_str("&amp;"),
            '"' => svg.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => svg.push('\u{fffd}'),
            c if c.is_control() => svg.push('\u{fffd}'),
            c => svg.push(c),
        }
    }
}

/// At most this many letters.
fn cut(words: &str, most: usize) -> String {
    match words.chars().count() > most {
        true => words.chars().take(most - 1).chain(['…']).collect(),
        false => words.to_owned(),
    }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".into(),
        share if share < 0.1 => "<0.1 %".into(),
        share if share < 9.95 => format!("{share:.1} %"),
        share => format!("{share:.0} %"),
    }
}

/// Three digits that count.
fn number(x: Option<f64>) -> String {
    match x {
        None => "–".into(),
        Some(x) if x == 0.0 => "0".into(),
        Some(x) if x.fract() == 0.0 || x.abs() >= 100.0 => format!("{x:.0}"),
        Some(x) if x.abs() >= 10.0 => format!("{x:.1}"),
        Some(x) if x.abs() >= 1.0 => format!("{x:.2}"),
        Some(x) if x.abs() >= 0.001 => format!("{x:.3}"),
        Some(x) => format!("{x:.5}"),
    }
}
