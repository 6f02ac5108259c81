//! Checks of the sessions and their messages.

use futures_util::future::join_all;
use serde_json::{Value as Json, json};

use super::{Failure, Problem, Report, bad_keys, ensure, good_keys, new_tenant, refused, same};
use crate::limits::MAX_JSON_DEPTH;
use crate::store::{
    Kind, ListSessions, MOST_MESSAGES, NewMessage, PutSession, ReadMessages, Session, SessionInfo,
    SessionPlace, SessionUsage, Sessions,
};

/// Checks the sessions of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn sessions(store: &dyn Sessions) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("sessions: what was put is got back", comes_back(store)).await?;
    report.check("sessions: tenants with equal ids are apart", tenants(store)).await?;
    report.check("sessions: a change needs its version", versions(store)).await?;
    report.check("sessions: the one used last is listed first", paging(store)).await?;
    report.check("sessions: a list is of an agent, a user, a label", filters(store)).await?;
    report.check("sessions: messages are numbered and counted", messages(store)).await?;
    report.check("sessions: appending leaves the version alone", counters(store)).await?;
    report.check("sessions: who appends at once leaves no gap", racing(store)).await?;
    report.check("sessions: messages go with their session", deletion(store)).await?;
    report.check("sessions: any good key is taken", takes_good_keys(store)).await?;
    report.check("sessions: a bad key or value is refused", refuses_bad_input(store)).await?;
    Ok(report)
}

fn all_of(tenant: &str) -> ListSessions {
    ListSessions { tenant: tenant.into(), limit: 100, ..ListSessions::default() }
}

fn history(tenant: &str, session: &str) -> ReadMessages {
    let (tenant, session) = (tenant.to_owned(), session.to_owned());
    ReadMessages { tenant, session, limit: 1_000, ..ReadMessages::default() }
}

fn said(content: impl Into<Json>) -> NewMessage {
    NewMessage { at_ms: 5, role: "user".into(), content: content.into() }
}

async fn ids(store: &dyn Sessions, list: ListSessions) -> Result<Vec<String>, Problem> {
    Ok(store.list_sessions(list).await?.into_iter().map(|session| session.id).collect())
}

async fn comes_back(store: &dyn Sessions) -> Result<(), Problem> {
    let tenant = new_tenant();
    same(store.get_session(&tenant, "s").await?, None)?;
    let put = PutSession {
        agent: Some("a".into()),
        user: Some("u".into()),
        channel: "telegram".into(),
        chat: "-12".into(),
        label: "the \"first\" 🦀".into(),
        provider: "p".into(),
        model: "m".into(),
        summary: "they said\nhello".into(),
        settings: json!({ "n": [1.5, null, "\u{0}"] }),
        ..PutSession::new(&tenant, "s")
    };
    let written = store.put_session(put.clone(), 17).await?;
    let info = SessionInfo {
        tenant: tenant.clone(),
        id: "s".into(),
        agent: put.agent,
        user: put.user,
        channel: put.channel,
        chat: put.chat,
        label: put.label,
        provider: put.provider,
        model: put.model,
        messages: 0,
        input_tokens: 0,
        output_tokens: 0,
        compactions: 0,
        created_at_ms: 17,
        version: 1,
        updated_at_ms: 17,
    };
    let expected = Session { info, summary: put.summary, settings: put.settings };
    same(&written, &expected)?;
    same(store.list_sessions(all_of(&tenant)).await?, vec![expected.info.clone()])?;
    same(store.get_session(&tenant, "s").await?, Some(expected))?;
    let changed = store.put_session(PutSession::new(&tenant, "s"), 18).await?;
    let times = (changed.info.created_at_ms, changed.info.updated_at_ms);
    same((changed.info.version, times), (2, (17, 18)))?;
    same(store.get_session(&tenant, "s").await?, Some(changed))
}

async fn tenants(store: &dyn Sessions) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    store.put_session(PutSession::new(&one, "s"), 1).await?;
    let usage = SessionUsage::default();
    store.append_messages(&one, "s", vec![said("of one")], usage, 1).await?;
    same(store.get_session(&two, "s").await?, None)?;
    same(store.list_sessions(all_of(&two)).await?, vec![])?;
    same(store.read_messages(history(&two, "s")).await?, vec![])?;
    same(store.append_messages(&two, "s", vec![said("x")], usage, 2).await?, None)?;
    same(store.delete_session(&two, "s", None, 2).await?, false)?;
    store.put_session(PutSession::new(&two, "s"), 3).await?;
    let appended = store.append_messages(&two, "s", vec![said("of two")], usage, 3).await?;
    same(appended.map(|session| session.messages), Some(1))?;
    same(store.delete_session(&two, "s", None, 4).await?, true)?;
    let kept = store.read_messages(history(&one, "s")).await?;
    same(kept.into_iter().map(|one| one.content).collect::<Vec<_>>(), vec![json!("of one")])
}

