//! A headless Chromium, spoken to by WebDriver, for tests of pages.
//!
//! WebDriver is HTTP and JSON on this machine; `chromedriver` (Debian's package
//! `chromium-driver`) starts the browser and ends it. Console messages and the page's
//! network requests are recorded, and tests can read them.

mod wire;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use data_encoding::BASE64;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Time in which a page must come to a state that a test waits for, on a
/// loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

const INSTALL: &str = "install it with `apt-get install chromium chromium-driver`, or run \
                       scripts/install-tools; CHROMEWEBDRIVER may name the folder of another \
                       `chromedriver`";

/// The screen a page is shown on.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Width, CSS pixels.
    pub width: u32,
    /// Height, CSS pixels.
    pub height: u32,
    /// Device pixels per CSS pixel.
    pub density: u32,
    /// `light` or `dark`.
    pub theme: &'static str,
}

/// A browser with one tab. It ends when it is dropped.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    /// Kept open, as the driver may still write to it.
    _output: BufReader<ChildStdout>,
    _profile: TempDir,
    port: u16,
    session: String,
}

impl Browser {
    /// Starts driver and browser.
    ///
    /// # Panics
    ///
    /// When they are not installed, or do not start.
    pub fn open() -> Self {
        let Driver { process: driver, output, port } = Driver::start();
        let profile = TempDir::new().expect("a temporary folder");
        let mut browser =
            Self { driver, _output: output, _profile: profile, port, session: String::new() };
        browser.session = browser.start();
        browser.forget_its_own_page();
        browser
    }

