// Keeps a page as new as the results. A stream of events sends the stamp of the pages; when it has
// changed, the page is fetched and its main part replaced. Without scripts a page stays as it was
// loaded.
(function () {
  'use strict';

  var root = document.currentScript.getAttribute('data-root');
  if (!window.EventSource || !window.fetch || !window.DOMParser) {
    return;
  }

  var LEAST_WAIT = 200;
  var AGAIN = 5000;
  var MOST_AT_THE_END = 1500;

  // ---- the line above the page -----------------------------------------------

  var line = document.createElement('aside');
  var dot = document.createElement('span');
  var said = document.createElement('span');
  var state = document.createElement('span');
  line.className = 'live-line';
  line.setAttribute('aria-label', 'Live');
  dot.className = 'live-dot';
  dot.setAttribute('aria-hidden', 'true');
  state.setAttribute('role', 'status');
  line.append(dot, said, state);
  document.querySelector('header.masthead').after(line);

  function show(words, isLost, isOver) {
    if (words !== null) {
      said.textContent = words ? 'Live: ' + words : 'Live';
    }
    state.textContent = isLost ? 'No connection; this page may be out of date.' : '';
    line.classList.toggle('is-lost', isLost);
    line.classList.toggle('is-over', isOver);
  }

  // ---- what a reader has done to a page --------------------------------------

  var CONTROLS = 'a, button, input, summary, [tabindex]';

  function all(part, selector) {
    return Array.prototype.slice.call(part.querySelectorAll(selector));
  }

  function remember(main) {
    var active = document.activeElement;
    return {
      scrolled: all(main, '.scroll').map(function (part) {
        return part.scrollLeft;
      }),
      opened: all(main, 'details').map(function (part) {
        return part.open;
      }),
      found: all(main, '.findbar input').map(function (input) {
        return input.value;
      }),
      sorted: all(main, 'table.sortable').map(function (table) {
        return all(table, 'thead th').map(function (head) {
          return head.getAttribute('aria-sort');
        });
      }),
      focused: main.contains(active) ? all(main, CONTROLS).indexOf(active) : -1,
      selection: active && active.type === 'search' ? active.selectionStart : null
    };
  }

  function sortAgain(table, wanted) {
    all(table, 'thead th').forEach(function (head, column) {
      var button = head.querySelector('button.sort');
      // The first press sorts one way, the second the other.
      for (var press = 0; wanted[column] && button && press < 2; press += 1) {
        if (head.getAttribute('aria-sort') !== wanted[column]) {
          button.click();
        }
      }
    });
  }

  function restore(main, memory) {
    all(main, 'details').forEach(function (part, number) {
      part.open = memory.opened[number] || part.open;
    });
    all(main, 'table.sortable').forEach(function (table, number) {
      sortAgain(table, memory.sorted[number] || []);
    });
    all(main, '.findbar input').forEach(function (input, number) {
      if (memory.found[number]) {
        input.value = memory.found[number];
        input.dispatchEvent(new Event('input'));
      }
    });
    all(main, '.scroll').forEach(function (part, number) {
      part.scrollLeft = memory.scrolled[number] || 0;
    });
    var focused = all(main, CONTROLS)[memory.focused];
    if (focused) {
      focused.focus({ preventScroll: true });
      if (memory.selection !== null && focused.setSelectionRange) {
        focused.setSelectionRange(memory.selection, memory.selection);
      }
    }
  }

  // ---- a newer form of the page ----------------------------------------------

  // The page's source as the server sent it: this script runs before those that change a page.
  var before = document.getElementById('main').innerHTML;

  // The part of a page in which a replay is, with the words that belong to it.
  function partOf(replay) {
    return replay.closest('main > section') || replay;
  }

  // A replay that may be playing stays as it is.
  function keepReplays(old, fresh) {
    var places = all(fresh, '.replay');
    all(old, '.replay.rv-ready, .replay[aria-busy]').slice(0, places.length).forEach(function (kept, number) {
      partOf(places[number]).replaceWith(partOf(kept));
    });
  }

  // The player is loaded with the first replay. Reloading the whole page instead would undo the
  // navigation to a link that the reader has just followed.
  function addToHead(head) {
    all(head, 'link[rel="stylesheet"], script[src]').forEach(function (part) {
      var name = part.localName === 'link' ? 'href' : 'src';
      var address = part.getAttribute(name);
      if (!document.head.querySelector('[' + name + '="' + address + '"]')) {
        var added = document.createElement(part.localName);
        added[name] = address;
        if (name === 'href') {
          added.rel = 'stylesheet';
        }
        document.head.append(added);
      }
    });
  }

  function replace(text) {
    var page = new DOMParser().parseFromString(text, 'text/html');
    var fresh = page.getElementById('main');
    var old = document.getElementById('main');
    var isSame = before === fresh.innerHTML;
    before = fresh.innerHTML;
    if (isSame) {
      return;
    }
    var memory = remember(old);
    fresh = document.adoptNode(fresh);
    addToHead(page.head);
    keepReplays(old, fresh);
    document.title = page.title;
    old.replaceWith(fresh);
    fresh.dispatchEvent(new Event('joust-replaced', { bubbles: true }));
    restore(fresh, memory);
  }

  // ---- when to look ----------------------------------------------------------

  var newest = null;
  var shown = null;
  var timer = null;

  function plan(wait) {
    if (timer === null && !document.hidden) {
      timer = window.setTimeout(look, wait);
    }
  }

  function askAgain() {
    throw new Error('not yet');
  }

  function look() {
    var stamp = newest.pages;
    window
      .fetch(window.location.href.split('#')[0], { cache: 'no-cache' })
      .then(function (response) {
        if (response.status >= 500) {
          throw new Error('not now');
        }
        var isOlder = response.headers.has('joust-older') && !newest.over;
        return response.ok ? response.text().then(replace).then(isOlder ? askAgain : null) : null;
      })
      .then(
        function () {
          timer = null;
          shown = stamp;
          planIfNew();
        },
        function () {
          timer = null;
          plan(AGAIN);
        }
      );
  }

  function planIfNew() {
    if (newest !== null && newest.pages !== shown) {
      var spread = newest.over ? Math.min(newest.spread, MOST_AT_THE_END) : newest.spread;
      plan(LEAST_WAIT + Math.random() * spread);
    }
  }

  // ---- boards of bouts that are being played ------------------------------------

  var watched = document.createElement('details');
  var boards = document.createElement('ul');
  var stream = null;
  var system = window.matchMedia('(prefers-color-scheme: dark)');
  boards.className = 'boards';
  watched.className = 'live-boards';
  watched.hidden = true;
  watched.append(Object.assign(document.createElement('summary'), { textContent: 'Watch bouts that are being played' }), boards);
  line.after(watched);

  function part(name, parts, words) {
    var node = Object.assign(document.createElement(name), words);
    node.append.apply(node, parts);
    return node;
  }

  function figure(board) {
    var bots = board.bots.join(' \u2013 ');
    var end = board.page ? part('a', ['ended: watch it'], { href: root + board.page }) : 'round ' + board.round;
    var picture = part('img', [], {
      alt: 'The board of ' + bots + ' after round ' + board.round,
      src: 'data:image/png;base64,' + board.picture
    });
    var caption = part('figcaption', [part('strong', [bots]), ' ' + board.event + ', ', end]);
    return part('li', [part('figure', board.picture ? [picture, caption] : [caption])]);
  }

  // Positions are taken from bouts only while this stream has followers. The pictures use the page's
  // theme.
  function watchBoards() {
    if (stream !== null) {
      stream.close();
      stream = null;
    }
    if (!watched.open || watched.hidden || document.hidden) {
      return;
    }
    var chosen = document.documentElement.getAttribute('data-theme');
    var isDark = chosen ? chosen === 'dark' : system.matches;
    stream = new EventSource(root + (isDark ? 'boards-dark' : 'boards'));
    stream.onmessage = function (event) {
      boards.replaceChildren.apply(boards, JSON.parse(event.data).map(figure));
    };
  }

  watched.addEventListener('toggle', watchBoards);
  system.addEventListener('change', watchBoards);
  new MutationObserver(watchBoards).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });

  function showWatched(arePlayed) {
    if (watched.hidden === arePlayed) {
      watched.hidden = !arePlayed;
      watchBoards();
    }
  }

  var source = null;

  function follow() {
    source = new EventSource(root + 'events');
    source.onmessage = function (event) {
      newest = JSON.parse(event.data);
      show(newest.said, false, newest.over);
      planIfNew();
      showWatched(newest.boards);
    };
    source.onerror = function () {
      var isOver = newest !== null && newest.over;
      show(null, !isOver, isOver);
      // A browser stops reconnecting when a proxy answers in the server's place.
      if (this.readyState === EventSource.CLOSED) {
        source = null;
        window.setTimeout(followIfSeen, AGAIN);
      }
    };
  }

  // A browser has six connections to a server, for all tabs and for the pages that it keeps for its
  // back button, so a hidden page must hold none.
  function followIfSeen() {
    if (document.hidden && source !== null) {
      source.close();
      source = null;
    } else if (!document.hidden && source === null) {
      follow();
    }
  }

  followIfSeen();
  document.addEventListener('visibilitychange', function () {
    followIfSeen();
    watchBoards();
    planIfNew();
  });
  show('', false, false);
})();
