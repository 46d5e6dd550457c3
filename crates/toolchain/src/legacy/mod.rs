//! Project files of old systems (Visual C++, C# before the .NET SDK, Maven of the contests' time), as far as a
//! build with today's tools has to know them. They are read as texts; nothing of theirs is run.

pub(crate) mod cpp;
pub(crate) mod dotnet;
pub(crate) mod maven;
mod paths;
