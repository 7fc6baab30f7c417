//! The defences that keep a campaign from lying, hanging or losing something, by name.
//!
//! The test of a defence is worth something only if it fails without the defence. So the code asks
//! [`Defence::stands`] wherever it defends itself, and the tests of this crate can take any one
//! defence out for a thread. The simulation must then notice within a limited number of seeds.
//! Outside of these tests all defences stand, and the compiler removes the question.

/// Something that a campaign relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defence {
    /// Workers believe that a campaign is complete only if its server says so.
    WordOfServer,
    /// The server makes lost queues anew.
    LostQueues,
    /// The server posts its notice again and again.
    Reposting,
    /// A result is judged before anything else is done with it.
    Judgement,
    /// A result names a device of the worker that sent it.
    OwnDevice,
    /// A result carries the proof that its unit was given out.
    Ticket,
    /// The server counts the first unit of a newcomer itself.
    FirstUnit,
    /// Somebody else counts a share of every worker's units again.
    Audit,
    /// The server's own machine counts some units of every worker again, whoever else does.
    OwnAudits,
    /// With `--twice` every unit is counted by two.
    Twice,
    /// The worker or device that counted a unit cannot check it.
    OtherParty,
    /// A worker that was wrong is no longer believed.
    ShutOut,
    /// A process that was given up joins again, and claims without a process are freed.
    Rejoining,
    /// If a worker's device shows no progress, its units are given back.
    LeaseByProgress,
    /// The same for a local run.
    ClaimByProgress,
    /// Joining a file waits as patiently as counting does.
    PatientJoining,
}

impl Defence {
    /// Whether this defence is in place.
    #[cfg(not(test))]
    pub(crate) const fn stands(self) -> bool {
        true
    }
}

#[cfg(test)]
pub(crate) use without::without;

#[cfg(test)]
mod without {
    use super::Defence;
    use std::cell::Cell;

    thread_local! {
        static OUT: Cell<Option<Defence>> = const { Cell::new(None) };
    }

    impl Defence {
        /// All defences.
        pub(crate) const ALL: [Defence; 16] = [
            Defence::WordOfServer,
            Defence::LostQueues,
            Defence::Reposting,
            Defence::Judgement,
            Defence::OwnDevice,
            Defence::Ticket,
            Defence::FirstUnit,
            Defence::Audit,
            Defence::OwnAudits,
            Defence::Twice,
            Defence::OtherParty,
            Defence::ShutOut,
            Defence::Rejoining,
            Defence::LeaseByProgress,
            Defence::ClaimByProgress,
            Defence::PatientJoining,
        ];

        pub(crate) fn stands(self) -> bool {
            OUT.get() != Some(self)
        }
    }

    /// Does something in this thread without one defence.
    pub(crate) fn without<T>(defence: Defence, act: impl FnOnce() -> T) -> T {
        OUT.set(Some(defence));
        let outcome = act();
        OUT.set(None);
        outcome
    }
}
