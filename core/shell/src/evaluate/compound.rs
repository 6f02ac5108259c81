//! Compound commands: groups, branches and loops.
//!
//! Every branch that may be taken is evaluated, and what is known behind them is joined. A loop
//! whose condition and words are known runs exactly, up to a limit. Any other loop runs until a
//! further round would change nothing.

use std::sync::Arc;

use super::assign::is_number;
use super::sinks::Sink;
use super::state::{Arguments, Content, FunctionBodies, State};
use super::{Flow, Interpreter, join};
use crate::effect::Effect;
use crate::ir::{Command, CommandKind, Piece, Script, Span, Word};
use crate::value::{Origin, Value};

/// The most rounds that a loop is followed exactly. More rounds of the same body seldom do
/// something new.
const MOST_ROUNDS: usize = 16;

/// Operators of `[[ … ]]` that evaluate both sides as arithmetic.
const COMPARING: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Interpreter<'_> {
    /// Runs a compound command.
    pub(super) fn compound(&mut self, mut state: State, command: &Command) -> Flow {
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(state, simple, &[], &command.span),
            CommandKind::Group(script) => self.script(state, script),
            CommandKind::Subshell(script) => {
                self.subshell(state.clone(), |this, inner| this.script(inner, script));
                // It may have ended at any command.
                Flow::both(state)
            }
            CommandKind::If(branches, otherwise) => {
                self.branches(state, branches, otherwise.as_ref())
            }
            CommandKind::While { condition, body } => {
                self.repeat(state, Some(condition), body, None)
            }
            CommandKind::For { name, words, body } => {
                self.for_each(state, (name, &command.span), words.as_deref(), body)
            }
            CommandKind::ForArithmetic { words, body } => {
                self.calculated(&mut state, words);
                self.repeat(state, None, body, None)
            }
            CommandKind::Case { subject, arms } => self.case(state, subject, arms),
            CommandKind::Function { name, body } => {
                self.defined(&mut state, name, body, &command.span);
                Flow::ok(state)
            }
            CommandKind::Test(words) => {
                self.tested(&mut state, words);
                Flow::both(state)
            }
            CommandKind::Arithmetic { words, .. } => {
                self.calculated(&mut state, words);
                Flow::both(state)
            }
            CommandKind::Time(pipeline) => self.pipeline(state, pipeline),
            CommandKind::Coproc { name, body } => {
                self.apart(state.clone(), |this, inner| this.command(inner, body));
                self.assign(&mut state, name, Content::Array(None), &command.span);
                state.set_text(&format!("{name}_PID"), Value::Unknown(Origin::Number));
                Flow::ok(state)
            }
            CommandKind::Unknown(what) => {
                self.unknown(what, command.span.clone());
                Flow::both(state)
            }
        }
    }

    /// Defines a function.
    fn defined(&mut self, state: &mut State, name: &str, body: &Arc<Command>, span: &Span) {
        if state.all_exported || name == "command_not_found_handle" {
            let why = format!("`{name}` is called by other names or from other shells");
            self.found(Effect::Dynamic { why }, name, span);
        }
        let bodies = FunctionBodies { all: vec![body.clone()], or_none: false };
        Arc::make_mut(&mut state.functions).insert(name.to_owned(), bodies);
    }

    /// `[[ … ]]`: `-eq` and its like evaluate what they compare, and `-v` an index.
    fn tested(&mut self, state: &mut State, words: &[Word]) {
        let compares = words.iter().any(|word| match &word.pieces[..] {
            [Piece::Literal { text, .. }] => COMPARING.contains(&text.as_str()),
            _ => false,
        });
        for word in words {
            let value = self.single(state, word);
            if let Some(text) = value.as_known()
                && (compares || text.contains('['))
            {
                self.arithmetic(state, text, &word.span);
                self.may_fail(state);
            }
        }
    }

    /// Evaluates what stands in `((…))`, as far as it is known.
    pub(super) fn calculated(&mut self, state: &mut State, words: &[Word]) {
        for word in words {
            let text = match self.single(state, word) {
                Value::Known(text) => text,
                _ => {
                    let texts: Vec<&str> = word.pieces.iter().map(literal_or_blank).collect();
                    texts.join(" ")
                }
            };
            self.arithmetic(state, &text, &word.span);
        }
    }

    /// `if`: runs each branch that may be taken.
    fn branches(
        &mut self,
        state: State,
        branches: &[(Script, Script)],
        otherwise: Option<&Script>,
    ) -> Flow {
        let mut result = Flow::default();
        let mut rest = Some(state);
        let before = self.conditional;
        let sinks = self.sinks.clone();
        let mut outputs: Vec<Vec<Sink>> = Vec::new();
        for (condition, body) in branches {
            let Some(state) = rest.take() else { break };
            let flow = self.script(state, condition);
            rest = flow.fail;
            if let Some(state) = flow.ok {
                self.conditional += usize::from(rest.is_some());
                result = result.or(self.script(state, body));
                self.conditional = before;
                outputs.push(std::mem::replace(&mut self.sinks, sinks.clone()));
            }
            self.conditional = before + 1;
        }
        if let Some(state) = rest {
            result = result.or(match otherwise {
                Some(body) => self.script(state, body),
                None => Flow::ok(state),
            });
            outputs.push(std::mem::replace(&mut self.sinks, sinks));
        }
        self.conditional = before;
        self.join_outputs(outputs);
        result
    }

    /// What is written where several ways meet.
    fn join_outputs(&mut self, outputs: Vec<Vec<Sink>>) {
        let joined = outputs.into_iter().reduce(|one, other| {
            one.into_iter().zip(other).map(|(one, other)| one.or(other)).collect()
        });
        if let Some(joined) = joined {
            self.sinks = joined;
        }
    }

    /// `case`: runs each arm, because any of them may be taken.
    fn case(&mut self, mut state: State, subject: &Word, arms: &[(Vec<Word>, Script)]) -> Flow {
        let subject = self.single(&mut state, subject);
        let mut result = Flow::default();
        let sinks = self.sinks.clone();
        let mut outputs = Vec::new();
        let mut surely = false;
        for (patterns, body) in arms {
            // Patterns are matched only to learn whether some arm is taken: all of them may fall through.
            for pattern in patterns {
                let pattern = self.pattern(&mut state, pattern);
                surely |= match (&pattern, subject.as_known()) {
                    (Some(pattern), Some(text)) => pattern.matches(text) == Some(true),
                    (Some(pattern), None) => pattern.matches("\u{fffd}a/ 1") == Some(true),
                    _ => false,
                };
            }
            self.conditional += 1;
            result = result.or(self.script(state.clone(), body));
            self.conditional -= 1;
            outputs.push(std::mem::replace(&mut self.sinks, sinks.clone()));
        }
        if !surely {
            result = result.or(Flow::ok(state));
            outputs.push(sinks);
        }
        self.join_outputs(outputs);
        result
    }

    /// `for name in …`.
    fn for_each(
        &mut self,
        mut state: State,
        (name, span): (&str, &Span),
        words: Option<&[Word]>,
        body: &Script,
    ) -> Flow {
        let values = match words {
            Some(words) => {
                let arguments = self.arguments(&mut state, words);
                let many = arguments.iter().any(|argument| argument.many);
                let values: Vec<Value> =
                    arguments.into_iter().map(|argument| argument.value).collect();
                (values, many)
            }
            None => match &state.arguments {
                Arguments::Known(values) => (values.clone(), false),
                Arguments::Unknown => (vec![Value::Unknown(Origin::Argument)], true),
            },
        };
        let (values, many) = values;
        if !many && values.len() <= MOST_ROUNDS && self.loops.len() < 2 {
            let mut current = Some(state);
            let mut done = None;
            for value in values {
                let Some(mut state) = current.take() else { break };
                self.check_read_only(&state, name, span);
                self.assign(&mut state, name, Content::Text(value), span);
                self.loops.push(Default::default());
                let flow = self.script(state, body);
                let (breaks, continues) = self.loops.pop().unwrap_or_default();
                done = breaks.into_iter().fold(done, |done, state| join(done, Some(state)));
                current =
                    continues.into_iter().fold(flow.end(), |end, state| join(end, Some(state)));
            }
            return join(current, done).map_or_else(Flow::default, Flow::both);
        }
        if is_number(&state, name) {
            for value in &values {
                self.number_of(&mut state, value, span);
            }
        }
        // A word of a list that is split or a pattern is one value for each round.
        let value = values.into_iter().reduce(Value::or).unwrap_or_else(|| Value::known(""));
        let unset = many.then(|| state.clone());
        let flow = self.repeat(state, None, body, Some((name, value, span)));
        Flow { ok: join(flow.ok, unset), fail: flow.fail }
    }

    /// A loop: exactly, as long as it surely goes on, then once for all further rounds.
    fn repeat(
        &mut self,
        state: State,
        condition: Option<&Script>,
        body: &Script,
        variable: Option<(&str, Value, &Span)>,
    ) -> Flow {
        let mut current = state;
        let mut done: Option<State> = None;
        let mut widened = false;
        for round in 0..=MOST_ROUNDS {
            if let Some((name, value, span)) = &variable {
                self.check_read_only(&current, name, span);
                self.assign(&mut current, name, Content::Text(value.clone()), span);
            }
            self.loops.push(Default::default());
            let sinks = self.sinks.clone();
            let flow = match condition {
                Some(condition) => self.script(current.clone(), condition),
                None => Flow::both(current.clone()),
            };
            let surely = flow.fail.is_none();
            done = join(done, flow.fail);
            let end = flow.ok.and_then(|state| {
                let endless = surely && condition.is_some();
                self.conditional += usize::from(!surely || round > 0);
                self.endless += usize::from(endless);
                let end = self.script(state, body).end();
                self.endless -= usize::from(endless);
                self.conditional -= usize::from(!surely || round > 0);
                end
            });
            let (breaks, continues) = self.loops.pop().unwrap_or_default();
            done = breaks.into_iter().fold(done, |done, state| join(done, Some(state)));
            let end = continues.into_iter().fold(end, |end, state| join(end, Some(state)));
            if !surely {
                self.stopped_since(sinks);
            }
            let Some(end) = end else { break };
            if widened {
                done = join(done, Some(end));
                break;
            }
            if surely && round + 1 < MOST_ROUNDS && condition.is_some() && end != current {
                current = end;
                continue;
            }
            let wide = current.clone().widened(&end);
            if wide == current {
                done = join(done, Some(end));
                break;
            }
            current = wide;
            widened = true;
        }
        done.map_or_else(Flow::default, Flow::both)
    }
}

/// The text of a literal, and a blank for anything else, so that what stands around it stays apart.
fn literal_or_blank(piece: &Piece) -> &str {
    if let Piece::Literal { text, .. } = piece { text } else { " " }
}
