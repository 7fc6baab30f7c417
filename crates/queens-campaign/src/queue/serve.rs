//! The server of a campaign: publishes missing units, records results.
//!
//! It takes part in the campaign file like any process that counts: it claims the units
//! it publishes, so `queens campaign run` on the same file never does them too. What it
//! has published it knows from the queue itself, where every unit has its own subject;
//! when it is killed and started again it finds its units there and goes on.
//!
//! Only as many units are queued as the workers that said hello will do in half a minute,
//! by kind of device: then a fast GPU and a slow CPU both end on time, and units queued
//! for a kind of device that has gone can be given to the other.
//!
//! Every ten seconds the queue is compared with the ledger. A unit that is neither queued
//! nor recorded, nor among the results on their way, was lost by the queue, and is
//! published again; a unit that is queued and recorded is taken out.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::{
    self, AckKind,
    consumer::{AckPolicy, pull},
    stream::{Config, DiscardPolicy, RetentionPolicy, StorageType},
};
use futures_util::StreamExt;
use futures_util::future::join_all;
use tokio::sync::mpsc;

use super::{
    Answer, Connect, HELLO, Hello, Names, Notice, Patience, QueueError, State, Task, chain,
    consumer_of, nats, raised_for_long, runtime, take,
};
use crate::device::Kind;
use crate::ledger::claims::Member;
use crate::ledger::{Campaign, LedgerError};
use crate::plan::Planned;
use crate::process;
use crate::row::Row;
use crate::runner::Finish;

/// How a campaign is served.
#[derive(Clone, Debug)]
pub struct Server {
    /// How to reach NATS.
    pub connect: Connect,
    /// How long a worker may be silent before its units go to others.
    pub lease: Duration,
    /// On how many servers of a NATS cluster the queues are kept.
    pub replicas: usize,
    /// This program; workers must be the same.
    pub program: String,
}

/// How far the campaign is.
#[derive(Clone, Debug, Default)]
pub struct Served {
    /// Units in the ledger.
    pub units: u64,
    /// Their expected cost.
    pub cost: u64,
    /// Expected cost finished per second since the server started.
    pub rate: f64,
    /// Workers that said hello lately.
    pub workers: usize,
    /// Units that their devices count at once.
    pub places: usize,
}

