//! The head of an HTTP request: what `queens serve` reads from a stranger.
//!
//! Any program on this machine can connect and send anything, and any page can make the browser
//! ask under a host name of the page's own. So a head is read strictly: one request line of three
//! words, one `Host` that names this machine and our port, `GET` or `HEAD`, a path.
//! Nothing here touches a socket or a file, so the fuzz target can call it.

use std::net::{Ipv4Addr, Ipv6Addr};

/// What a visitor asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The path without its first slash and without a query.
    pub name: &'a str,
    /// Whether only the head of the answer is wanted.
    pub head_only: bool,
    /// The tags of the answers that the visitor has already, as `If-None-Match` lists them.
    pub known: &'a str,
}

/// Why a request is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is no HTTP request.
    NotHttp,
    /// It is meant for another machine.
    OtherMachine,
    /// Its method is neither `GET` nor `HEAD`.
    OtherMethod,
}

/// Whether the blank line that ends a head has come.
pub fn is_complete(request: &[u8]) -> bool {
    request.windows(4).any(|end| end == b"\r\n\r\n")
}

/// Reads the head of a request to the server on `port`.
///
/// # Errors
///
/// When the request is turned away.
pub fn read(request: &[u8], port: u16) -> Result<Request<'_>, Refusal> {
    let end = request.windows(4).position(|end| end == b"\r\n\r\n");
    let head = &request[..end.unwrap_or(request.len())];
    let head = std::str::from_utf8(head).map_err(|_| Refusal::NotHttp)?;
    // A lone line feed or carriage return could end a line for one reader and not for another.
    let mut lines = head.split("\r\n");
    if lines.clone().any(|line| line.contains(char::is_control)) {
        return Err(Refusal::NotHttp);
    }
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(Refusal::NotHttp);
    };
    if !version.starts_with("HTTP/1.") {
        return Err(Refusal::NotHttp);
    }
    let named = |wanted: &'static str| {
        lines
            .clone()
            .filter_map(|line| line.split_once(':'))
            .filter(move |(name, _)| name.eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value.trim())
    };
    let mut hosts = named("host");
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(Refusal::NotHttp);
    };
    if !names_this_machine(host, port) {
        return Err(Refusal::OtherMachine);
    }
    if method != "GET" && method != "HEAD" {
        return Err(Refusal::OtherMethod);
    }
    let path = target.split(['?', '#']).next().unwrap_or_default();
    Ok(Request {
        name: path.strip_prefix('/').ok_or(Refusal::NotHttp)?,
        head_only: method == "HEAD",
        known: named("if-none-match").next().unwrap_or_default(),
    })
}

/// Whether a `Host` header means this server: a loopback name, with its port.
pub fn names_this_machine(host: &str, port: u16) -> bool {
    let (name, given) = match host.rsplit_once(':') {
        // The colons of a bare IPv6 address are no port.
        Some((name, given)) if !given.contains(']') => (name, given),
        _ => (host, "80"),
    };
    let loopback = match name.strip_prefix('[').and_then(|n| n.strip_suffix(']')) {
        Some(bare) => bare.parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback()),
        None => {
            name.eq_ignore_ascii_case("localhost")
                || name.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
        }
    };
    loopback && given == port.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_whatever_the_case_of_their_header() {
        let known = |header: &str| {
            let head = format!("GET /a HTTP/1.1\r\nHost: localhost:80\r\n{header}\r\n");
            read(head.as_bytes(), 80).unwrap().known.to_owned()
        };
        assert_eq!(known(""), "");
        assert_eq!(known("if-none-match:  \"a\", \"b\" \r\n"), "\"a\", \"b\"");
        assert_eq!(known("X-If-None-Match: \"a\"\r\n"), "");
    }

    #[test]
    fn names_of_this_machine_are_told_from_others() {
        for host in [
            "localhost:8428",
            "127.0.0.1:8428",
            "127.0.0.2:8428",
            "[::1]:8428",
            "LOCALHOST:8428",
        ] {
            assert!(names_this_machine(host, 8428), "{host}");
        }
        for host in [
            "localhost",
            "localhost:80",
            "evil.example:8428",
            "localhost.evil.example:8428",
            "127.0.0.1.evil.example:8428",
            "10.0.0.1:8428",
            "",
            ":8428",
            "localhost:+8428",
            "[localhost]:8428",
            "[[::1]]:8428",
            "::1:8428",
        ] {
            assert!(!names_this_machine(host, 8428), "{host}");
        }
        assert!(names_this_machine("localhost", 80));
        assert!(names_this_machine("[::1]", 80));
    }
}