async fn versions(store: &dyn Sessions) -> Result<(), Problem> {
    let tenant = new_tenant();
    let at = |version| PutSession { if_version: Some(version), ..PutSession::new(&tenant, "s") };
    refused(store.put_session(at(1), 1).await, Kind::Conflict)?;
    same(store.delete_session(&tenant, "s", Some(1), 1).await?, false)?;
    same(store.put_session(at(0), 1).await?.info.version, 1)?;
    refused(store.put_session(at(0), 2).await, Kind::Conflict)?;
    same(store.put_session(at(1), 3).await?.info.version, 2)?;
    for never in [-1, 1, 3, i64::MAX] {
        refused(store.put_session(at(never), 4).await, Kind::Conflict)?;
        refused(store.delete_session(&tenant, "s", Some(never), 4).await, Kind::Conflict)?;
    }
    let kept = store.get_session(&tenant, "s").await?;
    same(kept.map(|session| session.info.updated_at_ms), Some(3))?;
    same(store.delete_session(&tenant, "s", Some(2), 5).await?, true)
}

async fn paging(store: &dyn Sessions) -> Result<(), Problem> {
    let tenant = new_tenant();
    // Some are of the same time: then the id decides.
    let used = [("a", 30), ("b", 10), ("c", 20), ("d", 20), ("é", 20), ("f", i64::MAX)];
    for (id, at_ms) in used {
        let put = PutSession { agent: Some("x".into()), ..PutSession::new(&tenant, id) };
        store.put_session(put, at_ms).await?;
    }
    let expected = ["f", "a", "é", "d", "c", "b"].map(String::from).to_vec();
    for agent in [None, Some("x".to_owned())] {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let list = ListSessions { agent: agent.clone(), after, limit: 2, ..all_of(&tenant) };
            let page = store.list_sessions(list).await?;
            ensure(page.len() <= 2, "a page is longer than its limit")?;
            let Some(last) = page.last() else { break };
            let SessionInfo { updated_at_ms, id, .. } = last.clone();
            after = Some(SessionPlace { updated_at_ms, id });
            ensure(found.len() < expected.len(), "the list does not end")?;
            found.extend(page.into_iter().map(|session| session.id));
        }
        same(&found, &expected)?;
    }
    let since = ListSessions { active_since_ms: Some(20), ..all_of(&tenant) };
    same(ids(store, since).await?, expected[..5].to_vec())
}

async fn filters(store: &dyn Sessions) -> Result<(), Problem> {
    let tenant = new_tenant();
    let some = |part: &str| (part != "-").then(|| part.to_owned());
    for (id, at_ms) in [("--", 1), ("-u", 2), ("a-", 3), ("au", 4), ("av", 5), ("bu", 6)] {
        let (agent, user, label) = (some(&id[..1]), some(&id[1..]), format!("of {}", &id[..1]));
        let put = PutSession { agent, user, label, ..PutSession::new(&tenant, id) };
        store.put_session(put, at_ms).await?;
    }
    for (agent, user, label, expected) in [
        ("a", "-", "-", &["av", "au", "a-"][..]),
        ("-", "u", "-", &["bu", "au", "-u"]),
        ("a", "u", "-", &["au"]),
        ("-", "-", "of b", &["bu"]),
        ("a", "v", "of a", &["av"]),
        ("a", "-", "of b", &[]),
        ("c", "-", "-", &[]),
    ] {
        let (agent, user, label) = (some(agent), some(user), some(label));
        let list = ListSessions { agent, user, label, ..all_of(&tenant) };
        same(ids(store, list).await?, expected.iter().map(|id| (*id).into()).collect())?;
    }
    Ok(())
}

