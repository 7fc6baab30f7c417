//! `queens serve`: the page that teaches N-Queens, from this binary, on this machine only.
//!
//! The page is a dozen files that never change while the program runs, and the only visitor
//! is a browser on the same machine. So the server is written here, on the standard
//! library: a table from names to bytes, one thread per connection, `GET` and `HEAD`. A
//! framework with an asynchronous runtime would be some eighty crates and half a minute of
//! compiling to do the same. What a small server must still get right:
//!
//! - it binds loopback addresses only, and answers only requests whose `Host` names this
//!   machine, so that a strange page cannot reach it under a name of its own;
//! - the table is the whole file system it knows: there is no path to climb out of;
//! - requests have a size limit and a time limit, connections a number limit, so that a
//!   stuck or hostile client cannot hold it;
//! - every answer carries a strict Content-Security-Policy and its companions, and the
//!   type of its file; browsers are told not to guess.
//!
//! A file carries a tag made from its bytes; a browser that has the file already gets a short
//! answer instead of it. No other page may frame this one unless `--embed` names its site.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::support::crowd::Crowd;
use crate::support::http::{self, Refusal};
use crate::support::out::Out;
use crate::support::{markdown, stop};

/// Serve the page that teaches N-Queens, on this machine
///
/// Prints the address and serves until Ctrl-C. The page shows the search step by step,
/// lets you place queens, lists all solutions, and races the engines, all computed in the
/// browser by this same library. It is reachable from this machine only, and needs no
/// network.
///
/// The page is part of this program when it was built with `make`; `make web` builds the
/// same page as a folder, web/dist, for any web server.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  queens serve                  http://127.0.0.1:8428/
  queens serve --open           and open it in the browser
  queens serve, then /course    the five course documents, figure by figure; the chapters they
                                link to are at /algorithms and /mips
  queens serve --port 0         on any free port; the address printed says which
  queens serve --embed https://course.example
                                and that site may show it in a frame")]
pub struct Args {
    /// The port to listen on; 0 for any that is free
    #[arg(long, value_name = "PORT", value_parser = crate::support::size::port, default_value_t = 8428)]
    port: u16,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    /// Let the pages of this site show it in a frame, like https://course.example
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    embed: Option<String>,
}

/// A site as headers name it: a scheme, a host, perhaps a port, and nothing else.
fn origin(text: &str) -> Result<String, String> {
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
        .unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
    if host.is_empty() || !host.chars().all(plain) {
        return Err("a site looks like https://course.example, without a path".to_owned());
    }
    Ok(text.to_owned())
}

/// The files of the page and their names; empty when the page was not built.
static PAGE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The longest request accepted. A browser's is about 1 kB.
const LONGEST_REQUEST: usize = 16 * 1024;
/// How long a client may take to send its request, or to take the answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many connections are served at a time; a browser opens six.
const MOST_CONNECTIONS: usize = 64;

/// Sent with every answer, beside the headers of [`framing`]. The page loads nothing from
/// elsewhere, runs no inline script, and tells nobody where its visitor came from.
const HEADERS: &str = "X-Content-Type-Options: nosniff\r\n\
     Referrer-Policy: no-referrer\r\n\
     Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()\r\n\
     Cross-Origin-Opener-Policy: same-origin\r\n\
     Cross-Origin-Embedder-Policy: require-corp\r\n\
     Cache-Control: no-cache\r\n\
     Connection: close\r\n";

const POLICY: &str = "Content-Security-Policy: default-src 'none'; \
     script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; \
     connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors";

/// The headers that say who may show the page in a frame: nobody, or one site.
fn framing(embed: Option<&str>) -> String {
    match embed {
        None => format!(
            "{POLICY} 'none'\r\nX-Frame-Options: DENY\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n"
        ),
        Some(site) => {
            format!("{POLICY} {site}\r\nCross-Origin-Resource-Policy: cross-origin\r\n")
        }
    }
}

/// A name for some bytes that changes when they do: their FNV-1a hash.
fn tag(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, step);
    format!("\"{hash:016x}\"")
}

