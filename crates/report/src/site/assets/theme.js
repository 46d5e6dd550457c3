// Runs before the first paint: a theme that somebody chose holds on every page.
(function () {
  'use strict';
  try {
    var theme = window.localStorage.getItem('joust-theme');
    if (theme === 'light' || theme === 'dark') {
      document.documentElement.setAttribute('data-theme', theme);
    }
  } catch (error) {
    // No storage: the system's theme holds.
  }
})();
