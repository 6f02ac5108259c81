//! The handlers of a runtime: the table of kinds, and how a host sets them.

use std::sync::Arc;

use super::{Runtime, RuntimeBuilder};
use crate::call::Approve;
use crate::error::{Code, Error};
use crate::handler::{Handler, HandlerKind, JsonHandler, KindByName, handler_fn};
use crate::limits::echo;
use crate::nearest::nearest;

/// One line for each kind.
const KINDS: &[KindByName] = &[KindByName::of::<Approve>()];

/// The kind of that name.
///
/// # Errors
/// `invalid_argument` that names the kinds there are.
fn kind(name: &str) -> Result<KindByName, Error> {
    let names = || KINDS.iter().map(|kind| kind.name);
    KINDS.iter().find(|kind| kind.name == name).copied().ok_or_else(|| {
        let hint = nearest(name, names()).map(|near| format!(" Did you mean `{near}`?"));
        let all: Vec<_> = names().map(|name| format!("`{name}`")).collect();
        let text = format!(
            "there is no handler `{}`.{} There are: {}",
            echo(name),
            hint.unwrap_or_default(),
            all.join(", ")
        );
        Error::new(Code::InvalidArgument, text)
    })
}

impl RuntimeBuilder {
    /// Sets a function as the handler of a kind: what toolkeep asks its host.
    ///
    /// ```
    /// use toolkeep::{ApprovalAnswer, Approve, Runtime};
    ///
    /// let builder = Runtime::builder()
    ///     .on(Approve, |request, _cx| async move { Ok(Some(ApprovalAnswer::allow().by("me"))) });
    /// ```
    #[must_use]
    pub fn on<K, F, R>(self, kind: K, answer: F) -> RuntimeBuilder
    where
        K: HandlerKind,
        F: Fn(K::Request, crate::CallContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<K::Answer, Error>> + Send + 'static,
    {
        self.handler(handler_fn(kind, answer))
    }

    /// Sets the handler of a kind.
    #[must_use]
    pub fn handler<K: HandlerKind>(self, handler: impl Handler<K>) -> RuntimeBuilder {
        self.handlers.set::<K>(Some(Arc::new(handler)));
        self
    }
}

impl Runtime {
    /// Sets the handler of a kind in the place of the one before; `None` takes it away. A handler that is
    /// being asked still answers.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use toolkeep::{Approve, Runtime};
    /// # fn stop_asking(rt: &Runtime) {
    /// rt.set_handler::<Approve>(None);
    /// # }
    /// ```
    pub fn set_handler<K: HandlerKind>(&self, handler: Option<Arc<dyn Handler<K>>>) {
        // A closed runtime asks nobody, and holds no code of its host.
        if !self.is_closed() {
            self.inner.handlers.set::<K>(handler);
        }
    }

    /// Sets the handler of a kind by its name, as another language has it: JSON in, JSON out. `None` takes
    /// it away.
    ///
    /// # Errors
    /// `invalid_argument` for a name that is no kind's, `closed`.
    pub fn set_json_handler(
        &self,
        name: &str,
        handler: Option<Arc<dyn JsonHandler>>,
    ) -> Result<(), Error> {
        let kind = kind(name)?;
        self.check_open()?;
        (kind.set)(&self.inner.handlers, handler);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_gets_the_names_there_are() {
        let error = kind("aprove").err().unwrap();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains("Did you mean `approve`?"), "{error}");
    }
}
