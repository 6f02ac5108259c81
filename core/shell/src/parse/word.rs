//! Lowers words: the parts that the crate found, and the text between them, which is read again.

use shuck_ast::{
    ArithmeticExpansionSyntax, CommandSubstitutionSyntax, LiteralText, Pattern, PatternPart,
    Word as TheirWord, WordPart, WordPartNode,
};
use shuck_parser::parser::Parser;

use super::atoms::{Atom, Mode, expands_in_pattern, pieces};
use super::{Lowering, ansi};
use crate::ir::{Piece, Span, Word};

impl Lowering<'_, '_> {
    /// Lowers a word.
    pub(super) fn word(&mut self, word: &TheirWord, mode: Mode) -> Word {
        self.check_word(word);
        let mut atoms = Vec::new();
        self.parts(&word.parts, false, &mut atoms);
        if (mode.braces || mode.assignment) && has_operator(&atoms) {
            self.problem("an operator within a word", self.span(word.span));
        }
        if mode.braces && expands_in_pattern(&atoms) {
            self.problem("an expansion within a pattern", self.span(word.span));
        }
        Word { pieces: pieces(atoms, mode), span: self.span(word.span) }
    }

    /// A text, parsed as the inside of a word.
    pub(super) fn word_within(&mut self, text: &str, mode: Mode, place: Span) -> Word {
        if !self.may_read(text, &place) {
            let unknown = Piece::Unknown("nested too deep".into());
            return Word { pieces: vec![unknown], span: place };
        }
        let word = Parser::parse_word_string(text);
        let mut within = Lowering {
            source: text,
            altered: self.altered,
            place: Some(place.clone()),
            depth: self.depth + 1,
            nesting: self.nesting,
            singles: self.singles,
            apart: self.apart,
            problems: &mut *self.problems,
            again: self.again,
        };
        let mut atoms = Vec::new();
        within.parts(&word.parts, false, &mut atoms);
        Word { pieces: pieces(atoms, mode), span: place }
    }

    /// Words in which single quotes are ordinary characters.
    pub(super) fn without_singles<T>(
        &mut self,
        singles: bool,
        lower: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = std::mem::replace(&mut self.singles, singles);
        let lowered = lower(self);
        self.singles = before;
        lowered
    }

    /// Appends the atoms of the parts of a word.
    pub(super) fn parts(&mut self, parts: &[WordPartNode], quoted: bool, atoms: &mut Vec<Atom>) {
        let mut end: Option<shuck_ast::Position> = None;
        for part in parts {
            let mut span = part.span;
            if let Some(before) = end
                && span.start.offset() < before.offset()
            {
                // Behind a here-document's mark the crate lets a text begin where its word does.
                span.start = before;
            }
            end = Some(span.end);
            self.part(part, span, quoted, atoms);
            self.check_literal(part, span, quoted);
        }
    }

    /// Appends the atoms of one part.
    fn part(
        &mut self,
        part: &WordPartNode,
        span: shuck_ast::Span,
        quoted: bool,
        atoms: &mut Vec<Atom>,
    ) {
        if !closed(self.slice(span)) {
            self.problem("an expansion without an end", self.span(span));
        }
        self.check_escape(part, span);
        match &part.kind {
            WordPart::Literal(text) => {
                let raw = self.raw(text, span);
                let place = self.span(span);
                if quoted {
                    self.between_quotes(&raw, "$`\"\\", &place, atoms);
                } else {
                    self.bare(&raw, &place, atoms);
                }
            }
            WordPart::SingleQuoted { value, dollar } => {
                let value = value.slice(self.source).to_owned();
                self.single_quoted(&value, *dollar, span, atoms);
            }
            WordPart::DoubleQuoted { parts, .. } => self.double_quoted(parts, span, atoms),
            // See `cases`.
            WordPart::CommandSubstitution { body, .. }
                if self.slice(span).starts_with(['<', '>']) =>
            {
                if quoted || self.singles {
                    return self.unread(&self.span(span), atoms);
                }
                let writes = self.slice(span).starts_with('>');
                let piece = self.process(body, span, writes);
                atoms.push(Atom::Piece(piece));
            }
            WordPart::CommandSubstitution { body, syntax } => {
                let script = match syntax {
                    CommandSubstitutionSyntax::DollarParen => self.inside(body, span),
                    CommandSubstitutionSyntax::Backtick => self.backticks(span, quoted),
                };
                atoms.push(Atom::Piece(Piece::Command { script, quoted }));
            }
            WordPart::ProcessSubstitution { body, is_input } => {
                let piece = self.process(body, span, !is_input);
                atoms.push(Atom::Piece(piece));
            }
            WordPart::ArithmeticExpansion { expression_word_ast, syntax, .. } => {
                let piece = self.arithmetic(span, expression_word_ast, *syntax, quoted);
                atoms.push(Atom::Piece(piece));
            }
            WordPart::ZshQualifiedGlob(_) => {
                self.problem("a pattern of another shell", self.span(span));
                atoms.push(Atom::Piece(Piece::Unknown("a pattern of another shell".into())));
            }
            _ => {
                let piece = self.parameter(&part.kind, span, quoted);
                self.check_parameter(&piece, span);
                atoms.push(Atom::Piece(piece));
            }
        }
    }

