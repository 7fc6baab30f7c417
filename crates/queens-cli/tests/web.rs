//! `queens serve` as a stranger would meet it: over a socket, and in a real browser.
//!
//! The first tests speak HTTP by hand, because a client library would hide what is wrong
//! with a request or an answer. The last one starts the server and hands its address to
//! the tests of `web/tests`, which use every room of the page in Debian's chromium. It
//! needs the page built (`make web`) and the packages of `scripts/setup-tests`; where one
//! is missing it says so and fails.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

const QUEENS: &str = env!("CARGO_BIN_EXE_queens");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A server on a free port, ended when the value is dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> Server {
        Server::start_with(Command::new(QUEENS).arg("serve"))
    }

    fn start_with(command: &mut Command) -> Server {
        let mut child = command
            .args(["--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("queens starts");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout)
            .read_line(&mut url)
            .expect("it prints its address");
        if url.is_empty() {
            let mut says = String::new();
            let stderr = child.stderr.as_mut().expect("piped");
            stderr.read_to_string(&mut says).expect("it says why");
            panic!("queens serve did not start; `make web` builds the page: {says}");
        }
        let url = url.trim_end().to_owned();
        Server { child, url }
    }

    fn address(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches('/')
    }

    /// Sends bytes and returns all that comes back.
    fn exchange(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address()).expect("it listens");
        // A server that has heard enough may close before all is sent.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        let host = self.address();
        self.exchange(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What `queens serve --open` says and does with a program `xdg-open` of this text.
fn opened_with(xdg_open: Option<&str>) -> (Server, String) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("queens-open-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    if let Some(text) = xdg_open {
        // A shell writes the script: a file that this process, or a child that another test is
        // just starting, has open for writing could not be executed.
        let script = "printf '%s' \"$1\" > xdg-open && chmod 755 xdg-open";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh", text]).current_dir(&folder);
        assert!(shell.status().unwrap().success());
    }
    let mut server = Server::start_with(
        Command::new(QUEENS)
            .args(["serve", "--open"])
            .env("PATH", &folder),
    );
    let mut said = String::new();
    let stderr = server.child.stderr.take().expect("piped");
    BufReader::new(stderr).read_line(&mut said).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    (server, said)
}

#[test]
fn without_a_browser_the_page_is_served_all_the_same() {
    for (xdg_open, why) in [
        (None, "there is no xdg-open"),
        (Some("#!/bin/sh\nexit 3\n"), "xdg-open found none"),
    ] {
        let (server, said) = opened_with(xdg_open);
        let url = &server.url;
        assert_eq!(
            said,
            format!("queens: cannot open a browser ({why}); the page is at {url}\n")
        );
        assert!(server.get("/").starts_with("HTTP/1.1 200 "));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_given_the_address() {
    // This browser prints the address where the test can read it.
    let (server, said) = opened_with(Some("#!/bin/sh\necho \"$1\" > /proc/$PPID/fd/2\n"));
    assert_eq!(said.trim_end(), server.url);
}

#[test]
fn hundreds_who_connect_and_say_nothing_keep_nobody_out() {
    let server = Server::start();
    let silent: Vec<TcpStream> = (0..300)
        .map(|_| TcpStream::connect(server.address()).expect("it listens"))
        .collect();
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address()).expect("it listens");
            // The server may have closed it already.
            let _ = stream.write_all(b"GET / HT");
            stream
        })
        .collect();
    for _ in 0..60 {
        let answer = server.get("/");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer:.200}");
    }
    drop((silent, slow));
}

