//! Lowers redirections and here-documents.

use shuck_ast::{
    CommandSubstitutionSyntax, Heredoc, HeredocBodyMode, HeredocBodyPart, LiteralText, Redirect,
    RedirectKind, RedirectTarget, WordPart, WordPartNode,
};

use super::atoms::{Atom, Mode, pieces};
use super::{Lowering, document};
use crate::ir::{Piece, Redirection, RedirectionKind, Span, Word};

impl Lowering<'_, '_> {
    /// Lowers redirections.
    pub(super) fn redirections(&mut self, redirects: &[Redirect]) -> Vec<Redirection> {
        redirects.iter().map(|redirect| self.redirection(redirect)).collect()
    }

    /// Lowers one redirection.
    fn redirection(&mut self, redirect: &Redirect) -> Redirection {
        self.check_descriptor(redirect.span);
        let span = self.span(redirect.span);
        let fd = redirect.fd.and_then(|fd| u32::try_from(fd).ok());
        let fd_name = redirect.fd_var.as_ref().map(|name| name.as_str().to_owned());
        let (kind, fd) = match &redirect.target {
            RedirectTarget::Heredoc(document) => (self.here_document(document, &span), fd),
            RedirectTarget::Word(word) => {
                let single = redirect.kind == RedirectKind::HereString;
                let mode = if single { Mode::SINGLE } else { Mode::WORD };
                let mut word = self.word(word, mode);
                self.check_closing(redirect);
                let ends = [' ', '\t', '\n', ';', '|', '&', '<', '>'];
                let goes_on = |piece: &Piece| matches!(piece, Piece::Literal { text, quoted: false } if text.contains(ends));
                if single && word.pieces.iter().any(goes_on) {
                    self.problem("a here-string that could not be read", span.clone());
                }
                if word.span.is_empty() {
                    word.span = span.clone();
                }
                match redirect.kind {
                    RedirectKind::Output => {
                        (RedirectionKind::Write { to: word, clobber: false }, fd)
                    }
                    RedirectKind::Clobber => {
                        (RedirectionKind::Write { to: word, clobber: true }, fd)
                    }
                    RedirectKind::Append => (RedirectionKind::Append(word), fd),
                    RedirectKind::Input => (RedirectionKind::Read(word), fd),
                    RedirectKind::ReadWrite => (RedirectionKind::ReadWrite(word), fd),
                    RedirectKind::HereString => (RedirectionKind::HereString(word), fd),
                    RedirectKind::OutputBoth => {
                        (RedirectionKind::WriteBoth { to: word, append: false }, fd)
                    }
                    RedirectKind::DupOutput if is_file(&word) => {
                        // A shell expands such a name once more.
                        let is_name = |piece: &Piece| matches!(piece, Piece::Literal { text, .. } if !text.contains(['$', '`']));
                        if !word.pieces.iter().all(is_name) {
                            self.problem("a file that is named by two expansions", span.clone());
                        }
                        (RedirectionKind::WriteBoth { to: word, append: false }, None)
                    }
                    RedirectKind::DupOutput | RedirectKind::DupInput => {
                        let default = u32::from(redirect.kind == RedirectKind::DupOutput);
                        (RedirectionKind::Duplicate(word), fd.or(Some(default)))
                    }
                    RedirectKind::HereDoc | RedirectKind::HereDocStrip => {
                        self.problem("a here-document without a body", span.clone());
                        (RedirectionKind::HereDocument { body: word, quoted: true }, fd)
                    }
                }
            }
        };
        Redirection { fd, fd_name, kind, span }
    }

    /// Lowers a here-document.
    fn here_document(&mut self, document: &Heredoc, place: &Span) -> RedirectionKind {
        let delimiter = &document.delimiter;
        let quoted = delimiter.raw.parts.iter().any(|part| {
            !matches!(part.kind, WordPart::Literal(_)) || self.slice(part.span).contains('\\')
        });
        let span = self.span(document.body.span);
        let strip = delimiter.strip_tabs;
        let offsets = |span: shuck_ast::Span| span.start.offset()..span.end.offset();
        let (mark, within) = (offsets(delimiter.span), offsets(document.body.span));
        if !document::is_body(self.source, &mark, &within) {
            self.problem("a here-document that could not be read", place.clone());
        }
        let mut atoms = Vec::new();
        if quoted || document.body.mode == HeredocBodyMode::Expanding {
            for part in &document.body.parts {
                if quoted && !matches!(part.kind, HeredocBodyPart::Literal(_)) {
                    self.problem("a here-document that could not be read", place.clone());
                }
                self.body_part(&part.kind, part.span, quoted, strip, &mut atoms);
            }
        } else {
            // The crate takes a document for a literal one if another before it on the line is.
            self.body_again(document, strip, &span, &mut atoms);
        }
        let body = Word { pieces: pieces(atoms, Mode::PLAIN), span };
        RedirectionKind::HereDocument { body, quoted }
    }

