//! Who may take part: keys, credentials and TLS, as the documents tell users to set up.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

use crate::queue::Nats;
use crate::support::*;

/// A certificate authority in the folder, and a certificate for 127.0.0.1 signed by it.
fn certificates(folder: &Folder) {
    let script = "
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
            -subj '/CN=test authority' -keyout ca.key -out ca.pem
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
            -subj '/CN=127.0.0.1' -keyout server.key -out server.csr
        printf 'subjectAltName=IP:127.0.0.1' > san
        openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
            -extfile san -out server.pem";
    let mut shell = Command::new("sh");
    let shell = shell.args(["-e", "-c", script]).current_dir(folder.path());
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Counts a campaign with one worker, each side with its own extra arguments.
fn count_with(folder: &Folder, url: &str, server: &[&Path], workers: &[&Path]) {
    let file = folder.campaign(14, "c");
    let mut worker = queens();
    worker.args(["worker", "--nats", url, "--threads", "1"]);
    let worker = start(worker.args(workers));
    let mut serve = campaign("serve");
    let serve = serve.arg(&file).args(["--nats", url]).args(server);
    let served = serve.output().unwrap();
    assert_eq!(served.status.code(), Some(0), "{}", stderr(&served));
    assert!(!stderr(&served).contains("login"), "{}", stderr(&served));
    let output = worker.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(total(&file), known(14));
}

/// The users and their permissions just as docs/campaigns.md has them.
fn documented() -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/campaigns.md");
    let page = std::fs::read_to_string(page).unwrap();
    let from = page.find("authorization {").unwrap();
    let to = from + page[from..].find("```").unwrap();
    page[from..to].to_owned()
}

#[test]
fn with_tls_and_nkeys_strangers_are_kept_out() {
    let folder = Folder::new();
    certificates(&folder);
    let [server, member, stranger] = [(); 3].map(|()| KeyPair::new_user());
    for (name, key) in [
        ("serve.nk", &server),
        ("worker.nk", &member),
        ("stranger.nk", &stranger),
    ] {
        let text = format!("# a comment\n{}\n", key.seed().unwrap());
        std::fs::write(folder.file(name), text).unwrap();
    }
    let path = |name: &str| folder.file(name);
    let settings = format!(
        "tls {{ cert_file: \"{}\", key_file: \"{}\" }}\n\
         {}",
        path("server.pem").display(),
        path("server.key").display(),
        documented()
            .replace("UAAA...", &server.public_key())
            .replace("UBBB...", &member.public_key())
    );
    let nats = Nats::with(&folder, &settings);
    let url = nats.url().replace("nats://", "tls://");
    let ca = path("ca.pem");
    let attempt = |extra: &[&Path]| {
        let mut worker = queens();
        refusal(worker.args(["worker", "--nats", &url]).args(extra))
    };
    let (tls_ca, nkey) = (Path::new("--tls-ca"), Path::new("--nkey"));
    // Nobody, somebody unknown, and a server whose certificate is not trusted.
    assert!(attempt(&[tls_ca, &ca]).contains("authorization violation"));
    let said = attempt(&[tls_ca, &ca, nkey, &path("stranger.nk")]);
    assert!(said.contains("authorization violation"), "{said}");
    let said = attempt(&[nkey, &path("worker.nk")]);
    assert!(said.contains("cannot connect"), "{said}");
    assert!(said.to_lowercase().contains("certificate"), "{said}");
    let said = attempt(&[tls_ca, &ca, nkey, &ca]);
    assert!(said.contains("no seed of an nkey"), "{said}");
    // Somebody who is known, under another name.
    let (key, name) = (path("worker.nk"), Path::new("--name"));
    let said = attempt(&[tls_ca, &ca, nkey, &key, name, Path::new("bob")]);
    assert!(said.contains("this key listen at _INBOX_bob"), "{said}");
    assert!(said.contains("must be the name that the key has"), "{said}");

    let (server, worker) = (path("serve.nk"), path("worker.nk"));
    let with = |key| [tls_ca, ca.as_path(), nkey, key];
    let mut named = with(&worker).to_vec();
    named.extend([Path::new("--name"), Path::new("ada")]);
    count_with(&folder, &url, &with(&server), &named);
}

/// What the server answers to a line that the owner of a key says by hand.
fn say_as(nats: &Nats, key: &KeyPair, line: &str) -> String {
    let address = nats.url().replace("nats://", "");
    let mut stream = BufReader::new(TcpStream::connect(address).unwrap());
    let mut info = String::new();
    stream.read_line(&mut info).unwrap();
    let info: Value = serde_json::from_str(info.strip_prefix("INFO ").unwrap()).unwrap();
    let signature = key
        .sign(info["nonce"].as_str().unwrap().as_bytes())
        .unwrap();
    let login = json!({
        "verbose": false, "nkey": key.public_key(),
        "sig": BASE64_URL_SAFE_NO_PAD.encode(signature),
    });
    let text = format!("CONNECT {login}\r\n{line}\r\nPING\r\n");
    stream.get_mut().write_all(text.as_bytes()).unwrap();
    let mut said = String::new();
    while !said.contains("PONG") {
        assert!(stream.read_line(&mut said).unwrap() > 0, "{said}");
    }
    said
}

