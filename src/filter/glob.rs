//! Patterns of `~`: `*`, `?` and `[...]` over whole strings.
//!
//! Small and its own because `*` here crosses `/` (names are not paths to the user) and a pattern may come
//! from a stranger's link: matching takes at most text × pattern steps and no memory.

/// A pattern, with the text it came from.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    source: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Star,
    One,
    Char(char),
    Set { ranges: Vec<(char, char)>, negated: bool },
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Glob {
    /// `None` if a `[` is not closed.
    pub(super) fn new(source: &str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut rest = source.chars();
        while let Some(c) = rest.next() {
            parts.push(match c {
                '*' if matches!(parts.last(), Some(Part::Star)) => continue,
                '*' => Part::Star,
                '?' => Part::One,
                '[' => set(&mut rest)?,
                c => Part::Char(c),
            });
        }
        Some(Glob { source: source.to_owned(), parts })
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Only the last star ever needs to be tried again: what matched before it can stay as it is.
    pub(super) fn matches(&self, text: &str) -> bool {
        let mut rest = text.chars();
        let mut part = 0;
        let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            if matches!(self.parts.get(part), Some(Part::Star)) {
                part += 1;
                retry = Some((part, rest.clone()));
                continue;
            }
            let mut ahead = rest.clone();
            match (self.parts.get(part), ahead.next()) {
                (None, None) => return true,
                (Some(p), Some(c)) if p.accepts(c) => {
                    rest = ahead;
                    part += 1;
                }
                // The text ended before the pattern: no longer star helps.
                (Some(_), None) => return false,
                _ => {
                    let Some((after_star, from)) = &mut retry else { return false };
                    if from.next().is_none() {
                        return false;
                    }
                    part = *after_star;
                    rest = from.clone();
                }
            }
        }
    }
}

impl Part {
    fn accepts(&self, c: char) -> bool {
        match self {
            Part::Star | Part::One => true,
            Part::Char(own) => *own == c,
            Part::Set { ranges, negated } => ranges.iter().any(|&(from, to)| (from..=to).contains(&c)) != *negated,
        }
    }
}

/// What follows `[`: a `]` right at the start is a member, as is a `-` at either end.
fn set(rest: &mut std::str::Chars<'_>) -> Option<Part> {
    let mut next = rest.next()?;
    let negated = matches!(next, '!' | '^');
    if negated {
        next = rest.next()?;
    }
    let mut ranges = Vec::new();
    loop {
        let from = next;
        let mut ahead = rest.clone();
        if (ahead.next(), ahead.clone().next().filter(|&c| c != ']')) == (Some('-'), ahead.clone().next())
            && let Some(to) = ahead.next()
        {
            ranges.push((from, to));
            *rest = ahead;
        } else {
            ranges.push((from, from));
        }
        next = rest.next()?;
        if next == ']' {
            return Some(Part::Set { ranges, negated });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    fn matches(pattern: &str, text: &str) -> bool {
        Glob::new(pattern).unwrap().matches(text)
    }

    #[test]
    fn patterns_match_whole_strings() {
        for (pattern, yes, no) in [
            ("*.jpg", "a/b.jpg", "a.jpg.bak"),
            ("cat", "cat", "cats"),
            ("", "", "a"),
            ("*", "", ""),
            ("a?c", "aßc", "ac"),
            ("a*b*c", "a__b__b_c", "a__b__b_"),
            ("[a-c][!0-9]", "bz", "b7"),
            ("[^x]", "y", "x"),
            ("[]]", "]", "["),
            ("[a-]", "-", "b"),
            ("[-a]", "-", "b"),
            ("[*]", "*", "x"),
            ("x[é-ü]", "xö", "xa"),
            ("Cat*", "Cat1", "cat1"),
            ("**a**", "xax", "xx"),
        ] {
            assert!(matches(pattern, yes), "{pattern} {yes}");
            assert!(no.is_empty() || !matches(pattern, no), "{pattern} {no}");
        }
        for open in ["[", "[a", "[a-", "[!", "[]"] {
            assert!(Glob::new(open).is_none(), "{open}");
        }
    }

    #[test]
    fn hostile_patterns_end_in_time() {
        let pattern = "*a".repeat(2000) + "b";
        assert!(!matches(&pattern, &"a".repeat(20_000)));
    }
}