    /// The body of a document, parsed by us as a document of its own.
    fn body_again(&mut self, document: &Heredoc, strip: bool, place: &Span, atoms: &mut Vec<Atom>) {
        let end = "TOOLKEEP_END_OF_BODY";
        let text = without_tabs(self.slice(document.body.span), true, strip);
        let script = self.script_within(&format!("cat <<{end}\n{text}\n{end}\n"), place.clone());
        let command = script
            .and_then(|script| script.items.into_iter().next())
            .and_then(|item| item.pipeline.commands.into_iter().next());
        let body = command.and_then(|command| command.redirections.into_iter().next());
        match body.map(|redirection| redirection.kind) {
            Some(RedirectionKind::HereDocument { body, .. }) => {
                atoms.extend(body.pieces.into_iter().map(Atom::Piece));
            }
            _ => self.problem("a here-document that could not be read", place.clone()),
        }
    }

    /// Lowers a part of the body of a here-document.
    fn body_part(
        &mut self,
        part: &HeredocBodyPart,
        span: shuck_ast::Span,
        quoted: bool,
        strip: bool,
        atoms: &mut Vec<Atom>,
    ) {
        let node = match part {
            HeredocBodyPart::Literal(text) => {
                let slice = match (text, self.slice(span)) {
                    (LiteralText::Owned(text) | LiteralText::CookedSource(text), "") => text,
                    (_, slice) => slice,
                };
                let start = span.start.offset();
                let begins_line =
                    start == 0 || self.source.as_bytes().get(start - 1) == Some(&b'\n');
                let text = without_tabs(slice, begins_line, strip);
                let place = self.span(span);
                if quoted {
                    self.check_quoted(&text, &place);
                    atoms.push(Atom::Quoted(text));
                } else {
                    self.between_quotes(&text, "$`\\", &place, atoms);
                }
                return;
            }
            HeredocBodyPart::Variable(name) => WordPart::Variable(name.clone()),
            HeredocBodyPart::CommandSubstitution { syntax, .. }
                if *syntax == CommandSubstitutionSyntax::Backtick =>
            {
                let script = self.backticks(span, false);
                atoms.push(Atom::Piece(Piece::Command { script, quoted: true }));
                return;
            }
            HeredocBodyPart::CommandSubstitution { body, syntax } => {
                WordPart::CommandSubstitution { body: body.clone(), syntax: *syntax }
            }
            HeredocBodyPart::ArithmeticExpansion {
                expression,
                expression_ast,
                expression_word_ast,
                syntax,
            } => WordPart::ArithmeticExpansion {
                expression: expression.clone(),
                expression_ast: expression_ast.clone(),
                expression_word_ast: expression_word_ast.clone(),
                syntax: *syntax,
            },
            HeredocBodyPart::Parameter(parameter) => WordPart::Parameter(parameter.clone()),
        };
        self.parts(&[WordPartNode::new(node, span)], true, atoms);
    }
}

/// True if the word of `>&word` is surely no descriptor.
fn is_file(word: &Word) -> bool {
    match &word.pieces[..] {
        [] => false,
        [Piece::Literal { text, .. }] => {
            let digits = text.strip_suffix('-').unwrap_or(text);
            !digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        pieces => matches!(pieces[0], Piece::Literal { .. } | Piece::Tilde(_) | Piece::Glob(_)),
    }
}

/// A text without the tabs at the start of its lines, where they do not count.
fn without_tabs(text: &str, begins_line: bool, strip: bool) -> String {
    if !strip {
        return text.to_owned();
    }
    let mut lines = text.split_inclusive('\n');
    let mut stripped = String::with_capacity(text.len());
    if !begins_line {
        stripped.extend(lines.next());
    }
    for line in lines {
        stripped.push_str(line.trim_start_matches('\t'));
    }
    stripped
}