/// Runs the verb.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !PAGE.is_empty(),
        "this build does not contain the page; run `make web` in the source folder and build again"
    );
    let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => anyhow::bail!(
            "another program listens on port {}, perhaps another `queens serve`; --port 0 takes \
             any that is free",
            args.port
        ),
        other => other.with_context(|| format!("cannot listen on 127.0.0.1:{}", args.port))?,
    };
    let address = listener.local_addr().context("cannot tell the address")?;
    let stop = stop::on_interrupt()?;

    let url = format!("http://{address}/");
    let mut out = Out::stdout();
    out.line(&url)?;
    out.finish()?;
    if args.open {
        open(url);
    }

    // The standard library cannot wait for a connection and for Ctrl-C at the same time; a look
    // at both every 20 milliseconds costs nothing that can be noticed.
    listener
        .set_nonblocking(true)
        .context("cannot listen without waiting")?;
    let crowd = Crowd::new(MOST_CONNECTIONS);
    let framing: Arc<str> = framing(args.embed.as_deref()).into();
    while !stop.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, _)) => admit(stream, &crowd, address, &framing),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(20));
            }
            // A client that gave up before it was accepted, or no descriptor left for the
            // moment: neither ends the service.
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves one connection in a thread of its own.
fn admit(stream: TcpStream, crowd: &Arc<Crowd>, address: SocketAddr, framing: &Arc<str>) {
    let framing = Arc::clone(framing);
    // Without a place or a thread the connection is closed, and the client may try again.
    if let Ok(place) = crowd.enter(&stream) {
        let _ = std::thread::Builder::new().spawn(move || {
            let _place = place;
            // A client that breaks off is no error of the server.
            let _ = serve(stream, address, &framing);
        });
    }
}

fn serve(mut stream: TcpStream, address: SocketAddr, framing: &str) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let answer = match read_request(&mut stream)? {
        Some(request) => respond(&request, address),
        None => Answer::plain("431 Request Header Fields Too Large", "too long\n"),
    };
    stream.write_all(answer.head(framing).as_bytes())?;
    if !answer.head_only {
        stream.write_all(answer.body)?;
    }
    stream.flush()?;
    stream.shutdown(Shutdown::Write)?;
    // What the client still sends is read before the socket closes: closing it unread
    // would reset the connection and could take the answer with it.
    let mut rest = [0; 1024];
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline && stream.read(&mut rest)? > 0 {}
    Ok(())
}

/// Reads up to the blank line that ends a request's head; `None` if it is too long.
fn read_request(stream: &mut TcpStream) -> io::Result<Option<Vec<u8>>> {
    let deadline = Instant::now() + PATIENCE;
    let mut request = Vec::new();
    let mut piece = [0; 2048];
    while !http::is_complete(&request) {
        if request.len() > LONGEST_REQUEST {
            return Ok(None);
        }
        // The limit is for the whole request; sending one byte now and then does not stretch it.
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => request.extend_from_slice(&piece[..count]),
        }
    }
    Ok(Some(request))
}

/// What goes back to the client.
struct Answer {
    status: &'static str,
    kind: &'static str,
    body: &'static [u8],
    extra: String,
    tag: Option<String>,
    head_only: bool,
}

impl Answer {
    fn plain(status: &'static str, body: &'static str) -> Answer {
        Answer {
            status,
            kind: "text/plain; charset=utf-8",
            body: body.as_bytes(),
            extra: String::new(),
            tag: None,
            head_only: false,
        }
    }

    fn head(&self, framing: &str) -> String {
        let Answer {
            status,
            kind,
            extra,
            ..
        } = self;
        let length = self.body.len();
        let tag = self.tag.as_ref();
        let tag = tag.map_or(String::new(), |tag| format!("ETag: {tag}\r\n"));
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
             {extra}{tag}{framing}{HEADERS}\r\n"
        )
    }
}

/// Finds the answer to a request; `address` is where this server listens.
fn respond(request: &[u8], address: SocketAddr) -> Answer {
    let request = match http::read(request, address.port()) {
        Ok(request) => request,
        Err(Refusal::NotHttp) => {
            return Answer::plain("400 Bad Request", "this is no HTTP request\n");
        }
        Err(Refusal::OtherMachine) => {
            let says = "this page is served to this machine only, as 127.0.0.1 or localhost\n";
            return Answer::plain("421 Misdirected Request", says);
        }
        Err(Refusal::OtherMethod) => {
            return Answer {
                extra: "Allow: GET, HEAD\r\n".to_owned(),
                ..Answer::plain("405 Method Not Allowed", "only GET and HEAD\n")
            };
        }
    };
    let name = match request.name {
        "" => "index.html",
        name => name,
    };
    // Links in a chapter are relative, so each chapter has one address, without a slash.
    if let Some(bare) = name
        .strip_suffix('/')
        .filter(|bare| chapter(bare).is_some())
    {
        return Answer {
            extra: format!("Location: /{bare}\r\n"),
            head_only: request.head_only,
            ..Answer::plain(
                "308 Permanent Redirect",
                "it is at the address without a slash\n",
            )
        };
    }
    let page = PAGE.iter().copied().find(|(file, _)| *file == name);
    let page = page.map(|(file, body)| {
        (
            file,
            if file == "index.html" {
                index(body)
            } else {
                body
            },
        )
    });
    let mut answer = match page.or_else(|| document(name)) {
        Some((file, body)) => {
            let tag = tag(body);
            let known = request.known.contains(&tag);
            Answer {
                status: if known { "304 Not Modified" } else { "200 OK" },
                kind: media_type(file),
                body: if known { b"" } else { body },
                extra: String::new(),
                tag: Some(tag),
                head_only: false,
            }
        }
        None => Answer::plain("404 Not Found", "there is no such file; the page is at /\n"),
    };
    answer.head_only = request.head_only;
    answer
}

