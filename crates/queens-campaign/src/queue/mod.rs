//! Many machines: the missing units as a work queue on NATS JetStream.
//!
//! ```text
//!             queens-ID-units      queue of units, one subject per unit and kind
//!  serve  ->  queens.ID.unit.cpu.17                     ->  worker  worker  worker
//!    ^        queens.ID.unit.gpu.18                              |
//!    |                                                           |
//!    '------  queens.ID.result.ada.17  <-------------------------'
//!             queens-ID-results    queue of results, emptied by serve into the ledger
//! ```
//!
//! The ledger is the only truth. If the queue loses something, the count is still exact, because
//! the server publishes every unit again that is neither queued nor recorded. NATS keeps both
//! queues on disk and gives each unit to one worker at a time. When that worker stops renewing its
//! lease, NATS gives the unit to another one.
//!
//! - Each unit has its own subject, and a subject holds one message. NATS refuses to queue a unit
//!   that is still queued, so a server that was killed simply starts again.
//! - A worker acknowledges a unit after its result is stored. If it dies before that, the unit
//!   comes back. If it dies between the two steps, the unit is counted twice, and the ledger
//!   compares the counts.
//! - The subject of a result names the worker, and NATS lets each key publish only under its own
//!   name, so a result comes from the worker that it names. Each worker receives answers only under
//!   its own name, so nobody reads the results of others.
//! - A third stream, `queens-ID-notice`, holds one message, the notice: what is being counted, by
//!   which program and which algorithm. Workers read it first and leave if theirs differ. A fourth
//!   stream, `queens-ID-dead`, keeps the last results that were refused.
//! - Workers say hello every two seconds, so that the server knows how many units of each kind to
//!   queue. Servers announce themselves, so that two copies of a campaign are not served at once.
//!
//! Server and worker each have two parts: a machine that decides, without clock, thread or network
//! (`desk`, `shift`), and a shell that carries out the machine's wishes through NATS ([`serve`],
//! [`work`]). `simulation`, which is built only for tests, drives the same machines through
//! thousands of unlucky days.

mod desk;
mod message;
mod refusal;
pub mod serve;
mod shift;
#[cfg(test)]
mod simulation;
pub mod work;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::device::DeviceError;
use crate::ledger::LedgerError;
use async_nats::jetstream::{
    self,
    consumer::{PullConsumer, pull},
};
pub use message::is_name;
use message::{Names, Notice};

/// Why work over NATS failed.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The campaign file.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A device.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// No connection to the server.
    #[error("cannot connect to {url}: {why}")]
    Connect {
        /// The address.
        url: String,
        /// What happened.
        why: String,
    },
    /// A file with a key or certificate.
    #[error("{}: {why}", path.display())]
    Secret {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The server refuses something.
    #[error("NATS: {what}: {why}")]
    Nats {
        /// What was asked.
        what: &'static str,
        /// What the server said.
        why: String,
    },
    /// The server does not answer a client that proved who it is.
    #[error(
        "{error}; the NATS server may not let this key listen at {inbox}: a worker's --name must be \
         the name that the key has in nats.conf"
    )]
    NoAnswer {
        /// What failed.
        error: Box<QueueError>,
        /// Where the answers should come.
        inbox: String,
    },
    /// Several replicas were asked for.
    #[error("the NATS server is no cluster, so it has no room for replicas; leave out --replicas")]
    NoCluster,
    /// There is more than one campaign to choose from.
    #[error(
        "several campaigns are open here; choose one with --campaign: {}. (One whose server was \
         killed stays open; serve it again, and stop it)",
        .0.join(", ")
    )]
    Several(Vec<String>),
    /// This worker runs another program or algorithm than the campaign wants.
    #[error(
        "this worker is refused: it is {ours} with algorithm {our_algorithm}, and the campaign {id} \
         is served by {theirs} with algorithm {their_algorithm}; use the same version on all machines"
    )]
    OtherProgram {
        /// The campaign.
        id: String,
        /// This program.
        ours: String,
        /// Its algorithm.
        our_algorithm: String,
        /// The server's program.
        theirs: String,
        /// Its algorithm.
        their_algorithm: String,
    },
    /// Another server of the same campaign is at work.
    #[error(
        "the campaign {0} is being served already, from this file or from a copy of it; two \
         servers would take each other's results"
    )]
    ServedElsewhere(String),
    /// The server no longer believes this worker.
    #[error(
        "the worker {name} was shut out of the campaign {id} because it counted wrongly; look for \
         the fault of this machine, and join under another name"
    )]
    ShutOut {
        /// The campaign.
        id: String,
        /// The worker.
        name: String,
    },
    /// A name that a worker cannot have.
    #[error("a worker's name has up to 64 letters, digits, - and _; {0:?} has not")]
    BadName(String),
    /// No device is left to count with.
    #[error("no device is left to count with: {0}")]
    NoDevice(String),
}