#[test]
fn a_key_sends_results_under_its_own_name_only() {
    let folder = Folder::new();
    let [server, ada] = [(); 2].map(|()| KeyPair::new_user());
    let settings = documented()
        .replace("UAAA...", &server.public_key())
        .replace("UBBB...", &ada.public_key());
    let nats = Nats::with(&folder, &settings);
    for (subject, allowed) in [
        ("queens.n8-0.result.ada.0", true),
        ("queens.n8-0.hello.ada", true),
        ("queens.n8-0.result.bob.0", false),
        ("queens.n8-0.hello.bob", false),
        ("queens.n8-0.unit.cpu.0", false),
        ("queens.n8-0.notice", false),
        ("queens.n8-0.server", false),
        ("$JS.API.STREAM.DELETE.queens-n8-0-units", false),
    ] {
        let said = say_as(&nats, &ada, &format!("PUB {subject} 1\r\nx"));
        let refused = said.contains("Permissions Violation");
        assert_eq!(!refused, allowed, "{subject}: {said}");
    }
}

#[test]
fn a_key_reads_units_and_notices_but_nothing_of_other_workers() {
    let folder = Folder::new();
    let [server, ada] = [(); 2].map(|()| KeyPair::new_user());
    let settings = documented()
        .replace("UAAA...", &server.public_key())
        .replace("UBBB...", &ada.public_key());
    let nats = Nats::with(&folder, &settings);
    for (line, allowed) in [
        // What a worker needs.
        ("SUB _INBOX_ada.> 1", true),
        (
            "PUB $JS.API.CONSUMER.MSG.NEXT.queens-n8-0-units.cpu 0\r\n",
            true,
        ),
        (
            "PUB $JS.API.CONSUMER.MSG.NEXT.queens-n8-0-units.gpu 0\r\n",
            true,
        ),
        ("PUB $JS.ACK.queens-n8-0-units.gpu.1.2.3.4.5 0\r\n", true),
        (
            "PUB $JS.API.DIRECT.GET.queens-n8-0-notice.queens.n8-0.notice 0\r\n",
            true,
        ),
        // What others are told, and what they have counted.
        ("SUB _INBOX.> 1", false),
        ("SUB _INBOX_bob.> 1", false),
        ("SUB > 1", false),
        ("SUB queens.> 1", false),
        (
            "PUB $JS.API.CONSUMER.MSG.NEXT.queens-n8-0-results.ledger 0\r\n",
            false,
        ),
        (
            "PUB $JS.ACK.queens-n8-0-results.ledger.1.2.3.4.5 0\r\n",
            false,
        ),
        (
            "PUB $JS.API.STREAM.MSG.GET.queens-n8-0-results 0\r\n",
            false,
        ),
        ("PUB $JS.API.DIRECT.GET.queens-n8-0-results 0\r\n", false),
        (
            "PUB $JS.API.DIRECT.GET.queens-n8-0-results.queens.n8-0.result.bob.0 0\r\n",
            false,
        ),
        (
            "PUB $JS.API.CONSUMER.CREATE.queens-n8-0-results 0\r\n",
            false,
        ),
    ] {
        let said = say_as(&nats, &ada, line);
        let refused = said.contains("Permissions Violation");
        assert_eq!(!refused, allowed, "{line}: {said}");
    }
}

/// A token as NATS wants it: claims signed with the issuer's key.
fn token(issuer: &KeyPair, subject: &KeyPair, nats: Value) -> String {
    let encode = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let head = encode(json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let claims = encode(json!({
        "jti": "test", "iat": 1_763_000_000, "iss": issuer.public_key(), "name": "test",
        "sub": subject.public_key(), "nats": nats,
    }));
    let signed = format!("{head}.{claims}");
    let signature = issuer.sign(signed.as_bytes()).unwrap();
    format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

/// A credentials file for a user.
fn credentials(folder: &Folder, name: &str, account: &KeyPair) -> std::path::PathBuf {
    let user = KeyPair::new_user();
    let claims = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
    let text = format!(
        "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        token(account, &user, claims),
        user.seed().unwrap()
    );
    let path = folder.file(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn with_credentials_only_those_of_the_account_take_part() {
    let folder = Folder::new();
    let operator = KeyPair::new_operator();
    let (account, system) = (KeyPair::new_account(), KeyPair::new_account());
    let no_storage = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true,
        "conn": -1, "leaf": -1,
    });
    let mut limits = no_storage.clone();
    for storage in ["mem_storage", "disk_storage", "streams", "consumer"] {
        limits[storage] = json!(-1);
    }
    let of_operator = json!({ "type": "operator", "version": 2 });
    let of_account = json!({ "type": "account", "version": 2, "limits": limits });
    let of_system = json!({ "type": "account", "version": 2, "limits": no_storage });
    let settings = format!(
        "operator: {}\nsystem_account: {}\nresolver: MEMORY\n\
         resolver_preload: {{\n{}: {}\n{}: {}\n}}\n",
        token(&operator, &operator, of_operator),
        system.public_key(),
        system.public_key(),
        token(&operator, &system, of_system),
        account.public_key(),
        token(&operator, &account, of_account)
    );
    let nats = Nats::with(&folder, &settings);
    let member = credentials(&folder, "member.creds", &account);
    let stranger = credentials(&folder, "stranger.creds", &KeyPair::new_account());
    let mut worker = queens();
    let said = refusal(worker.args(["worker", "--nats", &nats.url()]));
    assert!(said.contains("authorization violation"), "{said}");
    let mut worker = queens();
    let worker = worker.args(["worker", "--nats", &nats.url(), "--creds"]);
    let said = refusal(worker.arg(&stranger));
    assert!(said.contains("authorization violation"), "{said}");

    let creds = [Path::new("--creds"), &member];
    count_with(&folder, &nats.url(), &creds, &creds);
}
