//! The server of a campaign: publishes missing units and records results.
//!
//! The desk (the folder `desk`) decides what to do; this file does it through NATS. Each of the
//! desk's wishes is carried out by a task of its own that reports back. A device of this machine
//! counts the server's own checks in a thread of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::{
    self, AckKind,
    consumer::{AckPolicy, PullConsumer, pull},
    context::PublishErrorKind,
    stream::{Config, DiscardPolicy, RetentionPolicy, StorageType},
};
use futures_util::StreamExt;
use futures_util::future::join_all;
use tokio::sync::{mpsc, watch};

pub use super::desk::Served;
use super::desk::{
    Desk, Input, Output, Rules, Snapshot, Token, Told, checks_needed, own_checks_needed,
};
use super::message::{self, LONGEST_MESSAGE, Names, Notice, State, Task};
use super::work::Open;
use super::{Connect, Patience, QueueError, chain, consumer_of, is_missing, nats, runtime, take};
use crate::crew::{Crew, Event};
use crate::device::Kind;
use crate::ledger::desk::Standing;
use crate::ledger::file;
use crate::ledger::{Campaign, LedgerError};
use crate::runner::Finish;
use crate::world::random;

/// How a campaign is served.
#[derive(Clone, Debug)]
pub struct Server {
    /// How to reach NATS.
    pub connect: Connect,
    /// A unit comes back if its worker gives no sign of life for this long.
    pub lease: Duration,
    /// How many servers of a NATS cluster keep the queues.
    pub replicas: usize,
    /// This program; workers must run the same one.
    pub program: String,
    /// The share of every worker's units that somebody else counts again. With 0, and without
    /// `twice`, workers are believed.
    pub audit: f64,
    /// Whether every unit is counted by two different workers.
    pub twice: bool,
}

/// What a server tells its caller.
#[derive(Debug)]
pub enum News<'a> {
    /// How far the campaign is; told several times a second, and after every event.
    Progress(&'a Served),
    /// A worker came or went; now there are this many.
    Workers(usize),
    /// A worker must also count units that this machine has counted, and no worker is there.
    NeedsWorker,
    /// A result was refused, and why.
    Refused(&'a str),
    /// A worker counted wrongly and is no longer believed.
    ShutOut {
        /// Its name.
        worker: &'a str,
        /// What it counted wrongly.
        why: &'a str,
        /// How many of its units are counted again.
        units: usize,
    },
    /// Everybody may use the NATS server, under any name.
    NoLogin,
    /// NATS does not answer; the server keeps trying.
    Trouble(&'a str),
}

/// What the shell hears from the network and the checker.
#[allow(clippy::large_enum_variant)] // few are alive at a time
enum Happens {
    Heard(Input),
    Trouble(String),
    /// The device that counts the checks has failed.
    NoChecker(String),
}

type Tell = mpsc::UnboundedSender<Happens>;

impl Server {
    /// Whether a complete campaign has been checked as much as this server asks for.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn has_checked(&self, campaign: &Campaign) -> Result<bool, LedgerError> {
        if self.audit == 0.0 && !self.twice {
            return Ok(true);
        }
        let enough = |(name, standing): (&String, &Standing)| match name.is_empty() {
            true => !self.twice || standing.checked == standing.units,
            false => {
                standing.own >= own_checks_needed(standing, self.audit)
                    && standing.checked >= checks_needed(standing, self.audit, self.twice)
            }
        };
        Ok(campaign.standings()?.iter().all(enough))
    }

    /// Serves until the campaign is complete or `stop` becomes true. `check` opens the device that
    /// counts the server's own checks.
    ///
    /// # Errors
    ///
    /// When NATS or the file cannot be used, another server has the campaign, or two counts of a
    /// unit differ and nothing is checked here.
    pub fn serve(
        &self,
        campaign: &mut Campaign,
        check: &Open<'_>,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<Finish, QueueError> {
        runtime()?.block_on(async {
            let client = self.connect.open("queens serve", "_INBOX").await?;
            // Short, so that workers are heard while another process holds the file.
            campaign.set_patience(Duration::from_millis(200))?;
            // If every unit is counted twice, this machine cannot check its own counts.
            let own_device = match self.twice {
                true => check(campaign.info().n)?
                    .first()
                    .map(|device| device.name().to_owned()),
                false => None,
            };
            let rules = Rules {
                program: self.program.clone(),
                lease: self.lease,
                audit: self.audit,
                twice: self.twice,
                own_device,
                session: format!("{:016x}", random()),
                seed: random(),
            };
            let mut desk = Desk::new(rules, campaign, Duration::ZERO);
            let shell = Shell::start(self, client, &campaign.info().id).await?;
            let outcome = shell.run(&mut desk, campaign, check, stop, news).await;
            campaign.set_patience(Duration::from_secs(2))?;
            desk.close(campaign);
            // Claims that cannot be given back now are freed by the next process.
            let _ = desk.member().map(|member| campaign.leave(member));
            // The caller's next reads may wait longer again.
            campaign.set_patience(file::PATIENCE)?;
            let last = match &outcome {
                Ok(Finish::Complete) => Some(State::Done),
                Err(QueueError::Ledger(error @ LedgerError::Disputed { .. })) => {
                    Some(State::Halted(error.to_string()))
                }
                _ => None,
            };
            if let Some(state) = last {
                let done = state == State::Done;
                let notice = desk.last_notice(state);
                shell.part(&notice, done).await;
            } else if let Ok(Finish::Stopped) = &outcome {
                let notice = Notice {
                    away: true,
                    ..desk.last_notice(State::Open)
                };
                shell.leave(&notice).await;
            }
            outcome
        })
    }
}

/// The network around a desk.
struct Shell<'a> {
    server: &'a Server,
    client: async_nats::Client,
    context: jetstream::Context,
    names: Names,
    tell: Tell,
    happens: std::cell::RefCell<mpsc::UnboundedReceiver<Happens>>,
    /// Results that wait to be judged. Only as many are fetched as fit here, so that a flood of
    /// results stays on the NATS server and holds up nothing else.
    results: std::cell::RefCell<mpsc::Receiver<jetstream::Message>>,
    results_in: mpsc::Sender<jetstream::Message>,
    notices: watch::Sender<Option<Notice>>,
    publisher: mpsc::UnboundedSender<(Kind, Task)>,
    begun: Instant,
}

