// Makes tables sortable and searchable and the theme switchable. Every page has the same content
// without it.
(function () {
  'use strict';

  // ---- theme ----------------------------------------------------------------

  var root = document.documentElement;
  var system = window.matchMedia('(prefers-color-scheme: dark)');

  function isDark() {
    var chosen = root.getAttribute('data-theme');
    return chosen ? chosen === 'dark' : system.matches;
  }

  function remember(theme) {
    try {
      window.localStorage.setItem('joust-theme', theme);
    } catch (error) {
      // Without storage the choice lasts as long as the page.
    }
  }

  function themeButton(button) {
    function show() {
      button.querySelector('.label').textContent = isDark() ? 'Light theme' : 'Dark theme';
    }
    button.hidden = false;
    button.addEventListener('click', function () {
      var theme = isDark() ? 'light' : 'dark';
      root.setAttribute('data-theme', theme);
      remember(theme);
      show();
    });
    system.addEventListener('change', show);
    show();
  }

  // ---- sorting --------------------------------------------------------------

  function keyOf(row, column) {
    var cell = row.cells[column];
    var text = cell.hasAttribute('data-s') ? cell.getAttribute('data-s') : cell.textContent.trim();
    // `over 99 %` comes behind `99 %`, `under 1 %` before `1 %`.
    var beyond = /^over /.test(text) ? 0.5 : /^under /.test(text) ? -0.5 : 0;
    var number = Number(text.replace('−', '-').replace(/^(over|under) |[ \u202f]|%$/g, '')) + beyond;
    return { text: text.toLocaleLowerCase(), number: text === '' || isNaN(number) ? null : number };
  }

  // Empty cells stay last whichever way a column is sorted.
  function compare(one, other, direction) {
    if (one.text === '' || other.text === '') {
      return (one.text === '') - (other.text === '');
    }
    if (one.number !== null && other.number !== null) {
      return direction * (one.number - other.number);
    }
    return direction * (one.text < other.text ? -1 : one.text > other.text ? 1 : 0);
  }

  function sort(table, column, direction) {
    var body = table.tBodies[0];
    var rows = Array.prototype.map.call(body.rows, function (row, place) {
      return { row: row, key: keyOf(row, column), place: place };
    });
    rows.sort(function (one, other) {
      return compare(one.key, other.key, direction) || one.place - other.place;
    });
    rows.forEach(function (entry) {
      body.appendChild(entry.row);
    });
  }

  // A number is sorted with the largest first unless the column says otherwise.
  function firstDirection(head) {
    var isNumber = head.classList.contains('num') || head.classList.contains('plot-head');
    return isNumber && head.getAttribute('data-first') !== 'up' ? -1 : 1;
  }

  function sortable(table) {
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      var button = document.createElement('button');
      button.type = 'button';
      button.className = 'sort';
      while (head.firstChild) {
        button.appendChild(head.firstChild);
      }
      head.appendChild(button);
      button.addEventListener('click', function () {
        var now = head.getAttribute('aria-sort');
        var direction = now === null ? firstDirection(head) : now === 'ascending' ? -1 : 1;
        heads.forEach(function (other) {
          other.removeAttribute('aria-sort');
        });
        head.setAttribute('aria-sort', direction === 1 ? 'ascending' : 'descending');
        sort(table, column, direction);
      });
    });
  }

  // ---- finding --------------------------------------------------------------

  function findable(table, number) {
    var label = document.createElement('label');
    var input = document.createElement('input');
    var said = document.createElement('span');
    label.className = 'find';
    label.htmlFor = input.id = 'find-' + number;
    label.textContent = table.getAttribute('data-find');
    input.type = 'search';
    input.autocomplete = 'off';
    said.className = 'found';
    said.setAttribute('role', 'status');
    var bar = document.createElement('div');
    bar.className = 'findbar';
    bar.append(label, input, said);
    var region = table.closest('.scroll') || table;
    region.parentNode.insertBefore(bar, region);
    input.addEventListener('input', function () {
      var wanted = input.value.trim().toLocaleLowerCase();
      var found = 0;
      Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
        var name = row.querySelector('th').textContent.toLocaleLowerCase();
        row.hidden = name.indexOf(wanted) < 0;
        found += row.hidden ? 0 : 1;
      });
      said.textContent = wanted === '' ? '' : found + ' found';
    });
  }

  // ---- the picture of all pairs -----------------------------------------------

  function pairs(picture) {
    var bots = document.querySelectorAll('.who a');
    var said = picture.parentNode.querySelector('.pair');
    function linesAt(event) {
      var box = picture.getBoundingClientRect();
      var at = [(event.clientY - box.top) / box.height, (event.clientX - box.left) / box.width];
      return at.map(function (part) {
        return Math.min(bots.length - 1, Math.max(0, Math.floor(part * bots.length)));
      });
    }
    picture.classList.add('is-live');
    picture.addEventListener('pointermove', function (event) {
      said.textContent = linesAt(event).map(function (line) {
        return line + 1 + ' ' + bots[line].textContent;
      }).join(' against ');
    });
    picture.addEventListener('click', function (event) {
      window.location.href = bots[linesAt(event)[0]].href;
    });
  }

  // ---- numbers that lead to bouts -----------------------------------------------

  function linkTo(page, text, place) {
    var link = document.createElement('a');
    link.href = page + '#' + place;
    link.textContent = text;
    return link;
  }

  // A cell of won, drawn and lost has three numbers and three places.
  function linkCell(cell, page, places) {
    var parts = cell.textContent.split('–');
    var shown = cell.querySelector('b') || cell;
    if (places.length === 1) {
      shown.replaceChildren(linkTo(page, shown.textContent, places[0]));
    } else if (parts.length === places.length) {
      cell.replaceChildren();
      parts.forEach(function (part, number) {
        cell.append(number ? '–' : '', part === '0' ? part : linkTo(page, part, places[number]));
      });
    }
  }

  // In a long table the links are made here: in the page itself they would be most of its size.
  function linked(table) {
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
      var page = row.querySelector('th a').getAttribute('href');
      heads.forEach(function (head, column) {
        var places = head.getAttribute('data-at');
        var text = row.cells[column].textContent.trim();
        var isEmpty = text === '' || text === '–' || (places === 'verdicts' && text === '0');
        if (places && !isEmpty) {
          linkCell(row.cells[column], page, places.split(' '));
        }
      });
    });
  }

  function begin(part) {
    Array.prototype.forEach.call(part.querySelectorAll('table.standings'), linked);
    Array.prototype.forEach.call(part.querySelectorAll('.scroll'), scrollable);
    Array.prototype.forEach.call(part.querySelectorAll('img.pairs'), pairs);
    Array.prototype.forEach.call(part.querySelectorAll('table.sortable'), sortable);
    Array.prototype.forEach.call(part.querySelectorAll('table[data-find]'), findable);
  }

  // ---- tables wider than the screen ----------------------------------------------

  // Marks a table that is wider than its visible part.
  function scrollable(region) {
    function show() {
      region.classList.toggle('is-wide', region.scrollWidth > region.clientWidth + 4);
      var rest = region.scrollWidth - region.clientWidth - region.scrollLeft;
      region.classList.toggle('is-at-end', rest < 4);
    }
    region.addEventListener('scroll', show, { passive: true });
    window.addEventListener('resize', show);
    show();
  }

  Array.prototype.forEach.call(document.querySelectorAll('button.theme'), themeButton);
  begin(document);
  // A live page has replaced its main part by a newer one.
  document.addEventListener('joust-replaced', function (event) {
    begin(event.target);
  });
})();