/// What a server reports while it works.
#[derive(Debug)]
pub enum News<'a> {
    /// How far it is; a few times a second.
    Progress(&'a Served),
    /// A worker came or went; how many there are now.
    Workers(usize),
    /// A result that was not taken, and why.
    Refused(&'a str),
    /// NATS does not answer; the server keeps trying.
    Trouble(&'a str),
}

impl Server {
    /// Serves until the campaign is complete or `stop` becomes true.
    ///
    /// # Errors
    ///
    /// When NATS or the file cannot be used, or two workers count a unit differently.
    pub fn serve(
        &self,
        campaign: &mut Campaign,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<Finish, QueueError> {
        runtime()?.block_on(async {
            let client = self.connect.open("queens serve").await?;
            let context = jetstream::new(client.clone());
            let names = Names::new(&campaign.info().id);
            let mut member = campaign.join("serve")?;
            let outcome = async {
                self.prepare(&context, &names, campaign).await?;
                let desk =
                    Desk::open(self, client, context.clone(), names.clone(), campaign).await?;
                tokio::select! {
                    outcome = desk.run(campaign, &mut member, stop, news) => outcome,
                    () = raised_for_long(stop) => Ok(Finish::Stopped),
                }
            }
            .await;
            let left = campaign.leave(&member);
            match &outcome {
                Ok(Finish::Complete) => {
                    let _ = self.post(&context, &names, campaign, State::Done).await;
                    for what in ["units", "results", "notice"] {
                        let _ = context.delete_stream(names.stream(what)).await;
                    }
                }
                Err(QueueError::Ledger(error @ LedgerError::Disputed { .. })) => {
                    let state = State::Halted(error.to_string());
                    let _ = self.post(&context, &names, campaign, state).await;
                }
                _ => {}
            }
            let finish = outcome?;
            left?;
            Ok(finish)
        })
    }

    /// Creates the streams and consumers, or finds them as an earlier server left them.
    async fn prepare(
        &self,
        context: &jetstream::Context,
        names: &Names,
        campaign: &Campaign,
    ) -> Result<(), QueueError> {
        let stream = |what: &str, subjects: Vec<String>| Config {
            name: names.stream(what),
            subjects,
            storage: StorageType::File,
            num_replicas: self.replicas,
            ..Config::default()
        };
        let units = Config {
            retention: RetentionPolicy::WorkQueue,
            // One message per unit; a second one is refused.
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            ..stream("units", Kind::ALL.map(|k| names.unit(k, &'*')).to_vec())
        };
        let results = Config {
            retention: RetentionPolicy::WorkQueue,
            ..stream("results", vec![names.result(&'*')])
        };
        let notice = Config {
            retention: RetentionPolicy::Limits,
            max_messages_per_subject: 1,
            ..stream("notice", vec![names.notice()])
        };
        for config in [units, results, notice] {
            context
                .create_or_update_stream(config)
                .await
                .map_err(|e| nats("creating a stream", &e))?;
        }
        let consumers = Kind::ALL
            .map(|k| (k.name(), "units", names.unit(k, &'*'), self.lease))
            .into_iter()
            .chain([(
                "ledger",
                "results",
                names.result(&'*'),
                Duration::from_secs(30),
            )]);
        for (name, stream, filter_subject, ack_wait) in consumers {
            let config = pull::Config {
                durable_name: Some(name.to_owned()),
                ack_policy: AckPolicy::Explicit,
                ack_wait,
                filter_subject,
                max_ack_pending: 100_000,
                num_replicas: self.replicas,
                ..pull::Config::default()
            };
            context
                .create_consumer_on_stream(config, names.stream(stream))
                .await
                .map_err(|e| nats("creating a consumer", &e))?;
        }
        self.post(context, names, campaign, State::Open).await
    }

    /// Puts up the notice.
    async fn post(
        &self,
        context: &jetstream::Context,
        names: &Names,
        campaign: &Campaign,
        state: State,
    ) -> Result<(), QueueError> {
        let info = campaign.info();
        let notice = Notice {
            campaign: info.id.clone(),
            n: info.n,
            algorithm: info.algorithm.clone(),
            program: self.program.clone(),
            plan_digest: info.plan_digest.clone(),
            units: info.units,
            lease_seconds: self.lease.as_secs_f64(),
            state,
        };
        let payload = serde_json::to_vec(&notice).unwrap_or_default();
        context
            .publish(names.notice(), payload.into())
            .await
            .map_err(|e| nats("putting up the notice", &e))?
            .await
            .map_err(|e| nats("putting up the notice", &e))?;
        Ok(())
    }
}

/// A unit in the queue.
struct Queued {
    kind: Kind,
    planned: Planned,
    /// How many comparisons in a row did not find it in the queue.
    absent: u32,
}

/// How fast a kind of device works, over the last ten to twenty seconds.
struct Pace {
    since: Instant,
    count: u64,
    before: f64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            since: Instant::now(),
            count: 0,
            before: 0.0,
        }
    }
}

impl Pace {
    fn per_second(&self) -> f64 {
        let now = self.count as f64 / self.since.elapsed().as_secs_f64().max(1.0);
        now.max(self.before)
    }

    fn turn(&mut self) {
        if self.since.elapsed() > Duration::from_secs(10) {
            let before = self.count as f64 / self.since.elapsed().as_secs_f64();
            *self = Pace {
                before,
                ..Pace::default()
            };
        }
    }
}

struct Present {
    seen: Instant,
    devices: BTreeMap<Kind, usize>,
}

/// Everything the server needs while it serves.
struct Desk<'a> {
    server: &'a Server,
    context: jetstream::Context,
    names: Names,
    algorithm: String,
    queued: BTreeMap<u64, Queued>,
    workers: HashMap<String, Present>,
    publisher: mpsc::UnboundedSender<(Kind, Planned)>,
    results: mpsc::UnboundedReceiver<Incoming>,
    hellos: mpsc::UnboundedReceiver<Hello>,
    begun: Instant,
    mine: u64,
    paces: BTreeMap<Kind, Pace>,
    served: Served,
}

#[allow(clippy::large_enum_variant)] // few are alive at a time, and trouble is rare
enum Incoming {
    Result(jetstream::Message),
    Trouble(String),
}