impl<'a> Shell<'a> {
    async fn start(
        server: &'a Server,
        client: async_nats::Client,
        id: &str,
    ) -> Result<Shell<'a>, QueueError> {
        let context = jetstream::new(client.clone());
        let names = Names::new(id);
        let (tell, happens) = mpsc::unbounded_channel();
        let (results_in, results) = mpsc::channel(MOST_AT_ONCE);
        listen(&client, names.hello("*"), &tell, {
            let names = names.clone();
            move |subject, payload| {
                let name = names.parse_hello(subject)?;
                Some(Input::Hello(name, message::read(payload).ok()?))
            }
        })
        .await?;
        listen(&client, names.server(), &tell, {
            let here = names.server();
            // A worker can make NATS deliver messages to any subject, but they keep their own
            // subject.
            move |subject, payload| {
                let rival = message::read(payload).ok()?;
                (subject == here).then_some(Input::Rival(rival))
            }
        })
        .await?;
        let (publisher, to_publish) = mpsc::unbounded_channel();
        tokio::spawn(publish(
            context.clone(),
            names.clone(),
            tell.clone(),
            to_publish,
        ));
        let (notices, to_post) = watch::channel(None);
        tokio::spawn(post(context.clone(), names.clone(), to_post));
        // Without JetStream nothing can begin; better to say so than to try for ever.
        match context.get_stream(names.stream("notice")).await {
            Err(e) if !is_missing(&e) => {
                let error = nats("asking for the campaign's queues", &e);
                return Err(server.connect.explain(error, "_INBOX"));
            }
            _ => {}
        }
        // One server never becomes a cluster by itself.
        if server.replicas > 1
            && let Err(error) = prepare(server, &context, &names).await
            && error.to_string().contains("replicas > 1 not supported")
        {
            return Err(QueueError::NoCluster);
        }
        Ok(Shell {
            server,
            client,
            context,
            names,
            tell,
            happens: std::cell::RefCell::new(happens),
            results: std::cell::RefCell::new(results),
            results_in,
            notices,
            publisher,
            begun: Instant::now(),
        })
    }

    #[allow(clippy::await_holding_refcell_ref)] // nobody else borrows it
    async fn run(
        &self,
        desk: &mut Desk,
        campaign: &mut Campaign,
        check: &Open<'_>,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<Finish, QueueError> {
        let mut look = tokio::time::interval(Duration::from_millis(50));
        let mut messages: BTreeMap<Token, jetstream::Message> = BTreeMap::new();
        let mut last: Token = 0;
        let mut crew: Option<Crew> = None;
        let mut receiving = false;
        let mut happens = self.happens.borrow_mut();
        let mut results = self.results.borrow_mut();
        let mut heard = Vec::new();
        let mut to_judge = Vec::new();
        loop {
            let mut inputs = vec![Input::Tick];
            tokio::select! {
                _ = happens.recv_many(&mut heard, 500) => {}
                _ = results.recv_many(&mut to_judge, MOST_AT_ONCE) => {}
                _ = look.tick() => {}
            }
            for what in heard.drain(..) {
                match what {
                    Happens::Heard(input) => inputs.push(input),
                    Happens::Trouble(why) => news(News::Trouble(&why)),
                    Happens::NoChecker(why) => return Err(QueueError::NoDevice(why)),
                }
            }
            for message in to_judge.drain(..) {
                last += 1;
                inputs.push(Input::Result {
                    token: last,
                    subject: message.subject.to_string(),
                    payload: message.payload.to_vec(),
                    deliveries: message.info().map_or(1, |i| i.delivered.max(1) as u64),
                });
                messages.insert(last, message);
            }
            // Forgets messages that came again under another token.
            while messages.len() > 50_000 {
                messages.pop_first();
            }
            let outcome = desk.hear(inputs, self.begun.elapsed(), campaign);
            let mut settled = Vec::new();
            for output in desk.outputs() {
                match output {
                    Output::Ack(token) => {
                        settled.extend(messages.remove(&token).map(|m| (m, AckKind::Ack)));
                    }
                    Output::Terminate(token) => {
                        settled.extend(messages.remove(&token).map(|m| (m, AckKind::Term)));
                    }
                    Output::Check(planned) => {
                        if crew.is_none() {
                            let mut devices = check(campaign.info().n)?;
                            devices.truncate(1);
                            let tell = self.tell.clone();
                            crew = Some(Crew::start(devices, move |event| {
                                let _ = tell.send(match event {
                                    Event::Counted(row) => Happens::Heard(Input::Checked(row)),
                                    Event::Failed { device, why, .. } => {
                                        Happens::NoChecker(format!("{device}: {why}"))
                                    }
                                    _ => return,
                                });
                            }));
                        }
                        if let Some(crew) = &crew {
                            crew.give([planned]);
                        }
                    }
                    Output::Post(notice) => {
                        let _ = self.notices.send(Some(*notice));
                        if !receiving {
                            receiving = true;
                            if !self.client.server_info().auth_required {
                                news(News::NoLogin);
                            }
                            tokio::spawn(receive(
                                self.context.clone(),
                                self.names.clone(),
                                self.results_in.clone(),
                                self.tell.clone(),
                            ));
                        }
                    }
                    Output::Tell(told) => match told {
                        Told::Workers(number) => news(News::Workers(number)),
                        Told::NeedsWorker => news(News::NeedsWorker),
                        Told::Refused(why) => news(News::Refused(&why)),
                        Told::Trouble(why) => news(News::Trouble(&why)),
                        Told::ShutOut { worker, why, units } => news(News::ShutOut {
                            worker: &worker,
                            why: &why,
                            units,
                        }),
                    },
                    other => self.carry_out(other),
                }
            }
            let settle = async {
                for (message, how) in settled {
                    let _ = message.ack_with(how).await;
                }
            };
            // Without a connection this could take long. Unacknowledged messages come again, and
            // the desk recognises them.
            let _ = tokio::time::timeout(Duration::from_secs(1), settle).await;
            outcome?;
            news(News::Progress(desk.served()));
            if let Some(finish) = desk.finished() {
                return Ok(finish);
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(Finish::Stopped);
            }
        }
    }

    /// Carries out one of the desk's wishes in a task that reports back.
    fn carry_out(&self, output: Output) {
        let (context, names, tell) = (self.context.clone(), self.names.clone(), self.tell.clone());
        match output {
            Output::Prepare => {
                let server = self.server.clone();
                tokio::spawn(async move {
                    let outcome = prepare(&server, &context, &names).await;
                    let outcome = outcome.map_err(|e| e.to_string());
                    let _ = tell.send(Happens::Heard(Input::Prepared(outcome)));
                });
            }
            Output::Reset(consumers) => {
                let server = self.server.clone();
                tokio::spawn(async move {
                    for name in consumers {
                        let stream = names.stream(stream_of(&name));
                        let _ = context.delete_consumer_from_stream(name, stream).await;
                    }
                    let outcome = prepare(&server, &context, &names).await;
                    let outcome = outcome.map_err(|e| e.to_string());
                    let _ = tell.send(Happens::Heard(Input::Prepared(outcome)));
                });
            }
            Output::ReadQueue => {
                tokio::spawn(async move {
                    let snapshot = read_queue(&context, &names).await;
                    let _ = tell.send(Happens::Heard(Input::Queue(snapshot)));
                });
            }
            Output::Publish(kind, task) => {
                let _ = self.publisher.send((kind, *task));
            }
            Output::Purge(subject) => {
                tokio::spawn(async move {
                    // The next comparison finds what is left.
                    if let Ok(stream) = context.get_stream(names.stream("units")).await {
                        let _ = stream.purge().filter(subject).await;
                    }
                });
            }
            Output::Announce(presence) => {
                let client = self.client.clone();
                tokio::spawn(async move {
                    let payload = message::write(&presence);
                    let _ = client.publish(names.server(), payload.into()).await;
                });
            }
            Output::Bury(mut payload) => {
                payload.truncate(LONGEST_MESSAGE);
                tokio::spawn(async move {
                    let _ = context.publish(names.dead(), payload.into()).await;
                });
            }
            _ => {}
        }
    }

    /// Posts that nobody serves the campaign now, so that new workers can tell it from those that
    /// are served. Whoever stops a server does not wait long for a NATS server that does not
    /// answer.
    async fn leave(&self, notice: &Notice) {
        let _ = self.notices.send(None);
        let posted = async {
            let payload = message::write(notice);
            if let Ok(stored) = self
                .context
                .publish(self.names.notice(), payload.into())
                .await
            {
                let _ = stored.await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(1), posted).await;
    }

    /// Posts the last notice, and deletes the queues if the campaign is complete. The notice stays,
    /// so that workers that were away learn that the campaign is complete.
    async fn part(&self, notice: &Notice, done: bool) {
        let _ = self.notices.send(None);
        let last = async {
            loop {
                let payload = message::write(notice);
                let stored = match self
                    .context
                    .publish(self.names.notice(), payload.into())
                    .await
                {
                    Ok(stored) => stored.await.is_ok(),
                    Err(_) => false,
                };
                if stored {
                    break;
                }
                // The queues may have been lost just now.
                let _ = prepare(self.server, &self.context, &self.names).await;
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            if done {
                for what in ["units", "results", "dead"] {
                    let _ = self.context.delete_stream(self.names.stream(what)).await;
                }
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(30), last).await;
    }
}

/// Hears every message with this subject that has a meaning.
async fn listen(
    client: &async_nats::Client,
    subject: String,
    tell: &Tell,
    meaning: impl Fn(&str, &[u8]) -> Option<Input> + Send + 'static,
) -> Result<(), QueueError> {
    let mut said = client
        .subscribe(subject)
        .await
        .map_err(|e| nats("listening", &e))?;
    let tell = tell.clone();
    tokio::spawn(async move {
        while let Some(message) = said.next().await {
            if let Some(input) = meaning(message.subject.as_str(), &message.payload)
                && tell.send(Happens::Heard(input)).is_err()
            {
                return;
            }
        }
    });
    Ok(())
}

/// The most results that wait for the server. Workers have at most ten thousand units to do while
/// it is away, so only strangers send more.
const MOST_RESULTS: i64 = 50_000;

/// The most results to judge before anything else is done.
const MOST_AT_ONCE: usize = 200;

/// How long the last notice of a campaign stays.
const LAST_NOTICE: Duration = Duration::from_secs(30 * 86_400);

/// Creates the streams and consumers, or finds those that an earlier server left.
async fn prepare(
    server: &Server,
    context: &jetstream::Context,
    names: &Names,
) -> Result<(), QueueError> {
    let stream = |what: &str, subjects: Vec<String>| Config {
        name: names.stream(what),
        subjects,
        storage: StorageType::File,
        num_replicas: server.replicas,
        ..Config::default()
    };
    let units = Config {
        retention: RetentionPolicy::WorkQueue,
        // One message per unit; NATS refuses a second one.
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        ..stream("units", Kind::ALL.map(|k| names.unit(k, &'*')).to_vec())
    };
    let results = Config {
        retention: RetentionPolicy::WorkQueue,
        max_message_size: LONGEST_MESSAGE as i32,
        // Workers keep a result until it is stored, so this limit loses nothing, and a flood cannot
        // fill the disk.
        max_messages: MOST_RESULTS,
        discard: DiscardPolicy::New,
        ..stream("results", vec![names.result("*", &'*')])
    };
    let notice = Config {
        retention: RetentionPolicy::Limits,
        max_messages_per_subject: 1,
        // With direct reads, a worker can be allowed to read notices but no results of others.
        allow_direct: true,
        max_age: LAST_NOTICE,
        ..stream("notice", vec![names.notice()])
    };
    let dead = Config {
        retention: RetentionPolicy::Limits,
        max_messages: 1_000,
        ..stream("dead", vec![names.dead()])
    };
    for config in [units, results, notice, dead] {
        context
            .create_or_update_stream(config)
            .await
            .map_err(|e| nats("creating a stream", &e))?;
    }
    let consumers = Kind::ALL
        .map(|k| (k.name(), "units", names.unit(k, &'*'), server.lease))
        .into_iter()
        .chain([(
            "ledger",
            "results",
            names.result("*", &'*'),
            Duration::from_secs(30),
        )]);
    for (name, stream, filter_subject, ack_wait) in consumers {
        let config = pull::Config {
            durable_name: Some(name.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            filter_subject,
            max_ack_pending: 100_000,
            num_replicas: server.replicas,
            ..pull::Config::default()
        };
        context
            .create_consumer_on_stream(config, names.stream(stream))
            .await
            .map_err(|e| nats("creating a consumer", &e))?;
    }
    Ok(())
}

/// Reads the subjects of all messages in the queues; `Err(None)` if anything is missing that
/// [`prepare`] makes, because the campaign would stand still without it.
async fn read_queue(
    context: &jetstream::Context,
    names: &Names,
) -> Result<Snapshot, Option<String>> {
    let subjects = async |what: &str| -> Result<Vec<String>, Option<String>> {
        let stream = match context.get_stream(names.stream(what)).await {
            Ok(stream) => stream,
            Err(e) if is_missing(&e) => return Err(None),
            Err(e) => return Err(Some(nats("reading the queue", &e).to_string())),
        };
        let trouble = |e: &dyn std::error::Error| Some(nats("reading the queue", e).to_string());
        let mut subjects = stream
            .info_with_subjects(">")
            .await
            .map_err(|e| trouble(&e))?;
        let mut found = Vec::new();
        while let Some(subject) = subjects.next().await {
            let (subject, _) = subject.map_err(|e| trouble(&e))?;
            found.push(subject);
        }
        Ok(found)
    };
    let (units, results) = (subjects("units").await?, subjects("results").await?);
    for what in ["notice", "dead"] {
        match context.get_stream(names.stream(what)).await {
            Ok(_) => {}
            Err(e) if is_missing(&e) => return Err(None),
            Err(e) => return Err(Some(nats("reading the queue", &e).to_string())),
        }
    }
    let mut stuck = Vec::new();
    for (name, filled) in [
        ("cpu", units.iter().any(|s| s.contains(".unit.cpu."))),
        ("gpu", units.iter().any(|s| s.contains(".unit.gpu."))),
        ("ledger", !results.is_empty()),
    ] {
        let stream = names.stream(stream_of(name));
        let found: Result<PullConsumer, _> = context.get_consumer_from_stream(name, stream).await;
        let consumer = match found {
            Ok(consumer) => consumer,
            Err(e) if no_consumer(&e) => return Err(None),
            Err(e) => return Err(Some(nats("reading the queue", &e).to_string())),
        };
        let info = consumer.cached_info();
        if filled && info.num_pending == 0 && info.num_ack_pending == 0 {
            stuck.push(name.to_owned());
        }
    }
    Ok(Snapshot {
        units,
        results,
        stuck,
    })
}

/// Whether the consumer or its stream is missing.
fn no_consumer(error: &jetstream::stream::ConsumerError) -> bool {
    use jetstream::ErrorCode;
    use jetstream::stream::ConsumerErrorKind as Kind;
    matches!(error.kind(), Kind::JetStream(e)
        if [ErrorCode::CONSUMER_NOT_FOUND, ErrorCode::STREAM_NOT_FOUND].contains(&e.error_code()))
}

/// The stream that a consumer belongs to.
fn stream_of(consumer: &str) -> &'static str {
    match consumer {
        "ledger" => "results",
        _ => "units",
    }
}

/// Posts the latest notice, and tries until it succeeds.
async fn post(
    context: jetstream::Context,
    names: Names,
    mut wanted: watch::Receiver<Option<Notice>>,
) {
    while wanted.changed().await.is_ok() {
        loop {
            let Some(notice) = wanted.borrow_and_update().clone() else {
                break;
            };
            let payload = message::write(&notice);
            let posted = match context.publish(names.notice(), payload.into()).await {
                Ok(stored) => stored.await.is_ok(),
                Err(_) => false,
            };
            if posted {
                break;
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }
}

/// Publishes units and reports what became of them.
async fn publish(
    context: jetstream::Context,
    names: Names,
    tell: Tell,
    mut units: mpsc::UnboundedReceiver<(Kind, Task)>,
) {
    let names = Arc::new(names);
    let mut batch = Vec::new();
    while units.recv_many(&mut batch, 256).await > 0 {
        let mut sent = Vec::new();
        for (kind, task) in batch.drain(..) {
            let subject = names.unit(kind, &task.unit);
            let payload = message::write(&task);
            sent.push((task.unit, context.publish(subject, payload.into()).await));
        }
        // All at once: after an interruption, each lost message takes seconds to time out, and one
        // after the other they would hold up the queue for minutes.
        let stored = join_all(sent.into_iter().map(async |(unit, outcome)| {
            let stored = match outcome {
                Ok(acknowledgement) => acknowledgement.await,
                Err(error) => Err(error),
            };
            (unit, stored)
        }));
        for (unit, stored) in stored.await {
            let outcome = match stored {
                Ok(_) => Ok(()),
                // A unit that is already queued is refused, and that is fine.
                Err(e) if chain(&e).contains("maximum messages per subject") => Ok(()),
                Err(e) => Err(e.kind() == PublishErrorKind::StreamNotFound),
            };
            let _ = tell.send(Happens::Heard(Input::Published(unit, outcome)));
        }
    }
}

/// Receives results as long as somebody wants them.
async fn receive(
    context: jetstream::Context,
    names: Names,
    results: mpsc::Sender<jetstream::Message>,
    tell: Tell,
) {
    let mut patience = Patience::default();
    while !tell.is_closed() {
        let outcome: Result<(), String> = async {
            let consumer = consumer_of(&context, "ledger", names.stream("results")).await?;
            loop {
                let mut batch = take(&consumer, MOST_AT_ONCE).await?;
                while let Some(message) = batch.next().await {
                    let message = message.map_err(|e| e.to_string())?;
                    patience.works();
                    if results.send(message).await.is_err() {
                        return Ok(());
                    }
                }
                // An empty batch may also mean that the stream is gone.
                if consumer_of(&context, "ledger", names.stream("results"))
                    .await
                    .is_err()
                {
                    return Err("the queue of results is gone".to_owned());
                }
            }
        }
        .await;
        if let Err(why) = outcome {
            if patience.fails() {
                let _ = tell.send(Happens::Trouble(why));
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }
}
