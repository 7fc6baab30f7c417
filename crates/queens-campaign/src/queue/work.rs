//! A worker: takes units from the queue, counts them, sends back the results.
//!
//! The devices count in threads of their own, as in [`crate::runner`]; one more thread
//! talks to NATS. For every kind of device it keeps two units per device at hand, so
//! that a device never waits for the network. Every unit at hand is leased, and the
//! leases are renewed three times as often as they would run out. A result is published
//! until NATS confirms that it is stored; only then is the unit acknowledged.
//!
//! When the connection is interrupted, the worker waits: the devices go on with the units
//! they have, and results are sent when NATS is back.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::{
    Answer, Connect, HELLO, Hello, Names, Notice, Patience, QueueError, State, Task, chain,
    consumer_of, nats, raised_for_long, read_notice, runtime, take,
};
use crate::crew::{Crew, Event};
use crate::device::{Device, DeviceError, Kind};
use crate::ledger::file::random;
use crate::plan::Planned;
use crate::process;
use crate::row::Row;

/// What a worker is and wants.
#[derive(Clone, Debug)]
pub struct Worker {
    /// How to reach NATS.
    pub connect: Connect,
    /// The campaign to work on; needed only when several are served.
    pub campaign: Option<String>,
    /// This program and its version.
    pub program: String,
    /// The algorithm of its devices.
    pub algorithm: String,
}

/// How a worker's work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The campaign is complete.
    Finished,
    /// The worker was asked to stop.
    Stopped,
}

