// Runs before the first paint: a theme that somebody chose holds on every page.
(function () {
  'use strict';
  // A replay on somebody else's page is the replay alone.
  if (/^\?embed(?:&|=|$)/.test(window.location.search)) {
    document.documentElement.setAttribute('data-embed', '');
  }
  try {
    var theme = window.localStorage.getItem('joust-theme');
    if (theme === 'light' || theme === 'dark') {
      document.documentElement.setAttribute('data-theme', theme);
    }
  } catch (error) {
    // No storage: the system's theme holds.
  }
})();
