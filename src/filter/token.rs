//! From characters to words, numbers, strings and signs.

use forebay_base::path::{continues_name, starts_name};

use super::codes;
use crate::error::{Code, Error, Result};

/// The smallest pieces of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A word that is not a keyword.
    Name(String),
    /// A name in backticks.
    Quoted(String),
    Int(i128),
    Float(f64),
    Str(String),
    True,
    False,
    Null,
    /// An operator or bracket, by its canonical spelling.
    Sign(&'static str),
    End,
}

/// Longest first, so that `<=` is not `<` and `=`.
const SIGNS: [&str; 17] = ["==", "!=", "<=", ">=", "!~", "&&", "||", "<", ">", "~", "!", "(", ")", "[", "]", ",", "."];

/// An error at a character of the expression.
pub(super) fn error(code: &'static Code, at: usize, message: impl Into<String>) -> Error {
    Error::new(code, message).section("filter").offset(at as u64)
}

/// Reads tokens, counting characters.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    rest: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Tokens { rest: text, at: 0 }
    }

    /// The next token and the character at which it begins.
    pub(super) fn next(&mut self) -> Result<(Token, usize)> {
        let blank = self.rest.find(|c: char| !c.is_whitespace()).unwrap_or(self.rest.len());
        self.skip(blank);
        let at = self.at;
        let Some(c) = self.rest.chars().next() else { return Ok((Token::End, at)) };
        let token = if starts_name(c) {
            self.word()
        } else if c.is_ascii_digit() || c == '-' {
            self.number()?
        } else if c == '"' || c == '\'' {
            self.string(c)?
        } else if c == '`' {
            self.quoted_name()?
        } else {
            self.sign(c)?
        };
        Ok((token, at))
    }

    /// Whether a parenthesis comes next.
    pub(super) fn opens(&self) -> bool {
        self.rest.trim_start().starts_with('(')
    }

    /// Passes `bytes` bytes, which end between two characters.
    fn skip(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        self.at += passed.chars().count();
        self.rest = rest;
        passed
    }

    fn word(&mut self) -> Token {
        let end = self.rest.find(|c| !continues_name(c)).unwrap_or(self.rest.len());
        match self.skip(end) {
            "and" => Token::Sign("&&"),
            "or" => Token::Sign("||"),
            "not" => Token::Sign("!"),
            "in" => Token::Sign("in"),
            "true" => Token::True,
            "false" => Token::False,
            "null" => Token::Null,
            name => Token::Name(name.to_owned()),
        }
    }

    fn sign(&mut self, c: char) -> Result<Token> {
        if self.rest.starts_with("<>") {
            return Err(error(&codes::SYNTAX, self.at, "<> is written !="));
        }
        if self.rest.starts_with("=>") || self.rest.starts_with("=<") {
            return Err(error(&codes::SYNTAX, self.at, "it is written >= or <="));
        }
        if let Some(sign) = SIGNS.iter().find(|s| self.rest.starts_with(**s)) {
            self.skip(sign.len());
            return Ok(Token::Sign(sign));
        }
        let advice = match c {
            '=' => "; equality is ==",
            '+' | '*' | '/' | '%' => "; filters compare, and do not calculate",
            '&' => "; \"and\" is &&",
            '|' => "; \"or\" is ||",
            _ => "",
        };
        Err(error(&codes::SYNTAX, self.at, format!("the character {c:?} has no meaning here{advice}")))
    }

    fn number(&mut self) -> Result<Token> {
        let mut end = 0;
        for (i, c) in self.rest.char_indices() {
            let after_exponent = self.rest[..i].ends_with(['e', 'E']);
            if !(continues_name(c) || c == '.' || ((c == '-' || c == '+') && (i == 0 || after_exponent))) {
                break;
            }
            end = i + c.len_utf8();
        }
        let at = self.at;
        let text = self.skip(end);
        let digits = text.strip_prefix('-').unwrap_or(text);
        let wrong = |why: &str| Err(error(&codes::NUMBER, at, format!("the number {text} {why}")));
        // Rust's own parser of floats takes words such as "inf", a sign twice and digits missing on a side.
        let shaped = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.ends_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'))
            && !digits.contains(".e")
            && !digits.contains(".E");
        if !shaped {
            return wrong("is malformed");
        }
        if digits.bytes().all(|b| b.is_ascii_digit()) {
            return match text.parse::<i128>() {
                Ok(n) if (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&n) => Ok(Token::Int(n)),
                _ => wrong("has more than 64 bits"),
            };
        }
        match float(text) {
            Ok(x) if x.is_finite() => Ok(Token::Float(x)),
            Ok(_) => wrong("is larger than any float"),
            Err(_) => wrong("is malformed"),
        }
    }

    fn string(&mut self, quote: char) -> Result<Token> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.skip(i + c.len_utf8());
                    return Ok(Token::Str(text));
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, c @ ('\\' | '"' | '\''))) => text.push(c),
                    Some((_, c)) => {
                        let at = start + self.rest[..i].chars().count();
                        return Err(error(&codes::STRING, at, format!("\\{c} is not an escape; a backslash is \\\\")));
                    }
                    None => break,
                },
                c => text.push(c),
            }
        }
        Err(error(&codes::STRING, start, format!("the string is not closed with {quote}")))
    }

    fn quoted_name(&mut self) -> Result<Token> {
        let mut name = String::new();
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((i, c)) = chars.next() {
            if c != '`' {
                name.push(c);
            } else if chars.next_if(|&(_, c)| c == '`').is_some() {
                name.push('`');
            } else {
                self.skip(i + 1);
                return Ok(Token::Quoted(name));
            }
        }
        Err(error(&codes::STRING, self.at, "the name is not closed with `"))
    }
}

impl Token {
    /// How a message names the token.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Name(name) | Token::Quoted(name) => format!("the name {name:?}"),
            Token::Int(n) => format!("the number {n}"),
            Token::Float(x) => format!("the number {x:?}"),
            Token::Str(text) => format!("the string {text:?}"),
            Token::True => "true".into(),
            Token::False => "false".into(),
            Token::Null => "null".into(),
            Token::Sign(sign) => format!("{sign:?}"),
            Token::End => "the end".into(),
        }
    }
}
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn float(text: &str) -> Result<f64, std::num::ParseFloatError> {
    text.parse()
}

/// The parser that JSON needs anyway gives the same floats to the last bit; a page need not load 10 KiB of tables for
/// another. It wants no zeros in front.
#[cfg(target_arch = "wasm32")]
pub(super) fn float(text: &str) -> Result<f64, serde_json::Error> {
    let (sign, digits) = text.split_at(usize::from(text.starts_with('-')));
    let zeros = digits.bytes().take_while(|&b| b == b'0').count();
    let kept =
        if digits.as_bytes().get(zeros).is_some_and(u8::is_ascii_digit) { zeros } else { zeros.saturating_sub(1) };
    serde_json::from_str(&format!("{sign}{}", &digits[kept..]))
}
