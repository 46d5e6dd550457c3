//! Layout of a seat: the places of a bot, of its results and of temporary files.

/// Folder of a bot, in its build and in its turns.
pub const BOT: &str = "/bot";
/// Folder in which a build leaves its result; hidden, so no source can be there.
pub(crate) const OUT: &str = "/bot/.joust";
/// Name of that folder in the bot's folder.
pub const MADE: &str = ".joust";
/// Folder for those files of a build that are thrown away.
pub const PRIVATE: &str = "/bot/.build";
/// Folders in which programs are searched when a manifest names them without a folder.
pub(crate) const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Port of a web server in its command and its variables; its channel replaces it.
pub const PORT: &str = "$PORT";
/// Variable with the port at which a web server listens. Set in a build if its manifest gives the
/// port.
pub const PORT_VARIABLE: &str = "PORT";
/// Variable with the prefix of the paths of all requests to a web server.
pub const PATH_VARIABLE: &str = "JOUST_PATH";
