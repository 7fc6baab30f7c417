//! Why a NATS server cannot be reached, in words that say what to do.
//!
//! The underlying libraries speak of content types, issuers and alerts. Nearly always the cause is
//! one of a few mistakes with addresses, certificates and keys. Anything else is passed on
//! unchanged.

use async_nats::{ConnectError, ConnectErrorKind};

/// Mistakes that TLS reports: a word to look for in the report, and what to do.
const TLS: [(&str, &str); 8] = [
    (
        "InvalidContentType",
        "the server does not speak TLS there; use nats:// instead of tls://, or ask for its TLS port",
    ),
    (
        "UnknownIssuer",
        "the server's certificate is signed by an authority that this machine does not trust; \
         name the authority's certificate with --tls-ca",
    ),
    (
        "not valid for name",
        "the server's certificate is for another name; use the name that it was made for",
    ),
    (
        "certificate expired",
        "the server's certificate has expired, or the clock of this machine is wrong",
    ),
    (
        "certificate not valid yet",
        "the server's certificate is not valid yet, or the clock of this machine is wrong",
    ),
    ("CertificateRequired", WANTS_CERTIFICATE),
    ("BadCertificate", WANTS_CERTIFICATE),
    (
        "UnknownCA",
        "the server does not trust the certificate given with --tls-cert",
    ),
];

const WANTS_CERTIFICATE: &str = "the server asks for a certificate of this machine that it can \
                                 trust; give --tls-cert and --tls-key";

/// Why no connection was made.
pub fn reason(error: &ConnectError) -> String {
    explain(error.kind(), &super::chain(error))
}

/// Why no connection was made, from the kind of failure and the text of the error.
fn explain(kind: ConnectErrorKind, said: &str) -> String {
    if let Some((_, meaning)) = TLS.iter().find(|(word, _)| said.contains(word)) {
        return (*meaning).to_owned();
    }
    match kind {
        ConnectErrorKind::ServerParse => {
            "this is no address of a server; one is nats://host:4222 or tls://host:4222".to_owned()
        }
        ConnectErrorKind::Dns => "no machine of this name can be found".to_owned(),
        ConnectErrorKind::Authentication => {
            "the key or the credentials cannot be used to log in".to_owned()
        }
        ConnectErrorKind::AuthorizationViolation => {
            "authorization violation: the server does not let this key or login in".to_owned()
        }
        ConnectErrorKind::TimedOut => "there was no answer within 5 seconds".to_owned(),
        _ if said.contains("Connection refused") => "no server listens there".to_owned(),
        ConnectErrorKind::Tls => format!("TLS cannot be set up: {}", rest(said)),
        _ => rest(said).to_owned(),
    }
}

/// The text of the error without the name of its kind.
fn rest(said: &str) -> &str {
    said.strip_prefix("IO error: ")
        .or_else(|| said.strip_prefix("TLS error: "))
        .unwrap_or(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libraries_say_becomes_what_to_do() {
        use ConnectErrorKind as Kind;
        for (kind, said, told) in [
            (
                Kind::Io,
                "IO error: received corrupt message of type InvalidContentType",
                "use nats://",
            ),
            (
                Kind::Io,
                "IO error: invalid peer certificate: UnknownIssuer",
                "--tls-ca",
            ),
            (
                Kind::Io,
                "IO error: received fatal alert: CertificateRequired",
                "--tls-cert",
            ),
            (
                Kind::Io,
                "IO error: invalid peer certificate: certificate not valid for name \"127.0.0.1\"; \
                 certificate is only valid for DnsName(\"other.example\")",
                "for another name",
            ),
            (
                Kind::Io,
                "IO error: Connection refused (os error 111)",
                "no server listens there",
            ),
            (Kind::ServerParse, "invalid port number", "nats://host:4222"),
            (Kind::Dns, "failed to lookup", "no machine of this name"),
            (
                Kind::Tls,
                "TLS error: no keys",
                "TLS cannot be set up: no keys",
            ),
        ] {
            let answer = explain(kind, said);
            assert!(answer.contains(told), "{said}: {answer}");
        }
        let other = explain(Kind::Io, "IO error: Network is unreachable (os error 101)");
        assert_eq!(other, "Network is unreachable (os error 101)");
    }
}
