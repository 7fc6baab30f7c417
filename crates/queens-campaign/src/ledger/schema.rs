//! The tables of a campaign file, and whether a file has exactly these.
//!
//! A file may come from anybody. A trigger could change what is written, a view could take the
//! place of a table, and a table without its key could hold a unit twice. So before anything else
//! is read or written, the schema of a file is compared with the one that this program would
//! create, word for word except for comments and white space.
//!
//! Two things in the tables follow from other rows: the sums in `tally`, and whether a recount
//! agrees. The statements that recompute them are here, too.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use rusqlite::Connection;

use crate::text::plain;

/// The schema this program writes, stored as SQLite's user version.
pub const SCHEMA_VERSION: u32 = 1;

/// The schema, with comments that the sqlite3 shell shows on `.schema`.
pub(super) const SCHEMA: &str = "
CREATE TABLE campaign (           -- one row: the fixed facts
    id           TEXT NOT NULL,   -- name of the campaign
    n            INTEGER NOT NULL,-- size of the board
    algorithm    TEXT NOT NULL,   -- name of the engine's unit numbering
    program      TEXT NOT NULL,   -- what planned it
    created      TEXT NOT NULL,   -- when, in UTC
    units        INTEGER NOT NULL,-- rows of plan
    cost         INTEGER NOT NULL,-- sum of plan.cost
    engine_units INTEGER NOT NULL,-- the plan covers engine units 0 to this less 1
    plan_digest  TEXT NOT NULL    -- SHA-256 that names the plan
) STRICT;

CREATE TABLE plan (
    unit  INTEGER PRIMARY KEY,    -- 0, 1, 2, ...
    first INTEGER NOT NULL,       -- first engine unit
    last  INTEGER NOT NULL,       -- last engine unit, included
    cost  INTEGER NOT NULL        -- expected cost, 1000000 on average
) STRICT;

CREATE TABLE ledger (             -- one row per finished unit
    unit        INTEGER PRIMARY KEY,
    count       INTEGER NOT NULL, -- solutions of n that the unit contributes
    check_value TEXT NOT NULL,    -- SHA-256 over the other columns, 32 digits
    device      TEXT NOT NULL,    -- what counted it
    program     TEXT NOT NULL,    -- with which version
    started     TEXT NOT NULL,    -- when, in UTC
    seconds     REAL NOT NULL     -- how long it took
) STRICT;

CREATE TABLE recount (            -- every further count of a unit
    unit        INTEGER NOT NULL,
    count       INTEGER NOT NULL,
    agrees      INTEGER NOT NULL, -- 1 if equal to the ledger's count
    check_value TEXT NOT NULL,
    device      TEXT NOT NULL,
    program     TEXT NOT NULL,
    started     TEXT NOT NULL,
    seconds     REAL NOT NULL
) STRICT;
CREATE INDEX recount_unit ON recount (unit);
CREATE INDEX recount_disputed ON recount (unit) WHERE agrees = 0;

CREATE TABLE process (            -- who is at work
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    host      TEXT NOT NULL,
    boot      TEXT NOT NULL,      -- boot id of its kernel
    namespace TEXT NOT NULL,      -- its pid namespace
    pid       INTEGER NOT NULL,
    birth     INTEGER NOT NULL,   -- clock tick of its start
    role      TEXT NOT NULL,      -- run or serve
    since     INTEGER NOT NULL,   -- seconds since 1970
    heartbeat INTEGER NOT NULL,   -- seconds since 1970
    units     INTEGER NOT NULL,   -- what it recorded
    cost      INTEGER NOT NULL
) STRICT;

CREATE TABLE claim (              -- units being counted
    unit    INTEGER PRIMARY KEY,
    process INTEGER NOT NULL      -- process.id
) STRICT;
CREATE INDEX claim_process ON claim (process);