    /// Appends the atoms of a text between double quotes.
    fn double_quoted(
        &mut self,
        parts: &[WordPartNode],
        span: shuck_ast::Span,
        atoms: &mut Vec<Atom>,
    ) {
        if parts.is_empty() {
            atoms.push(Atom::Quoted(String::new()));
        }
        self.without_singles(false, |this| this.parts(parts, true, atoms));
        match self.left_out(parts, span) {
            Ok("") => {}
            // Of `"$x\$"` the crate gives no part for what stands behind the parameter.
            Ok(rest) => {
                let (rest, place) = (rest.to_owned(), self.span(span));
                self.between_quotes(&rest, "$`\"\\", &place, atoms);
            }
            Err(()) => self.unread(&self.span(span), atoms),
        }
    }

    /// A literal as it stands in the text.
    fn raw(&self, text: &LiteralText, span: shuck_ast::Span) -> String {
        match (text, self.slice(span)) {
            (_, slice) if !slice.is_empty() => slice.to_owned(),
            (LiteralText::Owned(text) | LiteralText::CookedSource(text), _) => text.to_string(),
            (LiteralText::Source, _) => String::new(),
        }
    }

    /// Appends the atoms of a text between single quotes, or of `$'…'`.
    fn single_quoted(
        &mut self,
        value: &str,
        dollar: bool,
        span: shuck_ast::Span,
        atoms: &mut Vec<Atom>,
    ) {
        let slice = self.slice(span);
        if self.singles {
            // Here the quotes are characters, and what is between them is expanded.
            let place = self.span(span);
            if slice.contains('"') && slice.contains(['$', '`']) {
                return self.unread(&place, atoms);
            }
            let text = format!("\"{}\"", slice.replace('"', "\\\""));
            let word =
                self.without_singles(false, |this| this.word_within(&text, Mode::PLAIN, place));
            atoms.extend(word.pieces.into_iter().map(Atom::Piece));
            return;
        }
        let inside = slice.strip_prefix('$').unwrap_or(slice);
        let inside = inside.strip_prefix('\'').and_then(|inside| inside.strip_suffix('\''));
        let inside = inside.map(str::to_owned);
        self.check_quoted(inside.as_deref().unwrap_or(value), &self.span(span));
        match (inside, dollar) {
            (Some(inside), false) => atoms.push(Atom::Quoted(inside)),
            (Some(inside), true) => {
                let (text, is_text) = ansi::decode(&inside);
                atoms.push(Atom::Quoted(text));
                if !is_text {
                    atoms.push(Atom::Piece(Piece::Unknown("bytes that are no text".into())));
                }
            }
            (None, _) => atoms.push(Atom::Quoted(value.to_owned())),
        }
    }