async fn messages(store: &dyn Sessions) -> Result<(), Problem> {
    let tenant = new_tenant();
    let usage = SessionUsage { input_tokens: 3, output_tokens: u32::MAX, compactions: 1 };
    same(store.append_messages(&tenant, "s", vec![said("x")], usage, 1).await?, None)?;
    same(store.read_messages(history(&tenant, "s")).await?, vec![])?;
    store.put_session(PutSession::new(&tenant, "s"), 1).await?;
    let contents = [
        json!("text with \u{0} and 🦀"),
        json!({ "z": 1, "a": [{ "type": "text", "text": "x" }] }),
        json!(null),
        json!([1.5, i64::MAX]),
    ];
    let first = contents[..3].iter().cloned().map(said).collect();
    let then = store.append_messages(&tenant, "s", first, usage, 20).await?;
    same(then.map(|session| (session.messages, session.updated_at_ms)), Some((3, 20)))?;
    let more = vec![said(contents[3].clone())];
    let then = store.append_messages(&tenant, "s", more, usage, 10).await?;
    let Some(then) = then else { return Err(Problem("the session is gone".into())) };
    same((then.messages, then.input_tokens, then.compactions), (4, 6, 2))?;
    same((then.output_tokens, then.updated_at_ms), (2 * i64::from(u32::MAX), 20))?;
    same(store.get_session(&tenant, "s").await?.map(|session| session.info), Some(then))?;
    let all = store.read_messages(history(&tenant, "s")).await?;
    same(all.iter().map(|message| message.seq).collect::<Vec<_>>(), vec![1, 2, 3, 4])?;
    same(
        all.iter().map(|message| &message.content).collect::<Vec<_>>(),
        contents.iter().collect(),
    )?;
    same(all.first().map(|first| (first.at_ms, first.role.clone())), Some((5, "user".into())))?;
    for (after, latest, limit, expected) in [
        (None, false, 2, &[1, 2][..]),
        (Some(2), false, 9, &[3, 4]),
        (None, true, 3, &[4, 3, 2]),
        (Some(2), true, 9, &[1]),
        (Some(4), false, 9, &[]),
        (Some(1), true, 9, &[]),
    ] {
        let read = ReadMessages { after, latest, limit, ..history(&tenant, "s") };
        let found = store.read_messages(read).await?;
        same(found.iter().map(|one| one.seq).collect::<Vec<_>>(), expected.to_vec())?;
    }
    Ok(())
}

async fn counters(store: &dyn Sessions) -> Result<(), Problem> {
    let tenant = new_tenant();
    let put = store.put_session(PutSession::new(&tenant, "s"), 1).await?;
    let usage = SessionUsage { input_tokens: 1, output_tokens: 2, compactions: 3 };
    let count = |session: &SessionInfo| {
        let SessionInfo { messages, input_tokens, output_tokens, compactions, .. } = *session;
        (messages, input_tokens, output_tokens, compactions)
    };
    let then = store.append_messages(&tenant, "s", vec![], usage, 2).await?;
    same(then.as_ref().map(count), Some((0, 1, 2, 3)))?;
    let then = store.append_messages(&tenant, "s", vec![said("x")], usage, 3).await?;
    same(then.map(|session| session.version), Some(put.info.version))?;
    let change = PutSession {
        label: "changed".into(),
        if_version: Some(1),
        ..PutSession::new(&tenant, "s")
    };
    let changed = store.put_session(change, 4).await?;
    same((count(&changed.info), changed.info.version), ((1, 2, 4, 6), 2))?;
    let again = store.put_session(PutSession::new(&tenant, "s"), 5).await?;
    same((count(&again.info), again.info.version), ((1, 2, 4, 6), 3))?;
    same(store.read_messages(history(&tenant, "s")).await?.len(), 1)
}

async fn racing(store: &dyn Sessions) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.put_session(PutSession::new(&tenant, "s"), 1).await?;
    let appends = (0..16).map(|n| {
        let messages = vec![said(json!([n, 0])), said(json!([n, 1])), said(json!([n, 2]))];
        store.append_messages(&tenant, "s", messages, SessionUsage::default(), n)
    });
    for appended in join_all(appends).await {
        ensure(appended?.is_some(), "an append did not find its session")?;
    }
    let all = store.read_messages(history(&tenant, "s")).await?;
    same(all.iter().map(|one| one.seq).collect::<Vec<_>>(), (1..=48).collect::<Vec<i64>>())?;
    // What was appended together stands together.
    for three in all.chunks(3) {
        let first = &three[0].content[0];
        let expected = [json!([first, 0]), json!([first, 1]), json!([first, 2])];
        same(three.iter().map(|one| &one.content).collect::<Vec<_>>(), expected.iter().collect())?;
    }
    let session = store.get_session(&tenant, "s").await?;
    same(session.map(|session| session.info.messages), Some(48))
}

