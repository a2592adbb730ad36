// The search box: every section of every page, in an index that came with the site. Nothing is sent anywhere.
const root = document.documentElement.dataset.root;
const input = document.querySelector('.search input');
const found = document.querySelector('#found');
const menu = document.querySelector('.menu');

// Open beside the text, closed above it.
if (matchMedia('(width < 60rem)').matches) menu.open = false;

let search;
function index() {
  if (search) return search;
  search = new MiniSearch({
    fields: ['title', 'page', 'text'],
    storeFields: ['title', 'page', 'href', 'text'],
    searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  });
  search.addAll(forebayIndex);
  return search;
}

function show() {
  const words = input.value.trim();
  found.hidden = words === '';
  if (!words) return found.replaceChildren();
  const results = index().search(words).slice(0, 12);
  found.replaceChildren(...results.map(line));
  if (!results.length) found.append(Object.assign(document.createElement('li'), { textContent: 'Nothing found' }));
}

function line({ title, page, href, text }) {
  const link = Object.assign(document.createElement('a'), { href: root + href });
  link.append(title && title !== page ? `${page}: ${title}` : page, Object.assign(document.createElement('small'), { textContent: text.slice(0, 160) }));
  const item = document.createElement('li');
  item.append(link);
  return item;
}

input.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  const links = [...found.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'Escape') {
    found.hidden = true;
  } else if (event.key === 'Enter' && document.activeElement === input) {
    links[0]?.click();
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !found.hidden && links.length) {
    event.preventDefault();
    const next = at + (event.key === 'ArrowDown' ? 1 : -1);
    (links[next] ?? input).focus();
  }
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search') || event.target.closest('#found a')) found.hidden = true;
});
