//! Project files of old systems (Visual C++, C# before the .NET SDK, Maven of the contests' time):
//! the parts that a build with today's tools needs. They are read as texts; nothing in them is run.

pub(crate) mod cpp;
pub(crate) mod dotnet;
pub(crate) mod maven;
mod paths;