    /// A text outside quotes. The crate leaves quotes in it that stand between braces.
    fn bare(&mut self, raw: &str, place: &Span, atoms: &mut Vec<Atom>) {
        let mut rest = raw;
        while let Some(char) = rest.chars().next() {
            let after = &rest[char.len_utf8()..];
            rest = match char {
                '\\' => {
                    let next = after.chars().next();
                    match next {
                        Some('\n') => {}
                        Some(char) => atoms.push(Atom::Quoted(char.to_string())),
                        None => atoms.push(Atom::Quoted("\\".to_owned())),
                    }
                    &after[next.map_or(0, char::len_utf8)..]
                }
                '\'' | '"' => self.quotes(rest, place, atoms),
                '$' if after.starts_with(['\'', '"']) => self.quotes(rest, place, atoms),
                '$' if after.starts_with(expands) || after.starts_with("\\\n") => {
                    self.unread(place, atoms);
                    after
                }
                '`' => {
                    self.unread(place, atoms);
                    after
                }
                char => {
                    atoms.push(Atom::Bare(char));
                    after
                }
            };
        }
    }

    /// Quotes at the start of a text; the answer is what follows them.
    fn quotes<'t>(&mut self, text: &'t str, place: &Span, atoms: &mut Vec<Atom>) -> &'t str {
        let dollar = text.starts_with('$');
        let quote = if text.trim_start_matches('$').starts_with('\'') { '\'' } else { '"' };
        let start = usize::from(dollar) + 1;
        let mut escaped = false;
        let end = text[start..].char_indices().find(|(_, char)| {
            let ends = *char == quote && !escaped;
            escaped = *char == '\\' && !escaped && (dollar || quote == '"');
            ends
        });
        let Some((length, _)) = end else {
            self.unread(place, atoms);
            return "";
        };
        let (inside, after) = (&text[start..start + length], &text[start + length + 1..]);
        if quote == '\'' {
            self.check_quoted(inside, place);
        }
        match (quote, dollar) {
            ('\'', false) => atoms.push(Atom::Quoted(inside.to_owned())),
            ('\'', true) => atoms.push(Atom::Quoted(ansi::decode(inside).0)),
            _ => {
                let quoted = format!("\"{inside}\"");
                let word = self.word_within(&quoted, Mode::PLAIN, place.clone());
                atoms.extend(word.pieces.into_iter().map(Atom::Piece));
            }
        }
        after
    }

    /// A text between double quotes, or of a here-document, where a backslash stands for itself
    /// except before `escapable` and a line break.
    pub(super) fn between_quotes(
        &mut self,
        raw: &str,
        escapable: &str,
        place: &Span,
        atoms: &mut Vec<Atom>,
    ) {
        let mut text = String::with_capacity(raw.len());
        let mut rest = raw.chars().peekable();
        while let Some(char) = rest.next() {
            match char {
                '\\' => match rest.peek() {
                    Some('\n') => _ = rest.next(),
                    Some(next) if escapable.contains(*next) => text.extend(rest.next()),
                    _ => text.push('\\'),
                },
                '$' if rest.peek().is_some_and(|next| expands(*next))
                    || rest.clone().take(2).eq(['\\', '\n']) =>
                {
                    self.unread(place, atoms);
                }
                '`' => self.unread(place, atoms),
                char => text.push(char),
            }
        }
        atoms.push(Atom::Quoted(text));
    }

    /// The crate took an expansion for a literal.
    fn unread(&mut self, place: &Span, atoms: &mut Vec<Atom>) {
        self.problem("an expansion that could not be read", place.clone());
        atoms.push(Atom::Piece(Piece::Unknown("an expansion that could not be read".into())));
    }

    /// Appends an arithmetic expansion.
    fn arithmetic(
        &mut self,
        span: shuck_ast::Span,
        inside: &TheirWord,
        syntax: ArithmeticExpansionSyntax,
        quoted: bool,
    ) -> Piece {
        let slice = self.slice(span);
        if syntax == ArithmeticExpansionSyntax::DollarParenParen
            && let Some(body) = slice.strip_prefix("$(").and_then(|body| body.strip_suffix(')'))
            && !one_group(body)
        {
            let body = body.to_owned();
            let script = self.script_within(&body, self.span(span)).unwrap_or_default();
            return Piece::Command { script, quoted };
        }
        let text = self.slice(inside.span).to_owned();
        self.check_arithmetic(&text, span);
        let words = vec![self.without_singles(true, |this| this.word(inside, Mode::PLAIN))];
        Piece::Arithmetic { text, words, quoted }
    }

    /// The text of an arithmetic command, with the words it holds.
    pub(super) fn arithmetic_text(&mut self, span: shuck_ast::Span) -> (String, Vec<Word>) {
        let text = self.slice(span).to_owned();
        self.check_arithmetic(&text, span);
        let place = self.span(span);
        let word = self.without_singles(true, |this| this.word_within(&text, Mode::PLAIN, place));
        (text, vec![word])
    }

    /// A pattern of a `case`, a `[[`, or a parameter.
    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Word {
        let mut atoms = Vec::new();
        self.without_singles(false, |this| this.pattern_atoms(pattern, &mut atoms));
        Word { pieces: pieces(atoms, Mode::SINGLE), span: self.span(pattern.span) }
    }

    /// Appends the atoms of a pattern.
    fn pattern_atoms(&mut self, pattern: &Pattern, atoms: &mut Vec<Atom>) {
        for part in &pattern.parts {
            match &part.kind {
                PatternPart::Literal(text) => {
                    let raw = self.raw(text, part.span);
                    let place = self.span(part.span);
                    self.bare(&raw, &place, atoms);
                }
                PatternPart::AnyString => atoms.push(Atom::Bare('*')),
                PatternPart::AnyChar => atoms.push(Atom::Bare('?')),
                PatternPart::CharClass(text) => {
                    let text = text.slice(self.source).to_owned();
                    let place = self.span(part.span);
                    self.bare(&text, &place, atoms);
                }
                PatternPart::Group { kind, patterns } => {
                    atoms.extend([Atom::Bare(kind.prefix()), Atom::Bare('(')]);
                    for (at, pattern) in patterns.iter().enumerate() {
                        if at > 0 {
                            atoms.push(Atom::Bare('|'));
                        }
                        self.pattern_atoms(pattern, atoms);
                    }
                    atoms.push(Atom::Bare(')'));
                }
                PatternPart::Word(word) => self.parts(&word.parts, false, atoms),
            }
        }
    }
}

