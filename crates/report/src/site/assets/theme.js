// Runs before the first paint, so that the chosen theme holds on every page.
(function () {
  'use strict';
  // A replay embedded in another site's page is shown alone.
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