#[test]
fn the_page_is_served_on_loopback_with_strict_headers() {
    let server = Server::start();
    assert!(
        server.url.starts_with("http://127.0.0.1:"),
        "{}",
        server.url
    );
    let answer = server.get("/");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    for header in [
        "Content-Type: text/html; charset=utf-8\r\n",
        "Content-Security-Policy: default-src 'none';",
        "X-Content-Type-Options: nosniff\r\n",
    ] {
        assert!(answer.contains(header), "{header}");
    }
    assert!(answer.contains("<title>Queens</title>"));
    let tag = answer.lines().find_map(|line| line.strip_prefix("ETag: "));
    let tag = tag.expect("a file has a tag");
    let known = format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nIf-None-Match: {tag}\r\n\r\n",
        server.address()
    );
    let known = server.exchange(known.as_bytes());
    assert!(
        known.starts_with("HTTP/1.1 304 Not Modified\r\n"),
        "{known}"
    );
    assert!(known.ends_with("\r\n\r\n"), "{known}");
    assert!(
        server
            .get("/queens.wasm.gz")
            .contains("Content-Type: application/gzip\r\n")
    );
    let host = server.address();
    let head = server.exchange(format!("HEAD / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
    assert!(
        head.starts_with("HTTP/1.1 200 OK\r\n") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
}

#[test]
fn a_site_that_is_named_may_frame_the_page() {
    let mut serve = Command::new(QUEENS);
    serve.args(["serve", "--embed", "https://course.example"]);
    let answer = Server::start_with(&mut serve).get("/");
    assert!(answer.contains("frame-ancestors https://course.example\r\n"));
    assert!(!answer.contains("X-Frame-Options"));
    let output = Command::new(QUEENS)
        .args(["serve", "--embed", "course.example/page"])
        .output()
        .expect("queens runs");
    let says = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{says}");
    assert!(says.contains("https://course.example"), "{says}");
}

#[test]
fn strange_requests_are_turned_away_and_the_server_lives_on() {
    let server = Server::start();
    let status = |request: &[u8]| {
        let answer = server.exchange(request);
        answer.lines().next().unwrap_or_default().to_owned()
    };
    assert!(server.get("/../Cargo.toml").starts_with("HTTP/1.1 404 "));
    assert_eq!(
        status(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
        "HTTP/1.1 421 Misdirected Request"
    );
    assert_eq!(status(b"\x00\xff\r\n\r\n"), "HTTP/1.1 400 Bad Request");
    let post = format!("POST / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
    assert_eq!(status(post.as_bytes()), "HTTP/1.1 405 Method Not Allowed");
    let long = [b"GET / HTTP/1.1\r\nX: ".as_slice(), &[b'a'; 60_000]].concat();
    assert_eq!(
        status(&long),
        "HTTP/1.1 431 Request Header Fields Too Large"
    );
    // Clients that say nothing hold a place each, and nobody else is kept waiting.
    let idle: Vec<_> = (0..20)
        .map(|_| TcpStream::connect(server.address()).expect("it listens"))
        .collect();
    assert!(server.get("/").starts_with("HTTP/1.1 200 OK\r\n"));
    drop(idle);
}

#[test]
fn a_port_in_use_and_a_port_that_is_none_are_told_in_one_line() {
    let server = Server::start();
    let port = server
        .address()
        .rsplit(':')
        .next()
        .expect("a port")
        .to_owned();
    for port in [port.as_str(), "70000", "-1", "x"] {
        let output = Command::new(QUEENS)
            .args(["serve", "--port", port])
            .output()
            .expect("queens runs");
        let says = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{port}: {says}");
        assert!(output.stdout.is_empty(), "{port}");
        assert!(
            says.starts_with("queens: ") && says.lines().count() == 1,
            "{says}"
        );
        // Only the port in use comes with advice.
        let advised = says.contains("--port 0 takes any that is free");
        assert_eq!(advised, server.address().ends_with(port), "{says}");
    }
}

#[test]
fn ctrl_c_ends_the_server_in_good_order() {
    let mut server = Server::start();
    let id = server.child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("kill runs").success());
    assert_eq!(server.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn the_page_works_in_a_real_browser() {
    let web = root().join("web");
    assert!(
        web.join("node_modules/playwright-core").is_dir(),
        "the browser tests need playwright-core and axe-core: run scripts/setup-tests"
    );
    let server = Server::start();
    let tests = std::fs::read_dir(web.join("tests")).expect("the tests are there");
    let mut files: Vec<_> = tests.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    files.sort();
    assert!(!files.is_empty());
    let status = Command::new("node")
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .args(files)
        .current_dir(&web)
        .env("QUEENS_URL", &server.url)
        .env("QUEENS_BIN", QUEENS)
        .env("QUEENS_SHOTS", root().join("target/web-screenshots"))
        .status()
        .expect("node runs; scripts/setup-tests installs it");
    assert!(status.success(), "the browser tests failed; see above");
}
