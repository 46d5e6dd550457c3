//! Enums whose variants have names.

/// Defines an enum from its variants and their names, and with it the list of the variants and
/// the way from each to its name and back.
macro_rules! named {
    (
        $(#[$about:meta])*
        pub enum $type:ident {
            $($(#[$doc:meta])* $variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$about])*
        pub enum $type {
            $($(#[$doc])* $variant,)+
        }

        impl $type {
            /// Every variant, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name of the variant.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns the variant called `name`.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| variant.name() == name)
            }
        }
    };
}

pub(crate) use named;
