//! From tokens to the tree: recursive descent, no deeper than the limits allow.

use super::{
    Field, Filter, Path, Segment, Value, boxes, codes,
    expr::{Boxes, Expr, Op, Operand},
    glob::Glob,
    token::{Token, Tokens, error},
};
use crate::{
    Limits,
    error::{Error, Result},
};

pub(super) fn parse(text: &str, limits: &Limits) -> Result<Filter> {
    let mut tokens = Tokens::new(text);
    let (token, at) = tokens.next()?;
    let mut p = Parser { tokens, token, at, depth: 0, limits, fields: Vec::new(), boxes: None, inside: false };
    let expr = if p.token == Token::End {
        Expr::Truth(Operand::Literal(Value::Bool(true)))
    } else {
        let expr = p.any_of()?;
        if p.token != Token::End {
            return Err(p.expected("&&, || or the end"));
        }
        expr
    };
    Ok(Filter { expr, fields: p.fields, boxes: p.boxes })
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    /// The token that is looked at, and its character.
    token: Token,
    at: usize,
    depth: u32,
    limits: &'a Limits,
    fields: Vec<Field>,
    /// The character at which boxes are first asked for.
    boxes: Option<usize>,
    /// In the parentheses of `any` or `count`.
    inside: bool,
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<Token> {
        let (next, at) = self.tokens.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn accept(&mut self, sign: &str) -> Result<bool> {
        let is = matches!(&self.token, Token::Sign(s) if *s == sign);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    fn expected(&self, what: &str) -> Error {
        error(&codes::SYNTAX, self.at, format!("expected {what}, found {}{}", self.token.describe(), self.advice()))
    }

    /// What is written here in place of what other languages have.
    fn advice(&self) -> &'static str {
        let word = match &self.token {
            Token::Name(word) => word,
            // Behind a value: what is left of 2024-02-29.
            Token::Int(n) if *n < 0 => return "; put dates into quotes: \"2024-02-29\"",
            Token::Sign("(") => return "; filters call no functions but any and count; text is compared by == and ~",
            Token::Sign(",") => return "; numbers have no commas: 1000",
            _ => return "",
        };
        match word.to_ascii_lowercase().as_str() {
            "is" | "null" => "; `is 1` is == 1, `is null` is == null, and `is not null` is != null",
            "like" | "ilike" | "glob" | "matches" => "; patterns need ~, with * and ?: name ~ \"*.jpg\"",
            "contains" | "startswith" | "endswith" => "; as in name ~ \"*part*\"",
            "between" => "; `x between 1 and 2` is x >= 1 && x <= 2",
            "and" => "; \"and\" is && or and, in small letters",
            "or" => "; \"or\" is || or or, in small letters",
            "not" | "in" | "true" | "false" => "; words of the language are written in small letters",
            _ => "",
        }
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        self.limits.depth(self.depth).map_err(|e| e.section("filter").offset(self.at as u64))?;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn any_of(&mut self) -> Result<Expr> {
        let first = self.all_of()?;
        if !matches!(self.token, Token::Sign("||")) {
            return Ok(first);
        }
        let mut parts = Vec::new();
        let mut add = |part| match part {
            Expr::Or(inner) => parts.extend(inner),
            part => parts.push(part),
        };
        add(first);
        while self.accept("||")? {
            add(self.all_of()?);
        }
        Ok(Expr::Or(parts))
    }

    fn all_of(&mut self) -> Result<Expr> {
        let first = self.unary()?;
        if !matches!(self.token, Token::Sign("&&")) {
            return Ok(first);
        }
        let mut parts = Vec::new();
        let mut add = |part| match part {
            Expr::And(inner) => parts.extend(inner),
            part => parts.push(part),
        };
        add(first);
        while self.accept("&&")? {
            add(self.unary()?);
        }
        Ok(Expr::And(parts))
    }

    fn unary(&mut self) -> Result<Expr> {
        if self.accept("!")? {
            return Ok(Expr::Not(Box::new(self.deeper(Self::unary)?)));
        }
        if self.accept("(")? {
            let inner = self.deeper(Self::any_of)?;
            if !self.accept(")")? {
                return Err(self.expected("&&, || or )"));
            }
            return Ok(inner);
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Expr> {
        if let Some(boxes) = self.boxes_of("any")? {
            return Ok(Expr::Any(boxes));
        }
        let left = self.operand("a field, a value, ! or (")?;
        let Token::Sign(sign) = self.token else {
            return match (&self.token, &left) {
                (Token::End, _) => self.alone(left),
                (_, Operand::Field(field)) if field.to_string().eq_ignore_ascii_case("not") => {
                    Err(error(&codes::SYNTAX, self.at, "\"not\" is written ! or not, in small letters"))
                }
                _ => Err(self.expected("an operator such as ==")),
            };
        };
        if let Some(op) = Op::from_sign(sign) {
            self.advance()?;
            let right = self.operand("a field or a value")?;
            if matches!(self.token, Token::Sign(s) if Op::from_sign(s).is_some()) {
                return Err(error(&codes::SYNTAX, self.at, "comparisons do not chain; join two with &&"));
            }
            let is_number = |side: &Operand| matches!(side, Operand::Literal(Value::Int(_) | Value::Float(_)));
            if [(&left, &right), (&right, &left)].iter().any(|(a, b)| matches!(a, Operand::Count(_)) && !is_number(b)) {
                return Err(self.counted());
            }
            return Ok(Expr::Compare(left, op, right));
        }
        match sign {
            "~" | "!~" | "in" if matches!(left, Operand::Count(_)) => Err(self.counted()),
            "~" | "!~" => {
                self.advance()?;
                let at = self.at;
                let Token::Str(source) = &self.token else { return Err(self.expected("a pattern in quotes")) };
                let Some(pattern) = Glob::new(source) else {
                    return Err(error(&codes::STRING, at, "a [ of the pattern is not closed; a [ itself is [[]"));
                };
                self.advance()?;
                Ok(Expr::Match { text: left, pattern, negated: sign == "!~" })
            }
            "in" => {
                self.advance()?;
                if matches!(self.token, Token::Sign("[")) {
                    return Ok(Expr::InList(left, self.list()?));
                }
                if !matches!(self.token, Token::Name(_) | Token::Quoted(_)) {
                    return Err(self.expected("a list in [ ] or a field").more("as in [1, 2]"));
                }
                Ok(Expr::InField(left, self.path()?))
            }
            _ => self.alone(left),
        }
    }

    /// A field or value without an operator.
    fn alone(&self, operand: Operand) -> Result<Expr> {
        match operand {
            Operand::Field(_) | Operand::Literal(Value::Bool(_)) => Ok(Expr::Truth(operand)),
            Operand::Literal(_) => Err(self.expected("an operator such as ==")),
            Operand::Count(_) => Err(self.counted()),
        }
    }

    fn counted(&self) -> Error {
        error(&codes::KIND, self.at, "count(box) is a number: compare it with one, such as count(box) > 5")
    }

    /// The boxes that `any` or `count` is about, if that word opens a parenthesis here.
    fn boxes_of(&mut self, word: &str) -> Result<Option<Boxes>> {
        if !(matches!(&self.token, Token::Name(name) if name == word) && self.tokens.opens()) {
            return Ok(None);
        }
        if self.inside {
            return Err(error(&codes::SYNTAX, self.at, "any and count do not stand inside each other"));
        }
        self.boxes.get_or_insert(self.at);
        self.advance()?;
        self.advance()?;
        if self.token != Token::Name(boxes::WORD.into()) {
            return Err(self.expected("box").more("as in any(box, box.width > 400)"));
        }
        self.advance()?;
        let wanted = if self.accept(",")? {
            self.inside = true;
            let wanted = self.deeper(Self::any_of)?;
            self.inside = false;
            Some(Box::new(wanted))
        } else {
            None
        };
        if !self.accept(")")? {
            return Err(self.expected("&&, || or )"));
        }
        Ok(Some(Boxes(wanted)))
    }

    fn operand(&mut self, what: &str) -> Result<Operand> {
        if let Some(boxes) = self.boxes_of("count")? {
            return Ok(Operand::Count(boxes));
        }
        if matches!(self.token, Token::Name(_) | Token::Quoted(_)) {
            return Ok(Operand::Field(self.path()?));
        }
        match self.literal()? {
            Some(value) => Ok(Operand::Literal(value)),
            None => Err(self.expected(what)),
        }
    }

    fn literal(&mut self) -> Result<Option<Value<'static>>> {
        let value = match &self.token {
            Token::Int(n) => Value::Int(*n),
            Token::Float(x) => Value::Float(*x),
            Token::Str(text) => text.clone().into(),
            Token::True => true.into(),
            Token::False => false.into(),
            Token::Null => Value::Null,
            _ => return Ok(None),
        };
        self.advance()?;
        Ok(Some(value))
    }

    fn list(&mut self) -> Result<Vec<Value<'static>>> {
        self.advance()?;
        let mut list = Vec::new();
        while !self.accept("]")? {
            if !list.is_empty() && !self.accept(",")? {
                return Err(self.expected(", or ]"));
            }
            match self.literal()? {
                Some(value) => list.push(value),
                // A comma may stand behind the last element.
                None if matches!(self.token, Token::Sign("]")) && !list.is_empty() => {}
                None => return Err(self.expected("a value")),
            }
        }
        Ok(list)
    }

    fn path(&mut self) -> Result<Path> {
        let (start, own) = (self.at, self.inside && self.token == Token::Name(boxes::WORD.into()));
        let mut segments = vec![Segment::Key(self.key()?)];
        loop {
            if self.accept(".")? {
                segments.push(Segment::Key(self.key()?));
            } else if self.accept("[")? {
                let Some(i) = self.index() else { return Err(self.expected("a position, from 0")) };
                self.advance()?;
                if !self.accept("]")? {
                    return Err(self.expected("]"));
                }
                segments.push(Segment::Index(i));
            } else {
                break;
            }
        }
        let path = Path::new(segments);
        if own {
            return boxes::kind(&path).map(|_| path).map_err(|message| error(&codes::FIELD, start, message));
        }
        if !self.fields.iter().any(|f| f.path == path) {
            self.fields.push(Field { path: path.clone(), at: start });
        }
        Ok(path)
    }

    fn index(&self) -> Option<u64> {
        match self.token {
            Token::Int(n) => u64::try_from(n).ok(),
            _ => None,
        }
    }

    fn key(&mut self) -> Result<String> {
        match &self.token {
            Token::Name(_) | Token::Quoted(_) => match self.advance()? {
                Token::Name(name) | Token::Quoted(name) => Ok(name),
                _ => Err(self.expected("a name")),
            },
            _ => Err(self.expected("a name (names that are not a word go into backticks)")),
        }
    }
}