impl<'a> Desk<'a> {
    async fn open(
        server: &'a Server,
        client: async_nats::Client,
        context: jetstream::Context,
        names: Names,
        campaign: &Campaign,
    ) -> Result<Desk<'a>, QueueError> {
        let (collect, results) = mpsc::unbounded_channel();
        tokio::spawn(receive(context.clone(), names.clone(), collect));
        let (greet, hellos) = mpsc::unbounded_channel();
        let mut greetings = client
            .subscribe(names.hello())
            .await
            .map_err(|e| nats("listening to workers", &e))?;
        tokio::spawn(async move {
            while let Some(message) = greetings.next().await {
                if let Ok(hello) = serde_json::from_slice(&message.payload)
                    && greet.send(hello).is_err()
                {
                    return;
                }
            }
        });
        let algorithm = campaign.info().algorithm.clone();
        let (publisher, to_publish) = mpsc::unbounded_channel();
        tokio::spawn(publish(
            context.clone(),
            names.clone(),
            server.program.clone(),
            algorithm.clone(),
            to_publish,
        ));
        Ok(Desk {
            server,
            context,
            names,
            algorithm,
            queued: BTreeMap::new(),
            workers: HashMap::new(),
            publisher,
            results,
            hellos,
            begun: Instant::now(),
            mine: 0,
            paces: BTreeMap::new(),
            served: Served::default(),
        })
    }

    async fn run(
        mut self,
        campaign: &mut Campaign,
        member: &mut Member,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<Finish, QueueError> {
        let total = campaign.info().units;
        self.adopt(campaign, member).await?;
        let mut look = tokio::time::interval(Duration::from_millis(50));
        let mut compare = tokio::time::interval(Duration::from_secs(10));
        compare.reset();
        let mut next_turn = Instant::now();
        loop {
            let mut rows = Vec::new();
            let mut messages = Vec::new();
            tokio::select! {
                Some(incoming) = self.results.recv() => {
                    let mut next = Some(incoming);
                    while let Some(incoming) = next {
                        match incoming {
                            Incoming::Trouble(why) => news(News::Trouble(&why)),
                            Incoming::Result(message) => match self.read(&message, campaign) {
                                Ok(row) => {
                                    rows.push(row);
                                    messages.push(message);
                                }
                                Err(why) => {
                                    news(News::Refused(&why));
                                    let _ = message.ack_with(AckKind::Term).await;
                                }
                            },
                        }
                        next = self.results.try_recv().ok();
                    }
                }
                Some(hello) = self.hellos.recv() => {
                    if self.greet(hello) {
                        news(News::Workers(self.workers.len()));
                        next_turn = Instant::now();
                    }
                }
                _ = compare.tick() => {
                    let before = self.workers.len();
                    self.workers.retain(|_, w| w.seen.elapsed() < 5 * HELLO);
                    if self.workers.len() < before {
                        news(News::Workers(self.workers.len()));
                    }
                    if let Err(error) = self.compare(campaign).await {
                        news(News::Trouble(&error.to_string()));
                    }
                }
                _ = look.tick() => {}
            }
            if !rows.is_empty() || Instant::now() >= next_turn {
                let starved = self.turn(campaign, member, &rows)?;
                // Stored in the ledger: now NATS may forget them.
                for message in messages {
                    let _ = message.ack().await;
                }
                if self.served.units >= total {
                    return Ok(Finish::Complete);
                }
                next_turn = Instant::now()
                    + if starved {
                        Duration::from_millis(500)
                    } else {
                        Duration::from_secs(process::HEARTBEAT)
                    };
            }
            news(News::Progress(&self.served));
            if stop.load(Ordering::Relaxed) {
                return Ok(Finish::Stopped);
            }
        }
    }

    /// Checks a result; the reason if it cannot be taken.
    fn read(&self, message: &jetstream::Message, campaign: &Campaign) -> Result<Row, String> {
        let answer: Answer = serde_json::from_slice(&message.payload)
            .map_err(|e| format!("a result that cannot be read: {e}"))?;
        let (row, info) = (answer.row, campaign.info());
        if row.program != self.server.program || answer.algorithm != self.algorithm {
            return Err(format!(
                "a result of unit {} from {}, which is {} with algorithm {} and not {} with {}",
                row.unit,
                row.device,
                row.program,
                answer.algorithm,
                self.server.program,
                self.algorithm
            ));
        }
        if row.unit >= info.units || row.check_value(&info.plan_digest) != answer.check_value {
            return Err(format!(
                "a result of unit {} from {} that does not fit its check value",
                row.unit, row.device
            ));
        }
        Ok(row)
    }

    /// Notes a worker; returns whether that changed what there is to work with.
    fn greet(&mut self, hello: Hello) -> bool {
        let devices: BTreeMap<Kind, usize> = [(Kind::Cpu, hello.cpus), (Kind::Gpu, hello.gpus)]
            .into_iter()
            .filter(|&(_, n)| n > 0)
            .collect();
        if devices.is_empty() {
            return self.workers.remove(&hello.worker).is_some();
        }
        let present = Present {
            seen: Instant::now(),
            devices,
        };
        let known = self.workers.get(&hello.worker).map(|w| w.devices.clone());
        let new = known.as_ref() != Some(&present.devices);
        self.workers.insert(hello.worker, present);
        new
    }

    /// How many units of a kind are counted at once.
    fn devices(&self, kind: Kind) -> usize {
        self.workers
            .values()
            .filter_map(|w| w.devices.get(&kind))
            .sum()
    }

    /// How many units of a kind should be in the queue.
    fn window(&self, kind: Kind) -> usize {
        let devices = self.devices(kind);
        if devices == 0 {
            return 0;
        }
        let half_a_minute = 30.0 * self.paces.get(&kind).map_or(0.0, Pace::per_second);
        (4 * devices).max(half_a_minute as usize).min(5_000)
    }

    /// Records results, claims units for the workers and publishes them. Returns whether
    /// more units were wanted than could be had.
    fn turn(
        &mut self,
        campaign: &mut Campaign,
        member: &mut Member,
        rows: &[Row],
    ) -> Result<bool, QueueError> {
        for row in rows {
            if let Some(queued) = self.queued.remove(&row.unit) {
                self.paces.entry(queued.kind).or_default().count += 1;
            }
        }
        self.paces.values_mut().for_each(Pace::turn);
        let mut room: Vec<(Kind, usize)> = Kind::ALL
            .into_iter()
            .map(|kind| {
                let queued = self.queued.values().filter(|q| q.kind == kind).count();
                (kind, self.window(kind).saturating_sub(queued))
            })
            .collect();
        let want: usize = room.iter().map(|(_, n)| n).sum();
        let turn = campaign.turn(member, rows, want)?;
        let claimed = turn.claimed.len();
        for planned in turn.claimed {
            // The kind with the most room left gets the next unit.
            if let Some(most) = room.iter_mut().max_by_key(|(_, n)| *n) {
                most.1 = most.1.saturating_sub(1);
                self.enqueue(most.0, planned);
            }
        }
        self.mine += turn.cost;
        let progress = campaign.progress()?;
        self.served = Served {
            units: turn.done,
            cost: progress.cost,
            rate: self.mine as f64 / self.begun.elapsed().as_secs_f64().max(0.1),
            workers: self.workers.len(),
            places: Kind::ALL.into_iter().map(|k| self.devices(k)).sum(),
        };
        Ok(claimed < want)
    }

    fn enqueue(&mut self, kind: Kind, planned: Planned) {
        self.queued.insert(
            planned.unit,
            Queued {
                kind,
                planned,
                absent: 0,
            },
        );
        let _ = self.publisher.send((kind, planned));
    }

    /// What the subjects of all messages in a stream say.
    async fn subjects<T>(
        &self,
        stream: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, QueueError> {
        let asking = "reading the queue";
        let stream = self
            .context
            .get_stream(self.names.stream(stream))
            .await
            .map_err(|e| nats(asking, &e))?;
        let mut subjects = stream
            .info_with_subjects(">")
            .await
            .map_err(|e| nats(asking, &e))?;
        let mut found = Vec::new();
        while let Some(subject) = subjects.next().await {
            let (subject, _) = subject.map_err(|e| nats(asking, &e))?;
            found.extend(parse(&subject));
        }
        Ok(found)
    }

    /// All units in the queue.
    async fn in_queue(&self) -> Result<Vec<(Kind, u64)>, QueueError> {
        self.subjects("units", |s| self.names.parse_unit(s)).await
    }

    /// Takes over the units that an earlier server left in the queue.
    async fn adopt(
        &mut self,
        campaign: &mut Campaign,
        member: &mut Member,
    ) -> Result<(), QueueError> {
        let found = self.in_queue().await?;
        let units: Vec<u64> = found.iter().map(|&(_, unit)| unit).collect();
        let claimed: HashMap<u64, Planned> = campaign
            .claim_these(member, &units)?
            .into_iter()
            .map(|p| (p.unit, p))
            .collect();
        for (kind, unit) in found {
            match claimed.get(&unit) {
                Some(&planned) => {
                    let absent = 0;
                    let queued = Queued {
                        kind,
                        planned,
                        absent,
                    };
                    self.queued.insert(unit, queued);
                }
                // Recorded already, or being counted by another process.
                None => self.withdraw(kind, &unit).await?,
            }
        }
        Ok(())
    }

    /// Takes units out of the queue.
    async fn withdraw(&self, kind: Kind, unit: &dyn std::fmt::Display) -> Result<(), QueueError> {
        let asking = "taking a unit out of the queue";
        self.context
            .get_stream(self.names.stream("units"))
            .await
            .map_err(|e| nats(asking, &e))?
            .purge()
            .filter(self.names.unit(kind, unit))
            .await
            .map_err(|e| nats(asking, &e))?;
        Ok(())
    }

    /// Compares the queue with what should be in it.
    async fn compare(&mut self, campaign: &Campaign) -> Result<(), QueueError> {
        let found: HashSet<(Kind, u64)> = self.in_queue().await?.into_iter().collect();
        for &(kind, unit) in &found {
            if !self.queued.contains_key(&unit) && campaign.row(unit)?.is_some() {
                self.withdraw(kind, &unit).await?;
            }
        }
        // Unit by unit: a single result whose acknowledgement got lost stays for half a
        // minute, and must not keep the others from being missed.
        let on_their_way: HashSet<u64> = self
            .subjects("results", |s| self.names.parse_result(s))
            .await?
            .into_iter()
            .collect();
        let mut lost = Vec::new();
        for queued in self.queued.values_mut() {
            let unit = queued.planned.unit;
            if found.contains(&(queued.kind, unit)) || on_their_way.contains(&unit) {
                queued.absent = 0;
            } else {
                queued.absent += 1;
                // Twice in a row, so that a unit between queue and ledger is left alone.
                if queued.absent >= 2 {
                    queued.absent = 0;
                    lost.push((queued.kind, queued.planned));
                }
            }
        }
        for unit in lost {
            let _ = self.publisher.send(unit);
        }
        self.reassign().await
    }

    /// Gives the units queued for a kind of device that has gone to the other kind.
    async fn reassign(&mut self) -> Result<(), QueueError> {
        for kind in Kind::ALL {
            let other = if kind == Kind::Cpu {
                Kind::Gpu
            } else {
                Kind::Cpu
            };
            let orphans: Vec<Planned> = self
                .queued
                .values()
                .filter(|q| q.kind == kind)
                .map(|q| q.planned)
                .collect();
            if self.devices(kind) == 0 && self.devices(other) > 0 && !orphans.is_empty() {
                self.withdraw(kind, &'*').await?;
                for planned in orphans {
                    self.enqueue(other, planned);
                }
            }
        }
        Ok(())
    }
}

/// Publishes units, and tries again until NATS has stored them.
async fn publish(
    context: jetstream::Context,
    names: Names,
    program: String,
    algorithm: String,
    mut units: mpsc::UnboundedReceiver<(Kind, Planned)>,
) {
    let mut batch = Vec::new();
    while units.recv_many(&mut batch, 256).await > 0 {
        let mut waiting = std::mem::take(&mut batch);
        while !waiting.is_empty() {
            let mut sent = Vec::new();
            for (kind, p) in waiting.drain(..) {
                let task = Task {
                    unit: p.unit,
                    first: p.first,
                    last: p.last,
                    cost: p.cost,
                    program: program.clone(),
                    algorithm: algorithm.clone(),
                };
                let payload = serde_json::to_vec(&task).unwrap_or_default();
                let subject = names.unit(kind, &p.unit);
                sent.push((kind, p, context.publish(subject, payload.into()).await));
            }
            // All at once: after an interruption each one that got lost takes seconds to be
            // given up, and one after the other they would hold up the queue for minutes.
            let stored = join_all(sent.into_iter().map(async |(kind, p, outcome)| {
                let stored = match outcome {
                    Ok(acknowledgement) => acknowledgement.await,
                    Err(error) => Err(error),
                };
                (kind, p, stored)
            }));
            for (kind, p, stored) in stored.await {
                // A unit that is queued already is refused, and that is well.
                if let Err(error) = stored
                    && !chain(&error).contains("maximum messages per subject")
                {
                    waiting.push((kind, p));
                }
            }
            if !waiting.is_empty() {
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
        }
    }
}

/// Receives results until the other side hangs up.
async fn receive(
    context: jetstream::Context,
    names: Names,
    collect: mpsc::UnboundedSender<Incoming>,
) {
    let mut patience = Patience::default();
    while !collect.is_closed() {
        let outcome: Result<(), String> = async {
            let consumer = consumer_of(&context, "ledger", names.stream("results")).await?;
            loop {
                let mut batch = take(&consumer, 500).await?;
                while let Some(message) = batch.next().await {
                    let message = message.map_err(|e| e.to_string())?;
                    patience.works();
                    if collect.send(Incoming::Result(message)).is_err() {
                        return Ok(());
                    }
                }
            }
        }
        .await;
        if let Err(why) = outcome {
            if patience.fails() {
                let _ = collect.send(Incoming::Trouble(why));
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }
}