/// The first file of the page, with its link to the course documents made visible: only this
/// server has the page that it links to.
fn index(body: &'static [u8]) -> &'static [u8] {
    static INDEX: OnceLock<Vec<u8>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let text = String::from_utf8_lossy(body);
        text.replace("<span data-course hidden>", "<span data-course>")
            .into_bytes()
    })
}

/// The page of a chapter of the documents.
fn chapter(name: &str) -> Option<&'static str> {
    static PAGES: OnceLock<Vec<String>> = OnceLock::new();
    let at = markdown::CHAPTERS
        .iter()
        .position(|(chapter, _)| *chapter == name)?;
    let pages = PAGES.get_or_init(|| {
        let texts = markdown::CHAPTERS.iter().map(|(_, text)| text);
        texts
            .map(|text| markdown::page(text, "course.css"))
            .collect()
    });
    Some(&pages[at])
}

/// The files of the documents: chapters as HTML, their style, their pictures.
fn document(name: &str) -> Option<(&'static str, &'static [u8])> {
    match name {
        "course.css" => Some(("course.css", include_bytes!("course.css"))),
        "img/diagonals.svg" => Some((
            "diagonals.svg",
            include_bytes!("../../../../docs/img/diagonals.svg"),
        )),
        "img/two-colour.svg" => Some((
            "two-colour.svg",
            include_bytes!("../../../../docs/img/two-colour.svg"),
        )),
        name => {
            let page = chapter(name.strip_suffix(".html").unwrap_or(name))?;
            Some(("chapter.html", page.as_bytes()))
        }
    }
}

fn media_type(file: &str) -> &'static str {
    match file.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "gz" => "application/gzip",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

