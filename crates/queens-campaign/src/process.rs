//! Who is working on a campaign file, and whether they are still alive.
//!
//! A process that counts writes itself into the file and claims units under its number. If it is
//! killed, its claims stay behind, so others must be able to tell that it is gone. Three facts
//! decide this, without a lock file:
//!
//! - **boot**: the kernel's boot id. Two processes with one boot id run on one kernel, whose
//!   process table tells which of them lives. After a reboot or a power loss, every process with
//!   the old boot id is gone.
//! - **pid and birth**: the process number within its pid namespace, and the clock tick at which
//!   the process was started. The tick tells it from a later process with the same number.
//! - **heartbeat**: the last time it wrote. A process that could be alive but has not written for
//!   [`SILENCE`] (because it is suspended, or the system has no `/proc`) loses its claims. If it
//!   wakes up, it joins again. Its counts are still welcome, because the ledger accepts a unit once
//!   and compares any second count with the first.

use std::fs;
use std::sync::OnceLock;

/// Seconds without a heartbeat after which a process counts as gone.
pub const SILENCE: u64 = 60;

/// How often a process writes its heartbeat, in seconds.
pub const HEARTBEAT: u64 = 10;

/// What identifies a process, in addition to its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name of the machine.
    pub host: String,
    /// Boot id of the kernel, or the machine's name if there is none.
    pub boot: String,
    /// The pid namespace, for example `pid:[4026531836]`.
    pub namespace: String,
    /// Process number.
    pub pid: u32,
    /// Clock ticks from boot to the start of the process.
    pub birth: u64,
}

impl Identity {
    /// This process.
    pub fn of_this_process() -> Identity {
        let pid = std::process::id();
        let host = host().to_owned();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")
            .map_or_else(|_| host.clone(), |id| id.trim().to_owned());
        let namespace = fs::read_link("/proc/self/ns/pid")
            .map_or_else(|_| String::new(), |link| link.display().to_string());
        Identity {
            host,
            boot,
            namespace,
            pid,
            birth: birth(pid).unwrap_or(0),
        }
    }

    /// Whether the process may still be at work, as seen from `me` at the time `now`. `birth_of`
    /// returns when a process was started, or `None` if it has ended.
    pub fn may_live(
        &self,
        heartbeat: u64,
        now: u64,
        me: &Identity,
        birth_of: &dyn Fn(u32) -> Option<u64>,
    ) -> bool {
        // A heartbeat in the future was written before the clock was set back, or by a stranger. A
        // living process soon writes another one, or joins again.
        let silent = now.abs_diff(heartbeat) > SILENCE;
        if silent || (self.boot != me.boot && self.host == me.host) {
            return false;
        }
        let comparable = self.boot == me.boot && self.namespace == me.namespace && me.birth != 0;
        !comparable || birth_of(self.pid) == Some(self.birth)
    }
}

/// The name of this machine.
pub fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let name = fs::read_to_string("/proc/sys/kernel/hostname")
            .or_else(|_| fs::read_to_string("/etc/hostname"))
            .or_else(|_| std::env::var("HOSTNAME"))
            .unwrap_or_default();
        // The name becomes part of device names and of the queue's subjects, so it must be plain.
        let plain: String = name
            .trim()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        if plain.is_empty() {
            "unnamed".to_owned()
        } else {
            plain
        }
    })
}

/// The clock tick at which a process was started, if it exists.
pub(crate) fn birth(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the name in parentheses, which may contain anything. The start time is
    // field 22, the twentieth after the name.
    let after = &stat[stat.rfind(')')? + 2..];
    let mut fields = after.split(' ');
    let state = fields.next()?;
    // A zombie has ended; only its parent has not noticed yet.
    if state == "Z" || state == "X" {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_an_ended_one_does_not() {
        let me = Identity::of_this_process();
        assert!(me.birth > 0);
        assert!(me.may_live(1_000, 1_000, &me, &birth));
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let other = Identity {
            pid: child.id(),
            birth: birth(child.id()).unwrap(),
            ..me.clone()
        };
        assert!(other.may_live(1_000, 1_000, &me, &birth));
        child.kill().unwrap();
        // Killed but not yet waited for: a zombie counts as gone.
        while birth(child.id()).is_some() {
            std::thread::yield_now();
        }
        assert!(!other.may_live(1_000, 1_000, &me, &birth));
        child.wait().unwrap();
        assert!(!other.may_live(1_000, 1_000, &me, &birth));
    }

    #[test]
    fn a_reused_process_number_is_not_the_old_process() {
        let me = Identity::of_this_process();
        let old = Identity {
            birth: me.birth - 1,
            ..me.clone()
        };
        assert!(!old.may_live(1_000, 1_000, &me, &birth));
    }

    #[test]
    fn after_a_reboot_nobody_lives_and_after_silence_neither() {
        let me = Identity::of_this_process();
        let before = Identity {
            boot: "before".to_owned(),
            ..me.clone()
        };
        assert!(!before.may_live(1_000, 1_000, &me, &birth));
        let elsewhere = Identity {
            host: "elsewhere".to_owned(),
            ..before
        };
        assert!(elsewhere.may_live(1_000, 1_000 + SILENCE, &me, &birth));
        assert!(!elsewhere.may_live(1_000, 1_001 + SILENCE, &me, &birth));
        // Nor does a process live whose heartbeat is in the far future.
        assert!(!elsewhere.may_live(u64::MAX, 1_000, &me, &birth));
    }
}