CREATE TABLE tally (              -- sums over the ledger, kept by the triggers
    device  TEXT PRIMARY KEY,
    units   INTEGER NOT NULL,
    cost    INTEGER NOT NULL,
    seconds REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER ledger_insert AFTER INSERT ON ledger BEGIN
    INSERT INTO tally SELECT new.device, 1, cost, new.seconds FROM plan WHERE unit = new.unit
    ON CONFLICT (device) DO UPDATE SET units = units + 1, cost = cost + excluded.cost,
        seconds = seconds + excluded.seconds;
END;
CREATE TRIGGER ledger_delete AFTER DELETE ON ledger BEGIN
    UPDATE tally SET units = units - 1, seconds = seconds - old.seconds,
        cost = cost - (SELECT cost FROM plan WHERE unit = old.unit)
    WHERE device = old.device;
    DELETE FROM tally WHERE device = old.device AND units <= 0;
END;
CREATE TRIGGER ledger_update BEFORE UPDATE ON ledger BEGIN
    SELECT raise(ABORT, 'a row of the ledger is never changed: drop it and count again');
END;
";

/// The table that `serve` adds when it is first used on a file.
///
/// It holds what a server must remember between two starts: the secret that tickets are made from,
/// the workers that were shut out, and the results that were refused.
pub(super) const DESK: &str = "
CREATE TABLE IF NOT EXISTS desk ( -- what a server remembers
    topic TEXT NOT NULL,
    name  TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (topic, name)
) STRICT, WITHOUT ROWID;
";

/// Recomputes the sums of `tally`.
pub(super) const REBUILD_TALLY: &str = "
DELETE FROM tally;
INSERT INTO tally
    SELECT device, count(*), sum(cost), sum(seconds) FROM ledger JOIN plan USING (unit)
    GROUP BY device;
";

/// Marks anew whether each recount agrees, and drops the recounts of units without a row.
pub(super) const REBUILD_RECOUNTS: &str = "
DELETE FROM recount WHERE unit NOT IN (SELECT unit FROM ledger);
UPDATE recount SET agrees = (count = (SELECT count FROM ledger l WHERE l.unit = recount.unit));
";

/// The kind and name of every object in a schema, with its definition without comments.
type Objects = BTreeMap<(String, String), String>;

/// A file with more objects than this is no campaign.
const MOST_OBJECTS: usize = 50;

fn objects(db: &Connection) -> rusqlite::Result<Objects> {
    let mut all = db.prepare("SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema")?;
    let rows = all.query_map([], |r| {
        let table: String = r.get(2)?;
        let sql: String = r.get(3)?;
        let words = words(&sql);
        Ok(((r.get(0)?, r.get(1)?), format!("{table} {words}")))
    })?;
    rows.take(MOST_OBJECTS).collect()
}

/// What a schema must contain, and what it may contain.
fn ours() -> &'static (Objects, Objects) {
    static OURS: OnceLock<(Objects, Objects)> = OnceLock::new();
    OURS.get_or_init(|| {
        let build = |with_desk: bool| {
            let db = Connection::open_in_memory()?;
            db.execute_batch(SCHEMA)?;
            if with_desk {
                db.execute_batch(DESK)?;
            }
            objects(&db)
        };
        // An empty database in memory does not fail.
        (
            build(false).unwrap_or_default(),
            build(true).unwrap_or_default(),
        )
    })
}

/// How the schema of a file differs from this program's, in words; `None` if it does not.
pub(super) fn difference(db: &Connection) -> rusqlite::Result<Option<String>> {
    let (must, may) = ours();
    let theirs = objects(db)?;
    let article = |kind: &str| match kind {
        "index" => "an index".to_owned(),
        kind => format!("a {}", plain(kind, 20)),
    };
    for ((kind, name), sql) in &theirs {
        if may.get(&(kind.clone(), name.clone())) != Some(sql) {
            let (kind, name) = (article(kind), plain(name, 40));
            return Ok(Some(format!(
                "it has {kind} {name} that no campaign has, so nothing in it can be trusted"
            )));
        }
    }
    let missing = must.keys().find(|&object| !theirs.contains_key(object));
    Ok(missing.map(|(kind, name)| format!("it has no {kind} {name}")))
}

/// A definition without comments, and outside of quotes with one space between words.
fn words(sql: &str) -> String {
    let mut out = String::new();
    let mut rest = sql.chars().peekable();
    let mut gap = false;
    while let Some(c) = rest.next() {
        if c == '-' && rest.peek() == Some(&'-') {
            rest.by_ref().find(|&c| c == '\n');
            gap = true;
            continue;
        }
        if c.is_ascii_whitespace() {
            gap = true;
            continue;
        }
        if gap && !out.is_empty() {
            out.push(' ');
        }
        gap = false;
        out.push(c);
        if matches!(c, '\'' | '"' | '`') {
            for inner in rest.by_ref() {
                out.push(inner);
                if inner == c {
                    break;
                }
            }
        }
    }
    out.replace("CREATE TABLE IF NOT EXISTS ", "CREATE TABLE ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_white_space_do_not_matter_and_quotes_do() {
        assert_eq!(words("a  b -- c\n d"), "a b d");
        assert_eq!(words("x '--  y'"), "x '--  y'");
        assert_ne!(words("x 'a  b'"), words("x 'a b'"));
        assert_eq!(words("-- all of it"), "");
    }

    #[test]
    fn what_this_program_creates_has_no_difference() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(SCHEMA).unwrap();
        assert_eq!(difference(&db).unwrap(), None);
        db.execute_batch(DESK).unwrap();
        assert_eq!(difference(&db).unwrap(), None);
        db.execute_batch("DROP TABLE claim").unwrap();
        assert!(difference(&db).unwrap().unwrap().contains("no "));
    }
}