/// Opens an address in the user's browser. If that fails, a line says so and the user can do it
/// by hand; the page is served all the same.
fn open(url: String) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(&url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let cannot = move |why: String, url: &str| {
        tell!("queens: cannot open a browser ({why}); the page is at {url}");
    };
    let address = url.clone();
    let open = move || {
        let why = match command.status() {
            Ok(status) if status.success() => return,
            Ok(_) => format!("{program} found none"),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                format!("there is no {program}")
            }
            Err(error) => format!("{program}: {error}"),
        };
        cannot(why, &address);
    };
    if let Err(error) = std::thread::Builder::new().spawn(open) {
        cannot(error.to_string(), &url);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(request: &str) -> Answer {
        respond(request.as_bytes(), "127.0.0.1:8428".parse().unwrap())
    }

    fn get(path: &str) -> Answer {
        ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: localhost:8428\r\n\r\n"
        ))
    }

    #[test]
    fn requests_that_are_none_are_refused() {
        for bad in [
            "",
            "GET /\r\n\r\n",
            "GET / FTP/1.1\r\nHost: localhost:8428\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost:8428\r\nHost: a\r\n\r\n",
            "GET x HTTP/1.1\r\nHost: localhost:8428\r\n\r\n",
            "GET / a HTTP/1.1\r\nHost: localhost:8428\r\n\r\n",
            "GET /\r HTTP/1.1\r\nHost: localhost:8428\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\nHost: localhost:8428\r\n\r\n",
            "GET /\0 HTTP/1.1\r\nHost: localhost:8428\r\n\r\n",
        ] {
            assert_eq!(ask(bad).status, "400 Bad Request", "{bad:?}");
        }
        assert_eq!(
            respond(b"\xff\xfe", "127.0.0.1:1".parse().unwrap()).status,
            "400 Bad Request"
        );
    }

    #[test]
    fn strangers_and_other_methods_are_turned_away() {
        let strange = ask("GET / HTTP/1.1\r\nHost: evil.example:8428\r\n\r\n");
        assert_eq!(strange.status, "421 Misdirected Request");
        let post = ask("POST / HTTP/1.1\r\nHost: localhost:8428\r\n\r\n");
        assert_eq!(post.status, "405 Method Not Allowed");
        assert!(post.head("").contains("Allow: GET, HEAD\r\n"));
    }

    #[test]
    fn there_is_no_path_out_of_the_table() {
        for path in [
            "/../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "//etc/passwd",
            "/nothing.js",
            "/index.html/",
        ] {
            assert_eq!(get(path).status, "404 Not Found", "{path}");
        }
    }

    #[test]
    fn the_chapters_are_served_with_their_style_and_their_pictures() {
        for (path, heading) in [
            ("/course", "the-five-course-documents"),
            ("/algorithms", "what-each-board-costs"),
            ("/mips", "how-long-it-takes"),
        ] {
            let page = get(path);
            assert_eq!(
                (page.status, page.kind),
                ("200 OK", "text/html; charset=utf-8")
            );
            let text = std::str::from_utf8(page.body).unwrap();
            assert!(text.contains(&format!(" id=\"{heading}\">")), "{path}");
            // The server has all that the page refers to; its policy allows nothing from elsewhere.
            for before in [" src=\"", "stylesheet\" href=\""] {
                for part in text.split(before).skip(1) {
                    let address = part.split('"').next().unwrap();
                    assert_eq!(get(&format!("/{address}")).status, "200 OK", "{address}");
                }
            }
            assert!(text.contains("stylesheet") && !text.contains(" style="));
            assert!(!text.contains("<script"), "{path}");
            let slash = get(&format!("{path}/"));
            assert_eq!(slash.status, "308 Permanent Redirect");
            assert!(
                slash
                    .head("")
                    .contains(&format!("\r\nLocation: {path}\r\n"))
            );
        }
        let picture = get("/img/diagonals.svg");
        assert_eq!((picture.status, picture.kind), ("200 OK", "image/svg+xml"));
    }

    #[test]
    fn every_answer_has_the_security_headers_and_its_length() {
        for answer in [get("/"), get("/nothing"), ask("")] {
            let head = answer.head(&framing(None));
            for header in [
                "Content-Security-Policy: default-src 'none'",
                "X-Content-Type-Options: nosniff",
                "Referrer-Policy: no-referrer",
            ] {
                assert!(head.contains(header), "{header}");
            }
            assert!(head.contains(&format!("Content-Length: {}\r\n", answer.body.len())));
            assert!(head.ends_with("\r\n\r\n") && !head.contains('\t'));
        }
    }

    #[test]
    fn a_file_that_the_browser_has_is_not_sent_again() {
        let first = get("/index.html");
        // Without the page built in there is nothing to ask for.
        let Some(tag) = first.tag else { return };
        let again = |tags: &str| {
            ask(&format!(
                "GET / HTTP/1.1\r\nHost: localhost:8428\r\nIf-None-Match: {tags}\r\n\r\n"
            ))
        };
        let known = again(&format!("\"other\", {tag}"));
        assert_eq!((known.status, known.body.len()), ("304 Not Modified", 0));
        assert_eq!(again("\"other\"").status, "200 OK");
        assert_ne!(super::tag(b"a"), super::tag(b"b"));
    }

    #[test]
    fn one_site_may_frame_the_page_if_it_is_named() {
        let nobody = framing(None);
        assert!(nobody.contains("frame-ancestors 'none'\r\n"));
        assert!(nobody.contains("X-Frame-Options: DENY\r\n"));
        let site = framing(Some("https://course.example"));
        assert!(site.contains("frame-ancestors https://course.example\r\n"));
        assert!(!site.contains("X-Frame-Options"));
        assert!(origin("http://localhost:8000").is_ok());
        for bad in [
            "",
            "course.example",
            "https://",
            "https://a/b",
            "https://a; script-src *",
            "https://a\r\nX: y",
            "ftp://a",
        ] {
            assert!(origin(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn files_of_the_page_have_types_that_browsers_accept() {
        for (file, _) in PAGE {
            assert_ne!(media_type(file), "application/octet-stream", "{file}");
        }
        assert_eq!(media_type("style.css"), "text/css; charset=utf-8");
    }
}