/// What a worker reports while it works.
#[derive(Debug)]
pub enum News<'a> {
    /// No campaign is being served yet.
    Waiting,
    /// It has joined a campaign.
    Joined {
        /// Its name.
        campaign: &'a str,
        /// Size of the board.
        n: u32,
        /// How many devices count.
        devices: usize,
    },
    /// A unit was counted.
    Counted(&'a Row),
    /// A device was lost.
    DeviceLost {
        /// Its name.
        device: &'a str,
        /// Why.
        why: &'a str,
    },
    /// NATS does not answer; the worker keeps trying.
    Trouble(&'a str),
}

/// Opens the devices for boards of a size.
pub type Open<'a> = dyn Fn(u32) -> Result<Vec<Box<dyn Device>>, DeviceError> + 'a;

impl Worker {
    /// Works until the campaign is complete or `stop` becomes true.
    ///
    /// # Errors
    ///
    /// When NATS cannot be reached or used at the start, this program is refused, the
    /// campaign was stopped, or no device is left.
    pub fn work(
        &self,
        open: &Open<'_>,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<End, QueueError> {
        runtime()?.block_on(async {
            tokio::select! {
                end = self.serve_devices(open, stop, news) => end,
                // Only before the work begins: later the loop itself looks at the flag.
                () = raised_for_long(stop) => Ok(End::Stopped),
            }
        })
    }

    async fn serve_devices(
        &self,
        open: &Open<'_>,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<End, QueueError> {
        let client = self.connect.open("queens worker").await?;
        let context = jetstream::new(client.clone());
        let Some((names, notice)) = self.find(&context, stop, news).await? else {
            return Ok(End::Stopped);
        };
        self.admit(&notice.campaign, &notice.program, &notice.algorithm)?;
        let devices = open(notice.n)?;
        news(News::Joined {
            campaign: &notice.campaign,
            n: notice.n,
            devices: devices.len(),
        });
        let shift = Shift::start(self, client, context, names, notice, devices);
        shift.run(stop, news).await
    }

    /// Waits for a campaign and reads its notice; `None` when asked to stop.
    async fn find(
        &self,
        context: &jetstream::Context,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<Option<(Names, Notice)>, QueueError> {
        let mut told = false;
        let mut failing: Option<Instant> = None;
        while !stop.load(Ordering::Relaxed) {
            match self.look(context).await {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => {
                    failing = None;
                    if !told {
                        news(News::Waiting);
                        told = true;
                    }
                }
                // A server that has just started, or a campaign that is just ending,
                // answers strangely for a moment.
                Err(error @ QueueError::Nats { .. }) => {
                    let since = *failing.get_or_insert_with(Instant::now);
                    if since.elapsed() > Duration::from_secs(5) {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        Ok(None)
    }

    /// The campaign to work on, if there is one.
    async fn look(
        &self,
        context: &jetstream::Context,
    ) -> Result<Option<(Names, Notice)>, QueueError> {
        let mut open = Vec::new();
        let mut streams = context.stream_names();
        let mut served = Vec::new();
        while let Some(name) = streams.next().await {
            let name = name.map_err(|e| nats("the list of campaigns", &e))?;
            served.extend(Names::of_notice(&name));
        }
        served.retain(|names| self.campaign.as_ref().is_none_or(|id| *id == names.id));
        for names in served {
            if let Some(notice) = read_notice(context, &names).await?
                && notice.state != State::Done
            {
                open.push((names, notice));
            }
        }
        if open.len() > 1 {
            let ids = open.into_iter().map(|(names, _)| names.id).collect();
            return Err(QueueError::Several(ids));
        }
        match open.pop() {
            Some((names, notice)) => match notice.state {
                State::Halted(reason) => Err(QueueError::Halted {
                    id: names.id,
                    reason,
                }),
                _ => Ok(Some((names, notice))),
            },
            None => Ok(None),
        }
    }

    /// Refuses to work for another program.
    fn admit(&self, id: &str, program: &str, algorithm: &str) -> Result<(), QueueError> {
        if program == self.program && algorithm == self.algorithm {
            return Ok(());
        }
        Err(QueueError::OtherProgram {
            id: id.to_owned(),
            ours: self.program.clone(),
            our_algorithm: self.algorithm.clone(),
            theirs: program.to_owned(),
            their_algorithm: algorithm.to_owned(),
        })
    }
}

/// A unit that this worker has leased, until its result is stored.
struct Held {
    message: Arc<jetstream::Message>,
    /// Makes room for the next unit when it is dropped.
    _place: OwnedSemaphorePermit,
}

type Hands = Arc<Mutex<HashMap<u64, Held>>>;

/// Everything a worker needs while it works on one campaign.
struct Shift<'a> {
    worker: &'a Worker,
    client: async_nats::Client,
    context: jetstream::Context,
    names: Names,
    notice: Notice,
    crews: Vec<(Kind, Crew)>,
    /// Units that the devices of each kind want at once.
    appetites: HashMap<Kind, usize>,
    /// Room for units of each kind; closed when no more are wanted.
    places: HashMap<Kind, Arc<Semaphore>>,
    hands: Hands,
    events: mpsc::UnboundedReceiver<Event>,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    name: String,
}

#[allow(clippy::large_enum_variant)] // few are alive at a time, and trouble is rare
enum Arrival {
    Unit(Kind, jetstream::Message, OwnedSemaphorePermit),
    Trouble(String),
}

impl<'a> Shift<'a> {
    fn start(
        worker: &'a Worker,
        client: async_nats::Client,
        context: jetstream::Context,
        names: Names,
        notice: Notice,
        devices: Vec<Box<dyn Device>>,
    ) -> Shift<'a> {
        let (tell, events) = mpsc::unbounded_channel();
        let (arrive, arrivals) = mpsc::unbounded_channel();
        let mut by_kind: HashMap<Kind, Vec<Box<dyn Device>>> = HashMap::new();
        for device in devices {
            by_kind.entry(device.kind()).or_default().push(device);
        }
        let mut crews = Vec::new();
        let mut appetites = HashMap::new();
        let mut places = HashMap::new();
        for (kind, devices) in by_kind {
            let appetite: usize = devices.iter().map(|d| d.appetite()).sum();
            appetites.insert(kind, appetite);
            let room = Arc::new(Semaphore::new(2 * appetite));
            places.insert(kind, Arc::clone(&room));
            tokio::spawn(fetch(
                context.clone(),
                names.clone(),
                kind,
                room,
                arrive.clone(),
            ));
            let tell = tell.clone();
            let crew = Crew::start(devices, move |event| {
                let _ = tell.send(event);
            });
            crews.push((kind, crew));
        }
        Shift {
            worker,
            client,
            context,
            names,
            notice,
            crews,
            appetites,
            places,
            hands: Arc::default(),
            events,
            arrivals,
            name: format!("{}-{:08x}", process::host(), random() as u32),
        }
    }

    async fn run(
        mut self,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<End, QueueError> {
        let lease = Duration::from_secs_f64(self.notice.lease_seconds);
        let mut renew = tokio::time::interval(lease / 3);
        let mut hello = tokio::time::interval(HELLO);
        let mut look = tokio::time::interval(Duration::from_millis(50));
        let (watch, mut watched) = mpsc::unbounded_channel();
        tokio::spawn(watch_notice(
            self.context.clone(),
            self.names.clone(),
            watch,
        ));
        loop {
            tokio::select! {
                Some(arrival) = self.arrivals.recv() => match arrival {
                    Arrival::Unit(kind, message, place) => self.take(kind, message, place).await?,
                    Arrival::Trouble(why) => news(News::Trouble(&why)),
                },
                Some(event) = self.events.recv() => match event {
                    Event::Counted(row) => {
                        news(News::Counted(&row));
                        self.deliver(row);
                    }
                    Event::Failed { units, device, kind, why, first } => {
                        if first {
                            news(News::DeviceLost { device: &device, why: &why });
                        }
                        self.fail(units, kind).await;
                        if self.crews.iter().all(|(_, crew)| crew.is_empty()) {
                            self.give_back().await;
                            return Err(QueueError::NoDevice(format!("{device}: {why}")));
                        }
                    }
                },
                Some(state) = watched.recv() => match state {
                    None | Some(State::Done) => return Ok(End::Finished),
                    Some(State::Halted(reason)) => {
                        self.give_back().await;
                        let id = self.names.id.clone();
                        return Err(QueueError::Halted { id, reason });
                    }
                    Some(State::Open) => {}
                },
                _ = renew.tick() => self.renew().await,
                _ = hello.tick() => self.say_hello().await,
                _ = look.tick() => if stop.load(Ordering::Relaxed) {
                    self.give_back().await;
                    return Ok(End::Stopped);
                },
            }
        }
    }

    /// Gives a unit that has arrived to the devices.
    async fn take(
        &mut self,
        kind: Kind,
        message: jetstream::Message,
        place: OwnedSemaphorePermit,
    ) -> Result<(), QueueError> {
        let Ok(task) = serde_json::from_slice::<Task>(&message.payload) else {
            // It was not made by our server, and no worker could count it.
            let _ = message.ack_with(AckKind::Term).await;
            return Ok(());
        };
        // The server may have been replaced by a newer one since this worker joined.
        if let Err(refused) = self
            .worker
            .admit(&self.names.id, &task.program, &task.algorithm)
        {
            let _ = message.ack_with(NOT_ME).await;
            self.give_back().await;
            return Err(refused);
        }
        let crew = self.crews.iter().find(|(k, _)| *k == kind);
        let Some((_, crew)) = crew.filter(|(_, crew)| !crew.is_empty()) else {
            // It was asked for before the last device of its kind failed.
            let _ = message.ack_with(NOT_ME).await;
            return Ok(());
        };
        let held = Held {
            message: Arc::new(message),
            _place: place,
        };
        // A unit that is here already came back because a lease ran out, after a long
        // interruption: the new lease replaces the old one, the count goes on.
        if lock(&self.hands).insert(task.unit, held).is_none() {
            crew.give([task.planned()]);
        }
        Ok(())
    }

    /// Publishes a result until it is stored, then acknowledges the unit.
    fn deliver(&self, row: Row) {
        let answer = Answer {
            check_value: row.check_value(&self.notice.plan_digest),
            algorithm: self.worker.algorithm.clone(),
            row,
        };
        let unit = answer.row.unit;
        let subject = self.names.result(&unit);
        let payload = serde_json::to_vec(&answer).unwrap_or_default();
        let (context, hands) = (self.context.clone(), Arc::clone(&self.hands));
        tokio::spawn(async move {
            loop {
                let stored = match context
                    .publish(subject.clone(), payload.clone().into())
                    .await
                {
                    Ok(acknowledgement) => acknowledgement.await.is_ok(),
                    Err(_) => false,
                };
                if stored {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            let message = lock(&hands)
                .get(&unit)
                .map(|held| Arc::clone(&held.message));
            if let Some(message) = message {
                // If the acknowledgement gets lost the unit is counted once more.
                let _ = message.double_ack().await;
            }
            lock(&hands).remove(&unit);
        });
    }

    /// A device is lost: its units go to a colleague or back to the queue.
    async fn fail(&mut self, units: Vec<Planned>, kind: Kind) {
        let crew = self.crews.iter().find(|(k, _)| *k == kind);
        if let Some((_, crew)) = crew.filter(|(_, crew)| !crew.is_empty()) {
            crew.give(units);
            return;
        }
        if let Some(places) = self.places.get(&kind) {
            places.close();
        }
        for unit in units {
            let held = lock(&self.hands).remove(&unit.unit);
            if let Some(held) = held {
                let _ = held.message.ack_with(NOT_ME).await;
            }
        }
    }

    /// Renews every lease.
    async fn renew(&self) {
        let messages: Vec<_> = lock(&self.hands)
            .values()
            .map(|held| Arc::clone(&held.message))
            .collect();
        for message in messages {
            let _ = message.ack_with(AckKind::Progress).await;
        }
    }

    async fn say_hello(&self) {
        let count = |kind| {
            let alive = |(k, crew): &(Kind, Crew)| *k == kind && !crew.is_empty();
            match self.crews.iter().any(alive) {
                true => self.appetites[&kind],
                false => 0,
            }
        };
        let hello = Hello {
            worker: self.name.clone(),
            cpus: count(Kind::Cpu),
            gpus: count(Kind::Gpu),
        };
        let payload = serde_json::to_vec(&hello).unwrap_or_default();
        let _ = self
            .client
            .publish(self.names.hello(), payload.into())
            .await;
    }

    /// Stops the devices and returns every unit at hand to the queue.
    async fn give_back(&mut self) {
        for (_, crew) in &self.crews {
            crew.halt();
        }
        for places in self.places.values() {
            places.close();
        }
        let held: Vec<_> = lock(&self.hands).drain().collect();
        for (_, held) in held {
            let _ = held.message.ack_with(NOT_ME).await;
        }
        // Some more may be on their way.
        while let Ok(Some(arrival)) =
            tokio::time::timeout(Duration::from_millis(50), self.arrivals.recv()).await
        {
            if let Arrival::Unit(_, message, _) = arrival {
                let _ = message.ack_with(NOT_ME).await;
            }
        }
        let farewell = Hello {
            worker: self.name.clone(),
            cpus: 0,
            gpus: 0,
        };
        let payload = serde_json::to_vec(&farewell).unwrap_or_default();
        let _ = self
            .client
            .publish(self.names.hello(), payload.into())
            .await;
        let _ = tokio::time::timeout(Duration::from_secs(1), self.client.flush()).await;
    }
}

fn lock(hands: &Hands) -> std::sync::MutexGuard<'_, HashMap<u64, Held>> {
    hands.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives a unit back with a short delay: this worker's last request may still be waiting for
/// units, and the unit is to go to another worker.
const NOT_ME: AckKind = AckKind::Nak(Some(Duration::from_millis(500)));

/// Fetches units of one kind whenever there is a place for them.
async fn fetch(
    context: jetstream::Context,
    names: Names,
    kind: Kind,
    places: Arc<Semaphore>,
    arrive: mpsc::UnboundedSender<Arrival>,
) {
    let mut patience = Patience::default();
    while !arrive.is_closed() && !places.is_closed() {
        let outcome = fetch_some(&context, &names, kind, &places, &arrive, &mut patience).await;
        if let Err(why) = outcome {
            if patience.fails() {
                let _ = arrive.send(Arrival::Trouble(why));
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }
}

async fn fetch_some(
    context: &jetstream::Context,
    names: &Names,
    kind: Kind,
    places: &Arc<Semaphore>,
    arrive: &mpsc::UnboundedSender<Arrival>,
    patience: &mut Patience,
) -> Result<(), String> {
    let consumer = consumer_of(context, kind.name(), names.stream("units")).await?;
    loop {
        let first = Arc::clone(places)
            .acquire_owned()
            .await
            .map_err(|e| chain(&e))?;
        let mut free = vec![first];
        while let Ok(place) = Arc::clone(places).try_acquire_owned() {
            free.push(place);
        }
        let mut batch = take(&consumer, free.len()).await?;
        while let Some(message) = batch.next().await {
            let message = message.map_err(|e| e.to_string())?;
            patience.works();
            let Some(place) = free.pop() else { break };
            if arrive.send(Arrival::Unit(kind, message, place)).is_err() {
                return Ok(());
            }
        }
    }
}

/// Reports the state of the campaign once a second; `None` when it has gone.
async fn watch_notice(
    context: jetstream::Context,
    names: Names,
    tell: mpsc::UnboundedSender<Option<State>>,
) {
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        // No answer says nothing about the campaign.
        if let Ok(notice) = read_notice(&context, &names).await
            && tell.send(notice.map(|n| n.state)).is_err()
        {
            return;
        }
    }
}