    fn start(&self) -> String {
        let profile = format!("--user-data-dir={}", self._profile.path().display());
        let arguments = [
            "--headless=new",
            // The pages are the test's own, and containers seldom have what Chromium's sandbox
            // needs.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            "--hide-scrollbars",
            &profile,
        ];
        let mut options = json!({ "args": arguments });
        if let Some(shell) = headless_shell() {
            options["binary"] = json!(shell);
        }
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        }}});
        let session = wire::post(self.port, "/session", &wanted)
            .unwrap_or_else(|error| panic!("Chromium does not start ({error}): {INSTALL}"));
        session["sessionId"].as_str().expect("a session has an id").to_owned()
    }

    /// The page that a new tab shows asks for things of the browser's own.
    fn forget_its_own_page(&self) {
        self.go("about:blank");
        let _ = (self.console(), self.requests());
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let path = format!("/session/{}{path}", self.session);
        wire::post(self.port, &path, body).unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    fn get(&self, path: &str) -> Value {
        let path = format!("/session/{}{path}", self.session);
        wire::get(self.port, &path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn devtools(&self, command: &str, parameters: &Value) {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }

    /// Opens an address and waits until it is loaded.
    pub fn go(&self, address: &str) {
        self.post("/url", &json!({ "url": address }));
    }

    /// Returns the address that is open.
    pub fn address(&self) -> String {
        self.get("/url").as_str().unwrap_or_default().to_owned()
    }

    /// Runs JavaScript, the body of a function, and returns what that returns.
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until a JavaScript expression is true.
    ///
    /// # Panics
    ///
    /// When it stays untrue for a minute.
    pub fn wait_for(&self, expression: &str) {
        let begin = Instant::now();
        let script = format!("return Boolean({expression})");
        while self.run(&script) != true {
            assert!(begin.elapsed() < PATIENCE, "never true: {expression}\n{}", self.state());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns what there is to know of a page that is not as it should be: its address and time
    /// since it was opened, its newest requests with status, begin and duration, its text, and
    /// the console.
    fn state(&self) -> String {
        let text = self.run(
            "const asked = performance.getEntriesByType('resource').slice(-40).map((entry) =>
               [entry.name, entry.responseStatus, entry.startTime, entry.duration].join(' '));
             const now = [location.href, document.visibilityState, performance.now()].join(' ');
             return [now, ...asked, document.body.innerText.slice(0, 3000)].join('\\n');",
        );
        let console = self.console().join("\n");
        format!("{}\n{console}", text.as_str().unwrap_or_default())
    }

    /// Clicks what a CSS selector finds first, as a person does: it is scrolled
    /// into view, and must not be covered.
    pub fn click(&self, selector: &str) {
        let (id, found) = self.find(selector);
        // A page may scroll smoothly, and the driver does not wait for that.
        let scroll = "arguments[0].scrollIntoView({ behavior: 'instant', block: 'center' })";
        self.post("/execute/sync", &json!({ "script": scroll, "args": [found] }));
        self.post(&format!("/element/{id}/click"), &json!({}));
    }

    /// Returns what a CSS selector finds first, by its id and as scripts take it.
    fn find(&self, selector: &str) -> (String, Value) {
        let wanted = json!({ "using": "css selector", "value": selector });
        let found = self.post("/element", &wanted);
        let id = found.as_object().and_then(|found| found.values().next()?.as_str());
        (id.expect("an element has an id").to_owned(), found)
    }

    /// Returns the role and the name that a screen reader gets for what a CSS
    /// selector finds first, as the browser computes them.
    pub fn role_and_name(&self, selector: &str) -> [String; 2] {
        let (id, _) = self.find(selector);
        ["computedrole", "computedlabel"].map(|what| {
            let text = self.get(&format!("/element/{id}/{what}"));
            text.as_str().unwrap_or_default().to_owned()
        })
    }

    /// Presses and releases a key: a character, or one of WebDriver's codes.
    pub fn press(&self, key: &str) {
        let steps = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": steps });
        self.post("/actions", &json!({ "actions": [keyboard] }));
    }

    /// Shows pages on this screen.
    pub fn show_on(&self, screen: Screen) {
        let Screen { width, height, density, theme } = screen;
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": density, "mobile": false,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
        let theme = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
        self.devtools("Emulation.setEmulatedMedia", &theme);
    }

    /// Pretends that the person wants as little motion as can be.
    pub fn reduce_motion(&self) {
        let features =
            json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
        self.devtools("Emulation.setEmulatedMedia", &features);
    }

    /// Returns what is on the screen, as a PNG file.
    pub fn screenshot(&self) -> Vec<u8> {
        let text = self.get("/screenshot");
        let bytes = BASE64.decode(text.as_str().unwrap_or_default().as_bytes());
        bytes.expect("a screenshot comes as base64")
    }

    /// Returns what the console has said since it was asked last: warnings,
    /// errors, whatever a policy has refused.
    pub fn console(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| format!("{} {}", entry["level"], entry["message"])).collect()
    }

    /// Returns every address that pages have asked for since this was asked last.
    pub fn requests(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "performance" }));
        let entries = entries.as_array().cloned().unwrap_or_default();
        let request = |entry: &Value| {
            let event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let is_request = event["message"]["method"] == "Network.requestWillBeSent";
            let address = event["message"]["params"]["request"]["url"].as_str()?;
            is_request.then(|| address.to_owned())
        };
        entries.iter().filter_map(request).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = wire::delete(self.port, &format!("/session/{}", self.session));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Hosted machines name the folder of theirs.
fn driver() -> PathBuf {
    let named = std::env::var_os("CHROMEWEBDRIVER")
        .map(|folder| PathBuf::from(folder).join("chromedriver"));
    named.filter(|program| program.is_file()).unwrap_or_else(|| PathBuf::from("chromedriver"))
}

/// Returns what starts Chromium without windows, tabs and profiles, where that is installed: its
/// pages are the same, for a third of the work.
fn headless_shell() -> Option<&'static str> {
    let folders = std::env::var_os("PATH")?;
    let is_in = |folder: PathBuf| folder.join("chromium-headless-shell").is_file();
    let is_there = std::env::split_paths(&folders).any(is_in);
    is_there.then_some(concat!(env!("CARGO_MANIFEST_DIR"), "/headless-shell"))
}

/// A driver that listens.
struct Driver {
    process: Child,
    output: BufReader<ChildStdout>,
    port: u16,
}

impl Driver {
    /// Starts one. It finds a free port and then takes it, which another program may do in
    /// between.
    fn start() -> Self {
        let mut drivers = (0..3).filter_map(|_| Self::try_to_start());
        drivers.next().expect("chromedriver says its port")
    }

    fn try_to_start() -> Option<Self> {
        let program = driver();
        let mut process = Command::new(&program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("no `{}` here ({error}): {INSTALL}", program.display()));
        let mut output = BufReader::new(process.stdout.take().expect("its output is piped"));
        match port_of(&mut output) {
            Some(port) => Some(Self { process, output, port }),
            None => {
                _ = process.wait();
                None
            }
        }
    }
}

/// The driver says which port it has taken; one that took none ends.
fn port_of(output: &mut BufReader<ChildStdout>) -> Option<u16> {
    let lines = output.lines().map_while(Result::ok);
    let mut ports = lines.filter_map(|line| {
        let (_, port) = line.split_once("successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    });
    ports.next()
}
