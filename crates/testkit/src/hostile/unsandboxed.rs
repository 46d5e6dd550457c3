//! Behaviour that a program must show without the sandbox, so that a harmless one cannot
//! pass.

/// Expected behaviour of a program without the sandbox.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// Expected end of its last turn.
    pub ends: Option<ExpectedEnd>,
    /// Lines its standard error must have.
    pub says: Vec<&'static str>,
    /// Texts of the place that its standard error must have.
    pub reveals: Vec<SiteSecret>,
    /// Figures that must be at least so big.
    pub at_least: Vec<(&'static str, u64)>,
    /// Figures that must be exactly so.
    pub exactly: Vec<(&'static str, u64)>,
    /// Bytes standard output must have.
    pub stdout: Option<Vec<u8>>,
    /// Somebody outside must succeed meanwhile.
    pub reached: bool,
}

/// End of a program without the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedEnd {
    /// Not by itself.
    Never,
    /// With this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
    /// It cannot even be started: this error number.
    Refused(i32),
}

/// A text of the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteSecret {
    /// The secret.
    Secret,
    /// The row's folder on the host.
    HostFolder,
}

/// A control that only has to end so.
pub fn ends(how: ExpectedEnd) -> Control {
    Control { ends: Some(how), ..Control::default() }
}

/// Makes a control that must print these lines.
pub fn says(lines: &[&'static str]) -> Control {
    Control { says: lines.to_vec(), ..Control::default() }
}

impl Control {
    /// Requires lines as well.
    #[must_use]
    pub fn saying(mut self, lines: &[&'static str]) -> Self {
        self.says.extend_from_slice(lines);
        self
    }

    /// Requires a text of the place as well.
    #[must_use]
    pub fn revealing(mut self, secret: SiteSecret) -> Self {
        self.reveals.push(secret);
        self
    }

    /// Requires a figure of at least `value`.
    #[must_use]
    pub fn at_least(mut self, figure: &'static str, value: u64) -> Self {
        self.at_least.push((figure, value));
        self
    }

    /// Requires a figure of exactly `value`.
    #[must_use]
    pub fn exactly(mut self, figure: &'static str, value: u64) -> Self {
        self.exactly.push((figure, value));
        self
    }

    /// Requires these bytes on standard output.
    #[must_use]
    pub fn printing(mut self, bytes: &[u8]) -> Self {
        self.stdout = Some(bytes.to_vec());
        self
    }

    /// Requires that the test gets through from outside.
    #[must_use]
    pub fn reached(mut self) -> Self {
        self.reached = true;
        self
    }
}