/// How to reach NATS.
#[derive(Clone, Debug, Default)]
pub struct Connect {
    /// For example `tls://queue.example.org:4222`.
    pub url: String,
    /// A credentials file, as `nsc` writes it.
    pub creds: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// Certificates to trust in addition to the system's.
    pub tls_ca: Option<PathBuf>,
    /// This client's certificate and its key.
    pub tls_client: Option<(PathBuf, PathBuf)>,
}

impl Connect {
    /// An error of a client that answers come to at `inbox`, with the likely cause if nothing came.
    fn explain(&self, error: QueueError, inbox: &str) -> QueueError {
        let has_key = self.nkey.is_some() || self.creds.is_some();
        match has_key && error.to_string().contains("timed out") {
            true => QueueError::NoAnswer {
                error: Box::new(error),
                inbox: inbox.to_owned(),
            },
            false => error,
        }
    }

    /// Connects, or explains why it cannot. Once connected, the client reconnects by itself after
    /// every interruption. Answers come to subjects that begin with `inbox`.
    async fn open(&self, name: &str, inbox: &str) -> Result<async_nats::Client, QueueError> {
        let mut options = async_nats::ConnectOptions::new()
            .name(name)
            .custom_inbox_prefix(inbox)
            .connection_timeout(Duration::from_secs(5))
            .request_timeout(Some(Duration::from_secs(5)))
            .reconnect_delay_callback(|attempts| {
                Duration::from_millis((100 * attempts as u64).min(2_000))
            });
        if let Some(path) = &self.creds {
            options = options
                .credentials_file(path)
                .await
                .map_err(|e| secret(path, &e))?;
        }
        if let Some(path) = &self.nkey {
            let seed = std::fs::read_to_string(path).map_err(|e| secret(path, &e))?;
            // Key files often contain comments.
            let seed = seed
                .lines()
                .map(str::trim)
                .find(|line| is_seed(line))
                .ok_or_else(|| secret(path, &"it holds no seed of an nkey"))?;
            options = options.nkey(seed.to_owned());
        }
        if let Some(path) = &self.tls_ca {
            std::fs::metadata(path).map_err(|e| secret(path, &e))?;
            options = options
                .add_root_certificates(path.clone())
                .require_tls(true);
        }
        if let Some((certificate, key)) = &self.tls_client {
            for path in [certificate, key] {
                std::fs::metadata(path).map_err(|e| secret(path, &e))?;
            }
            options = options
                .add_client_certificate(certificate.clone(), key.clone())
                .require_tls(true);
        }
        let (url, login) = split_login(&self.url);
        match login {
            Some((user, Some(password))) => options = options.user_and_password(user, password),
            Some((token, None)) => options = options.token(token),
            None => {}
        }
        options
            .connect(url.as_str())
            .await
            .map_err(|e| QueueError::Connect {
                url: without_password(&self.url),
                why: refusal::reason(&e),
            })
    }
}

fn secret(path: &Path, why: &dyn std::fmt::Display) -> QueueError {
    QueueError::Secret {
        path: path.to_owned(),
        why: why.to_string(),
    }
}

/// The address without any login before an `@`: passwords do not belong in messages.
fn without_password(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if at > scheme => {
            format!("{}{}", &url[..scheme + 3], &url[at + 1..])
        }
        (None, Some(at)) => url[at + 1..].to_owned(),
        _ => url.to_owned(),
    }
}

/// Splits an address into the bare address and its user and password.
fn split_login(url: &str) -> (String, Option<(String, Option<String>)>) {
    let address = without_password(url);
    let start = url.find("://").map_or(0, |at| at + 3);
    let login = url.rfind('@').filter(|&at| at >= start).map(|at| {
        let (user, password) = match url[start..at].split_once(':') {
            Some((user, password)) => (user, Some(decoded(password))),
            None => (&url[start..at], None),
        };
        (decoded(user), password)
    });
    (address, login)
}

