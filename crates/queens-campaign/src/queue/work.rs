//! A worker: takes units from the queue, counts them and sends back the results.
//!
//! The shift (`shift.rs`) decides what to do; this file does it through NATS. The devices count in
//! threads of their own, as in [`crate::runner`]; one more thread talks to NATS. When the
//! connection breaks, the devices go on with the units they have, and the results are sent when
//! NATS is back.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt;
use queens::count::two_colour;
use tokio::sync::mpsc;

use super::desk::Token;
use super::message::{self, Names, Notice, State, is_name};
pub use super::shift::End;
use super::shift::{Input, Output, Shift, Told};
use super::{
    Connect, Patience, QueueError, chain, consumer_of, nats, raised_for_long, read_notice, runtime,
    take,
};
use crate::crew::{Crew, Event};
use crate::device::{Device, DeviceError, Kind};
use crate::process;
use crate::row::Row;
use crate::world::random;

/// What a worker is and what it wants.
#[derive(Clone, Debug)]
pub struct Worker {
    /// How to reach NATS.
    pub connect: Connect,
    /// Its name, by which the server decides whether to believe it. The default is the name of the
    /// machine and a number.
    pub name: Option<String>,
    /// The campaign to work on; needed only if several are served.
    pub campaign: Option<String>,
    /// This program and its version.
    pub program: String,
    /// The algorithm that its devices use.
    pub algorithm: String,
}