async fn deletion(store: &dyn Sessions) -> Result<(), Problem> {
    let tenant = new_tenant();
    let usage = SessionUsage::default();
    for id in ["s", "t"] {
        store.put_session(PutSession::new(&tenant, id), 1).await?;
        store.append_messages(&tenant, id, vec![said("x"), said("y")], usage, 1).await?;
    }
    refused(store.delete_session(&tenant, "s", Some(9), 2).await, Kind::Conflict)?;
    same(store.read_messages(history(&tenant, "s")).await?.len(), 2)?;
    same(store.delete_session(&tenant, "s", None, 2).await?, true)?;
    same(store.delete_session(&tenant, "s", None, 2).await?, false)?;
    same(store.get_session(&tenant, "s").await?, None)?;
    same(store.read_messages(history(&tenant, "s")).await?, vec![])?;
    same(store.read_messages(history(&tenant, "t")).await?.len(), 2)?;
    // One of the same id begins anew.
    same(store.put_session(PutSession::new(&tenant, "s"), 3).await?.info.messages, 0)?;
    let then = store.append_messages(&tenant, "s", vec![said("z")], usage, 4).await?;
    same(then.map(|session| session.messages), Some(1))
}

async fn takes_good_keys(store: &dyn Sessions) -> Result<(), Problem> {
    for good in good_keys() {
        let tenant = new_tenant();
        let (agent, user) = (Some(good.clone()), Some(good.clone()));
        let put = PutSession { agent, user, ..PutSession::new(&tenant, &good) };
        store.put_session(put, 1).await?;
        let message = NewMessage { role: good.clone(), ..said("x") };
        let usage = SessionUsage::default();
        store.append_messages(&tenant, &good, vec![message], usage, 1).await?;
        let found = store.read_messages(history(&tenant, &good)).await?;
        same(found.into_iter().map(|one| one.role).collect::<Vec<_>>(), vec![good.clone()])?;
        let list = ListSessions { agent: Some(good.clone()), ..all_of(&tenant) };
        same(ids(store, list).await?, vec![good])?;
    }
    Ok(())
}

async fn refuses_bad_input(store: &dyn Sessions) -> Result<(), Problem> {
    let invalid = Kind::InvalidArgument;
    let usage = SessionUsage::default();
    let tenant = new_tenant();
    let session = || PutSession::new(&tenant, "s");
    for bad in bad_keys() {
        let some = || Some(bad.clone());
        for put in [
            PutSession::new(&bad, "s"),
            PutSession::new("t", &bad),
            PutSession { agent: some(), ..session() },
            PutSession { user: some(), ..session() },
        ] {
            refused(store.put_session(put, 1).await, invalid)?;
        }
        for [tenant, id] in [[&bad, "s"], ["t", &bad]] {
            refused(store.get_session(tenant, id).await, invalid)?;
            refused(store.delete_session(tenant, id, None, 1).await, invalid)?;
            refused(store.append_messages(tenant, id, vec![], usage, 1).await, invalid)?;
            refused(store.read_messages(history(tenant, id)).await, invalid)?;
        }
        let place = SessionPlace { updated_at_ms: 1, id: bad.clone() };
        for list in [
            all_of(&bad),
            ListSessions { agent: some(), ..all_of("t") },
            ListSessions { user: some(), ..all_of("t") },
            ListSessions { after: Some(place), ..all_of("t") },
        ] {
            refused(store.list_sessions(list).await, invalid)?;
        }
    }
    let nul = || "a\0b".to_owned();
    for put in [
        PutSession { channel: nul(), ..session() },
        PutSession { chat: nul(), ..session() },
        PutSession { label: nul(), ..session() },
        PutSession { provider: nul(), ..session() },
        PutSession { model: nul(), ..session() },
        PutSession { summary: nul(), ..session() },
        PutSession { settings: json!([1]), ..session() },
    ] {
        refused(store.put_session(put, 1).await, invalid)?;
    }
    same(store.get_session(&tenant, "s").await?, None)?;
    let label = ListSessions { label: Some(nul()), ..all_of("t") };
    refused(store.list_sessions(label).await, invalid)?;
    store.put_session(session(), 1).await?;
    let deep = (0..MAX_JSON_DEPTH).fold(Json::Null, |inner, _| json!([inner]));
    for messages in [
        vec![said("x"), NewMessage { role: nul(), ..said("x") }],
        vec![said("x"), NewMessage { role: String::new(), ..said("x") }],
        vec![said("x"), said(deep)],
        vec![said("x"); MOST_MESSAGES + 1],
    ] {
        refused(store.append_messages(&tenant, "s", messages, usage, 1).await, invalid)?;
    }
    same(store.read_messages(history(&tenant, "s")).await?, vec![])
}