/// Decodes the `%41` of an address to `A`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|h| std::str::from_utf8(h).ok());
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Gets the consumer with this name on a stream.
async fn consumer_of(
    context: &jetstream::Context,
    name: &str,
    stream: String,
) -> Result<PullConsumer, String> {
    let consumer = context.get_consumer_from_stream(name, stream).await;
    consumer.map_err(|e| chain(&e))
}

/// Takes the messages that arrive within two seconds, at most `most` of them.
async fn take(consumer: &PullConsumer, most: usize) -> Result<pull::Batch, String> {
    let batch = consumer
        .batch()
        .max_messages(most)
        .expires(Duration::from_secs(2))
        .messages()
        .await;
    batch.map_err(|e| chain(&e))
}

/// An error with all its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let more = next.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = next.source();
    }
    text
}

fn nats(what: &'static str, error: &dyn std::error::Error) -> QueueError {
    let mut why = chain(error);
    if why.contains("no responders") || why.contains("JetStream resource does not exist") {
        why.push_str(" (is JetStream enabled on the server? start it with `nats-server -js`)");
    }
    QueueError::Nats { what, why }
}

/// Reads the notice of a campaign; `None` if there is none.
async fn read_notice(
    context: &jetstream::Context,
    names: &Names,
) -> Result<Option<Notice>, QueueError> {
    use jetstream::stream::DirectGetErrorKind as Kind;
    let what = "the campaign's notice";
    let stream = context.get_stream_no_info(names.stream("notice")).await;
    let stream = stream.map_err(|e| nats(what, &e))?;
    // Read directly by its subject: this is the only stream whose direct reads a worker's key may
    // be allowed.
    match stream.direct_get_last_for_subject(names.notice()).await {
        Ok(found) => Ok(message::read(&found.payload).ok()),
        Err(e) if e.kind() == Kind::NotFound => Ok(None),
        // Nobody answers for a missing stream.
        Err(e) if chain(&e).contains("no responders") => Ok(None),
        Err(e) => Err(nats(what, &e)),
    }
}

fn is_missing(error: &jetstream::context::GetStreamError) -> bool {
    use jetstream::context::GetStreamErrorKind as Kind;
    matches!(error.kind(), Kind::JetStream(e)
        if e.error_code() == jetstream::ErrorCode::STREAM_NOT_FOUND)
}

/// Returns one second after the flag was raised. That is enough for an orderly end, unless NATS
/// does not answer.
async fn raised_for_long(stop: &std::sync::atomic::AtomicBool) {
    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_millis(1_000)).await;
}

/// Decides when to report an interruption: once, and only after it has lasted a while.
#[derive(Default)]
struct Patience {
    since: Option<std::time::Instant>,
    told: bool,
}

impl Patience {
    fn works(&mut self) {
        *self = Patience::default();
    }

    /// Whether to report this failure.
    fn fails(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(std::time::Instant::now);
        let tell = !self.told && since.elapsed() > Duration::from_secs(3);
        self.told |= tell;
        tell
    }
}

/// A runtime with one thread: the network needs little, and the devices want the cores.
fn runtime() -> Result<tokio::runtime::Runtime, QueueError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| nats("starting", &e))
}

/// Whether a line looks like the seed of an nkey: 58 characters of base 32, the first an S.
fn is_seed(line: &str) -> bool {
    let base32 = |byte: u8| byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte);
    line.len() == 58 && line.starts_with('S') && line.bytes().all(base32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_never_shows() {
        for (url, shown) in [
            ("nats://host:4222", "nats://host:4222"),
            ("nats://ann:secret@host:4222", "nats://host:4222"),
            ("ann:se@cret@host", "host"),
        ] {
            assert_eq!(without_password(url), shown);
            assert_eq!(split_login(url).0, shown);
        }
    }

    #[test]
    fn user_and_password_are_taken_out_of_the_address() {
        let login = |url: &str| split_login(url).1;
        assert_eq!(login("nats://host:4222"), None);
        let both = ("ann".to_owned(), Some("se:cret".to_owned()));
        assert_eq!(login("nats://ann:se:cret@host"), Some(both.clone()));
        assert_eq!(login("ann:se%3Acret@host"), Some(both));
        assert_eq!(login("nats://t0ken@host"), Some(("t0ken".to_owned(), None)));
    }
}
