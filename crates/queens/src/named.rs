//! Types whose values have names: how all of them are written and read.

/// Lets a type with `ALL` and `name` be written as its name and read from it, and declares the
/// error for an unknown name, which lists the known ones. Another array of values than `ALL` can be
/// named after `in`.
macro_rules! named {
    ($type:ident, $what:literal, $(#[$doc:meta])* $unknown:ident) => {
        named! { $type in $type::ALL, $what, $(#[$doc])* $unknown }
    };
    ($type:ident in $all:expr, $what:literal, $(#[$doc:meta])* $unknown:ident) => {
        #[doc = concat!("Writes [`", stringify!($type), "::name`].")]
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        #[doc = concat!("Reads [`", stringify!($type), "::name`].")]
        impl std::str::FromStr for $type {
            type Err = $unknown;

            fn from_str(name: &str) -> Result<$type, $unknown> {
                let mut all = $all.into_iter();
                all.find(|value| value.name() == name)
                    .ok_or_else(|| $unknown(name.to_owned()))
            }
        }

        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $unknown(String);

        impl std::fmt::Display for $unknown {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let names = $all.map($type::name).join(", ");
                let name = &self.0;
                write!(f, "no {} is called {name:?}; there are {names}", $what)
            }
        }

        impl std::error::Error for $unknown {}
    };
}

pub(crate) use named;
