//! Work that goes on when its caller no longer waits for it.

use crate::error::{Code, Error};

/// Does work that must not stop in the middle: dropping the returned future leaves it running.
/// Without an async runtime it is done in place.
pub(crate) async fn detached<T: Send + 'static>(
    work: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return work.await;
    };
    runtime.spawn(work).await.unwrap_or_else(|failure| {
        let text = format!("work for the store was ended before its time: {failure}");
        Err(Error::new(Code::StoreUnavailable, text))
    })
}