/// What a worker tells its caller.
#[derive(Debug)]
pub enum News<'a> {
    /// No campaign is being served yet.
    Waiting,
    /// It has joined a campaign.
    Joined {
        /// The campaign's identifier.
        campaign: &'a str,
        /// Size of the board.
        n: u32,
        /// How many devices count.
        devices: usize,
        /// The name of the worker.
        name: &'a str,
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
    /// A device shows no progress; its units have been given back.
    Hung {
        /// The units.
        units: &'a [u64],
        /// How long the worker waited for it.
        seconds: u64,
    },
    /// It waits for the server, for this reason.
    Waits(&'a str),
    /// NATS does not answer; the worker keeps trying.
    Trouble(&'a str),
}

/// Opens the devices for boards of a given size.
pub type Open<'a> = dyn Fn(u32) -> Result<Vec<Box<dyn Device>>, DeviceError> + 'a;

impl Worker {
    /// Works until the campaign is complete or `stop` becomes true.
    ///
    /// # Errors
    ///
    /// When NATS cannot be reached or used at the start, this program is refused, the worker is
    /// shut out, or no device is left.
    pub fn work(
        &self,
        open: &Open<'_>,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<End, QueueError> {
        let name = match &self.name {
            Some(name) if is_name(name) => name.clone(),
            Some(name) => return Err(QueueError::BadName(name.clone())),
            None => {
                let host: String = process::host().chars().take(40).collect();
                format!("{host}-{:08x}", random() as u32)
            }
        };
        runtime()?.block_on(async {
            let client = self.connect.open("queens worker", &inbox(&name)).await?;
            let context = jetstream::new(client.clone());
            let inbox = inbox(&name);
            let found = tokio::select! {
                found = self.find(&context, &inbox, stop, news) => found?,
                () = raised_for_long(stop) => None,
            };
            let Some((names, notice)) = found else {
                return Ok(End::Stopped);
            };
            self.admit(&notice)?;
            let devices = open(notice.n)?;
            news(News::Joined {
                campaign: &notice.campaign,
                n: notice.n,
                devices: devices.len(),
                name: &name,
            });
            let mut appetites = BTreeMap::new();
            for device in &devices {
                *appetites.entry(device.kind()).or_default() += device.appetite();
            }
            let engine_units = two_colour::units(notice.n as usize).map_or(0, |units| units.len());
            let ours = (self.program.as_str(), self.algorithm.as_str());
            let now = Duration::ZERO;
            let mut shift = Shift::new(&name, ours, notice, engine_units, &appetites, now);
            let shell = Shell::start(&name, client, context, names, devices);
            shell.run(&mut shift, stop, news).await
        })
    }

    /// Waits for a campaign and reads its notice; `None` when asked to stop. If the NATS server
    /// never gives a useful answer, that is an error; if it has answered before, the worker waits.
    async fn find(
        &self,
        context: &jetstream::Context,
        inbox: &str,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<Option<(Names, Notice)>, QueueError> {
        let (mut told, mut answered) = (false, false);
        let mut failing: Option<Instant> = None;
        let mut patience = Patience::default();
        while !stop.load(Ordering::Relaxed) {
            match self.look(context).await {
                Ok(found) => {
                    answered = true;
                    patience.works();
                    let waits = match found {
                        // It may be abandoned, or it may go on.
                        Some((names, notice)) => match notice.state {
                            State::Halted(reason) => Some(format!(
                                "the campaign {} was stopped by its server, waiting: {}",
                                names.id,
                                crate::text::plain(&reason, 500)
                            )),
                            _ => return Ok(Some((names, notice))),
                        },
                        None => self
                            .campaign
                            .as_ref()
                            .map(|id| format!("the campaign {id} is not served here yet; waiting")),
                    };
                    if !told {
                        told = true;
                        news(waits.as_deref().map_or(News::Waiting, News::Waits));
                    }
                }
                Err(error @ QueueError::Nats { .. }) if answered => {
                    if patience.fails() {
                        news(News::Trouble(&error.to_string()));
                    }
                }
                // A server that has just started, or a campaign that is about to end, gives strange
                // answers for a moment.
                Err(error @ QueueError::Nats { .. }) => {
                    let since = *failing.get_or_insert_with(Instant::now);
                    if since.elapsed() > Duration::from_secs(5) {
                        return Err(self.connect.explain(error, inbox));
                    }
                }
                Err(error) => return Err(error),
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        Ok(None)
    }

    /// Finds the campaign to work on, if there is one.
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
                && notice.campaign == names.id
                && notice.state != State::Done
            {
                open.push((names, notice));
            }
        }
        // A halted campaign counts only if no other is open, and one whose server was stopped only
        // if no other is served.
        if open.iter().any(|(_, n)| n.state == State::Open) {
            open.retain(|(_, n)| n.state == State::Open);
        }
        if open.iter().any(|(_, n)| !n.away) {
            open.retain(|(_, n)| !n.away);
        }
        if open.len() > 1 {
            let ids = open.into_iter().map(|(names, _)| names.id).collect();
            return Err(QueueError::Several(ids));
        }
        Ok(open.pop())
    }

    /// Refuses to work if the campaign wants another program.
    fn admit(&self, notice: &Notice) -> Result<(), QueueError> {
        if notice.program == self.program && notice.algorithm == self.algorithm {
            return Ok(());
        }
        Err(QueueError::OtherProgram {
            id: notice.campaign.clone(),
            ours: self.program.clone(),
            our_algorithm: self.algorithm.clone(),
            theirs: crate::text::plain(&notice.program, 100),
            their_algorithm: crate::text::plain(&notice.algorithm, 100),
        })
    }
}

/// What the shell hears from the network and the devices.
#[allow(clippy::large_enum_variant)] // few are alive at a time
enum Happens {
    Heard(Input),
    Unit(Kind, jetstream::Message),
    /// A fetch ended; if it failed, why.
    Fetched(Kind, Option<String>),
    Device(Event),
}

type Tell = mpsc::UnboundedSender<Happens>;

/// The network and the devices around a shift.
struct Shell {
    name: String,
    client: async_nats::Client,
    context: jetstream::Context,
    names: Names,
    crews: BTreeMap<Kind, Crew>,
    tell: Tell,
    happens: mpsc::UnboundedReceiver<Happens>,
    messages: BTreeMap<Token, Arc<jetstream::Message>>,
    last: Token,
    begun: Instant,
}

impl Shell {
    fn start(
        name: &str,
        client: async_nats::Client,
        context: jetstream::Context,
        names: Names,
        devices: Vec<Box<dyn Device>>,
    ) -> Shell {
        let (tell, happens) = mpsc::unbounded_channel();
        let mut by_kind: BTreeMap<Kind, Vec<Box<dyn Device>>> = BTreeMap::new();
        for device in devices {
            by_kind.entry(device.kind()).or_default().push(device);
        }
        let crews = by_kind
            .into_iter()
            .map(|(kind, devices)| {
                let tell = tell.clone();
                let crew = Crew::start(devices, move |event| {
                    let _ = tell.send(Happens::Device(event));
                });
                (kind, crew)
            })
            .collect();
        Shell {
            name: name.to_owned(),
            client,
            context,
            names,
            crews,
            tell,
            happens,
            messages: BTreeMap::new(),
            last: 0,
            begun: Instant::now(),
        }
    }

    async fn run(
        mut self,
        shift: &mut Shift,
        stop: &AtomicBool,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<End, QueueError> {
        let mut look = tokio::time::interval(Duration::from_millis(50));
        let mut patience: HashMap<Kind, Patience> = HashMap::new();
        loop {
            let input = tokio::select! {
                Some(what) = self.happens.recv() => match what {
                    Happens::Heard(input) => input,
                    Happens::Unit(kind, message) => {
                        patience.entry(kind).or_default().works();
                        self.last += 1;
                        let payload = message.payload.to_vec();
                        self.messages.insert(self.last, Arc::new(message));
                        Input::Unit { kind, token: self.last, payload }
                    }
                    Happens::Fetched(kind, trouble) => {
                        let patience = patience.entry(kind).or_default();
                        let failed = trouble.is_some();
                        let tell = trouble.filter(|_| patience.fails());
                        if let Some(why) = &tell {
                            news(News::Trouble(why));
                        }
                        if !failed {
                            patience.works();
                        }
                        Input::Fetched(kind, failed)
                    }
                    Happens::Device(event) => self.of_device(event),
                },
                _ = look.tick() => Input::Tick,
            };
            let outcome = shift.hear(input, self.begun.elapsed());
            self.carry_out(shift, news).await;
            if let Err(error) = outcome {
                self.return_latecomers().await;
                return Err(error);
            }
            if stop.load(Ordering::Relaxed) && shift.ended().is_none() {
                shift.stop();
                self.carry_out(shift, news).await;
                self.return_latecomers().await;
            }
            if let Some(end) = shift.ended() {
                return Ok(end);
            }
        }
    }

    /// Translates a device's event for the shift.
    fn of_device(&self, event: Event) -> Input {
        match event {
            Event::Begun { units, .. } => Input::Begun(units),
            Event::Progress(units) => Input::Progress(units),
            Event::Counted(row) => Input::Counted(row),
            Event::Failed {
                units,
                device,
                kind,
                why,
                first,
            } => Input::Lost {
                units,
                kind,
                device,
                why,
                first,
                last_of_kind: self.crews.get(&kind).is_none_or(Crew::is_empty),
                last: self.crews.values().all(Crew::is_empty),
            },
        }
    }

    async fn carry_out(&mut self, shift: &mut Shift, news: &mut dyn FnMut(News<'_>)) {
        let mut said: Vec<(Arc<jetstream::Message>, AckKind)> = Vec::new();
        let mut parting = false;
        for output in shift.outputs() {
            match output {
                Output::Fetch(kind, number) => {
                    let (context, names, tell) =
                        (self.context.clone(), self.names.clone(), self.tell.clone());
                    tokio::spawn(async move {
                        let outcome = fetch(&context, &names, kind, number, &tell).await;
                        let _ = tell.send(Happens::Fetched(kind, outcome.err()));
                    });
                }
                Output::Give(kind, planned) => {
                    if let Some(crew) = self.crews.get(&kind) {
                        crew.give([planned]);
                    }
                }
                Output::Clear => {
                    self.crews.values().for_each(|crew| drop(crew.take_back()));
                }
                Output::Halt => {
                    self.crews.values().for_each(Crew::halt);
                    parting = true;
                }
                Output::Publish {
                    unit,
                    subject,
                    payload,
                } => {
                    let (context, tell) = (self.context.clone(), self.tell.clone());
                    tokio::spawn(async move {
                        let stored = match context.publish(subject, payload.into()).await {
                            Ok(stored) => stored.await.is_ok(),
                            Err(_) => false,
                        };
                        let _ = tell.send(Happens::Heard(Input::Stored(unit, stored)));
                    });
                }
                Output::Ack(token) => {
                    said.extend(self.messages.remove(&token).map(|m| (m, AckKind::Ack)));
                }
                Output::GiveBack(token) => {
                    said.extend(self.messages.remove(&token).map(|m| (m, NOT_ME)));
                }
                Output::Terminate(token) => {
                    said.extend(self.messages.remove(&token).map(|m| (m, AckKind::Term)));
                }
                Output::Renew(token) => {
                    let message = self.messages.get(&token).map(Arc::clone);
                    said.extend(message.map(|m| (m, AckKind::Progress)));
                }
                Output::Hello(hello) => {
                    let (client, subject) = (self.client.clone(), self.names.hello(&self.name));
                    let greeting = async move {
                        let _ = client.publish(subject, message::write(&hello).into()).await;
                    };
                    match parting {
                        true => drop(tokio::time::timeout(PARTING, greeting).await),
                        false => drop(tokio::spawn(greeting)),
                    }
                }
                Output::ReadNotice => {
                    let (context, names, tell) =
                        (self.context.clone(), self.names.clone(), self.tell.clone());
                    tokio::spawn(async move {
                        // No answer means nothing for the campaign.
                        if let Ok(notice) = read_notice(&context, &names).await {
                            let input = Input::Notice(notice.map(Box::new));
                            let _ = tell.send(Happens::Heard(input));
                        }
                    });
                }
                Output::Tell(told) => match told {
                    Told::Counted(row) => news(News::Counted(&row)),
                    Told::DeviceLost { device, why } => news(News::DeviceLost {
                        device: &device,
                        why: &why,
                    }),
                    Told::Hung { units, seconds } => news(News::Hung {
                        units: &units,
                        seconds,
                    }),
                    Told::Waits(why) => news(News::Waits(&why)),
                },
            }
        }
        let say = async {
            for (message, how) in said {
                let _ = message.ack_with(how).await;
            }
            if parting {
                let _ = self.client.flush().await;
            }
        };
        // Without a connection this could take long.
        let _ = tokio::time::timeout(PARTING, say).await;
    }

    /// Gives back units that arrive after the work has ended.
    async fn return_latecomers(&mut self) {
        while let Ok(Some(what)) =
            tokio::time::timeout(Duration::from_millis(50), self.happens.recv()).await
        {
            if let Happens::Unit(_, message) = what {
                let _ = message.ack_with(NOT_ME).await;
            }
        }
        let _ = tokio::time::timeout(PARTING, self.client.flush()).await;
    }
}

/// Where the NATS server sends its answers: a key can be restricted to listen only there.
fn inbox(name: &str) -> String {
    format!("_INBOX_{name}")
}

/// How long to wait for the network at the end.
const PARTING: Duration = Duration::from_secs(1);

/// Gives a unit back after a delay. This worker's last request may still be waiting for units, and
/// the delay lets the unit go to somebody else.
const NOT_ME: AckKind = AckKind::Nak(Some(Duration::from_millis(500)));

/// Fetches units of one kind.
async fn fetch(
    context: &jetstream::Context,
    names: &Names,
    kind: Kind,
    number: usize,
    tell: &Tell,
) -> Result<(), String> {
    let consumer = consumer_of(context, kind.name(), names.stream("units")).await?;
    let mut batch = take(&consumer, number).await?;
    while let Some(message) = batch.next().await {
        let message = message.map_err(|e| chain(&*e))?;
        if tell.send(Happens::Unit(kind, message)).is_err() {
            return Ok(());
        }
    }
    Ok(())
}