/// True if a word has what would end it: the crate took something else for a word.
fn has_operator(atoms: &[Atom]) -> bool {
    let mut depth = 0_usize;
    let mut before = ' ';
    for atom in atoms {
        let Atom::Bare(char) = atom else {
            before = ' ';
            continue;
        };
        match char {
            '(' if depth > 0 || "?*+@!".contains(before) => depth += 1,
            ')' if depth > 0 => depth -= 1,
            '(' | ')' | '|' | '&' | ';' | '<' | '>' | ' ' | '\t' | '\n' if depth == 0 => {
                return true;
            }
            _ => {}
        }
        before = *char;
    }
    false
}

/// True if what opens an expansion closes it, too.
fn closed(slice: &str) -> bool {
    match slice.as_bytes() {
        [b'$', b'{', rest @ ..] => rest.last() == Some(&b'}'),
        [b'$' | b'<' | b'>', b'(', rest @ ..] => rest.last() == Some(&b')'),
        [b'$', b'[', rest @ ..] => rest.last() == Some(&b']'),
        [b'`', rest @ ..] => rest.last() == Some(&b'`'),
        _ => true,
    }
}

/// True for what makes an expansion of the `$` before it.
pub(super) fn expands(next: char) -> bool {
    next == '_' || next.is_ascii_alphanumeric() || "({[@*#?-$!".contains(next)
}

/// True if a text is one pair of parentheses and nothing more: `$((…))` is arithmetic only then.
pub(super) fn one_group(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match (quote, char) {
            (_, '\\') if quote != Some('\'') => _ = chars.next(),
            (None, '\'' | '"') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            (None, '(') => depth += 1,
            (None, ')') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1 == text.len();
                }
            }
            _ => {}
        }
    }
    false
}
